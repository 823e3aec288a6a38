"""Who lives in which parts of a county: chances from factors, by hand and by conservation."""

import numpy as np
import pandas as pd
import pytest

from policy_sim.people.composition import (
    ADULT_AGES,
    AGE_STARTS,
    CLASSES,
    GROUPS,
    Composition,
    as_bytes,
    as_factors,
    class_of,
    composition_of,
)
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import parts_of

YOUNG, OLD = 0, len(AGE_STARTS) - 1
HISPANIC, WHITE = GROUPS.index("hispanic"), GROUPS.index("white")


def factors_of(parts: int, **changed):
    """Factors that are 1, of two areas but for those that are named."""
    values = {name: np.ones((parts, len(GROUPS))) for name in ("adults", "minors")}
    values |= {"ages": np.ones((parts, len(AGE_STARTS))), "weight": np.ones(parts)}
    for name, (at, value) in changed.items():
        values[name][at] = value
    return Composition(**values)


def chance(composition, county, share):
    by_class = composition.chances(np.array(county), np.array(share))
    return by_class.reshape(-1, len(AGE_STARTS), len(GROUPS))


def test_factors_of_one_leave_each_class_the_share_of_its_county():
    of_parts = chance(factors_of(3), [0, 0, 1], [0.25, 0.75, 1.0])
    assert np.all(of_parts == np.array([0.25, 0.75, 1.0])[:, None, None])


def test_a_group_that_is_three_times_as_frequent():
    of_parts = chance(factors_of(2, adults=((0, HISPANIC), 3.0)), [0, 0], [0.25, 0.75])
    assert of_parts[:, OLD, HISPANIC].tolist() == [0.5, 0.5]  # 3 x 0.25 to 0.75
    assert of_parts[:, YOUNG, HISPANIC].tolist() == [0.25, 0.75]
    assert of_parts[:, OLD, WHITE].tolist() == [0.25, 0.75]


def test_ages_and_weights_hold_for_every_group():
    of_parts = chance(factors_of(2, ages=((0, YOUNG), 2.0), weight=(1, 0.5)), [0, 0], [0.5, 0.5])
    assert of_parts[0, YOUNG] == pytest.approx(np.full(len(GROUPS), 0.8))  # 2 to 0.5
    assert of_parts[0, OLD] == pytest.approx(np.full(len(GROUPS), 2 / 3))  # 1 to 0.5


def test_a_group_that_no_part_counts_lives_as_others_of_its_age():
    of_parts = chance(factors_of(2, minors=((slice(None), WHITE), 0.0), ages=((0, YOUNG), 3.0)), [0, 0], [0.5, 0.5])
    assert of_parts[:, YOUNG, WHITE].tolist() == [0.75, 0.25]


def test_a_byte_is_within_a_step_of_its_factor():
    factors = np.exp(np.linspace(-3.9, 3.9, 999))
    ratio = as_factors(as_bytes(factors)) / factors
    assert np.abs(np.log(ratio)).max() <= 1 / 64 + 1e-12


def test_classes_by_hand():
    kinds = pd.DataFrame(
        [
            (17, "multiple", "not_hispanic"),
            (18, "multiple", "hispanic"),
            (45, "asian", "not_hispanic"),
            (45, "nhpi", "not_hispanic"),
            (110, "other", "not_hispanic"),
        ],
        columns=["age", "race", "ethnicity"],
    )
    assert [divmod(code, len(GROUPS)) for code in class_of(kinds).tolist()] == [(2, 6), (3, 0), (6, 4), (6, 4), (10, 5)]
    assert AGE_STARTS[ADULT_AGES] == 18


@pytest.mark.parametrize("name", ["us-2010", "us-2020", "us-2022"])
def test_every_county_cell_keeps_its_people(name):
    population = load_shipped(name)
    table = population.laid_out_by_origin
    parts = parts_of(population)
    parts = parts[parts["people"] > 0].sort_values(["county", "zip5"], ignore_index=True)
    county = table.counties.get_indexer(pd.Index(parts["county"].astype(str)))
    composition = composition_of(
        "us-2010" if name == "us-2010" else "us-2020",
        parts["county"].to_numpy(dtype=str),
        parts["zip5"].to_numpy(dtype=str),
    )
    people = parts["people"].to_numpy(np.float64)
    share = people / np.bincount(county, weights=people)[county]
    chances = composition.chances(county, share)
    assert chances.shape == (len(parts), CLASSES)
    assert chances.min() >= 0
    whole = np.array([np.bincount(county, weights=column) for column in chances.T])
    living = whole[class_of(table.kinds.cells)] * table.people
    # added up over the parts of its county every cell has its people: 0 cells differ
    assert np.array_equal(np.rint(living), table.people)
    assert np.abs(living - table.people).max() < 1e-6


def test_a_planning_region_takes_the_factors_of_its_areas():
    of_old, of_region, of_nobody = (
        composition_of("us-2020", np.array([county]), np.array([area]))
        for county, area in (("09001", "06604"), ("09120", "06604"), ("09001", "99999"))
    )
    assert np.array_equal(of_old.adults, of_region.adults)
    assert not np.all(of_old.adults == 1)
    assert np.all(of_nobody.adults == 1)
