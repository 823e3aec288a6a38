import pytest

from policy_sim.attackers import ADULTS, EVERYONE, Coverage, StateVoterLists
from policy_sim.attackers.resource import NO_PRICE
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.voter_list import VoterList

LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")
LISTS = StateVoterLists({"OH": VoterList("OH", "2026", "available"), "HI": VoterList("HI", "2026", "not_sold")})


@pytest.mark.parametrize("policy", [LIMITED, LIMITED.replace(geography="tract"), Granularities()])
def test_everyone_links_on_whatever_a_policy_shows(policy):
    linkage = EVERYONE.linkage(policy, "OH")
    assert (linkage.low, linkage.high, linkage.status) == (policy, policy, "ok")


def test_everyone_is_no_file_that_one_could_buy_or_change():
    assert (EVERYONE.is_file, LISTS.is_file) == (False, True)
    assert EVERYONE.amount("OH", 5, 6, "scholar") == NO_PRICE
    assert EVERYONE.covering(ADULTS) is EVERYONE
    with pytest.raises(InputError, match="everyone, as precisely as the policy shows them cannot be changed"):
        EVERYONE.changed("OH", {"birth": "year"})


def test_nobody_knows_whom_a_resource_holds_where_its_coverage_has_no_figure():
    held = LISTS.covering(Coverage("registered", "registered voters", {"WV": 10}))
    linkage = held.linkage(LIMITED, "OH")
    assert (linkage.low, linkage.status, linkage.reason) == (
        None,
        "unknown",
        "the number of registered voters in OH is unknown",
    )
    assert held.linkage(LIMITED, "HI").status == "not_sold", "without a list it does not matter whom it would hold"
