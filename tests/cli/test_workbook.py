"""``workbook`` from the command line."""

from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, ["workbook", *map(str, arguments)], prog_name="policy-sim")


def test_a_file_is_written(tmp_path):
    done = run("--state", "DE", "--rules", "paper", "--out", tmp_path / "de.xlsx")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "de.xlsx").read_bytes().startswith(b"PK")


def test_another_ending_is_refused(tmp_path):
    done = run("--state", "DE", "--out", tmp_path / "de.csv")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "must end in .xlsx" in done.stderr
