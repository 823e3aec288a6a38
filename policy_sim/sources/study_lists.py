"""The voter lists of a study: from the shipped files, or from a database that was asked for."""

from __future__ import annotations

import os

from policy_sim.attackers.voter_list import VoterList
from policy_sim.sources.voter_lists import list_vintages, load_voter_lists

__all__ = ["database_name", "newest_vintage", "study_lists"]


def newest_vintage(vintages: tuple[str, ...]) -> str:
    """Return the newest year among vintages and scenarios."""
    return max(name for name in vintages if name.isdigit())


def study_lists(vintage: str | None, database: str | None) -> tuple[str, dict[str, VoterList]]:
    """Return the vintage and its lists by state.

    Parameters
    ----------
    vintage : A year or scenario; the newest year by default.
    database : A URL, or ``own`` for the user's own database with what was imported; none: the files,
        unless the environment names a database.

    Raises
    ------
    UnknownNameError : no list has the vintage.
    """
    if database is None and not _named_by_environment():
        chosen = vintage or newest_vintage(list_vintages())
        return chosen, load_voter_lists(chosen)
    from policy_sim.sources.database.lists import lists_in, open_lists, vintages_in

    engine = open_lists(database)
    chosen = vintage or newest_vintage(vintages_in(engine))
    return chosen, lists_in(engine, chosen)


def database_name(database: str | None) -> str:
    """Return how outputs name the database, without its password; empty where the files are read."""
    if database is None and not _named_by_environment():
        return ""
    from policy_sim.sources.database.connect import given_url, open_engine, shown_url

    url = given_url(database)
    return shown_url(open_engine(url).url) if url else "your own database"


def _named_by_environment() -> bool:
    return bool(os.environ.get("POLICY_SIM_DATABASE"))
