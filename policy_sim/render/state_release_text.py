"""What a state releases, as text: each file, its terms, its elements, caveats and sources."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import pandas as pd

from policy_sim.policies.policy import Policy
from policy_sim.render.numbers import people, percent, ratio
from policy_sim.render.plain import plain
from policy_sim.render.text_table import Column, layout, table_width, text_table
from policy_sim.results import RiskProfile
from policy_sim.state_releases.state_release import Finding, StateRelease
from policy_sim.state_releases.year_ranges import year_ranges
from policy_sim.voter_lists.evidence import Source

__all__ = ["counts_text", "findings_text", "own_release_line", "release_text", "releases_text"]

_SHORT = ("state", "file", "year", "sex", "race", "birth", "geography", "admission_month", "person_link")


def releases_text(frame: pd.DataFrame, notes: Sequence[str]) -> str:
    """Write one line per file; the terms that they share follow once."""
    return _lines([text_table(frame[list(_SHORT)]), "", *notes])


def counts_text(frame: pd.DataFrame) -> str:
    """Write how many files show each element; elements that no file shows are left out."""
    rows = frame[(frame["shown"] > 0) | (frame["unknown"] > 0)]
    return layout(
        [Column(("element",), tuple(rows["title"]), right=False)],
        [
            Column(("shown",), tuple(f"{n} of {of}" for n, of in zip(rows["shown"], rows["files"], strict=True))),
            Column(("unknown",), tuple(str(n) if n else "" for n in rows["unknown"])),
        ],
    )


def release_text(release: StateRelease, name: str, elements: pd.DataFrame) -> str:
    """Write one file of a state.

    Parameters
    ----------
    release : The release.
    name : The state's name.
    elements : Its rows of :func:`~policy_sim.state_releases.release_tables.elements_frame`.
    """
    program = release.program
    buyers = "unknown" if program.buyers is None else ", ".join(program.buyers)
    facts = {
        "program": program.title,
        "released by": program.holder,
        "years": year_ranges(release.years),
        "agreement": program.agreement.describe() + _cited(program.agreement.citation),
        "price": program.price.describe(),
        "buyers": buyers,
    }
    parts = [f"{name}: {release.id} file", "", *(f"  {key + ':':<15}{value}" for key, value in facts.items()), ""]
    mentioned = elements if release.complete else elements[elements["shown"] != ""]
    renamed = mentioned[["title", "shown", "unknown"]].rename(columns={"title": "element", "shown": "shown in"})
    parts += [_elements(renamed)] if len(renamed) else ["  No source says what the file shows."]
    if not release.complete:
        parts += ["", "  The source does not list every element, so an element that is not named is unknown."]
    caveats = (*program.caveats, *release.caveats)
    parts += ["", "Caveats", *(f"  {text}" for text in caveats)] if caveats else []
    parts += ["", "Sources", *_sources(release.sources)]
    return _lines(parts)


def own_release_line(policy: Policy, profile: RiskProfile, measure: str, people_before: float) -> str:
    """Write in a line what a state's own file shows and risks, next to the risk of another policy.

    Parameters
    ----------
    policy, profile : As :meth:`Study.own_release <policy_sim.study.Study.own_release>` returns them.
    measure : The measure of risk.
    people_before : Expected people under the other policy.
    """
    bounds, share = profile.people(measure), profile.share(measure)
    if bounds is None or share is None:
        return f"own release: {profile.reason}"
    ends = [f"{people(end)} ({percent(part)})" for end, part in ((bounds.low, share.low), (bounds.high, share.high))]
    risk = " to ".join(dict.fromkeys(ends))
    times = [ratio(end / people_before) for end in (bounds.low, bounds.high)] if people_before >= 1 else []
    against = f", {' to '.join(dict.fromkeys(times))} times the first row" if times else ""
    return f"own release: {policy.title}, {profile.linkage_key}: {risk} at risk{against}"


def findings_text(findings: Sequence[Finding], sources: Mapping[str, Source]) -> str:
    """Write what surveys of all states say."""
    parts = [
        "All states",
        "",
        *(f"  {finding.year}: {finding.says}" for finding in findings),
        "",
        "Sources",
        *_sources(sources),
    ]
    return _lines(parts)


def _elements(rows: pd.DataFrame) -> str:
    unknown = tuple(rows["unknown"])
    columns = [Column(("shown in",), tuple(rows["shown in"]), right=False)]
    columns += [Column(("unknown in",), unknown, right=False)] if any(unknown) else []
    return layout([Column(("element",), tuple(rows["element"]), right=False)], columns)


def _cited(citation: str) -> str:
    return f" ({citation})" if citation else ""


def _sources(sources: Mapping[str, Source]) -> list[str]:
    return [
        f"  {key}: {source.title}, {source.date}" + (f" <{source.url}>" if source.url else "")
        for key, source in sources.items()
    ]


def _lines(parts: Sequence[str]) -> str:
    """Wrap lines of prose; a table has lines of its own."""
    width = table_width()
    lines = []
    for part in parts:
        if "\n" in part or not part:
            lines.append(part)
        else:
            indent = " " * (len(part) - len(part.lstrip()))
            lines += textwrap.wrap(plain(part), width, initial_indent="", subsequent_indent=indent + "  ")
    return "\n".join(lines)
