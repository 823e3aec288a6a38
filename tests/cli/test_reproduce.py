from __future__ import annotations

import io
import json
import re

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments: str):
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("reproduced") / "bm"
    done = run("reproduce", "benitez-malin-2010", "--out", str(out))
    assert done.exit_code == 0, done.output
    return out, done.stdout


@pytest.mark.slow
def test_the_table_has_every_figure_verdict_and_reason(folder):
    _, text = folder
    assert "Table 1, General" in text
    assert "135 figures:" in text
    assert "is New York" in text
    assert max(map(len, text.split("Why:")[0].splitlines())) <= 100


def test_the_folder_holds_rows_figures_and_a_page_that_stands_alone(folder):
    out, _ = folder
    names = {path.name for path in out.iterdir()}
    assert {"index.html", "reproduction.csv", "reproduction.json", "manifest.json"} <= names
    assert {f"figure-{number}.{form}" for number in range(3, 8) for form in ("png", "svg")} <= names
    rows = pd.read_csv(out / "reproduction.csv")
    assert len(rows) == len(json.loads((out / "reproduction.json").read_text())) == 135
    assert rows["reason"].notna().all()
    page = (out / "index.html").read_text(encoding="utf-8")
    # nothing is fetched: no address, no script, every picture inside
    assert not re.search(r"https?://|<script|<link", page)
    assert page.count("data:image/png;base64,") == page.count("<img") == 6
    for verdict in ("agrees", "within tolerance", "differs", "the paper contradicts itself"):
        assert verdict in page
    assert "t2-safe-wi-risk" not in page  # names of ours are no use to a reader
    assert "North Dakota registers no voters" in page


@pytest.mark.slow
def test_csv_is_pure():
    done = run("reproduce", "dankar-2012", "--format", "csv")
    assert done.exit_code == 0
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert set(rows["paper"]) == {"dankar-2012"}
    assert rows.loc[rows["id"] == "lambda-1", "verdict"].item() == "agrees"


def test_a_file_for_a_paper_that_takes_none_is_refused(tmp_path):
    done = run("reproduce", "golle-2006", "--data", str(tmp_path))
    assert done.exit_code == 2
    assert "--data is for dankar-2010" in done.output
    done = run("reproduce", "dankar-2010", "--data", str(tmp_path))
    assert done.exit_code == 2
    assert "this folder has no adult.csv" in done.output
