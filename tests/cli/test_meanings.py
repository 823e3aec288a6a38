import click
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.cli.output import MEANINGS, meaning_of


def _command(path: str) -> click.Command | None:
    found: click.Command | None = cli
    for name in path.split():
        found = found.get_command(click.Context(found), name) if isinstance(found, click.Group) else None
    return found


@pytest.mark.parametrize("path", MEANINGS)
def test_each_meaning_belongs_to_a_command_and_is_a_sentence(path):
    assert _command(path) is not None
    assert meaning_of(f"policy-sim {path}") == [MEANINGS[path]]
    assert MEANINGS[path].endswith((".", "exact."))


def test_the_meaning_is_the_first_line_of_a_table_and_of_no_other_format():
    table = CliRunner().invoke(cli, ["population", "list"], prog_name="policy-sim").stdout
    assert table.startswith("Where each population comes from")
    rows = CliRunner().invoke(cli, ["population", "list", "--format", "csv"], prog_name="policy-sim").stdout
    assert rows.startswith("population,")


def test_a_command_without_a_meaning_starts_with_its_table():
    assert meaning_of("policy-sim lists show") == []
