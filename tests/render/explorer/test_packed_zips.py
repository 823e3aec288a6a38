from __future__ import annotations

import pandas as pd

from policy_sim.io.populations.zip_population import zip_parts
from policy_sim.render.explorer.packed_zips import packed_zips


def _numbers(packed):
    value, scale = 0, 1
    for byte in packed:
        value += (byte & 127) * scale
        scale *= 128
        if byte < 128:
            yield value
            value, scale = 0, 1


def test_every_part_is_read_back():
    parts = zip_parts("us-2020")
    counties = sorted(set(parts["county"].astype(str)))[::7]
    numbers = _numbers(packed_zips(counties, parts))
    found = []
    for county in counties:
        code = 0
        for _ in range(next(numbers)):
            code += next(numbers)
            found.append((county, f"{code:05d}", next(numbers)))
    held = parts[(parts["people"] > 0) & parts["county"].isin(counties)].sort_values(["county", "zip5"])
    assert found == list(held[["county", "zip5", "people"]].itertuples(index=False, name=None))
    assert next(numbers, None) is None


def test_without_parts_there_is_nothing():
    assert packed_zips(["10001"], None) == b""
    assert packed_zips(["10001"], pd.DataFrame({"county": [], "zip5": [], "people": []})) == b"\0"
