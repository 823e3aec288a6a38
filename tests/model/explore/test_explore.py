"""The lattice against each policy from the cells, against entropy by hand, and what must be conserved."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from policy_sim.model.explore.search import explore, lattice_of, measured_alone
from policy_sim.people.population import RACES, Population, Provenance, check_cells
from policy_sim.policies.lattice import BirthView, Lattice, PlaceView
from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

PROVENANCE = Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0)
COLUMNS = ["state", "county", "zip5", "sex", "age", "age_width", "race", "people"]


def _random_people(seed: int = 0, *, odd_ages: bool = False) -> Population:
    """Two states, some places over 20,000 and 100,000 people, ages to 110 as the census counts them."""
    rng = np.random.default_rng(seed)
    rows = []
    for state, county, zip5, scale in (
        ("OH", "39001", "44101", 3),
        ("OH", "39001", "44201", 40),
        ("OH", "39003", "44101", 0.4),
        ("OH", "39005", "45101", 90),
        ("WV", "54001", "25101", 2),
        ("WV", "54003", "25101", 60),
    ):
        for sex in "MF":
            for age, width in [*((a, 1) for a in range(0, 100, 1)), (100, 5), (105, 5), (110, 1)]:
                for race in RACES[:4]:
                    people = rng.poisson(scale * (1.0 if race == "white" else 0.2) * (1 if age < 90 else 0.1))
                    if people:
                        rows.append((state, county, zip5, sex, age, width, race, int(people)))
        if odd_ages:  # a class of five years beside single years, so that wider classes are no runs of ages
            rows.append((state, county, zip5, "M", 81, 5, "white", 7))
    return Population(check_cells(pd.DataFrame(rows, columns=COLUMNS), "made"), PROVENANCE)


PEOPLE = _random_people()


@pytest.mark.slow
@pytest.mark.parametrize("people", [PEOPLE, _random_people(1, odd_ages=True)], ids=["runs", "odd ages"])
def test_every_policy_is_what_it_is_from_the_cells(people):
    found = explore(people, g=[1, 4])
    names = list(found.policies)
    for name in names[:: max(1, len(names) // 150)] + names[-3:]:
        alone = found.beside(measured_alone(people, found.policies[name], people.states, g=[1, 4]))
        here = found.rows[found.rows["policy"] == name].reset_index(drop=True)
        for column in ("total_risk", "distinct_1", "distinct_4", "distinct_4_share", "utility_bits", "utility"):
            # sums of the same figures in another order
            np.testing.assert_allclose(here[column], alone[column], rtol=1e-11, atol=1e-12, err_msg=f"{name} {column}")


def test_no_policy_is_left_out_and_none_stands_twice():
    lattice = lattice_of(PEOPLE)
    found = explore(PEOPLE, ["OH"])
    assert len(found.rows) == len(lattice) == len(found.policies)
    assert found.rows["policy"].is_unique
    # gender 2, race 3, birth 1 + 11 x 4 (nothing; each granularity under each top age), places 1 + 3 + 2 + 2 + 1 + 1
    assert len(lattice) == 2 * 3 * 45 * 10


def test_a_population_by_county_has_at_least_300_policies():
    by_county = Population(
        PEOPLE.cells.drop(columns="zip5").groupby(COLUMNS[:2] + COLUMNS[3:-1], observed=True).sum().reset_index(),
        PROVENANCE,
    )
    assert len(lattice_of(by_county)) == 2 * 3 * 45 * 4


def test_a_population_without_sex_or_race_has_fewer_policies():
    cells = PEOPLE.cells.groupby(["state", "age", "age_width"], observed=True)["people"].sum().reset_index()
    bare = Population(cells, PROVENANCE)
    found = explore(bare, ["WV"])
    assert len(found.rows) == 45
    assert set(found.rows["gender"]) == {"none"}


def test_entropy_by_hand():
    """Men 6, women 2; under a date each hides 365 equally likely days in one year of age."""
    rows = [("OH", "1", "1", "M", 30, 1, "white", 6), ("OH", "1", "1", "F", 30, 1, "white", 2)]
    people = Population(check_cells(pd.DataFrame(rows, columns=COLUMNS), "made"), PROVENANCE)
    sexes = (Granularities(), Granularities(gender="value"))
    lattice = Lattice((sexes,), (BirthView("none"), BirthView("date")), (PlaceView("state"),))
    rows = explore(people, lattice=lattice).rows.set_index("policy")
    sex = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    day = math.log2(365)
    expected = {
        "geography=state": 0.0,
        "birth=date+geography=state": day,
        "gender+geography=state": sex,
        "gender+birth=date+geography=state": sex + day,
    }
    assert rows["utility_bits"].to_dict() == pytest.approx(expected, rel=1e-12)
    assert rows["utility"].to_dict() == pytest.approx({k: v / (sex + day) for k, v in expected.items()}, rel=1e-12)


def test_whatever_is_coarser_keeps_no_more_and_risks_no_more():
    found = explore(PEOPLE, ["OH"], g=[1])
    rows = found.rows.set_index("policy")
    rng = np.random.default_rng(3)
    names = rng.choice(np.array(list(found.policies)), 120, replace=False)
    compared = 0
    for a in names:
        for b in names:
            fine, coarse = found.policies[a], found.policies[b]
            if fine.conditions != coarse.conditions or fine.conditions != Conditions():
                continue
            if coarse.releases.is_coarser_or_equal(fine.releases):
                compared += 1
                assert rows["total_risk"][b] <= rows["total_risk"][a] * (1 + 1e-12)
                assert rows["distinct_1"][b] <= rows["distinct_1"][a] * (1 + 1e-12) + 1e-9
    assert compared > 20


def test_the_finest_policy_keeps_everything():
    rows = explore(PEOPLE).rows
    finest = rows[rows["policy"] == "gender+race+birth=date+geography=county_zip5"]
    assert finest["utility"].tolist() == pytest.approx([1.0, 1.0], rel=1e-12)
    assert rows["utility"].between(0, 1).all()


@pytest.mark.slow
def test_a_state_alone_is_as_among_others():
    alone = explore(PEOPLE, ["WV"], threads=1).rows
    among = explore(PEOPLE, ["OH", "WV"]).rows
    pd.testing.assert_frame_equal(alone, among[among["state"] == "WV"].reset_index(drop=True))


def test_small_zip3_of_a_list():
    lattice = lattice_of(PEOPLE, frozenset({"441"}))
    found = explore(PEOPLE, ["OH"], lattice=lattice)
    listed = [
        p for p in found.policies.values() if p.conditions.small_places and p.conditions.small_places.place == "zip3"
    ]
    assert {p.conditions.small_places.listed for p in listed} == {frozenset({"441"})}


@pytest.mark.slow
def test_a_policy_that_is_no_point_of_the_lattice():
    odd = Policy(
        "odd", "t", Granularities(birth="year", geography="county"), "c", Conditions(70, SmallPlaces("county", 5000))
    )
    found = explore(PEOPLE)
    row = found.beside(measured_alone(PEOPLE, odd, ["OH"])).iloc[0]
    assert 0 < row["utility"] < 1
    assert (row["top_age"], row["place_above"]) == (70, 5000)


def test_wrong_questions():
    with pytest.raises(InputError, match="1 or more"):
        explore(PEOPLE, g=[0])
    with pytest.raises(UnknownNameError, match="TX"):
        explore(PEOPLE, ["TX"])
