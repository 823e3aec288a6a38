"""``policy-sim economics``."""

from click.testing import CliRunner

from policy_sim.cli.main import cli


def test_an_amount_that_no_source_gives_is_unknown():
    done = CliRunner().invoke(cli, ["economics"])
    text = " ".join(done.output.split())
    assert "contract-ca-ab-713: amount unknown (2020" in text
    assert "$0 per" not in text
