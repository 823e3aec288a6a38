import numpy as np
import pytest

from policy_sim.population.carried import ADULT, Carried, expected_people, fit_carried


def made(seed=0, counties=5):
    rng = np.random.default_rng(seed)
    estimates = rng.uniform(0, 4, (counties, 8, 2, 86)) * np.array([20, 90, 30, 1, 4, 0.1, 0.1, 3])[:, None, None]
    young = rng.poisson(estimates[..., :ADULT].sum(axis=(2, 3)) * rng.uniform(0.8, 1.3, (counties, 8)))
    old = rng.poisson(estimates[..., ADULT:].sum(axis=(2, 3)) * rng.uniform(0.8, 1.3, (counties, 8)))
    groups = np.stack([young, old], axis=1)
    return Carried(
        "99",
        tuple(f"9900{i}" for i in range(counties)),
        halves=groups.sum(axis=2),
        groups=groups.astype(np.float64),
        estimates=estimates,
        hispanic_races=rng.uniform(1, 5, (counties, 7)),
        shares_85_over=np.tile([0.65, 0.26, 0.07, 0.015, 0.003, 0.002], (2, 1)),
    )


def people_of(tables, seed=1):
    return fit_carried(tables, np.random.Generator(np.random.PCG64(seed)))


def test_adults_and_the_others_stay_exact_in_every_county():
    tables = made()
    people = people_of(tables)
    assert (people[:, :, :ADULT].sum(axis=(1, 2, 3)) == tables.halves[:, 0]).all()
    assert (people[:, :, ADULT:].sum(axis=(1, 2, 3)) == tables.halves[:, 1]).all()


def test_races_of_those_who_are_not_hispanic_stay_where_nobody_is_hispanic():
    tables = made()
    groups = tables.groups.copy()
    groups[:, :, 1] += groups[:, :, 0]
    groups[:, :, 0] = 0
    alone = Carried(**{**vars(tables), "groups": groups})
    people = people_of(alone)
    assert (people[:, :, :ADULT].sum(axis=(1, 2)) == groups[:, 0, 1:]).all()
    assert (people[:, :, ADULT:].sum(axis=(1, 2)) == groups[:, 1, 1:]).all()


def test_hispanics_get_the_races_of_their_county():
    tables = made()
    expected = expected_people(tables).sum(axis=(2, 3))
    shares = tables.hispanic_races / tables.hispanic_races.sum(axis=1, keepdims=True)
    wanted = tables.groups[:, :, 1:].sum(axis=1) + tables.groups[:, :, 0].sum(axis=1)[:, None] * shares
    np.testing.assert_allclose(expected, wanted, rtol=1e-3)


def test_the_ages_of_the_estimates_are_kept_within_each_half():
    tables = made()
    expected = expected_people(tables).sum(axis=1)
    adults = tables.estimates[..., ADULT:].sum(axis=1)
    found = expected[..., ADULT:] / expected[..., ADULT:].sum(axis=(1, 2), keepdims=True)
    # half a person of the state's pattern is added to every group
    np.testing.assert_allclose(found, adults / adults.sum(axis=(1, 2), keepdims=True), rtol=0.01)


def test_a_county_without_children_is_possible():
    tables = made()
    groups = tables.groups.copy()
    groups[0, 0] = 0
    childless = Carried(**{**vars(tables), "groups": groups, "halves": groups.sum(axis=2).astype(np.int64)})
    assert people_of(childless)[0, :, :ADULT].sum() == 0


def test_same_seed_same_people():
    assert (people_of(made()) == people_of(made())).all()
    assert (people_of(made(), 1) != people_of(made(), 2)).any()


@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_negative(seed):
    assert people_of(made(seed)).min() >= 0
