"""The gallery shows what the program computes today: its tables are computed again, its pages are all listed."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

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
def test_the_tables_are_those_of_today(table, arguments, tmp_path):
    done = CliRunner().invoke(cli, [*arguments, "--format", "csv"], prog_name="policy-sim")
    assert done.exit_code == 0, done.output
    (tmp_path / "now.csv").write_text(done.stdout, encoding="utf-8")
    now, then = (pd.read_csv(path) for path in (tmp_path / "now.csv", REPORTS / table))
    # sums over many groups differ in the last digits from machine to machine
    pd.testing.assert_frame_equal(now, then, rtol=1e-9, atol=1e-9)


def test_a_brief_says_what_it_said(tmp_path):
    path = tmp_path / "oh.html"
    done = CliRunner().invoke(cli, ["brief", "OH", "--date", "2026-11-22", "--out", str(path)], prog_name="policy-sim")
    assert done.exit_code == 0, done.output
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
