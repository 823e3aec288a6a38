from __future__ import annotations

import pytest
from small_people import file_of, list_of, population_of

from policy_sim.attackers import (
    ATTACKERS,
    EVERYONE,
    GENERAL,
    LINKAGE_STATUSES,
    Attacker,
    Constraints,
    Coverage,
    StateVoterLists,
    covered,
    holding_of,
    joined,
    voter,
    words_of,
)
from policy_sim.attackers.attacker import Joined, settlements
from policy_sim.attackers.coverage import ADULTS
from policy_sim.files.evidence import Evidence, Source
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare, costs
from policy_sim.model.measure import Measure
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.list_field import Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

SAFE = Granularities(gender="value", race="value", birth="year", geography="state")
LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")
COUNTY_AND_YEAR = {"gender": "withheld", "race": "withheld", "birth": "year", "geography": "county"}


def _voter(status="available", **fields):
    return voter({"OH": list_of(status=status, vintage="2008", **COUNTY_AND_YEAR | fields)})


def test_ohio_links_on_county_and_year_or_on_the_year_alone():
    """Benitez & Malin 2010, Results: the Ohio list of 2008 under both policies."""
    assert _voter().linkage(LIMITED, "OH").label() == "birth=year+geography=county"
    assert _voter().linkage(SAFE, "OH").label() == "birth=year+geography=state"


def test_an_unknown_field_makes_two_keys_and_says_which_field():
    linkage = _voter(gender="unknown").linkage(LIMITED, "OH")
    assert linkage.label() == "birth=year+geography=county[+gender]"
    assert linkage.status == "interval"
    assert linkage.reason.endswith("has sex")


def test_an_unknown_field_that_the_policy_withholds_does_not_matter():
    policy = LIMITED.replace(gender="none")
    assert _voter(gender="unknown").linkage(policy, "OH").status == "ok"


@pytest.mark.parametrize("status", ["county_only", "not_sold", "unknown"])
def test_without_a_list_there_is_no_key_but_a_reason(status):
    linkage = _voter(status).linkage(LIMITED, "OH")
    assert (linkage.low, linkage.high, linkage.status) == (None, None, status)
    assert linkage.reason
    assert status in LINKAGE_STATUSES


def test_the_vintage_is_that_of_the_lists():
    assert _voter().vintage == "2008"
    assert GENERAL.vintage == ""


def test_a_place_that_nobody_described_is_unknown():
    linkage = _voter().linkage(LIMITED, "PR")
    assert (linkage.low, linkage.status) == (None, "unknown")
    assert "PR" in linkage.reason


def test_a_question_about_voter_lists_needs_an_attacker_that_holds_them():
    assert _voter().voter_list("OH").status == "available"
    with pytest.raises(InputError, match="'general' has no voter lists"):
        GENERAL.voter_list("OH")


def test_an_attacker_has_a_resource():
    with pytest.raises(InputError, match="'empty' has no resource"):
        Attacker("empty", "holds nothing", ())


# Attackers in words: both of the paper have some, and no other is given theirs.


HOLDER = voter({"OH": list_of(status="unknown")})


def test_the_attackers_of_the_paper_have_words_of_their_own():
    assert len({words_of(name) for name in ATTACKERS} | {holding_of(name) for name in ATTACKERS}) == 4
    assert "" not in {words_of(name) for name in ATTACKERS}


def test_whether_an_attacker_holds_the_state_list_alone_is_asked_of_what_it_holds():
    """Of two resources in one hand each counts; a name that begins alike does not."""
    renamed = type(HOLDER)("voter-like", "someone else", GENERAL.resources)
    both = joined([HOLDER, type(HOLDER)("twice", "the same again", HOLDER.resources)])
    assert [each.holds_state_list_alone for each in (HOLDER, covered(HOLDER, ADULTS), both, GENERAL, renamed)] == [
        *(True, True, False, False, False),
    ]
    assert both.holds_voter_lists


# Several resources in one hand, by hand.


BORN = {"gender": "value", "birth": "date", "states": ("TX",)}
PLACED = {"rest": "withheld", "birth": "year", "geography": "county"}
BIRTHS = file_of("births", **BORN, title="births", price=Price("flat", base_usd=10))
FIVE = Price("flat", base_usd=5)
ROLLS = StateVoterLists({name: list_of(name, **PLACED, price=FIVE) for name in ("TX", "OH")}, "2026")
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
    unsure = file_of("some", **PLACED | {"birth": "unknown"}, states=("TX",))
    assert unsure.linkage(RELEASE, "TX").status == "interval"
    assert Joined((unsure, BIRTHS)).linkage(RELEASE, "TX").status == "ok"
    assert Joined((unsure, ROLLS)).linkage(RELEASE, "TX").label() == "birth=year+geography=county[+birth=date]"


def test_what_both_cost_is_paid_and_one_unknown_price_leaves_the_sum_unknown():
    def nobody(_coverage):
        return {}

    assert [amount.usd for amount in BOTH.amounts_for("TX", nobody)] == [15, 15]
    assert BOTH.amounts_for("OH", nobody)[0].usd == 5, "the file of Texas is not bought for Ohio"
    secret = file_of("secret", **BORN, price=Price("unknown", note="not read"))
    amount, _ = Joined((ROLLS, secret)).amounts_for("TX", nobody)
    assert (amount.usd, amount.status, amount.reason) == (None, "unknown", "not read")
    least = file_of("least", **BORN, price=Price("at_least", base_usd=7))
    assert Joined((ROLLS, least)).amounts_for("TX", nobody)[0].status == "at_least"


def test_a_buyer_must_be_allowed_to_have_every_part():
    closed = file_of("c", **BORN, title="c", buyers=Allowed(("party", "scholar")))
    other = file_of("o", **BORN, title="o", buyers=Allowed(("scholar",)))
    assert Joined((closed, other)).restricted_to("TX") == ("scholar",)
    assert Joined((closed, BIRTHS)).restricted_to("TX") == ("party", "scholar")
    assert BOTH.restricted_to("TX") == ()
    who = Constraints("p", "p", ("party",), "personal")
    assert Joined((closed, other)).within_reach(who, {"TX": 1}, {}).linkage(RELEASE, "TX").reason == "without o"


def test_everyone_cannot_be_joined_and_one_alone_is_not_several():
    for parts in ((EVERYONE, BIRTHS), (BIRTHS,), ()):
        with pytest.raises(InputError, match="two or more"):
            Joined(parts)
    with pytest.raises(InputError, match="change one resource at a time"):
        BOTH.changed("TX", {"birth": "year"})


def test_risk_lies_between_the_least_and_the_most_that_both_can_hold():
    rows = [("TX", 10, 1, 30), ("TX", 40, 1, 90)]
    people = population_of(rows, ["state", "age", "age_width", "people"], "2020-04-01")
    policy = Policy("date", "t", Granularities(birth="date", geography="state"), "c")
    some = (
        Coverage("a", "a", least_age=0, least_share=0.7, most_share=0.7),
        Coverage("b", "b", least_age=18, least_share=0.6, most_share=0.6),
    )
    a_dollar = Price("schedule", usd_per_record=1)
    parts = tuple(file_of(each.name, each, **BORN, price=a_dollar) for each in some)
    attacker = Attacker("a+b", "holds both", parts)
    found = compare(Cases(people, [policy], [attacker], g=[1]))
    total = found[0].people(Measure("total-risk"))
    ends = [365 * (1 - (1 - c / 365) ** 90) for c in (0.3, 0.6)]  # of the adults alone: 0.7 + 0.6 - 1, and 0.6
    assert (total.low, total.high) == (pytest.approx(ends[0]), pytest.approx(ends[1]))
    assert found[0].status == "interval"
    (cost,) = costs(found, people, attacker)
    assert cost.price_usd == pytest.approx(0.7 * 120 + 0.6 * 90), "each is paid for all the people whom it holds"


def test_the_price_of_several_names_the_source_of_each():
    cited = Price("flat", base_usd=5, date="2025", evidence=Evidence("high", ("fees",)))
    fees = {"fees": Source("fees", "Fee table")}
    lists = StateVoterLists({"TX": list_of("TX", **PLACED, price=cited, sources=fees)})
    together = Joined((lists, BIRTHS))
    assert lists.price_evidence("TX") == ("2025", "Fee table")
    date, source = together.price_evidence("TX")
    assert date == "2025"
    assert source.split("; ") == [f"{lists.name}: Fee table", "births: births: no source stated"]
    for without in (EVERYONE, file_of("r")):
        assert without.price_evidence("TX") == ("", "")


# The assumptions where it is unknown who is in a resource.


def file(name, least, most, states=("OH",)):
    held = Coverage(name, name, least_age=0, least_share=least, most_share=most)
    return file_of(name, held, rest="unknown", states=states)


def words(*files):
    resource = Joined(files) if len(files) > 1 else files[0]
    return [each.assumption for each in settlements(Attacker("a", "a", (resource,)), "OH")]


def test_a_share_has_two_ends_and_an_overlap_three_and_what_is_known_is_not_assumed():
    assert settlements(GENERAL, "OH")[0].attacker is GENERAL
    assert words(file("a", 0.5, 0.5)) == [""]
    assert words(file("a", 0.5, 0.5), file("b", 0.4, 0.9, states=("TX",))) == [""], "it overlaps with nobody of OH"
    assert words(file("a", 0.5, 0.7)) == ["fewest people", "most people"]
    assert words(file("a", 0.5, 0.5), file("b", 0.4, 0.4)) == ["least overlap", "independent", "most overlap"]
    assert words(file("a", 0.5, 0.5), file("b", 0.4, 0.9)) == [
        *("fewest people, least overlap", "fewest people, independent"),
        *("most people, independent", "most people, most overlap"),
    ]


def test_a_settled_attacker_knows_how_many_it_has():
    both = Joined((file("a", 0.5, 0.6), file("b", 0.4, 0.9)))
    for each in settlements(Attacker("a", "a", (both,)), "OH"):
        coverage = each.attacker.resource.coverage_in("OH")
        assert coverage.is_known
        assert each.attacker.name.startswith("a (")
