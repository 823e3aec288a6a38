"""The examples of docs/extend.md, run as the page prints them, in an empty folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from said import numbers
from small_people import frame

from policy_sim.people.store import load_shipped
from policy_sim.words.status import Status

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "extend.md"


def _block(language, number=0):
    return re.findall(rf"^```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[number]


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
    assert [cell.strip() for cell in lines[0].split("|")] == ["", "state", "policy", "attacker", "at risk", ""]
    assert len(lines) == 2 + 4
    assert lines[2].startswith("| DE | safe-harbor | general |")
    assert numbers(lines[2])[0].startswith("0.4")
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
        return frame(*line.split())

    return run


@pytest.fixture
def package(tmp_path):
    """A copy of the program with the command of the page: its four files, each as the page prints it."""
    package = tmp_path / "policy_sim"
    shutil.copytree(ROOT / "policy_sim", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("data", "voter_policies"):
        (tmp_path / name).symlink_to(ROOT / name)
    section = PAGE.read_text(encoding="utf-8").split("## A command about money")[1].split("\n## ")[0]
    computed, verb, command, row = map(
        textwrap.dedent, re.findall(r"^   ```python\n(.*?)   ```", section, re.DOTALL | re.MULTILINE)
    )
    (package / "model" / "money" / "worth.py").write_text(computed, encoding="utf-8")
    verbs, commands, names = package / "study/money.py", package / "cli/money.py", package / "cli/names.py"
    text = verbs.read_text(encoding="utf-8").replace("\n\nclass MoneyVerbs", f"\n\n{verb}\n\nclass MoneyVerbs")
    verbs.write_text(f"{text}    worth = worth\n", encoding="utf-8")
    commands.write_text(f"{commands.read_text(encoding='utf-8')}\n\n{command}", encoding="utf-8")
    text = names.read_text(encoding="utf-8").replace('    "econ cost": ', f'{row}    "econ cost": ')
    names.write_text(text, encoding="utf-8")
    return package


@pytest.mark.slow
def test_a_command_about_money_is_four_files(package):
    """The list of all has the command, and the short help imports none. The verb of the study gives the same answer."""
    code = (
        "import sys; from policy_sim.cli.main import cli; from click.testing import CliRunner\n"
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0\n"
        "assert not [name for name in sys.modules if name == 'policy_sim.cli.money']\n"
        "said = CliRunner().invoke(cli, ['help', 'all']).stdout\n"
        "assert 'Say what correct matches bring.' in said, said\n"
        "from policy_sim import Study\n"
        "row = Study().worth('DE', 'limited-dataset', gain=10).to_frame().iloc[0]\n"
        "assert row['gain_usd'] == 10 * row['people'] > 0\n"
        "line = 'econ worth DE --policy limited-dataset --gain 10 --format csv'\n"
        "assert CliRunner().invoke(cli, line.split()).stdout.splitlines()[1].split(',')[4] == str(row['gain_usd'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=package.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_resource_is_one_file_for_compare(run):
    risk = run("compare").query("measure == 'total-risk'")
    assert set(risk["attacker"]) == {"births"}
    assert set(risk["status"]) == {"interval"}, "half of those born there are listed, or more"
    limited = risk[risk["policy"] == "limited-dataset"]
    assert (limited["people"] < limited["people_high"]).all()


@pytest.mark.slow
def test_a_resource_is_one_file_for_cost(run):
    cost = run("econ cost")
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
