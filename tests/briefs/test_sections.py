"""What the custodian can change: each figure is a comparison of its own under a policy that shows less."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from policy_sim.briefs.evidence import Evidence, Numbers
from policy_sim.briefs.sections import custodian_section, list_section, shown_less
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.show.document.blocks import Bullets, DocumentTable, Paragraph, pieces
from policy_sim.show.numbers import percent
from policy_sim.words.fields import Field, Granularities


def items(evidence):
    (bullets,) = (block for block in custodian_section(evidence, Numbers()) if isinstance(block, Bullets))
    return ["".join(piece.text for piece in pieces(item)) for item in bullets.items]


def test_every_figure_is_the_study_s(evidence, small_study):
    told = items(evidence)
    own = evidence.file.profile("DE", "safe-harbor", "general").share(TOTAL_RISK).low
    assert f"{percent(own)} under Safe Harbor;" in told
    for policy in evidence.question.loaded:
        for words, less in shown_less(policy):
            answer = small_study.compare(less, "general", "DE", 1, rules="regulation", in_file=1000)
            share = answer.profile("DE", less.name, "general").share(TOTAL_RISK).low
            of = [item for item in told if item.rstrip(".;").endswith(f"{words}") and policy_name(policy) in item]
            assert all(item.startswith(f"{percent(share)} under") for item in of)
    assert told[-1].endswith(".")
    assert all(item.endswith(";") for item in told[:-1])


def policy_name(policy):
    return "Safe Harbor" if policy.name.startswith("safe") else "the limited data set"


def test_all_changes_together_show_the_least():
    policy = Policy("p", "t", Granularities(gender="value", race="value", birth="date", geography="zip5"), "c")
    shown = {words: each.releases for words, each in shown_less(policy)}
    assert list(shown) == [
        "with the year of birth and not the date",
        "with the state and no smaller place",
        "without race",
        "with all of these changes",
    ]
    last = shown["with all of these changes"]
    assert (last[Field.BIRTH], last[Field.GEOGRAPHY], last[Field.RACE]) == ("year", "state", "none")
    assert last[Field.GENDER] == "value"


def test_less_of_race_and_ethnicity_in_one_field_and_in_two():
    both = {"if race does not tell who is Hispanic": ("value", "none"), "without race and ethnicity": ("none", "none")}
    apart = {"without ethnicity": ("value", "none"), "without race": ("none", "value")}
    for race, ethnicity, wanted in (("race_ethnicity", "none", both), ("value", "value", apart)):
        policy = Policy("p", "t", Granularities(race=race, ethnicity=ethnicity), "c")
        shown = {words: each.releases for words, each in shown_less(policy)}
        assert shown.pop("with all of these changes") == Granularities()
        assert {words: (each[Field.RACE], each[Field.ETHNICITY]) for words, each in shown.items()} == wanted


def test_conditions_stay_and_nothing_less_than_nothing():
    policy = Policy("p", "t", Granularities(birth="year", geography="state"), "c", Conditions(top_age=90))
    ((words, less),) = shown_less(policy)
    assert words == "with ages in five-year classes"
    assert less.conditions == policy.conditions
    assert list(shown_less(Policy("p", "t", Granularities(gender="value", geography="state"), "c"))) == []


def test_a_policy_that_differs_by_state_is_left_as_it_is(small_study):
    seen = Evidence.of(small_study, "RI", ("safe-harbor", "release:newest"), "regulation", 1000, dt.date(2026, 11, 22))
    told = " ".join(items(seen))
    assert "under Safe Harbor" in told
    assert "release:newest" not in told


# What a list holds, costs and allows: dates and sources beside each, an unknown price never 0.


def texts(blocks):
    return ["".join(p.text for p in pieces(block.text)) for block in blocks if isinstance(block, Paragraph)]


def test_price_and_buyers_have_their_dates_and_sources_stand_below(evidence):
    blocks = list_section(evidence, Numbers())
    lead, sources = texts(blocks)
    assert lead.startswith("Delaware's voter list gives")
    assert "may have it" in lead
    assert lead.count("(") >= 2
    assert sources.startswith("Sources. ")
    for name in {name for field in evidence.listed.fields.values() for name in field.evidence.sources}:
        assert evidence.listed.sources[name].title in sources
    (table,) = (block for block in blocks if isinstance(block, DocumentTable))
    assert "_" not in "".join(cell for row in table.rows for cell in row)


def test_a_list_of_counties_only_has_no_facts(evidence):
    closed = replace(evidence.listed, status="county_only", status_reason="Each county sells its own.")
    seen = replace(evidence)
    seen.__dict__["listed"] = closed
    blocks = list_section(seen, Numbers())
    assert not [block for block in blocks if isinstance(block, DocumentTable)]
    assert texts(blocks)[0].endswith("Each county sells its own.")
