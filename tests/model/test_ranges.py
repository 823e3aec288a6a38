"""Ranges over what nobody can rule out of a voter list: by hand, against sensitivity, and what is no end of them."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from policy_sim import Study
from policy_sim.attackers.attacker import covered
from policy_sim.attackers.county_coverage import RegisteredCoverage, county_coverage
from policy_sim.briefs.evidence import Threshold
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, Bounds, Measure, tidy_rows
from policy_sim.model.profile import Cost, Figure, RiskProfile, TrustDifferential
from policy_sim.model.sensitivity import Assumptions, sensitivity
from policy_sim.model.whole import whole_profile
from policy_sim.study.question import Question

FACTS = {"attacker": "voter", "population": "made", "lists": "2026", "linkage_key": "birth=year", "reason": ""}
# Louisiana: no lower end but the figure; Wyoming: no other records. In Alabama a field of the list is not known.
STATES = ("DE", "LA", "WY")


def profile(policy: str = "a", state: str = "OH", status: str = "ok", **assumed: dict[Measure, Bounds]) -> RiskProfile:
    """A profile of 1,000 people; ``assumed`` has the figures under each alternative, ``own`` those of the study."""
    own = assumed.pop("own")
    figures = {
        measure: Figure(ends, assumed=MappingProxyType({name: other[measure] for name, other in assumed.items()}))
        for measure, ends in own.items()
    }
    return RiskProfile(**FACTS, state=state, policy=policy, status=status, inhabitants=1000, figures=figures)


def of_risk(policy: str, own: tuple[float, float], state: str = "OH", **assumed: tuple[float, float]) -> RiskProfile:
    ends = {name: {TOTAL_RISK: Bounds(*pair)} for name, pair in {"own": own, **assumed}.items()}
    return profile(policy, state, "ok" if own[0] == own[1] else "interval", **ends)


def test_a_range_has_the_figure_and_each_alternative_with_unknown_fields_both_ways():
    one = of_risk("a", (20, 20), residents=(30, 30), earlier=(15, 15))
    assert one.people(TOTAL_RISK) == Bounds(20, 20)
    assert one.people_range(TOTAL_RISK) == Bounds(15, 30)
    assert one.share_range(TOTAL_RISK) == Bounds(0.015, 0.03)
    union = of_risk("a", (20, 200), residents=(30, 300), earlier=(15, 150))
    assert union.people_range(TOTAL_RISK) == Bounds(15, 300)
    above = of_risk("a", (20, 20), residents=(30, 30))
    assert above.people_range(TOTAL_RISK) == Bounds(20, 30)  # the figure is an end where nothing is below it


def test_the_columns_of_a_range_are_next_to_the_figure():
    (row,) = of_risk("a", (20, 20), residents=(30, 30), earlier=(15, 15)).rows()
    assert [row[name] for name in ("people", "people_low", "people_high")] == [20, 15, 30]
    assert [row[name] for name in ("share", "share_low", "share_high")] == [0.02, 0.015, 0.03]
    table = tidy_rows(of_risk("a", (20, 20)).rows(), RiskProfile.columns)
    assert table[["people_low", "people_high"]].iloc[0].tolist() == [20, 20]


def test_a_ratio_divides_end_by_end_with_one_list_above_and_below():
    above = of_risk("fine", (40, 40), residents=(90, 90), earlier=(30, 30))
    below = of_risk("coarse", (4, 4), residents=(10, 10), earlier=(2, 2))
    ratio = TrustDifferential(above, below, TOTAL_RISK)
    assert ratio.ratio == Bounds(10, 10)
    assert ratio.range == Bounds(9, 15)  # 90/10 and 30/2; 90/2 would mix two lists
    nobody = of_risk("coarse", (4, 4), residents=(10, 10), earlier=(0.5, 0.5))
    assert TrustDifferential(above, nobody, TOTAL_RISK).range == Bounds(9, 10)  # half a person is no divisor
    (row,) = ratio.rows()
    assert [row[f"ratio{end}"] for end in ("", "_low", "_high")] == [10, 9, 15]


def test_dollars_are_dearest_at_the_lower_end():
    cost = Cost(of_risk("a", (20, 20), residents=(40, 40), earlier=(10, 10)), 100.0, "ok")
    (row,) = cost.rows()
    assert [row[f"usd_per_reidentification{end}"] for end in ("", "_low", "_high")] == [5, 10, 2.5]
    assert [row[f"total_risk{end}"] for end in ("", "_low", "_high")] == [20, 10, 40]


def test_precision_is_of_one_assumption_at_a_time():
    own, residents = (
        {CLAIMS: Bounds(claims, claims), CORRECT_CLAIMS: Bounds(right, right)} for claims, right in ((80, 60), (50, 45))
    )
    assert profile(own=own, residents=residents).share_range("precision") == Bounds(0.75, 0.9)


def test_a_file_of_several_states_adds_up_each_alternative():
    ohio = of_risk("a", (20, 20), residents=(30, 30), earlier=(15, 15))
    florida = of_risk("a", (7, 7), "FL", residents=(9, 9))
    whole = whole_profile([ohio, florida])
    assert whole.figures[TOTAL_RISK].assumed == {"residents": Bounds(39, 39), "earlier": Bounds(22, 22)}
    assert whole.people_range(TOTAL_RISK) == Bounds(22, 39)


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def answer(study: Study):
    return study.compare(["safe-harbor", "limited-dataset"], "voter", STATES, 1)


def test_each_end_of_each_range_is_a_row_of_sensitivity(study: Study):
    cases = study._cases(Question.of("limited-dataset", "voter", ["AL", "DE"], 1))
    (attacker,) = cases.attackers
    listed = {attacker.name: tuple(covered(attacker, other) for other in attacker.coverage.others)}
    alike = [np.full(many, 1 / many) for many in (366, 12)]
    swings = sensitivity(cases, Assumptions(*alike, 0.25, {}, listed))
    rows = {(swing.state, swing.measure): [] for swing in swings}
    for swing in swings:
        rows[swing.state, swing.measure] += [swing.base, swing.low, swing.high]
    for one in compare(cases, ranges=True):
        for measure in (TOTAL_RISK, Measure("g-distinct", 1)):
            ends = one.share_range(measure)
            assert ends.low < one.share(measure).low < ends.high
            for end in (ends.low, ends.high):
                assert min(abs(figure / end - 1) for figure in rows[one.state, measure]) < 1e-9, (one, measure)


def test_the_upper_end_is_more_people_than_the_figure_and_the_lower_one_no_more(answer):
    for one in answer:
        risk, ends = one.people(TOTAL_RISK), one.people_range(TOTAL_RISK)
        assert ends.low <= risk.low <= risk.high <= ends.high
    louisiana = answer.profile("LA", "limited-dataset", "voter")
    assert louisiana.people_range(TOTAL_RISK).low == louisiana.people(TOTAL_RISK).low
    wyoming = answer.profile("WY", "limited-dataset", "voter")
    assert wyoming.people_range(TOTAL_RISK) == wyoming.people(TOTAL_RISK)


def test_nobody_with_a_list_names_more_people_than_someone_who_knows_everyone(study: Study, answer):
    """So ways to get below a limit, which are judged for the second, stay below it at the upper end of the first."""
    general = study.compare(["safe-harbor", "limited-dataset"], "general", STATES, 1)
    for one in answer:
        everyone = general.profile(one.state, one.policy, "general").people(TOTAL_RISK).low
        assert 0 < one.people_range(TOTAL_RISK).high < everyone


def test_a_list_by_hand_names_fewer_than_everyone_though_more_are_alone_on_it():
    """Two who share their values: of everyone one is named and none is alone; on a list of one of them, that one is."""
    assert occupied_bins(2, 1).item() == 1
    assert people_g_distinct(2, 1, 1).item() == 0
    half = occupied_bins(2, 1, 0.5).item(), people_g_distinct(2, 1, 1, 0.5).item()
    assert half == (0.75, 0.5)  # one at least is listed; one alone is


def test_without_stale_records_there_are_more_right_links_so_that_this_is_no_lower_end(study: Study):
    cases = study._cases(Question.of(attackers="voter", states=STATES))
    (attacker,) = cases.attackers
    (none_stale,) = (other for other in attacker.coverage.others if other.assumed == "no-stale")
    for own, other in zip(_compared(cases), _compared(cases, covered(attacker, none_stale)), strict=True):
        assert other.people(TOTAL_RISK).low >= own.people(TOTAL_RISK).low


def _compared(cases: Cases, attacker=None):
    return compare(cases if attacker is None else replace(cases, attackers=[attacker]))


def test_the_election_before_is_left_out_only_where_it_has_more_residents_in_a_greater_share(study: Study):
    people = study.people
    coverage = study.voter.coverage
    assert isinstance(coverage, RegisteredCoverage)
    (earlier,) = (end for end in coverage.range_ends if not end.assumed)
    own, before = (county_coverage(people.in_states(STATES), end.year) for end in (coverage, earlier))
    for state in STATES:
        names = [end.name for end in coverage.alternatives(people.in_states(STATES), state)]
        listed, stale, then, then_stale = (
            sum(int(number) for number, home in zip(getattr(of, name), of.state, strict=True) if home == state)
            for of in (own, before)
            for name in ("listed", "stale")
        )
        more = then >= listed and then * (listed + stale) >= listed * (then + then_stale)
        differs = (listed, stale) != (then, then_stale)
        assert (earlier.name in names) == (differs and not more)


def test_what_is_assumed_already_and_people_without_counties_have_no_range(study: Study):
    coverage = study.voter.coverage
    assert [end.alternatives(study.people, "DE") for end in coverage.others if end.assumed] == [()] * 5
    (adults,) = Study("us-2020", 2026, coverage="adults").compare("safe-harbor", "voter", "DE", 1)
    assert adults.people_range(TOTAL_RISK) == adults.people(TOTAL_RISK)


def test_a_limit_is_compared_with_the_upper_end():
    nine = Threshold("who", "0.09", "mean risk", "cited", (0.09,))
    assert nine.stand(of_risk("a", (80, 80), residents=(85, 85))) == "below"
    assert nine.stand(of_risk("a", (80, 80), residents=(95, 95), earlier=(70, 70))) == "above"
    assert nine.stand(of_risk("a", (80, 89), residents=(85, 95))) == "unknown: the figure is a range"
    assert nine.stand(of_risk("a", (92, 95), residents=(91, 99))) == "above"
