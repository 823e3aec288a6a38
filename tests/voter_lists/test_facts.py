from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.evidence import Evidence, Source
from policy_sim.voter_lists.facts import facts_frame, facts_of, newest_date
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList

LISTED = VoterList(
    "XX",
    "2026",
    "available",
    fields={
        "birth": ListField("included", "year", "age", Evidence("high", ("form", "press"))),
        "gender": ListField("included", "value", "", Evidence("low", ("memory",), "2020")),
        "race": ListField("withheld"),
    },
    price=Price("flat", base_usd=30, date="2025", evidence=Evidence("medium", ("press",))),
    buyers=Allowed((), Evidence("high", ("form",))),
    sources={
        "form": Source("form", "The form", "https://example.org", "2024-05"),
        "press": Source("press", "The press", "", "2026-01-02"),
        "memory": Source("memory", "Memory"),
    },
)


def test_every_fact_carries_its_own_date_confidence_and_sources():
    facts = {fact.item: fact for fact in facts_of(LISTED)}
    assert list(facts) == [
        "status",
        "gender",
        "race",
        "birth",
        "geography",
        "zip",
        "party",
        "address",
        "price",
        "buyers",
        "uses",
    ]
    assert (facts["birth"].value, facts["birth"].date) == ("included (age)", "2026-01-02")
    assert (facts["gender"].value, facts["gender"].date) == ("included", "undated")
    assert facts["gender"].note == "carried back from 2020"
    assert (facts["price"].value, facts["price"].date) == ("30.00 USD", "2025")
    assert (facts["race"].value, facts["geography"].value) == ("withheld", "unknown")
    assert (facts["buyers"].value, facts["uses"].value) == ("nobody", "unknown")


def test_the_table_cites_titles_and_addresses():
    table = facts_frame([LISTED, LISTED])
    assert len(table) == 22
    assert table.set_index("item")["sources"]["birth"].iloc[0] == "The form <https://example.org> | The press"


def test_the_newest_date_wins_and_nothing_is_no_date():
    dates = [Source("a", "a", date="2008"), Source("b", "b", date="2008-05"), Source("c", "c")]
    assert newest_date(dates) == "2008-05"
    assert newest_date(dates[2:]) == "undated"
    assert newest_date([]) == ""
