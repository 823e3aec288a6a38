import numpy as np
import pytest

from policy_sim.building.cohorts import YEARS, carry, spread


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


def test_there_and_back_is_where_we_were_but_for_the_ends():
    people = np.random.default_rng(1).uniform(1, 9, YEARS)
    np.testing.assert_allclose(carry(carry(people, 4), -4)[:80], people[:80])


def test_spread_keeps_classes_and_follows_the_pattern():
    starts = np.array([0, 2, 85])
    pattern = np.ones(YEARS)
    pattern[1] = 3
    out = spread(np.array([8.0, 83.0, 4.0]), starts, pattern)
    assert out[:2].tolist() == [2, 6]
    assert out[2:85].tolist() == pytest.approx([1.0] * 83)
    assert out[85] == 4
