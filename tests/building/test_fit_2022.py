import numpy as np
import pytest

from policy_sim.building.estimates_tables import read_estimates_2022, read_margins
from policy_sim.building.fit_2022 import (
    AGE_STARTS,
    SIX_RACES,
    Estimates,
    fit_estimates,
    people_in_six_races,
    six_of_seven,
)


def rng_of(seed=1):
    return np.random.Generator(np.random.PCG64(seed))


def five_years(people):
    """People by single year on the last axis, added up over five years."""
    return np.add.reduceat(people, AGE_STARTS, axis=-1)


def made(seed=0, counties=4):
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


@pytest.mark.parametrize("seed", range(3))
def test_all_three_margins_are_exact_in_every_county(seed):
    tables = made(seed)
    people = people_in_six_races(tables, rng_of())
    assert people.min() >= 0
    assert (five_years(people.sum(axis=(3, 4))) == tables.ages).all()
    assert (people.sum(axis=(2, 3)) == tables.races).all()
    assert (people.sum(axis=(2, 4)) == tables.origins).all()


def test_nobody_is_lost_when_races_become_seven():
    tables = made()
    people = fit_estimates(tables, rng_of())
    assert people.shape == (4, 2, 103, 7)
    assert (people.sum(axis=(2, 3)) == tables.ages.sum(axis=2)).all()
    assert (people[:, :, :5].sum(axis=(2, 3)) == tables.ages[..., 0]).all()
    assert (people[:, :, 85:].sum(axis=(2, 3)) == tables.ages[..., -1]).all()


def test_some_other_race_keeps_about_the_share_that_it_had():
    tables = made(counties=20)
    found = fit_estimates(tables, rng_of()).sum(axis=(0, 1, 2))
    older = tables.pattern.sum(axis=(0, 1, 3, 4))
    assert found[5] / found.sum() == pytest.approx(older[5] / older.sum(), abs=0.05)


def test_every_race_goes_somewhere_and_one_race_stays():
    tables = made()
    np.testing.assert_allclose(tables.six.sum(axis=-1), 1)
    assert (tables.six[:, :, 0, 1:-1] == 0).all()  # white people become neither Black nor Asian
    assert len(SIX_RACES) == tables.six.shape[-1]


def test_a_race_that_the_estimates_lack_in_a_county_is_possible():
    tables = made()
    six = six_of_seven(tables.pattern.sum(axis=(3, 4)), np.array([[50.0, 0, 0, 0, 0, 0]] * 4))
    assert np.isfinite(six).all()


def test_margins_of_2022_are_those_published(shared):
    counties, ages, races, origins = read_margins(shared / "census", 2022)
    assert len(counties) == 3144
    assert ages.sum() == races.sum() == origins.sum() == 333_287_557
    assert (ages.sum(axis=2) == races.sum(axis=2)).all()
    assert (ages.sum(axis=2) == origins.sum(axis=2)).all()


@pytest.mark.slow
@pytest.mark.parametrize("state", ["09", "10", "48"])
def test_every_margin_of_2022_is_exact_in_the_build(state, shared):
    tables = read_estimates_2022(shared / "census")[state]
    people = people_in_six_races(tables, rng_of())
    assert (five_years(people.sum(axis=(3, 4))) == tables.ages).all()
    assert (people.sum(axis=(2, 3)) == tables.races).all()
    assert (people.sum(axis=(2, 4)) == tables.origins).all()
    if state == "09":
        assert tables.counties == tuple(f"091{n}0" for n in range(1, 10))
