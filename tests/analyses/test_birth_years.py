"""Years of birth made of ages: by hand, against people born one by one, and conserved."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.birth_years import by_year_of_birth, year_chances, years_of_birth
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.groups import g_distinct, total_risk
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.population.cells import check_cells
from policy_sim.population.merge import merge
from policy_sim.population.population import Population, Provenance


def population(rows) -> Population:
    columns = ["state", "county", "sex", "age", "age_width", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), "made")
    return Population(cells, Provenance("made", "made", "", "", "", 1, 0, 0))


def test_by_hand():
    """Two people of 30, one of 31: 1970 holds who of 30 is born early, 1969 the late of 30 and the early of 31."""
    chances = year_chances(np.array([30, 31]), np.array([1, 1]), 0.25)
    assert chances[:, 30:].tolist() == [[0.25, 0.75, 0.0], [0.0, 0.25, 0.75]]
    total, alone = years_of_birth(np.array([[2, 1]]), chances, [1])
    held = (1 - 0.75**2) + (1 - 0.25**2 * 0.75) + 0.75
    assert total == pytest.approx(held, rel=1e-12)
    one = 2 * 0.25 * 0.75 + (2 * 0.75 * 0.25 * 0.75 + 0.25**2 * 0.25) + 0.75
    assert alone == pytest.approx(one, rel=1e-12)


def test_everyone_is_born_once():
    chances = year_chances(np.array([0, 5, 100]), np.array([1, 1, 5]), 0.3)
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-12)
    people = np.array([[3, 8, 2], [0, 1, 40]])
    assert years_of_birth(people, chances, [1000])[1] == pytest.approx(people.sum(), rel=1e-9)


def test_against_people_born_one_by_one():
    """Seeded; 6,000 rounds, four standard errors are allowed."""
    rng, rounds = np.random.default_rng(4), 6000
    people = np.array([[2, 3, 1, 5], [1, 0, 4, 2]])
    ages, widths = np.array([20, 21, 22, 100]), np.array([1, 1, 1, 5])
    seen = np.zeros((rounds, 3))
    for turn in range(rounds):
        sizes = []
        for group in people:
            age = np.repeat(ages, group) + np.floor(rng.random(group.sum()) * np.repeat(widths, group))
            sizes += np.unique(age + (rng.random(group.sum()) >= 0.25), return_counts=True)[1].tolist()
        held = np.array(sizes)
        seen[turn] = len(held), (held == 1).sum(), held[held <= 2].sum()
    error = seen.std(axis=0) / np.sqrt(rounds)
    ours = years_of_birth(people, year_chances(ages, widths, 0.25), [1, 2])
    assert (np.abs(ours - seen.mean(axis=0)) < 4 * error).all()


def test_ages_as_they_are_where_everyone_is_born_late():
    """With nobody born before census day every age is one year of birth: the merge's own figures."""
    rng = np.random.default_rng(2)
    rows = [
        ("OH", county, sex, age, 1, int(n))
        for county in ("39001", "39003")
        for sex in "MF"
        for age, n in enumerate(rng.integers(1, 9, 90))
    ]
    made = population(rows)
    for key in (
        Granularities(birth="year", geography="state"),
        Granularities(gender="value", birth="year", geography="county"),
    ):
        groups = merge(made, key)
        plain = np.r_[total_risk(groups), g_distinct(groups, [1, 5])[0]]
        ours = by_year_of_birth(made, key, "OH", 1e-12, [1, 5])
        np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-9)


def test_keys_that_feel_nothing_or_cannot():
    made = population([("OH", "39001", "M", 30, 1, 5)])
    assert by_year_of_birth(made, Granularities(birth="date", geography="state"), "OH", 0.25, [1]) is None
    with pytest.raises(InputError, match="state by state"):
        by_year_of_birth(made, Granularities(birth="year"), "OH", 0.25, [1])


def test_the_oldest_and_small_places_share_what_the_policy_shows():
    """Everyone born late: the merge with the same conditions gives the same figures."""
    rng = np.random.default_rng(7)
    rows = [
        ("OH", county, "F", age, 1, int(n) * many)
        for county, many in (("39001", 1), ("39003", 1), ("39005", 20))
        for age, n in enumerate(rng.integers(1, 5, 100))
    ]
    made = population(rows)
    key = Granularities(birth="year", geography="county")
    conditions = Conditions(top_age=90, small_places=SmallPlaces("county", most=1000))
    groups = merge(made, key, conditions=conditions)
    plain = np.r_[total_risk(groups), g_distinct(groups, [1, 5])[0]]
    assert plain[0] == 2 * 91  # two counties under one value, one shown
    np.testing.assert_allclose(
        by_year_of_birth(made, key, "OH", 1e-12, [1, 5], conditions), plain, rtol=1e-6, atol=1e-9
    )
