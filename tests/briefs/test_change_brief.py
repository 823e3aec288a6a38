"""A page on a bill or on two vintages: before and after are the study's figures."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.briefs import bill_brief, nation_vintage_brief, vintage_brief
from policy_sim.briefs.bill_brief import BILL, _fits, _meets
from policy_sim.briefs.change_brief import _differs, differences_table, sentence_of
from policy_sim.briefs.sentences import law_words
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.show.document import document_bytes
from policy_sim.show.document.blocks import DocumentTable, Heading, Picture
from policy_sim.show.numbers import interval, percent
from policy_sim.voter_lists.changes import CHANGEABLE
from policy_sim.voter_lists.list_field import BUYERS, USES, ListField
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import GRANULARITIES, Field

DAY = dt.date(2026, 11, 22)


def page(study, state, changes):
    return in_words(bill_brief(study, state, changes, in_file=1000, date=DAY))


def in_words(brief):
    return "".join(document_bytes(document, "md").decode() for document in (brief.paper, brief.annex))


@pytest.mark.slow
def test_before_and_after(small_study):
    text = page(small_study, "RI", {"birth": "withheld"})
    after = small_study.voter.changed("x", "RI", {"birth": "withheld"})
    answer = small_study.compare(states="RI", attackers=["voter", after], g=1, rules="regulation", in_file=1000)
    for who in ("voter", "x"):
        share = answer.profile("RI", "limited-dataset", who).share(TOTAL_RISK)
        assert percent(share.low) in text
    assert "shows no birth date or year" in text
    assert "birth = withheld" not in text


def test_a_bill_that_changes_nothing_says_so(small_study):
    listed = small_study.unrestricted_voter.voter_list("DE").fields["birth"]
    value = listed.granularity if listed.availability == "included" else listed.availability
    assert "stays at" in page(small_study, "DE", {"birth": value})


def test_a_list_that_nobody_may_have_before_or_after(evidence):
    now = evidence.file.profile("DE", "limited-dataset", "voter")
    gone = replace(now, figures={}, status="not_sold", reason="a law")
    assert "no one can link records: a law." in sentence_of(now, gone, BILL)
    assert sentence_of(gone, gone, BILL).endswith("no figure before the bill: a law.")
    share = percent(now.share(TOTAL_RISK).low)
    assert sentence_of(gone, now, BILL).endswith(f"After the bill, the share named is {share}.")


def test_a_bill_starts_with_the_whole_state_and_is_no_paper_on_a_release(small_study):
    brief = bill_brief(small_study, "VT", {"birth": "withheld"}, in_file=1000, date=DAY)
    text = document_bytes(brief.paper, "md").decode()
    rows = small_study.what_if("VT", {"birth": "withheld"}, "limited-dataset", 1).to_frame()
    (row,) = rows[rows["measure"] == "total-risk"].itertuples()
    assert 0 < text.index(f"{row.before:,.0f}") < text.index("In one file") < text.index("1,000 people in Vermont")
    for words in ("45 CFR", "Who considered it", "Valid", "determination", "____", "How long this holds"):
        assert words not in in_words(brief).replace("as 45 CFR 164.514 states them", ""), words
    headings = [block.text for block in brief.paper.blocks if isinstance(block, Heading)]
    assert headings == ["In one file", "Who does it already", "What the bill does not change", "Check before you quote"]
    assert "sued on December 2, 2025" in text


def test_states_that_do_it_already_since_when():
    """By hand from the lists: Missouri's change is recorded, Delaware's earlier date is in doubt."""
    text = in_words(bill_brief(Study("us-2020"), "OH", {"birth": "year"}, date=DAY))
    assert {("Missouri", "2022"), ("Washington", "2023"), ("Nebraska", "2026")} <= set(
        re.findall(r"(\w+) since (\d{4})", text)
    )
    assert re.search(r"2002 or before\W+Minnesota and Vermont\b", text)
    (line,) = (line for line in text.splitlines() if line.startswith("- **In 2020 or before**"))
    assert "Delaware" in line
    assert "Texas" not in text.partition("What the bill does not change")[0]
    asked = {"birth": ListField("included", "year")}
    listed = Study("us-2020").unrestricted_voter.voter_lists.lists
    less = [s for s, own in listed.items() if s != "OH" and own.status == "available" and _meets(own, asked, less=True)]
    births = {s: own.fields["birth"] for s, own in listed.items() if s != "OH" and own.status == "available"}
    coarse = ("year", "five_years")
    by_hand = [s for s, birth in births.items() if birth.availability == "withheld" or birth.granularity in coarse]
    assert sorted(less) == sorted(by_hand)
    assert f"As of 2026, {len(by_hand)} other states' lists already show no more." in text


@pytest.mark.parametrize(
    ("fact", "asked", "less", "fits"),
    [
        (ListField("included", "year"), ListField("included", "date"), True, True),
        (ListField("included", "date"), ListField("included", "year"), True, False),
        (ListField("included", "date"), ListField("included", "year"), False, True),
        (ListField("withheld"), ListField("included", "year"), True, True),
        (ListField("withheld"), ListField("included", "year"), False, False),
        (ListField("unknown"), ListField("withheld"), True, False),
    ],
)
def test_a_field_shows_no_more_or_no_less_than_asked(fact, asked, less, fits):
    assert _fits("birth", fact, asked, less=less) is fits


# A page on two vintages: the same people, with the lists of each.


@pytest.mark.slow
def test_a_list_of_an_earlier_year(small_study):
    """Rhode Island's list of 2008 showed the date of birth by deduction; that of 2026 shows the year."""
    text = in_words(vintage_brief(small_study, "RI", "2008", in_file=1000, date=DAY))
    before = small_study.voter_of("2008")
    assert (before.coverage.year, small_study.voter.coverage.year) == (2010, 2024)
    assert "November 2010" in text
    answer = small_study.compare(states="RI", attackers=[before, "voter"], g=1, rules="regulation", in_file=1000)
    for who in (before.name, "voter"):
        share = answer.profile("RI", "limited-dataset", who).share(TOTAL_RISK)
        assert interval(share.low, share.high, percent) in text
    assert "| birth | included (date) | included (year) |" in text
    assert "birth of 2008 is deduced" in text
    assert "voter lists of 2008 |" in text
    assert "voter lists of 2026 |" in text


def test_two_lists_of_which_nothing_differs(small_study):
    text = in_words(vintage_brief(small_study, "VT", "2026", in_file=1000, date=DAY))
    assert "No difference is recorded" in text
    assert "What differs between the lists" not in text


def test_whether_the_state_or_the_source_changed_is_in_the_first_lines():
    columns = ["item", "before", "after", "cause", "why"]
    source = pd.DataFrame([("birth", "unknown", "included (date)", "source", "")], columns=columns)
    law = pd.DataFrame([("birth", "included (date)", "included (year)", "law", "an act")], columns=columns)
    assert "unknown whether the list itself changed" in _differs(source)
    assert _differs(pd.concat([source, law])) == "The state itself changed: birth."
    heading, table, whys = differences_table(law, "2020", "2026")
    assert table.rows == (("birth", "included (date)", "included (year)", "law, rule or practice"),)
    assert whys.items == ("Birth: an act",)
    assert len(differences_table(source, "2020", "2026")) == 2
    assert heading.text == "What differs between the lists"


def test_what_is_refused(small_study):
    with pytest.raises((InputError, UnknownNameError)):
        bill_brief(small_study, "DE", {"shoes": "date"}, date=DAY)


# The nation under the lists of two times: the same people, the same classes of both maps.


@pytest.mark.slow
def test_the_nation_under_the_lists_of_two_years(small_study):
    """Of DE, RI and VT, only Rhode Island's list of 2008 showed the date of birth and that of 2026 does not."""
    brief = nation_vintage_brief(small_study, "2008", date=DAY)
    answer = small_study.compare("limited-dataset", [small_study.voter_of("2008"), "voter"], g=1, rules="regulation")
    rows = {p.attacker: p for p in answer if p.state == "RI"}
    assert {"voter-2008", "voter"} == set(rows)
    tables = (block for block in brief.annex.blocks if isinstance(block, DocumentTable))
    (table,) = (each for each in tables if each.columns[0] == "state")
    by_state = {row[0]: row for row in table.rows}
    assert "birth: included (date) to included (year) (source)" in by_state["Rhode Island"][3]
    assert percent(rows["voter"].share(TOTAL_RISK).low) in by_state["Rhode Island"][2]
    assert sum(isinstance(block, Picture) for block in brief.paper.blocks) == 2
    assert "voter lists of 2008 and of 2026" in in_words(brief)


def test_two_lists_of_the_nation_that_are_the_same(small_study):
    text = in_words(nation_vintage_brief(small_study, "2026", policies="limited-dataset", date=DAY))
    assert re.search(r"rose\D+0\D+fell\D+0\D+3\b", text)
    assert re.search(r"No fact .*\bdiffers\b", text)


# A bill in words: no item is named as it is typed.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"birth": "withheld"}, "the list shows no birth date or year"),
        ({"birth": "decade"}, "the list shows births by decade"),
        ({"geography": "zip5"}, "the list shows the ZIP code"),
        ({"race": "unknown"}, "the list may or may not show race"),
        ({"price": "0"}, "the list is free"),
        ({"price": "unknown"}, "the price of the list is unknown"),
        ({"buyers": "public"}, "anyone may get the list"),
        ({"buyers": "nobody"}, "nobody may get the list"),
        ({"uses": "political"}, "the list is for political uses only"),
        (
            {"buyers": "party,candidate", "uses": "political"},
            "only parties and candidates may get the list, and only for political use",
        ),
        ({"status": "county_only", "price": "5"}, "only counties or towns sell their lists; it costs $5"),
    ],
)
def test_words(changes, words):
    assert law_words(changes) == words


@pytest.mark.parametrize("item", CHANGEABLE)
def test_every_item_has_words(item):
    values = {"price": ["3"], "buyers": list(BUYERS), "uses": list(USES), "status": ["available", "not_sold"]}
    values |= {field.value: list(GRANULARITIES[field]) for field in Field}
    for value in values.get(item, ["included", "withheld", "unknown"]):
        words = law_words({item: value})
        assert "=" not in words
        assert "_" not in words
        assert "gender" not in words
