"""A file under Safe Harbor as written, the Limited Data Set, and a policy of one's own."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest
from coded import coded

from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Policy
from policy_sim.release.conformity import conform, read_columns
from policy_sim.release.deidentified import Treatment, deidentify
from policy_sim.release.treatments import Variable, left_out
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

DAY = dt.date(2026, 6, 30)
TABLE = coded(
    name=["A", "B"],
    born=["1980-05-05", "1931-01-01"],
    year=["1980", "1931"],
    age=["46", "95"],
    seen=["2026-03-09", "2026-04-10"],
    zip=["43215", "03601"],
    short=["432", "36"],
    town=["Lima", "Kent"],
    county=["39049", "33019"],
    sex=["F", "M"],
    remarks=["call B", ""],
    cost=["10", "20"],
)
KINDS = {"born": "birth_date", "seen": "date", "short": "zip3", "remarks": "text", "cost": "number"}
VARIABLES = (
    Variable("name", "direct", "a name"),
    *(Variable(name, "key", "known", KINDS.get(name, name)) for name in TABLE.names if name not in ("name", "cost")),
    Variable("cost", "sensitive", "not known", "number"),
)
LEFT = {
    "safe-harbor": {
        "born": ["1980", "1936 or before"],  # born early in 1936, one is 90
        "year": ["1980", "1936 or less"],  # a year of birth reveals the age, too
        "age": ["46", "90+"],
        "seen": ["2026", "2026"],
        "zip": ["432", "000"],
        "short": ["432", "000"],
    },
    "limited-dataset": {name: TABLE[name].texts().tolist() for name in ("born", "year", "age", "seen", "zip", "county")}
    | {"short": ["432", "036"], "town": ["Lima", "Kent"]},
    "ours": {
        "born": ["1980-1989", "1930-1939"],
        "year": ["1980-1989", "1930-1939"],
        "age": ["40-49", "90-99"],
        "seen": ["2020-2029"] * 2,
    },
    "state-only": {},
}


@pytest.mark.parametrize("name", LEFT)
def test_a_file_as_a_policy_releases_it(name):
    """As written in the rule: dates and places; a policy of one's own releases decades."""
    decades = Policy("ours", "ours", Granularities({"birth": "decade"}, geography="nation"), "ours")
    found = conform(VARIABLES, decades if name == "ours" else load_policy(name), DAY)
    small = frozenset({"036"}) if name == "safe-harbor" else frozenset()
    treatment = Treatment(variables=found.variables, target=None, small_zip3=small, oldest_year=found.oldest_year)
    table = deidentify(TABLE, treatment).table
    sex = {"sex": ["F", "M"]} if name in ("safe-harbor", "limited-dataset") else {}
    left = {column: texts.texts().tolist() for column, texts in table.columns.items()}
    assert left == LEFT[name] | sex | {"cost": ["10", "20"]}
    assert "cost" not in found.says  # a person said so
    if name == "safe-harbor":
        assert found.says["age"].endswith("90 and over in one class")
        assert found.says["county"] == "dropped"


def test_a_pseudonym_is_no_code_of_safe_harbor():
    variables = (Variable("mrn", "direct", "a number", treatment="pseudonym"),)
    with pytest.raises(InputError, match=r"164\.514\(c\)\(1\)"):
        conform(variables, load_policy("safe-harbor"), DAY)
    assert conform(variables, load_policy("limited-dataset"), DAY).variables == variables


def test_a_shifted_date_is_still_a_date():
    """Safe Harbor brings it to the year and says why; a limited data set has it shifted, not as it was."""
    seen = Variable("seen", "other", "not known", "date", "shift")
    harbor = conform((seen,), load_policy("safe-harbor"), DAY)
    assert (harbor.variables[0].treatment, harbor.variables[0].levels) == ("generalize", ("year",))
    assert "164.514(b)(2)(i)(C)" in harbor.says["seen"]
    assert conform((seen,), load_policy("limited-dataset"), DAY).variables == (seen,)
    shifted = load_policy("birth=shift:30+geography=state")
    assert conform((seen,), shifted, DAY).variables == (seen,)
    with pytest.raises(InputError, match="treatment shift or drop"):
        conform((replace(seen, treatment="keep"),), shifted, DAY)


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
    with pytest.raises(InputError, match="classes of several races"):
        conform((Variable("race", "key", "known", "race"),), broad, DAY)


def test_race_and_hispanic_origin_as_a_policy_shows_them():
    def levels(kind, **shown):
        policy = Policy("ours", "ours", Granularities(shown, geography="state"), "ours")
        return conform((Variable(kind, "key", "known", kind),), policy, DAY).variables[0].levels

    assert [levels(kind, race="value") for kind in ("race", "ethnicity", "race_ethnicity")] == [("value",)] * 3
    assert [levels(kind, race="race_ethnicity") for kind in ("ethnicity", "race_ethnicity")] == [("value",)] * 2
    assert (levels("ethnicity", ethnicity="value"), levels("race", ethnicity="value")) == (("value",), ())
    with pytest.raises(InputError, match=r"race: ours .* Hispanic"):
        levels("race", race="race_ethnicity")
    for name in ("safe-harbor", "limited-dataset", "safe-harbor-without-zip"):
        found = conform((Variable("race", "key", "known", "race"),), load_policy(name), DAY)
        assert found.variables[0].levels == ("value",), "neither rule restricts race or ethnicity"
    with pytest.raises(InputError, match=r"race: county .* Hispanic"):
        conform((Variable("race", "key", "known", "race"),), load_policy("county"), DAY)


# Released texts that do not conform are counted, and none is named.


YEAR = Variable("born", "key", "known", "birth_date", levels=("year",))
FIVE = Variable("born", "key", "known", "birth_date", levels=("five years",))
AGE = Variable("age", "key", "known", "age", levels=("value",), top=90)
ZIP = Variable("zip", "key", "known", "zip", levels=("three digits",))
BIRTH_YEAR = Variable("year", "key", "known", "year", levels=("value",), bottom=1936)
NAME = Variable("name", "direct", "a name")
OTHER = Variable("x", "other", "the officer said so")
CONFORMITY = conform((), load_policy("safe-harbor"), dt.date(2026, 6, 30))


def test_values_that_are_not_understood_are_left_blank_or_the_column_stays_out():
    few = coded(race=["White"] * 50 + ["Black"] * 48 + ["call 7"] * 2)
    guess = Variable("race", "key", "a guess", "race", accepted=True)
    read = read_columns(few, (guess,))
    assert read.table["race"].missing == 2
    assert read.covered == {"race"}
    assert "2 records" in read.notes[0]
    assert "call 7" not in read.notes[0]
    said = Variable("race", "key", "neighbors know it", "race")
    assert read_columns(few, (said,)).table["race"].missing == 2  # a vocabulary, whoever decided
    many = coded(race=["White"] * 40 + ["call 7"] * 60)
    assert read_columns(many, (guess,)).variables[0].role == "undecided"
    with pytest.raises(InputError, match="give the column the kind category"):
        read_columns(many, (said,))


def test_a_few_unreadable_values_of_a_key_are_left_blank_only_where_the_project_says_so():
    ages = coded(age=["34"] * 60 + ["35"] * 39 + ["-1"])
    key = Variable("age", "key", "neighbors know it", "age")
    assert read_columns(ages, (key,)).table["age"].missing == 0  # and its ladder stops the run
    read = read_columns(ages, (replace(key, unread="blank"),))
    assert read.table["age"].missing == 1
    assert re.match(r"age.*1 value \(1 record\) .* blank", read.notes[0])
    many = coded(age=["34"] * 40 + ["998"] * 60)
    assert read_columns(many, (replace(key, unread="blank"),)).variables[0].role == "undecided"
    with pytest.raises(InputError, match="unread"):
        replace(key, unread="other")
