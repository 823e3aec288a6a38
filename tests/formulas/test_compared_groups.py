"""Race asked in two ways: records against the rows of a list, with people in ZIP codes by chance, counted by force."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from placed_people import parted
from scipy import sparse
from scipy.stats import poisson
from small_people import people_of

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.group_variance import variances
from policy_sim.formulas.groups import (
    Chances,
    Groups,
    claims,
    g_distinct,
    g_distinct_sweep,
    total_risk,
)
from policy_sim.formulas.match_levels import match_levels
from policy_sim.formulas.parts import PlacedCells
from policy_sim.formulas.placed import distinct_by_county, distinct_of_tracked, occupied_by_county, occupied_by_tracked
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.people.places import split_people
from policy_sim.people.zips import PeopleByZip, ZipShares, with_zip_codes
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

# Two counties with six people, who live in one of two ZIP codes; the second county has none of its own.
SIX = [
    ("39001", "white", "not_hispanic"),
    ("39001", "white", "not_hispanic"),
    ("39001", "white", "hispanic"),
    ("39001", "black", "not_hispanic"),
    ("39003", "white", "not_hispanic"),
    ("39003", "black", "hispanic"),
]
SHARES = {"39001": (0.5, 0.5), "39003": (0.25, 0.75)}
ASKED = [("race", "race_ethnicity"), ("race_ethnicity", "race")]
SMALL = Conditions(small_places=SmallPlaces("zip3", 20_000))


def six(ages=30):
    columns = ["county", "race", "ethnicity"]
    rows = pd.DataFrame(SIX, columns=columns).assign(age=ages)
    cells = rows.groupby([*columns, "age"], as_index=False).size().rename(columns={"size": "people"})
    return people_of(cells.assign(state="OH", age_width=1), "2020-04-01")


def placed():
    zips = np.array(["43001", "43002"] * 2)
    share = np.array([*SHARES["39001"], *SHARES["39003"]])
    return PeopleByZip(six(), ZipShares(np.array([0, 0, 1, 1]), zips, share, np.full(2, np.inf), {}))


def candidates(record, release):
    """Whom a record may be, written out by hand."""
    _, race, origin = record
    if release == "race":
        return [
            (of, o) for of in ("white", "black") for o in ("hispanic", "not_hispanic") if o == "hispanic" or of == race
        ]
    return [
        (of, o) for of in ("white", "black") for o in ("hispanic", "not_hispanic") if origin == "hispanic" or of == race
    ]


def by_force(release, place_of, chances, g, left=None, held=1.0):
    """Correct matches, people with g candidates or fewer and claims of each record, over all places and lists.

    ``chances``: that each of the six is listed. ``left``: stale records for each listed resident by county, which are
    spread over the places as the people are, a Poisson number in each. ``held``: share of the people in the file.
    """
    homes = np.array(list(product((0, 1), repeat=len(SIX))))
    share = np.array([SHARES[county] for county, *_ in SIX])
    names = {name: number for number, name in enumerate({place_of(c, home) for c in SHARES for home in (0, 1)})}
    place = np.array([[names[place_of(county, home)] for home in (0, 1)] for county, *_ in SIX])
    at_home = np.prod(share[np.arange(len(SIX)), homes], axis=1)
    where = place[np.arange(len(SIX)), homes]
    states = np.array(list(product((0, 1, 2), repeat=len(SIX))))  # listed, not listed, not in the file
    c = np.array(chances)
    of_state = np.stack([held * c, held * (1 - c), np.full_like(c, 1 - held)])
    chance = np.prod(of_state[states, np.arange(len(SIX))], axis=1)
    states, chance = states[chance > 0], chance[chance > 0]
    weight = np.outer(at_home, chance)
    figures = np.zeros((len(SIX), 2 + len(g)))
    for number, record in enumerate(SIX):
        alike = np.array([person[1:] in candidates(record, release) for person in SIX])
        here = alike & (where == where[:, [number]])
        may = here.astype(int) @ (states == 0).T
        right, released = states[:, number] == 0, states[:, number] < 2
        mean = np.zeros(len(names))
        if left is not None:
            records = alike * c * np.array([left[county] for county, *_ in SIX])
            np.add.at(mean, place, records[:, None] * share)
        mean = mean[where[:, number]][:, None]
        for stale in range(40 if left is not None else 1):
            entries, of_records = may + stale, weight * poisson.pmf(stale, mean)
            counts = [right / np.maximum(entries, 1), *(right & (entries <= size) for size in g)]
            counts.append(released & (entries == 1))
            figures[number] += [(of_records * count).sum() for count in counts]
    return figures


PLACES = {
    "zip5": lambda county, home: home,
    "county_zip5": lambda county, home: (county, home),
    "county": lambda county, home: county,
}


def asked(release, listed, geography):
    return Granularities.parse(release).compared(Granularities.parse(listed)).replace(geography=geography)


@pytest.mark.parametrize(("release", "listed"), ASKED)
@pytest.mark.parametrize("geography", ["zip5", "county_zip5"])
@pytest.mark.parametrize("c", [0.7, 1.0])
def test_people_in_zip_codes_by_force(release, listed, geography, c):
    key, g = asked(release, listed, geography), [1, 2, 3]
    forced = by_force(release, PLACES[geography], [c] * len(SIX), g)
    groups = merge(placed(), key, ["OH"])
    assert isinstance(groups, AddedGroups)
    assert groups.overlap
    figures = [total_risk(groups, c), *g_distinct(groups, g, c).T, claims(groups, c)]
    np.testing.assert_allclose(np.ravel(figures), forced.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(g_distinct_sweep(groups, 3, c)[0], forced.sum(axis=0)[1:4], rtol=1e-9)
    (levels,) = match_levels(groups, c)
    assert levels.correct == pytest.approx(forced[:, 0].sum())
    assert levels.records.sum() == pytest.approx(len(SIX))
    for by in ("race", "ethnicity", "county"):
        parts, expected = parted_by_force(key, by, forced, None)
        figures = np.column_stack([total_risk(parts, c), g_distinct(parts, g, c), claims(parts, c)])
        np.testing.assert_allclose(figures, expected, rtol=1e-9)
        with pytest.raises(InputError, match="curves are not parted"):
            g_distinct_sweep(parts, 3, c)


def parted_by_force(key, by, forced, listing):
    """The groups with figures parted by what people are, and the figures of the records of each part."""
    names = split_people(six(), by).names
    of_person = [names.index(person[("county", "race", "ethnicity").index(by)]) for person in SIX]
    expected = np.zeros((len(names), forced.shape[1]))
    np.add.at(expected, of_person, forced)
    return parted(placed(), by, key, ["OH"], listing=listing), expected


# Stale records are integrated by a cubic (1e-5 of total risk) or, with several counties in a place, matched with a
# binomial (2e-2); where nobody who left is listed everything is exact.
LISTED = {"39001": 0.7, "39003": 0.4}
LEFT = {"39001": 0.3, "39003": 0.05}


def listing_of(chances, left):
    by_age = np.zeros((2, YEARS_OF_AGE))
    by_age[:, 30] = list(chances.values())
    return Listing(tuple(chances), by_age, np.array([left[county] for county in chances]))


@pytest.mark.parametrize(("release", "listed"), ASKED)
@pytest.mark.parametrize("geography", PLACES)
@pytest.mark.parametrize(("left", "held"), [(None, 1.0), (LEFT, 1.0), (None, 0.6)])
def test_people_of_counties_who_are_listed_more_or_less_surely_by_force(release, listed, geography, left, held):
    key, g = asked(release, listed, geography), [1, 2, 3]
    listing = listing_of(LISTED, LEFT)
    forced = by_force(release, PLACES[geography], [LISTED[county] for county, *_ in SIX], g, left, held)
    groups = merge(placed(), key, ["OH"], listing=listing)
    assert groups.says_who_is_listed
    groups = groups if left else groups.without_stale()
    figures = np.ravel([total_risk(groups, held), *g_distinct(groups, g, held).T, claims(groups, held)])
    np.testing.assert_allclose(figures[0], forced[:, 0].sum(), rtol=2e-2 if left else 1e-9)
    np.testing.assert_allclose(figures[1:], forced.sum(axis=0)[1:], rtol=1e-9)
    swept = g_distinct_sweep(groups, 100, held)[0]
    if geography != "county":  # there, curves take plain groups that are nearly alike
        np.testing.assert_allclose(swept[:3], forced.sum(axis=0)[1:4], rtol=1e-9)
    assert swept[-1] == pytest.approx(held * sum(LISTED[county] for county, *_ in SIX))
    chances = Chances(np.ones(1), None if held == 1 else np.full(1, held))
    np.testing.assert_allclose(chances.claims(groups)[0], [figures[-1], figures[1]])
    for by in ("race", "ethnicity", "county"):
        parts, expected = parted_by_force(key, by, forced, listing)
        assert parts.says_who_is_listed
        parts = parts if left else parts.without_stale()
        figures = np.column_stack([total_risk(parts, held), g_distinct(parts, g, held), claims(parts, held)])
        np.testing.assert_allclose(figures[:, 0], expected[:, 0], rtol=3e-2 if left else 1e-9)
        np.testing.assert_allclose(figures[:, 1:], expected[:, 1:], rtol=1e-9)


def test_tracked_people_bear_what_the_breakdown_by_county_gives():
    rng = np.random.default_rng(5)

    share = sparse.csr_array(rng.dirichlet(np.ones(3), size=4).T)
    people = rng.integers(0, 300, (4, 6)).astype(float)
    tracked = np.floor(people * rng.random(people.shape))
    both = np.stack([tracked, people])
    part = np.divide(tracked, people, out=np.zeros_like(people), where=people > 0)
    for bins in (1.0, 5.0, 365.0):
        borne = occupied_by_county(PlacedCells(share, people, bins, 0.6))
        ours = occupied_by_tracked(PlacedCells(share, people, bins, 0.6), both).sum(axis=(1, 2))
        np.testing.assert_allclose(ours, [(borne * part).sum(), borne.sum()], rtol=1e-10)
        distinct = distinct_by_county(PlacedCells(share, people, bins, 0.6), [1, 5])
        ours = distinct_of_tracked(PlacedCells(share, people, bins, 0.6), both, np.array([1, 5]))
        np.testing.assert_allclose(
            ours, [(distinct * part).sum(axis=(1, 2)), distinct.sum(axis=(1, 2))], rtol=1e-8, atol=1e-15
        )


@pytest.fixture(scope="module")
def delaware():
    return with_zip_codes(Study("us-2010").people).with_ethnicity


@pytest.mark.parametrize("geography", ["zip3", "county_zip5", "county"])
@pytest.mark.parametrize(("release", "listed"), [*ASKED, ("race=broad", "race_ethnicity")])
def test_a_state_lies_between_without_race_and_by_race_and_its_parts_add_up(delaware, geography, release, listed):
    fields = f"+sex+birth=year+geography={geography}"
    record, row = (Granularities.parse(text + fields) for text in (release, listed))
    key = record.compared(row)
    conditions = SMALL if geography == "zip3" else NO_CONDITIONS
    race = "broad" if "broad" in release else "value"
    ends = [merge(delaware, key.replace(race=race), ["DE"], conditions=conditions) for race in ("none", race)]
    groups = merge(delaware, key, ["DE"], conditions=conditions)
    for figure in (total_risk, lambda people, c: g_distinct(people, [5], c)[:, 0]):
        low, high = (figure(end, 0.7)[0] for end in ends)
        assert low < figure(groups, 0.7)[0] < high
    sweep = g_distinct_sweep(groups, 60_000, 0.7)[0]
    singles = [1, 2, 5, 10, 32, 40, 100]
    np.testing.assert_allclose(sweep[np.array(singles) - 1], g_distinct(groups, singles, 0.7)[0], rtol=2e-3, atol=1e-6)
    everyone = 0.7 * delaware.people_by_state()["DE"]
    assert sweep[-1] == pytest.approx(everyone)
    parts = parted(delaware, "race", key, ["DE"], conditions=conditions)
    assert total_risk(parts, 0.7).sum() == pytest.approx(total_risk(groups, 0.7).sum(), rel=1e-6)


@pytest.mark.parametrize(("release", "listed"), ASKED)
@pytest.mark.parametrize("geography", PLACES)
def test_people_of_a_cell_with_chances_of_their_own_count_by_their_mean(release, listed, geography):
    """Whites are 60 and listed with 0.8, the others 30 and with 0.6: a cell of all ages takes the mean of its people.

    How many of the released are listed is exact. How many of their candidates are is not: by up to 4% among six people.
    """
    key, g = asked(release, listed, geography), [1, 2, 3]
    ages = [60 if race == "white" else 30 for _, race, _ in SIX]
    people = six(ages) if geography == "county" else replace(placed(), county_population=six(ages))
    chance = np.zeros((2, YEARS_OF_AGE))
    chance[:, [30, 60]] = [0.6, 0.8]
    groups = merge(people, key, ["OH"], listing=Listing(tuple(LISTED), chance, np.zeros(2))).without_stale()
    chances = [0.8 if age == 60 else 0.6 for age in ages]
    forced = by_force(release, PLACES[geography], chances, g).sum(axis=0)
    found = np.ravel([total_risk(groups), *g_distinct(groups, g).T, claims(groups)])
    np.testing.assert_allclose(found, forced, rtol=0.04)
    assert g_distinct(groups, [6])[0, 0] == pytest.approx(sum(chances), rel=1e-12)


def test_overlapping_groups_scatter_by_no_more_than_their_bound():
    """Right links, and records with one candidate, of 400 people with 20 birthdays; 4,000 draws."""
    rng, bins, runs = np.random.default_rng(3), 20, 4_000
    hispanic, white = rng.random(400) < 0.3, rng.random(400) < 0.5
    kinds = {
        (h, w): int((hispanic & (white == w)).sum() if h else (~hispanic & (white == w)).sum())
        for h in (0, 1)
        for w in (0, 1)
    }
    latin = kinds[1, 0] + kinds[1, 1]
    classes = [Groups.of([kinds[0, w] + latin], [bins], released=[kinds[0, w] + kinds[1, w]]) for w in (0, 1)]
    groups = AddedGroups(tuple(classes), overlap=True)
    counts = np.zeros((runs, 2))
    for run in range(runs):
        day = rng.integers(0, bins, 400)
        for w in (False, True):
            may = (~hispanic & (white == w)) | hispanic
            many = np.bincount(day[may], minlength=bins)[day[white == w]]
            counts[run] += (rng.random(len(many)) < 1 / many).sum(), (many <= 12).sum()
    expected = [total_risk(groups)[0], g_distinct(groups, [12])[0, 0]]
    np.testing.assert_allclose(counts.mean(axis=0), expected, rtol=0.01)
    bounds = variances(groups, [12])[0]
    assert (counts.var(axis=0) < bounds).all()
    assert (bounds < 3 * counts.var(axis=0)).all(), "and the bound says something"
