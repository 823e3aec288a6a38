import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from small_people import list_of

from policy_sim.attackers.adversary import PURPOSES, WAN_2015, Constraints, DollarAmount, Stakes, within_reach
from policy_sim.attackers.attacker import held_back, voter
from policy_sim.attackers.in_file import SMALL_FILE, InFile, shares_in_file
from policy_sim.voter_lists.list_field import BUYERS, USES, Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

SCHOLAR = Constraints("scholar", "a scholar", ("scholar",), "scholarly", money_usd=1000)
ANYTHING = Constraints("x", "x", ("commercial",), "commercial", None, None, 1, True, True, True)
CALIFORNIA = list_of(
    "CA",
    price=Price("flat", base_usd=100),
    buyers=Allowed(("candidate", "party", "scholar", "journalist")),
    uses=Allowed(("political", "scholarly", "journalistic")),
)


@pytest.mark.parametrize(
    ("buyers", "uses", "price", "status"),
    [
        (("public",), ("any",), Price("free"), "available"),
        (("scholar",), ("scholarly",), Price("flat", base_usd=1000), "available"),
        (("voter", "resident"), ("any",), Price("free"), "not_to_this_buyer"),
        ((), ("any",), Price("free"), "not_to_this_buyer"),
        (("public",), ("political",), Price("free"), "not_to_this_buyer"),
        (("public",), ("non_commercial",), Price("free"), "available"),
        (("public",), ("any",), Price("flat", base_usd=1000.01), "out_of_reach"),
        (("public",), ("any",), Price("at_least", base_usd=28_000), "out_of_reach"),
        (None, None, Price("unknown"), "available"),
    ],
)
def test_a_scholar_with_a_thousand_dollars(buyers, uses, price, status):
    listed = list_of(price=price, buyers=Allowed(buyers), uses=Allowed(uses))
    found = within_reach(listed, SCHOLAR)
    assert found.status == status
    assert bool(found.reason) == (status != "available")


def test_a_highly_constrained_stranger_does_not_get_the_list_of_california():
    """Dankar et al. 2012, "Step 1": the example of California."""
    stranger = Constraints("s", "s", ("resident",), "personal", money_usd=1000)
    assert within_reach(CALIFORNIA, stranger).status == "not_to_this_buyer"
    assert within_reach(CALIFORNIA, SCHOLAR).status == "available"
    liar = replace(stranger, misrepresents=True)
    assert within_reach(CALIFORNIA, liar).status == "not_to_this_buyer", "the use is still not allowed"
    assert within_reach(CALIFORNIA, replace(liar, breaks_agreements=True)).status == "not_to_this_buyer"
    assert within_reach(CALIFORNIA, replace(liar, breaks_agreements=True, breaks_law=True)).status == "available"


@pytest.mark.parametrize("buyers", [None, (), *[(name,) for name in BUYERS]])
@pytest.mark.parametrize("uses", [None, *[(name,) for name in USES]])
def test_nothing_holds_back_one_who_will_do_anything(buyers, uses):
    listed = list_of(buyers=Allowed(buyers), uses=Allowed(uses))
    assert within_reach(listed, ANYTHING).status == "available"


@pytest.mark.parametrize(("misrepresents", "breaks"), list(itertools.product([False, True], repeat=2)))
def test_more_willing_never_gets_less(misrepresents, breaks):
    for buyers, uses in itertools.product([("party",), ("public",)], [("political",), ("any",)]):
        listed = list_of(buyers=Allowed(buyers), uses=Allowed(uses))
        meek = within_reach(listed, SCHOLAR).status
        bold = replace(SCHOLAR, misrepresents=misrepresents, breaks_agreements=breaks, breaks_law=breaks)
        assert not (meek == "available" and within_reach(listed, bold).status != "available")


def test_a_schedule_is_reckoned_for_what_he_buys():
    listed = list_of(price=Price("schedule", usd_per_record=0.01))
    assert within_reach(listed, SCHOLAR, records=100_000).status == "available"
    assert within_reach(listed, SCHOLAR, records=100_001).status == "out_of_reach"


def test_he_pays_what_his_class_of_buyer_pays():
    price = Price("flat", base_usd=5000, usd_by_buyer={"scholar": 20, "commercial": 9000})
    found = within_reach(list_of(price=price), SCHOLAR)
    assert (found.status, found.price.usd().usd) == ("available", 20)


def test_time_holds_back_too():
    hurried = replace(SCHOLAR, days=5, days_per_request=10)
    found = within_reach(list_of(), hurried)
    assert (found.status, "10 days" in found.reason) == ("out_of_reach", True)


@pytest.mark.parametrize("status", ["county_only", "not_sold", "unknown"])
def test_where_there_is_no_list_the_reason_stays(status):
    listed = list_of(status=status)
    assert within_reach(listed, SCHOLAR) == listed


def test_an_attacker_held_back_has_no_key_but_a_reason():
    ohio = replace(CALIFORNIA, state="OH", buyers=Allowed(("party",)))
    attacker = held_back(voter({"CA": CALIFORNIA, "OH": ohio}), SCHOLAR, {}, {})
    policy = Granularities(birth="year", geography="state")
    assert attacker.linkage(policy, "CA").status == "interval"
    kept_out = attacker.linkage(policy, "OH")
    assert (kept_out.low, kept_out.status) == (None, "not_to_this_buyer")
    assert "sold only to party" in kept_out.reason


def test_words_that_are_not_known_are_refused():
    with pytest.raises(InputError, match="purpose 'fun'"):
        replace(SCHOLAR, purpose="fun")
    with pytest.raises(InputError, match="buyer 'anyone'"):
        replace(SCHOLAR, buyer=("anyone",))
    assert "scholarly" in PURPOSES


# What an attacker gains and pays.


def test_profit_by_hand():
    stakes = Stakes(300, 4, loss_per_wrong_usd=10, penalty_usd=1000, chance_caught=0.1)
    # 10 attacked, 2 right: 600 - 40 - 80 - 0.1 * 2000
    assert stakes.profit(np.array([10.0]), np.array([2.0])).tolist() == [280.0]


def test_a_cap_limits_all_fines_together():
    stakes = Stakes(300, penalty_usd=1000, penalty_cap_usd=1500, chance_caught=0.1)
    assert stakes.profit(np.array([4.0]), np.array([4.0])).tolist() == [1200 - 150]


@pytest.mark.parametrize(
    ("stakes", "chance"),
    [
        (WAN_2015, 4 / 300),
        (Stakes(300), 0.0),
        (Stakes(0, 1), None),
        (Stakes(3, 4), None),
        (Stakes(1, 0, loss_per_wrong_usd=1), 0.5),
        (Stakes(100, 5, penalty_usd=1000, chance_caught=0.05), 0.1),
        (Stakes(100, 5, penalty_usd=1000, chance_caught=0.2), None),
    ],
)
def test_break_even_chance(stakes, chance):
    assert stakes.break_even_chance == (pytest.approx(chance) if chance is not None else None)


@pytest.mark.parametrize("wrong", [{"gain_usd": -1}, {"gain_usd": math.nan}, {"gain_usd": 1, "chance_caught": 1.1}])
def test_what_is_refused(wrong):
    with pytest.raises(InputError):
        Stakes(**wrong)


def test_the_amounts_for_a_manifest_leave_the_source_to_the_notes():
    assert set(WAN_2015.amounts) == {
        *("gain_usd", "cost_per_attempt_usd", "loss_per_wrong_usd", "penalty_usd", "penalty_cap_usd", "chance_caught"),
    }
    assert WAN_2015.amounts["gain_usd"] == 300


# A dollar amount in one line.


def test_one_end_two_ends_and_none():
    facts = ("x", "gains", "what", "record")
    tail = (None, "2015", "Someone", "", "quoted", "")
    assert DollarAmount(*facts, 300, 300, *tail).cite() == "x: $300 per record (2015; Someone; quoted)"
    assert DollarAmount(*facts, 0.12, 0.32, *tail).cite().startswith("x: $0.12 to $0.32 per record (2015")
    assert DollarAmount(*facts, None, None, *tail).cite() == "x: amount unknown (2015; Someone; quoted)"


# How many are in the file: every way to write it, and what is refused.


@pytest.mark.parametrize(
    ("given", "file"),
    [
        (0.01, InFile(share=0.01)),
        (1, InFile(share=1.0)),
        (1.0, InFile(share=1.0)),
        (np.float64(0.5), InFile(share=0.5)),
        (11000, InFile(people=11000)),
        (11000.0, InFile(people=11000)),
        (np.int64(2), InFile(people=2)),
        (InFile(share=0.2), InFile(share=0.2)),
        (None, None),
    ],
)
def test_a_share_up_to_one_and_whole_numbers_above(given, file):
    assert InFile.of(given) == file


@pytest.mark.parametrize("given", [0, -1, -0.1, 1.5, 10.25, float("nan"), float("inf"), True, "0.01", [0.01], 2e9])
def test_everything_else_is_one_line_that_says_what_to_give(given):
    with pytest.raises(InputError, match=r"in the file = .*: give") as error:
        InFile.of(given)
    assert "\n" not in str(error.value)


def test_a_file_has_a_share_or_a_number():
    for wrong in ({}, {"share": 0.5, "people": 5}):
        with pytest.raises(InputError, match="not both"):
            InFile(**wrong)


def test_records_are_a_share_of_each_state_and_no_more_than_its_people():
    states = {"OH": 1000, "WY": 100}
    np.testing.assert_allclose(shares_in_file(InFile.of(50), states, ["WY", "OH"]), [0.5, 0.05])
    np.testing.assert_allclose(shares_in_file(SMALL_FILE, states, ["WY", "OH"]), [0.01, 0.01])
    assert shares_in_file(None, states, ["WY"]) is None
    with pytest.raises(InputError, match=r"101 people .* the 100 people of WY") as error:
        shares_in_file(InFile.of(101), states, ["OH", "WY"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [0.01, 0.0005, 1.0, 11000])
def test_its_value_makes_it_again(given):
    file = InFile.of(given)
    assert file is not None
    assert InFile.of(file.value) == file
    assert str(file.value) == str(given)
