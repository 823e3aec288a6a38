"""How populations are fitted: the steps from ages and margins to whole people, then each fit."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_sim.building.ages import (
    YEARS,
    carry,
    deal_ages,
    shares_within_85_over,
    spread,
    state_ages,
    with_origin,
)
from policy_sim.building.fits import (
    ADULT,
    AGE_STARTS,
    SIX_RACES,
    Estimates,
    Redistricting,
    expected_people,
    expected_small_races,
    fit_decennial,
    fit_estimates,
    fit_redistricting,
    hispanics_by_class,
    pattern_by_class,
    people_by_class,
    people_by_origin,
    people_in_six_races,
    six_of_seven,
    whole_ages,
    with_ages,
)
from policy_sim.building.official_tables import AgePatterns, Decennial
from policy_sim.building.rounding import Margin, draw_rows, fit_margins, round_rows, settle_columns, share_out
from policy_sim.building.tables import (
    read_ages,
    read_estimates,
)
from policy_sim.formulas.groups import Groups, total_risk
from policy_sim.people.merge import AGE_WIDTHS, CLASS_AGES, CLASS_STARTS, class_of_age
from policy_sim.words.errors import NotEstimableError


def rng_of(seed=1):
    return np.random.Generator(np.random.PCG64(seed))


# Proportional fitting, and whole people whose sums stay.


def test_two_by_two_keeps_the_odds_ratio_and_gets_the_totals():
    # First cell a of rows 30, 60 and columns 45, 45: a (15 + a) = 4 (30 - a)(45 - a), 3a² - 315a + 5400 = 0.
    table = fit_margins(
        np.array([[2.0, 1.0], [1.0, 2.0]]),
        [Margin(np.array([[30.0], [60.0]])), Margin(np.array([[45.0, 45.0]]))],
        tolerance=1e-10,
    )
    first = (315 - np.sqrt(315**2 - 4 * 3 * 5400)) / 6
    np.testing.assert_allclose(table, [[first, 30 - first], [45 - first, 15 + first]], rtol=1e-9)


def test_a_cell_of_zero_stays_zero():
    table = fit_margins(
        np.array([[0.0, 1.0], [1.0, 1.0]]), [Margin(np.array([[2.0], [5.0]])), Margin(np.array([[3.0, 4.0]]))]
    )
    np.testing.assert_allclose(table, [[0, 2], [3, 2]], atol=0.02)


def test_a_margin_may_speak_of_a_part():
    part = (slice(0, 1), slice(None))
    table = fit_margins(np.ones((2, 3)), [Margin(np.array([[7.0]]), part), Margin(np.array([[4.0, 4.0, 4.0]]))])
    assert table[0].sum() == pytest.approx(7, abs=0.01)
    np.testing.assert_allclose(table.sum(axis=0), 4)


def test_the_pattern_is_left_alone():
    pattern = np.ones((2, 2))
    fit_margins(pattern, [Margin(np.array([[10.0], [10.0]]))])
    assert (pattern == 1).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=12, max_size=12), st.integers(0, 2**32 - 1))
def test_margins_of_a_real_table_are_met(counts, seed):
    real = np.array(counts, dtype=np.float64).reshape(2, 3, 2)
    pattern = np.random.default_rng(seed).uniform(0.2, 5, real.shape)
    margins = [Margin(real.sum(axis=axis, keepdims=True)) for axis in range(3)]
    table = fit_margins(pattern, margins, tolerance=1e-6, max_rounds=5000)
    for axis in range(3):
        np.testing.assert_allclose(table.sum(axis=axis), real.sum(axis=axis), atol=1e-4)


def test_rounding_goes_down_or_up_and_keeps_every_total():
    totals = np.array([10, 0, 7])
    expected = np.array([[2.3, 3.2, 4.5], [0, 0, 0], [1, 1, 5]])
    for seed in range(20):
        whole = round_rows(expected, totals, rng_of(seed))
        assert (whole.sum(axis=1) == totals).all()
        assert (np.floor(expected) <= whole).all()
        assert (whole <= np.ceil(expected)).all()


def test_rounding_is_right_on_average():
    expected = np.broadcast_to([0.25, 0.6, 1.15], (40_000, 3))
    mean = round_rows(expected, np.full(40_000, 2), rng_of()).mean(axis=0)
    # three standard errors of a share at most 1/2 of 40,000
    np.testing.assert_allclose(mean, [0.25, 0.6, 1.15], atol=3 * 0.5 / 200)


def test_rows_are_scaled_to_their_total():
    assert round_rows(np.array([[1.0, 3.0]]), np.array([8]), rng_of()).tolist() == [[2, 6]]


def test_draws_are_multinomial():
    people = draw_rows(np.broadcast_to([1.0, 2.0, 1.0], (40_000, 3)), np.full(40_000, 3), rng_of())
    assert (people.sum(axis=1) == 3).all()
    # all three in the first column: (1/4)^3, by hand
    share = (people[:, 0] == 3).mean()
    assert share == pytest.approx(1 / 64, abs=3 * np.sqrt(1 / 64 / 40_000))
    assert people[:, 1].var() == pytest.approx(3 / 4, rel=0.05)  # n p (1 - p)


@pytest.mark.parametrize("draw", [round_rows, draw_rows])
def test_people_where_none_are_expected_are_refused(draw):
    with pytest.raises(NotEstimableError, match="none are expected"):
        draw(np.zeros((1, 3)), np.array([2]), rng_of())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=20, max_size=20), st.integers(0, 2**32 - 1))
def test_settled_columns_have_their_totals_and_rows_keep_theirs(counts, seed):
    target = np.array(counts).reshape(1, 5, 4)
    expected = target + 0.5
    start = draw_rows(expected, target.sum(axis=2), rng_of(seed))
    settled = settle_columns(start, expected, target.sum(axis=1))
    assert (settled >= 0).all()
    assert (settled.sum(axis=1) == target.sum(axis=1)).all()
    assert (settled.sum(axis=2) == target.sum(axis=2)).all()


def test_settling_goes_by_way_of_another_column_where_no_row_has_both():
    # Column 0 has one too many, column 2 one too few, and no row allows both.
    people = np.array([[[2, 0, 0], [0, 1, 0]]])
    expected = np.array([[[1.0, 1.0, 0.0], [0.0, 0.5, 0.5]]])
    settled = settle_columns(people, expected, np.array([[1, 1, 1]]))
    assert settled.tolist() == [[[1, 1, 0], [0, 0, 1]]]


def test_totals_that_zeros_forbid_are_refused():
    with pytest.raises(NotEstimableError, match="impossible"):
        settle_columns(np.array([[[2, 0]]]), np.array([[[2.0, 0.0]]]), np.array([[1, 1]]))


def test_dealing_keeps_the_pool_and_every_demand():
    pool = np.array([[5, 0, 7], [1, 1, 1]])
    demands = np.array([[3, 1], [0, 0], [9, 2]])
    dealt = share_out(pool, demands, rng_of())
    assert (dealt.sum(axis=0) == pool).all()
    assert (dealt.sum(axis=2) == demands).all()


def test_every_deal_is_equally_likely():
    # Two of one kind, one of another and one of a third, dealt two and two; counted over all orders.
    deck = [0, 0, 1, 2]
    orders = list(permutations(deck))
    wanted = {kinds: orders_with / len(orders) for kinds, orders_with in _hands(orders).items()}
    tables = 30_000
    dealt = share_out(np.tile([2, 1, 1], (tables, 1)), np.full((2, tables), 2), rng_of())
    for kinds, chance in wanted.items():
        found = (dealt[0] == kinds).all(axis=1).mean()
        assert found == pytest.approx(chance, abs=4 * np.sqrt(chance / tables))


def _hands(orders):
    hands = {}
    for order in orders:
        kinds = tuple(order[:2].count(kind) for kind in range(3))
        hands[kinds] = hands.get(kinds, 0) + 1
    return hands


# Ages.


def people_by_age(people, years, by_race, shares, rng):
    return deal_ages(people, state_ages(people.sum(axis=0), years, by_race, shares, rng), rng)


def ages(**people):
    out = np.zeros(YEARS)
    for age, count in people.items():
        out[int(age[1:])] = count
    return out


def test_whole_years_move_a_birth_cohort_whole():
    assert carry(ages(a20=10.0), 3).tolist() == ages(a23=10.0).tolist()
    assert carry(ages(a20=10.0), -3).tolist() == ages(a17=10.0).tolist()


def test_part_of_a_year_moves_part_of_a_cohort():
    moved = carry(ages(a20=8.0), 9.25)
    assert moved.tolist() == ages(a29=6.0, a30=2.0).tolist()


def test_the_young_end_and_the_open_age_keep_their_size():
    people = np.full(YEARS, 5.0)
    people[-1] = 50
    assert carry(people, 9.25).tolist() == people.tolist()


def test_spread_keeps_classes_and_follows_the_pattern():
    starts = np.array([0, 2, 85])
    pattern = np.ones(YEARS)
    pattern[1] = 3
    out = spread(np.array([8.0, 83.0, 4.0]), starts, pattern)
    assert out[:2].tolist() == [2, 6]
    assert out[2:85].tolist() == pytest.approx([1.0] * 83)
    assert out[85] == 4


SHARES = np.array([0.65, 0.26, 0.07, 0.015, 0.003, 0.002])


def aged(seed=0):
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 40, (6, 2, 23, 7))
    by_race = rng.uniform(1, 2, (7, 2, 86))
    # years of the state that add up to the classes: what a census gives
    years = np.zeros((2, 86))
    for number, ages in enumerate(CLASS_AGES[:-1]):
        total = people[:, :, number].sum(axis=(0, 2))
        for sex in range(2):
            years[sex, ages] = rng.multinomial(total[sex], np.full(len(ages), 1 / len(ages)))
    years[:, 85] = people[:, :, 22].sum(axis=(0, 2))
    shares = shares_within_85_over(np.stack([SHARES, SHARES]))[:, None].repeat(7, axis=1)
    return people, years, people_by_age(people, years, by_race, shares, rng_of(seed))


def test_shares_of_85_and_over_keep_their_sums_and_fall_year_by_year():
    out = shares_within_85_over(SHARES)
    assert out.shape == (18,)
    np.testing.assert_allclose(out[:15].reshape(3, 5).sum(axis=1), SHARES[:3])
    assert out[15:].tolist() == SHARES[3:].tolist()
    assert (np.diff(out[:15]) < 0).all()


def test_classes_of_every_county_and_years_of_the_state_keep_their_people():
    people, years, single = aged()
    assert single.shape == (6, 2, 103, 7)
    for number, ages in enumerate(CLASS_AGES):
        assert (single[:, :, ages].sum(axis=2) == people[:, :, number]).all()
    assert (single.sum(axis=(0, 3))[:, :85] == years[:, :85]).all()


@pytest.mark.slow
def test_small_cells_scatter_as_people_drawn_one_by_one_do():
    # 3 people in each county's class of five years and no other: 5 (1 - (4/5)^3) = 2.44 years occupied;
    # rounding expected numbers would give 3.
    people = np.zeros((400, 2, 23, 7), dtype=np.int64)
    people[:, 0, 8, 0] = 3
    years = np.ones((2, 86))
    shares = shares_within_85_over(np.stack([SHARES, SHARES]))[:, None].repeat(7, axis=1)
    single = people_by_age(people, years, np.ones((7, 2, 86)), shares, rng_of())
    occupied = (single[:, 0, :, 0] > 0).sum(axis=1).mean()
    assert occupied == pytest.approx(5 * (1 - 0.8**3), abs=0.09)  # three standard errors of 400


# The fit of 2020.


def made(seed=0, counties=5):
    rng = np.random.default_rng(seed)
    size = np.array([[9, 2, 1, 1, 0.1, 20, 30], [90, 30, 1, 4, 0.1, 0.1, 3]])[:, :, None, None]
    pattern = rng.uniform(0, 4, (counties, 2, 7, 2, 86)) * size
    halves = [pattern[..., :ADULT].sum(axis=(3, 4)), pattern[..., ADULT:].sum(axis=(3, 4))]
    counted = np.stack([rng.poisson(part * rng.uniform(0.8, 1.3, part.shape)) for part in halves], axis=1)
    return Redistricting(
        "99",
        tuple(f"9900{i}" for i in range(counties)),
        counted=counted,
        ages=pattern.sum(axis=(1, 2)) * rng.uniform(0.9, 1.1, (counties, 2, 86)),
        pattern=pattern,
        open_shares=np.full((2, 7, 18), 1 / 18),
    )


def by_half(people):
    return np.stack([people[..., :ADULT].sum(axis=(3, 4)), people[..., ADULT:].sum(axis=(3, 4))], axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_every_county_race_origin_and_half_is_exact(seed):
    tables = made(seed)
    people = people_by_origin(tables, rng_of())
    assert people.min() >= 0
    assert (by_half(people) == tables.counted).all()


def test_every_county_sex_and_year_of_age_is_that_of_the_ages_rounded():
    tables = made()
    ages = whole_ages(tables.ages, tables.counted.sum(axis=(2, 3)), rng_of())
    assert (people_by_origin(tables, rng_of()).sum(axis=(1, 2)) == ages).all()
    half = tables.ages[..., ADULT:]
    scaled = half * (tables.counted[:, 1].sum(axis=(1, 2)) / half.sum(axis=(1, 2)))[:, None, None]
    assert np.abs(ages[..., ADULT:] - scaled).max() < 1


def test_the_fitted_table_is_the_one_of_least_relative_entropy():
    """Brute force: the same margins, met cell by cell in another order, give the same table."""
    tables = made(counties=1)
    ages = whole_ages(tables.ages, tables.counted.sum(axis=(2, 3)), rng_of())
    found = expected_people(tables, ages)
    every = (slice(None),) * 4
    halves = [
        Margin(tables.counted[:, half, ..., None, None], (*every, part))
        for half, part in enumerate((slice(0, ADULT), slice(ADULT, 86)))
    ]
    of_state = tables.pattern.sum(axis=0)
    pattern = tables.pattern + 0.5 * of_state / of_state.sum(axis=(2, 3), keepdims=True)
    other = fit_margins(pattern, [Margin(ages[:, None, None]), *halves], tolerance=1e-6, max_rounds=5000)
    np.testing.assert_allclose(found, other, atol=0.05)


def test_a_county_without_children_is_possible():
    tables = made()
    counted = tables.counted.copy()
    counted[0, 0] = 0
    childless = Redistricting(**{**vars(tables), "counted": counted})
    assert fit_redistricting(childless, rng_of())[:, 0, :, :ADULT].sum() == 0


def test_the_result_keeps_every_origin_and_the_oldest_are_split():
    tables = made()
    people = fit_redistricting(tables, rng_of())
    assert people.shape == (2, 5, 2, 103, 7)
    kept = np.moveaxis(people_by_origin(tables, rng_of()), (1, 2), (0, -1))
    assert (people[:, :, :, :85] == kept[:, :, :, :85]).all()
    assert (people[:, :, :, 85:].sum(axis=3) == kept[:, :, :, 85]).all()


@pytest.mark.slow
def test_connecticuts_old_counties_have_the_ages_of_their_regions(shared):
    # Windham County (09015) lies in two regions, with 91,993 and 24,425 of its people.
    table = read_ages(shared / "census", ["09015", "09150", "09180"])
    old, *regions = table / table.sum(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(old, (91_993 * regions[0] + 24_425 * regions[1]) / 116_418)


def five_years(people):
    """People by single year on the last axis, added up over five years."""
    return np.add.reduceat(people, AGE_STARTS, axis=-1)


def fit_2022_made(seed=0, counties=4):
    """Margins of a made-up table in six races, and an older table in seven."""
    rng = np.random.default_rng(seed)
    size = np.array([90, 30, 2, 5, 0.2, 40, 20])[:, None, None]
    older = rng.uniform(0, 2, (counties, 2, 7, 2, 86)) * size
    table = rng.poisson(np.delete(older, 5, axis=2) * rng.uniform(0.8, 1.4, (counties, 2, 6, 1, 1)))
    six = six_of_seven(older.sum(axis=(3, 4)), table.sum(axis=(1, 3, 4)).astype(np.float64))
    return Estimates(
        "99",
        tuple(f"9900{i}" for i in range(counties)),
        ages=five_years(table.sum(axis=(1, 2))),
        races=np.moveaxis(table.sum(axis=(1, 4)), 1, 2),
        origins=np.moveaxis(table.sum(axis=(2, 4)), 1, 2),
        pattern=older,
        six=six,
        open_shares=np.full((2, 7, 18), 1 / 18),
    )


def margins_are_exact(tables):
    people = people_in_six_races(tables, rng_of())
    assert people.min() >= 0
    assert (five_years(people.sum(axis=(3, 4))) == tables.ages).all()
    assert (people.sum(axis=(2, 3)) == tables.races).all()
    assert (people.sum(axis=(2, 4)) == tables.origins).all()


def test_all_three_margins_are_exact_in_every_county():
    for seed in range(3):
        margins_are_exact(fit_2022_made(seed))


@pytest.mark.slow
@pytest.mark.parametrize("state", ["09", "10", "48"])
def test_every_margin_of_2022_is_exact_in_the_build(state, shared):
    tables = read_estimates(shared / "census", 2022)[state]
    margins_are_exact(tables)
    if state == "09":
        assert tables.counties == tuple(f"091{n}0" for n in range(1, 10))


def test_nobody_is_lost_when_races_become_seven():
    tables = fit_2022_made()
    by_origin = fit_estimates(tables, rng_of())
    assert by_origin.shape == (2, 4, 2, 103, 7)
    assert (np.moveaxis(by_origin.sum(axis=(3, 4)), 0, -1) == tables.origins).all()
    people = by_origin.sum(axis=0)
    assert (people.sum(axis=(2, 3)) == tables.ages.sum(axis=2)).all()
    assert (people[:, :, :5].sum(axis=(2, 3)) == tables.ages[..., 0]).all()
    assert (people[:, :, 85:].sum(axis=(2, 3)) == tables.ages[..., -1]).all()


def test_some_other_race_keeps_about_the_share_that_it_had():
    tables = fit_2022_made(counties=20)
    found = fit_estimates(tables, rng_of()).sum(axis=(0, 1, 2, 3))
    older = tables.pattern.sum(axis=(0, 1, 3, 4))
    assert found[5] / found.sum() == pytest.approx(older[5] / older.sum(), abs=0.05)


def test_every_race_goes_somewhere_and_one_race_stays():
    tables = fit_2022_made()
    np.testing.assert_allclose(tables.six.sum(axis=-1), 1)
    assert (tables.six[:, :, 0, 1:-1] == 0).all()  # white people become neither Black nor Asian
    assert len(SIX_RACES) == tables.six.shape[-1]


def test_a_race_that_the_estimates_lack_in_a_county_is_possible():
    tables = fit_2022_made()
    six = six_of_seven(tables.pattern.sum(axis=(3, 4)), np.array([[50.0, 0, 0, 0, 0, 0]] * 4))
    assert np.isfinite(six).all()


COARSE = np.array([0, 5, 10, 15, 20, 25, 30, 35, 45, 55, 65, 75, 85])


def fit_decennial_made(seed=0, counties=4):
    """A state whose joint table we know: counts by county, origin, race, sex and class."""
    rng = np.random.default_rng(seed)
    size = np.array([400, 60, 3, 5, 1, 8, 6])[None, None, :, None, None] * np.array([0.2, 1])[None, :, None, None, None]
    joint = rng.poisson(size * rng.uniform(0.3, 2, (counties, 2, 7, 2, 23)))
    races = joint.sum(axis=1)
    of_year = class_of_age(np.arange(86))
    nation = joint.sum(axis=0)[..., of_year] + 1.0
    groups = np.concatenate([joint[:, 0].sum(axis=1, keepdims=True), joint[:, 1]], axis=1).sum(axis=0)
    patterns = AgePatterns(
        years=nation.sum(axis=(0, 1)),
        classes=groups @ np.eye(len(COARSE))[class_of_age(CLASS_STARTS, COARSE)],
        class_starts=COARSE,
        nation=nation,
        open_shares=np.full((2, 7, 18), 1 / 18),
    )
    census = Decennial(
        "99",
        tuple(f"9900{i}" for i in range(counties)),
        everyone=races.sum(axis=1),
        white=races[:, 0],
        black=races[:, 1],
        hispanic=joint[:, 0].sum(axis=1),
        white_not_hispanic=joint[:, 1, 0],
        race_origin=joint.sum(axis=(3, 4)),
        patterns=patterns,
    )
    return census, races


def test_every_counted_margin_stays_exact():
    census, _ = fit_decennial_made()
    people = people_by_class(census, rng_of(3))
    assert (people.sum(axis=3) == census.everyone).all()
    assert (people[..., 0] == census.white).all()
    assert (people[..., 1] == census.black).all()
    assert (people.sum(axis=(1, 2)) == census.race_origin.sum(axis=1)).all()
    assert (people >= 0).all()


def test_expected_people_of_small_races_add_up():
    census, races = fit_decennial_made()
    expected = expected_small_races(census)
    np.testing.assert_allclose(expected.sum(axis=3), census.everyone - census.white - census.black, atol=1e-6)
    # the fit stops within 0.01 people of each origin by race
    np.testing.assert_allclose(expected.sum(axis=(1, 2)), races[:, 2:].sum(axis=(2, 3)), atol=0.1)


@pytest.mark.slow
def test_single_ages_keep_race_and_county():
    census, _ = fit_decennial_made()
    people = fit_decennial(census, rng_of(3))
    assert people.shape == (2, 4, 2, 103, 7)
    assert (np.moveaxis(people.sum(axis=(2, 3)), 0, 1) == census.race_origin).all()


def test_a_group_without_people_in_its_state_runs_as_in_the_nation():
    census, _ = fit_decennial_made()
    patterns = census.patterns
    empty = patterns.classes.copy()
    empty[5] = 0  # Pacific Islanders who are not Hispanic
    lonely = AgePatterns(patterns.years, empty, patterns.class_starts, patterns.nation, patterns.open_shares)
    found = pattern_by_class(lonely)[1, 4]
    nation = patterns.nation[1, 4] @ np.eye(23)[class_of_age(np.arange(86))]
    np.testing.assert_allclose(found / found.sum(), nation / nation.sum())


@pytest.mark.slow
def test_the_draw_returned_is_in_the_middle_of_what_chance_gives():
    """Occupied years by sex and race spread less over seeds than those of single draws."""
    census, _ = fit_decennial_made()

    def occupied(by_origin):
        of_state = by_origin.sum(axis=(0, 1))
        widths = np.broadcast_to(AGE_WIDTHS[:, None], of_state.shape)
        return total_risk(Groups.of(of_state.ravel(), widths.ravel()))[0]

    middle = [occupied(fit_decennial(census, rng_of(seed))) for seed in range(6)]
    single = [occupied(with_ages(census, people_by_class(census, rng_of(seed)), rng_of(seed))) for seed in range(24)]
    assert np.std(middle) < np.std(single) / 2
    assert abs(np.mean(middle) - np.mean(single)) < np.std(single)


def test_single_ages_and_origins_that_are_counted_stay():
    census, _ = fit_decennial_made()
    counted = np.arange(2 * 4 * 2 * 103 * 7).reshape(2, 4, 2, 103, 7)
    assert with_ages(census, counted, rng_of(3)) is counted


# Hispanics in a finished table: every counted margin by origin is met, and no cell changes.


@pytest.mark.parametrize("seed", range(3))
def test_hispanics_of_every_race_class_and_white_cell_are_those_counted(seed):
    census, races = fit_decennial_made(seed)
    people = np.moveaxis(races, 1, -1)
    hispanic = hispanics_by_class(census, people, rng_of(seed))
    assert ((hispanic >= 0) & (hispanic <= people)).all()
    assert (hispanic[..., 0] == census.white - census.white_not_hispanic).all()
    assert (hispanic.sum(axis=(1, 2)) == census.race_origin[:, 0]).all()
    assert (hispanic.sum(axis=3) == census.hispanic).all()


def test_where_the_cells_leave_no_room_the_races_stay_exact_and_one_person_changes_class():
    """An Asian woman of 18 and one of some other race of 40; the census counts one Hispanic, Asian and 40."""
    census, _ = fit_decennial_made(counties=1)
    people = np.zeros((1, 2, 23, 7), dtype=np.int64)
    people[0, 1, 4, 3], people[0, 1, 9, 5] = 1, 1
    counted = np.zeros((1, 2, 23), dtype=np.int64)
    hispanic = counted.copy()
    hispanic[0, 1, 9] = 1
    race_origin = np.zeros((1, 2, 7), dtype=np.int64)
    race_origin[0, 0, 3] = race_origin[0, 1, 5] = 1
    alone = replace(census, hispanic=hispanic, white=counted, white_not_hispanic=counted, race_origin=race_origin)
    found = hispanics_by_class(alone, people, rng_of(3))
    assert found[0, 1, 4, 3] == found.sum() == 1


def test_inside_a_class_every_choice_of_the_hispanics_is_equally_likely():
    """Three people of 30 and one of 31, two of them Hispanic: the one of 31 is with chance 1/2."""
    people = np.zeros((4000, 2, 103, 7), dtype=np.int64)
    people[:, 0, 30, 2], people[:, 0, 31, 2] = 3, 1
    hispanics = np.zeros((4000, 2, 23, 7), dtype=np.int64)
    hispanics[:, 0, class_of_age(np.array([30]))[0], 2] = 2
    by_origin = with_origin(people, hispanics, CLASS_STARTS, rng_of(3))
    assert (by_origin.sum(axis=0) == people).all()
    assert (by_origin[0].sum(axis=(1, 2, 3)) == 2).all()
    assert by_origin[0, :, 0, 31, 2].mean() == pytest.approx(0.5, abs=4 * 0.5 / 4000**0.5)
