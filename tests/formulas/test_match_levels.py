"""Records sorted by their chance: by hand, by conservation, and placed by chance against drawing."""

import numpy as np
import pytest
from placed_people import placed

from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.groups import Groups, total_risk
from policy_sim.formulas.match_levels import MatchLevels, levels_by_unit, match_levels, upper_percentile
from policy_sim.formulas.parted_groups import PartedGroups
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.words.errors import InputError


def test_by_hand():
    (levels,) = match_levels(Groups.of([1, 4, 4, 2]))
    assert levels.chance.tolist() == [1.0, 0.5, 0.25]
    assert levels.records.tolist() == [1.0, 2.0, 8.0]
    assert levels.attacked.tolist() == [1.0, 3.0, 11.0]
    assert levels.matched.tolist() == [1.0, 2.0, 4.0]
    assert levels.matched_after([0, 1, 7, 11]).tolist() == [0.0, 1.0, 3.0, 4.0]


def test_the_end_is_total_risk_to_the_last_digit():
    rng = np.random.default_rng(3)
    people, unit = rng.integers(0, 900, 4000), rng.integers(0, 3, 4000)
    groups = Groups.of(people, 365, unit=unit)
    for coverage, held in ((1.0, 1.0), (0.63, 1.0), (0.63, 0.02)):
        found = match_levels(groups, coverage, held)
        assert [levels.matched[-1] for levels in found] == total_risk(groups, coverage * held).tolist()
        for each, levels in enumerate(found):
            assert levels.attacked[-1] == pytest.approx(people[unit == each].sum() * held)
            assert (np.diff(levels.chance) < 0).all()
            assert (np.diff(levels.matched) >= 0).all()


def test_each_level_has_the_chance_of_its_group():
    (levels,) = match_levels(Groups.of([200, 7], [365, 12]), 0.6, 0.1)
    n, b = np.array([7, 200]), np.array([12, 365])
    np.testing.assert_allclose(levels.chance, b * (1 - (1 - 0.06 / b) ** n) / (0.1 * n))


def test_a_part_released_counts_in_proportion():
    (levels,) = match_levels(Groups.of([10], released=[4]))
    assert (levels.records.tolist(), levels.correct) == ([4.0], 0.4)


def test_a_place_of_one_county_is_measured_alike_by_both_kinds_of_placed_groups():
    """A county's cell of 30 people over two parts, once as rows with parts and once as pieces."""
    county, pieces = (placed(kind, 30, [0.2, 0.8], bins=12) for kind in (CountyPartGroups, PlacedGroups))
    (by_part,), (by_piece,) = (match_levels(groups, 0.8, 0.5) for groups in (county, pieces))
    np.testing.assert_allclose(by_part.records, by_piece.records)
    np.testing.assert_allclose(by_part.chance, by_piece.chance)
    assert by_part.attacked[-1] == pytest.approx(15)
    assert by_part.correct == county.total_risk(0.4)[0]
    rng = np.random.default_rng(5)
    right = [_matches(rng) for _ in range(4000)]
    mean, spread = np.mean(right), np.std(right) / np.sqrt(len(right))
    assert abs(mean - by_part.correct) < 4 * spread


def _matches(rng):
    part, day = rng.random(30) < 0.2, rng.integers(0, 12, 30)
    held = (rng.random(30) < 0.5) & (rng.random(30) < 0.8)
    return len(set(zip(part[held], day[held], strict=True)))  # one right guess on average in each occupied bin


def test_what_is_refused():
    with pytest.raises(InputError, match="more matches than records"):
        MatchLevels.of([1.0], [2.0])
    with pytest.raises(InputError, match="one value per kind"):
        MatchLevels.of([1.0], [0.5, 0.5])
    with pytest.raises(InputError, match="in_file has shape"):
        match_levels(Groups.of([3]), in_file=[0.1, 0.2])


def test_nobody_is_nothing():
    (levels,) = match_levels(Groups.of([0]))
    assert (levels.correct, len(levels.records), len(levels.matched)) == (0.0, 0, 0)
    assert levels.matched_after(0).item() == 0.0


def test_with_the_list_in_sight_only_the_order_changes():
    rng = np.random.default_rng(4)
    groups = Groups.of(rng.integers(1, 900, 200), 365)
    for coverage, held in ((1.0, 1.0), (0.63, 0.3)):
        (blind,), (sighted,) = (match_levels(groups, coverage, held, seen=seen) for seen in (0, 40))
        assert sighted.correct == blind.correct
        assert sighted.attacked[-1] == pytest.approx(blind.attacked[-1])
        assert (sighted.records * sighted.chance).sum() == pytest.approx(blind.correct)
        at = np.linspace(0, blind.attacked[-1], 50)[1:-1]
        assert (sighted.matched_after(at) >= blind.matched_after(at) - 1e-9).all(), "seeing more never costs anything"


def test_everyone_listed_leaves_one_over_the_bin():
    (levels,) = match_levels(Groups.of([200], [365]), seen=30)
    assert levels.chance[:4].round(12).tolist() == [1.0, 0.5, round(1 / 3, 12), 0.25]
    assert levels.records[0] == pytest.approx(115.8578, abs=1e-4), "the unique people of Benitez & Malin's example"


def test_a_single_candidate_has_the_precision_of_a_claim():
    """MODEL: 1 / (1 + (1 - c)(n - 1)/(b - c)) for n = 150, b = 365, c = 0.65."""
    (levels,) = match_levels(Groups.of([150], [365]), 0.65, seen=20)
    assert levels.chance[0] == pytest.approx(1 / (1 + 0.35 * 149 / (365 - 0.65)))


def test_a_list_in_sight_needs_counted_groups():
    with pytest.raises(InputError, match="make-up of the county"):
        match_levels(placed(CountyPartGroups, 30, [1.0], bins=12), seen=5)


def test_rounding_may_leave_a_billionth_more_matches_than_records_but_no_more():
    assert MatchLevels.of([1.0], [1 + 1e-9]).chance.tolist() == [1.0]
    with pytest.raises(InputError, match="more matches than records"):
        MatchLevels.of([1.0], [1 + 2e-9])


def test_a_person_alone_with_the_whole_list_in_sight_is_right_for_sure():
    """One bin, everyone listed: log(1 - 1/1) is minus infinity, but nobody else is there to share the bin."""
    (levels,) = match_levels(Groups.of([1, 3], 1), 1.0, 1.0, seen=2)
    assert levels.chance.tolist()[0] == 1.0
    assert levels.records.sum() == pytest.approx(4.0)
    assert levels.correct == pytest.approx(2.0)
    assert np.isfinite(levels.records).all()


def _percentile_by_enumeration(chances, among):
    """The largest chance that at least one in twenty of all people reach, counted person by person."""
    every = sorted([*chances, *[0.0] * (among - len(chances))], reverse=True)
    return max((chance for chance in every if 20 * sum(other >= chance for other in every) >= len(every)), default=0.0)


@pytest.mark.parametrize("seed", range(20))
def test_the_95th_percentile_is_that_of_people_put_in_a_row(seed):
    rng = np.random.default_rng(seed)
    people = rng.integers(1, 30, int(rng.integers(1, 12)))
    (levels,) = levels_by_unit(Groups.of(people, rng.integers(1, 3, len(people))))
    chances = np.repeat(levels.chance, levels.records.round().astype(int)).tolist()
    among = len(chances) + int(rng.integers(0, 60))
    assert levels.percentile() == _percentile_by_enumeration(chances, len(chances))
    assert levels.percentile(among=among) == _percentile_by_enumeration(chances, among)
    assert np.average(chances) * len(chances) == pytest.approx(levels.correct)


def test_exactly_one_in_twenty_reach_the_percentile():
    assert upper_percentile([1.0, 0.1], [5, 95]) == 1.0
    assert upper_percentile([1.0, 0.1], [5, 96]) == 0.1
    assert upper_percentile([1.0], [5], among=101) == 0.0
    assert upper_percentile([], []) is None
    tenths = np.full(10, 0.1)  # whose sum is not 1 to the last digit
    assert upper_percentile([0.5, *np.full(9, 0.2)], tenths, share=0.9) == 0.5


@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_the_chances_of_parts_by_zip_code_are_those_of_their_place_and_cell(kind):
    """A cell of 6 people of two parts, 5 and 1, over places with a quarter and three quarters of the county."""
    groups = placed(kind, [[6, 2]], [0.25, 0.75], bins=12)
    people, cell, part = np.array([[5.0, 1.0, 2.0]]), np.array([0, 0, 1]), np.array([[0, 1, 1]])
    parted = PartedGroups(groups, people, cell, part, 2)
    first, second = levels_by_unit(parted, 0.8)

    def chance(persons, share):
        return 12 * (1 - (1 - share * 0.8 / 12) ** persons) / (persons * share)

    np.testing.assert_allclose(first.chance, sorted((chance(6, 0.25), chance(6, 0.75)), reverse=True), rtol=1e-3)
    np.testing.assert_allclose(sorted(first.records), [5 * 0.25, 5 * 0.75])
    assert second.attacked[-1] == pytest.approx(3)
    np.testing.assert_allclose([first.correct, second.correct], parted.total_risk(0.8), rtol=1e-9)
    assert first.percentile() == pytest.approx(chance(6, 0.25), rel=1e-3)
