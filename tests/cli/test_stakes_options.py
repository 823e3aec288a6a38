"""Options of the commands about money."""

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


@pytest.mark.parametrize("command", ["attack", "break-even"])
def test_both_commands_have_them(command):
    text = CliRunner().invoke(cli, [command, "--help"]).output
    for option in ("--gain", "--cost-per-attempt", "--loss-per-wrong", "--penalty", "--chance-caught"):
        assert option in text


@pytest.mark.parametrize("command", ["attack", "break-even", "game", "trends"])
def test_a_gain_means_the_same_in_each(command):
    text = " ".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
    assert "--gain USD|NAME Value of a correct match to the attacker: dollars, or a name from" in text


def test_a_command_may_have_some_of_them_with_values_of_its_own():
    game = " ".join(CliRunner().invoke(cli, ["game", "--help"]).output.split())
    assert "neglect-2026]" in game
    assert "--loss-per-wrong" not in game
