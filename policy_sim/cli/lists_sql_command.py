"""``policy-sim lists sql | build``: the database itself."""

from __future__ import annotations

import click

from policy_sim.cli.lists_options import database_option
from policy_sim.cli.options import format_option

__all__ = ["build", "sql"]


@click.command()
@click.argument("query")
@database_option
@format_option()
def sql(query: str, database: str | None, form: str) -> None:
    """Run one read-only QUERY on the lists; docs/voter-lists-database.md describes the tables.

    \b
    Examples:
      policy-sim lists sql "SELECT kind, count(*) FROM price GROUP BY kind"
      policy-sim lists sql "SELECT state, vintage FROM voter_list WHERE status = 'county_only'"
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.io.sql.query import run_query
    from policy_sim.io.sql.stored_lists import open_lists

    print_rows(run_query(open_lists(database), query), form)


@click.command()
@click.option("--forget-imports", is_flag=True, help="Also delete the lists that were imported.")
@database_option
def build(forget_imports: bool, database: str | None) -> None:
    """Build the database again from the state files. Imported lists stay.

    Your own SQLite database is updated automatically. A database named by URL changes only with this command and 'lists
    import'.

    \b
    Examples:
      policy-sim lists build --forget-imports
      policy-sim lists build --database postgresql+psycopg://me@host/lists
    """
    from policy_sim.io.sql.address import shown_url
    from policy_sim.io.sql.stored_lists import all_lists, open_lists, rebuild

    engine = open_lists(database, make=True)
    rebuild(engine, keep_imports=not forget_imports)
    click.echo(f"{len(all_lists(engine))} lists are in {shown_url(engine.url)}")
