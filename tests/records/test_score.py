"""What attackers find in a file, state by state."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from policy_sim.attackers import GENERAL, voter
from policy_sim.formulas.groups import total_risk
from policy_sim.people.merge import merge
from policy_sim.records.census_groups import FileCells, file_cells, people_of_groups
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Classes
from policy_sim.records.profile import Threshold, profile_classes
from policy_sim.records.score import (
    attackers_scores,
    date_of_ages,
    outside_cells,
    outside_notes,
    profile_rows,
    riskiest_groups,
    score_against_census,
)
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

FIELDS = ("age", "sex", "race", "county")
SHOWN = Granularities.parse("gender+race+birth=year+geography=county")


def _list(state, sex):
    fields = {
        "birth": ListField("included", "year"),
        "geography": ListField("included", "county"),
        "gender": ListField(sex, "value" if sex == "included" else ""),
        "race": ListField("withheld"),
        "zip": ListField("withheld"),
    }
    return VoterList(state, "2020", "available", fields=fields, price=Price("flat", base_usd=100.0))


LISTS = {"OH": _list("OH", "unknown"), "KY": VoterList("KY", "2020", "not_sold")}


@pytest.fixture
def everyone(small_population, everyone_as_a_file):
    population = small_population(1)
    classes, values = everyone_as_a_file(population, FIELDS)
    return population, file_cells(classes, values, ColumnMapping(), (), dt.date(2020, 4, 1))


def _scores(population, cells):
    scores = attackers_scores(
        outside_cells(cells, population, SHOWN), population, SHOWN, (GENERAL, voter(LISTS, "2020"))
    )
    return {(score.attacker, score.state): score for score in scores}


def test_general_finds_the_total_risk_of_the_files_own_policy(everyone):
    population, cells = everyone
    found = _scores(population, cells)
    for place, state in enumerate(population.states):
        score = found["general", state]
        assert score.records == population.people_by_state()[state]
        assert score.expected.low == score.expected.high
        assert score.expected.low == pytest.approx(total_risk(merge(population, SHOWN))[place], rel=1e-12)
        assert score.usd_per_reidentification is None
        assert score.surplus == 0


def test_an_unknown_field_of_the_list_gives_both_ends_and_a_price_for_each(everyone):
    population, cells = everyone
    score = _scores(population, cells)["voter", "OH"]
    low, high = (
        total_risk(merge(population, Granularities.parse(key)))[population.states.index("OH")]
        for key in ("birth=year+geography=county", "gender+birth=year+geography=county")
    )
    assert (score.status, score.expected.low, score.expected.high) == (
        "interval",
        pytest.approx(low),
        pytest.approx(high),
    )
    assert score.usd_per_reidentification.low == pytest.approx(100 / low)
    assert score.usd_per_reidentification.high == pytest.approx(100 / high)
    assert score.share.low == pytest.approx(low / score.records)


def test_no_list_is_a_status_and_not_a_zero(everyone):
    population, cells = everyone
    score = _scores(population, cells)["voter", "KY"]
    assert (score.status, score.expected, score.largest, score.usd_per_reidentification) == (
        "not_sold",
        None,
        None,
        None,
    )
    assert score.reason


def test_records_nobody_has_are_counted_and_left_out(everyone):
    population, cells = everyone
    rows = cells.rows.copy()
    rows.loc[0, "race"] = "nhpi"
    outside = cells.outside.copy()
    outside[1] = "age is missing"
    placed = outside_cells(FileCells(rows, outside), population, SHOWN)
    assert placed.records_by_reason == {
        "nobody in the population has these values together": int(rows["records"][0]),
        "age is missing": int(rows["records"][1]),
    }
    inside = sum(score.records for key, score in _scores(population, placed.cells).items() if key[0] == "general")
    assert inside + sum(placed.records_by_reason.values()) == rows["records"].sum()


def test_a_file_with_more_records_than_people_says_so(everyone):
    population, cells = everyone
    twice = FileCells(cells.rows.assign(records=cells.rows["records"] * 2), cells.outside)
    assert _scores(population, twice)["general", "OH"].surplus == population.people_by_state()["OH"]


def test_the_riskiest_groups_come_first_and_are_not_named_unasked(everyone):
    population, cells = everyone
    groups = people_of_groups(cells, population, SHOWN)
    table = riskiest_groups(groups, cells, 4)
    assert table.columns.tolist() == ["group", "records", "people", "bins", "chance", "expected"]
    assert table["chance"].tolist() == sorted(groups.chance, reverse=True)[:4]
    np.testing.assert_allclose(table["chance"], 1 / table["people"])
    assert "county" in riskiest_groups(groups, cells, 1, names=True)
    assert len(riskiest_groups(groups, cells, 0)) == 0


CENSUS_SCORE_FIELDS = ("state", "county", "sex", "race", "age")


@dataclass
class InMemory:
    """Classes that need no engine; their records stand in the order of the classes."""

    found: object
    texts: dict
    name: str = "file"
    steps: list = field(default_factory=list)

    def __post_init__(self):
        self.fields, self.values = self.found.fields, self.found.values
        self.progress = self.steps.append

    def classes(self, most):
        return self.found

    def values_of(self, name):
        return self.texts[name]

    def class_of_rows(self, classes):
        return np.repeat(np.arange(classes.number), classes.sizes)


def test_a_file_of_everyone_has_a_cell_for_everyone(small_population, everyone_as_a_file):
    people = small_population()
    file = InMemory(*everyone_as_a_file(people, CENSUS_SCORE_FIELDS))
    scored = score_against_census(file, ColumnMapping(), people, [GENERAL], (), most=10**6, list_records=True)
    assert scored.outside == ()
    assert len(scored.rows) == people.people
    assert len(scored.record_frame()) == people.people
    assert "records outside the population's cells: none" in scored.notes
    assert len(file.steps) == 2


def test_the_day_of_ages_is_the_mappings_or_the_populations(small_population):
    people = small_population()
    assert date_of_ages(people, CENSUS_SCORE_FIELDS, dt.date(2011, 5, 6)) == dt.date(2011, 5, 6)
    assert date_of_ages(people, CENSUS_SCORE_FIELDS, None) == dt.date(2020, 4, 1)
    undated = replace(people, provenance=replace(people.provenance, date=""))
    assert date_of_ages(undated, CENSUS_SCORE_FIELDS, None) == dt.date.min
    with pytest.raises(InputError, match="no date"):
        date_of_ages(undated, ("birth_date",), None)


def test_outside_records_are_counted_by_reason_and_named_by_row():
    notes = outside_notes({"few": 2, "many": 10}, [(row, "many") for row in range(1, 13)])
    assert notes[0].endswith("12")
    assert notes[1:3] == ["  10: many", "  2: few"]
    assert notes[3].endswith("9, 10, ...")


# One row per record, under each rule for missing values, against a count of pairs.


LIMITS = Threshold.parse("0.09"), Threshold.parse("0.5")


def agree(one, other, rule):
    if rule == "wildcard":
        return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))
    return one == other


@pytest.mark.parametrize("rule", ["own", "wildcard", "exclude"])
@pytest.mark.parametrize("seed", range(4))
def test_against_every_pair(rule, seed):
    rng = np.random.default_rng(seed)
    pick = [("a", "b", None), ("x", "y", "z", None)]
    rows = [tuple(rng.choice(np.array(one, dtype=object)) for one in pick) for _ in range(30)]
    classes = Classes.of_rows(rows, ("p", "q"))
    place = {tuple(code): at for at, code in enumerate(classes.codes.tolist())}
    known = [{value: at for at, value in enumerate(sorted({r[i] for r in rows} - {None}), 1)} for i in (0, 1)]
    index = np.array([place[tuple(known[i].get(value, 0) for i, value in enumerate(row))] for row in rows])
    table = profile_rows(classes, index, profile_classes(classes, rule, *LIMITS), 0.1)
    judged = [row for row in rows if rule != "exclude" or None not in row]
    for at, row in enumerate(rows):
        size = table.loc[at, "class_size"]
        if rule == "exclude" and None in row:
            assert size is not None
            assert table.loc[at, "status"].startswith("left out")
            assert str(size) == "<NA>"
        else:
            assert size == sum(agree(row, other, rule) for other in judged)
    assert table["row"].tolist() == list(range(1, 31))


@pytest.mark.slow
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
