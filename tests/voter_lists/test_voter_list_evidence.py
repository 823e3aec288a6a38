"""The shipped files against the researched evidence: each value is there, or its absence is explained."""

import csv
import datetime as dt
import re
from collections import Counter
from pathlib import Path

import pytest

from policy_sim.attackers.files import load_resource
from policy_sim.voter_lists.files import load_lists_held_on, load_voter_lists, read_state_files

VINTAGES = ("2002", "2008", "2020", "2026")
COLUMNS = {"dob": "birth", "gender": "gender", "race": "race", "county": "geography", "zip": "zip", "party": "party"}

# README of the evidence, "Coverage", with the findings of November 2026 entered:
# column -> for each vintage (filled, high, medium, low).
COVERAGE = {
    "dob": ((6, 1, 4, 1), (25, 11, 10, 4), (47, 34, 12, 1), (50, 32, 15, 3)),
    "gender": ((2, 0, 1, 1), (21, 9, 8, 4), (45, 34, 11, 0), (49, 31, 15, 3)),
    "race": ((1, 0, 1, 0), (20, 9, 7, 4), (44, 32, 10, 2), (50, 31, 12, 7)),
    "county": ((1, 0, 1, 0), (21, 9, 8, 4), (51, 33, 15, 3), (51, 31, 16, 4)),
    "zip": ((1, 0, 1, 0), (3, 0, 2, 1), (49, 33, 13, 3), (49, 31, 15, 3)),
    "party": ((1, 0, 1, 0), (3, 0, 2, 1), (45, 33, 11, 1), (47, 33, 13, 1)),
    "price_usd": ((2, 0, 2, 0), (16, 7, 3, 6), (51, 17, 29, 5), (49, 15, 23, 11)),
    "eligibility": ((5, 3, 2, 0), (16, 5, 9, 2), (49, 21, 27, 1), (49, 17, 29, 3)),
    "permitted_use": ((7, 5, 2, 0), (15, 5, 9, 1), (34, 20, 12, 2), (36, 18, 15, 3)),
}

# What the findings of November 2026 changed or confirmed: the value that the files use now, and how sure it is. How
# three states ask race is remembered, which makes the fact as unsure.
with Path(__file__).with_name("corrected.csv").open(encoding="utf-8", newline="") as _file:
    CORRECTED = {
        (state, vintage, column): (float(value) if column == "price_usd" else value, confidence)
        for state, vintage, column, value, confidence in list(csv.reader(_file))[1:]
    }
# Marked high by the evidence, although a source of its own contradicts them: no more than medium here.
CONTRADICTED = {
    ("IL", "2026", "eligibility"),
    ("SC", "2008", "price_usd"),
    ("SC", "2026", "eligibility"),
    ("TX", "2008", "race"),
    ("VA", "2008", "price_usd"),
}
GONE = {
    ("HI", "2026", "price_usd"),  # no statewide list, so no statewide price
    ("KY", "2026", "dob"),  # its clause was struck from the regulation
}


def _cells(listed):
    """The evidence's columns of one list: column -> (value in the evidence's words, confidence)."""
    for column, name in COLUMNS.items():
        fact = listed.fields[name]
        if fact.availability != "unknown":
            yield column, _field_word(column, fact), fact.evidence
    price = listed.price
    if price.kind not in ("unknown", "not_sold"):
        amount = price.quoted_usd if price.kind == "schedule" else price.base_usd
        yield "price_usd", amount, price.evidence
    if listed.buyers.names is not None:
        yield "eligibility", _buyer_word(listed.buyers.names), listed.buyers.evidence
    if listed.uses.names is not None:
        yield "permitted_use", _use_word(listed.uses.names), listed.uses.evidence


def _field_word(column, fact):
    if column == "dob":
        if fact.availability == "withheld":
            return "none"
        return fact.wording or {"date": "full", "year": "year"}[fact.granularity]
    return "yes" if fact.availability == "included" else "no"


def _buyer_word(names):
    if not names:
        return "not available"
    if "public" in names:
        return "public"
    return "residents/voters only" if {"resident", "voter"} & set(names) else "political/candidates/scholarly only"


def _use_word(names):
    return {
        ("any",): "any",
        ("non_commercial",): "non-commercial",
        ("political",): "political/election only",
        ("political", "scholarly", "journalistic"): "political/election, scholarly or journalistic",
    }[names]


def _ours():
    return {
        (state, vintage, column): (word, evidence)
        for state, lists in read_state_files().items()
        for vintage, listed in lists.items()
        if vintage in VINTAGES and state != "XX"
        for column, word, evidence in _cells(listed)
    }


def test_counts_by_column_vintage_and_confidence():
    counted = Counter()
    for (_, vintage, column), (_, evidence) in _ours().items():
        counted[column, vintage] += 1
        counted[column, vintage, evidence.confidence] += 1
    found = {
        column: tuple(
            (counted[column, v], *(counted[column, v, level] for level in ("high", "medium", "low"))) for v in VINTAGES
        )
        for column in COVERAGE
    }
    assert found == COVERAGE


def test_every_cell_of_the_evidence_is_in_the_files_with_its_confidence(shared):
    with (shared / "voter_policies" / "voter_list_evidence.csv").open(encoding="utf-8", newline="") as file:
        evidence = {(row["state"], row["vintage"], row["column"]): row for row in csv.DictReader(file)}
    ours = _ours()
    assert set(ours) - set(CORRECTED) == set(evidence) - set(CORRECTED) - GONE
    assert {key: (value, found.confidence) for key, (value, found) in ours.items() if key in CORRECTED} == CORRECTED
    for key, row in evidence.items():
        if key in CORRECTED or key in GONE:
            continue
        value, found = ours[key]
        wanted = float(row["value"]) if key[2] == "price_usd" else row["value"]
        confidence = "medium" if key in CONTRADICTED else row["confidence"]
        assert (value, found.confidence) == (wanted, confidence), key
        assert len(found.sources) == len(row["source_title"].split(" | ")), key


def test_what_the_files_hold_beyond_the_evidence_is_a_status_only(shared):
    """A county-only state has "not sold" for a price; the evidence leaves that cell empty."""
    extra = {
        (state, vintage)
        for state, lists in read_state_files().items()
        for vintage, listed in lists.items()
        if listed.price.kind == "not_sold" and state != "XX"
    }
    assert extra == {("AZ", "2008"), ("AZ", "2008-filled"), ("HI", "2026")}


def test_four_fields_are_known_for_so_many_states():
    known = {
        vintage: sum(
            all(listed.fields[name].availability != "unknown" for name in ("gender", "race", "birth", "geography"))
            for listed in load_voter_lists(vintage).values()
        )
        for vintage in ("2008", "2020", "2026")
    }
    assert known == {"2008": 19, "2020": 44, "2026": 48}


def test_nothing_is_known_of_19_states_in_2008():
    assert sum(listed.status == "unknown" for listed in load_voter_lists("2008").values()) == 19


def test_the_scenario_carries_back_what_the_research_carried_back(shared):
    with (shared / "voter_policies" / "vintage_2008_carry_back.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["state"]: row for row in csv.DictReader(file)}
    lists = load_voter_lists("2008-filled")
    for state, row in rows.items():
        cells = {column: (word, evidence) for column, word, evidence in _cells(lists[state])}
        for column in ("dob", "gender", "race", "county", "price_usd"):
            word, evidence = cells.get(column, ("", None))
            shown = f"{word:.2f}".removesuffix(".00") if isinstance(word, float) else word
            assert shown == row[column], (state, column)
            basis = row["price_usd_basis" if column == "price_usd" else f"{column}_basis"]
            carried = evidence is not None and evidence.carried_from == "2020"
            assert carried == basis.startswith("carried back"), (state, column)
    flagged = {state for state, row in rows.items() if row["flag"]}
    assert flagged == {"CA", "FL", "KY", "TX"}
    assert all(any("Table 2" in note for note in lists[state].notes) for state in flagged)


@pytest.mark.parametrize(
    ("state", "about"),
    [("WI", "fields.gender"), ("VA", "price"), ("SC", "price"), ("TX", "fields.race"), ("WV", "fields")],
)
def test_conflicts_of_2008_are_recorded_with_the_value_chosen(state, about):
    conflicts = {conflict.about: conflict for conflict in load_voter_lists("2008")[state].conflicts}
    assert conflicts[about].chosen
    assert conflicts[about].why


# README of the evidence, "Conflicts between sources": the EAC of 2020 and Ballotpedia of 2026 differ.
DIFFER = (
    *("AL", "CO", "NV", "RI", "NM", "NH", "IN", "CA", "VA", "SD", "AR", "GA"),
    *("KY", "IA", "KS", "WY", "MT", "WV", "TN", "ID", "MN", "NC", "DC", "MI"),
)


def test_both_quotes_stand_in_the_files():
    for state in DIFFER:
        old = {quote.source: quote for quote in read_state_files()[state]["2020"].quotes}
        new = {quote.source: quote for quote in read_state_files()[state]["2026"].quotes}
        eac, ballotpedia = old["eac-2020"], new["ballotpedia-2026"]
        assert eac.usd != ballotpedia.usd or ballotpedia.words, state


def test_a_schedule_comes_near_what_was_quoted():
    """The shared fee formula gives the EAC amounts with the voters of 2020 (4.0 and 16.2 million)."""
    lists = load_voter_lists("2020")
    assert lists["AZ"].price.usd(records=4_007_000).usd == pytest.approx(516, abs=0.5)
    assert lists["TX"].price.usd(records=16_211_000).usd == pytest.approx(1_279, abs=0.5)


def test_every_finding_of_a_state_stands_in_its_file(shared):
    """Each state with findings cites one of their addresses or stored sources, or says what to watch."""
    with (shared / "voter_policies" / "findings_2026_11.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["state"] not in ("*", "AK")]
    assert len(rows) == 59
    files = read_state_files()
    for row in rows:
        lists = [listed for vintage, listed in files[row["state"]].items() if vintage[:4] in ("2008", "2020", "2026")]
        cited = {url for listed in lists for source in listed.sources.values() for url in (source.url, *source.also)}
        stored = any("stored index" in source.note for listed in lists for source in listed.sources.values())
        watched = any(note.startswith("Watch") for listed in lists for note in listed.notes)
        addresses = [part.split(" (commit")[0].strip() for part in row["source_address"].split(" ; ")]
        assert set(addresses) & cited or (addresses == ["stored public source index"] and stored) or watched, row


def test_a_conflict_between_a_finding_and_the_earlier_value_keeps_both():
    lists = load_voter_lists("2026")
    for state, about, chosen, other in (
        ("AL", "price", "1,000 USD", "37,000 USD"),
        ("AL", "fields.birth", "date", "year"),
        ("VA", "fields.birth", "date", "year"),
        ("VA", "price", "57 USD", "600 USD"),
        ("KS", "price", "200 USD", "300 USD"),
        ("CT", "fields.birth", "date", "year"),
        ("HI", "price", "not sold", "500 USD"),
        ("KY", "fields.birth", "unknown", "date, or year (an age code)"),
        ("LA", "fields.birth", "year", "withheld"),
        ("ME", "uses", "any", "political"),
        ("NM", "uses", "any", "political"),
        ("IL", "buyers", "candidate, party", "public"),
        ("SC", "buyers", "resident, voter", "public"),
    ):
        assert any((c.about, c.chosen, c.other) == (about, chosen, other) for c in lists[state].conflicts), state


def test_the_states_list_and_the_countys_are_two_lists():
    town = load_voter_lists("2026-county")["MA"]
    assert (town.seller, town.fields["birth"].evidence.confidence) == ("county", "high")
    state = load_voter_lists("2026")["MA"]
    assert (state.seller, state.fields["birth"].evidence.confidence) == ("state", "low")
    hawaii = load_voter_lists("2026")["HI"]
    assert (hawaii.status, hawaii.price.kind) == ("county_only", "not_sold")


def test_maine_binds_its_buyers_until_the_ruling():
    maine = read_state_files()["ME"]["2020"]
    assert maine.uses.names == maine.on(dt.date(2024, 2, 1)).uses.names == ("political",)
    assert load_lists_held_on(dt.date(2024, 2, 2))["ME"].uses.names == ("any",)


def _second_findings(shared):
    with (shared / "voter_policies" / "findings_2026_11b.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 81
    return rows


# Findings that are no value of a list: a conflict that stays open, a time or a county between two lists, a law to
# watch. Of each, what the list of 2026 says in its place.
OPEN = {
    ("CT", "2026", "birth"): "that an act passed was not found",
    ("KY", "2026", "birth"): "A later amendment, without a date in the copy read, strikes that clause out",
    ("VA", "2026", "birth"): "a buyer reports that it agreed to return them in 2025",
    ("VA", "2024", "birth"): "The state withdrew the day and month in August 2024",
    ("MA", "2026", "birth"): "The statute on the state's own extract names only names and addresses",
    ("TX", "2026-county", "birth"): "Travis County hides the date of birth",
    ("LA", "2026", "race"): "requires neither today",
    ("LA", "2026", "status"): "25 voters",
    ("AL", "2026", "price"): "The federal act limits the fee",
    ("PA", "2026", "uses"): "A rule forbids passing the list on and publishing it",
}
# Of Colorado's address one finding is sure of the layout, and a later one knows of an act by which some hide theirs.
LESS_SURE = {("CO", "address")}


def test_every_second_finding_is_the_value_of_the_list_or_explained_there(shared):
    """The layouts of street addresses are those of 2020 too, where one layout alone is medium."""
    files, checked = read_state_files(), set()
    for number, row in enumerate(_second_findings(shared)):
        state, vintage, item, value = (row[name] for name in ("state", "vintage", "item", "value"))
        if state == "*" or item == "federal":
            continue
        checked.add(number)
        if (state, vintage, item) in OPEN:
            listed = files[state]["2026"]
            explained = [*listed.notes, *(conflict.why for conflict in listed.conflicts)]
            assert any(OPEN[state, vintage, item] in words for words in explained), row
            continue
        listed = files[state][vintage]
        fact = listed.fields[item] if item in listed.fields else getattr(listed, item)
        assert fact.evidence.confidence == row["confidence"] or (state, item) in LESS_SURE, row
        if item == "buyers":
            assert set(fact.names) == set(re.findall(r"public|candidate|party", value)), row
            continue
        availability, _, granularity = value.partition(",")[0].partition("/")
        assert (fact.availability, fact.granularity if granularity else "") == (availability, granularity), row
        if item == "address":
            assert files[state]["2020"].fields[item].availability == "included", row
    assert len(checked) == 65, "the other 16 are of what the federal government holds, and of no state"


def test_every_second_finding_is_cited_where_it_belongs(shared):
    """In a file of its state, or, of what the federal government holds, in the resource of that."""
    lists = read_state_files()
    roll, site = load_resource("federal-roll"), load_resource("voteref")
    for row in _second_findings(shared):
        cited = [source for listed in lists.get(row["state"], {}).values() for source in listed.sources.values()]
        if row["item"] == "federal":
            assert row["state"] == "*" or roll.status_in(row["state"])[0] == "available", row
            cited = list(roll.sources.values())
        if row["item"] == "free mirrors":
            cited = list(site.sources.values())
        addresses = {url for source in cited for url in (source.url, *source.also) if url}
        # without an address, by its day; the address of a repository stands for the files in it
        by_day = any(not source.url and source.date == row["date"] for source in cited)
        assert by_day or any(row["source_address"].startswith(url) for url in addresses), row


def test_a_mirror_is_free_whatever_the_state_asks():
    lists = load_voter_lists("2020")
    mirrored = {state for state, listed in lists.items() if listed.mirrors}
    assert mirrored == {"AR", "CO", "CT", "DE", "FL", "MI", "OK", "RI"}
    assert lists["CT"].price.usd(records=1).usd == 300
    assert lists["CT"].mirrors[0].usd == 0
