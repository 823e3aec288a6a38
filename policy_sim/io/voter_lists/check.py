"""What is wrong or weak in state files: every finding with file, key and remedy, in one run."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from policy_sim.files.paths import voter_policies_dir
from policy_sim.io.state_folder import shown_path
from policy_sim.io.voter_lists.state_files import scan_state_files
from policy_sim.voter_lists.evidence import Evidence
from policy_sim.voter_lists.facts import newest_date
from policy_sim.voter_lists.freshness import MAX_AGE_MONTHS, last_day, months_before
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["Finding", "check_lists", "overlaps"]


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

    Parameters
    ----------
    directory : A folder of state files; the shipped one by default.
    only : Files of the folder.
    today : The day by which age is judged.
    months : A fact is old when its newest source is older than this.
    """
    folder = directory or voter_policies_dir()
    lists, problems = scan_state_files(folder, only)
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
