"""The commands on disclosure rules."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def _run(*words):
    return CliRunner().invoke(cli, ["rules", *words])


def test_the_list_has_every_rule_and_a_level_some():
    rows = json.loads(_run("list", "--format", "json").stdout)
    assert len(rows) == 74
    states = json.loads(_run("list", "--level", "state", "--format", "json").stdout)
    assert {row["level"] for row in states} == {"state"}
    assert [row["largest"] for row in states if row["rule"] == "wa-doh-10"] == [9]


def test_a_rule_is_shown_with_its_words_and_how_sure_it_is():
    text = _run("show", "cms").stdout
    assert "less than 11 may be displayed" in text
    assert "high: the text itself was read" in text
    assert "Look it up" in _run("show", "mmwr-week").stdout


def test_rules_are_compared_item_by_item():
    rows = json.loads(_run("compare", "cms", "wa-doh", "--format", "json").stdout)
    (largest,) = (row for row in rows if row["item"] == "largest hidden count")
    assert (largest["cms-11"], largest["wa-doh-10"]) == ("10", "9")


@pytest.mark.parametrize("words", [["show", "nobody"], ["show", "n"], ["compare", "cms", "nobody"]])
def test_a_name_that_is_none_is_one_line(words):
    outcome = _run(*words)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("Error: ")
    assert len(outcome.stderr.splitlines()) == 1
