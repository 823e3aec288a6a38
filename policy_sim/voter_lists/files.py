"""The voter lists of all states, read from ``voter_policies/``: one TOML file per state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from policy_sim.files.evidence import Evidence, Source
from policy_sim.files.paths import voter_policies_dir
from policy_sim.files.schema import StrictTable, checked, noun_of, read_sources, table_of, tables_of, word, words_of
from policy_sim.files.toml import StateFolder, read_toml_file, shipped_table, shortened, shown_path
from policy_sim.voter_lists.changes import CAUSES, CHANGEABLE, RecordedCause
from policy_sim.voter_lists.facts import MAX_AGE_MONTHS, last_day, months_before, newest_date
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.voter_lists.schema import SHARED_SOURCES, parse_voter_lists
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import SchemaError, UnknownNameError
from policy_sim.words.states import STATES

# A state that does not exist: its file shows every key and serves the tests.
FICTIONAL = "XX"

_NONE_HELD = "no list is known for this date"
_NOT_COVERED = "no evidence was collected for this state and vintage"

_WITH_LISTS = sorted(STATES.keys() - {"PR"})

StateLists = dict[str, dict[str, VoterList]]


def load_voter_lists(vintage: str | None = None, directory: Path | None = None) -> dict[str, VoterList]:
    """Return the voter list of each of the 50 states and DC at one vintage, by postal code.

    A vintage is a year (``"2008"``) or scenario (``"2008-filled"``), by default the newest year; the folder of state
    files is by default the shipped one. A state without evidence for the vintage has a list with the status
    ``unknown``.
    """
    files = read_state_files(directory)
    vintages = _vintages(files)
    chosen = vintage or max(name for name in vintages if name.isdigit())
    if chosen not in vintages:
        raise UnknownNameError("vintage of the voter lists", chosen, vintages)
    return {
        state: files.get(state, {}).get(chosen) or VoterList(state, chosen, "unknown", _NOT_COVERED)
        for state in _WITH_LISTS
    }


def load_lists_held_on(day: dt.date, directory: Path | None = None) -> dict[str, VoterList]:
    """Return the list of each of the 50 states and DC taken to hold on a day: the newest begun by then.

    Scenarios are not lists of a time. A state without one has a list with the status ``unknown``.
    """
    files = read_state_files(directory)
    return {
        state: held_on(files.get(state, {}).values(), day) or VoterList(state, str(day), "unknown", _NONE_HELD)
        for state in _WITH_LISTS
    }


def held_on(lists: Iterable[VoterList], day: dt.date) -> VoterList | None:
    """Return the one of a state's lists taken to hold on a day, as it is then; no scenario, and no list of counties."""
    begun = [listed for listed in lists if listed.vintage.isdigit() and listed.valid_from <= day]
    newest = max(begun, key=lambda listed: listed.valid_from, default=None)
    ended = newest is not None and newest.valid_until is not None and newest.valid_until <= day
    return None if ended or newest is None else newest.on(day)


def list_vintages(directory: Path | None = None) -> tuple[str, ...]:
    """Return every vintage and scenario that some state has, sorted."""
    return _vintages(read_state_files(directory))


def read_state_files(directory: Path | None = None) -> StateLists:
    """Return every list of every file, by state and vintage; the fictional state is among them."""
    return LIST_FOLDER.read(directory)


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


def shared_sources(directory: Path | None = None) -> dict[str, Source]:
    """Return the documents that files of several states cite: the folder's own, or those that ship."""
    problems: dict[str, list[str]] = {}
    shared = LIST_FOLDER.read_shared(directory or voter_policies_dir(), problems)
    if any(problems.values()):
        raise SchemaError.together(problems)
    return shared


def _shared_sources(raw: dict[str, Any], problems: list[str]) -> dict[str, Source]:
    problems += [f"{key} is not a known key. Known here: source. Remove it." for key in raw if key != "source"]
    return read_sources(raw, problems)


LIST_FOLDER: StateFolder[dict[str, VoterList], dict[str, Source]] = StateFolder(
    "voter-list", voter_policies_dir, SHARED_SOURCES, "_template.toml", FICTIONAL, _shared_sources, parse_voter_lists
)


def _vintages(files: StateLists) -> tuple[str, ...]:
    return tuple(sorted({vintage for lists in files.values() for vintage in lists}))


# What is wrong or weak in state files: every finding with file, key and remedy, in one run.


@dataclass(frozen=True)
class Finding:
    """One thing to correct: ``kind`` is malformed, overlap, no source, no date, old, conflict or contradicted."""

    file: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def check_lists(
    directory: Path | None = None,
    only: Sequence[Path] = (),
    today: dt.date | None = None,
    months: int = MAX_AGE_MONTHS,
) -> list[Finding]:
    """Return every finding of the folder's files, or of some of them, by file.

    Age is judged of each state's newest list alone: an older list is old by its nature.
    """
    folder = directory or voter_policies_dir()
    lists, problems = LIST_FOLDER.scan(folder, only)
    findings = [Finding(file, "malformed", text) for file, texts in problems.items() for text in texts]
    oldest = months_before(today or dt.datetime.now(dt.UTC).date(), months)
    for state, by_vintage in lists.items():
        file = shown_path(folder / f"{state.lower()}.toml")
        described = [entry for entry in by_vintage.values() if not entry.is_scenario]
        years = {entry.vintage: entry for entry in described if entry.seller == "state"}
        for seller in ("state", "county"):
            sold = [entry for entry in described if entry.seller == seller]
            findings += [Finding(file, "overlap", text) for text in overlaps(sold)]
        for listed in described:
            findings += [Finding(file, kind, f"[{listed.vintage}] {text}") for kind, text in _weak(listed)]
        if years:
            newest = years[max(years)]
            findings += [Finding(file, "old", f"[{newest.vintage}] {text}") for text in _old(newest, oldest, months)]
    return sorted(findings, key=lambda finding: finding.file)


def overlaps(lists: Iterable[VoterList]) -> Iterator[str]:
    """Yield a line for each two lists of one state, by the same seller, that hold on the same day."""
    ordered = sorted(lists, key=lambda listed: (listed.valid_from, listed.vintage))
    for first, second in pairwise(ordered):
        ends = first.valid_until or second.valid_from
        if first.valid_from == second.valid_from or ends > second.valid_from:
            yield (
                f"[{first.vintage}] valid_until: overlaps with [{second.vintage}], which starts on "
                f"{second.valid_from}. End the first on the date the second starts."
            )


def _weak(listed: VoterList) -> Iterator[tuple[str, str]]:
    for item, evidence in _known(listed):
        if not evidence.sources:
            yield "no source", f"{item}.sources: missing. Cite the id of a [[source]], or write unknown."
        if not evidence.confidence:
            yield "no source", f"{item}.confidence: missing. Write high, medium or low."
    if listed.price.kind != "unknown" and not listed.price.date:
        yield "no date", 'price.date: missing. Write the date the price was seen, or "undated".'
    sure = {item for item, evidence in _known(listed) if evidence.confidence == "high"}
    for number, conflict in enumerate(listed.conflicts, 1):
        if not conflict.resolved and conflict.about in sure:
            yield (
                "contradicted",
                f"conflict {number}: {conflict.about} has high confidence, but sources disagree and the conflict is "
                f"open. Write medium or low, or resolved = true with the reason.",
            )
        if not conflict.resolved:
            yield (
                "conflict",
                (
                    f"conflict {number}: sources disagree on {conflict.about} ({conflict.chosen}; {conflict.other}). "
                    "Find a better source and write resolved = true."
                ),
            )


def _old(listed: VoterList, oldest: dt.date, months: int) -> Iterator[str]:
    for item, evidence in _known(listed):
        newest = newest_date(listed.sources[name] for name in evidence.sources)
        if newest == "undated":
            yield f"{item}.sources: none has a date. Find a source with a date."
        elif newest and last_day(newest) < oldest:
            yield f"{item}.sources: the newest is from {newest}, more than {months} months ago. Find a newer source."


def _known(listed: VoterList) -> Iterator[tuple[str, Evidence]]:
    for name, fact in listed.fields.items():
        if fact.availability != "unknown":
            yield f"fields.{name}", fact.evidence
    if listed.price.kind != "unknown":
        yield "price", listed.price.evidence
    for name, allowed in (("buyers", listed.buyers), ("uses", listed.uses)):
        if allowed.names is not None:
            yield name, allowed.evidence


# Changes of a voter list from a TOML file: one key an item.


def read_changes(path: Path) -> dict[str, str]:
    """Return the changes of a file such as ``birth = "date"``, ``price = 0``."""
    raw = read_toml_file(path)
    problems = [
        f"{shortened(key)} is not an item of a voter list. Use one of {', '.join(CHANGEABLE)}."
        for key in raw
        if key not in CHANGEABLE
    ]
    problems += [
        f"{key} = {shortened(repr(value))} is not a text or a number."
        for key, value in raw.items()
        if key in CHANGEABLE and (isinstance(value, bool) or not isinstance(value, (str, int, float)))
    ] + [
        f"{shortened(key)} is a number of more than 15 digits."
        for key, value in raw.items()
        if isinstance(value, int) and abs(value) > 10**15
    ]
    if problems:
        raise SchemaError(str(path), problems)
    return {key: str(value) for key, value in raw.items()}


# What is recorded of why two vintages of a list differ: ``data/list_changes.toml``.


_CauseTable: Any = table_of(
    RecordedCause, state=word(STATES), fields=(words_of(("status", *LIST_FIELDS)), ()), cause=word(CAUSES)
)


class _CausesTable(StrictTable):
    change: tables_of(_CauseTable, "change") = ()  # type: ignore[valid-type]


@cache
def load_list_changes() -> tuple[RecordedCause, ...]:
    """Return what ships, in the order of the file."""
    where = "list_changes.toml"
    tables = checked(_CausesTable, shipped_table(where), f"data/{where}").change
    return tuple(noun_of(RecordedCause, table) for table in tables)
