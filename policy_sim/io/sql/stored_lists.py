"""The lists in the database: open it, up to date, and ask for lists by vintage, date or state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from pathlib import Path

from sqlalchemy import ColumnElement, Engine, select

from policy_sim.errors import InputError, SchemaError, UnknownNameError
from policy_sim.files.paths import kind_of
from policy_sim.io.sql.address import database_file, given_url, shown_url
from policy_sim.io.sql.build import IMPORTED, build, built_from, store
from policy_sim.io.sql.connect import open_engine, reading, writing
from policy_sim.io.sql.models import StateRow, VoterListRow
from policy_sim.io.sql.read import held_on, read_from
from policy_sim.io.voter_lists.check import overlaps
from policy_sim.io.voter_lists.state_files import FICTIONAL, files_digest, read_state_files
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["all_lists", "import_lists", "lists_in", "open_lists", "rebuild", "vintages_in"]


def open_lists(database: str | None = None, directory: Path | None = None, *, make: bool = False) -> Engine:
    """Return the database of voter lists, ready to be read.

    The user's own SQLite is built from the state files when they have changed. A database named by
    URL or path (or by ``POLICY_SIM_DATABASE``) is built when it is empty, and afterwards changes only
    on request. Somebody else's tables are never touched.

    Parameters
    ----------
    make : Make the file of an SQLite database that is not there: for commands that write.

    Raises
    ------
    InputError : there is no such file, or its tables are not ours.
    SchemaError : the state files have problems.
    SourceError : the database cannot be reached or written.
    """
    url = given_url(database)
    engine = open_engine(url)
    if url is not None:
        _require_file(engine, make)
    with reading(engine) as connection:
        built = built_from(connection)
    if built is None or (url is None and built != files_digest(directory)):
        rebuild(engine, directory)
    return engine


def _require_file(engine: Engine, make: bool) -> None:
    """Refuse a file that is not there: opening it would leave an empty one under a misspelled name."""
    file = database_file(engine.url)
    kind = "file" if file is None else kind_of(file)
    if kind == "folder":
        raise InputError(f"database {shown_url(engine.url)}: this is a folder. Name a file in it.")
    if not kind and not make:
        raise InputError(
            f"database {shown_url(engine.url)}: there is no such file. Correct the name, or make it "
            "(policy-sim lists build)."
        )


def rebuild(engine: Engine, directory: Path | None = None, *, keep_imports: bool = True) -> None:
    """Build the database from the state files; lists that were imported stay, unless told otherwise."""
    files = read_state_files(directory)
    lists = [listed for state in sorted(files) if state != FICTIONAL for listed in files[state].values()]
    build(engine, lists, files_digest(directory), keep_imports=keep_imports)


def lists_in(
    engine: Engine,
    vintage: str | None = None,
    as_of: dt.date | None = None,
    states: Collection[str] = (),
) -> dict[str, VoterList]:
    """Return one list per state: of a vintage, or that taken to hold on a day; the newest by default.

    A state without one has a list with the status ``unknown``.

    Raises
    ------
    UnknownNameError : a vintage that the database does not hold.
    """
    with reading(engine) as connection:
        state_names = connection.execute(select(StateRow.postal).order_by(StateRow.postal)).scalars().all()
        chosen = "" if as_of else _vintage(vintages_in(engine), vintage)
        held = held_on(as_of) if as_of else VoterListRow.vintage == chosen
        rows = read_from(connection, held, *_of(states))
    lists = {listed.state: listed.on(as_of) if as_of else listed for listed in rows}
    why = "no list is known for this date" if as_of else "no evidence was collected for this vintage"
    return {
        state: lists.get(state) or VoterList(state, chosen or str(as_of), "unknown", why)
        for state in state_names
        if not states or state in states
    }


def all_lists(engine: Engine, states: Collection[str] = ()) -> list[VoterList]:
    """Return every list of the states, scenarios too, by state and vintage."""
    with reading(engine) as connection:
        return read_from(connection, *_of(states))


def vintages_in(engine: Engine) -> tuple[str, ...]:
    """Return every vintage and scenario in the database, sorted."""
    with reading(engine) as connection:
        return tuple(sorted(connection.execute(select(VoterListRow.vintage).distinct()).scalars()))


def import_lists(engine: Engine, lists: Iterable[VoterList]) -> int:
    """Put lists in, in place of those of the same state and vintage; return how many.

    They stay when the database is built again from the state files. ``engine`` is that of
    :func:`open_lists`.

    Raises
    ------
    SchemaError : a list would hold on the same day as another that stays; nothing is changed.
    """
    imported = list(lists)
    with writing(engine) as connection:
        store(connection, imported, IMPORTED)
        problems = [
            f"{state} {text}"
            for state in sorted({listed.state for listed in imported})
            for text in overlaps(read_from(connection, VoterListRow.state == state, VoterListRow.scenario.is_(False)))
        ]
        if problems:
            raise SchemaError("with the lists in the database", problems)
    return len(imported)


def _of(states: Collection[str]) -> list[ColumnElement[bool]]:
    return [VoterListRow.state.in_(list(states))] if states else []


def _vintage(vintages: Collection[str], requested: str | None) -> str:
    chosen = requested or max((name for name in vintages if name.isdigit()), default="")
    if not chosen:
        raise InputError("the database holds no voter lists. Fill it (policy-sim lists build).")
    if chosen not in vintages:
        raise UnknownNameError("vintage of the voter lists", chosen, vintages)
    return chosen
