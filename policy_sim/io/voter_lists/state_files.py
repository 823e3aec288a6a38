"""The voter lists of all states, read from ``voter_policies/``: one TOML file per state."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from policy_sim.errors import SchemaError, SourceError, UnknownNameError
from policy_sim.io.files import sha256_of
from policy_sim.io.paths import voter_policies_dir
from policy_sim.io.toml_table import not_toml, toml_table
from policy_sim.io.voter_lists.document import parse_sources, parse_voter_lists
from policy_sim.states import STATES
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
    "shown_path",
]

# A state that does not exist: its file shows every key and serves the tests.
FICTIONAL = "XX"

_SHARED_SOURCES = "_sources.toml"
_NONE_HELD = "no list is known to hold on this day"
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
        raise UnknownNameError("state with a voter list:", state, lists)
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
    return _read_once(folder, tuple((path.name, path.stat().st_mtime_ns) for path in sorted(_files(folder))))


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
    parts: list[bytes] = []
    for path in sorted(_files(directory or voter_policies_dir())):
        content = path.read_bytes()
        parts += [f"{path.name} {len(content)} ".encode(), content]
    return sha256_of(*parts)


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
    paths = sorted(only or (path for path in _files(folder) if not path.name.startswith("_")))
    for path in paths:
        state, messages = path.stem.upper(), problems.setdefault(shown_path(path), [])
        if state != FICTIONAL and (state not in STATES or path.stem != path.stem.lower()):
            messages.append(
                "the file's name is not a state's postal code in small letters; rename it, such as oh.toml."
            )
            continue
        raw = _parse(path, messages)
        if raw is not None:
            lists[state] = parse_voter_lists(raw, state, shared, messages)
    if not paths:
        problems[shown_path(folder)] = ["no state files are here; a state's file is named by its postal code."]
    return lists, {where: messages for where, messages in problems.items() if messages}


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise SourceError(f"{folder}: there is no such folder of voter-list files.")
    return list(folder.glob("*.toml"))


def shown_path(path: Path) -> str:
    """Return a file's folder and name, as problems name it."""
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


def _parse(path: Path, problems: list[str]) -> dict[str, Any] | None:
    try:
        text = path.read_text(encoding="utf-8")
        return toml_table(text)
    except UnicodeDecodeError as error:
        problems.append(f"is not text in UTF-8: {error}. Save it as UTF-8.")
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{not_toml(error, text)}. Compare with _template.toml.")
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}).") from error
    return None


def shared_sources(directory: Path | None = None) -> dict[str, Source]:
    """Return the documents that files of several states cite: the folder's own, or those that ship."""
    problems: dict[str, list[str]] = {}
    shared = _shared_sources(directory or voter_policies_dir(), problems)
    if any(problems.values()):
        raise SchemaError.together(problems)
    return shared


def _shared_sources(folder: Path, problems: dict[str, list[str]]) -> dict[str, Source]:
    own_path = folder / _SHARED_SOURCES
    path = own_path if own_path.is_file() else voter_policies_dir() / _SHARED_SOURCES
    messages = problems.setdefault(shown_path(path), [])
    raw = _parse(path, messages) or {}
    messages += [f"{key} is not a known key. Known here: source. Remove it." for key in raw if key != "source"]
    return parse_sources(raw, messages)


def _vintages(files: StateLists) -> tuple[str, ...]:
    return tuple(sorted({vintage for lists in files.values() for vintage in lists}))
