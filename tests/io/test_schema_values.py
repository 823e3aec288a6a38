"""Kinds of values in files of facts: what each accepts and rejects, and the error messages."""

import pytest
from pydantic import Field, ValidationError

from policy_sim.io.document_problems import read_document
from policy_sim.io.schema_values import (
    CitingTable,
    Flag,
    MaybeUsd,
    SourceTable,
    StrictTable,
    Text,
    Texts,
    Usd,
    word,
)


class _Table(CitingTable):
    color: word(("red", "green"), " Write red.") = "red"  # type: ignore[valid-type]
    usd: Usd = 0.0
    maybe: MaybeUsd = None
    flag: Flag = False
    text: Text = ""


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"color": "blue"}, "one of red, green"),
        ({"usd": -1}, "a number of 0 or more"),
        ({"usd": True}, "a number of 0 or more"),
        ({"usd": "5"}, "a number of 0 or more"),
        ({"usd": float("nan")}, "a number of 0 or more"),
        ({"maybe": 10**400}, "a number of 0 or more"),
        ({"flag": "yes"}, "true or false"),
        ({"text": 5}, "a text in quotes"),
        ({"shoe": 1}, "shoe"),
        ({"confidence": "sure"}, "one of"),
        ({"sources": "a"}, "a list of texts"),
    ],
)
def test_what_is_refused_and_what_would_be_right(raw, message):
    problems = []
    read_document(_Table, raw, problems)
    (problem,) = problems
    assert message in problem


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (
            {"sources": {}, "shared": "_sources.toml"},
            "of this file or of _sources.toml defines. Add it there",
        ),
        ({"sources": {}}, "no [[source]] of this file defines. Add it or correct the id."),
    ],
)
def test_a_source_must_be_defined_in_a_file_that_there_is(context, message):
    problems = []
    read_document(_Table, {"sources": ["nowhere"]}, problems, context=context)
    assert message in problems[0]


def test_a_table_takes_what_is_allowed():
    made = read_document(_Table, {"usd": 5, "maybe": 0, "sources": ["a"]}, [], context={"sources": {"a": None}})
    assert made is not None
    assert (made.usd, made.maybe, made.sources, made.color) == (5.0, 0.0, ["a"], "red")


@pytest.mark.parametrize(
    ("date", "fits"),
    [("2026", True), ("2026-05", True), ("2026-05-19", True), ("undated", True), ("May 2026", False), ("", False)],
)
def test_dates_of_documents(date, fits):
    problems = []
    read_document(SourceTable, {"id": "a", "title": "t", "date": date}, problems)
    assert bool(problems) is not fits


def test_a_table_of_its_own_keeps_its_values_apart():
    class Notes(StrictTable):
        notes: Texts = Field(default_factory=list)

    assert Notes().notes is not Notes().notes
    with pytest.raises(ValidationError):
        Notes(notes=["a"]).notes = []
