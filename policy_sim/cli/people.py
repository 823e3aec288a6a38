"""Commands about people: population and synth."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from policy_sim.cli.options import FilePath, format_option, population_option

__all__ = ["population", "synth"]


# ``policy-sim population``: the populations that come with the program, and how to build them again.


@click.group()
def population() -> None:
    """Show how the census populations were made, or build one again.

    Each population has people by county, sex, age and race. The census counts part of it; the rest is modeled.

    \b
    Examples:
      policy-sim population list
      policy-sim population show us-2020
      policy-sim population build us-2010 --from tables/ --out rebuilt/
    """


@population.command("list")
@format_option()
def list_(form: str) -> None:
    """List the populations: date, people, cells, and the shares counted and modeled.

    \b
    Example:
      policy-sim population list --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.people.facts import populations_frame
    from policy_sim.show.summary import populations_text

    frame = populations_frame()
    print_rows(frame, form, table=lambda: populations_text(frame))


@population.command()
@click.argument("name", metavar="NAME")
@format_option()
def show(name: str, form: str) -> None:
    """Show one population: its sources, how it was made, and its measured error.

    \b
    Example:
      policy-sim population show us-2020
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.people.facts import facts_of_population, population_frame
    from policy_sim.show.summary import population_text

    print_rows(population_frame(name), form, table=lambda: population_text(name, facts_of_population(name)))


@population.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--from",
    "source",
    type=FilePath(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Folder with the official tables (docs/populations.md lists the files).",
)
@click.option(
    "--out",
    type=FilePath(file_okay=False, path_type=Path),
    default=Path("data"),
    show_default=True,
    metavar="DIR",
    help="Folder for populations/NAME.parquet and manifest.toml.",
)
@click.option(
    "--without-joint",
    is_flag=True,
    help="Model every state, even those with a published table of county, sex, age and race. The population is called "
    "NAME-fitted.",
)
def build(name: str, source: Path, out: Path, without_joint: bool) -> None:
    """Build a population again from the official tables. The same tables give the same file.

    \b
    Examples:
      policy-sim population build us-2010 --from tables/ --out rebuilt/
      policy-sim population build us-2010 --from tables/ --out rebuilt/ --without-joint
    """
    from policy_sim.building.recipes import build_population
    from policy_sim.cli.output import Progress

    with Progress() as progress:
        built = build_population(
            name,
            source,
            out,
            progress=lambda state: progress(f"fitting {name}, {state}"),
            with_joint=not without_joint,
        )
    click.echo(f"{built.path}: {built.facts['people']:,} people in {built.facts['cells']:,} cells")
    click.echo(f"sha256 {built.facts['sha256']}: {built.verdict}")


# ``policy-sim synth``: synthetic people for demonstrations.


@click.command()
@click.argument("state")
@population_option()
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
    from policy_sim.study.study import Study
    from policy_sim.words.errors import InputError

    if out.suffix not in (".csv", ".parquet"):
        raise InputError(f"--out {out}: the ending {out.suffix!r} is not one of .csv, .parquet.")
    study = Study(population)
    table = study.synthesize(state, people=people, seed=seed, census_day=census_day and census_day.date())
    write_file(table, out)
    click.echo(
        f"Wrote {len(table):,} synthetic people to {out}; source: {study.people.provenance.describe()}", err=True
    )
