"""A profile made in memory and one made from an engine's sizes say the same."""

import numpy as np
import pytest

from policy_sim.records.classes import Classes
from policy_sim.records.missing import class_sizes
from policy_sim.records.profile import profile_classes, profile_sizes
from policy_sim.records.prosecutor import Threshold

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
