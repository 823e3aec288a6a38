"""``policy-sim synth``: synthetic people for demonstrations."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from policy_sim.cli.options import FilePath

__all__ = ["synth"]


@click.command()
@click.argument("state")
@click.option("--population", metavar="NAME|FILE", help="The census population to draw people from. [default: us-2020]")
@click.option("--people", type=click.IntRange(min=1), help="How many people to draw at random. [default: everyone]")
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="The same seed gives the same people."
)
@click.option(
    "--census-day",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The date on which everyone has their census age. [default: the population's]",
)
@click.option(
    "--out",
    required=True,
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A .csv or .parquet file to write.",
)
def synth(
    state: str, population: str | None, people: int | None, seed: int, census_day: dt.datetime | None, out: Path
) -> None:
    """Write synthetic people of one STATE, with birth date, sex, race, county and an invented name.

    The command draws them from the census cells, as 'simulate' does. It marks every row as synthetic.

    \b
    Examples:
      policy-sim synth DE --people 1000 --out people.csv
      policy-sim synth WY --population us-2010 --seed 7 --out wyoming.parquet
    """
    from policy_sim.cli.output import write_file
    from policy_sim.errors import InputError
    from policy_sim.study import Study

    if out.suffix not in (".csv", ".parquet"):
        raise InputError(f"--out {out}: the ending {out.suffix!r} is not one of .csv, .parquet.")
    study = Study(population)
    table = study.synthesize(state, people=people, seed=seed, census_day=census_day and census_day.date())
    write_file(table, out)
    click.echo(
        f"Wrote {len(table):,} synthetic people to {out}; source: {study.people.provenance.describe()}", err=True
    )
