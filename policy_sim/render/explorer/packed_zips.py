"""The parts of counties by ZIP code area as small numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from policy_sim.render.explorer.packed_numbers import varints

__all__ = ["packed_zips"]


def packed_zips(counties: Sequence[str], parts: pd.DataFrame | None) -> bytes:
    """Return, for each county, how many areas it has, and the step to each code and its people; empty without parts.

    Examples
    --------
    >>> parts = pd.DataFrame({"county": ["10001"] * 2, "zip5": ["00300", "00007"], "people": [2, 1]})
    >>> list(packed_zips(["10001", "10003"], parts))
    [2, 7, 1, 165, 2, 2, 0]
    """
    if parts is None:
        return b""
    held = parts[parts["people"] > 0].sort_values(["county", "zip5"])
    by_county = {str(county): rows for county, rows in held.groupby("county", observed=True)}
    numbers: list[int] = []
    for county in counties:
        rows = by_county.get(county)
        codes = [] if rows is None else [int(code) for code in rows["zip5"]]
        people = [] if rows is None else rows["people"].tolist()
        numbers.append(len(codes))
        for before, code, residents in zip([0, *codes], codes, people, strict=False):
            numbers += [code - before, int(residents)]
    return varints(numbers)
