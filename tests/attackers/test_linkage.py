from policy_sim.attackers.linkage import Linkage
from policy_sim.words.fields import Granularities

LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")


def test_equal_ends_are_a_known_key():
    linkage = Linkage.between(LIMITED, LIMITED, "a reason nobody needs")
    assert (linkage.status, linkage.reason, linkage.label()) == ("ok", "", str(LIMITED))


def test_two_ends_are_an_interval_with_what_is_unknown_in_brackets():
    low = Granularities(birth="year", geography="state")
    linkage = Linkage.between(low, low.replace(gender="value", birth="date"), "gender and birth")
    assert linkage.status == "interval"
    assert linkage.label() == "birth=year+geography=state[+gender][+birth=date]"
    assert linkage.reason == "gender and birth"


def test_without_a_list_there_is_no_label():
    assert Linkage(None, None, "not_sold", "nobody sells it").label() == ""
