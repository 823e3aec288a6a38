"""A profile made in memory and one made from an engine's sizes say the same."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from policy_sim.records import profile as module
from policy_sim.records.classes import Classes, RecordSizes, class_sizes
from policy_sim.records.profile import (
    Threshold,
    profile_classes,
    profile_sizes,
    prosecutor_risk,
    suda_scores,
    walk_combinations,
)
from policy_sim.words.errors import NotEstimableError

LIMITS = Threshold.parse("0.2"), Threshold.parse("0.5")


def _classes(seed=0, n=200):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.integers(0, k, n) for k in (2, 5, 30)], axis=1)
    return Classes.of_rows([tuple(None if v == 4 else v for v in row) for row in rows.tolist()], ("a", "b", "c"))


@pytest.mark.parametrize("rule", ["own", "exclude"])
def test_both_ways_to_profile_agree(rule):
    classes = _classes()
    judged = classes.complete() if rule == "exclude" else classes
    one = profile_classes(classes, rule, *LIMITS)

    def sizes_of(fields):
        return class_sizes(judged.only(fields)) if rule == "own" else class_sizes(judged.only(fields), "exclude")

    other = profile_sizes(classes.fields, classes.values, classes.missing, sizes_of, *LIMITS, "too many")
    assert (one.risk, one.classes) == (other.risk, other.classes)
    for ours, theirs in zip(one.by_field, other.by_field, strict=True):
        assert (ours.alone.classes, ours.alone.uniques) == (theirs.alone.classes, theirs.alone.uniques)
        assert (ours.without.classes, ours.without.uniques) == (theirs.without.classes, theirs.without.uniques)
    assert (other.combinations, other.suda, other.reason) == (None, None, "too many")


def test_wildcards_have_risk_but_no_classes():
    profile = profile_classes(_classes(), "wildcard", *LIMITS)
    own = profile_classes(_classes(), "own", *LIMITS)
    assert profile.classes is None
    assert profile.risk.average < own.risk.average
    assert profile.rule == "a missing value agrees with every value"


def test_excluded_records_are_said():
    profile = profile_classes(_classes(), "exclude", *LIMITS)
    assert profile.sizes.excluded
    assert f"({profile.sizes.excluded} records)" in profile.rule


def test_a_field_with_a_value_a_record_is_called_an_identifier():
    rows = [(str(i), i % 2) for i in range(40)]
    warnings = profile_classes(Classes.of_rows(rows, ("id", "sex")), "own", *LIMITS).warnings
    assert len(warnings) == 1
    assert "'id'" in warnings[0]
    assert not profile_classes(Classes.of_rows(rows[:5], ("id", "sex")), "own", *LIMITS).warnings


@pytest.mark.parametrize("rows", [[], [("x", 1)]])
def test_a_single_field_and_hardly_any_record(rows):
    profile = profile_classes(Classes.of_rows([row[:1] for row in rows], ("a",)), "own", *LIMITS)
    assert profile.risk.records == len(rows)
    assert profile.by_field[0].without is None


def test_combinations_can_be_left_out_and_the_rest_stays():
    classes = _classes()
    whole, short = (profile_classes(classes, "own", *LIMITS, most=most) for most in (7, 0))
    assert (short.combinations, short.suda) == (None, None)
    assert short.reason == "no combinations and scores: left out"
    assert short.risk == whole.risk
    assert [(one.alone.uniques, one.without.uniques) for one in short.by_field] == [
        (one.alone.uniques, one.without.uniques) for one in whole.by_field
    ]
    told = []
    profile_classes(classes, "own", *LIMITS, progress=told.append)
    assert told[-1] == "walking the combinations of fields: 7 of 7"


# Every combination against grouping the records by it.


def _rows(seed, n=150):
    rng = np.random.default_rng(seed)
    return [tuple(row) for row in np.stack([rng.integers(0, k, n) for k in (2, 4, 7, 12)], axis=1).tolist()]


def _unique_on(rows, places):
    counts = Counter(tuple(row[i] for i in places) for row in rows)
    return {row for row in rows if counts[tuple(row[i] for i in places)] == 1}


@pytest.mark.parametrize("seed", range(3))
def test_classes_uniques_and_minimal_uniques_of_every_combination(seed):
    rows = _rows(seed)
    names = tuple("abcd")
    found = {combination.fields: combination for combination, *_ in walk_combinations(Classes.of_rows(rows, names))}
    assert len(found) == 2**4 - 1
    for width in range(1, 5):
        for places in combinations(range(4), width):
            one = found[tuple(names[i] for i in places)]
            counts = Counter(tuple(row[i] for i in places) for row in rows)
            unique = _unique_on(rows, places)
            by_parts = set().union(*(_unique_on(rows, part) for part in combinations(places, width - 1) if part))
            assert one.classes == len(counts)
            assert one.uniques == len(unique)
            assert one.average == len(counts) / len(rows)
            assert one.minimal == len(unique - by_parts)


def test_no_records_and_no_uniques():
    assert [one.average for one, *_ in walk_combinations(Classes.of_rows([], ("a", "b")))] == [None] * 3
    assert {one.minimal for one, *_ in walk_combinations(Classes.of_rows([(1, 1)] * 3, ("a", "b")))} == {0}


def test_too_many_combinations_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(module, "_MOST_FLAGS", 10)
    with pytest.raises(NotEstimableError, match="too many: choose fewer"):
        list(walk_combinations(Classes.of_rows(_rows(0), tuple("abcd"))))


@pytest.mark.slow
def test_more_combinations_than_asked_for_are_refused():
    classes = Classes.of_rows(_rows(0), tuple("abcd"))
    with pytest.raises(NotEstimableError, match="15 combinations of 4 fields are more than 14: choose fewer"):
        list(walk_combinations(classes, most=14))
    wide = Classes.of_rows([tuple(range(13))], tuple("abcdefghijklm"))
    with pytest.raises(NotEstimableError, match="8,191 combinations of 13 fields are more than 4,095"):
        list(walk_combinations(wide))
    assert len(list(walk_combinations(wide, most=8191))) == 8191


@pytest.mark.parametrize("rule", ["own", "wildcard"])
def test_more_classes_than_can_be_walked_are_refused(monkeypatch, rule):
    monkeypatch.setattr(module, "_MOST_WORK", 10)
    monkeypatch.setattr(module, "_MOST_WILD_WORK", 10)
    with pytest.raises(NotEstimableError, match="15 combinations over"):
        list(walk_combinations(Classes.of_rows([*_rows(0), (None,) * 4], tuple("abcd")), rule))


# SUDA scores by brute force and against another program's figures for 400 records of Adult.


def _by_brute_force(rows):
    m = len(rows[0])
    scores = []
    for row in rows:
        minimal = []
        for width in range(1, m + 1):
            for places in combinations(range(m), width):
                alone = sum(all(row[i] == other[i] for i in places) for other in rows) == 1
                if alone and not any(set(part) <= set(places) for part in minimal):
                    minimal.append(places)
        scores.append(sum(math.factorial(m - len(places)) for places in minimal))
    return scores


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    rows = [tuple(row) for row in np.stack([rng.integers(0, k, 60) for k in (2, 3, 5, 9)], axis=1).tolist()]
    classes = Classes.of_rows(rows, tuple("abcd"))
    scores, _ = suda_scores(classes)
    expected = Counter(_by_brute_force(rows))
    assert Counter(np.repeat(scores.score, classes.sizes).tolist()) == expected


def test_against_the_reference_figures(shared):
    reference = json.loads((shared / "reference" / "estimators_public.json").read_text())["record_level"]["suda"]
    with (shared / "microdata" / "adult_arx.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream, delimiter=";"))[:400]
    fields = reference["variables"]
    rows = [tuple(record[name] for name in fields) for record in table]
    classes = Classes.of_rows(rows, fields)
    scores, _ = suda_scores(classes)
    known = [sorted({row[i] for row in rows}) for i in range(len(fields))]
    place = {tuple(code): at for at, code in enumerate(classes.codes.tolist())}
    at = [place[tuple(known[i].index(value) + 1 for i, value in enumerate(row))] for row in rows]
    assert scores.score[at].tolist() == reference["score"]
    # the reference was computed in single precision in part: seven digits
    np.testing.assert_allclose(scores.dis(reference["dis_fraction"])[at], reference["dis_score"], rtol=0, atol=1e-7)
    for entry, name in zip(reference["attribute_contributions"], fields, strict=True):
        assert 100 * scores.shares[name] == pytest.approx(entry["contribution"], rel=1e-12)


def test_nobody_unique_has_no_scores_and_no_shares():
    scores, walked = suda_scores(Classes.of_rows([("a", 1)] * 3, ("x", "y")))
    assert scores.shares == {}
    assert scores.dis(0.1).tolist() == [0.0]
    assert [part.tolist() for part in scores.by_score()] == [[], []]
    assert len(walked) == 3


def test_one_record_is_unique_on_each_single_field():
    scores, _ = suda_scores(Classes.of_rows([("a", 1, 2)], ("x", "y", "z")))
    assert scores.score.tolist() == [3 * math.factorial(2)]
    assert scores.dis(0.5).tolist() == [1.0]  # no pairs: a match can only be right


# Prosecutor risk by hand, and averages over records rather than classes.


def _risk(sizes, threshold="0.2", cutoff="0.5"):
    classes = np.array(sizes, dtype=np.int64)
    return prosecutor_risk(RecordSizes.of(classes, classes), Threshold.parse(threshold), Threshold.parse(cutoff))


def test_the_average_is_over_records():
    risk = _risk([1, 9])
    assert risk.average == pytest.approx(2 / 10)  # classes over records; over classes it would be 0.556
    assert (risk.maximum, risk.smallest, risk.uniques, risk.unique_share) == (1.0, 1, 1, 0.1)


@pytest.mark.parametrize(
    ("sizes", "cutoff", "strict"),
    [([2, 8], "0.5", 0.2), ([2, 8], "0.33", 0.5), ([3, 7], "0.33", 0.2), ([1, 9], "0.5", 1.0)],
)
def test_strict_average_is_the_maximum_above_the_cutoff(sizes, cutoff, strict):
    assert _risk(sizes, cutoff=cutoff).strict_average == pytest.approx(strict)


def test_a_class_of_11_meets_0_09_and_one_of_10_does_not():
    assert _risk([11, 12], threshold="0.09").at_risk == 0
    risk = _risk([10, 12], threshold="0.09")
    assert (risk.at_risk, risk.at_risk_share) == (10, 10 / 22)


def test_the_smallest_of_records_that_agree_under_wildcards():
    rows = [("F", 1), ("F", None), ("M", 2)]
    sizes = class_sizes(Classes.of_rows(rows, ("a", "b")), "wildcard")
    risk = prosecutor_risk(sizes, Threshold.parse("0.5"), Threshold.parse("0.5"))
    assert risk.average == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_no_records_have_no_risk_rather_than_none_at_all():
    risk = _risk([])
    assert (risk.records, risk.at_risk, risk.uniques) == (0, 0, 0)
    assert risk.maximum is risk.average is risk.strict_average is risk.smallest is None


@pytest.mark.parametrize("n", [1, 6])
def test_all_equal_and_all_different(n):
    assert (_risk([n]).average, _risk([n]).maximum) == (1 / n, 1 / n)
    assert (_risk([1] * n).average, _risk([1] * n).uniques) == (1.0, n)
