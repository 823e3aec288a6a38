"""One invented state whose list leaves three fields unknown, worked by hand in every frame that has two ends.

Thirteen people in two counties; by county, sex, age, race:

    A: three men of 30, white; two women of 30, white; one woman of 31, black
    B: four men of 30, black; two women of 31, white; one woman of 30, white

The list tells the county and costs 12 dollars a county, 24 in all. No source says whether it holds sex
(s), race (r) or birth (y; year and date are the same under policies by year). Nobody's birthday is
released, so that total risk is the number of different keys:

              nothing  s  r  y  s+r  s+y  r+y  s+r+y
    by state        1  2  2  2    4    3    4      5
    by county       2  4  4  4    5    6    5      6
    ratio           2  2  2  2  5/4    2  5/4    6/5

People alone with their key (1-distinct); a key that nobody is alone with has no ratio:

    by state        0  0  0  0    1    0    1      1    (the woman of 31, black)
    by county       0  0  1  1    1    2    2      2    (she, or the woman of 30 of B)
    ratio           -  -  -  -    1    -    2      2

In groups of three or fewer (3-distinct):

    by state        0  0  0  3    4    6    3      9
    by county       0  9  4  3    9    9    4      9
    ratio           -  -  -  1  9/4  3/2  4/3      1
"""

from __future__ import annotations

import pandas as pd
import pytest
from small_people import list_of, population_of

from policy_sim.attackers import GENERAL, voter
from policy_sim.model.breakdown import Part, break_down
from policy_sim.model.cases import Cases
from policy_sim.model.compare import Curve, CurveFigures, compare, costs, curves, trust_curve_frame
from policy_sim.model.measure import Measure
from policy_sim.model.money.budget import county_costs
from policy_sim.model.profile import Cost, TrustDifferential
from policy_sim.model.what_if import what_if
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.price import Price
from policy_sim.words.fields import Granularities

ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 3),
    ("OH", "39001", "F", 30, 1, "white", 2),
    ("OH", "39001", "F", 31, 1, "black", 1),
    ("OH", "39003", "M", 30, 1, "black", 4),
    ("OH", "39003", "F", 31, 1, "white", 2),
    ("OH", "39003", "F", 30, 1, "white", 1),
]
PEOPLE = population_of(ROWS)
SHOWN = {"gender": "value", "race": "value", "birth": "year"}
STATE = Policy("state", "t", Granularities(SHOWN, geography="state"), "c")
COUNTY = Policy("county", "t", Granularities(SHOWN, geography="county"), "c")
PLACE = Policy("place", "t", Granularities(geography="county"), "c")
PRICE = Price("schedule", usd_per_county=12)
WHY = "it is unknown whether the list has sex, race, birth"


def holder(price: Price = PRICE):
    return voter({"OH": list_of(geography="county", zip="withheld", party="withheld", price=price)})


def of_county(frame: pd.DataFrame, *columns: str) -> list[float]:
    (row,) = frame[frame["policy"] == "county"][list(columns)].to_numpy().tolist()
    return row


@pytest.fixture
def study():
    return compare(Cases(PEOPLE, [STATE, COUNTY], [holder()], g=[1, 3]))


def test_compare(study):
    rows = study.to_frame().query("measure in ('total-risk', 'g-distinct')")
    ends = ["people", "people_high", "share", "share_high"]
    assert rows.loc[rows["policy"] == "state", ends].to_numpy().tolist() == [
        [1, 5, 1 / 13, 5 / 13], [0, 1, 0, 1 / 13], [0, 9, 0, 9 / 13],
    ]  # fmt: skip
    assert rows.loc[rows["policy"] == "county", ends].to_numpy().tolist() == [
        [2, 6, 2 / 13, 6 / 13], [0, 2, 0, 2 / 13], [0, 9, 0, 9 / 13],
    ]  # fmt: skip
    assert set(rows["status"]) == {"interval"}


def test_every_combination_stands_in_one_order_for_both_policies(study):
    """Order: sex, race (no, by itself, beside ethnicity, which no policy here shows), then birth (no, year, date).

    Twice the same: how race is asked, by itself or with Hispanic as an answer, leaves no two ends here.
    """
    total = Measure("total-risk")
    by_state, by_county = (study.profile("OH", place, "voter").each(total) for place in ("state", "county"))
    assert by_state == (1, 2, 2, 2, 4, 4, 2, 4, 4, 2, 3, 3, 4, 5, 5, 4, 5, 5) * 2
    assert by_county == (2, 4, 4, 4, 5, 5, 4, 5, 5, 4, 6, 6, 5, 6, 6, 5, 6, 6) * 2


def test_trust(study):
    rows = TrustDifferential.table(study.trust("county", "state"))
    ends = ["numerator", "denominator", "ratio", "numerator_high", "denominator_high", "ratio_high"]
    total, alone, three = rows[ends].to_numpy().tolist()
    assert total == [2, 1, 1.2, 6, 5, 2]
    assert alone == [0, 0, 1, 2, 1, 2]  # undefined where all is withheld, and yet not undefined
    assert three == [0, 0, 1, 9, 9, 9 / 4]
    assert rows["status"].tolist() == ["interval"] * 3
    assert rows["reason"].tolist()[0] == WHY
    assert rows["reason"].tolist()[1].startswith(f"{WHY}; for some of the possible lists, ")


def test_trust_the_other_way_round(study):
    rows = TrustDifferential.table(study.trust("state", "county"))
    assert rows.loc[0, ["ratio", "ratio_high"]].tolist() == [0.5, pytest.approx(5 / 6)]


def test_cost(study):
    rows = Cost.table(costs(study, PEOPLE, holder()))
    ends = ["total_risk", "total_risk_high", "price_usd", "usd_per_reidentification"]
    ends += ["usd_per_reidentification_high", "status", "reason"]
    assert of_county(rows, *ends) == [2, 6, 24, 12, 4, "interval", WHY]


def test_intervals_reach_from_the_lower_end_to_the_upper():
    """The interval of each end of total risk, 2 and 6, and 24 dollars over them."""
    study = compare(Cases(PEOPLE, [COUNTY], [holder()], g=[1]), spread=True)
    (profile,) = study
    total = Measure("total-risk")
    reach = [1.959964 * v**0.5 for v in (profile.figures[total].variance.low, profile.figures[total].variance.high)]
    row = study.to_frame().iloc[0]
    assert row[["people_from", "people_to"]].tolist() == pytest.approx([max(2 - reach[0], 0), 6 + reach[1]])
    assert row["share_to"] == pytest.approx((6 + reach[1]) / 13)


def test_a_price_known_as_at_least_is_not_reported_as_exact():
    attacker = holder(Price("at_least", base_usd=24))
    study = compare(Cases(PEOPLE, [COUNTY], [attacker], g=[1]))
    rows = Cost.table(costs(study, PEOPLE, attacker))
    found = of_county(
        rows, "price_usd", "usd_per_reidentification", "usd_per_reidentification_high", "status", "reason"
    )
    assert found == [24, 12, 4, "at_least", f"{WHY}; the price is this many dollars or more"]


def test_what_if():
    """With the sex on the list: by county 4 (s) to 6 (s+r+y). The change is that of the lower ends."""
    rows = what_if(Cases(PEOPLE, [COUNTY], [holder()], states=["OH"], g=[1]), {"gender": "value", "price": "48"})
    found = rows.set_index("measure")[["before", "after", "change", "before_high", "after_high"]]
    assert found.loc["total-risk"].tolist() == [2, 4, 2, 6, 6]
    assert found.loc["g-distinct"].tolist() == [0, 0, 0, 2, 2]
    assert found.loc["price"].tolist() == [24, 48, 24, 24, 48]
    assert found.loc["usd-per-reidentification"].tolist() == [12, 12, 0, 4, 8]


def test_breakdown():
    """Women: 3 of the 6 of A and 3 of the 7 of B; with every field they have 4 of the 6 keys to themselves."""
    parts = break_down(Cases(PEOPLE, [COUNTY], [holder()], g=[1]), "sex")
    rows = Part.table(parts)
    women = rows[(rows["value"] == "F") & (rows["measure"] == "total-risk")].iloc[0]
    low = 3 / 6 + 3 / 7
    assert women[["people", "share", "of_total"]].tolist() == pytest.approx([low, low / 6, low / 2])
    assert women[["people_high", "share_high", "of_total_high"]].tolist() == pytest.approx([4, 4 / 6, 4 / 6])
    men = rows[(rows["value"] == "M") & (rows["measure"] == "total-risk")].iloc[0]
    assert men[["people_high", "share_high", "of_total_high"]].tolist() == pytest.approx([2, 2 / 7, 2 / 6])


def test_counties():
    """A alone and B alone: one key each with nothing told, three each with everything."""
    rows = county_costs(Cases(PEOPLE, [COUNTY], [holder()], states=["OH"]))
    ends = ["total_risk", "total_risk_high", "price_usd", "usd_per_reidentification", "usd_per_reidentification_high"]
    assert rows[ends].to_numpy().tolist() == [[1, 3, 12, 12, 4], [1, 3, 12, 12, 4]]


def test_curves():
    rows = Curve.table(curves(Cases(PEOPLE, [COUNTY], [holder()]), CurveFigures(range(1, 5))))
    assert rows["share"].tolist() == [0, 0, 0, 0]
    assert rows["share_high"].to_numpy() == pytest.approx([2 / 13, 6 / 13, 9 / 13, 1])


def test_a_ratio_over_g_is_the_ratio_at_each_g(study):
    """The rows at g = 1 and 3 are those of the trust differential; where nobody is below there is none."""
    rows = trust_curve_frame(
        curves(Cases(PEOPLE, [STATE, COUNTY], [holder()]), CurveFigures(range(1, 14))), "county", "state"
    )
    at = rows.set_index("g")[["ratio", "ratio_high"]]
    assert at.loc[1].tolist() == [1, 2]
    assert at.loc[3].tolist() == [1, 9 / 4]
    assert at.loc[13].tolist() == [1, 1]
    assert set(rows["status"]) == {"interval"}
    reverse = trust_curve_frame(
        curves(Cases(PEOPLE, [STATE, PLACE], [GENERAL]), CurveFigures(range(1, 2))), "state", "place"
    )
    assert (reverse["status"].tolist(), reverse["ratio"].isna().all()) == (["undefined"], True)
