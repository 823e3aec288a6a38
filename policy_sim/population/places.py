"""Places and races of cells as codes, for every granularity that the cells' columns can produce."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import Policy, SmallPlaces
from policy_sim.policies.policy_by_state import PolicyByState
from policy_sim.population.population import AnyPopulation, Population

__all__ = [
    "BROAD_RACES",
    "as_shown",
    "broad_race",
    "has_place",
    "place_codes",
    "shown_note",
    "small_place_names",
    "visible_places",
    "without_zip",
    "without_zip_note",
]

_ZIP_PLACES = ("zip3", "zip5", "county_zip3", "county_zip5")
# A part of a county in one ZIP code, or in three digits of it: what it is without the county.
_WITHOUT_COUNTY = {"county_zip3": "zip3", "county_zip5": "zip5"}


# What granularity broad of race distinguishes.
BROAD_RACES = ("white", "black", "all other")


def broad_race(race: pd.Series) -> IntArray:
    """Return the code in :data:`BROAD_RACES` of each race of a categorical column."""
    order = {"white": 0, "black": 1}
    by_code = np.array([order.get(str(name), 2) for name in race.cat.categories], dtype=np.int64)
    return by_code[race.cat.codes.to_numpy()]


def has_place(population: AnyPopulation, place: str) -> bool:
    """Tell whether the population's columns can produce a granularity of geography."""
    columns = set(population.columns)
    if place in ("nation", "state"):
        return True
    if place in _WITHOUT_COUNTY:
        return "county" in columns and has_place(population, _WITHOUT_COUNTY[place])
    return place in columns or (place == "zip3" and "zip5" in columns)


def place_codes(population: Population, place: str) -> tuple[IntArray, NDArray[np.str_]]:
    """Return each cell's place as a code, and the name of each code.

    Three-digit ZIP areas are read from ZIP codes where the cells have no column of their own; a part
    of a county in one ZIP code is named ``county/zip5``, or ``county/zip3``.

    Raises
    ------
    InputError : the population lacks a column that the place needs.
    """
    if not has_place(population, place):
        raise InputError(
            f"population {population.name} has no {place.replace('county_', 'county with ')}, which a policy "
            f"by {place} needs: choose a policy without it or a population with it, such as us-2010-zip."
        )
    cells = population.cells
    if place in cells:
        column = cells[place].cat
        return column.codes.to_numpy().astype(np.int64), np.asarray(column.categories, dtype=str)
    codes, names = place_codes(population, _WITHOUT_COUNTY.get(place, "zip5"))
    if place == "zip3":
        areas, area = np.unique(names.astype("U3"), return_inverse=True)
        return area[codes], areas
    counties, county_names = place_codes(population, "county")
    pairs, pair = np.unique(counties * len(names) + codes, return_inverse=True)
    county, area = np.divmod(pairs, len(names))
    return pair, np.char.add(np.char.add(county_names[county], "/"), names[area])


def visible_places(population: Population, place: str, small: SmallPlaces | None = None) -> IntArray:
    """Return the code of what is seen of each cell's place; small places share one code, after the last.

    The code of small places is one for the whole population: distinguish states in addition.

    Raises
    ------
    InputError : the population lacks a column that the place, or the rule on small ones, needs.
    """
    codes, names = place_codes(population, place)
    if small is None:
        return codes
    judged, labels = place_codes(population, small.place)
    is_small = np.isin(labels, list(small_place_names(population, small)))
    return np.where(is_small[judged], len(names), codes)


def small_place_names(population: Population, small: SmallPlaces) -> frozenset[str]:
    """Return the small places: those listed, or those that the population counts few people in.

    Raises
    ------
    InputError : the population lacks a column that tells the places.
    """
    if small.listed is not None:
        return small.listed
    codes, names = place_codes(population, small.place)
    people = np.bincount(codes, weights=population.cells["people"], minlength=len(names))
    return frozenset(names[people <= small.most].tolist())


def as_shown(policy: Policy, population: Population) -> Policy:
    """Return the policy with county and ZIP code as ZIP code, where the population tells no counties.

    Every other policy is returned as it is: what it asks for is there, or is refused when it is merged.
    """
    place = policy.releases[Field.GEOGRAPHY]
    if place not in _WITHOUT_COUNTY or not _only_zip5(population):
        return policy
    if isinstance(policy, PolicyByState):
        return policy.mapped(lambda policy_of_state: as_shown(policy_of_state, population))
    small = policy.conditions.small_places
    if small is not None and not has_place(population, small.place):
        return policy
    return replace(
        policy,
        releases=policy.releases.replace(geography=_WITHOUT_COUNTY[place]),
    )


def shown_note(policy: Policy, population: Population) -> str:
    """Say in a line what :func:`as_shown` leaves out of a policy, or nothing.

    A list that holds counties shares no more than the state with a release by ZIP code.
    """
    if as_shown(policy, population) is policy:
        return ""
    return (
        f"{policy.name}: population {population.name} tells ZIP codes but no counties, so that its parts of counties "
        "are measured as whole ZIP code areas, and counties are not linked: the risk is understated"
    )


def without_zip(policy: Policy, population: AnyPopulation) -> Policy:
    """Return the policy with its ZIP codes shown as the county, or the state, where the population has no ZIP codes.

    Three-digit ZIP codes become the state, as they reach over counties; a ZIP code inside a county becomes the
    county, if the population has counties. Small ZIP areas are no condition then. The name and every row's reason
    say so: ``limited-dataset-without-zip``. A policy whose places the population has is returned as it is.
    """
    place = policy.releases[Field.GEOGRAPHY]
    if place not in _ZIP_PLACES or has_place(population, place) or has_place(population, "zip5"):
        return policy
    coarser = "county" if place != "zip3" and has_place(population, "county") else "state"
    released = {field.value: name for field, name in policy.releases.items()}
    conditions = replace(policy.conditions, small_places=None)
    return replace(
        policy,
        name=f"{policy.name}-without-zip",
        releases=Granularities({**released, "geography": coarser}),
        conditions=conditions,
        left_out=(
            f"measured by {coarser}, not by ZIP code, which population {population.name} cannot show here: "
            "the risk is understated"
        ),
    )


def without_zip_note(policy: Policy, population: AnyPopulation) -> str:
    """Say in a line what :func:`without_zip` changes of a policy, or nothing."""
    left_out = without_zip(policy, population).left_out
    return left_out and f"{policy.name}: {left_out}"


def _only_zip5(population: Population) -> bool:
    return has_place(population, "zip5") and not has_place(population, "county")
