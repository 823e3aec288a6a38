"""Counties by name: the names of the shipped boundaries, of 2010, and those that changed since."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from policy_sim.io.boundaries import boundaries_file
from policy_sim.states import POSTAL_OF_FIPS

__all__ = ["county_code", "states_with"]

_KIND = re.compile(r" (?:county|co|cnty|parish|borough|census area|municipality|city and borough)$")
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
    """Return the states that have a county of every name.

    >>> states_with(["Allen", "Lucas"]), states_with(["Allen", "Nowhere"])
    (('OH',), ())
    """
    names = list(texts)
    return tuple(state for state in sorted(_names()) if all(county_code(state, text) for text in names))


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
