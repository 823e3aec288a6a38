from __future__ import annotations

import tomllib

import numpy as np
import pytest

from policy_sim.building.fits import AGE_STARTS
from policy_sim.building.held_out import GAPS, _five_years, _six, like_ages_of, like_estimates
from policy_sim.building.recipes import HeldOutError, to_facts
from policy_sim.building.tables import JOINT_TABLES
from policy_sim.model.model_error import model_errors
from policy_sim.people.facts import populations_frame
from policy_sim.people.merge import AGES, CLASS_STARTS
from policy_sim.words.errors import SourceError

FITTED = np.random.default_rng(0).integers(0, 9, (4, 2, len(AGES), 7))


def test_a_table_of_single_ages_stays_as_it_is():
    assert like_ages_of(np.zeros((4, 2, len(AGES), 7), dtype=np.int64), FITTED) is FITTED


def test_classes_hold_their_ages_and_nobody_is_lost():
    found = like_ages_of(np.zeros((4, 2, len(CLASS_STARTS), 7), dtype=np.int64), FITTED)
    starts = CLASS_STARTS.tolist()
    for place, (first, after) in enumerate(zip(starts, [*starts[1:], 10**6], strict=True)):
        ages = (np.asarray(AGES) >= first) & (np.asarray(AGES) < after)
        np.testing.assert_array_equal(found[:, :, place], FITTED[:, :, ages].sum(axis=2))
    np.testing.assert_array_equal(found.sum(axis=2), FITTED.sum(axis=2))


# Texas 2010 made as 2022 is: six races of seven, and ages over five years.


def test_every_person_of_seven_races_is_one_of_six():
    share = _six()
    np.testing.assert_allclose(share.sum(axis=2), 1)
    assert (share >= 0).all()
    np.testing.assert_array_equal(share[:, :5, :5], np.stack([np.eye(5)] * 2))


def test_five_years_are_added_and_nobody_is_lost():
    people = np.arange(len(AGES)) + 1
    summed = _five_years(people[None])[0]
    assert len(summed) == len(AGE_STARTS)
    assert summed[0] == 1 + 2 + 3 + 4 + 5
    assert summed.sum() == people.sum()


def test_the_gaps_bracket_that_of_2022():
    assert min(GAPS) <= 2.25 <= max(GAPS)


def test_a_folder_without_the_tables_is_refused(tmp_path):
    with pytest.raises(SourceError):
        like_estimates(tmp_path, 0)


@pytest.mark.slow
def test_the_margins_are_those_of_the_count(shared):
    """25,145,561 people lived in Texas on April 1, 2010."""
    made = like_estimates(shared / "census", 0)
    assert made.ages.sum() == made.races.sum() == made.origins.sum() == 25_145_561
    np.testing.assert_array_equal(made.ages.sum(axis=2), made.races.sum(axis=2))


# The errors of each recipe, as the shipped file has them.


ERRORS = [
    HeldOutError(("us-2000",), JOINT_TABLES[0], 0.0123456, {"birth=year": {"total-risk": -0.01, "1-distinct": 0.5}}),
    HeldOutError(("us-2020", "us-2022"), JOINT_TABLES[-1], 0.0, {"a+b": {"5-distinct": 1e-7}}, ", from a fit"),
]


def test_facts_are_read_back_as_they_were_measured():
    found = tomllib.loads(to_facts(ERRORS))["error"]
    assert len(found) == 2
    for read, error in zip(found, ERRORS, strict=True):
        assert tuple(read["populations"]) == error.populations
        assert read["measured"] == error.measured
        assert read["misplaced"] == pytest.approx(error.misplaced, abs=5e-7)
        assert set(read["relative"]) == set(error.relative)
        for key, measures in error.relative.items():
            assert read["relative"][key] == pytest.approx(measures, abs=5e-7)


def test_where_it_was_measured_names_state_census_and_what_else_differs():
    table = JOINT_TABLES[-1]
    assert ERRORS[1].measured == f"{table.name} {table.year}, fitted without its joint table, from a fit"


def test_every_shipped_error_names_a_table_that_can_be_held_out_and_populations_that_ship():
    places = tuple(f"{table.name} {table.year}, fitted without its joint table" for table in JOINT_TABLES)
    shipped = set(populations_frame()["population"])
    for error in model_errors():
        assert error.measured.startswith(places)
        assert set(error.populations) <= shipped
