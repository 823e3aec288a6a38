import numpy as np
import pytest

from policy_sim.building.fit_2020 import (
    ADULT,
    Redistricting,
    expected_people,
    fit_redistricting,
    people_by_origin,
    whole_ages,
)
from policy_sim.building.ipf import Margin, fit_margins
from policy_sim.building.redistricting_tables import read_ages_2020, read_counted_2020, read_redistricting_2020


def rng_of(seed=1):
    return np.random.Generator(np.random.PCG64(seed))


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
    assert fit_redistricting(childless, rng_of())[0, :, :ADULT].sum() == 0


def test_the_result_adds_up_over_origin_and_the_oldest_are_split():
    tables = made()
    people = fit_redistricting(tables, rng_of())
    assert people.shape == (5, 2, 103, 7)
    kept = np.moveaxis(people_by_origin(tables, rng_of()).sum(axis=1), 1, -1)
    assert (people[:, :, :85] == kept[:, :, :85]).all()
    assert (people[:, :, 85:].sum(axis=2) == kept[:, :, 85]).all()


def test_same_seed_same_people():
    assert (fit_redistricting(made(), rng_of()) == fit_redistricting(made(), rng_of())).all()
    assert (fit_redistricting(made(), rng_of(1)) != fit_redistricting(made(), rng_of(2))).any()


def test_counts_of_2020_are_those_published(shared):
    counties, counted = read_counted_2020(shared / "census")
    assert len(counties) == 3143
    assert counted.sum() == 331_449_281
    assert counted[:, 1].sum() == 258_343_281
    assert counted[:, :, 0].sum() == 62_080_044
    wanted = [204_277_273, 41_104_200, 3_727_135, 19_886_049, 689_966, 27_915_715, 33_848_943]  # table P1
    assert counted.sum(axis=(0, 1, 2)).tolist() == wanted


@pytest.mark.parametrize("state", ["09", "10", "44", "48"])
def test_every_county_race_origin_and_half_of_2020_is_the_counted_one(state, shared):
    tables = read_redistricting_2020(shared / "census")[state]
    assert (by_half(people_by_origin(tables, rng_of())) != tables.counted).sum() == 0


def test_connecticuts_old_counties_have_the_ages_of_their_regions(shared):
    # Windham County (09015) lies in two regions, with 91,993 and 24,425 of its people.
    table = read_ages_2020(shared / "census", ["09015", "09150", "09180"])
    old, *regions = table / table.sum(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(old, (91_993 * regions[0] + 24_425 * regions[1]) / 116_418)
