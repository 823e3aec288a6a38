"""``policy-sim lists``: what each state's voter list holds, costs and allows."""

from __future__ import annotations

import click

from policy_sim.cli.options import format_option

__all__ = ["lists"]


@click.group()
def lists() -> None:
    """Voter lists: what each state's list holds, costs and allows, and how that is known."""


@lists.command()
@click.argument("state")
@click.option("--lists", "vintage", metavar="VINTAGE", help="The list of which year. [default: the newest]")
@format_option()
def show(state: str, vintage: str | None, form: str) -> None:
    """Show one state's list: fields, price, buyers and uses, each with source and date.

    STATE is a postal code, FIPS code or name.

    \b
    Examples:
      policy-sim lists show OH
      policy-sim lists show Wisconsin --lists 2008 --format json
    """
    from policy_sim.attackers.facts import facts_frame
    from policy_sim.cli.output import print_rows
    from policy_sim.render.voter_list import voter_list_text
    from policy_sim.sources.voter_lists import load_voter_list
    from policy_sim.states import find_state

    found = find_state(state)
    listed = load_voter_list(found.postal, vintage)
    print_rows(facts_frame([listed]), form, table=lambda: voter_list_text(listed, found.name))
