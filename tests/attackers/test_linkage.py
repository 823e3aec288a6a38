import pytest

from policy_sim.attackers.linkage import Linkage, best_key
from policy_sim.fields import Granularities

LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")
BY_ZIP = LIMITED.replace(geography="zip5")


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


@pytest.mark.parametrize(
    ("place", "best"),
    [("county", "county"), ("zip5", "zip5"), ("zip3", "zip3"), ("state", "state"), ("tract", "county")],
)
def test_a_list_with_county_and_zip_serves_either_policy(place, best):
    views = [LIMITED, BY_ZIP]
    assert best_key(LIMITED.replace(geography=place), views) == LIMITED.replace(geography=best)


def test_a_resource_without_a_view_is_a_mistake():
    with pytest.raises(ValueError, match="at least one view"):
        best_key(LIMITED, [])
