"""Targets: fewest records suppressed, against every choice of classes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from coded import coded

from policy_sim.records.profile import Threshold
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
