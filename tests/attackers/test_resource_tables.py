from policy_sim.attackers import EVERYONE, Coverage, IdentifiedFile
from policy_sim.attackers.resource_tables import (
    everyone_facts_frame,
    price_words,
    resource_citation,
    resource_facts_frame,
    resources_frame,
)
from policy_sim.files.evidence import Evidence, Source
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price

FILE = IdentifiedFile(
    "births",
    "births of Texas",
    "birth index",
    Coverage("births", "people born here", least_age=0, least_share=0.5, most_share=0.8),
    {"birth": ListField("included", "date", evidence=Evidence("high", ("law",)))},
    ("TX",),
    price=Price("schedule", usd_per_record=0.01),
    price_high=Price("schedule", usd_per_record=0.32),
    records={"TX": 15_000_000},
    legality="public",
    notes=("one note",),
    sources={"law": Source("law", "The law", "https://example.org", "2026")},
)


def test_side_by_side():
    (row,) = resources_frame([FILE]).to_dict("records")
    assert (row["name"], row["states"], row["birth"], row["race"]) == ("births", "TX", "included (date)", "unknown")
    assert (row["least_share"], row["most_share"], row["people"]) == (0.5, 0.8, "people born here")
    assert row["price"] == price_words(FILE) == "0.01 USD a record to 0.32 USD a record"
    (whole,) = resources_frame([IdentifiedFile("all", "t", "k", None)]).to_dict("records")
    assert (whole["states"], whole["people"], whole["least_share"], whole["most_share"]) == ("all", "everyone", 1, 1)


def test_fact_by_fact():
    facts = resource_facts_frame(FILE).set_index("item")
    assert facts.loc["birth", ["value", "date", "confidence", "sources"]].tolist() == [
        "included (date)",
        "2026",
        "high",
        "The law <https://example.org>",
    ]
    assert facts.loc[["people", "share"], "value"].tolist() == ["people born here", "50% to 80% of them"]
    assert facts.loc["records in TX", "value"] == "15,000,000"
    assert facts.loc[["legality", "note"], "value"].tolist() == ["public", "one note"]


def test_how_to_cite_a_file():
    head, source = resource_citation(FILE)
    assert head.startswith("births: births of Texas (TX); holds people born here, 50% to 80% of them; shows birth; ")
    assert source == "  The law (2026), https://example.org"
    assert resource_citation(EVERYONE) == []


def test_what_the_attacker_who_knows_everyone_holds_has_no_price():
    facts = everyone_facts_frame().set_index("item")
    assert facts.loc["price", "value"] == "not modeled"
    assert facts.loc["price", "note"] == EVERYONE.amount("OH").reason
    assert (EVERYONE.amount("OH").usd, EVERYONE.amount("OH").status) == (None, "not_modeled")
    assert set(facts.loc[["gender", "zip"], "value"]) == {"as released"}
