"""Releases as tidy tables: each state's file of a year, its elements, its history, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from policy_sim.policies.states.state_release import RELEASE_ELEMENTS, Finding, StateRelease, views_of, year_ranges
from policy_sim.words.fields import RACE_ALONE, Field, field_word

# Elements of which a file shows all, or all of another group.
_Ways: TypeAlias = Sequence[Sequence[str]]
_SIGNS = {"shown": "shown", "withheld": "not shown", "unknown": "unknown"}
# Elements next to the measured ones that help to find a person.
_TOLD = ("admission_month", "person_link")


def releases_frame(chosen: Iterable[tuple[StateRelease, int]]) -> pd.DataFrame:
    """Return one row per file: what it shows of each field, on what terms, and how well that is known.

    ``sex`` to ``geography`` are granularities, with ``or`` between two ends where it is not known how finely a field is
    shown; an ethnicity that race tells is ``with race``. ``price_usd`` is missing where no source says, and 0 for a
    free file.
    """
    rows = []
    for release, year in chosen:
        program = release.program
        price = program.price
        rows.append(
            {
                "state": release.state,
                "file": release.id,
                "year": year,
                **_views(release, year),
                **{name: _SIGNS[release.availability(name, year)] for name in _TOLD},
                "agreement": program.agreement.describe(),
                "price": price.describe(),
                "price_usd": 0.0 if price.kind == "free" else price.usd,
                "buyers": "unknown" if program.buyers is None else ", ".join(program.buyers),
                "program": program.title,
                "confidence": program.evidence.confidence,
            }
        )
    columns = ["state", "file", "year", *map(field_word, Field), *_TOLD, "agreement", "price", "price_usd"]
    columns += ["buyers", "program", "confidence"]
    return pd.DataFrame(rows, columns=columns).astype({"year": "Int64", "price_usd": "Float64"})


def element_counts_frame(chosen: Iterable[tuple[StateRelease, int]]) -> pd.DataFrame:
    """Return, for each element, how many of the files show it, and in which states.

    Two combinations follow the elements: some county, and month of birth with sex, race and ZIP code.
    """
    files = list(chosen)
    ways: dict[str, tuple[str, _Ways]] = {
        name: (element.title, ((name,),)) for name, element in RELEASE_ELEMENTS.items()
    }
    ways["any_county"] = ("county of residence, in either form", (("county",), ("county_from_zip",)))
    ways["birth_month+sex+race+zip5"] = (
        "month of birth, sex, race and ZIP code together",
        [("birth_month", "birth_year", "sex", race, "zip5") for race in ("race", "race_ethnicity")],
    )
    rows = [_count(name, title, files, element) for name, (title, element) in ways.items()]
    columns = ["element", "title", "shown", "unknown", "files", "states"]
    return pd.DataFrame(rows, columns=columns)


def _count(name: str, title: str, files: Sequence[tuple[StateRelease, int]], ways: _Ways) -> dict[str, object]:
    """Count the files that show all elements of one of the ways."""
    elements_by_file = [(release.state, set(release.elements(year))) for release, year in files]
    states = [state for state, elements in elements_by_file if any(set(way) <= elements for way in ways)]
    unknown = sum(name in RELEASE_ELEMENTS and release.availability(name, year) == "unknown" for release, year in files)
    return {
        "element": name,
        "title": title,
        "shown": len(states),
        "unknown": unknown,
        "files": len(files),
        "states": " ".join(states),
    }


def elements_frame(releases: Iterable[StateRelease], only_year: int | None = None) -> pd.DataFrame:
    """Return one row per file and element that it ever shows, or of which it is not known: the years of each.

    ``only_year``: one year that all of them have; every year by default.
    """
    rows = []
    for release in releases:
        counted = release.years if only_year is None else (only_year,)
        for name, element in RELEASE_ELEMENTS.items():
            years = {
                word: [year for year in counted if release.availability(name, year) == word]
                for word in ("shown", "unknown")
            }
            if years["shown"] or years["unknown"]:
                rows.append(
                    {
                        "state": release.state,
                        "file": release.id,
                        "element": name,
                        "title": element.title,
                        "group": element.group,
                        "shown": year_ranges(years["shown"]),
                        "unknown": year_ranges(years["unknown"]),
                        "newest": _SIGNS[release.availability(name, counted[-1])],
                    }
                )
    return pd.DataFrame(rows, columns=["state", "file", "element", "title", "group", "shown", "unknown", "newest"])


def release_history_frame(release: StateRelease) -> pd.DataFrame:
    """Return one row per year of a file: what it shows of each field, and what came and went since the year before.

    Names of elements follow ``+`` where they came and ``-`` where they went; the first year lists nothing.
    """
    rows = []
    for before, year in zip((None, *release.years), release.years, strict=False):
        rows.append(
            {
                "state": release.state,
                "file": release.id,
                "year": year,
                **_views(release, year),
                "elements": len(release.elements(year)),
                "change": "" if before is None else _change(release, before, year),
            }
        )
    return pd.DataFrame(rows).astype({"year": "Int64"})


def release_diff_frame(release: StateRelease, before: int, after: int) -> pd.DataFrame:
    """Return one row per element that a file shows in one of two years and not in the other, or in a year unknown."""
    rows = []
    for name, element in RELEASE_ELEMENTS.items():
        old, new = (release.availability(name, year) for year in (before, after))
        if old != new:
            rows.append((release.state, release.id, name, element.title, _SIGNS[old], _SIGNS[new]))
    return pd.DataFrame(rows, columns=["state", "file", "element", "title", str(before), str(after)], dtype="string")


def _views(release: StateRelease, year: int) -> Mapping[str, str]:
    low, high = ({**view} for view in views_of(release, year))
    for view in (low, high):
        if view[Field.RACE] in RACE_ALONE:
            view[Field.ETHNICITY] = "with race"
    return {
        field_word(field): low[field] if low[field] == high[field] else f"{low[field]} or {high[field]}"
        for field in Field
    }


def _change(release: StateRelease, before: int, year: int) -> str:
    old, new = (set(release.elements(moment)) for moment in (before, year))
    came = [f"+{name}" for name in RELEASE_ELEMENTS if name in new - old]
    removed = [f"-{name}" for name in RELEASE_ELEMENTS if name in old - new]
    return " ".join([*came, *removed])


def programs_frame(releases: Iterable[StateRelease]) -> pd.DataFrame:
    """Return one row per program: how much is recorded of it, and what is not known.

    ``release_years`` counts a state's file in a year once, ``files`` twice where the year comes in two parts.
    """
    by_program: dict[str, list[StateRelease]] = {}
    for release in releases:
        by_program.setdefault(release.program.id, []).append(release)
    rows = []
    for name, program_releases in by_program.items():
        program = program_releases[0].program
        years = [year for release in program_releases for year in release.years]
        agreement = {True: "required", False: "none", None: "unknown"}[program.agreement.required]
        rows.append(
            {
                "program": name,
                "jurisdictions": len({release.state for release in program_releases}),
                "release_years": len(years),
                "files": sum(release.files for release in program_releases),
                "first": min(years),
                "last": max(years),
                "every_element": all(release.complete for release in program_releases),
                "agreement": agreement,
                "price": program.price.kind,
                "sources": len({name for release in program_releases for name in release.sources}),
                "confidence": program.evidence.confidence or "unknown",
            }
        )
    return pd.DataFrame(rows)


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return one row per finding of a survey."""
    columns = ["year", "says", "counted", "confidence"]
    rows = [(finding.year, finding.says, finding.counted, finding.evidence.confidence) for finding in findings]
    return pd.DataFrame(rows, columns=columns).astype({"counted": "Int64"})
