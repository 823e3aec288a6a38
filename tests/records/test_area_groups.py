"""Records in ZIP code areas whose people are known by class: by hand, by conservation, against people drawn."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers import Coverage
from policy_sim.model.simulation.people import make_people, shown_key
from policy_sim.people.by_name import load_population
from policy_sim.people.composed import people_of_areas
from policy_sim.people.composition import CLASSES, class_of
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merge import MergeKey
from policy_sim.people.merging import merge_by_zip
from policy_sim.people.population import Population, check_cells
from policy_sim.people.zips import PeopleByZip, ZipShares
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.records.census_groups import FileCells, PlacedFile, file_cells, people_of_groups
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Classes
from policy_sim.records.score import area_notes
from policy_sim.words.fields import Granularities

DATE = "gender=value+race=value+birth=date+geography=zip5"
AREAS = ("43001", "43002", "44003")


def counties(people, rng=None):
    """People of two counties and three areas, the second of which reaches into both; chances by class at random."""
    rows = [("OH", county, sex, age, 1, race, "not_hispanic", many) for county, sex, age, race, many in people]
    names = ["state", "county", "sex", "age", "age_width", "race", "ethnicity", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=names), "here")
    population = Population(cells, load_population("us-2020").provenance)
    first, second = (np.full(CLASSES, 0.5) if rng is None else rng.uniform(0.05, 0.95, CLASSES) for _ in range(2))
    zips = ZipShares(
        np.array([0, 0, 1, 1]),
        np.array([AREAS[0], AREAS[1], AREAS[1], AREAS[2]]),
        np.full(4, 0.5),
        population.people_by_county.astype(float),
        {},
        np.stack([first, 1 - first, second, 1 - second]),
    )
    return PeopleByZip(population, zips)


@pytest.fixture(scope="module")
def two_counties():
    rng = np.random.default_rng(2)
    kinds = [
        (county, sex, age, race, int(rng.integers(1, 60)))
        for county in ("39001", "39003")
        for sex in ("F", "M")
        for age in (8, 30, 31, 50, 70)
        for race in ("white", "black")
    ]
    return counties(kinds, rng)


def file_of_rows(rows):
    table = pd.DataFrame(rows, columns=["zip5", "sex", "age", "race", "records"]).assign(state="OH")
    return FileCells(table.astype({"age": object}), np.full(len(table), "", dtype=object))


def test_a_record_has_the_others_who_are_expected():
    people = counties([("39001", "F", 30, "white", 3), ("39003", "F", 30, "white", 1)])
    file = file_of_rows([(area, sex, 30, "white", 1) for area, sex in (("43001", "F"), ("43002", "F"), ("43002", "M"))])
    found = people_of_groups(file, people, Granularities.parse("gender=value+birth=year+geography=zip5"))
    # in the first area each of three lives by a coin: somebody does in 7 of 8 cases, 1.5 people do
    assert found.chance[0] == pytest.approx((7 / 8) / 1.5, rel=1e-12)
    assert found.people[0] == pytest.approx(1 + 2 * 0.5)
    assert found.chance[1] == pytest.approx((1 - 1 / 16) / 2)
    assert (found.room[:2].tolist(), found.room[2], found.group[2]) == ([3, 4], 0, -1)


def test_a_record_where_nobody_of_its_class_lives_is_outside(two_counties):
    rows = [("43001", 30, "white"), ("43001", 31, "asian"), ("99999", 30, "white")]
    file = file_of_rows([(area, "F", age, race, 1) for area, age, race in rows])
    placed = PlacedFile.of(file, two_counties, Granularities.parse(DATE))
    assert [reason == "" for reason in placed.cells.outside] == [True, False, False]
    (note,) = area_notes(file.rows, two_counties)
    assert "in us-2020: 1 of 3." in note


@pytest.mark.parametrize("key", [DATE, "gender=value+birth=year+geography=zip5", "birth=date+geography=zip3"])
@pytest.mark.parametrize("attacker", ["everyone", "list", "survey"])
def test_a_file_of_everybody_has_the_total_risk_of_the_comparison(two_counties, key, attacker):
    shown, zips = Granularities.parse(key), two_counties.zips
    cells = two_counties.county_population.cells
    county, of_class = cells["county"].cat.codes.to_numpy(), class_of(cells)
    rows, living = [], []
    for part, (at, area) in enumerate(zip(zips.county, zips.zip5, strict=True)):
        for cell in np.flatnonzero(county == at):
            row = cells.iloc[cell]
            rows.append((str(area), row["sex"], int(row["age"]), row["race"], 1))
            living.append(row["people"] * zips.composition[part, of_class[cell]])
    rng, listing, coverage = np.random.default_rng(8), None, 1.0
    codes = tuple(map(str, two_counties.county_population.counties))
    if attacker == "list":
        listing = Listing(codes, np.full((2, YEARS_OF_AGE), 0.7), rng.uniform(0, 0.3, 2))
    placed = PlacedFile.of(file_of_rows(rows), two_counties, shown)
    if attacker == "survey":
        coverage = 0.4
        share = Coverage("some", "some people", least_age=0, least_share=coverage, most_share=coverage)
        found = placed.on(shown, share)
    else:
        found = people_of_groups(placed.cells, two_counties, shown, listing=listing)
    compared = merge_by_zip(two_counties, MergeKey(shown, ("OH",), listing=listing))
    # on a list a bin of several counties has the moments of its entries, not their whole distribution
    near = 1e-9 if attacker == "everyone" else 1e-3
    assert living @ found.chance == pytest.approx(compared.total_risk(coverage)[0], rel=near)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_near_what_is_matched_among_people_drawn(two_counties, seed):
    rng = np.random.default_rng([48, seed])
    drawn = make_people(two_counties.county_population, rng, zips=two_counties.zips)
    view = Granularities.parse("gender=value+birth=year+geography=zip5" if seed % 2 else DATE)
    chosen = rng.choice(len(drawn), 400, replace=False)
    cells = drawn.population.cells.iloc[drawn.cell[chosen]]
    columns = {
        "zip5": two_counties.zips.zip5[drawn.homes.part[chosen]].tolist(),
        "age": cells["age"].astype(str).tolist(),
        "sex": cells["sex"].astype(str).tolist(),
        "race": cells["race"].astype(str).tolist(),
    }
    classes = Classes.of_rows(list(zip(*columns.values(), strict=True)), tuple(columns))
    values = {name: sorted(set(texts)) for name, texts in columns.items()}
    file = file_cells(classes, values, ColumnMapping(), ("OH",), dt.date(2020, 4, 1))
    placed = PlacedFile.of(file, two_counties, view)
    records, chance = placed.cells.rows["records"].to_numpy(), placed.groups.chance
    value = np.unique(shown_key(drawn, view, NO_CONDITIONS), return_inverse=True)[1]
    made = (rng.random(len(chosen)) * np.bincount(value)[value[chosen]] < 1).sum()
    assert abs(made - records @ chance) < 3 * (records @ (chance * (1 - chance))) ** 0.5


def test_scores_of_a_shipped_population_are_of_areas_as_counted():
    people = people_of_areas(load_population("us-2020-zcta")).in_states(["DC"])
    # Anacostia and Georgetown: Black residents are nine in ten in one, few in the other
    rows = file_of_rows([("20020", "F", 30, "black", 1), ("20007", "F", 30, "black", 1)]).rows.assign(state="DC")
    found = people_of_groups(FileCells(rows, np.full(2, "", dtype=object)), people, Granularities.parse(DATE))
    assert found.people[0] > 10 * found.people[1]
    assert found.chance[0] < found.chance[1]
