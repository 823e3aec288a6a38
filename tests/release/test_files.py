"""Project files changed in one place only."""

from __future__ import annotations

import datetime as dt
import tomllib

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.column_kinds import ColumnValues
from policy_sim.release.files import (
    load_agreements,
    load_project,
    new_project_text,
    parse_project,
    with_keys,
    without_table,
)
from policy_sim.words.errors import SchemaError, SourceError

TEXT = """# head
title = "T"  # mine

# about the file
[file]
location = "a.csv"

# about b
[variables."Birth Date"]   # looks like a date
role = "key"
[answers.x]
value = "1"
"""


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
VALUES = st.one_of(KEYS, st.integers(-(2**60), 2**60), st.booleans(), st.dates(), st.lists(KEYS, max_size=3))
CODED = {"role": "key", "codes": {"1": "M", 'a "b"': "F"}}


@settings(max_examples=60)
@given(st.sampled_from([("file",), ("variables", "Birth Date"), ("answers", "y")]), st.dictionaries(KEYS, VALUES))
@example(("variables", "Birth Date"), {"role": "other", "reason": 'says "x"'})
@example(("variables", "Birth Date"), CODED)  # a table inside a table
@example(("answers", "y"), {"value": "2"})  # a new table
@example(("file",), {"location": "b.csv"})
def test_a_table_is_set_and_everything_else_stays(keys, values):
    new = with_keys(TEXT, {keys: values})
    expected = tomllib.loads(TEXT)
    within = expected if len(keys) == 1 else expected[keys[0]]
    table = within[keys[-1]] = within.get(keys[-1], {}) | values
    assert tomllib.loads(new) == expected
    for kept in (
        "# head",
        "# mine",
        "# about the file",
        "# about b",
        "# looks like a date",
        '[answers.x]\nvalue = "1"',
    ):
        assert kept in new
    assert new.startswith(TEXT.rstrip()) or keys != ("answers", "y")  # a new table comes last
    assert with_keys(new, {keys: values}) == new
    for key in values:
        del table[key]
    assert tomllib.loads(with_keys(new, {keys: dict.fromkeys(values)})) == expected


def test_a_table_goes_without_its_neighbors():
    for key in ("file", "variables", "answers"):
        left, table = tomllib.loads(without_table(TEXT, key)), tomllib.loads(TEXT)
        del table[key]
        assert left == table
    assert without_table(TEXT, "nothing") == TEXT


def test_a_new_project_is_toml_whatever_the_columns_are_called():
    held = {name: ColumnValues(name, ["43215", "44101"], np.array([2, 3]), 0) for name in ('a "b"]\\', "]#", "zip")}
    text = new_project_text("p.toml", 'T "x"', "ipc-2016", "a.csv", held, ColumnMapping(), "", dt.date(2026, 11, 3))
    table = tomllib.loads(text)
    assert set(table["variables"]) == set(held)
    assert table["variables"]["zip"] == {
        "role": "undecided",
        "guess": "key",
        "kind": "zip",
        "looks": "key field (zip5): its name and its values agree; values look like 99999",
        "reason": "",
    }
    assert "guess" not in table["variables"]["]#"]


# Project files, read strictly.


PROJECT = """
title = "Visits"
[file]
location = "visits.csv"
missing = ["?"]
person = "mrn"
day = 2026-06-30
[variables.mrn]
role = "direct"
reason = "a number"
treatment = "pseudonym"
by = "A. Officer"
on = 2026-11-01
[variables.age]
role = "key"
kind = "age"
reason = "known"
widths = [5, 10]
top = 90
levels = ["5 wide", "10 wide"]
codes = { old = "90" }
[variables.sex]
role = "key"
reason = "known"
hierarchy = "sex.csv"
[variables.x]
role = "undecided"
[answers.release-model]
value = "public"
by = "A. Officer"
on = 2026-11-01
evidence = "minutes 7"
[answers.prevalence]
value = 0.01
[target]
aim = "risk"
threshold = "k=5"
[population]
source = "census"
states = ["OH"]
[settings]
limit = 0.02
local = true
key_file = "a.key"
[[analyses]]
name = "by sex"
statistic = "mean"
of = "age"
by = ["sex"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sex.csv").write_text("F;*\nM;*\n")
    return tmp_path


def test_everything_is_read(folder):
    (folder / "p.toml").write_text(PROJECT)
    project = load_project(folder / "p.toml")
    mrn, age, sex = project.variables
    assert (mrn.treatment, age.widths, age.top, age.levels) == ("pseudonym", (5, 10), 90, ("5 wide", "10 wide"))
    assert age.codes == (("old", "90"),)
    assert (sex.kind, sex.rows) == ("table", (("F", "*"), ("M", "*")))
    assert project.undecided == ("x",)
    assert project.classified == {"mrn": "A. Officer, 2026-11-01"}
    assert (project.file.missing, project.file.person, project.file.day) == (("", "?"), "mrn", dt.date(2026, 6, 30))
    assert project.answers["release-model"].evidence == "minutes 7"
    assert project.answers["prevalence"].value == "0.01"
    assert (project.target.aim, project.target.threshold) == ("risk", "k=5")
    assert (project.population.source, project.population.states) == ("census", ("OH",))
    assert (project.settings.limit, project.settings.local, project.settings.key_file) == (0.02, True, "a.key")
    assert project.analyses[0].by == ("sex",)


def test_every_problem_is_named_at_once(folder):
    text = PROJECT.replace('role = "key"\nkind = "age"', 'role = "keys"\nkind = "age"')
    for old, new in (('value = "public"', 'value = "publik"'), ("[5, 10]", '"5"'), ("top = 90", "top = 9.5")):
        text = text.replace(old, new)
    text = text.replace('aim = "risk"', 'aim = "policy"') + '\n[answers.shoe]\nvalue = "1"\n[color]\na = 1\n'
    with pytest.raises(SchemaError) as raised:
        parse_project(text, "p.toml", folder)
    said = "\n".join(raised.value.lines)
    for part in ("keys", "publik", "widths", "top", "names a policy", "shoe", "color"):
        assert part in said


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("title =", "titel ="), "title is missing"),
        (('reason = "a number"\n', ""), "no reason for its role"),
        (('hierarchy = "sex.csv"', 'hierarchy = "none.csv"'), "hierarchy cannot be read"),
        (('statistic = "mean"', 'statistic = "mode"'), "mode"),
        (("limit = 0.02", 'limit = "much"'), "limit"),
        (('title = "Visits"', "title = Visits"), "is not TOML"),
    ],
)
def test_single_problems(folder, change, why):
    with pytest.raises(SchemaError, match=why):
        parse_project(PROJECT.replace(*change), "p.toml", folder)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        load_project(tmp_path / "none.toml")


def test_every_agreement_has_a_source_and_that_on_data_use_each_item_of_the_rule():
    items = load_agreements()["data_use_agreement"]["items"]
    assert [item.split(" ")[0] for item in items] == ["(A)", "(B)", "(C)(1)", "(C)(2)", "(C)(3)", "(C)(4)", "(C)(5)"]
    agreements = load_agreements()
    assert set(agreements) == {"clauses", "terms_of_use", "data_use_agreement", "expert_determination"}
    assert all(each["citation"] and each["items"] for each in agreements.values())
    assert len(agreements["clauses"]["items"]) == 4
    assert "164.514(b)(1)" in agreements["expert_determination"]["citation"]
