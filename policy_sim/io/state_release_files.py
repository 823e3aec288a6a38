"""The releases of all states, read from ``data/releases``: one TOML file per jurisdiction."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from policy_sim.errors import InputError, SchemaError, UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.state_folder import (
    folder_digest,
    folder_files,
    folder_state,
    read_state_file,
    shown_path,
    state_of_file,
)
from policy_sim.io.state_release_document import SHARED_PROGRAMS, ReleaseFile, parse_programs, parse_release_file
from policy_sim.policies.policy import Policy
from policy_sim.state_releases.release_policy import NEWEST, newest_policy, one_release_policy
from policy_sim.state_releases.state_release import Program, StateRelease
from policy_sim.states import find_state, unknown_state
from policy_sim.voter_lists.evidence import Source

__all__ = [
    "PREFIX",
    "load_releases",
    "newest_releases",
    "release_policy",
    "releases_digest",
    "releases_of",
    "scan_release_files",
]

PREFIX = "release:"
NATION = "US"
_KIND = "release"


def load_releases(directory: Path | None = None) -> dict[str, ReleaseFile]:
    """Return the file of every jurisdiction, by postal code; ``US`` holds the surveys of all states.

    Parameters
    ----------
    directory : A folder of files; the shipped one by default.

    Raises
    ------
    SchemaError : the problems of all files at once.
    SourceError : there is no such folder, or a file cannot be read.

    Examples
    --------
    >>> load_releases()["NC"].releases[0].availability("zip5", 2016)
    'shown'
    """
    folder = directory or data_dir() / "releases"
    return _read_once(folder, folder_state(folder_files(folder, _KIND)))


@lru_cache(maxsize=4)
def _read_once(folder: Path, _state: tuple[tuple[str, int], ...]) -> dict[str, ReleaseFile]:
    files, problems = scan_release_files(folder)
    if problems:
        raise SchemaError.together(problems)
    return files


def scan_release_files(directory: Path | None = None) -> tuple[dict[str, ReleaseFile], dict[str, list[str]]]:
    """Return every file that could be read, and the problems by file (empty when all is well)."""
    folder = directory or data_dir() / "releases"
    problems: dict[str, list[str]] = {}
    files: dict[str, ReleaseFile] = {}
    shared = folder / SHARED_PROGRAMS
    programs, sources = _shared(shared if shared.is_file() else data_dir() / "releases" / SHARED_PROGRAMS, problems)
    for path in folder_files(folder, _KIND):
        if path.name == SHARED_PROGRAMS:
            continue
        lines = problems.setdefault(shown_path(path), [])
        state = state_of_file(path, lines, also=(NATION,))
        raw = read_state_file(path, lines, SHARED_PROGRAMS) if state else None
        if raw is not None:
            files[state] = parse_release_file(raw, state, programs, sources, lines)
    return files, {where: lines for where, lines in problems.items() if lines}


def releases_of(state: str, directory: Path | None = None) -> ReleaseFile:
    """Return the file of one state (postal code, FIPS code or name).

    Raises
    ------
    UnknownNameError : no state has that name, or no release of it is recorded.
    """
    files = load_releases(directory)
    postal = NATION if state.strip().upper() == NATION else find_state(state).postal
    if postal not in files:
        raise unknown_state("state with a recorded release:", postal, files)
    return files[postal]


def newest_releases(setting: str = "inpatient", year: int | None = None) -> dict[str, tuple[StateRelease, int]]:
    """Return each state's newest file whose source lists every element, and its year.

    Parameters
    ----------
    setting : ``inpatient`` or ``emergency``.
    year : The file of this year, instead of the newest; states without one are left out.

    Examples
    --------
    >>> newest_releases()["NC"][1], newest_releases(year=1998)["AZ"][1]
    (2020, 1998)
    """
    chosen: dict[str, tuple[StateRelease, int]] = {}
    for state, file in load_releases().items():
        for release in file.releases:
            if release.program.setting != setting or not release.complete:
                continue
            last = year if year in release.years else max(release.years) if year is None else None
            if last is not None and last > chosen.get(state, (release, 0))[1]:
                chosen[state] = (release, last)
    return chosen


def release_policy(name: str) -> Policy:
    """Return the policy of ``newest``, or of one file such as ``NC:2016`` or ``NC:2016:emergency``.

    Parameters
    ----------
    name : The choice, with or without ``release:`` in front.

    Raises
    ------
    InputError : another form; a file of which it is not known what it shows.
    UnknownNameError : no such state, file or year.

    Examples
    --------
    >>> str(release_policy("NC:2016").releases)
    'gender+race+birth=month+geography=county_zip5'
    """
    parts = name.removeprefix(PREFIX).split(":")
    if parts == [NEWEST]:
        return newest_policy(newest_releases())
    if len(parts) not in (2, 3) or not parts[1].isascii() or not parts[1].isdecimal():
        raise InputError(
            f"release {name!r}: write 'newest', or a state, a year and a file: NC:2016, NC:2016:emergency."
        )
    file, program = releases_of(parts[0]), parts[2] if len(parts) == 3 else "inpatient"
    by_id = {release.id: release for release in file.releases}
    if program not in by_id:
        raise UnknownNameError(f"file of {file.jurisdiction}", program, by_id)
    return one_release_policy(by_id[program], int(parts[1]))


def releases_digest(directory: Path | None = None) -> str:
    """Return a sha256 over the names and bytes of the files."""
    return folder_digest(folder_files(directory or data_dir() / "releases", _KIND))


def _shared(path: Path, problems: dict[str, list[str]]) -> tuple[dict[str, Program], dict[str, Source]]:
    lines = problems.setdefault(shown_path(path), [])
    return parse_programs(read_state_file(path, lines, SHARED_PROGRAMS) or {}, lines)
