"""Project files changed in one place only."""

import tomllib

import numpy as np
import pytest

from policy_sim.io.project_text import new_project_text, with_tables, without_table
from policy_sim.records.column_kinds import ColumnValues

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


def test_a_table_is_replaced_and_everything_else_stays():
    new = with_tables(TEXT, {("variables", "Birth Date"): {"role": "other", "reason": 'says "x"'}})
    assert tomllib.loads(new)["variables"]["Birth Date"] == {"role": "other", "reason": 'says "x"'}
    for kept in (
        "# head",
        "# mine",
        "# about the file",
        "# about b",
        "# looks like a date",
        '[answers.x]\nvalue = "1"',
    ):
        assert kept in new


def test_a_new_table_comes_last():
    new = with_tables(TEXT, {("answers", "y"): {"value": "2"}})
    assert tomllib.loads(new)["answers"] == {"x": {"value": "1"}, "y": {"value": "2"}}
    assert new.startswith(TEXT.rstrip())


def test_setting_twice_is_setting_once():
    once = with_tables(TEXT, {("file",): {"location": "b.csv"}})
    assert with_tables(once, {("file",): {"location": "b.csv"}}) == once


@pytest.mark.parametrize("key", ["file", "variables", "answers"])
def test_a_table_goes_without_its_neighbors(key):
    left, table = tomllib.loads(without_table(TEXT, key)), tomllib.loads(TEXT)
    del table[key]
    assert left == table
    assert without_table(TEXT, "nothing") == TEXT


def test_a_new_project_is_toml_whatever_the_columns_are_called():
    held = {name: ColumnValues(name, ["43215", "44101"], np.array([2, 3]), 0) for name in ('a "b"]\\', "]#", "zip")}
    text = new_project_text("p.toml", 'T "x"', "ipc-2016", "a.csv", held, ["q"])
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


def test_a_table_inside_a_table_stays_in_its_line():
    new = with_tables(TEXT, {("variables", "Birth Date"): {"role": "key", "codes": {"1": "M", 'a "b"': "F"}}})
    assert tomllib.loads(new)["variables"]["Birth Date"]["codes"] == {"1": "M", 'a "b"': "F"}
    assert tomllib.loads(new)["answers"] == {"x": {"value": "1"}}
