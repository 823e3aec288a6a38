from __future__ import annotations

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


@pytest.mark.slow
def test_the_page_is_written_whole(tmp_path):
    out = tmp_path / "explorer.html"
    done = CliRunner().invoke(cli, ["explorer", "--population", "us-2020", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert out.stat().st_size < 3_000_000
    assert out.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert done.stdout == ""


def test_a_file_is_needed():
    done = CliRunner().invoke(cli, ["explorer"])
    assert done.exit_code == 2
    assert "--out" in done.output


def test_an_unknown_population_leaves_no_file(tmp_path):
    out = tmp_path / "explorer.html"
    done = CliRunner().invoke(cli, ["explorer", "--population", "nowhere", "--out", str(out)])
    assert done.exit_code == 2
    assert not out.exists()
