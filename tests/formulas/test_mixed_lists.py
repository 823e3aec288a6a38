from __future__ import annotations

from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest
from exact_lists import MixedGroups, precision
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from policy_sim.formulas.bins import claimed_records, occupied_bins, people_g_distinct
from policy_sim.words.errors import InputError, NotEstimableError


def figures(groups):
    return np.array([groups.claims(), groups.correct_claims(), groups.total_risk()])


@pytest.mark.parametrize(
    ("arguments", "claims", "correct", "share", "total"),
    [
        (([100, 60], [0.85, 0.4], 365, 30), 87.8650, 74.6018, 0.849051, 90.7229),
        ((150, 0.65, 365, 40), 80.5415, 66.9894, 0.831737, 81.2979),
    ],
)
def test_the_figures_of_the_model(arguments, claims, correct, share, total):
    """MODEL.md section 15 prints them to five digits or six; these are its formulas to six."""
    group = MixedGroups.of(*arguments)
    np.testing.assert_allclose(figures(group)[:, 0], [claims, correct, total], rtol=5e-6)
    assert precision(group) == pytest.approx(share, rel=5e-6)


def counted(people, listed, bins, stale, chance):
    """Every way in which people and records are on the list and fall into bins, with its chance."""
    persons = [(p, c) for p, (n, c) in enumerate(zip(people, listed, strict=True)) for _ in range(n)]
    records = [q for m, q in zip(stale, chance, strict=True) for _ in range(m)]
    hits = [c for _, c in persons] + records
    total = np.zeros(3)
    for on_list in product([True, False], repeat=len(hits)):
        likely = np.prod([c if on else 1 - c for c, on in zip(hits, on_list, strict=True)])
        if not likely:
            continue
        for bin_of in product(range(bins), repeat=len(hits)):
            entries = np.bincount([b for b, on in zip(bin_of, on_list, strict=True) if on], minlength=bins)
            many = entries[list(bin_of[: len(persons)])]
            own = np.array(on_list[: len(persons)])
            one = [(many == 1).sum(), ((many == 1) & own).sum(), (own / np.maximum(many, 1)).sum()]
            total += likely / bins ** len(hits) * np.array(one)
    return total


SMALL = [
    (people, listed, bins, stale, chance)
    for people, listed in [
        ((1,), (1.0,)),
        ((2,), (0.5,)),
        ((3,), (1.0,)),
        ((1, 1), (1.0, 0.0)),
        ((2, 1), (0.3, 1.0)),
        ((1, 0, 2), (0.9, 1.0, 0.2)),
    ]
    for bins in (1, 2, 3)
    for stale, chance in [((0,), (1.0,)), ((1,), (1.0,)), ((2,), (1.0,)), ((2,), (0.4,)), ((1, 1), (1.0, 0.25))]
]


@pytest.mark.parametrize("case", SMALL)
def test_every_small_case_counted(case):
    np.testing.assert_allclose(figures(MixedGroups.of(*case))[:, 0], counted(*case), rtol=1e-12, atol=1e-14)


@settings(deadline=None)
@given(
    st.integers(0, 10**6),
    st.floats(0, 1),
    st.sampled_from([1.0, 1.5, 2.0, 12.0, 365.0, 365.25, 1825.0]),
)
def test_without_stale_records_and_with_one_chance_it_is_the_group_without_them(people, listed, bins):
    group = MixedGroups.of(people, listed, bins)
    known = [claimed_records(people, bins, listed), people_g_distinct(people, bins, 1, listed)]
    np.testing.assert_allclose(figures(group)[:2, 0], known, rtol=1e-11, atol=1e-290)
    assert group.total_risk().item() == pytest.approx(occupied_bins(people, bins, listed).item(), rel=1e-14, abs=1e-300)


def test_parts_with_one_chance_are_one_part():
    parts, whole = MixedGroups.of([70, 0, 30], 0.8, 365, [4, 6]), MixedGroups.of(100, 0.8, 365, 10)
    np.testing.assert_allclose(figures(parts), figures(whole), rtol=1e-12)


@pytest.mark.parametrize(
    "case",
    [
        ((3,), (0.9,), 1.0, (1,), (1.0,), 0.0),
        ((46,), (1.0,), 1.0, (1,), (1.0,), 0.0),
        ((60, 9), (1.0, 0.3), 1.0, (7,), (0.9,), 2.5),
        ((150, 20), (0.65, 1.0), 365.0, (40,), (1.0,), 0.25),
        ((10**6, 10**5), (0.8, 0.99), 1.0, (10**5,), (1.0,), 0.0),
        ((10**6, 10**5), (0.8, 0.99), 365.25, (10**7,), (0.01,), 1e4),
        ((10**5, 3), (1e-6, 1.0), 2.0, (10**6,), (0.5,), 0.0),
        ((5,), (0.5,), 1e7, (10**9,), (1.0,), 0.0),
    ],
)
def test_the_integral_is_right_to_twelve_digits(case):
    people, listed, bins, stale, chance, mean = case
    with mp.workdps(50):

        def rest(u, own):
            value = mp.exp(-mp.mpf(mean) * u / bins)
            for t, (n, c) in enumerate(zip((*people, *stale), (*listed, *chance), strict=True)):
                value *= (1 - mp.mpf(c) * u / bins) ** (n - (t == own))
            return value

        rate = sum(n * c for n, c in zip((*people, *stale), (*listed, *chance), strict=True)) / bins + mean / bins
        points = [0, *(end for end in (1 / rate, 10 / rate, 60 / rate, 200 / rate) if end < 1), 1]
        exact = sum(
            n * mp.mpf(c) * mp.quad(lambda u, s=s: rest(u, s), points)
            for s, (n, c) in enumerate(zip(people, listed, strict=True))
            if n
        )
    assert MixedGroups.of(*case).total_risk().item() == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("bins", [1, 2, 365])
def test_many_records_with_small_chances_are_a_mean(bins):
    """A county's records that fall on a group at random: the more of them, the nearer to Poisson."""
    mean = MixedGroups.of([20, 5], [0.7, 1.0], bins, expected_stale=1.7)
    apart = [
        np.abs(figures(MixedGroups.of([20, 5], [0.7, 1.0], bins, many, 1.7 / many)) / figures(mean) - 1).max()
        for many in (10**3, 10**5, 10**7)
        if bins > 1
    ]
    assert all(later < 0.02 * earlier for earlier, later in pairwise(apart))
    one = MixedGroups.of(1, 1.0, 1, expected_stale=0.3)
    assert one.correct_claims().item() == pytest.approx(np.exp(-0.3)), "with one bin a fraction of a record is a chance"


def test_the_shortcut_of_the_model():
    """``b (1 - P) L/(L + m)`` is off by less than 0.02% with 365 bins, and by more than 2% with two and few people."""

    def off(people, listed, bins, stale):
        chance, count = np.array(listed), np.array(people)
        empty = np.prod((1 - chance / bins) ** count) * (1 - 1 / bins) ** stale
        on_list = (count * chance).sum()
        shortcut = bins * (1 - empty) * on_list / (on_list + stale)
        return abs(shortcut / MixedGroups.of(people, listed, bins, stale).total_risk().item() - 1)

    assert off([100, 60], [0.85, 0.4], 365, 30) < 2e-4
    assert off([2, 2], [0.85, 0.4], 2, 2) > 0.02


def test_stale_records_in_proportion_to_the_listed_are_a_factor_per_person():
    """With ``s`` stale records for each listed resident, a bin has no entry with chance ``((1 - x) e^(-s x))^n``."""
    people, listed, bins, per_listed = 150, 0.65, 365, 0.3
    x = listed / bins
    group = MixedGroups.of(people, listed, bins, expected_stale=per_listed * people * listed)
    empty = ((1 - x) * np.exp(-per_listed * x)) ** people
    assert group.correct_claims().item() == pytest.approx(people * listed * empty / (1 - x), rel=1e-12)


def test_thrown_and_linked():
    """4,000 throws with a seed: the 99% intervals hold claims, correct claims, precision and total risk."""
    people, listed, bins, stale, runs = (100, 60), (0.85, 0.4), 365, 30, 4000
    rng, counts = np.random.default_rng(4), []
    chance = np.repeat(listed, people)
    for _ in range(runs):
        own = rng.random(len(chance)) < chance
        bin_of, others = rng.integers(0, bins, len(chance)), rng.integers(0, bins, stale)
        many = np.bincount(np.concatenate([bin_of[own], others]), minlength=bins)[bin_of]
        right = own & (rng.random(len(chance)) * many < 1)
        counts.append([(many == 1).sum(), (own & (many == 1)).sum(), right.sum()])
    counts = np.array(counts)
    half = stdtrit(runs - 1, 0.995) * counts.std(axis=0, ddof=1) / runs**0.5
    group = MixedGroups.of(people, listed, bins, stale)
    assert (np.abs(counts.mean(axis=0) - figures(group)[:, 0]) < half).all()
    apart = counts[:, 1] - precision(group) * counts[:, 0]  # mean 0 if the ratio of the sums is the precision
    assert abs(apart.mean()) < stdtrit(runs - 1, 0.995) * apart.std(ddof=1) / runs**0.5


# A chance is none, or one whose products with others still have all their digits.
CHANCES = st.just(0.0) | st.floats(1e-100, 1)


@given(
    st.lists(st.tuples(st.integers(0, 500), CHANCES), min_size=1, max_size=4),
    st.sampled_from([1.0, 2.0, 30.0, 365.0]),
    st.integers(0, 300),
    st.floats(0, 20),
)
def test_claims_and_risk_stay_in_their_ranges(parts, bins, stale, mean):
    people, listed = zip(*parts, strict=True)
    group = MixedGroups.of(people, listed, bins, stale, expected_stale=mean)
    claims, correct, total = figures(group)[:, 0]
    on_list = sum(n * c for n, c in parts)
    slack = 1 + 1e-9
    assert 0 <= correct <= claims <= sum(people) * slack
    assert correct <= total * slack
    assert total <= min(on_list, bins) * slack
    fewer = MixedGroups.of(people, listed, bins, 0)
    assert total <= fewer.total_risk().item() * slack
    assert correct <= fewer.correct_claims().item() * slack


def test_what_is_refused():
    with pytest.raises(InputError, match=r"stale = 2.5 must be a whole number"):
        MixedGroups.of(3, 0.5, 365, 2.5)
    with pytest.raises(InputError, match="expected_stale = -1"):
        MixedGroups.of(3, 0.5, 365, expected_stale=-1)
    with pytest.raises(InputError, match=r"coverage = 1\.5"):
        MixedGroups.of(3, 1.5, 365)
    with pytest.raises(InputError, match="give one value each"):
        MixedGroups.of([3, 4], [0.5, 0.1, 0.2], 365)
    with pytest.raises(InputError, match="different numbers of groups"):
        MixedGroups.of([[3], [4]], 0.5, [365, 365, 1])
    with pytest.raises(NotEstimableError, match="no claim is expected"):
        precision(MixedGroups.of(3, 0.0, 365))
