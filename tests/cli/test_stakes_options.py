"""Options of the commands about money."""

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


@pytest.mark.parametrize("command", ["attack", "break-even"])
def test_both_commands_have_them(command):
    text = CliRunner().invoke(cli, [command, "--help"]).output
    for option in ("--gain", "--cost-per-attempt", "--loss-per-wrong", "--penalty", "--chance-caught"):
        assert option in text
