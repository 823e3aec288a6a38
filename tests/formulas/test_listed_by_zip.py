"""People by ZIP code who are listed more or less surely, with stale records: every outcome counted, by hand and mixed.

The tolerances were chosen before the figures were seen: 1e-12 where a formula is exact, 1e-5 of total risk where stale
records are integrated by a cubic, 2% where the people of several counties are taken for a binomial.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from exact_lists import MixedGroups
from placed_people import parted, placed
from scipy.stats import poisson

from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.group_variance import independent_occupied_variance, squared_bin_sizes
from policy_sim.formulas.groups import claims, g_distinct, g_distinct_sweep, total_risk
from policy_sim.formulas.match_levels import levels_by_unit
from policy_sim.formulas.parted_groups import PartedGroups
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import with_zip_codes
from policy_sim.words.fields import Granularities

KINDS = [CountyPartGroups, PlacedGroups]
MOST = 60  # stale records of a bin: beyond, their chance is below 1e-40
G = (1, 2, 3)


def _outcomes(n, c, shares, bins, held):
    """Every way in which ``n`` people live in parts and bins and are on the list: its chance, and who is in each bin.

    Shapes (ways,) and (ways, 2, bins): people of the file who are listed, and those who are not. The bins of one part
    stand after those of another.
    """
    where = [(p / bins, place * bins + value) for place, p in enumerate(shares) for value in range(bins)]
    states = [(p * chance, b, kind) for p, b in where for chance, kind in ((held * c, 0), (held * (1 - c), 1))]
    states.append((1 - held, 0, 2))
    counted: dict[tuple[int, ...], float] = {}
    size = len(where)
    for outcome in product(states, repeat=n):
        row = np.zeros(3 * size, dtype=int)
        np.add.at(row, [kind * size + b for _, b, kind in outcome], 1)
        way = tuple(row[: 2 * size])
        counted[way] = counted.get(way, 0.0) + float(np.prod([state[0] for state in outcome]))
    return np.array([*counted.values()]), np.array([*counted]).reshape(-1, 2, size)


def _figures(chance, counted, stale):
    """Correct links, people in bins of 1, 2 and 3 or fewer, and claims, given the mean stale records of each bin."""
    listed, others = counted[:, 0], counted[:, 1]
    records = np.arange(MOST)[:, None, None]
    of_records = poisson.pmf(records, stale) * chance[:, None]
    entries = listed + records
    linked = (of_records * listed / np.maximum(entries, 1)).sum()
    distinct = [(of_records * listed * (entries <= g)).sum() for g in G]
    wrong = (of_records * others * (entries == 1)).sum()
    return np.array([linked, *distinct, distinct[0] + wrong])


def _found(groups, held=1.0):
    measured = [total_risk(groups, held), *g_distinct(groups, G, held).T, claims(groups, held)]
    return np.array(measured).sum(axis=1)


def _county(kind, people, listed, sigma, share, bins):
    """One county whose cells have their own chances; the same stale records per listed resident everywhere."""
    stale = None if sigma is None else np.array([sigma])
    chances = {"listed": np.array([listed], dtype=float), "stale": stale}
    return placed(kind, people, share, bins=bins, **chances)


@pytest.mark.parametrize("held", [1.0, 0.4])
@pytest.mark.parametrize("sigma", [None, 0.3])
@pytest.mark.parametrize(("people", "bins"), [([3, 1], 1), ([2, 3], 2)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_outcome_of_one_county(kind, people, bins, sigma, held):
    listed, share = [0.7, 0.2], [0.75, 0.25]
    groups = _county(kind, people, listed, sigma, share, bins)
    expected = np.zeros(5)
    for n, c in zip(people, listed, strict=True):
        stale = np.repeat(np.array(share) * n * c * (sigma or 0.0) / bins, bins)
        expected += _figures(*_outcomes(n, c, share, bins, held), stale)
    found = _found(groups, held)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12 if sigma is None else 1e-5)
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-12)


@pytest.mark.parametrize("held", [1.0, 0.4])
@pytest.mark.parametrize("sigmas", [None, (0.3, 0.05)])
@pytest.mark.parametrize(("listed", "bins"), [((0.7, 0.2), 1), ((0.9, 0.4), 2), ((1.0, 0.4), 1), ((1.0, 0.0), 1)])
def test_every_outcome_of_two_counties_in_one_place(listed, bins, sigmas, held):
    """Two people of a county who all live in the place, and two of another of whom three in ten do."""
    people, share = [2, 2], np.array([[1.0, 0.0], [0.3, 0.7]])
    chance = np.array(listed)[:, None]
    stale = None if sigmas is None else np.array(sigmas)
    facts = {"bins": bins, "county": [0, 1, 1], "place": [4, 4, 9], "listed": chance, "stale": stale}
    groups = placed(PlacedGroups, np.array(people)[:, None], [1, 0.3, 0.7], **facts)
    records = np.zeros(2) if sigmas is None else np.array(sigmas)
    stale = np.repeat((np.array(people) * listed * records) @ share / bins, bins)
    (first, ours), (second, theirs) = (
        _outcomes(n, c, p, bins, held) for n, c, p in zip(people, listed, share, strict=True)
    )
    together = (ours[:, None] + theirs).reshape(-1, 2, ours.shape[2])
    expected = _figures(np.outer(first, second).ravel(), together, stale)
    found = _found(groups, held)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12 if sigmas is None else 2e-2)
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-12, atol=1e-15)


PEOPLE, LISTED = [1, 2, 7, 150, 4000], [0.9, 0.6, 0.6, 0.8, 0.3]
SHARES = [0.5, 0.25, 0.2499, 0.0001]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bins", [1, 12, 365])
@pytest.mark.parametrize("share", [SHARES, [1.0]])
def test_each_part_is_a_mixed_list(kind, bins, share):
    """Who lives in a part is on a list of it with the chance c p; the stale records of the part are Poisson."""
    groups = _county(kind, PEOPLE, LISTED, 0.15, share, bins)
    n, c, p = (np.array(values) for values in (PEOPLE, LISTED, share))
    stale = (n * c * 0.15)[:, None] * p
    mixed = MixedGroups.of(
        np.repeat(n, len(p))[:, None], np.outer(c, p).reshape(-1, 1), bins, expected_stale=stale.ravel()
    )
    np.testing.assert_allclose(total_risk(groups), [mixed.total_risk().sum()], rtol=1e-5)
    np.testing.assert_allclose(g_distinct(groups, [1])[:, 0], [mixed.correct_claims().sum()], rtol=1e-11)
    if share == [1.0]:  # else those who live elsewhere are not listed here, and have no record here either
        np.testing.assert_allclose(claims(groups), [mixed.claims().sum()], rtol=1e-11)


def test_counties_that_are_one_place_are_a_mixed_list():
    n, c, sigma = np.array([40.0, 900.0, 3.0]), np.array([0.9, 0.3, 1.0]), np.array([0.1, 0.4, 0.0])
    facts = {"bins": 90, "county": [0, 1, 2], "place": [0, 0, 0], "listed": c[:, None], "stale": sigma}
    groups = placed(PlacedGroups, n[:, None], np.ones(3), **facts)
    mixed = MixedGroups.of([n], [c], 90, expected_stale=(n * c * sigma).sum())
    np.testing.assert_allclose(total_risk(groups), mixed.total_risk(), rtol=1e-5)
    np.testing.assert_allclose(claims(groups), mixed.claims(), rtol=1e-11)
    np.testing.assert_allclose(g_distinct_sweep(groups, 2000)[0, -1], (n * c).sum(), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_one_chance_for_everyone_is_a_coverage(kind):
    alike = _county(kind, PEOPLE, [0.65] * 5, None, SHARES, 12)
    plain = replace(alike, listed=None)
    np.testing.assert_allclose(total_risk(alike), total_risk(plain, 0.65), rtol=1e-12)
    np.testing.assert_allclose(g_distinct(alike, [1, 5, 40]), g_distinct(plain, [1, 5, 40], 0.65), rtol=1e-12)
    np.testing.assert_allclose(claims(alike), claims(plain, 0.65), rtol=1e-12)
    np.testing.assert_allclose(g_distinct_sweep(alike, 80), g_distinct_sweep(plain, 80, 0.65), rtol=1e-12)
    np.testing.assert_allclose(squared_bin_sizes(alike), squared_bin_sizes(plain, 0.65), rtol=1e-12)
    found, expected = (independent_occupied_variance(*case) for case in ((alike,), (plain, 0.65)))
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    for ours, theirs in zip(alike.matches(), plain.matches(0.65), strict=True):
        np.testing.assert_allclose(np.sort(ours), np.sort(theirs), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_no_stale_record_is_a_list_without_them(kind):
    groups = _county(kind, PEOPLE, LISTED, 0.2, SHARES, 12)
    without, none = groups.without_stale(), replace(groups, stale=np.zeros(1))
    assert without.stale is None
    for held in (1.0, 0.3):
        np.testing.assert_allclose(_found(none, held), _found(without, held), rtol=1e-12)
        assert (_found(groups, held) < _found(without, held)).all()
    tiny = replace(groups, stale=np.full(1, 1e-12))
    np.testing.assert_allclose(_found(tiny), _found(without), rtol=1e-9)


@pytest.mark.parametrize("sigma", [None, 0.15])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sweep_is_every_single_g(kind, sigma):
    groups = _county(kind, [2, 90, 700, 2500], [0.9, 0.9, 0.6, 0.3], sigma, SHARES, 3)
    sizes = [1, 5, 32, 33, 60, 150]
    swept = g_distinct_sweep(groups, 3000)
    exact = sigma is None or kind is PlacedGroups
    found, single = swept[:, np.array(sizes) - 1], g_distinct(groups, sizes)
    np.testing.assert_allclose(found[:, :3], single[:, :3], rtol=1e-9)
    np.testing.assert_allclose(found, single, rtol=1e-9 if exact else 1e-3)
    np.testing.assert_allclose(swept[0, -1], 2 * 0.9 + 90 * 0.9 + 700 * 0.6 + 2500 * 0.3, rtol=1e-12)
    assert (np.diff(swept, axis=1) >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_correct_matches_of_the_kinds_add_up(kind):
    groups = _county(kind, PEOPLE, LISTED, 0.2, SHARES, 2)
    _, people, correct = groups.matches(0.8)
    np.testing.assert_allclose(correct.sum(), total_risk(groups, 0.8).sum(), rtol=1e-5)
    np.testing.assert_allclose(people.sum(), sum(PEOPLE), rtol=1e-12)


@pytest.mark.parametrize("sigma", [None, 0.2])
@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_the_people_add_up_and_bear_what_their_chances_say(kind, sigma):
    """Old and young people of one cell, listed with 0.9 and 0.3: of the listed 3/4 are old, of the others 1/8."""
    groups = _county(kind, [60, 9], [0.6, 0.5], sigma, SHARES, 12)
    people, listed = np.array([[30.0, 30.0, 9.0]]), np.array([[0.9, 0.3, 0.5]])
    parted = PartedGroups(groups, people, np.array([0, 0, 1]), np.array([[0, 1, 2]]), 3, listed)
    old, young, _ = total_risk(parted)
    assert old == pytest.approx(3 * young, rel=1e-12)
    np.testing.assert_allclose(total_risk(parted).sum(), total_risk(groups)[0], rtol=1e-12)
    upto = g_distinct(parted, [5, 1])
    np.testing.assert_allclose(upto.sum(axis=0), g_distinct(groups, [5, 1])[0], rtol=1e-12)
    np.testing.assert_allclose(claims(parted).sum(), claims(groups)[0], rtol=1e-12)
    wrong = claims(parted) - upto[:, 1]
    assert wrong[1] == pytest.approx(7 * wrong[0], rel=1e-9)
    assert parted.without_stale().groups.stale is None
    own = levels_by_unit(parted)
    np.testing.assert_allclose([each.correct for each in own], total_risk(parted), rtol=1e-5)
    assert own[0].percentile() == pytest.approx(3 * own[1].percentile(), rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_what_each_cell_bears_is_its_own_figure(kind):
    """Cells that share no bin: each one bears what it has alone."""
    groups = _county(kind, [60, 9, 30], [0.6, 0.5, 0.9], 0.3, [0.8, 0.2], 6)
    parted = PartedGroups(groups, groups.people, np.arange(3), np.arange(3)[None], 3, groups.listed)
    facts = [replace(groups, people=groups.people * (np.arange(3) == cell)) for cell in range(3)]
    np.testing.assert_allclose(total_risk(parted), [total_risk(one)[0] for one in facts], rtol=1e-5)
    alone = np.array([[*g_distinct(one, [1, 4])[0], *claims(one)] for one in facts])
    np.testing.assert_allclose(g_distinct(parted, [1, 4]), alone[:, :2], rtol=1e-9)
    np.testing.assert_allclose(claims(parted), alone[:, 2], rtol=1e-9)


def test_two_people_and_a_stale_record_by_hand():
    """Both are listed and live in one place with one value, one stale record in the mean: entries 2 + Poisson(1)."""
    groups = _county(CountyPartGroups, [2], [1.0], 0.5, [1.0], 1)
    # the mean of 2 / (2 + R): 2 times the integral of u exp(u - 1), which is 2 / e
    np.testing.assert_allclose(total_risk(groups), [2 / np.e], rtol=1e-9)
    np.testing.assert_allclose(g_distinct(groups, [1, 2, 3]), [[0, 2 / np.e, 4 / np.e]], rtol=1e-12)
    np.testing.assert_allclose(claims(groups), [0.0])


# Delaware: its cells and their chances, from the people and a listing.


DATE = Granularities(gender="value", race="value", birth="date", geography="county_zip5")
FIVE_YEARS = Granularities(gender="value", birth="five_years", geography="zip5")


@pytest.fixture(scope="module")
def delaware():
    return load_shipped("us-2020").in_states(["DE"])


@pytest.mark.parametrize("key", [DATE, FIVE_YEARS], ids=str)
def test_the_list_holds_whom_the_listing_says(delaware, key):
    """Nobody under 18, more of the old than of the young: as many on the list by cell as by year of age."""
    ages = np.arange(YEARS_OF_AGE)
    chance = np.where(ages < 18, 0.0, np.minimum(0.4 + ages // 10 * 0.06, 1.0))
    counties = ("10001", "10003", "10005")
    listing = Listing(counties, np.broadcast_to(chance, (3, YEARS_OF_AGE)), np.full(3, 0.1))
    groups = merge(with_zip_codes(delaware), key, ["DE"], listing=listing)
    expected = delaware.cells["people"].to_numpy() @ listing.of_cells(delaware.cells)[0]
    assert groups.on_list.sum() == pytest.approx(expected, rel=1e-12)
    assert g_distinct_sweep(groups, 20_000)[0, -1] == pytest.approx(expected, rel=1e-9)
    if key is DATE:  # children, 18 to 19, eight decades, and at 100 and more classes of five years and one
        assert sum(len(tally.listed) for tally in groups._counted) == 12 * len(groups.people)
    parts = parted(with_zip_codes(delaware), "age", key, ["DE"], listing=listing)
    np.testing.assert_allclose(total_risk(parts).sum(), total_risk(groups)[0], rtol=1e-12)
    np.testing.assert_allclose(claims(parts).sum(), claims(groups)[0], rtol=1e-9)
