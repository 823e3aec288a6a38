"""The voter lists of all states, read from ``voter_policies/``: one TOML file per state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path

from policy_sim.errors import SchemaError, UnknownNameError
from policy_sim.files.paths import voter_policies_dir
from policy_sim.io.state_folder import (
    folder_digest,
    folder_files,
    folder_state,
    read_state_file,
    shown_path,
    state_of_file,
)
from policy_sim.io.voter_lists.document import SHARED_SOURCES, parse_sources, parse_voter_lists
from policy_sim.states import STATES, unknown_state
from policy_sim.voter_lists.evidence import Source
from policy_sim.voter_lists.voter_list import VoterList

__all__ = [
    "FICTIONAL",
    "described_lists",
    "files_digest",
    "list_vintages",
    "load_lists_held_on",
    "load_voter_list",
    "load_voter_lists",
    "read_state_files",
    "scan_state_files",
    "shared_sources",
]

# A state that does not exist: its file shows every key and serves the tests.
FICTIONAL = "XX"

_NONE_HELD = "no list is known for this date"
_TEMPLATE = "_template.toml"
_KIND = "voter-list"
_NOT_COVERED = "no evidence was collected for this state and vintage"

StateLists = dict[str, dict[str, VoterList]]


def load_voter_lists(vintage: str | None = None, directory: Path | None = None) -> dict[str, VoterList]:
    """Return the voter list of each of the 50 states and DC at one vintage, by postal code.

    Parameters
    ----------
    vintage : A year (``"2008"``) or scenario (``"2008-filled"``); the newest year if not given.
    directory : A folder of state files; the shipped one if not given.

    Returns
    -------
    All 51, sorted. A state without evidence for the vintage has a list with the status ``unknown``.

    Raises
    ------
    UnknownNameError : no file has the vintage.
    SchemaError : what is wrong with the files, all of it.
    """
    files = read_state_files(directory)
    vintages = _vintages(files)
    chosen = vintage or max(name for name in vintages if name.isdigit())
    if chosen not in vintages:
        raise UnknownNameError("vintage of the voter lists", chosen, vintages)
    return {
        state: files.get(state, {}).get(chosen) or VoterList(state, chosen, "unknown", status_reason=_NOT_COVERED)
        for state in sorted(STATES)
        if state != "PR"
    }


def load_voter_list(state: str, vintage: str | None = None, directory: Path | None = None) -> VoterList:
    """Return one state's list (postal code), as :func:`load_voter_lists` does.

    Raises
    ------
    UnknownNameError : no voter list is kept for the state, or no file has the vintage.
    """
    lists = load_voter_lists(vintage, directory)
    if state not in lists:
        raise unknown_state("state with a voter list:", state, lists)
    return lists[state]


def load_lists_held_on(day: dt.date, directory: Path | None = None) -> dict[str, VoterList]:
    """Return the list of each of the 50 states and DC taken to hold on a day: the newest begun by then.

    Scenarios are not lists of a time. A state without one has a list with the status ``unknown``.
    """
    files = read_state_files(directory)
    return {
        state: _held_on(files.get(state, {}).values(), day) or VoterList(state, str(day), "unknown", _NONE_HELD)
        for state in sorted(STATES)
        if state != "PR"
    }


def _held_on(lists: Iterable[VoterList], day: dt.date) -> VoterList | None:
    begun = [listed for listed in lists if listed.vintage.isdigit() and listed.valid_from <= day]
    newest = max(begun, key=lambda listed: listed.valid_from, default=None)
    ended = newest is not None and newest.valid_until is not None and newest.valid_until <= day
    return None if ended or newest is None else newest.on(day)


def list_vintages(directory: Path | None = None) -> tuple[str, ...]:
    """Return every vintage and scenario that some state has, sorted."""
    return _vintages(read_state_files(directory))


def read_state_files(directory: Path | None = None) -> StateLists:
    """Return every list of every file, by state and vintage; the fictional state is among them.

    Raises
    ------
    SchemaError : the problems of all files at once.
    """
    folder = directory or voter_policies_dir()
    return _read_once(folder, folder_state(folder_files(folder, _KIND)))


@lru_cache(maxsize=4)
def _read_once(folder: Path, _state: tuple[tuple[str, int], ...]) -> StateLists:
    """Read a folder; asked again, answer from memory until a file changes."""
    lists, problems = scan_state_files(folder)
    if problems:
        raise SchemaError.together(problems)
    return lists


def described_lists(directory: Path | None = None) -> list[VoterList]:
    """Return every list that describes a year, by state and vintage; neither scenarios nor the fictional state."""
    files = read_state_files(directory)
    return [
        files[state][vintage]
        for state in sorted(files)
        if state != FICTIONAL
        for vintage in sorted(files[state])
        if not files[state][vintage].is_scenario
    ]


def files_digest(directory: Path | None = None) -> str:
    """Return a sha256 over the names and bytes of the files of a folder."""
    return folder_digest(folder_files(directory or voter_policies_dir(), _KIND))


def scan_state_files(
    directory: Path | None = None, only: Collection[Path] = ()
) -> tuple[StateLists, dict[str, list[str]]]:
    """Return every list that could be read, and the problems by file (empty when all is well).

    ``only`` narrows it to some files of the folder.
    """
    folder = directory or voter_policies_dir()
    problems: dict[str, list[str]] = {}
    shared = _shared_sources(folder, problems)
    lists: StateLists = {}
    paths = sorted(only or (path for path in folder_files(folder, _KIND) if not path.name.startswith("_")))
    for path in paths:
        messages = problems.setdefault(shown_path(path), [])
        state = state_of_file(path, messages, also=(FICTIONAL,))
        raw = read_state_file(path, messages, _TEMPLATE) if state else None
        if raw is not None:
            lists[state] = parse_voter_lists(raw, state, shared, messages)
    if not paths:
        problems[shown_path(folder)] = ["this folder has no state files. Name a state's file by its postal code."]
    return lists, {where: messages for where, messages in problems.items() if messages}


def shared_sources(directory: Path | None = None) -> dict[str, Source]:
    """Return the documents that files of several states cite: the folder's own, or those that ship."""
    problems: dict[str, list[str]] = {}
    shared = _shared_sources(directory or voter_policies_dir(), problems)
    if any(problems.values()):
        raise SchemaError.together(problems)
    return shared


def _shared_sources(folder: Path, problems: dict[str, list[str]]) -> dict[str, Source]:
    own_path = folder / SHARED_SOURCES
    path = own_path if own_path.is_file() else voter_policies_dir() / SHARED_SOURCES
    messages = problems.setdefault(shown_path(path), [])
    raw = read_state_file(path, messages, _TEMPLATE) or {}
    messages += [f"{key} is not a known key. Known here: source. Remove it." for key in raw if key != "source"]
    return parse_sources(raw, messages)


def _vintages(files: StateLists) -> tuple[str, ...]:
    return tuple(sorted({vintage for lists in files.values() for vintage in lists}))
