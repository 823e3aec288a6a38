"""A file under Safe Harbor as written, the Limited Data Set, and a policy of one's own."""

import datetime as dt

import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.conformity import conform
from policy_sim.deidentify.conformity_check import look_again
from policy_sim.deidentify.deidentified import Treatment, deidentify
from policy_sim.deidentify.treatments import Variable, left_out
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.io.policy_files import load_policy
from policy_sim.policies.policy import Policy

DAY = dt.date(2026, 6, 30)
VARIABLES = (
    Variable("name", "direct", "a name"),
    Variable("born", "key", "known", "birth_date"),
    Variable("age", "key", "known", "age"),
    Variable("seen", "sensitive", "known to the hospital", "date"),
    Variable("zip", "key", "known", "zip"),
    Variable("county", "key", "known", "county"),
    Variable("sex", "key", "known", "sex"),
    Variable("remarks", "other", "free text", "text"),
    Variable("cost", "sensitive", "not known", "number"),
)
TABLE = CodedTable(
    {
        "name": CodedColumn.of(["A", "B"]),
        "born": CodedColumn.of(["1980-05-05", "1931-01-01"]),
        "age": CodedColumn.of(["46", "95"]),
        "seen": CodedColumn.of(["2026-03-09", "2026-04-10"]),
        "zip": CodedColumn.of(["43215", "03601"]),
        "county": CodedColumn.of(["39049", "33019"]),
        "sex": CodedColumn.of(["F", "M"]),
        "remarks": CodedColumn.of(["call B", ""]),
        "cost": CodedColumn.of(["10", "20"]),
    }
)


def released(policy):
    found = conform(VARIABLES, policy, DAY)
    treatment = Treatment(found.variables, None, small_zip3=frozenset({"036"}), oldest_year=found.oldest_year)
    table = deidentify(TABLE, treatment).table
    return {name: column.texts().tolist() for name, column in table.columns.items()}, found


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (
            "safe-harbor",
            {"year": ["1980", "1936 or less"], "short": ["432", "000"]},
        ),
        (
            "limited-dataset",
            {"year": ["1980", "1931"], "short": ["432", "036"], "town": ["Lima", "Kent"]},
        ),
        ("state-only", {}),
    ],
)
def test_years_of_birth_short_zip_codes_and_towns(policy, expected):
    """Columns that no date, ZIP code or county gives away; a year of birth of someone of 90 reveals the age."""
    variables = (
        Variable("year", "key", "known", "year"),
        Variable("short", "key", "known", "zip3"),
        Variable("town", "key", "known", "town"),
        Variable("cost", "other", "not known", "number"),
    )
    table = CodedTable(
        {
            "year": CodedColumn.of(["1980", "1931"]),
            "short": CodedColumn.of(["432", "36"]),
            "town": CodedColumn.of(["Lima", "Kent"]),
            "cost": CodedColumn.of(["10", "20"]),
        }
    )
    conforming = conform(variables, load_policy(policy), DAY)
    small = frozenset({"036"}) if policy.startswith("safe") else frozenset()
    treatment = Treatment(conforming.variables, None, small_zip3=small, oldest_year=conforming.oldest_year)
    released_table = deidentify(table, treatment).table
    shown = {name: column.texts().tolist() for name, column in released_table.columns.items()}
    assert shown == expected | {"cost": ["10", "20"]}
    assert look_again(released_table, conforming.variables, frozenset(shown), conforming, small) == []


def test_the_check_sees_an_old_year_of_birth():
    conforming = conform((Variable("year", "key", "known", "year"),), load_policy("safe-harbor"), DAY)
    table = CodedTable({"year": CodedColumn.of(["1931", "1936 or less", "1980"])})
    assert look_again(table, conforming.variables, frozenset({"year"}), conforming) == [
        "year: 1 value is of the oldest years"
    ]


def test_safe_harbor_as_written():
    rows, found = released(load_policy("safe-harbor"))
    assert rows == {
        "born": ["1980", "1936 or before"],  # born early in 1936, one is 90
        "age": ["46", "90+"],
        "seen": ["2026", "2026"],
        "zip": ["432", "000"],
        "sex": ["F", "M"],
        "cost": ["10", "20"],
    }
    assert "cost" not in found.says  # a person said so
    assert found.says["age"] == "released as the file has it, 90 and over in one class"
    assert found.says["county"] == "dropped"


def test_the_limited_data_set_keeps_dates_and_places():
    rows, _ = released(load_policy("limited-dataset"))
    assert rows["born"] == ["1980-05-05", "1931-01-01"]
    assert rows["zip"] == ["43215", "03601"]
    assert rows["age"] == ["46", "95"]


def test_a_policy_of_ones_own():
    policy = Policy("ours", "ours", Granularities({"birth": "decade"}, geography="nation"), "ours")
    rows, _ = released(policy)
    assert rows == {
        "born": ["1980-1989", "1930-1939"], "age": ["40-49", "90-99"], "seen": ["2020-2029"] * 2, "cost": ["10", "20"],
    }  # fmt: skip


def test_a_pseudonym_is_no_code_of_safe_harbor():
    variables = (Variable("mrn", "direct", "a number", treatment="pseudonym"),)
    with pytest.raises(InputError, match=r"164\.514\(c\)\(1\)"):
        conform(variables, load_policy("safe-harbor"), DAY)
    assert conform(variables, load_policy("limited-dataset"), DAY).variables == variables


def test_a_column_that_nobody_decided_on_is_left_out():
    undecided = left_out("x1", "nobody has decided on this column")
    guessed = Variable("x2", "other", "accepted guess: code", "code", accepted=True)
    found = conform((undecided, guessed), load_policy("safe-harbor"), DAY)
    assert [variable.treatment for variable in found.variables] == ["drop", "drop"]
    assert all(says.startswith("left out") for says in found.says.values())


def test_granularities_that_cannot_be_made():
    quarter = Policy("ours", "ours", Granularities({"birth": "quarter"}, geography="state"), "ours")
    with pytest.raises(InputError, match="cannot be brought to 'quarter'"):
        conform(VARIABLES, quarter, DAY)
    broad = Policy("ours", "ours", Granularities({"race": "broad"}, geography="state"), "ours")
    with pytest.raises(InputError, match="broad classes"):
        conform((Variable("race", "key", "known", "race"),), broad, DAY)
