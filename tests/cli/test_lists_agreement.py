"""lists agreement and coding-sheet as a user runs them."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, ["lists", *arguments])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def rows(*arguments: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(run(*arguments, "--format", "csv").stdout))


def test_agreement_is_what_the_page_prints(root):
    """The page on the data set has the same counts and the same kappa, to three places."""
    frame = rows("agreement").set_index("item")
    page = (root / "docs" / "lists-as-data.md").read_text(encoding="utf-8")
    for item, row in frame.iterrows():
        name = "all but facts that both call unknown" if item == "all but unknown" else item
        kappa = f"{row['kappa']:.3f}" if row["kappa"] < 1 else "1"
        assert f"| {name} | {row['facts']:.0f} | {row['agree']:.0f} | {kappa} |" in page


def test_each_difference_has_a_decision():
    frame = rows("agreement", "--disagreements")
    assert set(frame["decision"]) <= {"mended", "kept"}
    assert len(frame) == 4
    assert "coded twice: 407 of" in run("agreement").stdout


def test_a_sheet_that_is_filled_in_is_compared_with_the_lists_of_today(tmp_path):
    sheet = tmp_path / "sheet.csv"
    run("coding-sheet", "--share", "0.01", "--out", str(sheet))
    frame = pd.read_csv(sheet, dtype=str)
    assert frame["code"].isna().all()
    frame.assign(code="unknown")[frame["item"] != "status"].to_csv(sheet, index=False)
    assert rows("agreement", "--coding", str(sheet)).set_index("item").loc["all", "facts"] > 10


@pytest.mark.parametrize("share", ["0", "1.5"])
def test_a_share_outside_its_range_is_one_line(share):
    assert "share" in run("coding-sheet", "--share", share, code=2).output
