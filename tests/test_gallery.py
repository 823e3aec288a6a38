"""The gallery shows what the program computes today: its tables are computed again, its pages are all listed."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from small_people import frame, run

REPORTS = Path(__file__).resolve().parents[1] / "reports"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("table", "arguments"),
    [
        ("today/profiles.csv", ("compare",)),
        ("benitez-malin-2010.csv", ("compare", "--as", "benitez-malin-2010")),
        (
            "releases.csv",
            ("compare", "--rules", "paper", "--population", "us-2020", "--release", "newest", "--attacker", "general"),
        ),
    ],
)
def test_the_tables_are_those_of_today(table, arguments):
    # sums over many groups differ in the last digits from machine to machine
    pd.testing.assert_frame_equal(frame(*arguments), pd.read_csv(REPORTS / table), rtol=1e-9, atol=1e-9)


def test_a_brief_says_what_it_said(tmp_path):
    path = tmp_path / "oh.html"
    run("brief", "OH", "--date", "2026-11-22", "--out", path)
    now, then = (
        re.sub(r'src="data:[^"]*"', "", page.read_text(encoding="utf-8"))  # pictures differ with the fonts' version
        for page in (path, REPORTS / "briefs" / "OH.html")
    )
    assert now == then


def test_everything_in_the_gallery_is_listed_and_nothing_is_large():
    page = (REPORTS / "README.md").read_text(encoding="utf-8")
    listed = {(REPORTS / target).resolve() for target in re.findall(r"\]\(([^)]+)\)", page)}
    files = [path for path in REPORTS.rglob("*") if path.is_file() and path.name != "README.md"]
    assert len(files) > 30
    assert not [path for path in files if not ({path, *path.parents} & listed)]
    assert max(path.stat().st_size for path in files) < 5_000_000
