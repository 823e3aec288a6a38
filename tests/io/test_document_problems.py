from __future__ import annotations

import copy
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from policy_sim.io.document_problems import one_of, read_document


class Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    buyer: Annotated[str, AfterValidator(one_of(("party", "public"), " See the guide."))] = "public"
    usd: float | None = Field(None, description="a number of dollars", json_schema_extra={"hint": " 0 is free."})


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    title: str = Field("", description="a text")
    price: list[Line] = []


def read(raw):
    problems: list[str] = []
    return read_document(Document, raw, problems, "[2026] "), problems


def test_a_sound_document_has_no_problem():
    document, problems = read({"title": "a", "price": [{"buyer": "party", "usd": 5.0}]})
    assert problems == []
    assert document.price[0].usd == 5.0


def test_every_problem_has_its_place_and_what_is_allowed():
    raw = {"titel": "a", "price": [{"usd": 1.0}, {"buyer": "partie", "usd": "5"}]}
    before = copy.deepcopy(raw)
    document, problems = read(raw)
    assert raw == before
    assert len(problems) == 3
    by_key = {name: next(line for line in problems if name in line) for name in ("titel", "buyer", "usd =")}
    assert all(line.startswith("[2026] ") for line in problems)
    assert "is not a known key" in by_key["titel"]
    assert "Known here: title, price" in by_key["titel"]
    assert "price 2: buyer = " in by_key["buyer"]
    assert "one of party, public" in by_key["buyer"]
    assert by_key["buyer"].endswith("See the guide.")
    assert "is not a number of dollars. 0 is free." in by_key["usd ="]
    assert [line.usd for line in document.price] == [1.0, None]  # what is wrong is left out, the rest stays


class Cited(BaseModel):
    id: str = Field(description="a short name")


def test_a_document_without_what_it_cannot_do_without_is_none():
    problems = []
    assert read_document(Cited, {}, problems) is None
    assert problems == ["id is missing; give a short name."]


def test_something_that_is_no_table_is_one_line():
    for raw, shown in ((None, "None"), ([], "[]"), ("x", "'x'"), (3, "3")):
        document, problems = read(raw)
        assert document is None
        assert problems == [f"[2026] the document contains {shown}, which is not a table."]
