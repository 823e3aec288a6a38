"""The examples of docs/extend.md, run as the page prints them, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from policy_sim.io.population_store.shipped import load_shipped
from policy_sim.status import Status

PAGE = Path(__file__).resolve().parents[1] / "docs" / "extend.md"


def _block(language, number=0):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[number]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("extend")
    (folder / "pairs-of-years.toml").write_text(_block("toml"), encoding="utf-8")
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(_block("python"), names)
    return names["rows"]


def test_a_policy_is_one_file(rows):
    """Each group of a key without a birthday is one bin: total risk counts the groups that have people."""
    cells = load_shipped("us-2020").in_states(["DE"]).cells
    whole = cells[cells["age_width"] == 1]
    pairs = whole.assign(pair=whole["age"] // 2).groupby(["county", "sex", "pair"], observed=True).ngroups
    # a class of several ages counts as its pairs of years, of which nobody knows which are empty
    wide = cells[cells["age_width"] > 1].drop_duplicates(["county", "sex", "age"])
    most = pairs + float(np.maximum(wide["age_width"] / 2, 1).sum())
    (own,) = rows.query("policy == 'pairs-of-years' and attacker == 'general' and measure == 'total-risk'").itertuples()
    assert own.linkage_key == "gender+birth=two_years+geography=county"
    assert pairs <= own.people <= most


def test_an_output_is_one_function_of_tidy_rows(rows):
    names = {}
    exec(_block("python", 1), names)
    lines = names["markdown_table"](rows).splitlines()
    assert lines[0] == "| state | policy | attacker | at risk |"
    assert len(lines) == 2 + 4
    assert lines[2].startswith("| DE | safe-harbor | general | 0.1")
    assert lines[2].endswith("% |")


def test_an_output_says_why_there_is_no_figure(rows):
    names = {}
    exec(_block("python", 1), names)
    without = rows.assign(status=next(word for word in Status if word != "ok"))
    assert "%" not in names["markdown_table"](without)


def test_the_page_names_places_that_exist():
    for place in re.findall(r"`((?:policy_sim|data|tests)/[\w./]+)`", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parents[1] / place).exists(), place
