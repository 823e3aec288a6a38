"""``brief`` from the command line: a file of each format, and one clear line for what it does not take."""

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, ["brief", *map(str, arguments)], prog_name="policy-sim")


@pytest.mark.slow
def test_html_and_the_format_of_the_name(tmp_path):
    for name, start in (("de.html", b"<!DOCTYPE"), ("de.pdf", b"%PDF")):
        done = run("DE", "--in-file", "1,000", "--date", "2026-11-22", "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
        assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.slow
def test_a_bill_in_markdown(tmp_path):
    done = run("DE", "--bill", "birth=withheld", "--format", "md", "--out", tmp_path / "bill.md")
    assert done.exit_code == 0, done.output
    assert "What a bill on the voter list would do: Delaware" in (tmp_path / "bill.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("XX",), "XX"),
        (("DE", "--in-file", "many"), "is not a size of a file"),
        (("US", "--bill", "birth=year"), "name a state to use them"),
        (("DE", "--bill", "birth=never"), "never"),
        (("DE", "--out", "brief.rtf"), "html"),
    ],
)
def test_what_is_refused_in_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
