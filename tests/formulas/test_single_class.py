"""Sums of powers in place of all parts: the same figures, by brute force over all parts."""

import numpy as np
import pytest
from placed_people import placed
from scipy.special import pdtr
from scipy.stats import binom, poisson

from policy_sim.formulas.classed_groups import ClassedGroups, OnList
from policy_sim.formulas.classed_people import ClassedPeople, Pieces
from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.single_class import _FEW

SIZES = [1, 2, 3, 5, 10, 20, 32]
OFF = 1e-11  # of the people, chosen before


def shares_of(random: np.random.Generator, parts: int, skew: float) -> np.ndarray:
    share = random.random(parts) ** skew
    return share / share.sum()


@pytest.mark.parametrize("entries", [0.001, 0.05, 0.5, 0.9, 1.9, 2.9, _FEW, 12.0])
@pytest.mark.parametrize("seed", range(6))
def test_figures_are_those_of_all_parts(seed, entries):
    """Cells up to so many entries in a bin of the largest part, and beyond; the list has some of them."""
    random = np.random.default_rng(seed)
    share, bins, coverage = shares_of(random, int(random.integers(2, 120)), random.choice([0.5, 1, 3])), 40.0, 0.7
    crowd = entries * bins / share.max() / coverage
    people = np.floor(crowd * np.array([0.01, 0.2, 0.7, 0.99, 0.99, 3])) + 1
    groups = placed(CountyPartGroups, people, share, bins=bins)
    x, n = coverage * share / bins, people[:, None]
    correct = (bins * -np.expm1(n * np.log1p(-x))).sum()
    distinct = [(n * coverage * share * binom.cdf(g - 1, n - 1, x)).sum() for g in SIZES]
    wrong = (1 - coverage) * (n * share * binom.pmf(1, n - 1, x)).sum()
    within = {"rel": 0, "abs": OFF * people.sum()}
    assert groups.total_risk(coverage)[0] == pytest.approx(correct, **within)
    assert groups.g_distinct(SIZES, coverage)[0] == pytest.approx(distinct, **within)
    assert groups.claims(coverage)[0] == pytest.approx(distinct[0] + wrong, **within)


@pytest.mark.parametrize("bins", [12.0, 365.0])
@pytest.mark.parametrize("seed", range(4))
def test_with_stale_records_too(seed, bins):
    """Others in a bin are a binomial number of listed people and a Poisson number of stale records."""
    random = np.random.default_rng(seed)
    share, c, sigma = shares_of(random, 60, 2), 0.6, 0.1
    people = random.integers(1, int(_FEW * bins / share.max()), 40).astype(float)
    chances = {"listed": np.full((1, 40), c), "stale": np.array([sigma])}
    groups = placed(CountyPartGroups, people, share, bins=bins, **chances)
    held = 0.9
    x, n = held * c * share / bins, people[:, None]
    mean = n * c * sigma * share / bins
    others = np.arange(80)[:, None, None]
    of_people, of_records = binom.pmf(others, n - 1, x), poisson.pmf(others, mean)
    linked = sum(of_people[a] * (of_records[: 80 - a] / (1 + a + others[: 80 - a])).sum(axis=0) for a in range(60))
    upto = [sum(of_people[a] * pdtr(g - 1 - a, mean) for a in range(g)) for g in SIZES]
    one = of_people[0] * of_records[1] + of_people[1] * of_records[0]
    on_list = n * held * c * share
    within = {"rel": 0, "abs": OFF * people.sum()}
    assert groups.total_risk(held)[0] == pytest.approx((on_list * linked).sum(), **within)
    assert groups.g_distinct(SIZES, held)[0] == pytest.approx([(on_list * each).sum() for each in upto], **within)
    wrong = (held * (1 - c) * n * share * one).sum()
    assert groups.claims(held)[0] == pytest.approx((on_list * upto[0]).sum() + wrong, **within)


def test_nobody_in_one_county_and_two_people_in_the_one_place_of_another():
    one, nowhere = np.ones(1), np.zeros(1, dtype=np.int64)
    people = ClassedPeople(np.array([[2.0, 0.0]]), one, nowhere, nowhere)
    pieces = Pieces(np.arange(2), np.arange(2), np.ones((2, 1)), True, np.zeros(2, dtype=np.int64), 1)
    groups = ClassedGroups([OnList(people, nowhere)], pieces, lambda: ())
    assert groups.total_risk().tolist() == [1.0]
    assert groups.g_distinct([1, 2]).tolist() == [[0.0, 2.0]]
