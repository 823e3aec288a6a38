"""What a release costs, in sentences: rows, columns that show nothing, and what its guidelines ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from policy_sim.briefs.sentences import and_words, first_up
from policy_sim.release.figures import NOTHING_SHOWN
from policy_sim.release.treatments import AGE_KINDS, UNDECIDED
from policy_sim.show.numbers import share

_SAYS_AGE = ("birth_date", "birth_year", *AGE_KINDS)


def suppressed_text(search: Mapping[str, Any], people: Mapping[str, Any] | None = None) -> str:
    """Say how many rows are suppressed, and how many may be; ``people`` is there where a person has several rows.

    >>> suppressed_text({"suppressed": 40, "drawn": 400, "limit": 0.05})
    '40 of 400 rows are suppressed (10.0%; the limit is 5.0% of the records).'
    >>> suppressed_text({"suppressed": 60, "drawn": 800, "limit": 0.05}, {"suppressed": 12, "drawn": 300})
    '60 of 800 rows are suppressed. They are of 12 of 300 people (4.0%); the limit is 5.0% of the people.'
    """
    rows = f"{search['suppressed']:,} of {search['drawn']:,} rows are suppressed"
    if people is None:
        part = share(search["suppressed"] / search["drawn"])
        return f"{rows} ({part}; the limit is {share(search['limit'])} of the records)."
    part = share(people["suppressed"] / people["drawn"])
    return (
        f"{rows}. They are of {people['suppressed']:,} of {people['drawn']:,} people ({part}); "
        f"the limit is {share(search['limit'])} of the people."
    )


def departure_text(search: Mapping[str, Any]) -> str:
    """Say where a release departs from guidelines that ask for uniform classes; empty where it does not.

    >>> departure_text({"uniform": "IPC 2016, step 7", "at_several_levels": ["age"]}).partition(",")[0]
    'this release departs from its guidelines: age is shown at several levels'
    """
    mixed = search.get("at_several_levels", ())
    if not mixed or not search.get("uniform"):
        return ""
    return (
        f"this release departs from its guidelines: {', '.join(mixed)} {'is' if len(mixed) == 1 else 'are'} shown at "
        f"several levels, where they ask for one set of classes, without overlap, over all rows ({search['uniform']})"
    )


def costs_of(
    search: Mapping[str, Any] | None,
    variables: Sequence[Mapping[str, str]],
    people: Mapping[str, Any] | None = None,
) -> list[str]:
    """Say what a release costs: rows, columns that show nothing, what costs it, and where it departs from guidelines.

    >>> costs_of(None, [{"name": "age", "done": NOTHING_SHOWN}, {"name": "sex", "done": "unchanged"}])
    ['Lost: every value of age is *.']
    """
    lost = [row["name"] for row in variables if row["done"] == NOTHING_SHOWN]
    lines = [] if search is None else [suppressed_text(search, people)]
    if lost:
        lines.append(f"Lost: every value of {and_words(lost)} is *.")
        lines += _ways_out(search, variables, people)
    lines += overruled(variables)
    departure = "" if search is None else departure_text(search)
    return [*lines, f"{first_up(departure)}."] if departure else lines


def overruled(variables: Sequence[Mapping[str, str]]) -> list[str]:
    """Say which columns somebody accepted that are left out, because the attack could not tell what they show."""
    return [
        f"Left out, though its guess was accepted: {row['name']}: {row['reason']}. To release it, give it a role with "
        "a reason."
        for row in variables
        if is_overruled(row)
    ]


def is_overruled(row: Mapping[str, str]) -> bool:
    """Tell whether a row of a release's columns is one of :func:`overruled`."""
    return row.get("standing") == "left out" and row.get("role") == UNDECIDED and bool(row.get("by"))


def _ways_out(
    search: Mapping[str, Any] | None, variables: Sequence[Mapping[str, str]], people: Mapping[str, Any] | None
) -> list[str]:
    """Say which choices cost whole columns, and what to try instead."""
    why, tries = list[str](), list[str]()
    if people is not None and people["known"] == "all":
        why.append("an attacker is taken to know all rows of a person, which makes nearly everyone alone")
        tries.append("if that is not so, say how many rows of a person an attacker knows: one, or two")
    same = [row["name"] for row in variables if row.get("role") == "key" and row.get("kind") in _SAYS_AGE]
    same = [name for name in same if not _is_dropped(name, variables)]
    if len(same) > 1:
        why.append(f"{and_words(same)} are key fields that say the same: how old a person is")
        tries.append(f"keep one of {and_words(same)} and drop the {'other' if len(same) == 2 else 'others'}")
    if search is not None:
        tries.append(f"raise the limit of {share(search['limit'])}, or choose a smaller class")
    return [
        *([f"What costs this: {'; '.join(why)}."] if why else []),
        *([f"What to try: {'; '.join(tries)}."] if tries else []),
    ]


def _is_dropped(name: str, variables: Sequence[Mapping[str, str]]) -> bool:
    done = next(row["done"] for row in variables if row["name"] == name)
    return done.startswith(("dropped", "left out"))
