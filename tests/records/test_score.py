"""What attackers find in a file, state by state."""

import datetime as dt

import numpy as np
import pytest

from policy_sim.attackers import GENERAL, voter
from policy_sim.granularity import Granularities
from policy_sim.groups import total_risk
from policy_sim.population.merge import merge
from policy_sim.records.census_groups import FileCells, people_of_groups
from policy_sim.records.column_mapping import ColumnMapping
from policy_sim.records.file_cells import file_cells
from policy_sim.records.score import attackers_scores, outside_cells, riskiest_groups
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList

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
