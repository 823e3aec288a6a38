from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed_people import placed

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.groups import (
    Chances,
    Groups,
    claims,
    codes,
    g_distinct,
    g_distinct_sweep,
    g_distinct_variance,
    total_risk,
    total_risk_variance,
)
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.formulas.variance import variance_of_correct_links, variance_of_unique_people
from policy_sim.words.errors import InputError


def triples(groups: Groups) -> dict[tuple[int, int, float], float]:
    d = groups.distinct
    keys = zip(d.unit.tolist(), d.people.tolist(), d.bins.tolist(), strict=True)
    return dict(zip(keys, d.weight.tolist(), strict=True))


def test_a_part_released_weighs_its_share():
    groups = Groups.of([4, 4, 4], 12, released=[1, 2, 0])
    d = groups.distinct
    assert (d.people.tolist(), d.weight.tolist()) == ([4], [0.75])
    assert d.weight_squared.tolist() == [0.25**2 + 0.5**2]


def test_distinct_matches_a_plain_count():
    rng = np.random.default_rng(3)
    unit, people = rng.integers(0, 4, 5000), rng.integers(0, 30, 5000)
    bins = rng.choice([1.0, 12.0, 365.0, 365.25, 1825.0], 5000)
    counted = Counter((u, n, b) for u, n, b in zip(unit.tolist(), people.tolist(), bins.tolist(), strict=True) if n)
    assert triples(Groups.of(people, bins, unit=unit)) == counted


@pytest.mark.parametrize("different", [1, 15, 16, 17, 400])
def test_codes_are_those_of_unique(different):
    values = np.random.default_rng(5).integers(0, different, 2000) / 4 + 1
    kinds, code = codes(values)
    known, expected = np.unique(values, return_inverse=True)
    np.testing.assert_array_equal(kinds, known)
    np.testing.assert_array_equal(code, expected)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"people": [1, -2]}, "people = -2 (value 2 of 2) must be a whole number of 0 or more."),
        ({"people": 3}, "people has 0 dimensions: give a list, one value per group."),
        ({"people": [1, 2], "bins": [1, 2, 3]}, "bins has shape (3,) where people has 2 values: give one per group."),
        ({"people": [1, 2], "unit": [0]}, "unit has shape (1,) where people has 2 values: give one per group."),
        ({"people": [1, 2], "bins": [1, 0.5]}, "bins = 0.5 (value 2 of 2) must be a number of 1 or more."),
        ({"people": [1, 2], "released": [1, 3]}, "released = 3 (value 2 of 2) must be 0 to its group's 2 people."),
        (
            {"people": [1, 2], "released": [1, np.nan]},
            "released = nan (value 2 of 2) must be 0 to its group's 2 people.",
        ),
        ({"people": [1, 2], "unit": [0, 5], "units": 5}, "units = 5 must be more than the largest unit, 5."),
        ({"people": [1, 2], "unit": [0, -1]}, "unit = -1 (value 2 of 2) must be a whole number of 0 or more."),
    ],
)
def test_bad_input_is_one_clear_line(arguments, line):
    with pytest.raises(InputError) as caught:
        Groups.of(**arguments)
    assert str(caught.value) == line


def test_arrays_cannot_be_written_to_and_are_apart_from_the_callers():
    people, bins, released = np.array([3, 4]), np.array([2.0, 365.0]), np.array([1.0, 4.0])
    groups = Groups.of(people, bins, released)
    for name in ("unit", "people", "bins", "released"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(groups, name)[0] = 99
    bins[0], released[0] = 99, 99  # the caller's own arrays stay theirs
    assert (groups.bins.tolist(), groups.released.tolist()) == ([2, 365], [1, 4])
    with pytest.raises(ValueError, match="read-only"):
        groups.distinct.weight[0] = 99
    everyone = Groups.of(people)
    assert everyone.released is everyone.people


# Everyone on a list, or in a file, or both: against every way counted, thrown people, and the formulas without.


def by_hand(people: int, bins: int, listed: float, in_file: float) -> tuple[float, float, float, float]:
    """Correct links, listed people of the file who are alone among them, claims and right claims: all ways counted.

    Each person has a bin, is listed or not and in the file or not. Each record of the file is linked to one of the
    listed people of the file in its bin, drawn at random.
    """
    correct = alone = claimed = right = 0.0
    for where in product(range(bins), repeat=people):
        for on_list in product((0, 1), repeat=people):
            for inside in product((0, 1), repeat=people):
                chance = bins**-people
                for a, f in zip(on_list, inside, strict=True):
                    chance *= (listed if a else 1 - listed) * (in_file if f else 1 - in_file)
                for place in range(bins):
                    records = [i for i in range(people) if inside[i] and where[i] == place]
                    known = [i for i in records if on_list[i]]
                    correct += chance * sum(1 / len(known) for i in records if i in known)
                    alone += chance * (len(known) == 1)
                    claimed += chance * len(records) * (len(known) == 1)
                    right += chance * (len(known) == 1)
    return correct, alone, claimed, right


@pytest.mark.parametrize(("people", "bins"), [(1, 1), (2, 1), (3, 2), (4, 2), (3, 3)])
@pytest.mark.parametrize(
    ("listed", "in_file"), [(1.0, 0.3), (0.65, 0.3), (0.2, 0.9), *((listed, 1.0) for listed in (0.0, 0.25, 0.65, 1.0))]
)
def test_every_way_counted(people, bins, listed, in_file):
    chances, groups = Chances(np.array([listed]), np.array([in_file])), Groups.of([people], [bins])
    ours = (
        chances.total_risk(groups).item(),
        chances.g_distinct(groups, [1]).item(),
        *chances.claims(groups)[0].tolist(),
    )
    np.testing.assert_allclose(ours, by_hand(people, bins, listed, in_file), rtol=1e-12, atol=1e-13)


def some_groups() -> list[Groups | CountyPartGroups | PlacedGroups]:
    counted = Groups.of([1, 30, 200, 5000], [365, 365, 1825, 1], unit=[0, 0, 1, 1])
    facts = {"bins": 365, "unit": [0, 1], "place": [0, 1, 0], "units": 2}
    parts = placed(CountyPartGroups, [[200, 0], [40, 40]], [0.3, 0.7, 1], county=[0, 0, 1], **facts)
    facts |= {"unit": [0, 0, 1], "place": [0, 0, 1]}
    places = placed(PlacedGroups, [[200], [40], [50]], [0.3, 1, 0.5], county=[0, 1, 2], **facts)
    return [counted, parts, places]


@pytest.mark.parametrize("groups", some_groups())
def test_a_file_of_everyone_changes_nothing_whatever_the_list(groups):
    for listed in (np.ones(2), np.array([0.65, 0.2])):
        with_file, without = Chances(listed, np.ones(2)), Chances(listed)
        np.testing.assert_allclose(with_file.total_risk(groups), total_risk(groups, listed), rtol=1e-12)
        np.testing.assert_allclose(with_file.g_distinct(groups, [1, 3]), g_distinct(groups, [1, 3], listed), rtol=1e-12)
        np.testing.assert_allclose(with_file.claims(groups), without.claims(groups), rtol=1e-12)
        np.testing.assert_allclose(without.claims(groups)[:, 0], claims(groups, listed), rtol=1e-12)


def test_shares_of_a_unit_hold_for_each_of_its_parts():
    twice = Chances(np.array([0.5, 1.0]), np.array([0.1, 0.2])).repeated(2)
    assert twice.listed.tolist() == [0.5, 0.5, 1.0, 1.0]
    assert twice.linkable.tolist() == [0.05, 0.05, 0.2, 0.2]
    assert Chances(np.ones(1)).repeated(3).in_file is None


def test_people_thrown_as_the_model_was_tried():
    """150 people, 365 days, a share of 0.1 in the file: 0.9799 of them are linked rightly, 0.9600 are alone."""
    chances, groups = Chances(np.ones(1), np.full(1, 0.1)), Groups.of([150], [365])
    assert chances.total_risk(groups).item() / 15 == pytest.approx(0.9799, abs=1e-3)
    assert chances.g_distinct(groups, [1]).item() / 15 == pytest.approx(0.9600, abs=1e-3)


G = [1, 2, 3, 5, 10, 40, 200]


@pytest.fixture
def crowd() -> Groups:
    """Three thousand groups of all sorts in six units, one of them empty, partly released."""
    rng = np.random.default_rng(6)
    people = np.floor(rng.pareto(0.9, 3000) * 3).clip(0, 20_000).astype(int)
    bins = rng.choice([1.0, 2.0, 12.0, 365.0, 365.25, 1825.0], 3000)
    return Groups.of(people, bins, rng.integers(0, people + 1), unit=rng.integers(0, 5, 3000), units=6)


def one_by_one(groups: Groups, formula, power: int = 1):
    """Sum the formula over groups without counting alike ones together."""
    share = (groups.released / np.maximum(groups.people, 1)) ** power
    sums = np.zeros(groups.units)
    np.add.at(sums, groups.unit, share * formula)
    return sums


def part_by_part(groups: Groups, mean, variance):
    """Sum the variance of what is counted among j of n alike people: j m (1-m) + j (j-1) of the covariance."""
    n, j = np.maximum(groups.people, 1), np.asarray(groups.released, float)
    single = mean / n * (1 - mean / n)
    covariance = (variance - n * single) / np.maximum(n * (n - 1), 1)
    sums = np.zeros(groups.units)
    np.add.at(sums, groups.unit, j * single + j * (j - 1) * covariance)
    return sums


@pytest.mark.parametrize("coverage", [1.0, 0.7, [1.0, 0.9, 0.5, 0.2, 0.0, 1.0]])
def test_measures_are_the_sums_over_groups(crowd, coverage):
    n, b = crowd.people, crowd.bins
    c = np.broadcast_to(coverage, 6)[crowd.unit]
    risk = one_by_one(crowd, occupied_bins(n, b, c))
    within = np.stack([one_by_one(crowd, people_g_distinct(n, b, g, c)) for g in G], axis=1)
    # sums of 3000 floats in two orders
    np.testing.assert_allclose(total_risk(crowd, coverage), risk, rtol=1e-12)
    np.testing.assert_allclose(g_distinct(crowd, G, coverage), within, rtol=1e-12)
    links = part_by_part(crowd, occupied_bins(n, b, c), variance_of_correct_links(n, b, c))
    np.testing.assert_allclose(total_risk_variance(crowd, coverage), links, rtol=1e-10)
    alone = part_by_part(crowd, people_g_distinct(n, b, 1, c), variance_of_unique_people(n, b, c))
    np.testing.assert_allclose(g_distinct_variance(crowd, 1, coverage), alone, rtol=1e-10)


@pytest.mark.parametrize("coverage", [1.0, 0.7, [1.0, 0.9, 0.5, 0.2, 0.0, 1.0]])
def test_sweep_is_g_distinct_for_every_g(crowd, coverage):
    swept = g_distinct_sweep(crowd, 400, coverage)
    assert swept.shape == (6, 400)
    np.testing.assert_allclose(swept, g_distinct(crowd, range(1, 401), coverage), rtol=1e-11)


def test_sweep_in_several_parts(crowd, monkeypatch):
    whole = g_distinct_sweep(crowd, 50)
    monkeypatch.setattr("policy_sim.formulas.groups._PAIRS_AT_ONCE", 37)
    np.testing.assert_allclose(g_distinct_sweep(crowd, 50), whole, rtol=1e-13)


def test_by_hand():
    """Three people in 2 bins fill 1.75 of them; 0.75 people are alone and nobody is in a bin of 4."""
    groups = Groups.of([3, 3, 1], [2, 2, 365], unit=[0, 0, 1])
    np.testing.assert_allclose(total_risk(groups), [3.5, 1.0], rtol=1e-15)
    np.testing.assert_allclose(g_distinct(groups, [1, 2, 3]), [[1.5, 4.5, 6.0], [1, 1, 1]], rtol=1e-15)
    # occupied bins scatter by 3/16; all three together (1/4) leave a luck of 2/3, two and one (3/4) of 1/2
    np.testing.assert_allclose(total_risk_variance(groups), [2 * (3 / 16 + 1 / 6 + 3 / 8), 0], rtol=1e-14)


@pytest.mark.parametrize(
    ("people", "bins", "released"), [(3, 1, 1), (3, 2, 2), (4, 2, 1), (4, 3, 3), (4, 3, 4), (2, 6, 2), (5, 2, 5)]
)
def test_part_of_a_group_against_every_throw_and_every_guess(people, bins, released):
    """The first ``released`` of the people are attacked; all of them are possible guesses."""
    links, alone, chances = [], [], []
    for throw in product(range(bins), repeat=people):
        equals = [[other for other in range(people) if throw[other] == throw[one]] for one in range(released)]
        for guesses in product(*equals):
            links.append(sum(guess == one for one, guess in enumerate(guesses)))
            alone.append(sum(len(same) == 1 for same in equals))
            chances.append(1 / bins**people / np.prod([len(same) for same in equals]))
    groups = Groups.of([people], [bins], released=[released])
    np.testing.assert_allclose(total_risk(groups), [np.average(links, weights=chances)], rtol=1e-12)
    for ours, counts in ((total_risk_variance(groups), links), (g_distinct_variance(groups, 1), alone)):
        mean = np.average(counts, weights=chances)
        np.testing.assert_allclose(ours, [np.average((counts - mean) ** 2, weights=chances)], rtol=1e-11, atol=1e-13)


def test_a_data_set_against_its_population():
    """With one bin, total risk adds up f/F: records times marketer risk."""
    sample, population = np.array([1, 2, 2, 0]), np.array([1, 4, 2, 9])
    risk = total_risk(Groups.of(population, 1, released=sample))
    np.testing.assert_allclose(risk, [1 / 1 + 2 / 4 + 2 / 2], rtol=1e-15)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=20))
def test_merging_groups_keeps_people_and_never_adds_risk(pairs):
    """A key that lacks a field merges groups: everyone stays, nobody becomes easier to find."""
    a, b = (np.array(column) for column in zip(*pairs, strict=True))
    apart = Groups.of(np.concatenate([a, b]), 365)
    merged = Groups.of(a + b, 365)
    largest = [int((a + b).max())]
    np.testing.assert_allclose(g_distinct(merged, largest), g_distinct(apart, largest), rtol=1e-12)
    assert total_risk(merged)[0] <= total_risk(apart)[0] * (1 + 1e-12)
    assert (g_distinct(merged, G) <= g_distinct(apart, G) * (1 + 1e-12)).all()


def test_no_groups_is_no_people_and_no_risk():
    empty = Groups.of([], 365, units=2)
    assert len(empty) == len(empty.distinct.people) == 0
    for measured in (total_risk(empty), g_distinct(empty, [1, 2]), g_distinct_sweep(empty, 3)):
        assert measured.shape[0] == 2
        assert not measured.any()


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda groups: g_distinct(groups, [1, 0]), "g = 0 (value 2 of 2) must be a whole number of 1 or more."),
        (lambda groups: g_distinct_sweep(groups, 0), "g_max = 0 must be a whole number of 1 or more."),
        (
            lambda groups: total_risk(groups, [0.5, 0.5]),
            "coverage has shape (2,): give one value, or one per unit, 6 in all.",
        ),
        (lambda groups: total_risk(groups, 1.2), "coverage = 1.2 must be a share from 0 to 1."),
    ],
)
def test_measures_bad_input_is_one_clear_line(crowd, call, line):
    with pytest.raises(InputError) as caught:
        call(crowd)
    assert str(caught.value) == line


def test_many_kinds_of_bins_and_huge_groups_do_not_run_into_each_other():
    """3,000 kinds of bins, each with a group of 1 and one of 2**53 people, which fill every bin: sum of b + 1."""
    bins = np.arange(1, 3001).repeat(2)
    groups = Groups.of(np.tile([1, 2**53], 3000), bins)
    assert total_risk(groups)[0] == pytest.approx(3000 * 3001 / 2 + 3000, rel=1e-12)
    assert g_distinct(groups, [1])[0, 0] == pytest.approx(3000, rel=1e-12)
