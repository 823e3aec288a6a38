"""The lattice of policies over the fields: every combination of granularities and conditions.

Each axis lists the ways in which one field can be shown; the lattice is their product.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.words.errors import InputError
from policy_sim.words.fields import (
    GRANULARITIES,
    Field,
    Granularities,
    census_views,
    is_coarser_or_equal,
)

# The ways in which the lattice shows who people are, an axis for the fields that are told together.
_PEOPLE = tuple(tuple(map(Granularities.parse, ways)) for ways in (("", "sex"), ("", "race=broad", "race")))
# The further ways where ethnicity is asked for, as HCUP codes both and as the census does. Each multiplies the search,
# and the largest table has twice the cells; ethnicity alone, and HCUP's races without it, are left out.
_WITH_ETHNICITY = tuple(
    map(Granularities.parse, ("race=hcup", "race_ethnicity", "race=five_races+ethnicity", "race+ethnicity"))
)
TOP_AGES = (None, 90, 85, 80)
# For each kind of place the sizes up to which it may be hidden; None hides no place.
PLACE_SIZES: dict[str, tuple[int | None, ...]] = {
    "county": (None, 20_000, 100_000),
    "zip3": (None, 20_000),
    "zip5": (None, 20_000),
    "county_zip3": (None,),
    "county_zip5": (None,),
}


@dataclass(frozen=True)
class BirthView:
    """A granularity of birth and the age from which everyone is in one class."""

    granularity: str
    top_age: int | None = None


@dataclass(frozen=True)
class PlaceView:
    """A granularity of geography and which small places of that kind are hidden."""

    granularity: str
    small: SmallPlaces | None = None


# What is shown of who people are, of birth and of the place.
Point = tuple[Granularities, BirthView, PlaceView]


@dataclass(frozen=True)
class Lattice:
    """The ways to show each field, in any order; a field shown in one way only does not vary.

    ``people`` has an axis for each field that a census counts (:data:`~policy_sim.words.fields.CENSUS_FIELDS`).
    """

    people: tuple[tuple[Granularities, ...], ...]
    birth: tuple[BirthView, ...]
    place: tuple[PlaceView, ...]

    def __len__(self) -> int:
        return prod(map(len, (*self.people, self.birth, self.place)))

    def points(self) -> Iterator[tuple[Point, Policy]]:
        """Yield every point with its policy, place by place, then the fields of people, and birth."""
        ways = [shown_together(views) for views in product(*self.people)]
        for place, people, birth in product(self.place, ways, self.birth):
            yield (people, birth, place), policy_of(people, birth, place)


def shown_together(views: Iterable[Granularities]) -> Granularities:
    """Return what views of different axes show together."""
    return reduce(Granularities.join, views, Granularities())


def policy_of(people: Granularities, birth: BirthView, place: PlaceView) -> Policy:
    """Return the policy at one point of the lattice, named by what it shows."""
    releases = people.replace(birth=birth.granularity, geography=place.granularity)
    conditions = Conditions(birth.top_age, place.small)
    name = f"{releases} ({conditions})" if str(conditions) else str(releases)
    return Policy(name, name, releases, "a point of the lattice of policies", conditions)


def lattice_for(
    columns: Collection[str],
    places: tuple[str, ...],
    small_zip3: frozenset[str] | None = None,
    *,
    ethnicity: bool = False,
) -> Lattice:
    """Return the lattice of all policies that a population with these columns and places can be measured under.

    Small three-digit ZIP areas are those of a list, or by default those counted in the population. ``ethnicity``: race
    is also shown with ethnicity, as one field and as two.
    """
    births = [BirthView("none")]
    births += [BirthView(name, top) for name in GRANULARITIES[Field.BIRTH] if name != "none" for top in TOP_AGES]
    place_views = [PlaceView("state")]
    for place in places:
        for most in PLACE_SIZES.get(place, (None,)):
            listed = small_zip3 if place == "zip3" else None
            place_views.append(PlaceView(place, None if most is None else SmallPlaces(place, most, listed)))
    people = tuple(
        tuple(view for view in ways if all({*seen.columns} <= {*columns} for seen in census_views(view).values()))
        for ways in (_PEOPLE[0], (*_PEOPLE[1], *(_WITH_ETHNICITY if ethnicity else ())))
    )
    return Lattice(people, tuple(births), tuple(place_views))


_EXAMPLE = "such as 'gender+birth=month+geography=county (age<90+county>20000)'"
_WHOLE = re.compile(r"(?P<fields>[a-z0-9_=+]+)(?: \((?P<conditions>[a-z0-9_<>+]+)\))?")
_TOP_AGE = re.compile(r"age<(\d{1,3})")
_SMALL = re.compile(r"([a-z0-9_]+)>(\d{1,9})")


def policy_from_text(text: str) -> Policy:
    """Return the policy that a line such as a row of ``explore`` names.

    It has fields with their granularity, joined by ``+`` (a field alone is shown by value; ``sex`` is ``gender``, and
    ``race_ethnicity`` race asked with Hispanic as one of the answers), and in brackets the age from which all are one
    class and the size that a place must exceed.

    >>> policy_from_text("birth=month+geography=state (age<90)").conditions.top_age
    90
    >>> policy_from_text("sex+geography=county").releases == policy_from_text("gender+geography=county").releases
    True
    """
    match = _WHOLE.fullmatch(text.strip())
    if match is None:
        raise InputError(f"policy {text!r} is not fields with granularities and conditions, {_EXAMPLE}.")
    granularities = Granularities.parse(match["fields"])
    conditions = _conditions(text, match["conditions"] or "")
    small = conditions.small_places
    nested = small is None or is_coarser_or_equal(Field.GEOGRAPHY, small.place, granularities[Field.GEOGRAPHY])
    if not nested or conditions.on(granularities) != conditions:
        raise InputError(f"policy {text!r} has a condition on what it does not release: release it or drop that.")
    if granularities == Granularities():
        raise InputError(f"policy {text!r} releases nothing: give at least one of {', '.join(GRANULARITIES)}.")
    birth = BirthView(granularities[Field.BIRTH], conditions.top_age)
    return policy_of(granularities, birth, PlaceView(granularities[Field.GEOGRAPHY], small))


def _conditions(text: str, words: str) -> Conditions:
    top_age, small = None, None
    for word in filter(None, words.split("+")):
        if (age := _TOP_AGE.fullmatch(word)) and top_age is None:
            top_age = int(age[1])
        elif (place := _SMALL.fullmatch(word)) and small is None:
            small = SmallPlaces(place[1], int(place[2]))
        else:
            raise InputError(f"policy {text!r}: {word!r} is not a condition, or appears twice, {_EXAMPLE}.")
    return Conditions(top_age, small)
