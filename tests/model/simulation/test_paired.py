"""Two files made person by person."""

from __future__ import annotations

import numpy as np
import pytest
from paired_files import simulate_paired_files, simulate_sorted_attack
from pinned import pinned
from small_people import population_of

from policy_sim import Study
from policy_sim.formulas.match_levels import match_levels
from policy_sim.model.money.pair import FileShares
from policy_sim.people.merging import merge
from policy_sim.words.fields import Granularities

KEY = Granularities(gender="value", birth="year", geography="state")


def test_files_of_nearly_everyone_leave_hardly_a_pair():
    counted = simulate_paired_files(
        Study("us-2020").people, KEY, (KEY, KEY, KEY), "WY", FileShares(0.9, 0.9, 0.9), runs=2
    )
    assert counted.counts.shape == (5, 2)
    assert (counted.counts[0] < 20).all()
    assert (counted.counts[1] == 0).all(), "nobody is in one file alone"


# The attack curve against an attacker simulated person by person, on Delaware.


KEYS = {
    "date and county": Granularities(gender="value", birth="date", geography="county"),
    "year and state": Granularities(gender="value", race="value", birth="year", geography="state"),
}


@pytest.fixture(scope="module")
def people():
    return Study("us-2020").people


@pytest.mark.slow
@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("in_file", pinned([0.1], [1.0, 0.1, 0.01]))
def test_yield_and_precision_lie_in_the_interval(people, name, in_file):
    """At three shares in the file and three stops: within the 99 % interval of 12 runs. Seed fixed before looking."""
    coverage = 0.65
    (levels,) = match_levels(merge(people, KEYS[name], ["DE"]), coverage, in_file)
    places = [int(np.searchsorted(levels.attacked, share * levels.attacked[-1])) for share in (0.05, 0.5)]
    places.append(len(levels.records) - 1)
    chances = [float(levels.chance[place]) for place in places]
    attacks = simulate_sorted_attack(
        people, KEYS[name], "DE", chances, in_file=in_file, coverage=coverage, runs=12, seed=1
    )
    for place, attack in zip(places, attacks, strict=True):
        attacked, matched = levels.attacked[place], levels.matched[place]
        low, high = attack.yields
        assert low <= matched <= high, (name, in_file, place)
        low, high = attack.precision
        assert low <= matched / attacked <= high, (name, in_file, place)


@pytest.mark.slow
@pytest.mark.parametrize("in_file", pinned([0.1], [1.0, 0.1]))
def test_with_the_list_in_sight_it_agrees_too(people, in_file):
    """Stops at 1, 2 and 5 candidates; within the 99 % interval of 12 runs."""
    key = KEYS["date and county"]
    (levels,) = match_levels(merge(people, key, ["DE"]), 1.0, in_file, seen=30)
    stops = (1.0, 1 / 2, 1 / 5)
    attacks = simulate_sorted_attack(people, key, "DE", stops, in_file=in_file, runs=12, seed=3, sees_list=True)
    for least, attack in zip(stops, attacks, strict=True):
        place = int(np.flatnonzero(levels.chance >= least * (1 - 1e-9))[-1])
        low, high = attack.yields
        assert low <= levels.matched[place] <= high
        low, high = attack.precision
        assert low - 1e-12 <= levels.matched[place] / levels.attacked[place] <= high + 1e-12


def test_the_chance_of_a_record_that_nobody_resembles_is_that_of_being_listed():
    """Ninety ages with one person each: in every file, whatever its size, a record is right if its person is listed."""
    people = population_of([("OH", age, 1, 1) for age in range(90)], ["state", "age", "age_width", "people"])
    key = Granularities(birth="year", geography="state")
    every, none = simulate_sorted_attack(people, key, "OH", [0.4, 0.5], in_file=0.5, coverage=0.4, runs=4)
    assert (every.attacked > 0).all()
    assert (every.matched < every.attacked).all()
    assert none.attacked.tolist() == [0, 0, 0, 0]
