"""``policy-sim explorer``: one HTML page that computes in the reader's browser."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import FilePath

__all__ = ["explorer"]


@click.command()
@click.option("--population", metavar="NAME", help="The population to put into the page. [default: the newest]")
@click.option("--lists", metavar="VINTAGE", help="Year of the voter lists. [default: the newest]")
@click.option(
    "--days-per-year",
    type=float,
    default=365.0,
    show_default=True,
    help="Number of equally likely birthdays in a year.",
)
@click.option(
    "--out",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE",
    required=True,
    help="Write the page to this file, such as explorer.html.",
)
def explorer(population: str | None, lists: str | None, days_per_year: float, out: Path) -> None:
    """Write one HTML page on which readers can explore every state, policy and attacker.

    The page contains the population of every county, the facts of every voter list and the formulas. It computes in the
    browser and needs no server and no network.

    \b
    Examples:
      policy-sim explorer --out explorer.html
      policy-sim explorer --population us-2010 --lists 2026 --out explorer-2010.html
    """
    from policy_sim.cli.progress import Progress
    from policy_sim.io.files import replace_file
    from policy_sim.study import Study

    with Progress() as progress:
        progress("packing people, lists and maps into one page")
        page = Study(population, lists, days_per_year).explorer().encode()
    replace_file(out, page)
    click.echo(f"{out}: {len(page):,} bytes. Open it in a browser; it needs no network.", err=True)
