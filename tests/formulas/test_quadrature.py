"""Few parts in place of many: the same sums, by brute force over all parts."""

import numpy as np
import pytest
from scipy.stats import binom

from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.quadrature import CROWDS, few_parts

SIZES = np.array([1, 2, 3, 5, 10, 20])
OFF = 1e-12  # of the people of a cell, chosen before


def shares_of(seed: int, parts: int, skew: float) -> np.ndarray:
    share = np.random.default_rng(seed).random(parts) ** skew
    return share / share.sum()


@pytest.mark.parametrize("skew", [0.3, 1, 4])
@pytest.mark.parametrize("more", [1, 22, 292])
@pytest.mark.parametrize("nodes", [nodes for nodes, _ in CROWDS])
def test_sums_of_powers_are_kept(nodes, more, skew):
    parts = nodes + more
    share = shares_of(parts, parts, skew)
    few = few_parts(share, np.array([0, parts]), nodes)
    assert len(few.share) == nodes
    assert few.share.min() >= share.min() * (1 - 1e-9)
    assert few.share.max() <= share.max() * (1 + 1e-9)
    for power in range(1, 2 * nodes + 1):
        assert (few.weight * few.share**power).sum() == pytest.approx((share**power).sum(), rel=1e-11)


def test_counties_of_few_parts_stay_as_they_are_and_others_keep_their_people():
    share = np.concatenate(
        [shares_of(1, 3, 1), np.full(50, 0.02), shares_of(2, 40, 2), np.repeat([0.05, 0.01], [10, 50])]
    )
    few = few_parts(share, np.array([0, 3, 53, 93, 153]), 8)
    assert few.share[:3].tolist() == share[:3].tolist()
    assert np.diff(few.ends).tolist() == [3, 8, 8, 8]
    assert np.add.reduceat(few.weight * few.share, few.ends[:-1]) == pytest.approx(np.ones(4))
    assert np.isfinite(few.weight).all()
    again = few.of(np.array([2, 0, 2]))
    assert np.diff(again.ends).tolist() == [8, 3, 8]
    assert again.share.tolist() == [*few.share[11:19], *few.share[:3], *few.share[11:19]]
    assert again.weight.tolist() == [*few.weight[11:19], *few.weight[:3], *few.weight[11:19]]


@pytest.mark.parametrize("different", [1, 2, 3, 7])
def test_parts_of_few_different_shares_where_each_bin_is_one_value(different):
    """Nodes without weight add nothing, also where everyone is listed and a place is one bin."""
    share = np.tile(shares_of(different, different, 1), 30)
    share /= share.sum()
    people, one = np.array([1.0, 2, 5, 60]), np.ones(1)
    county = CountyParts(1.0, people, np.ones(4), np.array([0, 4]), share, np.array([0, len(share)]))
    n, sizes = people[:, None], np.arange(1, 33)
    distinct = [(n * share * binom.cdf(g - 1, n - 1, share)).sum() for g in sizes]
    assert county.distinct(sizes, one)[0] == pytest.approx(distinct, rel=1e-11)
    assert county.occupied(one)[0] == pytest.approx(-np.expm1(n * np.log1p(-share)).sum(), rel=1e-11)


@pytest.mark.parametrize("crowd", [crowd for _, crowd in CROWDS])
@pytest.mark.parametrize("seed", range(12))
def test_figures_are_those_of_all_parts(seed, crowd):
    """Cells up to the crowd that few parts are taken for, and beyond, at a list of some and with stale records."""
    random = np.random.default_rng(seed)
    share, bins, coverage = shares_of(seed, int(random.integers(17, 120)), random.choice([0.5, 1, 3])), 40.0, 0.7
    people = np.unique(np.floor(crowd * bins / share.max() / coverage * np.array([0.01, 0.2, 0.7, 0.99, 3, 9]))) + 1
    ends = np.array([0, len(people)]), np.array([0, len(share)])
    county = CountyParts(bins, people, np.ones(len(people)), ends[0], share, ends[1])
    x = coverage * share / bins
    n = people[:, None]
    correct = (bins * -np.expm1(n * np.log1p(-x))).sum()
    distinct = [(n * coverage * share * binom.cdf(g - 1, n - 1, x)).sum() for g in SIZES]
    wrong = (1 - coverage) * (n * share * binom.pmf(1, n - 1, x)).sum()
    within = {"rel": 0, "abs": OFF * people.sum()}
    assert county.occupied(np.array([coverage]))[0] == pytest.approx(correct, **within)
    assert county.distinct(SIZES, np.array([coverage]))[0] == pytest.approx(distinct, **within)
    assert county.claimed_wrongly(np.array([coverage]))[0] == pytest.approx(wrong, **within)


@pytest.mark.parametrize("bins", [12.0, 365.0])
@pytest.mark.parametrize("seed", range(6))
def test_with_stale_records_too(seed, bins, monkeypatch):
    """The same county measured at all parts, as counties of few parts are."""
    random = np.random.default_rng(seed)
    share = shares_of(seed, 60, 2)
    people = np.unique(random.integers(1, 4000, 40)).astype(float)
    ends = np.array([0, len(people)]), np.array([0, len(share)])
    facts = (bins, people, np.ones(len(people)), ends[0], share, ends[1], np.array([0.8]), np.array([0.1]))

    def figures() -> list[float]:
        county, coverage = CountyParts(*facts), np.array([0.9])
        sizes = county.distinct(SIZES, coverage)[0]
        return [*county.occupied(coverage), *sizes, *county.claimed_wrongly(coverage)]

    few = figures()
    monkeypatch.setattr("policy_sim.formulas.county_parts.CROWDS", ())
    assert few == pytest.approx(figures(), rel=0, abs=OFF * people.sum())
