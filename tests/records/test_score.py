"""What attackers find in a file, state by state."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from said import numbers
from small_people import list_of, population_of

from policy_sim.attackers import GENERAL, voter
from policy_sim.records.census_groups import FileCells, PlacedFile, people_of_groups
from policy_sim.records.own_chances import own_chance_frame
from policy_sim.records.score import (
    area_notes,
    attackers_scores,
    date_of_ages,
    outside_notes,
)
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

SHOWN = Granularities.parse("gender+race+birth=year+geography=county")


def test_no_list_is_a_status_and_not_a_zero(everyone):
    population, cells = everyone
    nobody = voter({state: list_of(state, "not_sold") for state in ("KY", "OH")}, "2020")
    for score in attackers_scores(PlacedFile.of(cells, population, SHOWN), [nobody]):
        assert (score.status, score.expected, score.largest) == ("not_sold", None, None)
        assert score.usd_per_reidentification is None
        assert score.reason


def test_the_riskiest_groups_come_first_and_are_not_named_unasked(everyone):
    population, cells = everyone
    placed = PlacedFile.of(cells, population, SHOWN)
    groups, table = placed.groups, placed.riskiest(4)
    assert table.columns.tolist() == ["group", "records", "people", "bins", "chance", "expected"]
    assert table["chance"].tolist() == sorted(groups.chance, reverse=True)[:4]
    np.testing.assert_allclose(table["chance"], 1 / table["people"])
    assert "county" in placed.riskiest(1, names=True)
    assert len(placed.riskiest(0)) == 0


def test_the_day_of_ages_is_the_mappings_or_the_populations(small_population):
    people, fields = small_population, ("sex", "age")
    assert date_of_ages(people, fields, dt.date(2011, 5, 6)) == dt.date(2011, 5, 6)
    assert date_of_ages(people, fields, None) == dt.date(2020, 4, 1)
    undated = replace(people, provenance=replace(people.provenance, date=""))
    assert date_of_ages(undated, fields, None) == dt.date.min
    with pytest.raises(InputError, match="no date"):
        date_of_ages(undated, ("birth_date",), None)


def test_outside_records_are_counted_by_reason_and_named_by_row():
    notes = outside_notes({"few": 2, "many": 10}, [(row, "many") for row in range(1, 13)])
    assert notes[0].endswith("12")
    assert notes[1:3] == ["  10: many", "  2: few"]
    assert notes[3].endswith("9, 10, ...")
    assert outside_notes({}, []) == ["records outside the population's cells: none"]


@pytest.mark.slow
def test_records_in_a_zip_code_without_an_area_are_counted():
    people = population_of(
        [("OH", "43215", "M", 30, 1, 5)], ["state", "zip5", "sex", "age", "age_width", "people"], name="made-zip"
    )
    rows = pd.DataFrame({"zip5": ["43216", "43215", None], "records": [2, 3, 4]})
    (note,) = area_notes(rows, people)
    assert numbers(note)[:2] == ["2", "9"]
    assert "made-zip" in note
    (none,) = area_notes(rows.iloc[1:], people)
    assert none.endswith(": none")
    assert area_notes(rows[["records"]], people) == []


@pytest.mark.parametrize(("column", "mapped"), [("zip", "zip5"), ("place", "area")])
def test_areas_are_scored_from_zip_codes_and_from_their_names(tmp_path, column, mapped):
    """By hand: 2 and 3 men of 30 in two ZIP codes of one area, 4 in the other."""
    from policy_sim import RecordFile, Study

    cells = [("OH", "39049", code, "M", 30, 1, n) for code, n in (("43215", 2), ("43201", 3), ("43202", 4))]
    columns = ["state", "county", "zip5", "sex", "age", "age_width", "people"]
    (tmp_path / "own areas.csv").write_text("zip,area\n43215,Mid\n43201,Mid\n43202,North\n")
    field = f"area:{tmp_path / 'own areas.csv'}"
    shown = {"zip": ["432151234", "43202-1234"], "place": ["Mid", "North"]}[column]
    (tmp_path / "f.csv").write_text("\n".join([f"sex,age,{column}", *(f"M,30,{value}" for value in shown)]) + "\n")
    named = f'[fields."{field if mapped == "area" else mapped}"]'
    (tmp_path / "m.toml").write_text(f'{named}\ncolumn = "{column}"\n')
    file = RecordFile(tmp_path / "f.csv", ["sex", "age", field], mapping=tmp_path / "m.toml")
    people = population_of(cells, columns, name="made-zip")
    (score,) = file.score(Study(people, lists=2026), "general", states="OH").answer
    assert score.expected.low == pytest.approx(1 / 5 + 1 / 4)


def test_the_chances_of_records_add_up_to_the_expected_matches(tmp_path):
    from policy_sim import RecordFile, Study

    rng = np.random.default_rng(2)
    rows = [
        f"{rng.integers(0, 90)},{rng.choice(['M', 'F'])},{rng.choice(['10001', '10003', '99999'])}" for _ in range(300)
    ]
    path = tmp_path / "f.csv"
    path.write_text("\n".join(["age,sex,county", *rows, ",M,10001"]) + "\n")
    file = RecordFile(path, "age,sex,county", missing="exclude")
    result = file.score(Study("us-2010", lists=2026), ["general", "voter"], states="DE", list_records=True)
    table = result.tables["records"]
    assert table["row"].tolist() == list(range(1, 302))
    for score in result.answer:
        assert score.surplus == 0
        assert table[f"{score.attacker}_chance"].sum() == pytest.approx(score.expected.low)
        assert table[f"{score.attacker}_chance_high"].sum() == pytest.approx(score.expected.high)
    nowhere = [row.endswith("99999") for row in rows]
    assert (table["status"] != "ok").tolist() == [*nowhere, True]
    assert table["general_chance"].isna().tolist() == [*nowhere, True]
    assert table["status"].iloc[-1].startswith("left out")


def test_how_the_risk_is_spread_over_everyone_and_each_part():
    """Groups of 20 men, 10 women and 1 person: by hand, and the mean is that of the score."""
    cells = [("39001", "M", 30, 20), ("39001", "F", 30, 10), ("39003", "F", 31, 1)]
    people = population_of([("OH", county, sex, age, 1, "white", many) for county, sex, age, many in cells])
    rows = pd.DataFrame(
        [(county, sex, age, "white", "OH", many) for county, sex, age, many in cells],
        columns=["county", "sex", "age", "race", "state", "records"],
    )
    placed = PlacedFile.of(FileCells(rows, np.full(3, "", dtype=object)), people, SHOWN)
    (score,) = attackers_scores(placed, [GENERAL])
    table = own_chance_frame([score], rows).set_index(["by", "value"])
    # of 31 people 5% are 1.55: the one alone is not enough, the ten women at 1/10 are
    assert table.loc[("all", "all"), "percentile_95"] == pytest.approx(0.1)
    assert table.loc[("all", "all"), "mean"] == pytest.approx(score.share.low)
    assert table.loc[("all", "all"), "largest"] == score.largest.low == 1
    assert table.loc[("sex", "F"), ["records", "percentile_95"]].tolist() == [11, 1.0]
    assert table.loc[("sex", "M"), "mean"] == pytest.approx(1 / 20)
    assert table.loc[("age", "25-34"), "records"] == 31


def test_a_part_of_few_people_is_not_named():
    rows = [("39001", "M", 30, "white", 12), ("39001", "M", 30, "nhpi", 2), ("39001", "M", 30, "asian", 3)]
    people = population_of([("OH", county, sex, age, 1, race, many) for county, sex, age, race, many in rows])
    table = pd.DataFrame(rows, columns=["county", "sex", "age", "race", "records"]).assign(state="OH")
    placed = PlacedFile.of(FileCells(table, np.full(3, "", dtype=object)), people, SHOWN)
    found = own_chance_frame(attackers_scores(placed, [GENERAL]), table)
    races = found[found["by"] == "race"].set_index("value")
    assert races["records"].to_dict() == {"white": 12, "smaller groups": 5}
    assert races.loc["smaller groups", "mean"] == pytest.approx(2 / 5)


def test_more_records_than_people_lower_the_chance_of_each():
    """Four records of a group of two people: two matches are wrong at best, so that each has half of 1/2."""
    people = population_of([("OH", "39001", "M", 30, 1, "white", 2)])
    rows = pd.DataFrame(
        [("39001", "M", 30, "white", "OH", 4)], columns=["county", "sex", "age", "race", "state", "records"]
    )
    (score,) = attackers_scores(PlacedFile.of(FileCells(rows, np.full(1, "", dtype=object)), people, SHOWN), [GENERAL])
    table = own_chance_frame([score], rows)
    assert table["mean"].tolist()[0] == pytest.approx(score.share.low) == pytest.approx(1 / 4)


def test_an_attacker_without_a_list_has_a_row_without_figures(everyone):
    population, cells = everyone
    nobody = voter({state: list_of(state, "not_sold") for state in ("KY", "OH")}, "2020")
    table = own_chance_frame(attackers_scores(PlacedFile.of(cells, population, SHOWN), [nobody]), cells.rows)
    assert table["status"].unique().tolist() == ["not_sold"]
    assert table["mean"].isna().all()


# Scores against counting people one by one, in small populations that lack many ages.
#
# The oracle knows neither groups nor age classes: it lists every person, gives each the key that the attacker sees,
# and counts who shares a record's key.


SPANS = {
    "year": 1,
    "two_years": 2,
    "three_years": 3,
    "four_years": 4,
    "five_years": 5,
    "decade": 10,
    "fifteen_years": 15,
    "twenty_years": 20,
}
# What both a file and a list can show of birth, by the widths alone: the smallest that both divide.
MEETS = {
    (one, other): min((name for name in SPANS if not SPANS[name] % np.lcm(SPANS[one], SPANS[other])), key=SPANS.get)
    for one, other in itertools.product(SPANS, SPANS)
    if any(not span % np.lcm(SPANS[one], SPANS[other]) for span in SPANS.values())
}
COUNTIES = {"39001": "OH", "39003": "OH", "21001": "KY"}
DOLLARS_PER_RECORD = 0.5


def _sparse_population(rng):
    """Few people of few ages, so that most classes begin at an age that nobody has."""
    ages = rng.choice(100, size=rng.integers(2, 12), replace=False)
    people = [
        (COUNTIES[county], county, sex, int(age), 1, int(rng.integers(1, 5)))
        for county, age, sex in itertools.product(COUNTIES, ages, "MF")
        if rng.random() < 0.6
    ]
    return population_of(people or [("OH", "39001", "M", int(ages[0]), 1, 1)], date="2020-04-01")


def _random_file(rng, population, span, top):
    """Records of people who are there, and of some who are not, as the classes that the file shows."""
    cells, records = population.cells, []
    for _ in range(int(rng.integers(1, 12))):
        row = cells.iloc[int(rng.integers(len(cells)))]
        age = int(row["age"]) if rng.random() < 0.8 else int(rng.integers(100))
        age = age // span * span if top is None or age < top else top
        records.append((row["state"], row["county"], age, row["sex"], int(rng.integers(1, 4))))
    table = pd.DataFrame(records, columns=["state", "county", "age", "sex", "records"])
    table = table.groupby(["state", "county", "age", "sex"], as_index=False)["records"].sum()
    return FileCells(table.astype({"age": object}), np.full(len(table), "", dtype=object), top)


def _key(row, key, top):
    span = SPANS.get(key["birth"])
    age = int(row["age"])
    seen = None if span is None else top if top is not None and age >= top else age // span * span
    county = row["county"] if key["geography"] == "county" else None
    return row["state"], county, seen, row["sex"] if key["gender"] == "value" else None


def _counted(cells, population, key, state, inside, top):
    """Expected matches, largest chance and surplus of a state's records, one person at a time."""
    people = Counter()
    for row in population.cells.to_dict("records"):
        people[_key(row, key, top)] += int(row["people"])
    records = Counter()
    for row, here in zip(cells.rows.to_dict("records"), inside, strict=True):
        if here and row["state"] == state:
            records[_key(row, key, top)] += int(row["records"])
    matches = sum(min(number, people[at]) / people[at] for at, number in records.items())
    largest = max((1 / people[at] for at in records), default=0.0)
    return matches, largest, sum(max(number - people[at], 0) for at, number in records.items())


def _random_list(rng, state, births):
    birth, place = str(rng.choice(births)), str(rng.choice(["county", "state"]))
    price = Price("schedule", usd_per_record=DOLLARS_PER_RECORD)
    return list_of(state, rest="withheld", birth=birth, geography=place, gender="unknown", price=price)


@pytest.mark.parametrize("seed", range(100))
def test_scores_are_those_of_counting_people(seed):
    rng = np.random.default_rng(seed)
    population = _sparse_population(rng)
    birth = str(rng.choice(["year", "five_years", "decade"]))
    # a top class that begins where a class of the list begins, so that what is seen nests
    top = 60 if rng.random() < 0.3 else None
    cells = _random_file(rng, population, SPANS[birth], top)
    shown = Granularities(gender="value", birth=birth, geography="county")
    births = [name for name in SPANS if (birth, name) in MEETS]
    lists = {state: _random_list(rng, state, births) for state in ("OH", "KY")}
    placed = PlacedFile.of(cells, population, shown)
    there = {_key(row, shown, top) for row in population.cells.to_dict("records")}
    inside = [_key(row, shown, top) in there for row in cells.rows.to_dict("records")]
    assert [reason == "" for reason in placed.cells.outside] == inside
    left_out = int(cells.rows["records"].sum() - cells.rows["records"][inside].sum())
    reason = "nobody in the population has these values together"
    assert placed.records_by_reason == ({reason: left_out} if left_out else {})
    scores = attackers_scores(placed, (GENERAL, voter(lists, "2020")))
    assert {score.state for score in scores} == set(cells.rows["state"][inside])
    everybody = sum(score.expected.high for score in scores if score.attacker == "general")
    assert placed.riskiest(len(inside))["expected"].sum() == pytest.approx(everybody)
    for score in scores:
        ends = [shown, shown]
        if score.attacker != "general":
            listed = lists[score.state].fields
            seen = MEETS[birth, listed["birth"].granularity]
            low = Granularities(birth=seen, geography=listed["geography"].granularity)
            ends = [low, low.replace(gender="value")]
            # a list is priced for the state's people, not for the file's records
            assert score.price.usd == DOLLARS_PER_RECORD * population.people_by_state()[score.state]
        (low, least, _), (high, most, surplus) = (
            _counted(cells, population, key, score.state, inside, top) for key in ends
        )
        assert (score.expected.low, score.expected.high) == (pytest.approx(low), pytest.approx(high))
        assert (score.largest.low, score.largest.high) == (pytest.approx(least), pytest.approx(most))
        assert score.surplus == surplus
        assert score.share.low == pytest.approx(low / score.records)
        assert score.status == ("ok" if score.attacker == "general" else "interval")
        cost = score.usd_per_reidentification
        assert (cost is None) == (score.price is None)
        if cost:
            assert (cost.low, cost.high) == tuple(pytest.approx(score.price.usd / end) for end in (low, high))


def test_an_open_last_class_takes_everybody_older_and_a_closed_one_nobody():
    for width, people in ((15, 4), (1, 0)):
        population = population_of([("OH", 85, width, 4)], ["state", "age", "age_width", "people"])
        rows = pd.DataFrame({"state": ["OH"], "age": [104], "records": [1]}).astype({"age": object})
        file = FileCells(rows, np.array([""], dtype=object))
        groups = people_of_groups(file, population, Granularities(birth="year", geography="state"))
        assert groups.people.tolist() == [people]
