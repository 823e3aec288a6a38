"""Sentences in the singular, the plural, with nothing known and with nobody matched."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from policy_sim.attackers.in_file import InFile
from policy_sim.briefs import sentences as say
from policy_sim.briefs.evidence import Evidence, Numbers, footer, framing
from policy_sim.briefs.sentences import list_doubts, list_section, list_sentences, policy_words, shown_words
from policy_sim.model.measure import TOTAL_RISK, Bounds
from policy_sim.policies.policy import policy_from_text
from policy_sim.show.document.blocks import DocumentTable, Heading, Paragraph, pieces
from policy_sim.show.numbers import percent
from policy_sim.words.errors import InputError
from policy_sim.words.fields import GRANULARITIES, Field
from policy_sim.words.status import Status


def test_what_a_list_holds_or_why_there_is_none():
    for status, words in (
        (Status.NOT_SOLD, "Nobody can get a list of Delaware's voters: a law."),
        (Status.COUNTY_ONLY, "Delaware sells no statewide voter list: a law."),
        (Status.UNKNOWN, "No source says what voter list Delaware had: a law."),
    ):
        assert say.no_list_sentence("DE", status, "a law") == words
        assert say.no_list_sentence("DE", status, "").endswith(".")
    assert say.holds_sentence("DE", ["sex", "birth year"], []).endswith(" gives sex and birth year.")
    assert say.holds_sentence("DE", ["sex"], ["race"]).endswith("no source says whether it gives race.")
    assert "none of the fields" in say.holds_sentence("DE", [], [])


def test_prices_and_ages_of_facts():
    for status, amount, dated, words in (
        ("free", "", "July 2026", "It is free (July 2026)."),
        ("free", "", "", "It is free."),
        ("ok", "$5", "2025", "It costs $5 (2025)."),
        ("at_least", "$5", "", "It costs $5 or more."),
        ("unknown", "", "", "Its price is not known: no source."),
    ):
        assert say.price_sentence(status, amount, "no source." if status == "unknown" else "", dated) == words
    assert say.age_in_months("2024-11-22", 2026, 11) == 24
    assert say.age_in_months("", 2026, 11) is None


@pytest.mark.parametrize(
    ("buyers", "uses", "words"),
    [
        (("public",), ("any",), "Anyone may get it, for any use."),
        (("public", "party"), None, "Anyone may get it; no source says for which uses."),
        (("candidate", "party"), ("political",), "Only candidates and parties may get it, and only for political use."),
        ((), None, "Nobody may get it."),
        (None, ("any",), "No source says who may get it."),
    ],
)
def test_who_may_get_a_list(buyers, uses, words):
    assert say.buyers_sentence(buyers, uses) == words
    assert say.buyers_sentence(buyers, uses, "May 2022") == words.replace(".", " (as of May 2022).")


def test_ranks_and_the_district_has_an_article_and_a_reason_one_period():
    for state, rank, words in (
        ("DE", (1, 1), "has the largest share of 40"),
        ("DE", (40, 40), "has the smallest share of 40"),
        ("DE", (7, 7), "is number 7 of 40 states"),
        ("DE", (7, 9), "number 7 and number 9 of 40 states"),
        ("DC", (40, 40), "the District of Columbia has the smallest share"),
    ):
        assert words in say.rank_sentence(state, rank, 40, "ours")
    unsold = say.rank_sentence("HI", None, 40, "ours", Status.NOT_SOLD)
    assert "has no rank" in unsold
    assert unsold.endswith("Nobody can get a list of Hawaii's voters.")
    assert say.holds_sentence("DC", ["county"], []).startswith("The District of Columbia's voter list")
    told = say.no_list_sentence("HI", Status.COUNTY_ONLY, "Each county sells its own.")
    assert told.endswith("voter list. Each county sells its own.")


# A policy of one line as a person who decides reads it.


def test_every_line_is_words():
    """No identifier of ours reaches a page."""
    births, places = ([*GRANULARITIES[field]] for field in (Field.BIRTH, Field.GEOGRAPHY))
    for birth, place in product(set(births) - {"none"}, set(places) - {"nation"}):
        words = policy_words(policy_from_text(f"sex+race=broad+birth={birth}+geography={place}").name)
        assert "sex, race in broad classes" in words
        assert not any(sign in words for sign in "_=+")
        assert "gender" not in words


def test_conditions_follow_what_they_limit_and_other_names_stay():
    name = policy_from_text("race+birth=year+geography=county (age<90+county>20000)").name
    ages, counties = "ages of 90 and over as one class", "no county of 20,000 people or fewer"
    assert shown_words(name) == ("race", "year of birth", ages, "county", counties)
    assert policy_words("ours") == "the policy ours"
    assert policy_words("five-year-age") == "the policy five-year-age"


# What a brief asks: ranks by hand, and a question about one state.


def test_ranks_are_those_of_sorted_shares(evidence):
    policy = evidence.policies[-1]
    shares = {
        p.state: p.share(TOTAL_RISK).low for p in evidence.nation if (p.policy, p.attacker) == (policy, "general")
    }
    rank, of = evidence.rank(policy, "general")
    assert of == 3
    assert rank[0] == rank[1]
    assert sorted(shares, key=shares.get, reverse=True)[rank[0] - 1] == "DE"


def test_a_brief_is_of_one_state_and_a_file_of_one_per_cent_by_default(small_study, evidence):
    with pytest.raises(InputError, match="name one state"):
        Evidence.of(small_study, ["DE", "RI"], date=evidence.date)
    assert Evidence.of(small_study, "DE", date=evidence.date).in_file == InFile(share=0.01)


# Every brief says how it was computed, whose people it counts, and how to cite it.


def test_methods_use_citation_and_appendix(evidence):
    numbers = Numbers()
    numbers.put("1", "w", "f", "s")
    blocks = framing(evidence, numbers, "A title")
    assert [block.text for block in blocks if isinstance(block, Heading)] == [
        "How this was computed",
        "Use it responsibly",
        "How to cite",
        "Every number",
    ]
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "as 45 CFR 164.514 states them" in text
    assert "A title. November 22, 2026." in text
    assert isinstance(blocks[-1], DocumentTable)
    assert "us-2020" in footer(evidence)


def test_the_same_number_with_the_same_meaning_has_one_row_and_two_ends_are_written_as_both():
    numbers = Numbers()
    one = numbers.put("5", "people", "f", "s")
    assert numbers.put("5", "people", "f", "s") == one
    assert numbers.put("5", "matches", "f", "s") == "[[n2|5]]"
    assert numbers.appendix().keys == ("n1", "n2")
    assert Numbers("a study").put("5", "people", "f") == "[[n1|5]]"  # what names no source has that of its brief
    assert numbers.between(Bounds(0.25, 0.5), percent, "w", "f", "s") == "[[n3|25–50%]]"
    assert numbers.between(Bounds(0.25, 0.25), percent, "w", "f", "s") == "[[n4|25%]]"


# What a list holds, costs and allows: dates and sources beside each, an unknown price never 0.


def texts(blocks):
    return [plain(block.text) for block in blocks if isinstance(block, Paragraph)]


def plain(text):
    return "".join(piece.text for piece in pieces(text))


def test_price_and_buyers_have_their_dates_and_sources_stand_below(evidence):
    blocks, lead = list_section(evidence), plain(list_sentences(evidence, Numbers()))
    (sources,) = texts(blocks)
    assert lead.startswith("Delaware's voter list gives")
    assert "may get it" in lead
    assert lead.count("(") >= 2
    assert sources.startswith("Sources. ")
    for name in {name for field in evidence.listed.fields.values() for name in field.evidence.sources}:
        assert evidence.listed.sources[name].title in sources
    (table,) = (block for block in blocks if isinstance(block, DocumentTable))
    assert "_" not in "".join(cell for row in table.rows for cell in row)


def test_what_a_list_leaves_out_how_old_it_is_and_what_no_source_says(evidence):
    listed, held = evidence.listed, evidence.listed.fields
    withheld, unknown = (replace(held["gender"], availability=word, granularity="") for word in ("withheld", "unknown"))
    leaves = replace(listed, fields={**held, "gender": withheld, "race": withheld})
    lines = list_doubts(leaves)
    assert lines[0] == "It leaves out sex and race."
    assert re.fullmatch(r"The oldest source .*\d{4}\.", lines[1])
    asks = replace(listed, fields={**held, "gender": unknown})
    assert "No source says whether it gives sex" in list_doubts(asks)[-1]
    closed = replace(listed, status="county_only", status_reason="Each county sells its own.")
    assert list_doubts(closed) == []
    seen = replace(evidence)
    seen.__dict__["listed"] = closed
    assert list_section(seen) == []
    assert list_sentences(seen, Numbers()).endswith("Each county sells its own.")
