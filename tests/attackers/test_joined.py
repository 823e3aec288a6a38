"""Several resources in one hand, by hand."""

import pandas as pd
import pytest

from policy_sim.analyses.comparison import compare, costs
from policy_sim.attackers import EVERYONE, Attacker, Constraints, Coverage, IdentifiedFile, StateVoterLists, VoterList
from policy_sim.attackers.joined import Joined
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.results import Measure
from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.evidence import Evidence, Source
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

WITHHELD = dict.fromkeys(LIST_FIELDS, ListField("withheld"))
BORN = WITHHELD | {"gender": ListField("included", "value"), "birth": ListField("included", "date")}
PLACED = WITHHELD | {"birth": ListField("included", "year"), "geography": ListField("included", "county")}
BIRTHS = IdentifiedFile("births", "births", "k", None, BORN, ("TX",), price=Price("flat", base_usd=10))
FIVE = Price("flat", base_usd=5)
ROLLS = StateVoterLists(
    {name: VoterList(name, "2026", "available", fields=PLACED, price=FIVE) for name in ("TX", "OH")}, "2026"
)
BOTH = Joined((ROLLS, BIRTHS))
RELEASE = Granularities(gender="value", race="value", birth="date", geography="county")


def test_the_key_is_the_meet_of_the_release_with_the_join_of_what_is_held():
    assert BOTH.linkage(RELEASE, "TX").label() == "gender+birth=date+geography=county"
    alone = [part.linkage(RELEASE, "TX").label() for part in BOTH.parts]
    assert alone == ["birth=year+geography=county", "gender+birth=date+geography=state"]


def test_where_one_is_not_held_the_other_stands_alone():
    linkage = BOTH.linkage(RELEASE, "OH")
    assert (linkage.label(), linkage.status) == ("birth=year+geography=county", "ok")
    assert linkage.reason == "without births"
    nowhere = BOTH.linkage(RELEASE, "WY")
    assert (nowhere.low, nowhere.status) == (None, "unknown")


def test_an_unknown_field_of_one_may_be_told_by_the_other():
    unsure = IdentifiedFile("some", "some", "k", None, PLACED | {"birth": ListField()}, ("TX",))
    assert unsure.linkage(RELEASE, "TX").status == "interval"
    assert Joined((unsure, BIRTHS)).linkage(RELEASE, "TX").status == "ok"
    assert Joined((unsure, ROLLS)).linkage(RELEASE, "TX").label() == "birth=year+geography=county[+birth=date]"


def test_what_both_cost_is_paid_and_one_unknown_price_leaves_the_sum_unknown():
    def nobody(_coverage):
        return {}

    assert [amount.usd for amount in BOTH.amounts_for("TX", nobody)] == [15, 15]
    assert BOTH.amount("OH").usd == 5, "the file of Texas is not bought for Ohio"
    secret = IdentifiedFile("secret", "s", "k", None, BORN, price=Price("unknown", note="not read"))
    amount = Joined((ROLLS, secret)).amount("TX")
    assert (amount.usd, amount.status, amount.reason) == (None, "unknown", "not read")
    least = IdentifiedFile("least", "s", "k", None, BORN, price=Price("at_least", base_usd=7))
    assert Joined((ROLLS, least)).amount("TX").status == "at_least"


def test_a_buyer_must_be_allowed_to_have_every_part():
    closed = IdentifiedFile("c", "c", "k", None, BORN, buyers=Allowed(("party", "scholar")))
    other = IdentifiedFile("o", "o", "k", None, BORN, buyers=Allowed(("scholar",)))
    assert Joined((closed, other)).restricted_to("TX") == ("scholar",)
    assert Joined((closed, BIRTHS)).restricted_to("TX") == ("party", "scholar")
    assert BOTH.restricted_to("TX") == ()
    who = Constraints("p", "p", ("party",), "personal")
    assert Joined((closed, other)).within_reach(who, {"TX": 1}, {}).linkage(RELEASE, "TX").reason == "without o"


def test_everyone_cannot_be_joined_and_one_alone_is_not_several():
    for parts in ((EVERYONE, BIRTHS), (BIRTHS,), ()):
        with pytest.raises(InputError, match="two or more, each a list or another file"):
            Joined(parts)
    with pytest.raises(InputError, match="change one resource at a time"):
        BOTH.changed("TX", {"birth": "year"})


def test_risk_lies_between_the_least_and_the_most_that_both_can_hold():
    cells = pd.DataFrame([("TX", 10, 1, 30), ("TX", 40, 1, 90)], columns=["state", "age", "age_width", "people"])
    people = Population(check_cells(cells, "made"), Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))
    policy = Policy("date", "t", Granularities(birth="date", geography="state"), "c")
    some = (
        Coverage("a", "a", least_age=0, least_share=0.7, most_share=0.7),
        Coverage("b", "b", least_age=18, least_share=0.6, most_share=0.6),
    )
    a_dollar = Price("schedule", usd_per_record=1)
    parts = tuple(IdentifiedFile(each.name, "t", "k", each, BORN, price=a_dollar) for each in some)
    attacker = Attacker("a+b", "holds both", parts)
    found = compare(people, [policy], [attacker], g=[1])
    total = found[0].people(Measure("total-risk"))
    ends = [365 * (1 - (1 - c / 365) ** 90) for c in (0.3, 0.6)]  # of the adults alone: 0.7 + 0.6 - 1, and 0.6
    assert (total.low, total.high) == (pytest.approx(ends[0]), pytest.approx(ends[1]))
    assert found[0].status == "interval"
    (cost,) = costs(found, people, attacker)
    assert cost.price_usd == pytest.approx(0.7 * 120 + 0.6 * 90), "each is paid for all the people whom it holds"


def test_the_price_of_several_names_the_source_of_each():
    cited = Price("flat", base_usd=5, date="2025", evidence=Evidence("high", ("fees",)))
    lists = StateVoterLists(
        {
            "TX": VoterList(
                "TX", "2026", "available", fields=PLACED, price=cited, sources={"fees": Source("fees", "Fee table")}
            )
        },
        "2026",
    )
    together = Joined((lists, BIRTHS))
    assert lists.price_evidence("TX") == ("2025", "Fee table")
    assert together.price_evidence("TX") == ("2025", f"{lists.name}: Fee table; births: births: no source stated")
    assert EVERYONE.price_evidence("TX") == ("", "")


def test_an_unknown_price_has_no_source():
    assert IdentifiedFile("r", "t", "k", None).price_evidence("TX") == ("", "")
