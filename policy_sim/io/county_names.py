"""Counties by name (the shipped boundaries of 2010, and those that changed since), and the states of places."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from policy_sim.files.paths import data_dir
from policy_sim.io.boundaries import boundaries_file
from policy_sim.states import POSTAL_OF_FIPS

__all__ = ["county_code", "states_of_zips", "states_with"]

_KIND = re.compile(r" (?:county|co|cnty|parish|borough|census area|municipality|city and borough)$")
_MOST_ZIPS = 0.9
_FIRST_CITY = 510  # FIPS numbers independent cities from here, beside a county of their name
# Named in data/county_changes.toml, with the days from which the codes stand.
_LATER: Mapping[str, str] = {
    "46102": "Oglala Lakota",
    "02158": "Kusilvak",
    "02063": "Chugach",
    "02066": "Copper River",
}


def county_code(state: str, text: str) -> str | None:
    """Return the five-digit code of a county by its name, with or without its kind; None if no or several counties fit.

    Examples
    --------
    >>> county_code("OH", "Allen"), county_code("OH", "ALLEN COUNTY"), county_code("OH", "Allen County, OH")
    ('39003', '39003', '39003')
    >>> county_code("VA", "Richmond"), county_code("VA", "Richmond city"), county_code("LA", "St Tammany Parish")
    (None, '51760', '22103')
    """
    name = _plain(re.sub(rf",\s*{state}$", "", text.strip(), flags=re.IGNORECASE))
    codes = _names().get(state, {})
    return codes.get(name) or codes.get(_KIND.sub("", name))


def states_with(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the states that have the most counties of these names; none where they have fewer than half.

    >>> states_with(["Allen", "Lucas", "Unknown"]), states_with(["Nowhere", "Unknown"])
    (('OH',), ())
    """
    names = list(texts)
    by_state = {state: sum(county_code(state, text) is not None for text in names) for state in sorted(_names())}
    most = max(by_state.values())
    return tuple(state for state in by_state if by_state[state] == most and 2 * most >= max(len(names), 1))


def states_of_zips(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the state in which at least nine tenths of these ZIP codes lie, by Census 2020; none where they spread.

    >>> states_of_zips(["43215", "43604-1234", "44101"]), states_of_zips(["43215", "10001"])
    (('OH',), ())
    """
    import pyarrow.parquet as pq

    zip_codes = {text.strip()[:5] for text in texts}
    parts = pq.read_table(data_dir() / "zip" / "zcta_county_2020.parquet", columns=["county", "zip5"]).to_pylist()
    state_of = {part["zip5"]: POSTAL_OF_FIPS.get(part["county"][:2], "") for part in parts if part["zip5"] in zip_codes}
    commonest = Counter(state_of.values()).most_common(1)
    return (commonest[0][0],) if commonest and commonest[0][1] >= _MOST_ZIPS * len(state_of) else ()


@cache
def _names() -> Mapping[str, Mapping[str, str]]:
    """Return for each state the code of each name; a county and a city of one name have their kind in it."""
    import pyarrow.parquet as pq

    counties = pq.read_table(boundaries_file("county"), columns=["county", "name"]).to_pylist()
    pairs = [(row["county"], row["name"]) for row in counties] + list(_LATER.items())
    codes: dict[str, dict[str, str]] = {}
    twice: set[tuple[str, str]] = set()
    for code, name in pairs:
        state = POSTAL_OF_FIPS.get(code[:2])
        if state is None:
            continue
        plain, of_state = _plain(name), codes.setdefault(state, {})
        if plain in of_state:
            twice.add((state, plain))
        of_state[plain] = code
        of_state.setdefault(f"{plain} {'city' if int(code[2:]) >= _FIRST_CITY else 'county'}", code)
    for state, plain in twice:
        del codes[state][plain]
    return codes


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    words = re.sub(r"[^a-z ]", "", re.sub(r"[-/]", " ", letters)).split()
    return " ".join("st" if word == "saint" else "ste" if word == "sainte" else word for word in words)
