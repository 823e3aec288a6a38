"""The fit of who lives in which ZIP code area of a county: by hand, against the counts, and made again."""

import numpy as np
import pandas as pd
import pytest
from small_people import population_of

from policy_sim.building.zip_composition import AreaCounts, CompositionFit
from policy_sim.people.composition import (
    ADULT_AGES,
    AGE_STARTS,
    CLASSES,
    FACTOR_COLUMNS,
    GROUPS,
    composition_file,
    composition_of,
)
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import zip_parts

ADULTS = slice(ADULT_AGES * len(GROUPS), None)


def small_fit(people_in, adults, minors, ages=None, people=None):
    """A fit of two counties whose adults of 30 are Hispanic or White, and whose minors of 10 are White."""
    whole = np.zeros((len(people or [0, 0]), CLASSES))
    adult, minor = AGE_STARTS.index(25) * len(GROUPS), AGE_STARTS.index(5) * len(GROUPS)
    for county, (hispanic, white, young) in enumerate(people):
        whole[county, [adult, adult + 1, minor + 1]] = hispanic, white, young
    county, area, residents = (np.array(column) for column in zip(*people_in, strict=True))
    many = len(adults)
    by_group = np.zeros((many, len(GROUPS)))
    by_group[:, :2] = adults
    survey = np.zeros((many, len(AGE_STARTS))) if ages is None else np.array(ages, dtype=np.float64)
    counts = AreaCounts(np.arange(many), by_group, np.array(minors, dtype=np.float64)[:, None], survey)
    return CompositionFit(whole, county, area, residents.astype(np.float64), counts)


def test_areas_of_one_county_get_their_counts():
    fit = small_fit([(0, 0, 60), (0, 1, 60)], [(40, 10), (10, 40)], [10, 10], people=[(50, 50, 20)])
    living = fit.living(fit.factors())
    assert living.sum(axis=0) == pytest.approx(fit.people[0])  # the county's, exactly
    hispanic = AGE_STARTS.index(25) * len(GROUPS)
    assert living[:, hispanic].tolist() == pytest.approx([40, 10])
    assert living[:, hispanic + 1].tolist() == pytest.approx([10, 40])
    assert living.sum(axis=1).tolist() == pytest.approx([60, 60])


def test_an_area_of_two_counties_adds_up_to_its_count():
    people_in = [(0, 0, 50), (0, 1, 50), (1, 1, 30), (1, 2, 20)]
    fit = small_fit(people_in, [(40, 10), (15, 65), (15, 5)], [0, 0, 0], people=[(50, 50, 0), (20, 30, 0)])
    living = fit.living(fit.factors(400))[:, ADULTS].sum(axis=1)
    assert living == pytest.approx([50, 50, 30, 20], rel=1e-3)
    hispanic = fit.living(fit.factors(400))[:, AGE_STARTS.index(25) * len(GROUPS)]
    assert [hispanic[0], hispanic[1] + hispanic[2], hispanic[3]] == pytest.approx([40, 15, 15], rel=1e-3)


def test_counts_that_contradict_the_county_are_scaled_and_factors_stay_small():
    # the areas count 60 Hispanics, the county 30: a third of them live in the second area all the same
    fit = small_fit([(0, 0, 40), (0, 1, 50)], [(40, 20), (20, 40)], [0, 0], people=[(30, 60, 0)])
    factors = fit.factors()
    assert factors.adults.max() < 3
    assert factors.adults[factors.adults > 0].min() > 0.3
    living = fit.living(factors)
    assert living.sum(axis=0) == pytest.approx(fit.people[0])
    assert living[:, AGE_STARTS.index(25) * len(GROUPS)].tolist() == pytest.approx([20, 10])


def test_the_survey_moves_ages_but_not_all_the_way():
    ages = np.zeros((2, len(AGE_STARTS)))
    ages[:, AGE_STARTS.index(25)] = 300, 900
    ages[:, AGE_STARTS.index(65)] = 900, 300
    fit = small_fit([(0, 0, 50), (0, 1, 50)], [(0, 50), (0, 50)], [0, 0], ages, people=[(0, 100, 0)])
    # 300 counted where the county's mix gives 600: (300/15 + 20) / (600/15 + 20)
    assert fit.factors(1).ages[0, AGE_STARTS.index(25)] == pytest.approx(40 / 60)
    assert fit.factors(1).ages[0, AGE_STARTS.index(65)] == pytest.approx(80 / 60)


def test_what_a_population_has_by_class():
    people = population_of([("OH", "39001", "F", 30, 1, "white", 7)])
    assert people.laid_out_by_origin is None  # only shipped populations have the tables that are fitted


@pytest.mark.parametrize("year", [2010, 2020])
def test_the_shipped_factors_give_the_counts_of_the_areas(year, shared):
    population, parts = load_shipped(f"us-{year}"), zip_parts(f"us-{year}")
    counts = AreaCounts.read(shared / "census", year)
    fit, parts = CompositionFit.of(population, parts, counts)
    shipped = composition_of(f"us-{year}", parts["county"].to_numpy(dtype=str), parts["zip5"].to_numpy(dtype=str))
    living = fit.living(shipped)
    assert living.sum() == pytest.approx(fit.people.sum(), rel=1e-12)
    assert living.sum(axis=1) == pytest.approx(fit._fitted_residents, rel=0.01)
    adults = living.reshape(-1, len(AGE_STARTS), len(GROUPS))[:, ADULT_AGES:].sum(axis=1)
    by_area = np.array([np.bincount(fit.area, weights=column, minlength=len(counts.zip5)) for column in adults.T]).T
    in_states = np.bincount(fit.area, minlength=len(counts.zip5)) > 0
    wrong = np.abs(by_area - counts.adults)[in_states].sum() / counts.adults[in_states].sum()
    # bytes are within 1.6% of their numbers: of a million people some 1,500 are in another area than counted
    assert wrong < 0.015


def test_the_file_has_what_the_fit_gives(shared):
    held = pd.read_parquet(composition_file("us-2020"))
    assert [*held.columns] == ["county", "zip5", *FACTOR_COLUMNS]
    assert len(held) == len(zip_parts("us-2020"))
    assert not held.duplicated(["county", "zip5"]).any()
    fit = small_fit([(0, 0, 60), (0, 1, 60)], [(40, 10), (10, 40)], [10, 10], people=[(50, 50, 20)])
    assert [*fit.stored(fit.factors()).dtypes] == [*held.dtypes[2:]]
