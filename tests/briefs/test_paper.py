"""The paper of a state: two pages in every format, what each must say, and figures that are the study's."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest

from policy_sim import Study
from policy_sim.attackers.in_file import InFile
from policy_sim.briefs import Proposal, bill_brief, nation_brief, state_brief
from policy_sim.briefs.evidence import Evidence, Numbers, goals, small_groups, thresholds
from policy_sim.briefs.paper import first_page, second_page, valid_until, ways_below
from policy_sim.briefs.sentences import change_words, shown_of
from policy_sim.model.measure import TOTAL_RISK, Bounds
from policy_sim.policies.lattice import policy_from_text
from policy_sim.show.document import document_bytes
from policy_sim.show.document.blocks import Bullets, DocumentTable, Heading, Notice, Paragraph, pieces
from policy_sim.show.numbers import of_hundred, percent

DAY = dt.date(2026, 11, 22)


@pytest.fixture(scope="module")
def brief(small_study):
    asked = Proposal("discharge records", "2024", "State University")
    return state_brief(small_study, "DE", in_file=1000, date=DAY, proposal=asked)


def told(blocks, kinds=(Paragraph, Notice, Bullets, DocumentTable, Heading)):
    """Return every text of blocks, without marks."""
    texts = []
    for block in blocks:
        if isinstance(block, kinds):
            cells = [*block.columns, *(cell for row in block.rows for cell in row)] if hasattr(block, "rows") else ()
            texts += [*cells, *getattr(block, "items", ()), *filter(None, [getattr(block, "text", "")])]
    return ["".join(piece.text for piece in pieces(text)) for text in texts]


@pytest.mark.slow
def test_two_pages_of_paper_and_one_of_a_bill_and_of_the_nation(brief, small_study):
    one_page = [bill_brief(small_study, "DE", {"birth": "year"}, date=DAY), nation_brief(small_study, date=DAY)]
    for pages, number in ((brief, 2), *((each, 1) for each in one_page)):
        written = document_bytes(pages.paper, "pdf")
        assert len(re.findall(rb"/Type /Page\b", written)) == number
        assert "not a determination" in pages.paper.footer  # at the foot of every page


def test_page_one_says_in_this_order_what_a_board_asks(brief):
    heads = [block.text for block in brief.paper.blocks if isinstance(block, Heading)]
    assert heads == [
        "What is proposed",
        "The answer",
        "What the law asks of this release",
        "How the figure compares with limits in use",
        "How sure this is",
        "What would lower it",
        "The voter list and its price",
        "What these pages assume",
        "How long this holds",
        "Who considered it",
    ]
    text = " ".join(told(brief.paper.blocks))
    for words in (
        "discharge records of 1,000 people",
        "2024",
        "State University",
        "data use agreement",
        "18 kinds of identifiers",
        "45 CFR 164.514(b)(1)",
        "dates of care, diagnoses, facility",
        "not a determination",
    ):
        assert words in text
    assert not re.search(r"\b(un)?safe\b", text.replace("Safe Harbor", ""))
    assert "birth year class" not in text
    assert "$300" not in text


def test_what_nobody_stated_is_asked_for(evidence):
    text = told(first_page(evidence, Numbers(), Proposal()))
    assert text.count("not stated: find out") == 2
    assert "all of Delaware (assumed)" in text
    assert any("We do not know where they come from" in words for words in text)
    stated = told(first_page(evidence, Numbers(), Proposal(patients="Kent County")))
    assert "Kent County" in stated
    assert not any("We do not know" in words for words in stated)


def test_a_file_from_somewhere_says_so_and_what_the_whole_state_would_give(small_study):
    counties = Evidence.of(small_study, "DE", InFile.of(1000, "Kent=0.9,Sussex"), date=DAY)
    text = told(first_page(counties, Numbers(), Proposal()))
    assert "Kent 90%, Sussex 10% (stated)" in text
    assert "ethnicity" not in text  # it is an answer to race, which its row says
    (patients,) = [words for words in text if words.startswith("Your patients.")]
    assert "They come from 2 counties, stated by you" in patients
    for name in counties.policies:
        everywhere = small_study.compare(name, "general", "DE", 1, in_file=1000).profiles[0].share(TOTAL_RISK)
        assert of_hundred(everywhere.low, everywhere.high) in patients
        here = counties.file.profile("DE", name, "general").share(TOTAL_RISK)
        assert here.low < everywhere.low


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ("Kent,Sussex", "(stated; shares by population)"),
        ("199", "ZIP 199 100% (stated)"),
        ("Kent", "Kent 100% (stated)"),
    ],
)
def test_what_somebody_said_of_the_places_is_told_from_what_is_assumed(small_study, places, said):
    counties = Evidence.of(small_study, "DE", InFile.of(1000, places), date=DAY)
    text = told(first_page(counties, Numbers(), Proposal()))
    assert any(words.endswith(said) for words in text), text


@pytest.mark.parametrize(
    ("per_person", "words"),
    [(1.4, "1,400 records at 1.4 per person"), (None, "1,400 records, counted as one per person")],
)
def test_records_are_not_people(small_study, per_person, words):
    file = InFile.of_records(1400, per_person)
    text = told(first_page(Evidence.of(small_study, "DE", file, date=DAY), Numbers(), Proposal()))
    assert f"health records of {file.people:,} people ({words})" in text


@pytest.mark.slow
def test_a_file_from_somewhere_fills_two_pages_too(small_study):
    pages = state_brief(small_study, "DE", in_file=InFile.of(1000, "Kent=0.9,Sussex"), date=DAY)
    assert len(re.findall(rb"/Type /Page\b", document_bytes(pages.paper, "pdf"))) == 2


def test_a_name_that_looks_like_a_mark_stays_as_it_is(evidence):
    assert "[[n1|us]] **and** them" in told(
        first_page(evidence, Numbers(), Proposal(recipient="[[n1|us]] **and** them"))
    )


def test_the_sentence_is_the_study_s_and_every_number_of_the_paper_is_in_the_annex(evidence):
    numbers = Numbers(evidence.source, linked=False)
    blocks = [*first_page(evidence, numbers, Proposal()), *second_page(evidence, numbers)]
    lead = next(block.text for block in blocks if isinstance(block, Paragraph) and block.kind == "lead")
    rows = [row[0] for row in numbers.in_annex().appendix().rows]
    for policy in evidence.policies:
        share = evidence.file.profile("DE", policy, "voter").share(TOTAL_RISK)
        assert of_hundred(share.low, share.high) in lead
        assert of_hundred(share.low, share.high) in rows
    assert "[[" not in "".join(text for block in blocks if isinstance(block, Paragraph) for text in [block.text])


@pytest.mark.slow
def test_page_one_is_easy_to_read(evidence):
    """Flesch-Kincaid and Coleman-Liau of whole sentences are at most 10; citations in brackets are none."""
    textstat = pytest.importorskip("textstat", reason="textstat is not installed")
    blocks = [block for block in first_page(evidence, Numbers(), Proposal()) if getattr(block, "kind", "") != "small"]
    text = " ".join(told(blocks, (Paragraph, Notice, Bullets)))
    text = re.sub(r" \((?:[^()]|\([^()]*\))*\d(?:[^()]|\([^()]*\))*\)", "", text)
    words, sentences = re.findall(r"[A-Za-z'-]+|\d[\d,.]*", text), re.findall(r"[.]\s|[.]$", text)
    syllables = sum(max(len(re.findall(r"[aeiouy]+", word.lower().removesuffix("e"))), 1) for word in words)
    assert len(words) > 150
    assert 0.39 * len(words) / len(sentences) + 11.8 * syllables / len(words) - 15.59 <= 10
    assert textstat.coleman_liau_index(text) <= 10


@pytest.mark.slow
def test_a_state_without_a_list_says_so_and_who_is_left():
    people = Study("us-2020").people.in_states(("HI",))
    seen = Evidence.of(Study(people, lists=2026), "HI", 1000, date=DAY)
    text = " ".join(told([*first_page(seen, Numbers(), Proposal()), *second_page(seen, Numbers())]))
    assert "someone who knows everyone's birth date and home" in text
    assert text.count("statewide") == 3  # where the people come from, and once on each page of the list
    assert text.count("Each of the four county clerks sells its own list.") == 1
    assert "has the voter list" not in text
    assert "The attacker knows who is in the file" in text


# Limits in use, and the ways to get below them.


def test_where_a_figure_stands_to_each_limit(evidence):
    profile = evidence.file.profile("DE", "safe-harbor", "general")
    group, mean = (next(limit for limit in thresholds() if bool(limit.least) == kind) for kind in (True, False))
    small = profile.share(f"{small_groups()[0]}-distinct")
    assert group.stand(profile) in (f"{percent(small.low)} in smaller groups", "nearly all in smaller groups")
    for share, words in ((0.2, "above both"), (0.07, "between the two"), (0.01, "below both")):
        figure = Bounds(share * profile.records, share * profile.records)
        assert mean.stand(replace(profile, values={**profile.values, TOTAL_RISK: figure})) == words
    figure = Bounds(0.01 * profile.records, 0.2 * profile.records)
    assert mean.stand(replace(profile, values={**profile.values, TOTAL_RISK: figure})).startswith("unknown")
    assert all(limit.citation for limit in thresholds())
    assert goals() == (0.2, 0.1, 0.05)


def test_the_way_to_a_goal_loses_least_of_those_that_reach_it(evidence, small_study):
    """Found again by hand: of every way that shows no more, the one that keeps the most."""
    proposed = evidence.question.loaded[-1]
    rows = evidence.searched.rows
    for goal in goals():
        first, *others = ways_below(evidence, proposed, goal)
        share = small_study.compare(first, "general", "DE", 1, in_file=1000).profile("DE", first.name, "general")
        assert share.share(TOTAL_RISK).low < goal
        reached = rows[rows["total_risk_share"] < goal]
        assert rows.set_index("policy").loc[first.name, "utility"] == pytest.approx(reached["utility"].max())
        assert all(other.releases["race"] == "race_ethnicity" for other in others)


def test_a_way_shows_no_more_than_is_proposed(small_study):
    seen = Evidence.of(small_study, "DE", 1000, policies=("limited-dataset", "safe-harbor"), date=DAY)
    proposed = seen.question.loaded[-1]
    for goal in goals():
        for way in ways_below(seen, proposed, goal):
            assert dict(shown_of(way))["place"] == "the state only"
            assert way.conditions.top_age is not None or way.releases["birth"] == "none"
            assert "place: the state only" in change_words(way, proposed)


def test_what_a_record_shows_in_words():
    policy = policy_from_text("sex+race=broad+birth=month+geography=county (age<85+county>20000)")
    assert dict(shown_of(policy)) == {
        "sex": "as recorded",
        "race": "in broad classes",
        "ethnicity": "not shown",
        "birth": "month and year; 85 and over together",
        "place": "county (of more than 20,000 people)",
    }


# Until when: two years from the newest source on the fact that decides, and the next census.


def test_how_long_it_holds(evidence):
    fact = evidence.listed
    until, why = valid_until(evidence)
    assert until.startswith("until ")
    assert "decided this date" in why
    late = Evidence.of(evidence.study, "DE", 1000, date=DAY.replace(year=2036))
    assert valid_until(late)[0].endswith(" (past)")
    assert valid_until(Evidence.of(evidence.study, None, date=DAY))[0] == "until June 2028"
    closed = replace(evidence)
    closed.__dict__["listed"] = replace(fact, status="county_only", status_reason="x")
    assert valid_until(closed)[0] == "until April 2030"
