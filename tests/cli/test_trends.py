"""``policy-sim trends``."""

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*words):
    return CliRunner().invoke(cli, ["trends", *words], prog_name="policy-sim")


@pytest.mark.slow
def test_files_and_a_table(tmp_path):
    done = run("--at", "us-2000:2008", "--at", "us-2020:2026", "--state", "OH", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.stderr
    assert "risk changed by" in done.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"trends.csv", "trends-changes.csv", "trends.png", "trends.svg", "manifest.json"}


def test_a_wrong_moment_is_one_line():
    for words in (("--at", "us-2000"), ("--at", "us-2000:2008"), ("--at", "us-2000:1999", "--at", "us-2020:2026")):
        done = run(*words)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
