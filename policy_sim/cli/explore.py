"""``policy-sim explore``: every policy of the lattice, its risk and utility, and which serve better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import DAYS, format_option, out_option

if TYPE_CHECKING:
    from policy_sim.cli.searched import Searched

__all__ = ["explore"]


@click.command()
@click.argument("states", metavar="[STATE]...", nargs=-1)
@click.option("--population", metavar="NAME|FILE", help="Whose census, or your own file. [default: the newest]")
@click.option(
    "--than",
    metavar="NAME|FILE",
    default="safe-harbor",
    show_default=True,
    help="The policy to do better than: more released at no more risk.",
)
@click.option(
    "--mode",
    type=click.Choice(("paper", "regulation")),
    default="paper",
    show_default=True,
    help="The form of a HIPAA rule named by --than; regulation needs a population by ZIP code.",
)
@click.option(
    "--zip3",
    type=click.Choice(("computed", "hhs2000", "union")),
    default="computed",
    show_default=True,
    help="Which three-digit ZIP codes hold too few people to be shown.",
)
@click.option(
    "--g",
    type=click.IntRange(min=1),
    help="Measure risk by g-distinct with this g, in place of total risk.",
)
@click.option(
    "--risk-between",
    nargs=2,
    type=float,
    metavar="LOW HIGH",
    help="Keep policies whose risk, as a share of the state's people (0 to 1), lies in this range.",
)
@click.option(
    "--rows",
    "kept",
    type=click.Choice(("all", "frontier", "better")),
    help="Which policies: all, those on the frontier, those better than --than. [default: better in a table, else all]",
)
@click.option(
    "--days-per-year", type=DAYS, default=365.0, show_default=True, help="Equally likely birthdays in a year."
)
@format_option()
@out_option("Write policies.csv, best.csv, the frontier of each state, the map of the best policy and manifest.json.")
def explore(states: tuple[str, ...], form: str, out: Path | None, kept: str | None, **options: Any) -> None:
    """Search every combination of granularities for policies that tell more and risk no more.

    STATE is a postal code, FIPS code or name; all states by default. Utility is the information kept:
    the entropy of what is released, as a share of the finest policy's.

    \b
    Examples:
      policy-sim explore OH
      policy-sim explore OH --risk-between 0.0001 0.001 --rows frontier
      policy-sim explore --format csv > policies.csv
      policy-sim explore OH --population us-2010-zip --mode regulation --out ohio
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.cli.searched import search

    found = search(states=states, **options)
    if out is not None:
        _write(found, out)
    kept = kept or ("better" if form == "table" else "all")
    print_rows(found.keep(kept), form, found.notes, lambda: found.table(kept))
    if out is not None:
        click.echo(f"Written to {out}: tables, figures and manifest.json.", err=True)


def _write(found: Searched, out: Path) -> None:
    from policy_sim.cli.output import output_folder, write_rows
    from policy_sim.render.frontier import best_policy_map, frontier_figure
    from policy_sim.render.save import save_figure

    with output_folder(out, found.manifest()) as folder:
        write_rows(found.rows, folder / "policies.csv")
        write_rows(found.best(), folder / "best.csv")
        for state, rows in found.rows.groupby("state", sort=False, observed=True):
            marks = found.marks[found.marks["state"] == state]
            save_figure(frontier_figure(rows, marks, found.risk, found.notes), folder / f"frontier-{state}")
        if found.several:
            save_figure(best_policy_map(found.best(), found.than.name, found.risk, found.notes), folder / "best-policy")
