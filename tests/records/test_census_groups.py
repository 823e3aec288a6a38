"""A file of everybody has the census's own total risk; a record's chance is that of counting every throw."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from small_people import file_of, population_of

from policy_sim.attackers import Attacker, Coverage
from policy_sim.formulas.groups import total_risk
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.people.population import Population
from policy_sim.records.census_groups import FileCells, PlacedFile, file_cells, people_of_groups
from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.records.classes import Classes
from policy_sim.records.score import attackers_scores
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

KEYS = [
    "gender+race+birth=date+geography=county",
    "gender+race+birth=month+geography=county",
    "gender+race+birth=year+geography=county",
    "birth=year+geography=county",
    "gender+birth=five_years+geography=state",
    "race+birth=decade+geography=state",
    "geography=county",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_file_of_everybody_has_the_total_risk_of_the_census_on_a_list_too(key, everyone):
    population, cells = everyone
    key = Granularities.parse(key)
    groups = people_of_groups(cells, population, key)
    records = cells.rows["records"].to_numpy()
    assert (cells.outside == "").all()
    for place, state in enumerate(population.states):
        here = (cells.rows["state"] == state).to_numpy()
        expected = total_risk(merge(population, key))[place]
        assert float(records[here] @ groups.chance[here]) == pytest.approx(expected, rel=1e-12)
    counties = tuple(map(str, population.cells["county"].cat.categories))
    rng = np.random.default_rng(8)
    listing = Listing(counties, rng.uniform(0, 1, (len(counties), YEARS_OF_AGE)), rng.uniform(0, 0.3, len(counties)))
    listed = people_of_groups(cells, population, key, listing=listing)
    merged = total_risk(merge(population, key, listing=listing)).sum()
    assert records @ listed.chance == pytest.approx(merged, rel=1e-9)


def test_the_chance_of_a_record_is_that_of_counting_every_throw():
    """3 people, 4 months: the mean of 1/(people in one's month) over all 64 throws."""
    population = population_of([("OH", 30, 1, 3)], ["state", "age", "age_width", "people"])
    rows = pd.DataFrame({"state": ["OH"], "age": [30], "records": [1]})
    file = FileCells(rows.astype({"age": object}), np.array([""], dtype=object))
    found = people_of_groups(file, population, Granularities.parse("birth=date+geography=state"), days_per_year=4)
    throws = [Counter(throw)[throw[0]] for throw in itertools.product(range(4), repeat=3)]
    assert found.chance[0] == pytest.approx(np.mean([1 / size for size in throws]), rel=1e-14)
    assert (found.people[0], found.bins[0]) == (3, 4)


def test_the_top_class_holds_everybody_above_it(everyone):
    population, cells = everyone
    topped = FileCells(cells.rows.assign(age=[min(age, 90) for age in cells.rows["age"]]), cells.outside, 90)
    groups = people_of_groups(topped, population, Granularities.parse("birth=year+geography=state"))
    old = (topped.rows["age"] >= 90).to_numpy() & (topped.rows["state"] == "OH").to_numpy()
    ohio = population.in_states(["OH"]).cells
    assert set(groups.people[old]) == {int(ohio.loc[ohio["age"] >= 90, "people"].sum())}
    assert set(groups.bins[old]) == {1.0}
    with pytest.raises(InputError, match="begins at 102"):
        people_of_groups(FileCells(topped.rows, topped.outside, 102), population, Granularities(birth="year"))
    # nobody is 85 here, but no class of the population reaches over that age
    people_of_groups(FileCells(topped.rows, topped.outside, 85), population, Granularities(birth="year"))


def test_a_population_without_the_column_is_refused(everyone):
    population, cells = everyone
    with pytest.raises(InputError, match="has no zip3"):
        people_of_groups(cells, population, Granularities.parse("birth=year+geography=zip3"))


def test_a_place_is_cut_from_a_finer_one(everyone):
    population, cells = everyone
    tracts = population.cells.assign(tract=population.cells["county"].astype(str) + "000100").drop(columns="county")
    finer = Population(tracts.astype({"tract": "category"}), population.provenance)
    key = Granularities.parse("gender+race+birth=year+geography=county")
    one, other = (people_of_groups(cells, whole, key) for whole in (population, finer))
    assert np.array_equal(one.people, other.people)


# Every record has a cell or a reason.


DAY = dt.date(2020, 4, 1)


def _cells(rows, fields, states=(), mapping=None):
    classes = Classes.of_rows(rows, fields)
    values = {name: sorted({row[i] for row in rows if row[i] is not None}) for i, name in enumerate(fields)}
    return file_cells(classes, values, mapping or ColumnMapping(), states, DAY)


def test_the_state_comes_from_the_county():
    cells = _cells([("39001", "30")], ("county", "age"))
    assert cells.rows.loc[0, ["state", "county", "age", "records"]].tolist() == ["OH", "39001", 30, 1]
    assert cells.outside.tolist() == [""]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("39001", "OH", None), "age is missing"),
        (("39001", "OH", "old"), "age is not understood"),
        (("99001", "OH", "30"), "the county is in no state"),
        (("21001", "OH", "30"), "the county lies in another state"),
        (("21001", "KY", "30"), "live in Kentucky, another state than those named"),
        (("39001", "OH", "30"), ""),
    ],
)
def test_why_a_record_has_no_cell(row, reason):
    assert _cells([row], ("county", "state", "age"), states=("OH",)).outside.tolist() == [reason]


def test_without_a_place_one_state_must_be_named():
    assert _cells([("30",)], ("age",), states=("OH",)).rows["state"].tolist() == ["OH"]
    for states in ((), ("OH", "KY")):
        with pytest.raises(InputError, match="no field shows the state: add states="):
            _cells([("30",)], ("age",), states=states)


def test_the_mappings_day_goes_before_the_populations():
    mapping = ColumnMapping({"birth_date": FieldColumn("born")}, reference_date=dt.date(2030, 4, 1))
    assert _cells([("2000-01-01",)], ("birth_date",), ("OH",), mapping).rows["age"].tolist() == [30]


def test_ages_above_the_top_are_in_its_class():
    mapping = ColumnMapping({"age": FieldColumn("age", top=90)})
    cells = _cells([("90+",), ("95",), ("89",)], ("age",), ("OH",), mapping)
    assert (sorted(cells.rows["age"]), cells.top) == ([89, 90, 90], 90)


@pytest.mark.parametrize("value", [None, "old"])
def test_an_age_that_is_not_known_stays_so_beside_a_top_class(value, small_population):
    mapping = ColumnMapping({"age": FieldColumn("age", top=90)})
    cells = _cells([("95",), (value,)], ("age",), ("OH",), mapping)
    assert sorted(cells.rows["age"], key=str) == [90, None]
    assert people_of_groups(cells, small_population, Granularities(birth="year")).people.min() == 0


# A file of records against a resource that holds some of the people, by counting every case.


ROWS = [("OH", 10, 1, 2), ("OH", 30, 1, 3), ("KY", 30, 1, 4)]
PEOPLE = population_of(ROWS, ["state", "age", "age_width", "people"], date="2020-04-01")
SHOWN = Granularities(birth="year", geography="state")
FILE = FileCells(
    pd.DataFrame({"state": ["OH", "OH"], "age": [10, 30], "records": [1, 2]}).astype({"age": object}),
    np.full(2, "", dtype=object),
)
ADULTS = Coverage("adults", "people of 18 to 99", least_age=18, most_age=99, least_share=0.25, most_share=0.25)


def _holder(coverage, **more):
    return Attacker("holder", "t", (file_of("holder", coverage, **{"states": None, "birth": "year"} | more),))


def _chance(people, share):
    """Chance that a person is matched who links at random among those listed, over every case of who is listed."""
    total = 0.0
    for listed in product((0, 1), repeat=people):
        weight = np.prod([share if one else 1 - share for one in listed])
        total += weight * (listed[0] / sum(listed) if listed[0] else 0)
    return total


def _score(attacker, **more):
    (score,) = attackers_scores(PlacedFile.of(FILE, PEOPLE, SHOWN), [attacker], **more)
    return score


def test_only_people_of_these_ages_are_found_and_only_the_listed():
    score = _score(_holder(ADULTS, price=Price("schedule", usd_per_record=2)))
    assert score.expected.low == score.expected.high == pytest.approx(2 * _chance(3, 0.25))
    assert score.largest.high == pytest.approx(_chance(3, 0.25))
    assert (score.price.usd, score.status) == (2 * 3 * 0.25, "ok")
    assert score.records == 3, "a child's record is in the file, and cannot be found"


def test_a_share_that_is_not_known_gives_two_ends():
    some = Coverage("some", "some", least_age=0, least_share=0.2, most_share=0.9)
    price = {"price": Price("flat", base_usd=10), "price_high": Price("flat", base_usd=30)}
    score = _score(_holder(some, **price))
    ends = [_chance(2, share) + 2 * _chance(3, share) for share in (0.2, 0.9)]
    assert (score.expected.low, score.expected.high, score.status) == (*map(pytest.approx, ends), "interval")
    cost = score.usd_per_reidentification
    assert (cost.low, cost.high) == (pytest.approx(30 / ends[0]), pytest.approx(10 / ends[1]))


def test_a_file_that_does_not_tell_the_state_is_looked_up_in_the_nation():
    ohio = PEOPLE.in_states(["OH"])
    nation = _holder(None, place="nation")
    (alone,) = attackers_scores(PlacedFile.of(FILE, ohio, SHOWN), [nation])
    (whole,) = attackers_scores(PlacedFile.of(FILE, ohio, SHOWN, whole=PEOPLE), [nation])
    assert alone.expected.low == pytest.approx(1 / 2 + 2 / 3)
    assert whole.expected.low == pytest.approx(1 / 2 + 2 / 7), "the four of Kentucky are 30 too"


@pytest.mark.parametrize("open_class", ["90+", "90 and over", "90 years or older", ">89", "≥ 90", "over 89"])
def test_an_open_oldest_class_is_read_as_it_is(open_class):
    """Without a word of the mapping, as with one that names its first age."""
    rows = [(open_class,), ("89",), ("999",)]
    told = ColumnMapping({"age": FieldColumn("age", top=90)})
    own, named = _cells(rows, ("age",), ("OH",)), _cells(rows, ("age",), ("OH",), told)
    assert own.top == named.top == 90
    assert own.rows["age"].tolist() == named.rows["age"].tolist()
    assert sorted(age for age in own.rows["age"] if age is not None) == [89, 90]


@pytest.mark.parametrize(
    ("texts", "ages", "width"),
    [
        (["90+", "85+", "30"], [30], 1),  # which of the two begins the oldest class is open
        (["90+", "91", "30"], [30, 91], 1),  # others tell ages of the class apart
        (["20-24", "90+"], [90], 1),  # years of age, and a class that is none
        (["20-24", "90+"], [20, 90], 5),
        (["5 and under", "30"], [30], 1),
    ],
)
def test_an_open_class_is_read_where_it_is_the_oldest(texts, ages, width):
    mapping = ColumnMapping({"age": FieldColumn("age", width=width)})
    cells = _cells([(text,) for text in texts], ("age",), ("OH",), mapping)
    assert sorted(age for age in cells.rows["age"] if age is not None) == ages


def test_an_open_class_that_the_population_does_not_tell_apart_is_left_out_with_its_reason():
    values = {"age": ["30", "88+"]}
    classes = Classes.of_rows([("30",), ("88+",)], ("age",))
    cells = file_cells(classes, values, ColumnMapping(), ("OH",), DAY, ages={0, 30, 85, 90})
    assert cells.top is None
    assert ["88" in reason for reason in cells.outside] == [False, True]
