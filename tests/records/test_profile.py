"""A profile of a file by hand, by comparing each record with each, in memory and from an engine's sizes."""

from __future__ import annotations

import csv
import json
import math
from itertools import combinations

import numpy as np
import pytest

from policy_sim.records import profile as module
from policy_sim.records.classes import MISSING_RULES, Classes, RecordSizes, class_sizes
from policy_sim.records.profile import (
    Threshold,
    profile_classes,
    profile_sizes,
    prosecutor_risk,
    suda_scores,
    walk_combinations,
)
from policy_sim.records.tables import field_frame
from policy_sim.words.errors import InputError, NotEstimableError

LIMITS = Threshold.parse("0.2"), Threshold.parse("0.5")


def _classes(seed=0, n=200):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.integers(0, k, n) for k in (2, 5, 30)], axis=1)
    return Classes.of_rows([tuple(None if v == 4 else v for v in row) for row in rows.tolist()], ("a", "b", "c"))


def _figures(profile):
    of_fields = [part for one in profile.by_field for part in (one.alone, one.without)]
    return profile.risk, profile.classes, [(part.classes, part.uniques) for part in of_fields]


@pytest.mark.parametrize("rule", ["own", "exclude"])
def test_both_ways_to_profile_agree(rule):
    classes = _classes()
    judged = classes.complete() if rule == "exclude" else classes
    one = profile_classes(classes, rule, *LIMITS)
    other = profile_sizes(
        classes.fields,
        classes.values,
        classes.missing,
        lambda fields: class_sizes(judged.only(fields), rule),
        *LIMITS,
        "too many",
    )
    assert _figures(one) == _figures(other)
    assert (other.combinations, other.suda, other.reason) == (None, None, "too many")


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


def test_combinations_can_be_left_out_and_the_rest_stays():
    classes = _classes()
    whole, short = (profile_classes(classes, "own", *LIMITS, most=most) for most in (7, 0))
    assert (short.combinations, short.suda) == (None, None)
    assert short.reason == "no combinations and scores: left out"
    assert _figures(short) == _figures(whole)
    told = []
    profile_classes(classes, "own", *LIMITS, progress=told.append)
    assert told[-1].endswith(": 7 of 7")


# Every combination, where it is not too much.


_ROWS = np.random.default_rng(0).integers(0, (2, 4, 7, 12), (150, 4)).tolist()
CLASSES = Classes.of_rows(_ROWS, tuple("abcd"))
CLASSES_WITH_A_GAP = Classes.of_rows([*_ROWS, (None,) * 4], tuple("abcd"))


def test_too_many_combinations_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(module, "_MOST_FLAGS", 10)
    with pytest.raises(NotEstimableError, match="too many: choose fewer"):
        list(walk_combinations(CLASSES))


@pytest.mark.slow
def test_more_combinations_than_asked_for_are_refused():
    with pytest.raises(NotEstimableError, match=r"15 combinations of 4 .* 14: "):
        list(walk_combinations(CLASSES, most=14))
    assert len(list(walk_combinations(CLASSES, most=15))) == 15
    wide = Classes.of_rows([tuple(range(13))], tuple("abcdefghijklm"))
    with pytest.raises(NotEstimableError, match=r"8,191 combinations of 13 .* 4,095"):
        list(walk_combinations(wide))
    assert next(walk_combinations(wide, most=8191))


@pytest.mark.parametrize("rule", ["own", "wildcard"])
def test_more_classes_than_can_be_walked_are_refused(monkeypatch, rule):
    monkeypatch.setattr(module, "_MOST_WORK", 10)
    monkeypatch.setattr(module, "_MOST_WILD_WORK", 10)
    with pytest.raises(NotEstimableError, match="15 combinations over"):
        list(walk_combinations(CLASSES_WITH_A_GAP, rule))


# SUDA scores against another program's figures for 400 records of Adult.


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


def test_one_record_is_unique_on_each_single_field():
    scores, _ = suda_scores(Classes.of_rows([("a", 1, 2)], ("x", "y", "z")))
    assert scores.score.tolist() == [3 * math.factorial(2)]
    assert scores.dis(0.5).tolist() == [1.0]  # no pairs: a match can only be right


@pytest.mark.parametrize(
    ("sizes", "cutoff", "strict"),
    [([2, 8], "0.5", 0.2), ([2, 8], "0.33", 0.5), ([3, 7], "0.33", 0.2), ([1, 9], "0.5", 1.0)],
)
def test_strict_average_is_the_maximum_above_the_cutoff(sizes, cutoff, strict):
    classes = np.array(sizes, dtype=np.int64)
    risk = prosecutor_risk(RecordSizes.of(classes, classes), LIMITS[0], Threshold.parse(cutoff))
    assert risk.strict_average == pytest.approx(strict)


# Every figure against comparing each record with each, under every rule for missing values.


K = 3
AT_THREE = Threshold.parse(f"k={K}"), Threshold.parse("0.5")


def _drawn(seed):
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(0, 15)), int(rng.integers(1, 5))
    values = [rng.integers(0, int(rng.integers(1, 5)), n) for _ in range(q)]
    lost = rng.random((n, q)) < rng.choice([0.0, 0.15, 0.5])
    return [tuple(None if lost[i, j] else int(values[j][i]) for j in range(q)) for i in range(n)], tuple("abcd"[:q])


def _agree_in(one, other, places, rule):
    return all(one[i] == other[i] or (rule == "wildcard" and (one[i] is None or other[i] is None)) for i in places)


def _sizes(rows, places, rule):
    return [sum(_agree_in(row, other, places, rule) for other in rows) for row in rows]


def _mean_risk(sizes):
    return sum(1 / size for size in sizes) / len(sizes) if sizes else None


def _minimal(rows, places, rule):
    """Records alone on these fields and on no part of them."""
    parts = [part for width in range(1, len(places)) for part in combinations(places, width)]
    alone = {part: _sizes(rows, part, rule) for part in (places, *parts)}
    return [alone[places][i] == 1 and all(alone[part][i] > 1 for part in parts) for i in range(len(rows))]


def _same(value, expected):
    return value is None if expected is None else value == pytest.approx(expected)


@pytest.mark.parametrize("rule", MISSING_RULES)
@pytest.mark.parametrize("seed", range(100))
def test_every_figure_is_that_of_comparing_records(monkeypatch, seed, rule):
    """By turns, merged classes stand in rows and have a counter for each combination of values."""
    monkeypatch.setattr(module, "_COUNTERS_A_CLASS", seed % 2 * 4)
    rows, names = _drawn(seed)
    profile = profile_classes(Classes.of_rows(rows, names), rule, *AT_THREE)
    judged = [row for row in rows if None not in row] if rule == "exclude" else rows
    everything = tuple(range(len(names)))
    sizes = _sizes(judged, everything, rule)
    risk = profile.risk
    assert (risk.records, profile.sizes.excluded) == (len(judged), len(rows) - len(judged))
    assert (risk.smallest, risk.uniques) == (min(sizes, default=None), sizes.count(1))
    assert risk.at_risk == sum(size < K for size in sizes)
    shares = (1 / min(sizes), sizes.count(1) / len(sizes), risk.at_risk / len(sizes)) if sizes else (None,) * 3
    assert (risk.maximum, risk.unique_share, risk.at_risk_share) == shares
    assert _same(risk.average, _mean_risk(sizes))
    assert profile.classes == (None if rule == "wildcard" else len(set(judged)))

    scores = [0] * len(judged)
    of_field = dict.fromkeys(names, 0)
    found = {one.fields: one for one in profile.combinations}
    assert len(found) == 2 ** len(names) - 1
    for width in range(1, len(names) + 1):
        for places in combinations(everything, width):
            one = found[tuple(names[i] for i in places)]
            here, minimal = _sizes(judged, places, rule), _minimal(judged, places, rule)
            assert one.uniques == here.count(1)
            assert _same(one.average, _mean_risk(here))
            assert one.minimal == sum(minimal)
            if rule != "wildcard":
                assert one.classes == len({tuple(row[i] for i in places) for row in judged})
            points = math.factorial(len(names) - width)
            scores = [score + points * flag for score, flag in zip(scores, minimal, strict=True)]
            for i in places:
                of_field[names[i]] += points * sum(minimal)
    by_score, records = profile.suda.by_score()
    assert sorted(np.repeat(by_score, records).tolist()) == sorted(score for score in scores if score)
    assert profile.suda.pairs == sizes.count(2)
    for at, one in enumerate(profile.by_field):
        rest = tuple(i for i in everything if i != at)
        alone = _sizes(judged, (at,), rule)
        assert one.alone.uniques == alone.count(1)
        assert _same(one.alone.average, _mean_risk(alone))
        assert (one.missing, one.values) == (
            sum(row[at] is None for row in rows),
            len({row[at] for row in rows} - {None}),
        )
        assert one.without is None or _same(one.without.average, _mean_risk(_sizes(judged, rest, rule)))
        assert one.score_share == (pytest.approx(of_field[one.name] / sum(scores)) if any(scores) else None)
    added = field_frame(profile)["added_risk"].dropna()
    assert (added >= -1e-12).all()  # whoever knows more is right no less often


# Thresholds mean classes: 0.09 is one in 11, 0.33 one in 3.


# 0.09 and 0.33 are rounded in the sources; the others are exact
SMALLEST = {"0.09": 11, "0.33": 3, "0.3333": 3, "0.05": 20, "0.1": 10, "0.2": 5, "0.5": 2, "1": 1, "1/11": 11, "k=7": 7}
SMALLEST |= {"0.075": 14, "0.3": 4, " 0.04 ": 25}


@pytest.mark.parametrize(("text", "k"), SMALLEST.items())
def test_the_smallest_class_that_meets_a_threshold(text, k):
    threshold = Threshold.parse(text)
    assert threshold.k == k
    # the class meets the threshold up to the rounding of the decimal (half a unit of its last digit)
    assert 1 / k <= threshold.risk + 0.005


def test_averages_keep_the_decimal():
    assert Threshold.parse("0.09").risk == 0.09
    assert Threshold.parse("k=4").risk == 0.25


@pytest.mark.parametrize("text", ["", "high", "0", "-0.1", "1.5", "k=0", "k=x", "1/0"])
def test_what_is_not_a_risk_is_refused(text):
    with pytest.raises(InputError, match="threshold"):
        Threshold.parse(text)


def test_more_records_than_half_a_width_holds():
    classes = Classes(("a", "b"), np.array([[1, 1], [1, 2], [2, 1]], dtype=np.int32), np.array([2**31, 5, 7]), (2, 2))
    assert module.marginal(classes, np.arange(3)).on((0,)).sizes.tolist() == [2**31 + 5, 7]
