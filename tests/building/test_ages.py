from __future__ import annotations

import numpy as np
import pytest

from policy_sim.building.ages import YEARS, carry, deal_ages, shares_within_85_over, spread, state_ages
from policy_sim.people.merge import CLASS_AGES


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


def made(seed=0):
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
    return people, years, people_by_age(people, years, by_race, shares, np.random.Generator(np.random.PCG64(seed)))


def test_shares_of_85_and_over_keep_their_sums_and_fall_year_by_year():
    out = shares_within_85_over(SHARES)
    assert out.shape == (18,)
    np.testing.assert_allclose(out[:15].reshape(3, 5).sum(axis=1), SHARES[:3])
    assert out[15:].tolist() == SHARES[3:].tolist()
    assert (np.diff(out[:15]) < 0).all()


def test_classes_of_every_county_and_years_of_the_state_keep_their_people():
    people, years, single = made()
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
    single = people_by_age(people, years, np.ones((7, 2, 86)), shares, np.random.Generator(np.random.PCG64(1)))
    occupied = (single[:, 0, :, 0] > 0).sum(axis=1).mean()
    assert occupied == pytest.approx(5 * (1 - 0.8**3), abs=0.09)  # three standard errors of 400
