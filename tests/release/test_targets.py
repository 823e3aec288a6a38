"""Targets and their conditions: fewest records suppressed, worked examples by hand, and other formulas."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from coded import coded
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from policy_sim.records.formats import CodedColumn
from policy_sim.records.profile import Threshold
from policy_sim.release.conditions import ClassCondition, SensitiveColumn
from policy_sim.release.ladders import given_hierarchy
from policy_sim.release.targets import RiskTarget, class_of_rows, measured_risk, recounted
from policy_sim.words.errors import InputError, UnknownNameError

TARGETS = [
    RiskTarget.parse("maximum", "k=3"),
    RiskTarget.parse("average", "0.2"),
    RiskTarget.parse("average", "0.35"),
    RiskTarget.parse("strict-average", "0.3", "0.5"),
    RiskTarget.parse("strict-average", "0.4", "0.33"),
]


def meets(target, records):
    if not len(records):
        return False
    risk = measured_risk(target.measure, records, records, target.cutoff)
    if target.measure == "maximum":
        return records.min() >= target.threshold.k
    if target.cutoff and records.min() < target.cutoff.k:
        return False
    return risk <= target.threshold.risk + 1e-12


@pytest.mark.parametrize("target", TARGETS, ids=RiskTarget.describe)
def test_no_choice_of_classes_suppresses_fewer_records(target):
    rng = np.random.default_rng(2)
    for _ in range(60):
        records = rng.integers(1, 9, rng.integers(1, 8))
        kept = [np.array(each, dtype=bool) for each in product([False, True], repeat=len(records))]
        fewest = min((records[~each].sum() for each in kept if meets(target, records[each])), default=records.sum())
        gone = target.suppressed(records, records)
        assert records[gone].sum() == fewest
        assert meets(target, records[~gone]) == (fewest < records.sum())
        assert target.is_met(records[~gone], records[~gone]) == (fewest < records.sum())


def test_sizes_rounded_in_the_sources_and_sizes_in_the_population_where_the_target_says_so():
    for size, met in ((11, True), (10, False)):  # one eleventh is rounded to 0.09 in the sources, one third to 0.33
        assert RiskTarget.parse("maximum", "0.09").is_met(np.array([size]), np.array([size])) is met
    assert RiskTarget.parse("strict-average", "0.5", "0.33").is_met(np.array([3]), np.array([3]))
    target = RiskTarget.parse("maximum", "k=10", sizes="population")
    assert target.suppressed(np.array([1, 1, 20]), np.array([9, 10, 3])).tolist() == [True, False, False]


def test_the_marketer_risk_is_the_mean_over_the_population():
    """Two records among 4 people and one among 10: (2/4 + 1/10) / 3 = 0.2."""
    records, people = np.array([2, 1]), np.array([4, 10])
    assert measured_risk("average", records, people) == pytest.approx(0.2)
    assert RiskTarget.parse("average", "0.2", sizes="population").is_met(records, people)
    target = RiskTarget.parse("average", "0.19", sizes="population")
    assert target.suppressed(records, people).tolist() == [True, False]
    assert target.describe() == "marketer risk at most 0.19"


def test_classes_without_a_record_do_not_count_and_a_file_without_one_meets_nothing():
    target = RiskTarget.parse("average", "0.5")
    assert target.suppressed(np.array([0, 1, 3]), np.array([1, 1, 3])).tolist() == [False, False, False]
    assert measured_risk("maximum", np.array([0, 4]), np.array([1, 4])) == 0.25
    nothing = np.array([], dtype=np.int64)
    assert not RiskTarget.parse("maximum", "k=1").is_met(nothing, nothing)
    assert measured_risk("average", nothing, nothing) is None


def test_what_is_not_a_target():
    with pytest.raises(UnknownNameError):
        RiskTarget.parse("median", "0.1")
    with pytest.raises(UnknownNameError):
        RiskTarget.parse("average", "0.1", sizes="planet")
    for measure, cutoff in (("strict-average", None), ("average", "0.5")):
        with pytest.raises(InputError, match="cut-off"):
            RiskTarget.parse(measure, "0.1", cutoff)


# The risk of a file counted from its texts.


TABLE = coded(sex=list("FFFMM"), age=["1", "1", "1", "2", ""])


def test_by_hand():
    risk = recounted(TABLE, ["sex", "age"])
    measures = risk.measures(Threshold.parse("0.5"))
    assert [measures[name] for name in ("records", "smallest", "uniques", "maximum")] == [5, 1, 2, 1.0]
    assert measures["average"] == pytest.approx(3 / 5)
    assert measures["strict_average"] == 1.0
    assert measures["percentile_95"] == 1.0  # two of five records
    assert risk.meets(RiskTarget.parse("average", "0.6"))
    assert not risk.meets(RiskTarget.parse("maximum", "k=2"))


def test_people_with_several_rows_count_once():
    risk = recounted(TABLE, ["sex"], np.array([1, 1, 2, 3, 4]))
    assert (risk.records, risk.rows, sorted(risk.sizes)) == (4, 5, [2, 2])


def test_people_of_the_population_by_text():
    risk = recounted(TABLE, ["sex"], people_by_text={("F",): 30, ("M",): 1}).measures(Threshold.parse("0.5"))
    assert risk["population_maximum"] == 0.5  # two records are at least two people
    assert risk["marketer"] == pytest.approx((3 / 30 + 2 / 2) / 5)


def test_without_key_fields_all_rows_are_alike():
    assert class_of_rows(TABLE, ["gone"])[1] == 1
    assert recounted(TABLE, ["gone"]).measures(Threshold.parse("0.5"))["maximum"] == 0.2


# Conditions on classes.


def held(groups, ladder=None, person=None):
    """Count values by class: one text of one-letter values per class."""
    texts = [value.strip() for group in groups for value in group]
    of_row = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return SensitiveColumn.of(CodedColumn.of(texts), ladder).by_class(of_row, len(groups), person)


def fails(condition, groups, **more):
    sizes = np.array([len(group) for group in groups])
    return condition.fails(sizes, sizes, {"v": held(groups, **more)}).tolist()


def test_diversity_by_hand():
    """A missing value, written as a blank, is none; a class without any value meets no diversity."""
    groups = ["aab", "aaa", "ab ", "a  ", "   ", "aabbc", "abc"]
    assert fails(ClassCondition("distinct", "v", l=2), groups) == [False, True, False, True, True, False, False]
    assert fails(ClassCondition("distinct", "v", l=3), groups) == [True] * 5 + [False] * 2
    # effective values: 2/3, 1/3 give 1.89; 2/5, 2/5, 1/5 give 2.87
    assert held(groups).effective().round(2).tolist() == [1.89, 1, 2, 1, 0, 2.87, 3]
    assert fails(ClassCondition("entropy", "v", l=2), groups) == [True, True, False, True, True, False, False]
    # 2 / 1, no second value, 1 / 1, -, -, 2 / (2 + 1), 1 / (1 + 1); less than c, not equal
    assert held(groups).tail_ratio(2).tolist() == [2, np.inf, 1, np.inf, np.inf, 2 / 3, 0.5]
    assert fails(ClassCondition("recursive", "v", l=2, c=2), groups) == [True, True, False, True, True, False, False]


def test_a_value_that_everybody_of_a_class_has_is_told():
    """Two people both have a and b: two values, but whoever knows that a person is in the class knows both."""
    condition = ClassCondition("distinct", "v", l=2)
    assert fails(condition, ["abab"], person=np.array([1, 1, 2, 2])) == [True]
    assert fails(condition, ["abac"], person=np.array([1, 1, 2, 2])) == [True]
    assert fails(condition, ["abbc"], person=np.array([1, 1, 2, 3])) == [False]


def test_closeness_of_the_paper_and_by_hand():
    """Li et al. 2007: salaries 3 to 11 thousand by three classes (0.167); and shares of two values against half."""
    salaries = CodedColumn.of(["6", "8", "11", "3", "4", "5", "7", "9", "10"])
    numeric = SensitiveColumn.of(salaries).by_class(np.repeat([0, 1, 2], 3), 3).distance("numeric")
    assert numeric[:2].round(3).tolist() == [0.167, 0.375]
    assert held(["aaab", "abbb"]).distance("equal").tolist() == [0.25, 0.25]
    # a and b share a parent, c and d another: one step within a parent, two across, of two
    ladder = given_hierarchy("v", [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]])
    near, far = ["a", "b", "cd"], ["c", "d", "ab"]
    assert held(near, ladder).distance("hierarchical").tolist() == [0.625, 0.625, 0.5]
    assert held(far, ladder).distance("hierarchical").tolist() == [0.625, 0.625, 0.5]
    assert held(["ac", "bd"], ladder).distance("hierarchical").tolist() == [0.25, 0.25]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=1, max_size=40))
def test_numeric_distance_is_that_of_the_cumulative_shares(rows):
    """Against scipy's distance of the ranks, over the steps between the first value and the last."""
    group, values = np.array(rows).T
    used = np.unique(values)
    place = np.searchsorted(used, values)
    far = SensitiveColumn.of(CodedColumn.of([str(v) for v in values])).by_class(group, 4).distance("numeric")
    for each in range(4):
        mine = place[group == each]
        steps = max(len(used) - 1, 1)
        assert far[each] == pytest.approx(wasserstein_distance(mine, place) / steps if len(mine) else 0, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=6), min_size=2, max_size=2), st.text("abc", max_size=6))
def test_two_classes_that_meet_a_condition_meet_it_together(two, rest):
    """What rules out finer nodes where nothing is suppressed, and lets labels of two nodes be one class."""
    ladder = given_hierarchy("v", [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    conditions = [
        *(ClassCondition("distinct", "v", l=l) for l in (2, 3)),  # noqa: E741
        *(ClassCondition("entropy", "v", l=l) for l in (1.5, 2, 2.8)),  # noqa: E741
        *(ClassCondition("recursive", "v", l=2, c=c) for c in (0.7, 1.5, 3)),
        *(ClassCondition("closeness", "v", t=t, distance=kind) for t in (0.1, 0.3) for kind in ("equal", "numeric")),
        *(ClassCondition("closeness", "v", t=t, distance="hierarchical") for t in (0.1, 0.3)),
    ]
    apart, together = [*two, rest], ["".join(two), rest]
    for condition in conditions:
        if not any(fails(condition, apart, ladder=ladder)[:2]):
            assert not fails(condition, together, ladder=ladder)[0]
        growing = condition.fewest and ClassCondition("distinct", "v", l=condition.fewest)
        if growing and not fails(growing, apart)[0]:  # stays met whatever is added
            assert not fails(growing, together)[0]


@pytest.mark.parametrize("sizes", ["file", "population"])
def test_presence_by_hand(sizes):
    """2 of 4 people are in the file, 1 of 10, and none of 5."""
    records, people = np.array([2, 1, 0]), np.array([4, 10, 5])
    most = RiskTarget.parse("maximum", "k=1")
    for limit, gone in ((0.5, [False] * 3), (0.4, [True, False, False]), (0.05, [True, True, False])):
        target = RiskTarget("maximum", most.threshold, None, sizes, (ClassCondition("presence", most=limit),))
        assert target.suppressed(records, people).tolist() == gone
    condition = ClassCondition("presence", least=0.1)  # five people are ruled out, which no suppression mends
    target = RiskTarget("maximum", most.threshold, None, sizes, (condition,))
    assert target.suppressed(records, people).tolist() == [True, True, False]
    assert target.suppressed(records[:2], people[:2]).tolist() == [False, False]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"measure": "distinct", "of": "v"}, "give l, 1 or more"),
        ({"measure": "distinct", "of": "v", "l": 2.5}, "not a whole number"),
        ({"measure": "recursive", "of": "v", "l": 2}, "needs c above 0"),
        ({"measure": "closeness", "of": "v"}, "needs t from 0 to below 1"),
        ({"measure": "distinct", "of": "v", "l": 2, "t": 0.5}, "no other measure has t"),
        ({"measure": "presence", "of": "v", "most": 0.5}, "presence is of no column"),
        ({"measure": "presence"}, "presence needs most"),
        ({"measure": "distinct", "of": "v", "l": 2, "most": 0.5}, "no other measure has them"),
    ],
)
def test_settings_that_do_not_go_together(wrong, says):
    with pytest.raises(InputError, match=says):
        ClassCondition(**wrong)
    with pytest.raises(UnknownNameError):
        ClassCondition("median", "v")
