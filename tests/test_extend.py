"""The examples of docs/extend.md, run as the page prints them, in an empty folder."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.people.store import load_shipped
from policy_sim.words.status import Status

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


@pytest.mark.slow
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
    assert lines[2].startswith("| DE | safe-harbor | general | 0.4")
    assert lines[2].endswith("% |")


def test_an_output_says_why_there_is_no_figure(rows):
    names = {}
    exec(_block("python", 1), names)
    without = rows.assign(status=next(word for word in Status if word != "ok"))
    assert "%" not in names["markdown_table"](without)


VISITS = "birth_date,sex,county\n1980-05-06,F,10001\n1985-07-08,M,10003\n2019-01-02,F,10005\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The commands of the section on resources, as the page prints them, in a folder with the file and records."""
    (tmp_path / "births.toml").write_text(_block("toml", 1), encoding="utf-8")
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    section = PAGE.read_text(encoding="utf-8").split("## A resource")[1]

    def run(name):
        (line,) = re.findall(rf"^policy-sim ({name} .*)$", section, re.MULTILINE)
        done = CliRunner().invoke(cli, [*line.split(), "--format", "csv"], prog_name="policy-sim")
        assert done.exit_code == 0, done.stderr
        return pd.read_csv(io.StringIO(done.stdout))

    return run


@pytest.mark.slow
def test_a_resource_is_one_file_for_compare(run):
    risk = run("compare").query("measure == 'total-risk'")
    assert set(risk["attacker"]) == {"births"}
    assert set(risk["status"]) == {"interval"}, "half of those born there are listed, or more"
    limited = risk[risk["policy"] == "limited-dataset"]
    assert (limited["people"] < limited["people_high"]).all()


@pytest.mark.slow
def test_a_resource_is_one_file_for_cost(run):
    cost = run("cost")
    assert set(cost["price_usd"]) == {100}
    assert (cost["usd_per_reidentification"] * cost["total_risk"]).round(6).eq(100).all()
    assert (cost["usd_per_reidentification_high"] * cost["total_risk_high"]).round(6).eq(100).all()


@pytest.mark.slow
def test_a_resource_is_one_file_for_what_if(run):
    rows = run("lists what-if").set_index(["policy", "measure"])
    risk = rows.loc[("limited-dataset", "total-risk")]
    assert risk["after"] < risk["before"], "the year alone tells fewer apart than the date"
    assert rows.loc[("limited-dataset", "price"), ["before", "after"]].tolist() == [100, 250]


def test_a_resource_is_one_file_for_a_file_of_records(run):
    (score,) = run("dataset score").to_dict("records")
    assert (score["attacker"], score["records"], score["status"]) == ("births", 3, "interval")
    assert 0 < score["total_risk"] < score["total_risk_high"] < 2, "the child of 2019 is not in the index"
    assert score["price_usd"] == 100
