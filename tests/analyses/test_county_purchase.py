"""Lists bought county by county: by hand, by conservation and by trying every set."""

import itertools

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.county_purchase import cheapest_counties, county_costs
from policy_sim.attackers import VoterList
from policy_sim.errors import InputError, NotEstimableError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price

POLICY = Policy("p", "t", Granularities(gender="value", birth="year", geography="county"), "c")
ROWS = [
    ("AZ", "04001", "M", 30, 1, "white", 3),
    ("AZ", "04001", "F", 30, 1, "white", 1),
    ("AZ", "04003", "F", 31, 1, "black", 3),
    ("WV", "54001", "M", 40, 1, "white", 5),
]
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"), Provenance("made", "made", "", "", "", 1, 0, 0)
)
GENDER = {"gender": ListField("included", "value"), "race": ListField("withheld"), "birth": ListField("withheld")}
ARIZONA = VoterList("AZ", "2008", "county_only", fields=GENDER)


def test_each_county_by_hand():
    table = county_costs(PEOPLE, POLICY, ARIZONA, Price("schedule", usd_per_county=6)).set_index("county")
    assert table["total_risk"].to_dict() == {"04001": 2, "04003": 1}
    assert table["people"].to_dict() == {"04001": 4, "04003": 3}
    assert table["usd_per_reidentification"].to_dict() == {"04001": 3, "04003": 6}
    assert list(table.index) == ["04001", "04003"], "the cheapest first"
    assert set(table["status"]) == {"ok"}


def test_without_a_price_the_cost_is_unknown_and_says_so():
    table = county_costs(PEOPLE, POLICY, ARIZONA)
    assert table["price_usd"].isna().all()
    assert set(table["status"]) == {"unknown"}
    assert table["reason"].str.contains("no source gives the price of a county's list").all()
    with pytest.raises(NotEstimableError, match="no county has a known price"):
        cheapest_counties(table, 1)


def test_a_price_a_record_and_a_county_from_the_file():
    listed = VoterList(
        "AZ", "2008", "county_only", fields=GENDER, price=Price("schedule", usd_per_county=10, usd_per_record=1)
    )
    table = county_costs(PEOPLE, POLICY, listed).set_index("county")
    assert table["price_usd"].to_dict() == {"04001": 14, "04003": 13}


def test_unknown_fields_make_an_interval():
    listed = VoterList("AZ", "2008", "county_only")
    table = county_costs(PEOPLE, POLICY, listed, Price("schedule", usd_per_county=6)).set_index("county")
    assert table.loc["04001", ["total_risk", "total_risk_high"]].tolist() == [1, 2]
    assert table.loc["04001", ["usd_per_reidentification", "usd_per_reidentification_high"]].tolist() == [6, 3]
    assert set(table["status"]) == {"interval"}


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
    table = county_costs(PEOPLE, POLICY, ARIZONA, Price("schedule", usd_per_county=6))
    with pytest.raises(InputError, match="must be a number above 0"):
        cheapest_counties(table, 0)
    with pytest.raises(NotEstimableError, match="4 re-identifications are more than the 3"):
        cheapest_counties(table, 4)


def test_the_cheapest_set_with_unknown_fields_released():
    unknown = VoterList("AZ", "2008", "county_only")
    table = county_costs(PEOPLE, POLICY, unknown, Price("schedule", usd_per_county=6)).set_index("county", drop=False)
    ends = table[["total_risk", "total_risk_high"]].astype(float)
    assert ends.loc["04001"].tolist() == [1, 2], "one group, or by gender two of one year of birth"
    assert ends.loc["04003"].tolist() == [1, 1]
    assert cheapest_counties(table, 2)["county"].tolist() == table["county"].tolist()
    assert cheapest_counties(table, 2, released=True)["county"].tolist() == ["04001"]


def test_without_any_price_nothing_is_cheapest():
    with pytest.raises(NotEstimableError, match="no county has a known price"):
        cheapest_counties(county_costs(PEOPLE, POLICY, ARIZONA), 1)
