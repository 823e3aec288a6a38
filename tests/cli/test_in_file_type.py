"""Sizes of a file as people write them, and one line for what is none."""

import click
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.cli.options import IN_FILE


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0.01", 0.01),
        ("1%", 0.01),
        ("100%", 1),
        ("1", 1),
        ("2", 2),
        ("11,000", 11_000),
        ("1,234,567", 1_234_567),
        ("1e4", 10_000),
    ],
)
def test_what_is_meant(text, meant):
    assert IN_FILE.convert(text, None, None) == meant


@pytest.mark.parametrize("text", ["0", "-5", "1.5", "200%", "nan", "inf", "-inf", "many", "", "1,5", "11,00"])
def test_what_is_no_size_of_a_file(text):
    with pytest.raises(click.BadParameter, match="share of the people above 0 and up to 1"):
        IN_FILE.convert(text, None, None)


@pytest.mark.parametrize("command", [["compare", "--state", "DE"], ["brief", "DE"]])
def test_the_command_line_says_so_in_one_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [*command, "--in-file", "0"], prog_name="policy-sim")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "or a whole number of records, such as 11000" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_states_with_commas_are_several_states():
    rows = [
        CliRunner()
        .invoke(cli, ["compare", *states, "--rules", "paper", "--format", "csv"], prog_name="policy-sim")
        .stdout
        for states in (["--state", "DE, rhode island"], ["--state", "DE", "--state", "RI"])
    ]
    assert rows[0] == rows[1]
    assert rows[0].count("RI,") > 0
