"""What a key of a release file may hold."""

from __future__ import annotations

import pytest

from policy_sim.io.document_problems import read_document
from policy_sim.io.state_release_schema import ProgramTable, ReleaseTable, element_years

RELEASE = {"id": "inpatient", "program": "p", "years": "2019-2020"}


def problems_of(model, table):
    problems: list[str] = []
    read_document(model, table, problems, "", {"sources": {"s": None}, "programs": {"p": None}})
    return problems


def test_a_release_needs_an_id_a_program_and_years():
    assert problems_of(ReleaseTable, RELEASE) == []
    assert [line.split()[0] for line in problems_of(ReleaseTable, {})] == ["id", "program", "years"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"program": "q"}, "program = 'q' is not one of p"),
        ({"years": "2020-2019"}, "earliest to the latest"),
        ({"shows": {"zip6": "all"}}, "shows.zip6 is not a known key"),
        ({"shows": {"zip5": "some"}}, "shows.zip5"),
        ({"sources": ["t"]}, "cites 't'"),
        ({"complete": "yes"}, "complete"),
        ({"confidence": "sure"}, "one of high, medium, low"),
    ],
)
def test_each_wrong_value_is_named(change, said):
    (line,) = problems_of(ReleaseTable, {**RELEASE, **change})
    assert said in line


def test_an_agreement_that_no_source_mentions_is_unknown_and_a_price_is_no_negative_number():
    table = {"id": "p", "title": "t", "holder": "h", "setting": "inpatient"}
    made = read_document(ProgramTable, table, [], "", {"sources": {}})
    assert made.agreement.required is None
    assert made.price.kind == "unknown"
    (line,) = problems_of(ProgramTable, {**table, "price": {"kind": "flat", "usd": -1.0}})
    assert "price.usd" in line


def test_all_stands_for_the_years_of_the_release():
    made = read_document(ReleaseTable, {**RELEASE, "shows": {"zip5": "all", "age": "2020"}}, [], "", None)
    years = frozenset({2019, 2020})
    assert element_years(made.shows, years) == {"zip5": years, "age": frozenset({2020})}
