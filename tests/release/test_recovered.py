"""A hidden date, year or age that follows from kept numbers is found; numbers that only go with it are not."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.ages_later import attack_ages_later
from policy_sim.release.attack.report import AttackReport, Claim, Word
from policy_sim.release.attack.written import WrittenColumn, WrittenFile
from policy_sim.release.computed import with_computed
from policy_sim.release.deidentified import Treatment
from policy_sim.release.recovered import recovered
from policy_sim.release.treatments import Variable

ROWS = 480
RNG = np.random.default_rng(8)
AGES = RNG.integers(20, 99, ROWS)
DAYS = RNG.integers(0, 5 * 365, ROWS)
YEARS = 2019 + DAYS // 365
SEXES = RNG.integers(0, 2, ROWS)
MARKER = np.round(RNG.gamma(12, 0.09, ROWS).clip(0.4), 2)
RULE = {"rule": "safe-harbor", "dates": "year", "places": ("state",), "oldest": 90}


def filtration(decimals):
    """CKD-EPI 2021, of creatinine, age and sex (Inker and others, NEJM 385, 2021)."""
    part = MARKER / np.where(SEXES, 0.7, 0.9)
    low, high = np.minimum(part, 1) ** np.where(SEXES, -0.241, -0.302), np.maximum(part, 1) ** -1.2
    return np.round(142 * low * high * 0.9938**AGES * np.where(SEXES, 1.012, 1), decimals)


def found(sent, *, kind="age", rule=False):
    """What is found of columns that are sent: the names and what they show."""
    values = {"age": AGES, "year": YEARS}[kind]
    texts = {"hidden": list(map(str, values)), "sex": [f"{sex}" for sex in SEXES]}
    texts |= {name: ["" if x is None else str(x) for x in values] for name, values in sent.items()}
    classes = {"age": [f"{age // 10}0s" for age in AGES], "year": [f"{year // 3}" for year in YEARS]}[kind]
    if rule:
        classes = ["90+" if age >= 90 else str(age) for age in AGES]
    original, written = (
        CodedTable({name: CodedColumn.of(of) for name, of in columns.items()})
        for columns in (texts, texts | {"hidden": classes})
    )
    variables = [Variable("hidden", "key", "made", kind=kind), Variable("sex", "key", "made", kind="sex")]
    variables += [Variable(name, "other", "made") for name in sent]
    words = dict.fromkeys(sent, Word("A. Officer"))
    claim = Claim(words=words, **(RULE if rule else {"keys": ("hidden", "sex"), "k": 3}))
    one = recovered(original, written, Treatment(variables=tuple(variables), target=None), claim, {}, np.arange(ROWS))
    report = with_computed(AttackReport(tuple(written.names)), one, written, claim)
    assert not report.against
    return [(finding.columns, finding.what.split(" in ")[0]) for finding in report.findings]


def stale(values, share=0.03):
    """Numbers of which a share is of somebody else."""
    return np.where(RNG.random(ROWS) < share, RNG.permutation(values), values)


DURATION, LATER = RNG.integers(1, 15, ROWS), RNG.integers(0, 20, ROWS)
PUMPS = np.arange(ROWS) % 8
UPTIME = DAYS * 24 + np.array([400, 31_000, 7_000, 52_000, 9_500, 18_300, 44_100, 62_000])[PUMPS]  # since it was new


@pytest.mark.parametrize(
    ("sent", "kind", "names"),
    [
        ({"hours": DAYS * 24 + RNG.integers(0, 24, ROWS)}, "year", ("hours",)),
        ({"seq": stale(np.argsort(np.argsort(-DAYS)) / 10)}, "year", ("seq",)),
        ({"accession": [f"CT-{n:06}" for n in np.argsort(np.argsort(DAYS))]}, "year", ("accession",)),
        ({"onset": AGES - DURATION, "months": [f"{m} months" for m in stale(12 * DURATION)]}, "age", None),
        ({"marker": MARKER, "rate": filtration(1)}, "age", ("marker", "rate")),
        ({"a": AGES - 3 * DURATION, "b": DURATION + LATER, "c": LATER}, "age", None),
        ({"last digit": AGES % 10}, "age", ("last digit",)),
        ({"pump": [f"P{pump}" for pump in PUMPS], "uptime": UPTIME}, "year", ("uptime",)),
    ],
)
def test_what_follows_from_numbers_is_no_class(sent, kind, names):
    ((columns, what),) = found(sent, kind=kind)
    assert columns == (names or tuple(sent))
    assert "shows hidden" in what


@pytest.mark.parametrize("rule", [False, True])
def test_numbers_that_only_go_with_age_or_year_are_no_finding(rule):
    pressure = np.round(100 + 0.45 * AGES + RNG.normal(0, 10, ROWS))
    sent = {"pressure": pressure, "marker": MARKER, "rate": np.round(filtration(0) * RNG.normal(1, 0.15, ROWS))}
    assert found(sent | {"stay": DURATION, "total": pressure + DURATION}, rule=rule) == []
    price = np.round(100 * 1.04 ** (DAYS / 365) * RNG.lognormal(0, 0.4, ROWS), 2)
    assert found({"price": price, "stay": DURATION}, kind="year") == []


def test_a_power_of_age_and_months_that_only_the_old_have_are_found_under_a_rule():
    rate = np.round(175 * MARKER**-1.154 * AGES**-0.203 * np.where(SEXES, 0.742, 1), 1)  # MDRD
    ((columns, _),) = found({"marker": MARKER, "rate": rate}, rule=True)
    assert columns == ("marker", "rate")
    months = np.where(AGES >= 80, 12 * (AGES - 80) + RNG.integers(0, 12, ROWS), 0)
    assert [columns for columns, _ in found({"months": months}, rule=True)] == [("months",)]


def test_ages_that_a_rule_hides_are_found_beside_units_few_values_and_stale_pairs():
    sent = {"onset": AGES - DURATION, "days since": [f"{d:,} days" for d in stale(365 * DURATION)]}
    ((columns, what),) = found({name: [*of] for name, of in sent.items()}, rule=True)
    assert columns == ("onset", "days since")
    assert what.endswith("shows hidden within a year")


@pytest.mark.parametrize(
    ("age", "since", "is_found"),
    [
        ("age_at_diagnosis", "years_since_diagnosis", True),
        ("Age at Dx", "Months of Follow-up", True),
        ("age_retired", "yrs_retired", True),
        ("age", "years_since_diagnosis", False),
        ("age_at_diagnosis", "years_schooling", False),
        ("age_at_diagnosis", "pulse", False),
    ],
)
def test_an_age_at_an_event_and_the_time_since_are_added_up_without_a_column_of_ages(age, since, is_found):
    months = 12 if "Months" in since else 1
    columns = tuple(
        WrittenColumn(name, tuple(texts), np.arange(1, 5))
        for name, texts in ((age, ["88", "40", "61", "70"]), (since, [f"{n * months}" for n in (4, 2, 5, 6)]))
    )
    findings = [*attack_ages_later(WrittenFile(columns), {age: "age"}, Claim(**RULE))]
    assert [one.what for one in findings] == [f"{age} plus {since} shows ages of 90 and over in 1 row"] * is_found
    assert not [*attack_ages_later(WrittenFile(columns), {age: "age"}, Claim(k=5))]
