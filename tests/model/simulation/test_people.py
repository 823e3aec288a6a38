"""People one by one: as many as were counted, of the right ages, and equal keys exactly where they show the same."""

from __future__ import annotations

import datetime as dt
import itertools
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import list_of, population_of

from policy_sim.attackers import GENERAL, Coverage, covered, voter
from policy_sim.attackers.in_file import InFile
from policy_sim.model.cases import Cases
from policy_sim.model.simulation.linking import simulate
from policy_sim.model.simulation.people import (
    born,
    deal_homes,
    draw_cells,
    made_up_names,
    make_people,
    shown_key,
    synthesize,
)
from policy_sim.people.by_name import load_population
from policy_sim.people.zips import ZipShares, with_zip_codes
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities


def population(widths=(1, 1, 5)):
    rows = [
        ("OH", county, sex, age, width, race, people)
        for (county, people), sex, (age, width), race in itertools.product(
            (("39001", 3), ("39003", 1)), "MF", zip((10, 30, 60), widths, strict=True), ("white", "asian")
        )
    ]
    return population_of(rows, date="2020-04-01")


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


# Homes of made-up people: every area gets its people, and attacks by ZIP code meet the means over all draws.


# Two counties that share the area 43001.
ZIPS = ZipShares(
    np.array([0, 0, 2, 2, 2]),
    np.array(["43001", "44002", "43001", "43003", "45004"]),
    np.array([0.75, 0.25, 0.5, 0.25, 0.25]),
    np.array([8.0, 0.0, 12.0]),
    {"440": 2},
)
COUNTY = np.array([2, 0] * 8 + [2] * 4)


def test_every_area_gets_as_many_people_of_a_county_as_were_counted():
    homes = deal_homes(COUNTY, ZIPS, np.random.default_rng(3))
    assert np.bincount(homes.part).tolist() == [6, 2, 6, 3, 3]
    np.testing.assert_array_equal(ZIPS.county[homes.part], COUNTY)


@pytest.mark.slow
def test_who_lives_where_is_chance():
    """Each of the 8 people of a county lives in its first area in three of four draws (4,000 draws: within 4%)."""
    rng, here = np.random.default_rng(4), np.flatnonzero(COUNTY == 0)
    first = np.mean([deal_homes(COUNTY, ZIPS, rng).part[here] == 0 for _ in range(4000)], axis=0)
    np.testing.assert_allclose(first, 0.75, atol=0.03)


@pytest.mark.parametrize(
    ("place", "small", "together"),
    [
        ("zip3", None, [(0, 2, 3), (1,), (4,)]),
        ("zip5", None, [(0, 2), (1,), (3,), (4,)]),
        ("county_zip5", None, [(0,), (1,), (2,), (3,), (4,)]),
        ("zip3", SmallPlaces("zip3", 20_000), [(0, 2, 3), (1,), (4,)]),
        ("zip5", SmallPlaces("zip3", 20_000, frozenset({"440", "450"})), [(0, 2), (1, 4), (3,)]),
    ],
)
def test_parts_that_a_key_shows_alike(place, small, together):
    homes = deal_homes(COUNTY, ZIPS, np.random.default_rng(3))
    shown = homes.shown(place, small)
    codes = [set(shown[np.isin(homes.part, parts)].tolist()) for parts in together]
    assert [len(code) for code in codes] == [1] * len(together)
    assert len(set.union(*codes)) == len(together)


LISTED = list_of("DE", gender="value", race="value", birth="date", geography="county", zip="value")


@pytest.mark.slow
@pytest.mark.parametrize("share", pinned([0.1], [None, 0.1, 0.01]))
def test_delaware_as_written_lies_in_the_interval(share):
    """Both rules as written, everyone and 0.65 of the adults listed: 99 % intervals of some attacks, seeded.

    Homes are drawn anew in each attack, so that the mean over the make-up of the county is what is tested.
    """
    people = with_zip_codes(load_population("us-2020"))
    adults = people.of_age(18).people_by_state()["DE"]
    listed = Coverage("registered", "0.65 of them", {"DE": round(0.65 * adults)})
    some = covered(voter({"DE": LISTED}, "x"), listed)
    rules = [load_policy("safe-harbor"), load_policy("limited-dataset")]
    cases = Cases(people, rules, [some, GENERAL], states=["DE"], in_file=InFile.of(share))
    attacks = simulate(cases, runs=pinned(3, 6), seed=11)
    keys = {attack.case.label() for attack in attacks}
    races = ("race_ethnicity", "race_ethnicity_to_race")
    assert {f"gender+race={race}+birth=date+geography=county_zip5" for race in races} <= keys
    assert {"claims", "correct-claims", "precision"} <= {str(attack.measure) for attack in attacks}
    assert all(attack.agrees for attack in attacks), attacks.to_frame()


def names(number, seed=0):
    return made_up_names(number, np.random.default_rng(seed)).tolist()


def test_a_seed_gives_its_names_again_and_another_gives_others():
    assert names(50) == names(50)
    assert names(50) != names(50, 1)


def test_every_name_is_a_given_and_a_family_name():
    assert names(0) == []
    drawn = names(500)
    assert len(drawn) == 500
    assert all(len(name.split(" ")) == 2 and name.replace(" ", "").isalpha() for name in drawn)


def test_names_are_many_and_each_word_about_equally_likely():
    """Of 30,000 draws each of 3,024 words is expected 9.9 times; 40 would be more than nine deviations."""
    given = [name.split()[0] for name in names(30_000)]
    _, counts = np.unique(given, return_counts=True)
    assert 3_000 <= len(counts) <= 3_024
    assert counts.max() < 40


# Synthetic people: the requested number, drawn from the cells without replacement.


DAY = dt.date(2020, 4, 1)


SMALL = population_of([("OH", "39001", "M", 20, 1, 6), ("OH", "39001", "F", 30, 5, 3), ("OH", "39003", "F", 0, 1, 1)])


def test_everyone_is_made_once_in_random_order():
    table = synthesize(SMALL, np.random.default_rng(1), DAY)
    assert len(table) == 10
    counted = table.groupby(["county", "sex"], observed=True).size()
    assert counted.to_dict() == {("39001", "M"): 6, ("39001", "F"): 3, ("39003", "F"): 1}
    assert table["synthetic"].all()
    assert table.loc[table["county"] == "39003", "age"].tolist() == [0]
    orders = {tuple(synthesize(SMALL, np.random.default_rng(seed), DAY)["sex"]) for seed in range(5)}
    assert len(orders) > 1


def test_draws_are_without_replacement_and_everyone_is_as_likely():
    """Seeded; 4,000 draws of 4 of 10: each cell's mean within 4.5 standard errors, none above its people."""
    rng, rounds = np.random.default_rng(2), 4000
    drawn = np.array([np.bincount(draw_cells(SMALL, 4, rng), minlength=3) for _ in range(rounds)])
    held = SMALL.cells["people"].to_numpy()
    assert (drawn.sum(axis=1) == 4).all()
    assert (drawn <= held).all()
    share = held / 10
    error = np.sqrt(4 * share * (1 - share) * (10 - 4) / (10 - 1) / rounds)
    assert (np.abs(drawn.mean(axis=0) - 4 * share) < 4.5 * error).all()


def test_a_crowd_of_more_than_a_thousand_million():
    crowd = population_of([("OH", "39001", "M", 20, 1, 10**9), ("OH", "39003", "F", 20, 1, 3 * 10**9)])
    women = np.concatenate([draw_cells(crowd, 1000, np.random.default_rng(seed)) for seed in range(4)])
    assert len(women) == 4000
    assert women.mean() == pytest.approx(0.75, abs=4.5 * np.sqrt(0.75 * 0.25 / 4000))


def test_ten_of_the_largest_state_are_not_made_from_all_of_it():
    """California's 39.5 million people took 11 GB; its cells and ten people take some megabytes."""
    study = Study("us-2020")
    study.people.in_states(["CA"])
    tracemalloc.start()
    table = study.synthesize("CA", people=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(table) == 10
    assert peak < 100e6


@pytest.mark.parametrize("people", [-5, 0, 2.5, True, 576_852])
def test_fewer_than_one_person_and_more_than_there_are_are_refused(people):
    wrong = r"\S+: give a whole number from 1 to 1,000,000,000\.$"
    many = "576,852 is more than the 576,851 people of WY in us-2020. Give a smaller"
    with pytest.raises(InputError, match=f"^people = {many if people > 3 else wrong}"):
        Study("us-2020").synthesize("WY", people=people)
