"""Groups on a list with chances of their own: against plain groups, exact sums over parts, every throw, and people."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import exp, factorial

import numpy as np
import pytest
from exact_lists import MixedGroups
from scipy.stats import poisson

from policy_sim.formulas.groups import (
    Groups,
    claims,
    g_distinct,
    g_distinct_sweep,
    g_distinct_variance,
    total_risk,
    total_risk_variance,
)
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.formulas.match_levels import match_levels


def listed_groups(people, chance, bins, stale=0.0, unit=None, units=None):
    """Groups of parts: people and chances of shape (groups, parts)."""
    n, c = (np.atleast_2d(np.asarray(values, dtype=float)) for values in (people, chance))
    n, c = np.broadcast_arrays(n, c)
    sums = [n.sum(axis=1), (n * c).sum(axis=1), (n * c**2).sum(axis=1)]
    b, mu = (np.broadcast_to(np.asarray(values, dtype=float), len(n)) for values in (bins, stale))
    where = np.zeros(len(n), dtype=np.int64) if unit is None else np.asarray(unit)
    return ListedGroups(where, sums[0], b, sums[1], sums[2], mu, sums[0], sums[1], units or int(where.max()) + 1)


def figures(groups, *in_file):
    return np.array(
        [groups.total_risk(*in_file), groups.g_distinct([1], *in_file)[:, 0], groups.claims(*in_file)]
    ).ravel()


@pytest.mark.parametrize("bins", [1.0, 1.5, 12.0, 365.0, 1825.0])
@pytest.mark.parametrize("chance", [0.0, 0.2, 0.83, 1.0])
@pytest.mark.parametrize("in_file", [1.0, 0.3])
def test_with_one_chance_they_are_plain_groups(bins, chance, in_file):
    people = np.array([1, 2, 3, 17, 200, 4000, 10**6])
    groups = listed_groups(people[:, None], chance, bins, unit=np.arange(7))
    plain = Groups.of(people, bins, unit=np.arange(7))
    c = chance * in_file
    np.testing.assert_allclose(groups.total_risk(in_file), total_risk(plain, c), rtol=1e-9, atol=1e-12)
    sizes = [1, 3, 10]
    np.testing.assert_allclose(groups.g_distinct(sizes, in_file), g_distinct(plain, sizes, c), rtol=1e-9, atol=1e-9)
    if in_file == 1:
        np.testing.assert_allclose(groups.claims(), claims(plain, c), rtol=1e-9, atol=1e-9)


RNG = np.random.default_rng(7)
PARTS = RNG.integers(0, 40, (400, 8)) * (RNG.random((400, 8)) < 0.5)
PARTS[:, 0] += 1
CHANCES = RNG.uniform(0.15, 1.0, (400, 8))
STALE = RNG.uniform(0, 0.3, 400) * (PARTS * CHANCES).sum(axis=1)


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize(("bins", "risk", "claimed"), [(1, 2e-3, 0.06), (12, 1e-3, 5e-3), (365, 2e-5, 1e-4)])
def test_mixed_groups_are_nearly_their_exact_sums(bins, risk, claimed, stale):
    """Chances from 0.15 to 1 in one group, more uneven than counties and ages are; the sums over 400 groups."""
    mean = STALE if stale else 0 * STALE
    exact = MixedGroups.of(PARTS, CHANCES, bins, expected_stale=mean)
    groups = listed_groups(PARTS, CHANCES, bins, mean)
    assert groups.total_risk().item() == pytest.approx(exact.total_risk().sum(), rel=risk)
    assert groups.g_distinct([1]).item() == pytest.approx(exact.correct_claims().sum(), rel=claimed)
    assert groups.claims().item() == pytest.approx(exact.claims().sum(), rel=claimed)


@pytest.mark.parametrize("stale", [0.0, 0.01, 0.4, 3.0, 60.0])
@pytest.mark.parametrize("bins", [1, 2, 12, 99, 100, 365])
@pytest.mark.parametrize("chance", [0.05, 0.7, 1.0])
def test_the_mean_share_of_a_guess_is_the_integral(stale, bins, chance):
    """By recursion, by Gauss-Legendre and by the binomial of the same mean and variance: each within its own error."""
    people = np.array([1, 2, 5, 40, 1000])
    exact = MixedGroups.of(people[:, None], chance, bins, expected_stale=stale).total_risk()
    groups = listed_groups(people[:, None], chance, bins, stale, unit=np.arange(5))
    np.testing.assert_allclose(groups.total_risk(), exact, rtol=2e-5 if bins >= 100 else 1e-6)


def counted(people, chance, bins, stale, g, most=9):
    """Every way in which equals are on the list and fall into bins, and a Poisson number of stale records with them."""
    total = np.zeros(3)
    for on_list in product([True, False], repeat=people):
        for bin_of in product(range(bins), repeat=people):
            likely = np.prod([chance if on else 1 - chance for on in on_list]) / bins**people
            for own in range(people):
                others = sum(on and bin_of[k] == bin_of[own] for k, on in enumerate(on_list) if k != own)
                mean = stale / bins
                for left in range(most):
                    part = likely * exp(-mean) * mean**left / factorial(left)
                    entries = others + left + on_list[own]
                    total += part * np.array(
                        [on_list[own] / max(entries, 1), on_list[own] and entries <= g, entries == 1], dtype=float
                    )
    return total


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("bins", [1, 2])
@pytest.mark.parametrize("stale", [0.0, 0.25])
@pytest.mark.parametrize("g", [1, 2])
def test_every_small_case_counted(people, bins, stale, g):
    group = listed_groups(people, 0.6, bins, stale)
    found = [group.total_risk().item(), group.g_distinct([g]).item(), group.claims().item()]
    np.testing.assert_allclose(found, counted(people, 0.6, bins, stale, g), rtol=1e-9)


@pytest.mark.parametrize("bins", [1, 365])
def test_everyone_listed_for_certain(bins):
    """With one bin a pair is never told apart; one person is, unless a record of somebody who left looks the same."""
    groups = listed_groups([[1], [2], [1]], 1.0, bins, [0, 0, 0.5], unit=[0, 1, 2])
    np.testing.assert_allclose(groups.g_distinct([1])[:, 0], [1, 2 * (1 - 1 / bins), exp(-0.5 / bins)], atol=1e-12)
    np.testing.assert_allclose(groups.claims(), groups.g_distinct([1])[:, 0], atol=1e-12)
    assert groups.g_distinct([2])[:2, 0].tolist() == [1, 2]


def test_released_parts_add_up():
    groups = listed_groups(PARTS, CHANCES, 12, STALE)
    part = RNG.random(len(groups))
    of = {
        name: ListedGroups(
            *(getattr(groups, field) for field in ("unit", "people", "bins", "listed", "squared", "stale")),
            groups.people * share,
            groups.listed * share,
            1,
        )
        for name, share in (("one", part), ("other", 1 - part))
    }
    np.testing.assert_allclose(figures(of["one"]) + figures(of["other"]), figures(groups), rtol=1e-12)


def test_units_are_apart_and_their_files_too():
    unit, in_file = np.arange(400) % 3, np.array([1.0, 0.2, 0.01])
    groups = listed_groups(PARTS, CHANCES, 2, unit=unit)
    for place, share in enumerate(in_file):
        alone = listed_groups(PARTS[unit == place], CHANCES[unit == place], 2)
        assert groups.total_risk(in_file)[place] == pytest.approx(alone.total_risk(share).item(), rel=1e-12)
        assert groups.claims(in_file)[place] == pytest.approx(alone.claims(share).item(), rel=1e-12)


def test_in_a_file_everyone_is_as_likely_to_be_as_the_share_says():
    """A share of the people: as people with their chances times it, and as many fewer records of those not listed."""
    groups = listed_groups(PARTS, CHANCES, 12)
    fewer = MixedGroups.of(PARTS, 0.3 * CHANCES, 12)
    assert groups.total_risk(0.3).item() == pytest.approx(fewer.total_risk().sum(), rel=1e-3)
    assert groups.g_distinct([1], 0.3).item() == pytest.approx(fewer.correct_claims().sum(), rel=5e-3)
    assert groups.without_stale().total_risk().item() >= listed_groups(PARTS, CHANCES, 12, STALE).total_risk().item()


@pytest.mark.parametrize(("bins", "apart"), [(1, 0.06), (12, 5e-3), (365, 1e-3)])
def test_the_sweep_is_nearly_g_distinct(bins, apart):
    groups = listed_groups(PARTS, CHANCES, bins, STALE)
    sweep, exact = g_distinct_sweep(groups, 32), groups.g_distinct(range(1, 33))
    np.testing.assert_allclose(sweep, exact, rtol=apart)
    assert (np.diff(sweep) >= -1e-9).all()
    assert g_distinct(groups, [10**6]).item() == pytest.approx(groups.listed.sum(), rel=1e-9)


def test_no_groups_and_nobody():
    none = listed_groups(np.zeros((0, 1)), 0.5, 1, unit=np.zeros(0, dtype=int), units=2)
    assert none.total_risk().tolist() == none.claims().tolist() == [0, 0]
    assert none.g_distinct([1, 5]).tolist() == [[0, 0], [0, 0]]
    assert total_risk_variance(none).tolist() == [0, 0]
    nobody = listed_groups([[0], [5]], [[0.5], [0.0]], 1, stale=[0.0, 0.5])
    assert nobody.total_risk().tolist() == nobody.g_distinct([3])[:, 0].tolist() == [0]
    assert nobody.claims().item() == pytest.approx(5 * 0.5 * exp(-0.5)), "a record of someone who left, five times"


def thrown(people, chance, bins, stale, runs, rng):
    """Right guesses, and people alone with their values, of equals thrown into bins."""
    counts = np.zeros((2, runs))
    for run in range(runs):
        on_list = rng.random(people) < chance
        own = rng.integers(0, bins, people)[on_list]
        left = rng.integers(0, bins, rng.poisson(stale))
        size = np.bincount(np.concatenate([own, left]), minlength=bins)
        # each record's guess is its own: also in one bin the guesses are independent
        counts[:, run] = (rng.random(len(own)) * size[own] < 1).sum(), (size[own] == 1).sum()
    return counts


@pytest.mark.parametrize(
    ("people", "chance", "bins", "stale"),
    [
        (60, 0.8, 40, 0.0),
        (9, 0.5, 12, 0.0),
        (60, 0.8, 40, 9.0),
        (9, 0.5, 12, 2.0),
        (3, 0.9, 365, 1.0),
        (200, 0.7, 365, 60.0),
    ],
)
def test_the_variances_are_those_of_people_thrown(people, chance, bins, stale):
    """Seeded; a variance of 4,000 runs is known to 2.3%, and four times that is allowed."""
    counts = thrown(people, chance, bins, stale, 4000, np.random.default_rng(5))
    group = listed_groups(people, chance, bins, stale)
    allowed = 4 * np.sqrt(2 / 3999)
    assert total_risk_variance(group).item() == pytest.approx(counts[0].var(ddof=1), rel=allowed)
    assert g_distinct_variance(group, 1).item() == pytest.approx(counts[1].var(ddof=1), rel=allowed)


@pytest.mark.parametrize("bins", [1.0, 2.0, 12.0, 99.0, 100.0, 365.0, 36500.0])
@pytest.mark.parametrize("chance", [0.2, 0.83, 1.0])
@pytest.mark.parametrize("part", [1, 3])
def test_without_stale_records_the_variances_are_those_of_plain_groups(bins, chance, part):
    """Also where a part of the people is released; of many bins the code takes two terms of a series."""
    people = np.array([1, 2, 3, 17, 200, 4000, 10**6])
    released = np.maximum(people // part, 1)
    groups = replace(
        listed_groups(people[:, None], chance, bins, unit=np.arange(7)),
        released=released.astype(float),
        released_listed=released * chance,
    )
    plain = Groups.of(people, bins, unit=np.arange(7), released=released)
    for ours, theirs in (
        (total_risk_variance(groups), total_risk_variance(plain, chance)),
        *((g_distinct_variance(groups, g), g_distinct_variance(plain, g, chance)) for g in (1, 5, 32)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-6 * people.max() / 10**6)


@pytest.mark.parametrize("in_file", [1.0, 0.05])
def test_records_by_their_chance_hold_every_record_and_every_link(in_file):
    groups = listed_groups(PARTS, CHANCES, 12, STALE if in_file == 1 else 0)
    (levels,) = match_levels(groups, 1.0, in_file)
    assert levels.records.sum() == pytest.approx(groups.people.sum() * in_file, rel=1e-12)
    assert (levels.records * levels.chance).sum() == pytest.approx(groups.total_risk(in_file).item(), rel=1e-12)
    assert levels.correct == groups.total_risk(in_file).item()
    (seen,) = match_levels(groups, 1.0, in_file, seen=100)
    assert seen.records.sum() == pytest.approx(groups.people.sum() * in_file, rel=1e-2)
    assert (seen.records * seen.chance).sum() == pytest.approx(levels.correct, rel=1e-2)


@pytest.mark.parametrize("people", [1, 12, 30, 31])
def test_of_many_who_are_surely_on_the_list_stale_records_alone_are_left_to_chance(people):
    sizes = [1, 5, 31, 32]
    found = g_distinct(listed_groups(people, 1.0, 1.0, 2.0), sizes)[0]
    expected = [people * poisson.cdf(size - people, 2.0) for size in sizes]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_small_groups_are_counted_alike_beside_large_ones():
    group = listed_groups(20, 0.8, 4.0, 10.0)
    together = g_distinct(group, [1, 40, 20])[0]
    assert together[[0, 2]] == pytest.approx(g_distinct(group, [1, 20])[0], rel=1e-14)
    exact = MixedGroups.of(20, 0.8, 4, expected_stale=10.0)
    assert together[0] == pytest.approx(exact.correct_claims().item(), rel=1e-12)
