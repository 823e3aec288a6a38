from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.scenario import carry_back
from policy_sim.voter_lists.voter_list import VoterList

BASE = VoterList("XX", "2008", "unknown", fields={"birth": ListField("withheld")}, notes=("old",))
ORIGIN = VoterList(
    "XX",
    "2020",
    "available",
    fields={
        name: ListField("included", "county" if name == "geography" else "value") for name in ("gender", "geography")
    },
    price=Price("flat", base_usd=5),
    buyers=Allowed(("public",)),
)


def test_only_what_is_named_is_carried_and_each_is_marked():
    made = carry_back(BASE, ORIGIN, "2008-filled", ["status", "fields.gender", "price"], ("new",))
    assert (made.vintage, made.status, made.notes) == ("2008-filled", "available", ("old", "new"))
    assert made.fields["gender"].availability == "included"
    assert made.fields["gender"].evidence.carried_from == "2020"
    assert made.fields["birth"] == BASE.fields["birth"]
    assert made.fields["geography"].availability == "unknown"
    assert (made.price.base_usd, made.price.evidence.carried_from) == (5, "2020")
    assert made.buyers.names is None


def test_buyers_and_uses_can_be_carried_too():
    made = carry_back(BASE, ORIGIN, "filled", ["buyers", "uses"])
    assert (made.buyers.names, made.buyers.evidence.carried_from) == (("public",), "2020")
    assert (made.uses.names, made.uses.evidence.carried_from) == (None, "2020")


def test_nothing_carried_changes_nothing_but_the_name():
    made = carry_back(BASE, ORIGIN, "2008-filled", [])
    assert (made.fields, made.price, made.status) == (BASE.fields, BASE.price, BASE.status)
