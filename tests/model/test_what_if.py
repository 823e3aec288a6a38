"""Before and after a change of law, by hand."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import pandas as pd
import pytest
from said import numbers
from small_people import list_of, population_of

from policy_sim import Study
from policy_sim.attackers import VoterList, voter
from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.model.cases import Cases
from policy_sim.model.money.budget import cheapest_counties, county_costs, unpriced_notes
from policy_sim.model.what_if import look_up_next, marginal_effects, what_if
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError
from policy_sim.words.fields import Granularities

LIMITED = Policy("limited", "t", Granularities(gender="value", race="value", birth="year", geography="county"), "c")
ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 3),
    ("OH", "39001", "F", 30, 1, "white", 1),
    ("OH", "39003", "F", 31, 1, "black", 3),
    ("WV", "54001", "M", 40, 1, "white", 5),
]
PEOPLE = population_of(ROWS)
LISTS = {
    "OH": list_of(rest="withheld", price=Price("flat", base_usd=30)),
    "WV": list_of("WV", "county_only"),
}
VOTER = voter(LISTS)


def test_every_measure_before_and_after():
    table = what_if(
        Cases(PEOPLE, [LIMITED], [VOTER], states=["OH"], g=(1,)),
        {"geography": "county", "gender": "value", "price": "0"},
    )
    rows = table.set_index("measure")
    # Before, all seven of Ohio are one group; after: three men, one woman, three women.
    assert rows.loc["total-risk", ["before", "after", "change"]].tolist() == [1, 3, 2]
    assert rows.loc["g-distinct", ["before", "after", "change"]].tolist() == [0, 1, 1]
    assert rows.loc["price", ["before", "after", "change"]].tolist() == [30, 0, -30]
    assert rows.loc["price", ["status_before", "status_after"]].tolist() == ["ok", "free"]
    assert rows.loc["usd-per-reidentification", ["before", "after"]].tolist() == [30, 0]


def test_a_list_that_comes_into_being():
    table = what_if(Cases(PEOPLE, [LIMITED], [VOTER], states=["WV"], g=(1,)), {"status": "available", "birth": "year"})
    row = table.set_index("measure").loc["total-risk"]
    assert pd.isna(row["before"])
    assert pd.isna(row["change"])
    assert (row["after"], row["status_before"], row["status_after"]) == (1, "county_only", "interval")


def test_the_ranking_tries_each_field_by_itself():
    table = marginal_effects(Cases(PEOPLE, [LIMITED], [VOTER]))
    assert set(table["state"]) == {"OH"}, "a state without a list has nothing to change"
    effects = {(row.field, row.becomes): row.change for row in table.itertuples()}
    assert effects == {
        ("gender", "value"): 1,
        ("race", "value"): 1,
        ("birth", "date"): 1,  # the policy shows the year: Ohio's 30 and 31
        ("birth", "year"): 1,
        ("geography", "county"): 1,
    }
    assert table["share_change"].tolist() == [pytest.approx(1 / 7)] * 5


def test_taking_a_field_away_is_the_largest_fall_first():
    listed = list_of(rest="withheld", gender="value")
    table = marginal_effects(Cases(PEOPLE, [LIMITED], [voter({"OH": listed})]))
    rows = {(row.field, row.becomes): (row.before, row.after) for row in table.itertuples()}
    assert rows["gender", "withheld"] == (2, 1)
    assert rows["geography", "county"] == (2, 3)
    assert list(table["change"].abs()) == sorted(table["change"].abs(), reverse=True)


def test_an_item_that_is_not_known():
    with pytest.raises(UnknownNameError, match="'dob' is not known"):
        what_if(Cases(PEOPLE, [LIMITED], [VOTER], states=["OH"]), {"dob": "date"})


DAY = dt.date(2026, 11, 22)
SOURCES = {"law": Source("law", "Law", date="2017"), "form": Source("form", "Form", date="2026-05")}
OLD, NEW = Evidence("high", ("law",)), Evidence("high", ("form",))
# Ten men and five women of one age in one county: by sex and year two can be matched, by year alone one.
FIFTEEN = population_of([("OH", "39001", "M", 30, 1, 10), ("OH", "39001", "F", 30, 1, 5)], date="2020-04-01")
POLICY = Policy("made", "", Granularities(gender="value", birth="year", geography="county"), "")


def rows(conflicts=(), **fields):
    listed = VoterList("OH", "2026", "available", fields=fields, sources=SOURCES, conflicts=conflicts)
    return look_up_next(Cases(FIFTEEN, [POLICY], [voter({"OH": listed}, "2026")]), DAY)


def test_an_unknown_field_is_worth_the_people_it_tells_apart():
    found = rows(gender=ListField("unknown"), birth=ListField("included", "date", "", NEW))
    row = found.set_index("field").loc["gender"]
    assert (row["why"], row["recorded"], row["people"]) == ("unknown", "unknown", 1.0)


def test_an_old_field_is_worth_what_its_opposite_would_change():
    found = rows(gender=ListField("included", "value", "", OLD), birth=ListField("included", "date", "", NEW))
    row = found.set_index("field").loc["gender"]
    assert (row["why"], row["date"], row["otherwise"], row["people"]) == ("old", "2017", "withheld", 1.0)
    assert "birth" not in set(found["field"])


def test_a_field_that_sources_dispute_is_named_even_when_new():
    conflict = Conflict("fields.gender", "included", "withheld", "", False, ("form",))
    found = rows((conflict,), gender=ListField("included", "value", "", NEW))
    assert found.set_index("field").loc["gender", "why"] == "conflict"


def test_nothing_to_look_up_is_no_row():
    every = {name: ListField("included", grain, "", NEW) for name, grain in _FINEST.items()}
    found = rows(**every)
    assert len(found) == 0
    assert list(found.columns) == ["state", "field", "recorded", "why", "date", "otherwise", "people"]


_FINEST = {"gender": "value", "race": "value", "birth": "date", "geography": "county"}


@pytest.mark.slow
def test_the_ranking_equals_the_what_if_of_a_study():
    """An old field that is held is worth the risk with it less the risk without it."""
    study = Study("us-2010", 2026)
    ranked = study.look_up_next(states="IN", day="2026-11-22").to_frame().set_index("field")
    effects = study.marginal_effects(states="IN").to_frame()
    for name in ("birth", "geography"):
        changes = effects[effects["field"] == name]["change"].abs()
        assert ranked.loc[name, "people"] == pytest.approx(changes.max())
    assert ranked["people"].is_monotonic_decreasing


def test_a_day_long_ago_makes_nothing_old():
    found = Study("us-2010", 2026).look_up_next(states="IN", day="2005-06-01").to_frame()
    assert "old" not in set(found["why"])


# Lists bought county by county: by hand, by conservation and by trying every set.


ARIZONANS = population_of([("AZ", f"04{row[1][2:]}", *row[2:]) if row[0] == "OH" else row for row in ROWS])
GENDER = {"gender": ListField("included", "value"), "race": ListField("withheld"), "birth": ListField("withheld")}
ARIZONA = VoterList("AZ", "2008", "county_only", fields=GENDER)
SIX_DOLLARS = Price("schedule", usd_per_county=6)


def costs_of(listed, price=None):
    cases = Cases(ARIZONANS, [POLICY], [voter({"AZ": listed})], states=["AZ"])
    return county_costs(cases, price).set_index("county", drop=False)


def test_each_county_by_hand():
    table = costs_of(ARIZONA, SIX_DOLLARS)
    assert table["total_risk"].to_dict() == {"04001": 2, "04003": 1}
    assert table["people"].to_dict() == {"04001": 4, "04003": 3}
    assert table["usd_per_reidentification"].to_dict() == {"04001": 3, "04003": 6}
    assert list(table.index) == ["04001", "04003"], "the cheapest first"
    assert set(table["status"]) == {"ok"}


def test_without_a_price_the_cost_is_unknown_and_says_so():
    table = costs_of(ARIZONA)
    assert table["price_usd"].isna().all()
    assert set(table["status"]) == {"unknown"}
    assert table["reason"].str.contains("no source gives the price").all()
    (note,) = unpriced_notes(table)
    assert numbers(note)[0] == "2"
    table.loc["04001", "usd_per_reidentification"] = 3
    table.loc["04003", "total_risk_high"] = 9
    assert numbers(unpriced_notes(table)[0])[:2] == ["1", "2"]
    assert unpriced_notes(costs_of(ARIZONA, SIX_DOLLARS)) == []
    with pytest.raises(NotEstimableError, match="no county has a known price"):
        cheapest_counties(table[table["county"] == "04003"], 1)


def test_a_price_a_record_and_a_county_from_the_file():
    listed = VoterList(
        "AZ", "2008", "county_only", fields=GENDER, price=Price("schedule", usd_per_county=10, usd_per_record=1)
    )
    table = costs_of(listed)
    assert table["price_usd"].to_dict() == {"04001": 14, "04003": 13}


@pytest.mark.parametrize("seed", range(20))
def test_the_cheapest_set_is_that_of_trying_all(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"price_usd": rng.integers(1, 30, 8) * 1.0, "total_risk": rng.integers(1, 40, 8) * 1.0})
    wanted = 0.6 * table["total_risk"].sum()
    chosen = cheapest_counties(table, wanted)
    sets = [list(s) for size in range(9) for s in itertools.combinations(range(8), size)]
    enough = [s for s in sets if table["total_risk"].iloc[s].sum() >= wanted]
    assert chosen["total_risk"].sum() >= wanted
    assert chosen["price_usd"].sum() == min(table["price_usd"].iloc[s].sum() for s in enough)


def test_a_number_that_cannot_be_wanted():
    table = costs_of(ARIZONA, SIX_DOLLARS)
    with pytest.raises(InputError, match="must be a number above 0"):
        cheapest_counties(table, 0)
    with pytest.raises(NotEstimableError, match="4 re-identifications are more than the 3"):
        cheapest_counties(table, 4)


def test_the_cheapest_set_with_unknown_fields_released():
    unknown = VoterList("AZ", "2008", "county_only")
    table = costs_of(unknown, SIX_DOLLARS)
    ends = table[["total_risk", "total_risk_high"]].astype(float)
    assert ends.loc["04001"].tolist() == [1, 2], "one group, or by gender two of one year of birth"
    assert set(table["status"]) == {"interval"}
    assert ends.loc["04003"].tolist() == [1, 1]
    assert cheapest_counties(table, 2)["county"].tolist() == table["county"].tolist()
    assert cheapest_counties(table, 2, released=True)["county"].tolist() == ["04001"]
