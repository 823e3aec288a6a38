"""Options that the commands on voter lists share, and the lists they choose."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from policy_sim.cli.options import as_of_option

if TYPE_CHECKING:
    from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["chosen_lists", "database_option", "every_list", "state_lists", "when_options", "which_lists_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def database_option(command: _Command) -> _Command:
    """``--database``: where the lists are."""
    return click.option(
        "--database",
        metavar="URL|own",
        help="Address of a database, such as postgresql+psycopg://user@host/name. [default: $POLICY_SIM_DATABASE, or "
        "your own SQLite]",
    )(command)


def when_options(command: _Command) -> _Command:
    """``--lists`` and ``--as-of``: the date of the lists."""
    vintage = click.option("--lists", "vintage", metavar="VINTAGE", help="Year of the lists. [default: the newest]")
    return vintage(as_of_option()(command))


def which_lists_options(command: _Command) -> _Command:
    """``--lists``, ``--as-of`` and ``--database`` of a study: the files, unless a database is named."""
    vintage = click.option("--lists", metavar="VINTAGE", help="Year of the lists. [default: the newest]")
    database = click.option(
        "--database", metavar="URL|own", help="Read the lists from a database ('own' is yours) instead of the files."
    )
    return vintage(as_of_option()(database(command)))


def chosen_lists(
    database: str | None,
    vintage: str | None,
    as_of: dt.date | None,
    states: tuple[str, ...] = (),
) -> dict[str, VoterList]:
    """Return one list per state, as the options choose.

    Raises
    ------
    InputError : both a vintage and a day.
    UnknownNameError : a state or vintage without lists.
    """
    from policy_sim.errors import InputError
    from policy_sim.io.sql.stored_lists import lists_in, open_lists
    from policy_sim.states import find_states, unknown_state

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
    from policy_sim.io.sql.stored_lists import all_lists, open_lists
    from policy_sim.states import STATES

    return [listed for listed in all_lists(open_lists(database)) if listed.state in STATES]


def state_lists(database: str | None, state: str) -> list[VoterList]:
    """Return every list of one state."""
    from policy_sim.io.sql.stored_lists import all_lists, open_lists
    from policy_sim.states import STATES, find_state, unknown_state

    match = find_state(state)
    lists = all_lists(open_lists(database), [match.postal])
    if not lists:
        raise unknown_state("state with a voter list:", match.postal, [name for name in STATES if name != "PR"])
    return lists
