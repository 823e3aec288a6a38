"""``policy-sim lists what-if``: every measure before and after a change of a state's law."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import format_option

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.api import Study

__all__ = ["what_if"]


@click.command("what-if")
@click.argument("state", required=False)
@click.option(
    "--set", "sets", multiple=True, metavar="ITEM=VALUE",
    help="A change, such as birth=date, gender=withheld, price=0, buyers=public; repeat for more.",
)  # fmt: skip
@click.option(
    "--changes", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help='A TOML of changes, such as: birth = "date".',
)  # fmt: skip
@click.option("--all-states", is_flag=True, help="Rank every single change of a field, in every state.")
@click.option("--population", metavar="NAME|FILE", help="Whose census. [default: the newest]")
@click.option("--lists", metavar="VINTAGE", help="The lists before the change. [default: the newest]")
@click.option(
    "--policy", "policies", multiple=True, metavar="NAME|FILE",
    help="What is released; repeat for more. [default: both; with --all-states limited-dataset]",
)  # fmt: skip
@format_option()
def what_if(
    state: str | None,
    sets: tuple[str, ...],
    file: Path | None,
    all_states: bool,
    form: str,
    policies: tuple[str, ...],
    **options: Any,
) -> None:
    """Every measure before and after a change of STATE's list.

    Items are gender, race, birth, geography, zip, party, price, buyers, uses and status.

    \b
    Examples:
      policy-sim lists what-if OH --set birth=year --set price=100
      policy-sim lists what-if VA --lists 2008 --set birth=year --format csv
      policy-sim lists what-if --all-states --policy limited-dataset
    """
    from policy_sim.api import Study
    from policy_sim.cli.output import print_rows

    study = Study(**options)
    frame = _ranking(study, state, policies, sets, file) if all_states else _changed(study, state, policies, sets, file)
    notes = [
        f"population: {study.people.provenance.describe()}",
        f"voter lists: vintage {study.voter.vintage}; a field that is not known counts as withheld",
    ]
    print_rows(frame, form, notes)


def _ranking(
    study: Study, state: str | None, policies: tuple[str, ...], sets: tuple[str, ...], file: Path | None
) -> pd.DataFrame:
    from policy_sim.errors import InputError

    if sets or file:
        raise InputError("--all-states makes every change by itself: leave out --set and --changes.")
    if len(policies) > 1:
        raise InputError("--all-states ranks under one policy: give --policy once.")
    return study.marginal_effects(policies[0] if policies else "limited-dataset", [state] if state else None)


def _changed(
    study: Study, state: str | None, policies: tuple[str, ...], sets: tuple[str, ...], file: Path | None
) -> pd.DataFrame:
    from policy_sim.api import POLICIES
    from policy_sim.attackers.changes import parse_changes
    from policy_sim.errors import InputError
    from policy_sim.sources.changes import read_changes

    changes = (read_changes(file) if file else {}) | parse_changes(sets)
    if state is None or not changes:
        raise InputError("name a state and at least one change, such as: OH --set birth=date; or --all-states.")
    return study.what_if(state, changes, policies or POLICIES)
