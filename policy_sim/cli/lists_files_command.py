"""``policy-sim lists check | export | import``: lists as files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from policy_sim.cli.lists_options import chosen_lists, database_option

__all__ = ["check", "export", "import_"]


@click.command()
@click.argument("what", nargs=-1, metavar="[STATE|FILE]...")
@click.option("--strict", is_flag=True, help="Exit with status 1 if anything was found.")
@click.option(
    "--months",
    type=click.IntRange(min=0),
    default=24,
    show_default=True,
    help="A source is old after so many months.",
)
@click.option(
    "--today", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Judge age as of this day. [default: today]"
)
@click.option(
    "--next",
    "many",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Rank so many facts to look up next by the people whose risk hangs on them; 0: none.",
)
def check(what: tuple[str, ...], strict: bool, months: int, today: dt.datetime | None, many: int) -> None:
    """Say what is wrong or weak in state files: everything at once, with file, key and remedy.

    Finds what breaks the schema, times that overlap, facts without a source, prices without a date,
    sources older than 24 months, conflicts that are not settled, and facts of high confidence that such a conflict
    contradicts. Malformed files give status 2. For the lists that ship, unknown, contested and old fields are then
    ranked by what they are worth in people: how far the state's total risk moves if they are otherwise (us-2020,
    limited data set without ZIP codes, VOTER).

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
    """Print what to look up next, of the lists that ship."""
    from policy_sim.render.text_table import text_table
    from policy_sim.study import Study

    states = [name for name in what if not name.endswith(".toml") and not Path(name).is_dir()]
    if not many or len(states) < len(what):
        return
    ranked = Study().look_up_next(states=states or None, months=months, day=today.date() if today else None).to_frame()
    if len(ranked):
        top = ranked.head(many).assign(people=ranked["people"].head(many).round().astype("Int64"))
        click.echo(f"\nWhat to look up next, by people ({len(top)} of {len(ranked)}):")
        click.echo(text_table(top))


@click.command()
@click.option(
    "--format", "form", type=click.Choice(("csv", "json", "xlsx")), default="csv", show_default=True,
    help="csv and json can be imported again; xlsx has a sheet each for lists, facts, conflicts and sources.",
)  # fmt: skip
@click.option("--lists", "vintage", metavar="VINTAGE", help="Only the lists of one year. [default: all]")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write here.")
@database_option
def export(form: str, vintage: str | None, out: Path | None, database: str | None) -> None:
    """Write the lists, one row a list; scenarios, which are rules over years, stay out.

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
        raise InputError(f"--lists {vintage}: a scenario is a rule over years and is not exported; name a year.")
    every = chosen_lists(database, vintage, None).values() if vintage else all_lists(open_lists(database))
    current = [listed for listed in every if not listed.is_scenario]
    if form == "xlsx":
        if out is None:
            raise InputError("--format xlsx writes a file: name it with --out lists.xlsx.")
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
@click.argument("file", type=click.Path(path_type=Path))
@database_option
def import_(file: Path, database: str | None) -> None:
    """Put the lists of FILE into the database, in place of those of the same state and year.

    FILE is a state's TOML file, or the CSV or JSON of 'lists export'. If anything is wrong with it, all of it is
    said and nothing is changed. Imported lists stay when the database is rebuilt.

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
    click.echo(f"{len(lists)} lists imported, of: {', '.join(states)}")
