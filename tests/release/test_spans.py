"""A length of stay is the days between two dates: beside their classes a key field, beside their years a month."""

from __future__ import annotations

import datetime as dt
import random

import pytest

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.report import AttackReport, Claim, Word
from policy_sim.release.computed import computed, with_computed
from policy_sim.release.deidentified import Treatment
from policy_sim.release.treatments import Variable

RNG = random.Random(5)
FIRST = [dt.date(2024, 1, 1) + dt.timedelta(RNG.randrange(330)) for _ in range(300)]
STAYS = [RNG.randrange(9) for _ in FIRST]
RULE = {"rule": "safe-harbor", "dates": "year", "places": ("state", "zip3"), "oldest": 90}


def verdict(stays, first=FIRST, *, days=STAYS, treatment="generalize", released=True, **claim):
    """The report of a release of years of two dates, and of stays as the file has them."""
    last = [day + dt.timedelta(stay) for day, stay in zip(first, days, strict=True)]
    dates = {"in": first, "out": last}
    original = CodedTable(
        {name: CodedColumn.of([day.isoformat() for day in of]) for name, of in dates.items()}
        | {"los": CodedColumn.of(list(map(str, stays))), "age": CodedColumn.of(["30", "40"] * (len(first) // 2))}
    )
    years = {name: CodedColumn.of([str(day.year) for day in of]) for name, of in dates.items() if released}
    written = CodedTable(years | {name: original[name] for name in ("age", "los")})
    role = "other" if treatment == "shift" else "key"
    variables = [Variable(name, role, "made", kind="date", treatment=treatment) for name in dates]
    variables += [Variable("age", "key", "made"), Variable("los", "other", "made", treatment="keep")]
    held = Claim(words={"los": Word("A. Officer")}, **({"keys": ("age",), "k": 11} | claim))
    found = computed(original, written, Treatment(variables=tuple(variables), target=None, person="age"), held, {})
    return with_computed(AttackReport(tuple(written.names)), found, written, held)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("released", [True, False])
def test_a_stay_beside_classes_of_its_dates_counts_as_a_key_field(more, released):
    report = verdict([stay + more for stay in STAYS], released=released)
    ((column, why),) = report.against.items()
    assert column == "los"
    assert why.endswith("days from in to out")


def test_what_is_no_stay_and_what_is_moved_alike_is_not_named():
    assert not verdict([RNG.randrange(9) for _ in FIRST]).against
    assert not verdict(STAYS, treatment="shift").against


def test_a_stay_over_new_year_shows_a_month_that_a_rule_hides():
    assert not verdict(STAYS, **RULE).findings, "no stay ends in another year"
    first = [dt.date(2024, 12, 28), dt.date(2024, 12, 1), *FIRST[2:]]
    days = [6, 40, *STAYS[2:]]  # six days show the month; forty do not
    (finding,) = verdict(days, first, days=days, **RULE).findings
    assert finding.columns == ("los",)
    assert "the month of both in 1 row" in finding.what
    assert not verdict(days, first, days=days, released=False, **RULE).findings, "years are not shown"
    assert not verdict(days, first, days=days, **(RULE | {"dates": "day"})).findings, "a rule may let days show"
