"""The voter lists of a study: from the shipped files, or from a database that was asked for."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterable

from policy_sim.attackers.state_lists import AS_OF
from policy_sim.errors import InputError
from policy_sim.io.files import sha256_of
from policy_sim.io.voter_lists.document import list_table
from policy_sim.io.voter_lists.state_files import list_vintages, load_lists_held_on, load_voter_lists
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["database_name", "lists_digest", "newest_vintage", "study_lists"]


def newest_vintage(vintages: tuple[str, ...]) -> str:
    """Return the newest year among vintages and scenarios."""
    return max(name for name in vintages if name.isdigit())


def study_lists(
    vintage: str | None, database: str | None, as_of: dt.date | None = None
) -> tuple[str, dict[str, VoterList]]:
    """Return the vintage and its lists by state.

    Parameters
    ----------
    vintage : A year or scenario; the newest year by default.
    as_of : A day instead: each state's list is the newest begun by then, and the vintage says the day.
    database : A URL, or ``own`` for the user's own database with what was imported; none: the files,
        unless the environment names a database.

    Raises
    ------
    InputError : both a vintage and a day.
    UnknownNameError : no list has the vintage.
    """
    if vintage and as_of:
        raise InputError("the year of the lists and the date (as of) both choose a time: use one of them.")
    name = f"{AS_OF}{as_of}"
    if database is None and not _named_by_environment():
        if as_of:
            return name, load_lists_held_on(as_of)
        chosen = vintage or newest_vintage(list_vintages())
        return chosen, load_voter_lists(chosen)
    from policy_sim.io.sql.stored_lists import lists_in, open_lists, vintages_in

    engine = open_lists(database)
    if as_of:
        return name, lists_in(engine, as_of=as_of)
    chosen = vintage or newest_vintage(vintages_in(engine))
    return chosen, lists_in(engine, chosen)


def database_name(database: str | None) -> str:
    """Return how outputs name the database, without its password; empty where the files are read."""
    if database is None and not _named_by_environment():
        return ""
    from policy_sim.io.sql.address import given_url, read_address, shown_url

    url = given_url(database)
    return shown_url(read_address(url)) if url else "your own database"


def lists_digest(lists: Iterable[VoterList]) -> str:
    """Return a sha256 over what the lists say: the same from the files and from a database."""
    facts = [
        [listed.state, listed.vintage, list_table(listed), sorted(map(repr, listed.sources.values()))]
        for listed in sorted(lists, key=lambda listed: listed.state)
    ]
    return sha256_of(json.dumps(facts, default=str, sort_keys=True).encode())


def _named_by_environment() -> bool:
    return bool(os.environ.get("POLICY_SIM_DATABASE"))
