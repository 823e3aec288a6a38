"""``policy-sim lists``: what each state's voter list contains, costs and allows."""

from __future__ import annotations

import datetime as dt

import click

from policy_sim.cli.lists_agreement_command import agreement, coding_sheet
from policy_sim.cli.lists_counties_command import counties
from policy_sim.cli.lists_files_command import check, export, import_
from policy_sim.cli.lists_options import chosen_lists, database_option, when_options
from policy_sim.cli.lists_publish_command import publish
from policy_sim.cli.lists_sql_command import build, sql
from policy_sim.cli.lists_what_if_command import what_if
from policy_sim.cli.options import FORMATS, format_option, many_states_option

__all__ = ["lists"]


@click.group()
def lists() -> None:
    """Show what each state's voter list contains, costs and allows, with sources.

    The program builds a database from the state files and rebuilds it when they change. It is an SQLite file in your
    data folder, or the database that --database or POLICY_SIM_DATABASE names.

    \b
    Examples:
      policy-sim lists show OH
      policy-sim lists diff 2008 2026 --state VA
      policy-sim lists check --strict
    """


@lists.command("list")
@when_options
@database_option
@format_option()
def list_(vintage: str | None, as_of: dt.date | None, database: str | None, form: str) -> None:
    """List all states' voter lists at one date, one row per state.

    \b
    Examples:
      policy-sim lists list --lists 2008
      policy-sim lists list --as-of 2015-06-01 --format csv
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.voter_lists.list_tables import lists_frame

    print_rows(lists_frame(chosen_lists(database, vintage, as_of).values()), form)


@lists.command()
@click.argument("state")
@when_options
@database_option
@format_option()
def show(state: str, vintage: str | None, as_of: dt.date | None, database: str | None, form: str) -> None:
    """Show one state's voter list: fields, price, buyers and uses, each with source and date.

    STATE is a postal code, FIPS code or name.

    \b
    Examples:
      policy-sim lists show OH
      policy-sim lists show Wisconsin --lists 2008 --format json
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.render.voter_list_text import voter_list_text
    from policy_sim.states import STATES
    from policy_sim.voter_lists.facts import facts_frame

    (listed,) = chosen_lists(database, vintage, as_of, (state,)).values()
    name = STATES[listed.state].name
    print_rows(facts_frame([listed]), form, table=lambda: voter_list_text(listed, name))


@lists.command()
@click.argument("state")
@database_option
@format_option()
def history(state: str, database: str | None, form: str) -> None:
    """Show one state's lists over time, one row per list, without scenarios.

    \b
    Example:
      policy-sim lists history OH
    """
    from policy_sim.cli.lists_options import state_lists
    from policy_sim.cli.output import print_rows
    from policy_sim.voter_lists.list_tables import lists_frame

    print_rows(lists_frame(listed for listed in state_lists(database, state) if not listed.is_scenario), form)


@lists.command()
@click.argument("before")
@click.argument("after")
@many_states_option()
@database_option
@format_option()
def diff(before: str, after: str, states: tuple[str, ...], database: str | None, form: str) -> None:
    """Compare the lists of two years: what changed, and what became known or unknown.

    \b
    Example:
      policy-sim lists diff 2008 2026 --state OH
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.voter_lists.list_tables import diff_frame

    old, new = (chosen_lists(database, vintage, None, states) for vintage in (before, after))
    print_rows(diff_frame(old, new), form)


@lists.command()
@click.argument("state", required=False)
@database_option
@click.option(
    "--format",
    "form",
    type=click.Choice((*FORMATS, "bibtex")),
    default="table",
    show_default=True,
    help="How rows are printed; bibtex has one entry per source.",
)
def sources(state: str | None, database: str | None, form: str) -> None:
    """Show the sources of one state's lists, or of all: title, address, date, and what each supports.

    \b
    Examples:
      policy-sim lists sources OH --format csv
      policy-sim lists sources --format bibtex > lists.bib
    """
    from policy_sim.cli.lists_options import every_list, state_lists
    from policy_sim.cli.output import print_rows
    from policy_sim.cli.standard_output import put
    from policy_sim.io.publication.bibtex import bibtex
    from policy_sim.io.publication.published_tables import published_sources
    from policy_sim.render.voter_list_text import sources_text
    from policy_sim.voter_lists.list_tables import sources_frame

    every = every_list(database) if state is None else state_lists(database, state)
    described = [listed for listed in every if not listed.is_scenario]
    if form == "bibtex":
        put(bibtex(published_sources(described)))
        return
    rows = sources_frame(described)
    print_rows(rows, form, table=lambda: sources_text(rows))


for command in (check, export, import_, what_if, counties, sql, build, agreement, coding_sheet, publish):
    lists.add_command(command)
