"""Which three-digit ZIP prefixes Safe Harbor hides: computed from a census, as printed, or both.

The lists are data (``data/zip``); :mod:`policy_sim.building.make_zip_areas` computes those of the censuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.toml_files import shipped_table
from policy_sim.policies.policy import Policy

__all__ = ["ZIP3_LISTS", "Zip3List", "hidden_prefixes", "load_zip3_lists", "small_prefixes", "with_zip3_list"]

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
_NEWEST = 9999


@dataclass(frozen=True)
class Zip3List:
    """Prefixes of ``most`` people or fewer, and their source."""

    name: str
    citation: str
    most: int
    prefixes: frozenset[str]


@cache
def load_zip3_lists() -> Mapping[str, Zip3List]:
    """Return every shipped list, by name: ``hhs-2000``, ``census-2010``, ``census-2020``.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    lists = {}
    for name in ("zip3_hhs_2000", "zip3_computed"):
        path = data_dir() / "zip" / f"{name}.toml"
        table = shipped_table(path)
        most = table.pop("most")
        for key, facts in table.items():
            lists[key] = Zip3List(key, facts["citation"], most, frozenset(facts["prefixes"]))
    return MappingProxyType(lists)


def small_prefixes(which: str, date: str) -> frozenset[str]:
    """Return the prefixes hidden under one of :data:`ZIP3_LISTS` for a population of a date.

    ``computed`` uses the newest census that is not newer than the population, or the newest of all if
    the population has no date.

    Raises
    ------
    UnknownNameError : no such list.
    InputError : no census of the population's year or before has been computed.
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


def hidden_prefixes(date: str) -> frozenset[str]:
    """Return every prefix that a release on a date shows as 000: of 20,000 people or fewer, or of nobody at all.

    Prefixes of post-office boxes and of soldiers abroad have no ZIP code area, hence no people that a census counts.

    >>> {"036", "090", "340", "962"} <= hidden_prefixes("2026-01-01"), "432" in hidden_prefixes("2026-01-01")
    (True, False)
    """
    import pyarrow.parquet as pq

    path = data_dir() / "zip" / "zcta_county_2020.parquet"
    areas = {str(code)[:3] for code in pq.read_table(path, columns=["zip5"]).column("zip5").to_pylist()}
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
