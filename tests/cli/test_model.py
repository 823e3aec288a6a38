"""Commands that check the model."""

from __future__ import annotations

import io
import json
import re

import pandas as pd
import pytest
from small_people import frame, run

# explain as a user runs it.


ASKED = ("OH", "--population", "us-2010", "--hipaa", "paper", "--date", "2026-11-22")


@pytest.mark.slow
def test_text_html_and_json(tmp_path):
    assert "One group, step by step" in run("model", "explain", *ASKED).stdout
    page = tmp_path / "ohio.html"
    run(
        "model",
        "explain",
        *ASKED,
        "--policy",
        "limited-dataset",
        "--attacker",
        "voter",
        "--format",
        "html",
        "--out",
        str(page),
    )
    html = page.read_text(encoding="utf-8")
    assert html.lstrip().startswith("<!DOCTYPE html>") or html.lstrip().lower().startswith("<!doctype html>")
    assert "http" not in html.split("<body", 1)[0]
    facts = json.loads(run("model", "explain", *ASKED, "--format", "json").stdout)
    assert (facts["state"], facts["policy"], facts["attacker"]) == ("OH", "limited-dataset-paper", "voter")
    assert facts["worked"]["correct"] > 0


@pytest.fixture(scope="module")
def wyoming(tmp_path_factory):
    out = tmp_path_factory.mktemp("sensitivity") / "wy"
    done = run("model", "sensitivity", "WY", "--as", "benitez-malin-2010", "--g", "1", "--out", str(out))
    return out, done.stdout


@pytest.mark.slow
def test_the_table_ranks_and_says_what_is_not_known(wyoming):
    _, text = wyoming
    assert "Limited data set (paper) × GENERAL" in text
    assert "error of the modeled population" in text
    assert "for other keys they are unknown" in text
    assert "VOTER" not in text  # no source tells of Wyoming's list of 2008


@pytest.mark.slow
def test_the_folder_is_complete(wyoming):
    out, _ = wyoming
    assert {path.name for path in out.iterdir()} == {"sensitivity.csv", "tornado.png", "tornado.svg", "manifest.json"}
    rows = pd.read_csv(out / "sensitivity.csv")
    assert {"birthdays", "leap-days", "oldest", "chance", "fit", "census-us-2020"} <= set(rows["assumption"])
    assert "chance of birthdays" in (out / "tornado.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_figure_lies_inside_its_interval():
    for command, figure, ends in (
        ("trust", "ratio", ("ratio_from", "ratio_to")),
        ("cost", "usd_per_reidentification", ("usd_from", "usd_to")),
    ):
        found = frame(command, "--state", "DE", "--interval")
        known = found[found[ends[0]].notna() & found[figure].notna()]
        assert len(known)
        assert (known[ends[0]] <= known[figure]).all()
        assert (known[figure] <= known[ends[1]]).all()
    assert "interval" in run("compare", "--state", "DE", "--interval").stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("reproduced") / "bm"
    done = run("model", "reproduce", "benitez-malin-2010", "--out", str(out))
    return out, done.stdout


@pytest.mark.slow
def test_the_table_has_every_figure_verdict_and_reason(folder):
    _, text = folder
    assert "Table 1, General" in text
    assert "135 figures:" in text
    assert "is New York" in text
    assert max(map(len, text.split("Why:")[0].splitlines())) <= 100


@pytest.mark.slow
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
    done = run("model", "reproduce", "dankar-2012", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert set(rows["paper"]) == {"dankar-2012"}
    assert rows.loc[rows["id"] == "lambda-1", "verdict"].item() == "agrees"
