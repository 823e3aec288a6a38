"""``policy-sim lists counties``: lists that counties sell."""

from __future__ import annotations

from typing import Any

import click

from policy_sim.cli.lists_options import which_lists_options
from policy_sim.cli.options import format_option

__all__ = ["counties"]


@click.command()
@click.argument("state")
@which_lists_options
@click.option("--population", metavar="NAME|FILE", help="The census population to use. [default: us-2020]")
@click.option("--policy", default="limited-dataset", show_default=True, metavar="NAME|FILE", help="What is released.")
@click.option(
    "--usd-per-county",
    type=click.FloatRange(min=0),
    help="Price of one county's list. [default: from the state's file]",
)
@click.option(
    "--target", type=float, help="Show only the cheapest set of counties that gives this many re-identifications."
)
@click.option("--released", is_flag=True, help="With --target: count unknown fields as released instead of withheld.")
@format_option()
def counties(
    state: str,
    policy: str,
    usd_per_county: float | None,
    target: float | None,
    released: bool,
    form: str,
    **options: Any,
) -> None:
    """Show the risk, price and cost of each county's list in a state where only counties sell.

    The fields of the lists come from the state's file. A field that is unknown there gives a range.

    \b
    Examples:
      policy-sim lists counties AZ --lists 2008 --population us-2000
      policy-sim lists counties AZ --lists 2008 --usd-per-county 50 --target 100000 --released
      policy-sim lists counties PA --lists 2002 --target 100000
    """
    from policy_sim.analyses.county_purchase import cheapest_counties
    from policy_sim.cli.output import print_rows
    from policy_sim.errors import InputError
    from policy_sim.study import Study
    from policy_sim.voter_lists.price import Price

    study = Study(**options)
    price = None if usd_per_county is None else Price("schedule", usd_per_county=usd_per_county)
    table = study.county_costs(state, policy, price).to_frame()
    if target is not None:
        table = cheapest_counties(table, target, released=released)
    elif released:
        raise InputError("--released needs --target. The table of all counties shows both cases.")
    notes = [
        f"population: {study.people.provenance.describe()}",
        f"voter lists: {study.voter.voter_lists.describe()}; a list of one county tells the county",
    ]
    print_rows(table, form, notes)
