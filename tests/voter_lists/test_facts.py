from __future__ import annotations

import datetime as dt
from dataclasses import replace

from said import numbers
from small_people import list_of

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.voter_lists.facts import (
    conflicts_frame,
    deciding_fact,
    diff_frame,
    differences,
    facts_frame,
    facts_of,
    freshness_lines,
    lists_frame,
    newest_date,
    newest_source,
    price_lines,
    sources_frame,
)
from policy_sim.voter_lists.files import load_list_changes, load_voter_lists
from policy_sim.voter_lists.list_field import Allowed, ListField
from policy_sim.voter_lists.price import Price


def known(word, confidence, *cited, wording=""):
    """A field of which some sources say that it is shown as finely as a word, or withheld."""
    shown = ("withheld", "") if word == "withheld" else ("included", word)
    return ListField(*shown, wording, Evidence(confidence, cited))


LISTED = list_of(
    "XX",
    birth=known("year", "high", "form", "press", wording="age"),
    gender=ListField("included", "value", "", Evidence("low", ("memory",), "2020")),
    race="withheld",
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
    fields = ("gender", "race", "birth", "geography", "zip", "party", "address")
    assert [*facts] == ["status", *fields, "price", "buyers", "uses"]
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


FRESHNESS_LISTED = list_of(
    "XX",
    birth=known("date", "high", "form", "law"),
    race=known("withheld", "high", "law"),
    geography=known("county", "low", "memory"),
    sources={
        "form": Source("form", "Order form", date="2017-07-05"),
        "law": Source("law", "Law", date="2024"),
        "memory": Source("memory", "Memory"),
    },
)


def test_a_fact_is_as_old_as_its_newest_source_and_the_oldest_fact_decides():
    assert deciding_fact(FRESHNESS_LISTED, ["birth", "race"]).describe() == "birth, 2024, Law"


def test_a_fact_without_a_date_is_older_than_any():
    fact = deciding_fact(FRESHNESS_LISTED, ["birth", "geography"])
    assert (fact.item, fact.date, fact.source) == ("geography", "undated", "Memory")


def test_unknown_fields_are_named_and_fields_not_linked_on_are_passed_over():
    described = deciding_fact(FRESHNESS_LISTED, ["gender", "party", "nothing"]).describe()
    assert described.endswith("no source mentions sex")


def test_alabama_rests_on_2017():
    fact = deciding_fact(load_voter_lists("2026")["AL"], ["gender", "race", "birth", "geography"])
    assert fact.date == "2017-07-05"


def test_each_of_few_states_has_a_line_and_an_old_fact_is_flagged():
    listed = replace(
        FRESHNESS_LISTED, sources={**FRESHNESS_LISTED.sources, "new": Source("new", "New", date="2026-11")}
    )
    (line,) = freshness_lines({"XX": listed}, ["XX"], ["birth", "geography"])
    assert line.startswith("XX, oldest fact used: geography, undated, Memory")
    assert numbers(line.partition("(OLD: ")[2]) == ["24", "1", "2026"]
    assert freshness_lines({"XX": FRESHNESS_LISTED}, ["XX"], ["race"]) == ["XX, oldest fact used: race, 2024, Law"]


def test_many_states_are_counted():
    lists = {name: replace(FRESHNESS_LISTED, state=name) for name in ("OH", "TX", "WA", "NY")}
    lists["OH"] = replace(lists["OH"], fields={"birth": known("date", "high", "law")})
    old, oldest, unknown = freshness_lines(lists, ["OH", "TX", "WA", "NY", "AK"], ["birth", "geography"])
    assert numbers(old) == ["3", "4", "24", "1", "2024"]  # of the states, months, and the day
    assert "(TX WA NY)" in old
    assert all(word in oldest for word in ("TX", "geography", "undated", "Memory"))
    assert "OH" in unknown


def test_no_list_no_line():
    assert freshness_lines({}, ["OH"], ["birth"]) == []
    assert freshness_lines({"OH": list_of(status="unknown")}, ["OH"], ["birth"]) == []


def test_a_source_of_a_year_is_not_newer_than_its_first_day():
    assert newest_source([FRESHNESS_LISTED]) == dt.date(2024, 1, 1)
    assert newest_source([]) is None


def test_a_price_is_as_old_as_the_day_it_was_seen():
    priced = replace(FRESHNESS_LISTED, price=Price("flat", base_usd=5.0, date="2019"))
    (line,) = price_lines({"XX": priced}, ["XX"])
    assert numbers(line) == ["2019", "24", "1", "2024"]
    assert "OLD" in line
    assert price_lines({"XX": FRESHNESS_LISTED}, ["XX"]) == []
    many = {name: replace(priced, state=name) for name in ("OH", "TX", "WA", "NY")}
    (line,) = price_lines(many, many)
    assert numbers(line) == ["4", "4", "24", "1", "2024"]
    assert line.endswith("(OH TX WA NY)")


# Lists side by side.


OLD = list_of(vintage="2008", birth="year", gender="withheld")
NEW = list_of(
    birth=known("date", "high", "form"),
    race=known("withheld", "high", "form"),
    price=Price("free", evidence=Evidence("low", ("press",))),
    conflicts=(Conflict("price", "free", "5 USD", "older", False, ("press",)),),
    sources={"form": Source("form", "The form", "https://example.org", "2026"), "press": Source("press", "The press")},
)


def test_one_row_a_list():
    table = lists_frame([OLD, NEW])
    assert table["birth"].tolist() == ["included (year)", "included (date)"]
    assert table["price"].tolist() == ["unknown", "free"]


def test_a_diff_tells_a_change_from_what_became_known():
    table = diff_frame({"OH": OLD, "WV": OLD}, {"OH": NEW}).set_index("item")
    assert table["change"].to_dict() == {
        "gender": "became unknown",
        "race": "became known",
        "birth": "changed",
        "price": "became known",
    }
    assert len(diff_frame({"OH": OLD}, {"OH": OLD})) == 0


def test_records_differ_by_the_elections_nearest_to_the_vintages():
    lists = {state: replace(LISTED, state=state) for state in ("AK", "ND", "OH")}
    rows, notes = differences(lists, lists, ("2020", "2026"))
    assert rows[["state", "item", "before", "after", "change", "cause"]].values.tolist() == [
        ["AK", "registered", "unknown", "611,078 in 2024", "became known", "count"],
        ["AK", "active", "unknown", "565,242 in 2024", "became known", "count"],
        ["AK", "inactive", "unknown", "45,836 in 2024", "became known", "count"],
        ["OH", "registered", "8,073,829 in 2020", "8,074,098 in 2024", "changed", "count"],
        ["OH", "active", "8,073,829 in 2020", "7,054,966 in 2024", "changed", "count"],
        ["OH", "inactive", "0 in 2020", "983,368 in 2024", "changed", "count"],
    ]
    assert [numbers(why) for why in rows["why"][2:5]] == [["2020"], [], ["2024", "87", "88"]]
    assert "no count of ND" in notes[-1]
    rows, (note,) = differences(lists, lists, ("2002", "2008-filled"))
    assert rows.empty
    assert "2010" in numbers(note)


def test_a_diff_says_whether_the_law_or_the_source_changed_and_why():
    old, new = (load_voter_lists(year) for year in ("2020", "2026"))
    rows = diff_frame(old, new, load_list_changes()).set_index(["state", "item"])
    assert rows.loc[("LA", "birth"), "cause"] == "source", "recorded, although both values are known"
    assert rows.loc[("LA", "birth"), "why"].startswith("A program that reads the state's exports")
    assert rows.loc[("MO", "birth"), ["before", "after", "cause"]].tolist() == [
        "included (date)",
        "included (year)",
        "law",
    ]
    assert rows.loc[("KY", "birth"), ["change", "cause"]].tolist() == ["became unknown", "source"]
    assert "strikes that clause out" in rows.loc[("KY", "birth"), "why"]
    assert diff_frame(old, new).set_index(["state", "item"]).loc[("LA", "birth"), "cause"] == "law"


def test_sources_say_what_they_support():
    table = sources_frame([NEW]).set_index("source")
    assert table["supports"].to_dict() == {"The form": "race, birth", "The press": "price"}


def test_conflicts_say_whether_they_are_settled():
    assert conflicts_frame([OLD, NEW])["settled"].tolist() == ["no"]
