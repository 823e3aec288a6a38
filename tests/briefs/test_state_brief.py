"""The brief of a state, paper and annex: what each must say, and that every number is the study's and has a source."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from barriers import OF_COLOR, serious_barriers

from policy_sim import Study
from policy_sim.attackers.in_file import InFile
from policy_sim.briefs import Brief, Proposal, bill_brief, nation_brief, state_brief
from policy_sim.briefs.evidence import Evidence, Numbers, goals, small_groups, thresholds
from policy_sim.briefs.limited import limited_page
from policy_sim.briefs.paper import first_page, review_by, second_page, ways_below
from policy_sim.briefs.sentences import change_words, old_fact_notice, shown_of
from policy_sim.briefs.state_brief import figures_section, neighbors, place_section, race_section
from policy_sim.model.measure import TOTAL_RISK, Bounds
from policy_sim.model.profile import Figure
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import PolicyByState, policy_from_text
from policy_sim.records.engines.sent_fields import SentField, SentFields
from policy_sim.show.document import document_bytes
from policy_sim.show.document.blocks import Bullets, Document, DocumentTable, Heading, Notice, Paragraph, pieces
from policy_sim.show.numbers import people, percent, ranged
from policy_sim.show.theme import policy_title
from policy_sim.words.errors import InputError

DAY = dt.date(2026, 11, 22)


def _in_words(share):
    return "nearly all" if share >= 0.995 else percent(share)


@pytest.fixture(scope="module")
def brief(small_study):
    asked = Proposal("discharge records", "2024", "State University")
    return state_brief(small_study, "delaware", in_file=1000, date=DAY, proposal=asked)


def told(blocks, kinds=(Paragraph, Notice, Bullets, DocumentTable, Heading)):
    """Return every text of blocks, without marks."""
    texts = []
    for block in blocks:
        if isinstance(block, kinds):
            cells = [*block.columns, *(cell for row in block.rows for cell in row)] if hasattr(block, "rows") else ()
            texts += [*cells, *getattr(block, "items", ()), *filter(None, [getattr(block, "text", "")])]
    return ["".join(piece.text for piece in pieces(text)) for text in texts]


def tables(blocks):
    return [block for block in blocks if isinstance(block, DocumentTable)]


@pytest.mark.slow
def test_three_pages_for_a_limited_data_set_two_for_another_release_and_one_for_a_bill(brief, small_study):
    from_somewhere = state_brief(small_study, "DE", in_file=InFile.of(1000, "Kent=0.9,Sussex"), date=DAY)
    one_page = [bill_brief(small_study, "DE", {"birth": "year"}, date=DAY), nation_brief(small_study, date=DAY)]
    other = state_brief(small_study, "DE", in_file=1000, policies=["limited-dataset", "safe-harbor"], date=DAY)
    for pages, number in ((brief, 3), (from_somewhere, 3), (other, 2), *((each, 1) for each in one_page)):
        written = document_bytes(pages.paper, "pdf")
        assert len(re.findall(rb"/Type /Page\b", written)) == number
        assert ("not a determination" in pages.paper.footer) is (pages is not one_page[0])  # at the foot of every page


def test_page_one_says_in_this_order_what_a_board_asks(brief):
    heads = [block.text for block in brief.paper.blocks if isinstance(block, Heading)]
    subjects = (
        *("proposed", "answer", "law", "limits", "sure", "lower", "voter list", "assume"),
        *("limited data set", "data use agreement", "no figure", "minutes", "review", "considered"),
    )
    assert [head for head, subject in zip(heads, subjects, strict=True) if subject not in head] == []
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


def first_told(evidence, **proposal):
    return told(first_page(evidence, Numbers(), Proposal(**proposal)))


def test_what_nobody_stated_is_asked_for_and_a_name_that_looks_like_a_mark_stays_as_it_is(evidence):
    text = first_told(evidence)
    assert text.count("not provided: ask before you decide") == 2
    assert "all of Delaware (assumed)" in text
    assert any("We do not know" in words for words in text)
    stated = first_told(evidence, patients="Kent County", recipient="[[n1|us]] **and** them")
    assert {"Kent County", "[[n1|us]] **and** them"} <= set(stated)
    assert not any("We do not know" in words for words in stated)


def test_a_release_that_no_rule_of_the_paper_is_of_is_not_proposed_as_another(evidence):
    proposal = Proposal(unmeasured="a class size, k=11", columns=("age", "zip"))
    pages = [*first_page(evidence, Numbers(), proposal), *second_page(evidence, Numbers(), is_measured=False)]
    first, *rest = told(pages)
    assert re.match("No figure .* a class size, k=11\\.", first)
    assert not any("(proposed)" in text for text in rest)
    assert "What would lower it" not in rest
    assert any(text.endswith("sent, 2: age and zip.") for text in rest)
    named = first_told(evidence)
    assert any("(proposed)" in text for text in named)
    assert not any("Columns that are sent" in text for text in named)


def test_a_file_from_somewhere_says_so_and_what_the_whole_state_would_give(small_study):
    counties = Evidence.of(small_study, "DE", InFile.of(1000, "Kent=0.9,Sussex"), date=DAY)
    text = first_told(counties)
    assert "Kent 90%, Sussex 10% (stated)" in text
    assert "ethnicity" not in text  # it is an answer to race, which its row says
    (patients,) = [words for words in text if words.startswith("Your patients.")]
    assert "from 2 counties, as you said" in patients
    for name in counties.policies:
        everywhere = small_study.compare(name, "general", "DE", 1, in_file=1000).profiles[0].share(TOTAL_RISK)
        assert _in_words(everywhere.low) in patients
        here = counties.file.profile("DE", name, "general").share(TOTAL_RISK)
        assert here.low < everywhere.low


def test_a_size_that_nobody_gave_is_assumed_in_the_first_sentence(small_study):
    """A size of 1% that somebody gave is not."""
    assumed, given = (Evidence.of(small_study, "DE", size, date=DAY) for size in (None, 0.01))
    people = f"{assumed.file.profile('DE', assumed.policies[-1], 'general').records:,.0f}"
    for evidence, is_assumed in ((assumed, True), (given, False)):
        (lead,) = [words for words in first_told(evidence) if words.startswith("Of the people in this file")]
        assert ("assumed" in lead, people in lead) == (is_assumed, is_assumed)
        (size,) = [words for words in first_told(evidence) if words.startswith("health records of")]
        assert people in size
        assert ("assumed" in size) == is_assumed


def test_who_does_not_know_the_file_has_a_range_that_counties_add_up_to(small_study):
    """A file from every county by its people: the share of the state, at either end."""
    counties = Evidence.of(small_study, "DE", InFile.of(1000, "Kent,New Castle,Sussex"), date=DAY)
    for policy in counties.policies:
        of_file = counties.outsider(policy).share_range(TOTAL_RISK)
        of_state = counties.everyone("DE", policy, "voter").share_range(TOTAL_RISK)
        assert (of_file.low, of_file.high) == pytest.approx((of_state.low, of_state.high), rel=1e-9)
        assert of_file.low < of_file.high


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (InFile.of(1000, "Kent,Sussex"), "(stated; shares by population)"),
        (InFile.of(1000, "199"), "ZIP 199 100% (stated)"),
        (InFile.of(1000, "Kent"), "Kent 100% (stated)"),
        # records are not people
        (InFile.of_records(1400, 1.4), "1,000 people (1,400 records at 1.4 per person)"),
        (InFile.of_records(1400, None), "1,400 people (1,400 records, counted as one per person)"),
    ],
)
def test_what_somebody_said_of_a_file_is_told_from_what_is_assumed(small_study, file, said):
    text = first_told(Evidence.of(small_study, "DE", file, date=DAY))
    assert any(words.endswith(said) for words in text), text


def test_the_sentence_is_the_study_s_and_every_number_of_the_paper_is_in_the_annex(evidence):
    numbers = Numbers(evidence.source, linked=False)
    blocks = [*first_page(evidence, numbers, Proposal()), *second_page(evidence, numbers)]
    paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
    lead = next(block.text for block in paragraphs if block.kind == "lead")
    rows = [row[0] for row in numbers.in_annex().appendix().rows]
    for policy in evidence.policies:
        profile = evidence.file.profile("DE", policy, "voter")
        share, held = profile.share(TOTAL_RISK), profile.share_range(TOTAL_RISK)
        assert held.low < share.low or share.high < held.high, "the list has a range"
        assert ranged(share, held, percent) in lead
        assert ranged(share, held, percent) in rows
    assert "[[" not in "".join(block.text for block in paragraphs)


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
    assert "knows everyone's birth date and home" in text
    assert text.count("statewide") == 3  # where the people come from, and once on each page of the list
    assert text.count("four county clerks sells its own list.") == 1
    assert "has the voter list" not in text
    assert "knows who is in the file" in text


# Limits in use, and the ways to get below them.


def test_where_a_figure_stands_to_each_limit(evidence):
    profile = evidence.file.profile("DE", "safe-harbor", "general")
    group, mean = (next(limit for limit in thresholds() if bool(limit.least) == kind) for kind in (True, False))
    small = profile.share(f"{small_groups()[0]}-distinct")
    assert group.stand(profile) == f"{_in_words(small.low)} in smaller groups"

    def stands(low, high):
        figure = Bounds(low * profile.records, high * profile.records)
        return mean.stand(replace(profile, figures={**profile.figures, TOTAL_RISK: Figure(figure)}))

    words = [stands(share, share) for share in (0.2, 0.07, 0.01)]
    assert words == ["above both", "between the two", "below both"]
    assert stands(0.01, 0.2).startswith("unknown")
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


def test_when_to_review_it_and_an_old_fact_is_said_on_page_one(evidence, small_study):
    """Two years from the newest source on the fact that decides, and until the next census."""
    when, why = review_by(evidence)
    assert when.startswith("Review by ")
    assert "comes from the age" in why
    early, late = (Evidence.of(small_study, "DE", 1000, date=DAY.replace(year=year)) for year in (2020, 2036))
    assert review_by(late)[0].startswith("Review was due in ")
    assert review_by(Evidence.of(evidence.study, None, date=DAY))[0] == "Review by June 2028"
    closed = replace(evidence)
    closed.__dict__["listed"] = replace(evidence.listed, status="county_only", status_reason="x")
    assert review_by(closed)[0] == "Review by April 2030"
    (notice,) = old_fact_notice(late, Numbers())
    assert re.search(r"\d+ years\]\] old", notice.text)
    assert old_fact_notice(early, Numbers()) == []


def test_limited_data_set_page_has_the_agreement_the_minutes_and_what_is_in_no_figure(evidence):
    sent = SentFields(
        10, ("sex", "dob"), 0.5, 0.1, (SentField("ad**mit", "date", 0.9, 0.4),), ("payer",), ("mrn",)
    )  # fmt: skip
    numbers = Numbers(linked=False)
    blocks = limited_page(evidence, numbers, Proposal("visits", "2024", "State University", sent=sent))
    text = document_bytes(Document("t", "", tuple(blocks)), "md").decode()
    items = [line for line in text.splitlines() if line.startswith("☐ ")]
    # 45 CFR 164.514(e)(4)(ii)(A), (B), (C)(1) to (5)
    assert [item.partition(" The ")[0].partition(" It ")[0] for item in items] == [
        *("☐ (A)", "☐ (B)"),
        *(f"☐ (C)({number})" for number in range(1, 6)),
    ]
    for words in ("164.502(b)", "164.514(e)(4)(iii)", "not have (45 CFR 164.514(e)(2)):** mrn", "Not measured: payer"):
        assert words in text, words
    assert "| none |  | 50% | 10%" in text
    assert "| ad\\*\\*mit | date | 90% | 40%" in text
    minutes = blocks[-1].text
    share = evidence.file.profile("DE", "limited-dataset", "general").share(TOTAL_RISK)
    assert _in_words(share.low) in minutes
    assert "of 2024 of 1,000 people to State University" in minutes
    assert minutes.endswith(f"{review_by(evidence)[0]}.")
    without = limited_page(evidence, Numbers(), Proposal())
    assert any(isinstance(block, Paragraph) and "With --file" in block.text for block in without)


# The annex: its numbers are the study's, and each has a row with its formula and source.


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
    beside = next(table for table in tables(brief.annex.blocks) if table.columns[0] == "state")
    assert [row[0] for row in beside.rows][:2] == ["Delaware", "Vermont"]
    with pytest.raises(InputError, match="with itself"):
        state_brief(small_study, "DE", against="delaware", date=DAY)


def test_a_release_that_the_state_does_not_make_has_no_page(small_study):
    county = load_policy("county")
    of_another = PolicyByState.of("own", "own", "test", {"NC": (county, county)}, "nothing is recorded")
    with pytest.raises(InputError, match="'own' shows nothing in DE: "):
        state_brief(small_study, "DE", policies=["safe-harbor", of_another], date=DAY)


def test_the_file_and_everyone_released_and_neighbors_of_the_population(evidence):
    file, everyone = tables(figures_section(evidence, Numbers()))
    assert [row[:2] for row in file.rows] == [row[:2] for row in everyone.rows]
    assert [row[:2] for row in everyone.rows] == [
        ("Safe Harbor", "knows everyone"),
        ("Safe Harbor", "has the voter list"),
        ("Limited data set", "knows everyone"),
        ("Limited data set", "has the voter list"),
    ]
    (beside,) = tables(place_section(evidence, Numbers(), ("MD", "RI")))
    assert [row[0] for row in beside.rows] == ["Delaware", "Rhode Island"]


def test_shares_by_race_add_up(evidence):
    assert len(race_section(evidence, Numbers())) > 1
    for by in ("race", "ethnicity"):
        assert evidence.broken_down(by)["member_share"].sum() == pytest.approx(1)
        assert evidence.broken_down(by)["of_total"].sum() == pytest.approx(1)


def test_a_policy_with_ethnicity_says_so_in_its_name_and_who_is_at_risk(small_study):
    def at_risk(policy):
        return tables(race_section(Evidence.of(small_study, "DE", 1000, policies=policy, date=DAY), Numbers()))

    by_race, by_ethnicity = at_risk("safe-harbor")
    assert (by_race.columns[0], by_ethnicity.columns[0]) == ("race", "ethnicity")
    assert [row[0] for row in by_ethnicity.rows] == ["Hispanic, of any race", "not Hispanic"]
    assert by_race.caption.startswith("Under Safe Harbor, ")
    (alone,) = at_risk("safe-harbor-race-alone")
    assert alone.caption.startswith("Under Safe Harbor with race alone, ")
    assert policy_title("limited-dataset-race-alone") == "Limited data set, race alone"


def test_some_borders_and_each_has_two_sides():
    borders = {"OH": ("IN", "KY", "MI", "PA", "WV"), "ME": ("NH",), "AK": (), "XX": ()}
    assert {state: neighbors(state) for state in borders} == borders
    for state in ("TN", "MO", "CO", "NY", "DC"):
        assert all(state in neighbors(other) for other in neighbors(state))


# The nation: sums are those of the states, and each state has a row.


def test_sums_over_the_states_and_a_row_of_each(small_study):
    brief = nation_brief(small_study, date=DAY)
    answer = small_study.compare(rules="regulation", g=1)
    text = document_bytes(brief.paper, "md").decode()
    for policy in ("safe-harbor", "limited-dataset"):
        sum_of = sum(p.people(TOTAL_RISK).low for p in answer if (p.policy, p.attacker) == (policy, "general"))
        assert people(sum_of) in text
    (table,) = (table for table in tables(brief.annex.blocks) if table.columns[0] == "state")
    assert [row[0] for row in table.rows] == ["Delaware", "Rhode Island", "Vermont"]


# As people with a keyboard or a screen reader meet it: axe-core in a real browser, at two widths.


@pytest.mark.browser
@pytest.mark.slow
def test_no_serious_barrier_in_light_and_dark_wide_and_narrow(brief, tmp_path, browser):
    page = tmp_path / "brief.html"
    brief.write(page)
    faults = []
    for width, part in ((1280, page), (390, page), (390, Brief.annex_of(page))):
        view = browser.new_page(color_scheme="light", viewport={"width": width, "height": 900})
        requests = []
        view.on("request", lambda request, seen=requests: seen.append(request.url))
        view.goto(part.as_uri())
        faults += serious_barriers(view)
        view.emulate_media(color_scheme="dark")
        faults += serious_barriers(view, OF_COLOR)
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
        assert view.evaluate("document.documentElement.scrollWidth") <= width + 1
        view.close()
    assert not faults
