"""Small tables of places and days: counties' names, small ZIP code prefixes, birthdays."""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.files.parquet import read_table
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.people.zips import zip_parts
from policy_sim.policies.policy import Policy
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES, State, state_named

# Counties by name (the shipped boundaries of 2010, and those that changed since), and the states of places.


_KIND = re.compile(
    r" (?:county|co|cnty|parish|borough|census area|municipality|city and borough|planning region|region)$"
)
# 26115, 26-115, 115 beside its state, 0500000US26115; as a number of a spreadsheet also 26115.0.
_DIGITS = re.compile(r"(?:\d*US)?(?:(\d{2})-(\d{3})|(\d{1,5}))(?:[.,]0+)?", re.ASCII)
_POSTAL_AND_DIGITS = re.compile(r"([A-Za-z]{2})[- ]?(\d{3})", re.ASCII)
_STATE_LAST = re.compile(r"(.*[^\s,])(?:\s*,\s*([^,]+?)|\s*\(([^()]+)\)|\s+([A-Z]{2}))\s*")
_COUNTY_OR_COLORADO = "CO"
_MOST_ZIPS = 0.9
_ZIP_AREAS = "us-2020"  # the newest census whose people are known by ZIP code area
_FIRST_CITY = 510  # FIPS numbers independent cities from here, beside a county of their name
# Named in data/county_changes.toml, with the days from which the codes stand.
_LATER: Mapping[str, str] = {
    "46102": "Oglala Lakota",
    "02158": "Kusilvak",
    "02063": "Chugach",
    "02066": "Copper River",
    "09110": "Capitol",
    "09120": "Greater Bridgeport",
    "09130": "Lower Connecticut River Valley",
    "09140": "Naugatuck Valley",
    "09150": "Northeastern Connecticut",
    "09160": "Northwest Hills",
    "09170": "South Central Connecticut",
    "09180": "Southeastern Connecticut",
    "09190": "Western Connecticut",
}


def county_code(state: str, text: str) -> str | None:
    """Return the five-digit code of a county by its name, with or without its kind; None if no or several counties fit.

    >>> county_code("OH", "Allen"), county_code("OH", "ALLEN COUNTY"), county_code("OH", "Allen County, OH")
    ('39003', '39003', '39003')
    >>> county_code("VA", "Richmond"), county_code("VA", "Richmond city"), county_code("LA", "St Tammany Parish")
    (None, '51760', '22103')
    """
    name = _plain(re.sub(rf",\s*{state}$", "", text.strip(), flags=re.IGNORECASE))
    codes = _names().get(state, {})
    return codes.get(name) or codes.get(_KIND.sub("", name))


def county_in_text(text: str, state: str = "") -> str | None:
    """Return the five-digit code of a county by its name or by its code in any usual form; None if none is understood.

    A state in the text is the county's own, whatever ``state`` is; a name, or three digits, alone is of ``state``.

    >>> county_in_text("Monroe, MI", "OH"), county_in_text("Monroe County", "OH"), county_in_text("Monroe")
    ('26115', '39111', None)
    >>> county_in_text("26115"), county_in_text("115", "MI"), county_in_text("MI115"), county_in_text("9003")
    ('26115', '26115', '26115', '09003')
    """
    text = text.strip()
    if digits := _DIGITS.fullmatch(text):
        first, rest, whole = digits.groups()
        if first:
            return f"{first}{rest}"
        if len(whole) > len("000"):
            return str(whole.zfill(5))
        return f"{STATES[state].fips}{whole.zfill(3)}" if state in STATES else None
    if (numbered := _POSTAL_AND_DIGITS.fullmatch(text)) and (own := state_named(numbered[1])):
        return f"{own.fips}{numbered[2]}"
    name, named = name_and_state(text, state)
    if named is not None:
        return county_code(named.postal, name)
    return county_code(state, text) if state else None


def name_and_state(text: str, state: str = "") -> tuple[str, State | None]:
    """Return the name of a county without the state that is written with it, and that state; None if there is none.

    >>> [(name, own and own.postal) for name, own in map(name_and_state, ["MI: Monroe", "Monroe (Michigan)", "Monroe"])]
    [('Monroe', 'MI'), ('Monroe', 'MI'), ('Monroe', None)]
    """
    before, mark, after = (part.strip() for part in text.partition(":"))
    if mark and after and (own := state_named(before)):
        return after, own
    last = _STATE_LAST.fullmatch(text)
    if last is None or (state and county_code(state, text) is not None):  # Fond du Lac, MONROE CO
        return text, None
    written = last[2] or last[3] or last[4]
    own = None if last[4] == _COUNTY_OR_COLORADO else state_named(written)
    return (last[1], own) if own else (text, None)


@cache
def county_names(state: str) -> Mapping[str, str]:
    """Return the name of each county of a state by its code, of any date.

    >>> county_names("OH")["39003"], county_names("AK")["02063"]
    ('Allen', 'Chugach')
    """
    return {code: name for code, name in _named_counties() if POSTAL_OF_FIPS.get(code[:2]) == state}


def _named_counties() -> list[tuple[str, str]]:
    """Return code and name of every county of the boundaries, and of those made later."""
    from policy_sim.files.boundaries import boundaries_file

    rows = read_table(boundaries_file("county"), ["county", "name"]).to_pylist()
    return [*((str(row["county"]), str(row["name"])) for row in rows), *_LATER.items()]


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
    zip_codes = {text.strip()[:5] for text in texts}
    parts = zip_parts(_ZIP_AREAS)
    parts = parts[parts["zip5"].isin(zip_codes)]
    state_of = dict(zip(parts["zip5"], _states_of(parts), strict=True))
    commonest = Counter(state_of.values()).most_common(1)
    return (commonest[0][0],) if commonest and commonest[0][1] >= _MOST_ZIPS * len(state_of) else ()


@cache
def _names() -> Mapping[str, Mapping[str, str]]:
    """Return for each state the code of each name; a county and a city of one name have their kind in it."""
    codes: dict[str, dict[str, str]] = {}
    twice: set[tuple[str, str]] = set()
    for code, name in _named_counties():
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


# Which three-digit ZIP prefixes Safe Harbor hides: computed from a census, as printed, or both.
#
# The lists are data (``data/zip``); :mod:`policy_sim.building.make_facts` computes those of the censuses.


# The choices, and what each means.
ZIP3_LISTS: Mapping[str, str] = MappingProxyType(
    {
        "computed": "three-digit ZIP codes with 20,000 people or fewer, computed from the census of this population",
        "hhs2000": "the 17 three-digit ZIP codes that the Department of Health and Human Services printed from Census "
        "2000",
        "union": "three-digit ZIP codes on either list",
    }
)
_PRINTED = "hhs-2000"
_COUNTED = (2010, 2020)
_NEWEST = 9999


@dataclass(frozen=True)
class Zip3List:
    """Prefixes of ``most`` people or fewer, their source, and the people of each where the source counts them."""

    name: str
    citation: str
    most: int
    prefixes: frozenset[str]
    people: Mapping[str, int]


@cache
def load_zip3_lists() -> Mapping[str, Zip3List]:
    """Return every shipped list, by name: ``hhs-2000``, ``census-2010``, ``census-2020``."""
    lists = {}
    for name in ("zip3_hhs_2000", "zip3_computed"):
        path = data_dir() / "zip" / f"{name}.toml"
        table = shipped_table(path)
        most = table.pop("most")
        for key, facts in table.items():
            counted = MappingProxyType(dict(zip(facts["prefixes"], facts.get("people", ()), strict=False)))
            lists[key] = Zip3List(key, facts["citation"], most, frozenset(facts["prefixes"]), counted)
    return MappingProxyType(lists)


def small_prefixes(which: str, date: str) -> frozenset[str]:
    """Return the prefixes hidden under one of :data:`ZIP3_LISTS` for a population of a date.

    ``computed`` uses the newest census that is not newer than the population, or the newest of all if
    the population has no date.
    """
    if which not in ZIP3_LISTS:
        raise UnknownNameError("list of three-digit ZIP codes", which, ZIP3_LISTS)
    lists, year = load_zip3_lists(), int(date[:4]) if date[:4].isdecimal() else _NEWEST
    if which == "hhs2000":
        return lists[_PRINTED].prefixes
    censuses = {int(name.removeprefix("census-")): name for name in lists if name != _PRINTED}
    usable = [census for census in censuses if census <= year]
    if not usable:
        raise InputError(
            f"zip3 = {which!r} needs the people of each ZIP code area, which are available for "
            f"{' and '.join(map(str, sorted(censuses)))} but not for a population of {year}. "
            "Use zip3 = 'hhs2000', or a later population."
        )
    computed = lists[censuses[max(usable)]].prefixes
    return computed if which == "computed" else computed | lists[_PRINTED].prefixes


def small_zip3_frame(most: int | None = None) -> pd.DataFrame:
    """Return the three-digit ZIP prefixes with ``most`` people or fewer (20,000) in a census, one row per prefix.

    ``people_2010`` and ``people_2020`` are missing where the census has no area of the prefix. For 2000 there is the
    list that the Department of Health and Human Services printed, for 20,000 people only: of another size
    ``small_2000`` is ``unknown``.
    """
    printed = load_zip3_lists()[_PRINTED]
    limit = printed.most if most is None else most
    counted, states = {year: _people_of_zip3(year) for year in _COUNTED}, _states_of_zip3()
    small = {year: {prefix for prefix, people in of.items() if people <= limit} for year, of in counted.items()}
    old = printed.prefixes if limit == printed.most else frozenset()
    prefixes = sorted(set().union(old, *small.values()))
    columns: dict[str, Any] = {"prefix": prefixes}
    columns["states"] = [" ".join(sorted(states.get(prefix, ()))) for prefix in prefixes]
    columns |= {f"people_{year}": [counted[year].get(prefix) for prefix in prefixes] for year in _COUNTED}
    for year, members in {2000: old, **small}.items():
        columns[f"small_{year}"] = ["yes" if prefix in members else "no" for prefix in prefixes]
    if limit != printed.most:
        columns["small_2000"] = "unknown"
    kinds = {name: "Int64" if name.startswith("people") else "string" for name in columns}
    return pd.DataFrame(columns).astype(kinds)


def small_zip3_notes(rows: pd.DataFrame) -> list[str]:
    """Say where the rows of :func:`small_zip3_frame` come from, how many there are, and whether they pass a check."""
    lists = load_zip3_lists()
    printed, of_this_size = lists[_PRINTED], bool((rows["small_2000"] != "unknown").all())
    how_many = f"{len(printed.prefixes)} prefixes, printed without their people"
    notes = [f"2000: {how_many if of_this_size else 'printed for 20,000 people only'}; {printed.citation}"]
    for year in _COUNTED:
        small, shipped = set(rows.loc[rows[f"small_{year}"] == "yes", "prefix"]), lists[f"census-{year}"]
        notes.append(f"{year}: {len(small)} prefixes; {shipped.citation}")
        if of_this_size:
            same = "the same prefixes as" if small == shipped.prefixes else "OTHER prefixes than"
            notes.append(f"check of {year}: the parts of each area by county add up to {same} the policies hide")
    return [
        *notes,
        "a prefix of post-office boxes alone has no ZIP code tabulation area: Safe Harbor shows 000 for it too",
        f"cite: policy_sim {version('policy-sim')}, small three-digit ZIP codes by census, from the sources above",
    ]


@cache
def _people_of_zip3(year: int) -> Mapping[str, int]:
    """Return the people of each three-digit prefix at a census; of nobody where the shipped list says so."""
    parts = zip_parts(f"us-{year}")
    sums = parts.groupby(parts["zip5"].str[:3])["people"].sum()
    nobody = {prefix: people for prefix, people in load_zip3_lists()[f"census-{year}"].people.items() if not people}
    return MappingProxyType(nobody | {str(prefix): int(people) for prefix, people in sums.items()})


def _states_of_zip3() -> pd.Series:
    """Return the states in which the people of each prefix live, at the newest census that counts any."""
    parts = zip_parts(_ZIP_AREAS)
    return _states_of(parts).groupby(parts["zip5"].str[:3]).agg(set)


@cache
def state_of_zips() -> Mapping[str, str]:
    """Return the state in which most people of each ZIP code, and of each three digits of one, live by Census 2020.

    >>> state_of_zips()["43604"], state_of_zips()["481"]
    ('OH', 'MI')
    """
    parts = zip_parts(_ZIP_AREAS)
    parts = parts.assign(state=_states_of(parts), zip3=parts["zip5"].str[:3])
    states: dict[str, str] = {}
    for column in ("zip3", "zip5"):
        people = parts.groupby([column, "state"])["people"].sum().sort_values(kind="stable")
        states |= {str(code): str(state) for code, state in people.index}
    return states


def _states_of(parts: pd.DataFrame) -> pd.Series:
    return parts["county"].str[:2].map(POSTAL_OF_FIPS)


def hidden_prefixes(date: str) -> frozenset[str]:
    """Return every prefix that a release on a date shows as 000: of 20,000 people or fewer, or of nobody at all.

    Prefixes of post-office boxes and of soldiers abroad have no ZIP code area, hence no people that a census counts.

    >>> {"036", "090", "340", "962"} <= hidden_prefixes("2026-01-01"), "432" in hidden_prefixes("2026-01-01")
    (True, False)
    """
    areas = set(zip_parts(_ZIP_AREAS)["zip5"].str[:3])
    return small_prefixes("computed", date) | {f"{number:03d}" for number in range(1, 1000)} - areas


def with_zip3_list(policy: Policy, which: str, date: str) -> Policy:
    """Return a policy whose rule on small three-digit ZIP areas uses a list; other policies are unchanged.

    ``date`` is that of the population, such as ``2010-04-01``.
    """
    small = policy.conditions.small_places
    if small is None or small.place != "zip3":
        return policy
    listed = replace(small, listed=small_prefixes(which, date))
    return replace(policy, conditions=replace(policy.conditions, small_places=listed))


# Shares of the year's birthdays, February 29 included.


_MONTHS = tuple(calendar.monthrange(2000, month)[1] for month in range(1, 13))  # 29 days in February
LEAP_DAY = sum(_MONTHS[:1]) + 28  # index of February 29 in the 366 days
_LEAP_YEARS = 0.25  # every fourth birth year of the people in a census has the day


@dataclass(frozen=True, eq=False)
class Birthdays:
    """How often each day of the year is a birthday.

    ``rate`` is births relative to the mean day of the same year, where the day exists; shape (366,).
    """

    rate: FloatArray
    title: str
    sources: tuple[str, ...]

    @property
    def shares(self) -> FloatArray:
        """Share (0..1) of people born on each of the 366 days; February 29 has a quarter of its rate."""
        weights = np.ones(len(self.rate))
        weights[LEAP_DAY] = _LEAP_YEARS
        weighted = self.rate * weights
        return np.asarray(weighted / weighted.sum())

    @property
    def monthly(self) -> FloatArray:
        """Share (0..1) of people born in each of the 12 months."""
        return np.array([part.sum() for part in np.split(self.shares, np.cumsum(_MONTHS)[:-1])])

    def until(self, month: int, day: int) -> float:
        """Share (0..1) of the people of a birth year who are born on or before a day."""
        return float(self.shares[: sum(_MONTHS[: month - 1]) + day].sum())


@cache
def load_birthdays() -> Birthdays:
    """Return the shipped rates (``data/birthdays.toml``)."""
    facts = shipped_table("birthdays.toml")
    rate = np.array([rate for month in facts["rate"].values() for rate in month])
    return Birthdays(rate, facts["title"], tuple(facts["sources"]))
