"""Sample files to try the commands on."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.commands import command
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file
from policy_sim.words.errors import OutputError

_FILES = {
    "visits.csv": "400 patients of a hospital in Toledo, one row each",
    "claims.csv": "claims of 150 members, several rows per person",
    "weekly.csv": "cases of a disease by county, this week and to date",
}


@command()
@click.argument("name", type=click.Choice([*_FILES]), required=False, metavar="[NAME]")
def example(name: str | None) -> None:
    """Write the sample file NAME into this folder. Without NAME, list the files.

    The people are made up: they were drawn at random from the census counts of Ohio, and their names, dates,
    diagnoses and amounts are invented. An existing file is not replaced.

    \b
    Examples:
      policy-sim example
      policy-sim example visits.csv
    """
    if name is None:
        for file, what in _FILES.items():
            click.echo(f"{file}  {what}")
        return
    path = Path(name)
    if path.exists():
        raise OutputError(f"{path} is already in this folder. Rename it, or run the command in another folder.")
    replace_file(path, (data_dir() / "examples" / name).read_bytes())
    click.echo(f"Wrote {path}: {_FILES[name]}. All of them are made up.", err=True)
