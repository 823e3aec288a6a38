"""The annex of a state: its numbers are the study's, and each has a row with its formula and source."""

from __future__ import annotations

import datetime as dt
import re
from html.parser import HTMLParser

import pytest

from policy_sim.briefs import state_brief
from policy_sim.briefs.evidence import Evidence, Numbers
from policy_sim.briefs.sentences import old_fact_notice
from policy_sim.briefs.state_brief import figures_section, neighbors, place_section, race_section
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import PolicyByState
from policy_sim.show.document import document_bytes
from policy_sim.show.document.blocks import Bullets, DocumentTable, Heading, Paragraph, pieces
from policy_sim.show.numbers import people, percent
from policy_sim.show.theme import policy_title
from policy_sim.words.errors import InputError

DAY = dt.date(2026, 11, 22)


@pytest.fixture(scope="module")
def brief(small_study):
    return state_brief(small_study, "delaware", in_file=1000, date=DAY)


class _Links(HTMLParser):
    """Texts of links by where they lead, and the first cell of each row with a name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.rows, self.key, self.row = [], {}, "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a":
            self.key = given.get("href", "").removeprefix("#")
        if tag == "tr":
            self.row = given.get("id", "")

    def handle_endtag(self, tag):
        if tag == "a":
            self.key = ""
        if tag == "td":
            self.row = ""

    def handle_data(self, data):
        if self.key:
            self.links.append((self.key, data))
        if self.row:
            self.rows[self.row] = data


@pytest.mark.slow
def test_every_number_is_found_again_in_the_appendix(brief):
    page = _Links(document_bytes(brief.annex, "html").decode())
    numbered = [(key, text) for key, text in page.links if re.fullmatch(r"n\d+", key)]
    assert len(numbered) > 30
    assert all(page.rows[key] == text for key, text in numbered)


def test_no_number_of_a_sentence_stands_without_a_link(brief):
    """Before the methods; years of papers, ranks, the facts of the list and its sources are their own source."""
    loose = []
    for block in brief.annex.blocks:
        if isinstance(block, Heading) and block.key == "methods":
            break
        if isinstance(block, DocumentTable) and block.columns[0] == "fact":
            continue
        if isinstance(block, Paragraph) and block.text.startswith("Sources. "):
            continue
        texts = [block.text] if isinstance(block, Paragraph) else block.items if isinstance(block, Bullets) else []
        texts = [*texts, *(cell for row in block.rows for cell in row)] if isinstance(block, DocumentTable) else texts
        for text in texts:
            plain = "".join(piece.text for piece in pieces(text) if not piece.key)
            loose += re.findall(r"\d[\d,.%]*", re.sub(r"et al\. \(2015\)|of \d+ states|number \d+", "", plain))
    assert loose == []


def test_the_answer_is_the_study_s(brief, small_study):
    answer = small_study.compare(states="DE", g=1, rules="regulation", in_file=1000)
    text = document_bytes(brief.annex, "md").decode()
    for policy in ("safe-harbor", "limited-dataset"):
        profile = answer.profile("DE", policy, "general")
        assert people(profile.people(TOTAL_RISK).low) in text
        assert percent(profile.share(TOTAL_RISK).low) in text


@pytest.mark.slow
def test_a_state_beside_another_and_itself(small_study):
    brief = state_brief(small_study, "DE", against="VT", in_file=0.01, date=DAY)
    tables = [block for block in brief.annex.blocks if isinstance(block, DocumentTable) and block.columns[0] == "state"]
    assert [row[0] for row in tables[0].rows][:2] == ["Delaware", "Vermont"]
    with pytest.raises(InputError, match="with itself"):
        state_brief(small_study, "DE", against="delaware", date=DAY)


def test_a_release_that_the_state_does_not_make_has_no_page(small_study):
    county = load_policy("county")
    of_another = PolicyByState.of("own", "own", "test", {"NC": (county, county)}, "nothing is recorded")
    with pytest.raises(InputError, match="'own' shows nothing in DE: nothing is recorded"):
        state_brief(small_study, "DE", policies=["safe-harbor", of_another], date=DAY)


def test_an_old_fact_is_said_on_page_one(evidence, small_study):
    early, late = (Evidence.of(small_study, "DE", 1000, date=DAY.replace(year=year)) for year in (2020, 2036))
    (notice,) = old_fact_notice(late, Numbers())
    assert re.search(r"\d+ years\]\] old", notice.text)
    assert old_fact_notice(early, Numbers()) == []


# Sections: a table of everyone released has a row per policy and attacker, and a race section adds up.


def table(blocks):
    (one,) = (block for block in blocks if isinstance(block, DocumentTable))
    return one


def test_the_file_and_everyone_released(evidence):
    file, everyone = (block for block in figures_section(evidence, Numbers()) if isinstance(block, DocumentTable))
    assert [row[:2] for row in file.rows] == [row[:2] for row in everyone.rows]
    assert [row[:2] for row in everyone.rows] == [
        ("Safe Harbor", "knows everyone"),
        ("Safe Harbor", "has the voter list"),
        ("Limited data set", "knows everyone"),
        ("Limited data set", "has the voter list"),
    ]


def test_a_neighbor_outside_the_population_is_left_out(evidence):
    rows = table(place_section(evidence, Numbers(), ("MD", "RI"))).rows
    assert [row[0] for row in rows] == ["Delaware", "Rhode Island"]


def test_shares_by_race_add_up(evidence):
    assert len(race_section(evidence, Numbers())) > 1
    for by in ("race", "ethnicity"):
        assert evidence.broken_down(by)["member_share"].sum() == pytest.approx(1)
        assert evidence.broken_down(by)["of_total"].sum() == pytest.approx(1)


def test_a_policy_with_ethnicity_says_so_in_its_name_and_who_is_at_risk(small_study):
    evidence = Evidence.of(small_study, "DE", 1000, policies="safe-harbor", date=DAY)
    tables = [block for block in race_section(evidence, Numbers()) if isinstance(block, DocumentTable)]
    assert [each.columns[0] for each in tables] == ["race", "ethnicity"]
    assert [row[0] for row in tables[1].rows] == ["Hispanic, of any race", "not Hispanic"]
    assert tables[0].caption == "Under Safe Harbor, everyone released"
    alone = Evidence.of(small_study, "DE", 1000, policies="safe-harbor-race-alone", date=DAY)
    (by_race,) = (block for block in race_section(alone, Numbers()) if isinstance(block, DocumentTable))
    assert by_race.caption == "Under Safe Harbor with race alone, everyone released"
    assert policy_title("limited-dataset-race-alone") == "Limited data set, race alone"


# Borders, as any map shows them.


def test_some_borders_and_each_has_two_sides():
    borders = {"OH": ("IN", "KY", "MI", "PA", "WV"), "ME": ("NH",), "AK": (), "XX": ()}
    assert {state: neighbors(state) for state in borders} == borders
    for state in ("TN", "MO", "CO", "NY", "DC"):
        assert all(state in neighbors(other) for other in neighbors(state))
