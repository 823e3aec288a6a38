from policy_sim.io.voter_lists.state_files import load_voter_list
from policy_sim.voter_lists.evidence import Evidence, Source
from policy_sim.voter_lists.freshness import deciding_fact
from policy_sim.voter_lists.voter_list import ListField, VoterList

LISTED = VoterList(
    "XX",
    "2026",
    "available",
    fields={
        "birth": ListField("included", "date", "", Evidence("high", ("form", "law"))),
        "race": ListField("withheld", "", "", Evidence("high", ("law",))),
        "geography": ListField("included", "county", "", Evidence("low", ("memory",))),
    },
    sources={
        "form": Source("form", "Order form", date="2017-07-05"),
        "law": Source("law", "Law", date="2024"),
        "memory": Source("memory", "Memory"),
    },
)


def test_a_fact_is_as_old_as_its_newest_source_and_the_oldest_fact_decides():
    assert deciding_fact(LISTED, ["birth", "race"]).describe() == "birth, 2024, Law"


def test_a_fact_without_a_date_is_older_than_any():
    fact = deciding_fact(LISTED, ["birth", "geography"])
    assert (fact.item, fact.date, fact.source) == ("geography", "undated", "Memory")


def test_unknown_fields_are_named_and_fields_not_linked_on_are_passed_over():
    assert deciding_fact(LISTED, ["gender", "party", "nothing"]).describe() == (
        "no fact is known; no source mentions gender"
    )


def test_alabama_rests_on_2017():
    fact = deciding_fact(load_voter_list("AL", "2026"), ["gender", "race", "birth", "geography"])
    assert fact.date == "2017-07-05"
