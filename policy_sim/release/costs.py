"""What a release costs, in sentences: rows, columns that show nothing, and what its guidelines ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from policy_sim.briefs.sentences import and_words, first_up
from policy_sim.release.figures import NOTHING_SHOWN
from policy_sim.show.numbers import share


def suppressed_text(search: Mapping[str, Any]) -> str:
    """Say how many rows are suppressed, and how many may be.

    >>> suppressed_text({"suppressed": 40, "drawn": 400, "limit": 0.05})
    '40 of 400 rows are suppressed (10.0%; the limit is 5.0% of the records).'
    """
    return (
        f"{search['suppressed']:,} of {search['drawn']:,} rows are suppressed "
        f"({share(search['suppressed'] / search['drawn'])}; the limit is {share(search['limit'])} of the records)."
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


def costs_of(search: Mapping[str, Any] | None, variables: Sequence[Mapping[str, str]]) -> list[str]:
    """Say what a release costs: rows, columns that show nothing, and where it departs from its guidelines.

    >>> costs_of(None, [{"name": "age", "done": NOTHING_SHOWN}, {"name": "sex", "done": "unchanged"}])
    ['Lost: every value of age is *.']
    """
    lost = [row["name"] for row in variables if row["done"] == NOTHING_SHOWN]
    lines = [] if search is None else [suppressed_text(search)]
    if lost:
        lines.append(f"Lost: every value of {and_words(lost)} is *.")
    departure = "" if search is None else departure_text(search)
    return [*lines, f"{first_up(departure)}."] if departure else lines
