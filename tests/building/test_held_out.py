from __future__ import annotations

import tomllib

import numpy as np
import pytest
from pinned import made_again

from benchmarks.held_out import (
    _BIRTHS,
    CLASS_WIDTHS,
    PLACES,
    ZIP_PLACES,
    _key,
    _measures,
    _placed,
    errors_of_fit,
    kinds_of,
    like_ages_of,
    misplaced_share,
)
from benchmarks.populations import GAPS, HeldOutError, _five_years, _six, held_out_errors, like_estimates, to_facts
from policy_sim.building.fits import AGE_STARTS
from policy_sim.building.recipes import RECIPES
from policy_sim.building.tables import JOINT_TABLES
from policy_sim.files.paths import DEFAULT_POPULATION, data_dir
from policy_sim.model.model_error import largest_errors, model_errors
from policy_sim.people.census.tables import AGE_CLASSES
from policy_sim.people.facts import populations_frame
from policy_sim.people.merge import AGES, CLASS_STARTS, OPEN_ENDED_WIDTH
from policy_sim.people.merging import merge
from policy_sim.words.fields import Granularities

FITTED = np.random.default_rng(0).integers(0, 9, (4, 2, len(AGES), 7))


def keys_of(places):
    words = kinds_of(np.zeros((2, 1, 1, 1, 1), dtype=np.int64))
    return tuple(_key(kinds, birth, place) for place in places for birth in _BIRTHS for kinds in words)


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


@pytest.mark.slow
def test_the_margins_are_those_of_the_count(shared):
    """25,145,561 people lived in Texas on April 1, 2010."""
    made = like_estimates(shared / "census", 0)
    assert made.ages.sum() == made.races.sum() == made.origins.sum() == 25_145_561
    np.testing.assert_array_equal(made.ages.sum(axis=2), made.races.sum(axis=2))


# The errors of each recipe, as the shipped file has them.


ERRORS = [
    HeldOutError(("us-2000",), JOINT_TABLES[0], 0.0123456, {"birth=year": {"total-risk": -0.01, "1-distinct": 0.5}}),
    HeldOutError(
        ("us-2020", "us-2022"), JOINT_TABLES[-1], 0.0, {"a+b": {"5-distinct": 1e-7}}, ", from a fit", 0.25, 0.125
    ),
]


def test_facts_are_read_back_as_they_were_measured():
    found = tomllib.loads(to_facts(ERRORS))["error"]
    assert len(found) == 2
    for read, error in zip(found, ERRORS, strict=True):
        assert tuple(read["populations"]) == error.populations
        assert read["measured"] == error.measured
        assert read["misplaced"] == pytest.approx(error.misplaced, abs=5e-7)
        assert read.get("misplaced_by_origin") == error.misplaced_by_origin
        assert read["misplaced_by_ethnicity"] == error.misplaced_by_ethnicity
        assert set(read["relative"]) == set(error.relative)
        for key, measures in error.relative.items():
            assert read["relative"][key] == pytest.approx(measures, abs=5e-7)


def test_where_it_was_measured_names_state_census_and_what_else_differs():
    table = JOINT_TABLES[-1]
    assert ERRORS[1].measured.startswith(f"{table.name} {table.year}, fitted without its joint table")


def test_every_shipped_error_names_a_table_that_can_be_held_out_and_populations_that_ship():
    places = tuple(f"{table.name} {table.year}, fitted without its joint table" for table in JOINT_TABLES)
    shipped = set(populations_frame()["population"])
    for error in model_errors():
        assert error.measured.startswith(places)
        assert set(error.populations) <= shipped


# How close a fit is, by hand and as shipped.


def test_equal_tables_have_no_error():
    table = kinds_of(np.random.default_rng(1).integers(0, 50, (2, 3, 2, 23, 7)))
    errors = list(errors_of_fit(table, table))
    assert {key for key, _, _ in errors} == set(keys_of(PLACES))
    assert all(error == 0 for _, _, error in errors)


def test_one_person_by_hand():
    """A state of one county and class, with one kind of people: 2 counted, 3 fitted, by year in a class of 5 years."""
    counted = np.zeros((1, 2, 23, 1), dtype=np.int64)
    fitted = counted.copy()
    counted[0, 0, 0, 0], fitted[0, 0, 0, 0] = 2, 3
    kinds = {"": fitted, "ethnicity+": fitted}
    found = {(key, measure): error for key, measure, error in errors_of_fit(kinds, {"": counted})}
    held = [5 * (1 - 0.8**n) for n in (3, 2)]
    key = "gender+birth=year+geography=state"
    assert {key for key, _ in found} == {name for name in keys_of(PLACES) if "race" not in name and "eth" not in name}
    assert found[key, "total-risk"] == pytest.approx(held[0] / held[1] - 1)
    assert found[key, "10-distinct"] == pytest.approx(0.5)


def test_a_key_shows_of_race_and_origin_what_its_words_say():
    """Three men of 20: Hispanic and White, Hispanic and Asian, Black. The fit lost the second."""
    counted = np.zeros((2, 1, 2, 23, 7), dtype=np.int64)
    counted[0, 0, 0, 5, 0] = counted[0, 0, 0, 5, 3] = counted[1, 0, 0, 5, 1] = 1
    fitted = counted.copy()
    fitted[0, 0, 0, 5, 3] = 0
    errors = errors_of_fit(kinds_of(fitted), kinds_of(counted))
    risk = {key: error for key, measure, error in errors if measure == "total-risk"}
    for words, lost in (("race+ethnicity", 1 / 3), ("race", 1 / 3), ("race=race_ethnicity", 0), ("ethnicity", 0)):
        assert risk[f"gender+{words}+birth=year+geography=county"] == pytest.approx(-lost)


@made_again
@pytest.mark.slow
def test_the_shipped_errors_are_those_measured(shared):
    shipped = {(e.populations, e.measured, e.key, e.measure): e.relative for e in model_errors()}
    measured = {
        (each.populations, each.measured, key, measure): x
        for each in held_out_errors(shared / "census", [*RECIPES])
        for key, measures in each.relative.items()
        for measure, x in measures.items()
    }
    assert shipped.keys() == measured.keys()
    for name, error in measured.items():
        assert shipped[name] == pytest.approx(error, abs=1e-6)


def test_the_largest_error_of_a_key_stands_for_a_population():
    key = "gender+race+birth=year+geography=county"
    held = [e for e in model_errors() if (e.key, e.measure) == (key, "total-risk") and "us-2020" in e.populations]
    assert len(held) == 3  # Texas 2000 and 2010, Kentucky 2010
    (found,) = [e for e in largest_errors("us-2020") if (e.key, e.measure) == (key, "total-risk")]
    assert abs(found.relative) == max(abs(e.relative) for e in held)


@pytest.mark.parametrize("population", ["us-2000", "us-2010", "us-2020"])
def test_keys_of_date_year_and_five_years_are_declared_by_county_and_state(population):
    declared = {e.key for e in largest_errors(population)}
    assert declared == set(keys_of(PLACES)) | (set() if population == "us-2000" else set(keys_of(ZIP_PLACES)))


@pytest.mark.slow
def test_tables_by_zip_code_are_placed_alike_and_one_moved_person_shows():
    counties = ["10001", "10003", "10005"]  # Delaware
    counted = np.zeros((2, 3, 2, 103, 7), dtype=np.int64)
    counted[1, :, :, 20:60, 0] = 40
    counted[0, 1, :, 20:60, 3] = 2
    both = kinds_of(counted)
    assert all(error == 0 for *_, error in errors_of_fit(both, both, counties, "us-2010"))
    fitted = counted.copy()
    fitted[0, 1, 0, 30, 3] -= 2
    fitted[1, 1, 0, 30, 0] += 2
    found = {
        (key, measure): error for key, measure, error in errors_of_fit(kinds_of(fitted), both, counties, "us-2010")
    }
    assert found["gender+race+birth=year+geography=zip3", "total-risk"] < 0
    assert found["gender+ethnicity+birth=year+geography=zip3", "total-risk"] < 0
    assert found["gender+birth=date+geography=county_zip5", "total-risk"] == pytest.approx(0, abs=1e-12)


def test_the_default_population_is_the_one_that_misplaces_fewer_people():
    """Texas 2010: the recipe of 2022 from fits 10 and 0 years old; the fit of us-2022 is 2.25 years old."""
    facts = tomllib.loads((data_dir() / "model_error.toml").read_text(encoding="utf-8"))["error"]
    texas = {e["measured"]: e["misplaced"] for e in facts if e["populations"] == ["us-2022"]}
    ten, none = (next(x for words, x in texas.items() if f"{gap} years" in words) for gap in (" 10", " 0"))
    of_2022 = none + (ten - none) * 2.25 / 10
    (of_2020,) = [e["misplaced"] for e in facts if "Texas 2010" in e["measured"] and "us-2020" in e["populations"]]
    assert ("us-2020" if of_2020 <= of_2022 else "us-2022") == DEFAULT_POPULATION.removesuffix("-zcta")


def test_misplaced_people_are_counted_once():
    assert misplaced_share(FITTED, FITTED) == 0
    assert misplaced_share(np.array([3, 7, 0]), np.array([5, 4, 1])) == pytest.approx(0.3)


def test_widths_reach_from_birth_to_a_hundred():
    assert CLASS_WIDTHS.sum() == 100
    assert CLASS_WIDTHS[[0, 3, 5, 22]].tolist() == [5, 3, 1, 15]
    assert AGE_CLASSES.ages[-1][1] == OPEN_ENDED_WIDTH == 15  # one width of the open class everywhere


def test_total_risk_of_one_group_by_hand():
    people = np.zeros((1, 2, 23, 1), dtype=np.int64)
    people[0, 0, 5, 0] = 2  # two men of 20: one bin unless they share one of 365 birthdays
    key = Granularities(gender="value", race="value", birth="date", geography="county")
    assert _measures(merge(_placed(people, (), ""), key))[0] == pytest.approx(1 + 364 / 365)
