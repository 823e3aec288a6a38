"""People one by one: as many as were counted, of the right ages, and equal keys exactly where they show the same."""

import itertools

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.attack.made_up_people import born, draw_cells, make_people, shown_key
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance


def population(widths=(1, 1, 5)):
    rows = [
        ("OH", county, sex, age, width, race, people)
        for (county, people), sex, (age, width), race in itertools.product(
            (("39001", 3), ("39003", 1)), "MF", zip((10, 30, 60), widths, strict=True), ("white", "asian")
        )
    ]
    columns = ["state", "county", "sex", "age", "age_width", "race", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), "made")
    return Population(cells, Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))


def test_everyone_is_made_once_with_an_age_of_their_class():
    people = make_people(population(), np.random.default_rng(1))
    assert len(people) == population().people == 48
    np.testing.assert_array_equal(np.bincount(people.cell), population().cells["people"])
    assert set(people.age[people.age >= 60]) <= set(range(60, 65))
    assert people.day.min() >= 0
    assert people.day.max() < 365


def test_ages_and_days_are_drawn_evenly():
    """Over 20,000 draws a class of five ages holds 4,000 each, five standard deviations at most away."""
    cells = np.full(20_000, int(np.flatnonzero(population().cells["age"] == 60)[0]))
    people = born(population(), cells, np.random.default_rng(2), 10)
    for counts, chance in ((np.bincount(people.age - 60), 1 / 5), (np.bincount(people.day), 1 / 10)):
        spread = np.sqrt(20_000 * chance * (1 - chance))
        assert np.abs(counts - 20_000 * chance).max() < 5 * spread


@pytest.mark.parametrize("many", [0, 1, 20, 48])
def test_a_draw_takes_nobody_twice(many):
    drawn = draw_cells(population(), many, np.random.default_rng(3))
    assert len(drawn) == many
    assert (np.bincount(drawn, minlength=24) <= population().cells["people"]).all()


def test_a_year_of_fractional_length_has_no_birthdays():
    with pytest.raises(InputError, match="whole number"):
        make_people(population(), np.random.default_rng(1), 365.25)


BY_COUNTY = "birth=year+geography=county"
VIEWS = ("nothing", "gender", "gender+race", "race=broad", "gender+birth=date", "birth=decade", BY_COUNTY)


@pytest.mark.parametrize("view", VIEWS)
def test_keys_are_equal_exactly_where_the_same_is_shown(view):
    key = Granularities.parse(view)
    people = make_people(population(), np.random.default_rng(4), 12)
    cells = population().cells.iloc[people.cell].reset_index(drop=True)
    race = cells["race"].astype(str)
    shown = {"gender": cells["sex"].astype(str), "race": race, "geography": cells["county"].astype(str)}
    if key["race"] == "broad":
        shown["race"] = race.where(race == "white", "else")
    parts = [shown[field] for field, name in key.items() if field in shown and name not in ("none", "nation")]
    birth = {"year": people.age, "decade": people.age // 10, "date": people.age * 12 + people.day}
    parts += [pd.Series(birth[key["birth"]]).astype(str)] if key["birth"] != "none" else []
    expected = pd.Series([""] * len(people)).str.cat(parts, sep="/") if parts else pd.Series([""] * len(people))
    number = shown_key(people, key, NO_CONDITIONS)
    pairs = pd.DataFrame({"number": number, "expected": expected})
    assert len(pairs.drop_duplicates()) == pairs["number"].nunique() == pairs["expected"].nunique()


def test_the_oldest_are_one_class_and_small_places_one_place():
    people = make_people(population(), np.random.default_rng(5))
    key = Granularities(birth="date", geography="county")
    oldest = shown_key(people, key, Conditions(top_age=60))[people.age >= 60]
    assert len(set(oldest)) == 2  # one per county
    small = Conditions(top_age=1, small_places=SmallPlaces("county", 12))
    assert len(set(shown_key(people, key, small))) == 2  # 36 people are shown, 12 are hidden
    listed = Conditions(top_age=1, small_places=SmallPlaces("county", 0, frozenset({"39001", "39003"})))
    assert len(set(shown_key(people, key, listed))) == 1
