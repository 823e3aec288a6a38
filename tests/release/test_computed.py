"""A column that was computed from a hidden one is found in the written file, though it repeats no value of it."""

from __future__ import annotations

import datetime as dt
import random

import numpy as np
import pytest

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.report import AttackReport, Claim, Word
from policy_sim.release.computed import computed, with_computed
from policy_sim.release.deidentified import Treatment
from policy_sim.release.treatments import Variable

ROWS = 600
RNG = random.Random(3)
ZIPS = [RNG.choice(["19701", "19702", "19703", "19711", "19720", "19801"]) for _ in range(ROWS)]
AGES = [RNG.randrange(18, 90) for _ in range(ROWS)]
SEXES = [RNG.choice("FM") for _ in range(ROWS)]
DAYS = [dt.date(2025, 1, 1) + dt.timedelta(RNG.randrange(365)) for _ in range(ROWS)]
STAYS = [RNG.randrange(1, 12) for _ in range(ROWS)]
LABS = [round(RNG.gauss(100, 15), 3) for _ in range(ROWS)]
HIDDEN = {
    "zip": (ZIPS, "direct", "zip"),
    "age": (list(map(str, AGES)), "key", "age"),
    "sex": (SEXES, "direct", "sex"),
    "admitted": ([day.isoformat() for day in DAYS], "direct", "date"),
    "mrn": ([str(10**6 + 7 * at) for at in RNG.sample(range(10**5), ROWS)], "direct", "category"),
}
RULE = {"rule": "safe-harbor", "dates": "year", "places": ("state", "zip3"), "oldest": 90}


def found(sent, *, words=("sent", "more"), **claim):
    """What is found of columns that are sent, beside ages in classes of ten years: names and words."""
    columns = {name: CodedColumn.of(values) for name, (values, _, _) in HIDDEN.items()}
    columns |= {name: CodedColumn.of(list(map(str, values))) for name, values in sent.items()}
    original = CodedTable(columns)
    ages = CodedColumn.of([f"{age // 10}0s" for age in AGES])
    written = CodedTable({"age": ages} | {name: columns[name] for name in sent})
    variables = [Variable(name, role, "made", kind=kind) for name, (_, role, kind) in HIDDEN.items()]
    variables += [Variable(name, "other", "made") for name in sent]
    held = Claim(words={name: Word("A. Officer") for name in words}, **({"keys": ("age",), "k": 3} | claim))
    treatment = Treatment(variables=tuple(variables), target=None)
    return with_computed(
        AttackReport(tuple(written.names)), computed(original, written, treatment, held, {}), written, held
    )


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([sex == "M" for sex in SEXES], "key: follows from sex"),
        ([code == "19702" for code in ZIPS], "key: follows from zip"),
        ([age >= 65 for age in AGES], "key: follows from age"),
        ([day.month in (6, 7, 8) for day in DAYS], "key: follows from the month of admitted"),
        ([day.weekday() >= 5 for day in DAYS], "key: follows from the day of the week of admitted"),
        (
            [(day - dt.date(2025, 1, 1)).days * 24 + RNG.random() * 24 for day in DAYS],
            "key: is in the order of admitted",
        ),
        ([float(mrn) ** 0.5 for mrn in HIDDEN["mrn"][0]], "key: is in the order of mrn"),
        ([day.day + RNG.random() for day in DAYS], "key: is in the order of the day of the month of admitted"),
        (
            [day.toordinal() + RNG.random() if at % 3 else "" for at, day in enumerate(DAYS)],
            "key: is in the order of admitted",
        ),
    ],
)
def test_what_was_computed_from_a_hidden_column_counts_as_a_key_field(values, says):
    report = found({"sent": values})
    assert report.against == {"sent": says}
    assert "with sent as a key field too, the smallest class has" in report.as_keys
    assert not report.findings


def test_numbers_in_the_order_of_a_class_are_a_finding_against_anybody_s_word():
    report = found({"sent": [age * 52.18 + RNG.random() for age in AGES]})
    assert [(one.columns, one.what.split(",")[0]) for one in report.findings] == [
        (("sent",), "sent is in the order of age")
    ]
    assert not report.against


def test_nothing_is_found_in_what_is_released_or_by_chance():
    values = {
        "decade over": [age // 10 * 2 for age in AGES],
        "lab": LABS,
        "stay": STAYS,
        "coin": [RNG.random() < 0.5 for _ in range(ROWS)],
        "rare": [at < 5 for at in range(ROWS)],
    }
    report = found(values, words=tuple(values))
    assert (report.against, report.findings) == ({}, ())


def test_a_difference_of_two_columns_is_found():
    discharged = [(day - dt.date(2025, 1, 1)).days + stay * 40 for day, stay in zip(DAYS, STAYS, strict=True)]
    report = found({"sent": discharged, "more": [stay * 40 + RNG.random() / 9 for stay in STAYS]})
    (finding,) = report.findings
    assert finding.columns == ("sent", "more")
    assert finding.what.startswith("sent minus more shows admitted")


def test_the_ages_between_two_shifted_dates_are_found():
    moved = [RNG.randrange(-30, 31) for _ in range(ROWS)]
    born = [day - dt.timedelta(round(365.25 * (age + 0.5))) for day, age in zip(DAYS, AGES, strict=True)]
    before = {"born": born, "seen": DAYS}
    after = {
        name: [(day + dt.timedelta(by)).isoformat() for day, by in zip(days, moved, strict=True)]
        for name, days in before.items()
    }
    original = CodedTable(
        {"age": CodedColumn.of(list(map(str, AGES)))}
        | {name: CodedColumn.of([day.isoformat() for day in days]) for name, days in before.items()}
    )
    ages = CodedColumn.of([f"{age // 10}0s" for age in AGES])
    written = CodedTable({"age": ages} | {name: CodedColumn.of(days) for name, days in after.items()})
    variables = (
        Variable("age", "key", "made", kind="age"),
        *(Variable(name, "sensitive", "made", kind="date", treatment="shift") for name in before),
    )
    claim = Claim(keys=("age",), k=3, shifted=("born", "seen"))
    (one,) = computed(original, written, Treatment(variables=variables, target=None, person="id"), claim, {})
    assert (one.names, one.hidden) == (("born", "seen"), "age")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([code == "19702" for code in ZIPS], "sent follows from zip"),
        ([day.day <= 15 for day in DAYS], "sent follows from the day of the month of admitted"),
    ],
)
def test_a_rule_does_not_let_it_show_even_on_nobody_s_word(values, says):
    for words in ((), ("sent",)):
        (finding,) = found({"sent": values}, words=words, **RULE).findings
        assert finding.columns == ("sent",)
        assert finding.what.startswith(says)


@pytest.mark.parametrize(
    "values", [[day.year % 2 for day in DAYS], [age >= 65 for age in AGES], [code[:3] for code in ZIPS], SEXES]
)
def test_what_a_rule_lets_show_is_no_finding(values):
    assert found({"sent": values}, **RULE).findings == ()


def test_a_flag_inside_the_oldest_class_is_found_under_a_rule():
    ages = np.array([90 + at % 12 if at < 60 else age for at, age in enumerate(AGES)])
    original = CodedTable(
        {"age": CodedColumn.of(list(map(str, ages))), "sent": CodedColumn.of([str(a > 95) for a in ages])}
    )
    written = CodedTable({"age": CodedColumn.of([str(min(a, 90)) for a in ages.tolist()]), "sent": original["sent"]})
    variables = (Variable("age", "key", "made", kind="age"), Variable("sent", "other", "made"))
    treatment = Treatment(variables=variables, target=None)
    (one,) = computed(original, written, treatment, Claim(**RULE), {})
    assert one == (("sent",), "age", "follows from the oldest ages of age")


@pytest.mark.parametrize(
    ("first", "kind", "older", "is_found"),
    [
        ([age - stay for age, stay in zip(AGES, STAYS, strict=True)], "age", 12, True),
        ([age - stay for age, stay in zip(AGES, STAYS, strict=True)], "age", 0, False),
        ([220 - age + 10 * stay for age, stay in zip(AGES, STAYS, strict=True)], "number", 12, True),
        ([age + RNG.randrange(-9, 9) for age in AGES], "age", 12, False),
        (AGES, "age", 12, False),
    ],
)
def test_ages_that_a_rule_hides_are_found_in_two_columns(first, kind, older, is_found):
    of_age = kind == "age"
    ages, first = [age + older for age in AGES], [value + older * of_age for value in first]
    more = [stay * (1 if of_age else 10) + RNG.random() / 99 for stay in STAYS]
    columns = {"age": list(map(str, ages)), "a": list(map(str, first)), "b": list(map(str, more))}
    shown = ["90+" if age >= 90 else "" if older and at % 9 == 0 else str(age) for at, age in enumerate(ages)]
    sent = ["90+" if of_age and value >= 90 else str(value) for value in first]
    original, written = (
        CodedTable({name: CodedColumn.of(values) for name, values in columns.items()})
        for columns in (columns, columns | {"age": shown, "a": sent})
    )
    variables = (
        Variable("age", "key", "made", kind="age"),
        Variable("a", "key" if of_age else "other", "made", kind=kind),
        Variable("b", "other", "made", kind="number"),
    )
    found = computed(original, written, Treatment(variables=variables, target=None), Claim(**RULE), {})
    way = "plus" if of_age else "minus"
    assert [one.what for one in found] == ([f"a {way} b shows hidden values of age"] if is_found else [])


@pytest.mark.parametrize(("claim", "is_found"), [({"keys": ("born",), "k": 3}, False), (RULE, False), ({}, True)])
def test_ages_beside_years_of_birth_show_no_more_than_the_years(claim, is_found):
    born = [dt.date(2025 - age, 1, 1) + dt.timedelta(RNG.randrange(365)) for age in AGES]
    ages = CodedColumn.of([str((dt.date(2025, 6, 1) - day).days // 365) for day in born])
    columns = {"born": CodedColumn.of([day.isoformat() for day in born]), "sent": ages}
    released = {"born": CodedColumn.of([f"{day.year}" for day in born])} if "k" in claim else {}
    variables = (Variable("born", "key", "made", kind="birth_date"), Variable("sent", "other", "made"))
    treatment = Treatment(variables=variables, target=None)
    report = computed(CodedTable(columns), CodedTable(released | {"sent": ages}), treatment, Claim(**claim), {})
    assert bool(report) is is_found


def test_half_years_across_years_are_found():
    days = [dt.date(2021, 1, 1) + dt.timedelta(RNG.randrange(1460)) for _ in range(ROWS)]
    waves = [f"wave {'dbgahcef'[2 * (day.year - 2021) + day.month // 7]}" for day in days]
    columns = {name: CodedColumn.of(list(map(str, values))) for name, values in (("seen", days), ("sent", waves))}
    variables = (Variable("seen", "direct", "made", kind="date"), Variable("sent", "other", "made"))
    treatment = Treatment(variables=variables, target=None)
    (one,) = computed(CodedTable(columns), CodedTable({"sent": columns["sent"]}), treatment, Claim(), {})
    assert one == (("sent",), "seen", "follows from the month and year of seen")


def _wrong(values, share, seed=11):
    """Yes and no with a share of them turned."""
    rng = random.Random(seed)
    return [value != (rng.random() < share) for value in values]


TABLE = dict(zip(range(18, 90), random.Random(5).sample(range(500), 72), strict=True))
SINGLE = [dt.date(2015, 1, 1) + dt.timedelta(5 * at) for at in range(ROWS)]  # each row has a day of its own


@pytest.mark.parametrize(
    ("sent", "hidden"),
    [
        ([TABLE[age] for age in AGES], "age"),  # each age replaced by another
        (_wrong([sex == "M" for sex in SEXES], 0.03), "sex"),
        (_wrong([age >= 46 for age in AGES], 0.03), "age"),
        (_wrong([day.month in (3, 4, 5, 6) for day in DAYS], 0.03), "admitted"),
        ([day >= dt.date(2025, 8, 20) for day in DAYS], "admitted"),  # changes on one day
        ([{day: at for at, day in enumerate(sorted(set(DAYS)), 3)}[day] * 7919 % 1000 for day in DAYS], "admitted"),
    ],
)
def test_functions_that_are_wrong_at_times_or_have_a_table_of_their_own(sent, hidden):
    report = found({"sent": sent})
    assert report.against["sent"].split()[-1] == hidden
    assert not report.findings


def test_a_day_on_which_something_changes_is_found_though_no_row_shares_its_day():
    hidden = dict(HIDDEN)
    HIDDEN["admitted"] = ([day.isoformat() for day in SINGLE], "direct", "date")
    try:
        assert found({"sent": [day >= dt.date(2019, 3, 7) for day in SINGLE]}).against
        # the years may show, and tell it
        assert not found({"sent": [day.year >= 2019 for day in SINGLE]}, words=(), **RULE).findings
        assert found({"sent": [day >= dt.date(2019, 7, 7) for day in SINGLE]}, words=(), **RULE).findings
    finally:
        HIDDEN.update(hidden)


@pytest.mark.parametrize(
    ("sent", "more", "hidden"),
    [
        (
            [f"{age * (2 + lab / 100):.9f}" for age, lab in zip(AGES, LABS, strict=True)],
            [2 + x / 100 for x in LABS],
            "age",
        ),
        (
            [f"{age / (2 + lab / 100):.9f}" for age, lab in zip(AGES, LABS, strict=True)],
            [2 + x / 100 for x in LABS],
            "age",
        ),
        (
            [(sex == "M") != (lab > 100) for sex, lab in zip(SEXES, LABS, strict=True)],
            [lab > 100 for lab in LABS],
            "sex",
        ),
        ([(z == "19702") != (x > 100) for z, x in zip(ZIPS, LABS, strict=True)], [x > 100 for x in LABS], "zip"),
    ],
)
def test_two_columns_that_show_a_hidden_one_together(sent, more, hidden):
    (finding,) = found({"sent": sent, "more": more}).findings
    assert (finding.columns, finding.what.split(",")[0].split()[-1]) == (("sent", "more"), hidden)
