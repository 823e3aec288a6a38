"""What a release risks that shows areas, next to three-digit ZIP codes, counties and ZIP codes, at the same fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from policy_sim.areas.areas import Areas
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.in_file import InFile
from policy_sim.model.breakdown import break_down
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import TOTAL_RISK, Measure, tidy_rows
from policy_sim.people.zips import PeopleByZip, ZipShares
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Policy
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

FIELDS: Mapping[str, Mapping[str, str]] = {
    "sex, ten-year ages": {"gender": "value", "race": "none", "birth": "decade"},
    "sex, five-year ages": {"gender": "value", "race": "none", "birth": "five_years"},
    "sex, year of birth": {"gender": "value", "race": "none", "birth": "year"},
    "sex, race, ten-year ages": {"gender": "value", "race": "value", "birth": "decade"},
    "sex, race, five-year ages": {"gender": "value", "race": "value", "birth": "five_years"},
    "sex, race, year of birth": {"gender": "value", "race": "value", "birth": "year"},
}
NO_AREA = "none"  # where people live whose ZIP code is mostly in another state
SMALL_GROUP = 10  # people in groups of so many or fewer: fewer than 11, as many agencies ask
_SHOWN = {"zip3": "three-digit ZIP codes", "county": "counties", "zip5": "ZIP codes"}
LIMITED, LIMITED_FIELDS = "limited data set", "sex, race, date of birth"
_COLUMNS = "state place places bits fields attacker people share alone in_small_groups small_share status"


@dataclass(frozen=True)
class Places:
    """One way to show where people live: its name, the granularity that stands for it, people and number of places."""

    name: str
    geography: str
    people: PeopleByZip


def people_by_area(people: PeopleByZip, areas: Areas) -> PeopleByZip:
    """Return the same people with areas in the place of ZIP codes; a ZIP code without an area is in one of no name.

    A person lives in an area with the share that its ZIP codes have of the county.
    """
    of_zip, zips = areas.of_zip(), people.zips
    named = np.array([of_zip.get(code, NO_AREA) for code in zips.zip5.tolist()])
    order = np.lexsort((named, zips.county))
    composition = None if zips.composition is None else zips.composition[order]
    shares = ZipShares(zips.county[order], named[order], zips.share[order], zips.residents, {}, composition)
    return PeopleByZip(people.county_population, shares)


def people_without_area(areas: Areas, people: PeopleByZip) -> dict[str, int]:
    """Return how many people of each state live in ZIP code areas that are mostly in another state, without an area."""
    held, zips = areas.of_zip(), people.zips
    outside = np.array([code not in held for code in zips.zip5.tolist()])
    lost = zips.residents[zips.county] * zips.share * outside
    return {state: round(float(lost[_of_state(people, state)[zips.county]].sum())) for state in areas.states}


def risk_frame(
    areas: Sequence[Areas],
    people: PeopleByZip,
    attackers: Sequence[Attacker],
    *,
    fields: Iterable[str] = tuple(FIELDS),
    days_per_year: float = 365.0,
    in_file: InFile | None = None,
) -> pd.DataFrame:
    """Return the risk of a release that shows each kind of place with the same fields, by state and attacker.

    ``people``: expected correct links if the attacker guesses (total risk); ``share``: of the state's people, or of the
    file's; ``alone``: people in a group by themselves; ``in_small_groups``, ``small_share``: in groups of ten or fewer.
    ``places``: how many different values of place the release shows; ``bits``: how much they say. The rules on age 90
    and on three-digit ZIP codes of 20,000 people are those of Safe Harbor.
    """
    states = areas[0].states
    if any(own.states != states for own in areas):
        raise InputError("areas: give those of the same states.")
    rows: list[dict[str, object]] = []
    for place in _ways(areas, people):
        policies = [_policy(name, place.geography) for name in fields]
        cases = Cases(place.people, policies, attackers, states, (1, SMALL_GROUP), days_per_year, in_file)
        rows += _rows(cases, place, {state: _number(place, state) for state in states})
    return tidy_rows(rows, _COLUMNS, place="string", fields="string", places="Int64")


def _rows(cases: Cases, place: Places, number: Mapping[str, tuple[int, float]]) -> Iterator[dict[str, object]]:
    """Yield a row a state, policy and attacker; ``number``: how many places each state has, and their bits."""
    for profile in compare(cases):
        many, bits = number[profile.state]
        risk, share = profile.people(TOTAL_RISK), profile.share(TOTAL_RISK)
        few = [profile.people(Measure.distinct(size)) for size in (1, SMALL_GROUP)]
        ends = [None if figure is None else figure.high for figure in (risk, share, *few)]
        ends.append(None if ends[-1] is None else ends[-1] / profile.records)
        row = (profile.state, place.name, many, bits, profile.policy, profile.attacker, *ends, str(profile.status))
        yield dict(zip(_COLUMNS.split(), row, strict=True))


def limited_frame(
    state: str,
    people: PeopleByZip,
    attackers: Sequence[Attacker],
    *,
    days_per_year: float = 365.0,
    in_file: InFile | None = None,
) -> pd.DataFrame:
    """Return the same columns for a limited data set of one state: sex, race, date of birth and ZIP code."""
    shown = Granularities(gender="value", race="value", birth="date", geography="zip5")
    policy = replace(load_policy("limited-dataset"), name=LIMITED_FIELDS, releases=shown)
    place = Places(LIMITED, "zip5", people)
    cases = Cases(people, [policy], attackers, [state], (1, SMALL_GROUP), days_per_year, in_file)
    rows = list(_rows(cases, place, {state: _number(place, state)}))
    return tidy_rows(rows, _COLUMNS, place="string", fields="string", places="Int64")


def risk_by_race(
    areas: Sequence[Areas], people: PeopleByZip, attacker: Attacker, fields: Sequence[str], *, every_place: bool = False
) -> pd.DataFrame:
    """Return the share of each race named by a release of everyone that shows each kind of place.

    Columns ``state``, ``place``, ``fields``, ``race``, ``people`` (of the race) and ``share``. Without ``every_place``
    the kinds are three-digit ZIP codes and areas.
    """
    rows = []
    for place in _ways(areas, people):
        if not every_place and place.geography != "zip3" and not place.name.startswith("areas"):
            continue
        for shown in fields:
            cases = Cases(place.people, [_policy(shown, place.geography)], [attacker], areas[0].states)
            for part in break_down(cases, "race", only_total=True):
                share = None if part.people is None else part.people.high / part.members
                rows.append((part.state, place.name, shown, part.value, part.members, share))
    return pd.DataFrame(rows, columns=["state", "place", "fields", "race", "people", "share"])


def _ways(areas: Sequence[Areas], people: PeopleByZip) -> Iterator[Places]:
    yield Places(_SHOWN["zip3"], "zip3", people)
    yield Places(_SHOWN["county"], "county", people)
    for own in sorted(areas, key=lambda held: -held.least):
        yield Places(f"areas of {own.least:,}", "zip5", people_by_area(people, own))
    yield Places(_SHOWN["zip5"], "zip5", people)


def _policy(fields: str, geography: str) -> Policy:
    """Return Safe Harbor with other fields and place; areas and ZIP codes have no rule on small places."""
    base = load_policy("safe-harbor")
    conditions = base.conditions if geography == "zip3" else replace(base.conditions, small_places=None)
    releases: Granularities = base.releases.replace(**FIELDS[fields], ethnicity="none", geography=geography)
    return replace(base, name=fields, title=fields, releases=releases, conditions=conditions, paper_form="")


def _number(place: Places, state: str) -> tuple[int, float]:
    """Return how many places people of a state live in, and how much these say, in bits."""
    population = place.people.county_population
    if place.geography == "county":
        table = population.people_by_county
        of_state = table[_of_state(place.people, state)]
        return _bits(of_state)
    zips, small = place.people.zips, _policy(next(iter(FIELDS)), place.geography).conditions.small_places
    county, code, share = zips.places(place.geography, small)
    counted = _of_state(place.people, state)[county]
    if place.geography == "zip5":
        nowhere = [number for number in np.unique(code) if zips.name_of("zip5", int(number)) == NO_AREA]
        counted &= ~np.isin(code, nowhere)
    people = zips.residents[county[counted]] * share[counted]
    return _bits(np.bincount(code[counted], weights=people))


def _of_state(people: PeopleByZip, state: str) -> np.ndarray:
    return people.table.units([state]) >= 0


def _bits(people: np.ndarray) -> tuple[int, float]:
    held = people[people > 0]
    share = held / held.sum()
    return len(held), float(-(share * np.log2(share)).sum())
