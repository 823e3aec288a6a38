"""Before and after a change of law, by hand."""

import pandas as pd
import pytest

from policy_sim.analyses.what_if import marginal_effects, what_if
from policy_sim.attackers import VoterList, voter
from policy_sim.errors import UnknownNameError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price

LIMITED = Policy("limited", "t", Granularities(gender="value", race="value", birth="year", geography="county"), "c")
ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 3),
    ("OH", "39001", "F", 30, 1, "white", 1),
    ("OH", "39003", "F", 31, 1, "black", 3),
    ("WV", "54001", "M", 40, 1, "white", 5),
]
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"), Provenance("made", "made", "", "", "", 1, 0, 0)
)
NOTHING = {name: ListField("withheld") for name in ("gender", "race", "birth", "geography", "zip", "party")}
LISTS = {
    "OH": VoterList("OH", "2026", "available", fields=NOTHING, price=Price("flat", base_usd=30)),
    "WV": VoterList("WV", "2026", "county_only"),
}
VOTER = voter(LISTS)


def test_every_measure_before_and_after():
    table = what_if(PEOPLE, [LIMITED], VOTER, "OH", {"geography": "county", "gender": "value", "price": "0"}, g=(1,))
    rows = table.set_index("measure")
    # Before, all seven of Ohio are one group; after: three men, one woman, three women.
    assert rows.loc["total-risk", ["before", "after", "change"]].tolist() == [1, 3, 2]
    assert rows.loc["g-distinct", ["before", "after", "change"]].tolist() == [0, 1, 1]
    assert rows.loc["price", ["before", "after", "change"]].tolist() == [30, 0, -30]
    assert rows.loc["price", ["status_before", "status_after"]].tolist() == ["ok", "free"]
    assert rows.loc["usd-per-reidentification", ["before", "after"]].tolist() == [30, 0]


def test_an_unknown_field_gives_two_ends():
    table = what_if(PEOPLE, [LIMITED], VOTER, "OH", {"gender": "unknown"}, g=(1,)).set_index("measure")
    assert table.loc["total-risk", ["after", "after_high"]].tolist() == [1, 2]
    assert table.loc["total-risk", "status_after"] == "interval"


def test_a_list_that_comes_into_being():
    table = what_if(PEOPLE, [LIMITED], VOTER, "WV", {"status": "available", "birth": "year"}, g=(1,))
    row = table.set_index("measure").loc["total-risk"]
    assert pd.isna(row["before"])
    assert pd.isna(row["change"])
    assert (row["after"], row["status_before"], row["status_after"]) == (1, "county_only", "interval")


def test_the_ranking_tries_each_field_by_itself():
    table = marginal_effects(PEOPLE, LIMITED, VOTER)
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
    listed = VoterList("OH", "2026", "available", fields={**NOTHING, "gender": ListField("included", "value")})
    table = marginal_effects(PEOPLE, LIMITED, voter({"OH": listed}))
    rows = {(row.field, row.becomes): (row.before, row.after) for row in table.itertuples()}
    assert rows["gender", "withheld"] == (2, 1)
    assert rows["geography", "county"] == (2, 3)
    assert list(table["change"].abs()) == sorted(table["change"].abs(), reverse=True)


def test_an_item_that_is_not_known():
    with pytest.raises(UnknownNameError, match="'dob' is not known"):
        what_if(PEOPLE, [LIMITED], VOTER, "OH", {"dob": "date"})
