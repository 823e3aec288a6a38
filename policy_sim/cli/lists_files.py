"""The group of commands about voter lists, and those on their files, tables and database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

import policy_sim
from policy_sim.cli.commands import group
from policy_sim.cli.inputs import INPUT
from policy_sim.cli.options import DAY, FILE, FOLDER, as_of_option, format_option, option, together
from policy_sim.cli.output import print_rows, put
from policy_sim.files.paths import kind_of, voter_policies_dir
from policy_sim.files.writing import replaced
from policy_sim.words.errors import InputError, OutputError
from policy_sim.words.states import STATES, find_state, find_states, unknown_state

if TYPE_CHECKING:
    from policy_sim.voter_lists.voter_list import VoterList


database_option = option(
    "--database",
    metavar="URL|own",
    help="Address of a database, such as postgresql+psycopg://user@host/name. [default: $POLICY_SIM_DATABASE, or "
    "your own SQLite]",
)
when_options = together(
    option("--lists", "vintage", metavar="VINTAGE", help="Year of the lists. [default: the newest]"), as_of_option
)
# The lists of a study: the files, unless a database is named.
which_lists_options = together(
    option("--lists", metavar="VINTAGE", help="Year of the lists. [default: the newest]"),
    as_of_option,
    option(
        "--database", metavar="URL|own", help="Read the lists from a database ('own' is yours) instead of the files."
    ),
)


@group()
def lists() -> None:
    """Show what each state's voter list contains, costs and allows, with sources.

    The program builds a database from the state files and rebuilds it when they change. It is an SQLite file in your
    data folder, or the database that --database or POLICY_SIM_DATABASE names.

    \b
    Examples:
      policy-sim lists show OH
      policy-sim lists diff VA 2008 2026
      policy-sim lists check --strict
    """


def chosen_lists(
    database: str | None, vintage: str | None, as_of: dt.date | None, states: tuple[str, ...] = ()
) -> dict[str, VoterList]:
    """Return one list per state, as the options choose."""
    from policy_sim.voter_lists.sql.stored_lists import lists_in, open_lists

    if vintage and as_of:
        raise InputError("--lists and --as-of both choose a date: use one of them.")
    postal_codes = [state.postal for state in find_states(states)]
    every = lists_in(open_lists(database), vintage, as_of)
    for state in postal_codes:
        if state not in every:
            raise unknown_state("state with a voter list:", state, every)
    return {state: every[state] for state in postal_codes or every}


def every_list(database: str | None) -> list[VoterList]:
    """Return every list of every state, without the fictional state."""
    from policy_sim.voter_lists.sql.stored_lists import all_lists, open_lists

    return [listed for listed in all_lists(open_lists(database)) if listed.state in STATES]


def state_lists(database: str | None, state: str) -> list[VoterList]:
    """Return every list of one state."""
    from policy_sim.voter_lists.sql.stored_lists import all_lists, open_lists

    match = find_state(state)
    lists = all_lists(open_lists(database), [match.postal])
    if not lists:
        raise unknown_state("state with a voter list:", match.postal, [name for name in STATES if name != "PR"])
    return lists


def checked_files(what: tuple[str, ...]) -> dict[Path, list[Path]]:
    """Return the files to check by folder; an empty list means the whole folder.

    Each argument is a state, a state's file, or a folder of them; the shipped folder by default.
    """
    if not what:
        return {voter_policies_dir(): []}
    by_folder: dict[Path, list[Path]] = {}
    for name in what:
        path = Path(name)
        if kind_of(path) == "folder":
            by_folder[path] = []
            continue
        if not name.endswith(".toml"):
            path = voter_policies_dir() / f"{find_state(name).postal.lower()}.toml"
        if kind_of(path) != "file":
            raise InputError(f"{path} does not exist. Name a state, a .toml file or a folder.")
        by_folder.setdefault(path.parent, []).append(path)
    return by_folder


@contextmanager
def written_beside(out: Path) -> Iterator[Path]:
    """Give a temporary path next to ``out``; it replaces ``out`` when it is complete.

    The command writes to a device or pipe, such as ``/dev/stdout``, directly.
    """
    try:
        with nullcontext(out) if kind_of(out) == "other" else replaced(out) as draft:
            yield draft
    except OutputError as error:
        raise OutputError(f"--out {error} Free some space or choose another place. Nothing was written.") from error
    except OSError as error:
        raise OutputError(f"--out {out}: {error.strerror or error}. Nothing was written.") from error


def write_text(text: str, out: Path | None) -> None:
    """Write a text to a file, or print it where none is named."""
    if out is None:
        put(text)
        return
    with written_beside(out) as path:
        path.write_text(text, encoding="utf-8")


@lists.command()
@click.argument("what", nargs=-1, metavar="[STATE|FILE]...")
@option("--strict", is_flag=True, help="Exit with status 1 if there are any findings.")
@option("--months", type=click.IntRange(min=0), default=24, help="Call a source old after this many months.")
@option("--today", type=DAY, metavar="DAY", help="Count age to this date. [default: today]")
@option(
    "--next",
    "many",
    type=click.IntRange(min=0),
    default=10,
    help="How many facts to rank for looking up next, by how many people's risk depends on them; 0 ranks none.",
)
def check(what: tuple[str, ...], strict: bool, months: int, today: dt.date | None, many: int) -> None:
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
    from policy_sim.voter_lists.files import check_lists

    findings = [
        finding for folder, only in checked_files(what).items() for finding in check_lists(folder, only, today, months)
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


def _rank(what: tuple[str, ...], many: int, months: int, today: dt.date | None) -> None:
    """Print what to look up next in the lists that come with the program."""
    from policy_sim.show.text_table import text_table

    states = [name for name in what if not name.endswith(".toml") and not Path(name).is_dir()]
    if not many or len(states) < len(what):
        return
    ranked = policy_sim.Study().look_up_next(states=states or None, months=months, day=today).to_frame()
    if len(ranked):
        top = ranked.head(many).assign(people=ranked["people"].head(many).round().astype("Int64"))
        click.echo(f"\nWhat to look up next, by number of people affected ({len(top)} of {len(ranked)}):")
        click.echo(text_table(top))


@lists.command()
@option(
    "--format",
    "form",
    type=("csv", "json", "xlsx"),
    default="csv",
    help="Format. csv and json can be imported again; xlsx has one sheet each for lists, facts, conflicts and sources.",
)
@option("--lists", "vintage", metavar="VINTAGE", help="Export only the lists of this year. [default: all]")
@option("--out", type=FILE, metavar="FILE", help="Write here.")
@database_option
def export(form: str, vintage: str | None, out: Path | None, database: str | None) -> None:
    """Write the lists, one row per list, without scenarios.

    \b
    Examples:
      policy-sim dev lists export --format csv --out lists.csv
      policy-sim dev lists export --format xlsx --lists 2026 --out lists.xlsx
    """
    from policy_sim.voter_lists.exchange import as_csv, as_json, write_workbook
    from policy_sim.voter_lists.sql.stored_lists import all_lists, open_lists
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
    write_text(as_csv(current) if form == "csv" else as_json(current), out)


@lists.command("import")
@click.argument("file", type=INPUT)
@database_option
def import_(file: Path, database: str | None) -> None:
    """Import the lists of FILE into the database; they replace lists of the same state and year.

    FILE is a state's TOML file, or the CSV or JSON of 'dev lists export'. If the file has problems, the command reports
    them all and changes nothing. Imported lists stay when the database is rebuilt.

    \b
    Examples:
      policy-sim dev lists import oh.toml
      policy-sim dev lists import lists.csv --database postgresql+psycopg://me@host/lists
    """
    from policy_sim.voter_lists.exchange import read_lists
    from policy_sim.voter_lists.sql.stored_lists import import_lists, open_lists

    lists = read_lists(file)
    import_lists(open_lists(database, make=True), lists)
    states = sorted({listed.state for listed in lists})
    click.echo(f"{len(lists)} lists imported for {', '.join(states)}")


@lists.command()
@click.argument("folder", type=FOLDER, metavar="DIR")
def publish(folder: Path) -> None:
    """Write the lists into DIR as a data set: tables, codebook, method, references and checksums.

    The tables are CSV, described by datapackage.json (Frictionless). Among them are the records that election offices
    reported, and who is on the lists by county and by age: people of us-2020, records of the election nearest to the
    newest lists. The same data give the same bytes. DIR is new, empty, or an earlier publication, which is replaced.

    \b
    Example:
      policy-sim dev lists publish voter-lists
    """
    from policy_sim.study.lists import published_coverage
    from policy_sim.voter_lists.files import described_lists
    from policy_sim.voter_lists.publication import publish as write

    names = write(described_lists(), folder, published_coverage(policy_sim.Study()))
    click.echo(f"Written to {folder}: {', '.join(names)}.")


@lists.command()
@click.argument("query")
@database_option
@format_option
def sql(query: str, database: str | None, form: str) -> None:
    """Run one read-only QUERY on the lists; docs/voter-lists-database.md describes the tables.

    \b
    Examples:
      policy-sim dev lists sql "SELECT kind, count(*) FROM price GROUP BY kind"
      policy-sim dev lists sql "SELECT state, vintage FROM voter_list WHERE status = 'county_only'"
    """
    from policy_sim.show.text_table import text_table
    from policy_sim.voter_lists.sql.stored_lists import open_lists, run_query

    rows = run_query(open_lists(database), query)
    print_rows(rows, form, table=lambda _: text_table(rows, heads={str(name): str(name) for name in rows}))


@lists.command()
@option("--forget-imports", is_flag=True, help="Also delete the lists that were imported.")
@database_option
def build(forget_imports: bool, database: str | None) -> None:
    """Build the database again from the state files. Imported lists stay.

    Your own SQLite database is updated automatically. A database named by URL changes only with this command and 'lists
    import'.

    \b
    Examples:
      policy-sim dev lists build --forget-imports
      policy-sim dev lists build --database postgresql+psycopg://me@host/lists
    """
    from policy_sim.voter_lists.sql.database import shown_url
    from policy_sim.voter_lists.sql.stored_lists import all_lists, open_lists, rebuild

    engine = open_lists(database, make=True)
    rebuild(engine, keep_imports=not forget_imports)
    click.echo(f"{len(all_lists(engine))} lists are in {shown_url(engine.url)}")
