"""Project files changed in one place only."""

import tomllib

import pytest

from policy_sim.io.project_text import new_project_text, with_table, without_table
from policy_sim.records.column_kinds import ColumnKind

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
    new = with_table(TEXT, ["variables", "Birth Date"], {"role": "other", "reason": 'says "x"'})
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
    new = with_table(TEXT, ["answers", "y"], {"value": "2"})
    assert tomllib.loads(new)["answers"] == {"x": {"value": "1"}, "y": {"value": "2"}}
    assert new.startswith(TEXT.rstrip())


def test_setting_twice_is_setting_once():
    once = with_table(TEXT, ["file"], {"location": "b.csv"})
    assert with_table(once, ["file"], {"location": "b.csv"}) == once


@pytest.mark.parametrize("keys", [["file"], ["variables", "Birth Date"], ["answers", "x"]])
def test_a_table_goes_without_its_neighbors(keys):
    table = tomllib.loads(TEXT)
    left = tomllib.loads(without_table(TEXT, keys))
    here = table
    for key in keys[:-1]:
        here = here[key]
    del here[keys[-1]]
    assert {key: value for key, value in left.items() if value} == {k: v for k, v in table.items() if v}
    assert without_table(TEXT, ["nothing"]) == TEXT


def test_a_new_project_is_toml_whatever_the_columns_are_called():
    columns = {'a "b"]\\': ColumnKind("code", "its\nname"), "x.y": ColumnKind("key field", "its name", "zip5")}
    text = new_project_text("p.toml", 'T "x"', "ipc-2016", "a.csv", columns, ["q"])
    table = tomllib.loads(text)
    assert set(table["variables"]) == set(columns)
    assert table["variables"]["x.y"] == {"role": "undecided", "kind": "zip", "reason": ""}


def test_a_table_inside_a_table_stays_in_its_line():
    new = with_table(TEXT, ["variables", "Birth Date"], {"role": "key", "codes": {"1": "M", 'a "b"': "F"}})
    assert tomllib.loads(new)["variables"]["Birth Date"]["codes"] == {"1": "M", 'a "b"': "F"}
    assert tomllib.loads(new)["answers"] == {"x": {"value": "1"}}
