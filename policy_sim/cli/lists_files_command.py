"""``policy-sim lists check | export | import``: voter lists as files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from policy_sim.cli.lists_options import chosen_lists, database_option
from policy_sim.cli.options import FilePath

__all__ = ["check", "export", "import_"]


@click.command()
@click.argument("what", nargs=-1, metavar="[STATE|FILE]...")
@click.option("--strict", is_flag=True, help="Exit with status 1 if there are any findings.")
@click.option(
    "--months",
    type=click.IntRange(min=0),
    default=24,
    show_default=True,
    help="Call a source old after this many months.",
)
@click.option(
    "--today", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Count age to this date. [default: today]"
)
@click.option(
    "--next",
    "many",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many facts to rank for looking up next, by how many people's risk depends on them; 0 ranks none.",
)
def check(what: tuple[str, ...], strict: bool, months: int, today: dt.datetime | None, many: int) -> None:
    """Check the state files and report every problem at once, with file, key and remedy.

    The command finds schema errors, overlapping dates, facts without a source, prices without a date, sources older
    than 24 months, open conflicts, and facts of high confidence that an open conflict contradicts. A malformed file
    gives exit status 2. For the lists that come with the program, it then ranks the unknown, disputed and old fields by
    how much the state's total risk would change if they were different (us-2020, limited data set, VOTER).

    \b
    Examples:
      policy-sim lists check
      policy-sim lists check OH --strict
      policy-sim lists check --next 30
      policy-sim lists check my_policies/oh.toml
    """
    from policy_sim.cli.lists_paths import checked_files
    from policy_sim.io.voter_lists.check import check_lists

    findings = [
        finding
        for folder, only in checked_files(what).items()
        for finding in check_lists(folder, only, today.date() if today else None, months)
    ]
    for finding in findings:
        click.echo(f"{finding} ({finding.kind})")
    kinds = sorted({finding.kind for finding in findings})
    counts = ", ".join(f"{sum(f.kind == kind for f in findings)} {kind}" for kind in kinds)
    click.echo(f"{len(findings)} finding{'' if len(findings) == 1 else 's'}" + (f": {counts}" if findings else ""))
    if "malformed" in kinds:
        raise click.exceptions.Exit(2)
    _rank(what, many, months, today)
    if findings and strict:
        raise click.exceptions.Exit(1)


def _rank(what: tuple[str, ...], many: int, months: int, today: dt.datetime | None) -> None:
    """Print what to look up next in the lists that come with the program."""
    from policy_sim.render.text_table import text_table
    from policy_sim.study import Study

    states = [name for name in what if not name.endswith(".toml") and not Path(name).is_dir()]
    if not many or len(states) < len(what):
        return
    ranked = Study().look_up_next(states=states or None, months=months, day=today.date() if today else None).to_frame()
    if len(ranked):
        top = ranked.head(many).assign(people=ranked["people"].head(many).round().astype("Int64"))
        click.echo(f"\nWhat to look up next, by number of people affected ({len(top)} of {len(ranked)}):")
        click.echo(text_table(top))


@click.command()
@click.option(
    "--format", "form", type=click.Choice(("csv", "json", "xlsx")), default="csv", show_default=True,
    help="Format. csv and json can be imported again; xlsx has one sheet each for lists, facts, conflicts and sources.",
)  # fmt: skip
@click.option("--lists", "vintage", metavar="VINTAGE", help="Export only the lists of this year. [default: all]")
@click.option("--out", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE", help="Write here.")
@database_option
def export(form: str, vintage: str | None, out: Path | None, database: str | None) -> None:
    """Write the lists, one row per list, without scenarios.

    \b
    Examples:
      policy-sim lists export --format csv --out lists.csv
      policy-sim lists export --format xlsx --lists 2026 --out lists.xlsx
    """
    from policy_sim.cli.lists_paths import written_beside
    from policy_sim.cli.standard_output import put
    from policy_sim.errors import InputError
    from policy_sim.io.sql.stored_lists import all_lists, open_lists
    from policy_sim.io.voter_lists.exchange import as_csv, as_json, write_workbook
    from policy_sim.voter_lists.voter_list import VINTAGE

    if vintage and not VINTAGE.fullmatch(vintage):
        raise InputError(f"--lists {vintage}: this is a scenario, which is not exported. Name a year.")
    every = chosen_lists(database, vintage, None).values() if vintage else all_lists(open_lists(database))
    current = [listed for listed in every if not listed.is_scenario]
    if form == "xlsx":
        if out is None:
            raise InputError("--format xlsx needs a file: add --out lists.xlsx.")
        with written_beside(out) as path:
            write_workbook(current, path)
        return
    text = as_csv(current) if form == "csv" else as_json(current)
    if out is None:
        put(text)
        return
    with written_beside(out) as path:
        path.write_text(text, encoding="utf-8")


@click.command("import")
@click.argument("file", type=FilePath(path_type=Path))
@database_option
def import_(file: Path, database: str | None) -> None:
    """Import the lists of FILE into the database; they replace lists of the same state and year.

    FILE is a state's TOML file, or the CSV or JSON of 'lists export'. If the file has problems, the command reports
    them all and changes nothing. Imported lists stay when the database is rebuilt.

    \b
    Examples:
      policy-sim lists import oh.toml
      policy-sim lists import lists.csv --database postgresql+psycopg://me@host/lists
    """
    from policy_sim.io.sql.stored_lists import import_lists, open_lists
    from policy_sim.io.voter_lists.exchange import read_lists

    lists = read_lists(file)
    import_lists(open_lists(database, make=True), lists)
    states = sorted({listed.state for listed in lists})
    click.echo(f"{len(lists)} lists imported for {', '.join(states)}")
