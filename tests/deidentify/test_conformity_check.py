"""Released texts that do not conform are counted, and none is named."""

import datetime as dt

import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.conformity import conform
from policy_sim.deidentify.conformity_check import look_again, read_columns
from policy_sim.deidentify.treatments import Variable
from policy_sim.io.policy_files import load_policy

YEAR = Variable("born", "key", "known", "birth_date", levels=("year",))
FIVE = Variable("born", "key", "known", "birth_date", levels=("five years",))
AGE = Variable("age", "key", "known", "age", levels=("value",), top=90)
ZIP = Variable("zip", "key", "known", "zip", levels=("three digits",))
NAME = Variable("name", "direct", "a name")
OTHER = Variable("x", "other", "the officer said so")
CONFORMITY = conform((), load_policy("safe-harbor"), dt.date(2026, 6, 30))


@pytest.mark.parametrize(
    ("variable", "values", "problems"),
    [
        (YEAR, ["1980", "1936 or before"], 0),
        (YEAR, ["1980-01"], 1),
        (YEAR, ["1936"], 1),
        (YEAR, ["1937"], 0),
        (FIVE, ["1935-1939", "1936 or before"], 0),
        (FIVE, ["1930-1934"], 1),
        (AGE, ["89", "90+"], 0),
        (AGE, ["90", "101"], 1),
        (ZIP, ["432", "000"], 0),
        (ZIP, ["43215"], 1),
        (ZIP, ["036"], 1),
        (NAME, ["A"], 1),
    ],
)
def test_shapes_and_limits(variable, values, problems):
    table = CodedTable({variable.name: CodedColumn.of(values)})
    said = look_again(table, (variable,), frozenset({variable.name}), CONFORMITY, frozenset({"036"}))
    assert len(said) == problems
    assert not any(value in text for value in values if value not in ("A",) for text in said)


def test_what_is_dropped_is_not_there():
    assert look_again(CodedTable({"x": CodedColumn.of(["1"])}), (NAME,), frozenset(), CONFORMITY) == []


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (["a.roe@example.org", "none"], "e-mail addresses (1 record)"),
        (["20MAR2025", "21MAR2025"], "holds dates"),
        (["March", "April"], "parts of dates"),
        (["Roe, Mary", "Smith, John", "Jones, Anna"], "names of people"),
        (["10.0.0.1", "-"], "IP addresses"),
        (["12 Elm Street", "-"], "street addresses"),
    ],
)
def test_what_a_person_said_is_held_against_the_values(values, word):
    said = look_again(CodedTable({"x": CodedColumn.of(values)}), (OTHER,), frozenset(), CONFORMITY)
    assert len(said) == 1
    assert word in said[0]
    assert not any(value in said[0] for value in values if len(value) > 1)


def test_what_may_be_is_said_unless_the_person_saw_it():
    table = CodedTable({"x": CodedColumn.of([str(123_456_000 + 17 * n) for n in range(40)])})
    (said,) = look_again(table, (OTHER,), frozenset(), CONFORMITY)
    assert "Social Security or taxpayer numbers" in said
    seen = Variable("x", "other", "sample numbers", may_be=("Social Security or taxpayer numbers",))
    assert look_again(table, (seen,), frozenset(), CONFORMITY) == []


@pytest.mark.parametrize(("name", "values", "kind"), [
    ("age", ["34", "97"], "age"), ("zip", ["43215", "44101"], "zip"), ("byear", ["1931", "1999"], "year"),
])  # fmt: skip
def test_another_kind_does_not_turn_a_rule_off(name, values, kind):
    variable = Variable(name, "other", "the officer said so", "number")
    (said,) = look_again(CodedTable({name: CodedColumn.of(values)}), (variable,), frozenset(), CONFORMITY)
    assert f"the kind {kind}" in said


def test_an_age_beside_a_year_tells_a_birth_again():
    """Of 73 in 2009, one was born in 1935 or 1936, whatever the class of the oldest hides."""
    kinds = {"born": "birth_date", "age": "age", "visit": "year"}
    variables = tuple(
        Variable(name, "key", "known", kind, levels=("value",) if kind != "birth_date" else ("year",), top=top)
        for (name, kind), top in zip(kinds.items(), (None, 90, None), strict=True)
    )
    table = CodedTable(
        {n: CodedColumn.of([t]) for n, t in (("born", "1936 or before"), ("age", "73"), ("visit", "2009"))}
    )
    (said,) = look_again(table, variables, frozenset(kinds), CONFORMITY)
    assert "age beside visit tells births in 1936 or before" in said
    older = table.with_columns({"age": CodedColumn.of(["90+"])})
    assert look_again(older, variables, frozenset(kinds), CONFORMITY) == []


def test_values_that_are_not_understood_are_left_blank_or_the_column_stays_out():
    few = CodedTable({"race": CodedColumn.of(["White"] * 50 + ["Black"] * 48 + ["call 7"] * 2)})
    guess = Variable("race", "key", "a guess", "race", accepted=True)
    read = read_columns(few, (guess,))
    assert read.table["race"].missing == 2
    assert read.covered == {"race"}
    assert "2 records" in read.notes[0]
    assert "call 7" not in read.notes[0]
    many = CodedTable({"race": CodedColumn.of(["White"] * 50 + ["call 7"] * 50)})
    assert read_columns(many, (guess,)).variables[0].role == "undecided"
    said = Variable("race", "key", "neighbors know it", "race")
    assert read_columns(many, (said,)).covered == frozenset()


def test_a_rare_value_that_names_a_person_is_said():
    table = CodedTable({"x": CodedColumn.of(["Medicare"] * 60 + ["Anna Smith", "Blue Cross"])})
    (said,) = look_again(table, (OTHER,), frozenset(), CONFORMITY)
    assert "names of people in rare values (1 record)" in said
    assert "Anna" not in said
