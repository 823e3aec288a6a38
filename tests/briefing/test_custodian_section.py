"""What the custodian can change: each figure is a comparison of its own under a policy that shows less."""

import datetime as dt

from policy_sim.briefing.brief_evidence import Evidence
from policy_sim.briefing.custodian_section import custodian_section, shown_less
from policy_sim.briefing.numbered import Numbers
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.render.document.blocks import Bullets, pieces
from policy_sim.render.numbers import percent
from policy_sim.results import TOTAL_RISK


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
