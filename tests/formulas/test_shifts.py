"""Shifted dates against people with one, two and five dates who are made one by one."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.formulas.shifts import bits_kept, chance_alike, named, shifts_left, window

_DAYS, _SHIFT, _PEOPLE = 200, 7, 60


@pytest.mark.parametrize("known", [1, 2, 5])
@pytest.mark.parametrize("shift", [0, _SHIFT, 30])
def test_naming_by_known_dates(known: int, shift: int) -> None:
    """An attacker who knows dates of a target finds the records that fit them with one shift, and picks one.

    Days go around in a circle, as if ends were cut off. Tolerance: 4 errors of the mean, and what draws cannot show.
    """
    rng, runs = np.random.default_rng(52), 4_000
    right = np.zeros(runs)
    for run in range(runs):
        dates = rng.integers(_DAYS, size=(_PEOPLE, known))
        released = (dates + rng.integers(-shift, shift + 1, size=(_PEOPLE, 1))) % _DAYS
        apart = (released - dates[0] + shift) % _DAYS
        fits = (apart <= 2 * shift).all(axis=1) & (apart == apart[:, :1]).all(axis=1)
        assert fits[0]
        right[run] = 1 / fits.sum()
    error = right.std() / np.sqrt(runs)
    assert named(_PEOPLE, _DAYS, shift, known) == pytest.approx(right.mean(), abs=4 * error + 0.001)


@pytest.mark.parametrize("dates", [1, 2, 5])
def test_ends_of_the_period_give_shifts_away(dates: int) -> None:
    """Count the shifts under which all released dates of a person fall in the period."""
    rng, runs = np.random.default_rng(25), 4_000
    left = np.zeros(runs)
    for run in range(runs):
        released = rng.integers(1, _DAYS + 1, size=dates) + rng.integers(-_SHIFT, _SHIFT + 1)
        back = released[None] - np.arange(-_SHIFT, _SHIFT + 1)[:, None]
        left[run] = ((back >= 1) & (back <= _DAYS)).all(axis=1).sum()
    error = left.std() / np.sqrt(runs)
    assert shifts_left(_DAYS, _SHIFT, dates) == pytest.approx(left.mean(), abs=4 * error)


@pytest.mark.parametrize(("days", "shift"), [(10, 0), (10, 2), (5, 7), (365, 30)])
def test_bits_are_the_mutual_information_of_the_joint_table(days: int, shift: int) -> None:
    """By brute force: the table of true and released dates, cell by cell."""
    joint = np.zeros((days, days + 2 * shift))
    for true in range(days):
        joint[true, true : true + window(shift)] = 1 / (days * window(shift))
    held = joint > 0
    independent = np.multiply.outer(joint.sum(axis=1), joint.sum(axis=0))
    assert bits_kept(days, shift) == pytest.approx(float((joint[held] * np.log2((joint / independent)[held])).sum()))


def test_one_shift_hides_no_more_of_two_dates_than_of_one() -> None:
    for shift in (1, 30, 180):
        gain = [chance_alike(10_000, shift, known) / chance_alike(10_000, 0, known) for known in (1, 2, 5)]
        assert gain == pytest.approx([window(shift)] * 3)
    assert chance_alike(10, 30, 1) == 1
    assert named(40, 10, 30, 1) == pytest.approx(1 / 40)
