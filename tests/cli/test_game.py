"""``policy-sim game``."""

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*words):
    return CliRunner().invoke(cli, ["game", *words], prog_name="policy-sim")


@pytest.mark.slow
def test_one_state_with_a_page(tmp_path):
    done = run("DE", "--policy", "safe-harbor", "--policy", "county", "--in-file", "0.01", "--out", str(tmp_path / "o"))
    assert done.exit_code == 0, done.stderr
    assert "Delaware: the publisher does best with" in " ".join(done.stdout.split())
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        "game.csv", "game-moves.csv", "game.html", "manifest.json"
    }  # fmt: skip


def test_what_is_refused_in_one_line():
    for words in (("--frontier",), ("DE", "--gain", "gold"), ("DE", "--state", "OH")):
        done = run(*words)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
