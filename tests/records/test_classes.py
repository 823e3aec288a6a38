"""Classes against counting by hand, with pandas, and with combinations too many for one whole number."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from policy_sim.estimators.base import constant_rate_inverse
from policy_sim.formulas.groups import Groups, total_risk
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.records.classes import (
    Classes,
    JointSizes,
    class_sizes,
    expected_inverse,
    linked_risk,
    number_groups,
    weighted_risk,
)
from policy_sim.words.errors import IncompatibleError, InputError, NotEstimableError, UnknownNameError

ROWS = [("F", 30), ("F", 30), ("M", 30), ("M", None), ("M", None), (None, 41)]


def test_records_that_agree_in_every_field_are_one_class():
    classes = Classes.of_rows(ROWS, ("sex", "age"))
    assert sorted(classes.sizes.tolist()) == sorted(Counter(ROWS).values())
    assert classes.records == len(ROWS)
    assert classes.values == (2, 2)
    assert classes.missing == (1, 2)
    assert classes.histogram.to_dict() == {1: 2, 2: 2}


def test_groups_are_numbered_without_gaps_even_where_their_codes_overflow():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2_000_000_000, (500, 4)).astype(np.int32)
    codes = codes[rng.integers(0, 500, 800)]
    group, number = number_groups(list(codes.T), [2_000_000_000] * 4, len(codes))
    assert number == len(np.unique(codes, axis=0)) == group.max() + 1
    same = (codes[:, None] == codes[None]).all(axis=2)
    assert np.array_equal(same, group[:, None] == group[None])


def test_no_columns_are_one_group():
    group, number = number_groups([], [], 3)
    assert (group.tolist(), number) == ([0, 0, 0], 1)


def test_shapes_and_fields_must_fit():
    with pytest.raises(InputError, match="do not fit"):
        Classes(("a",), np.zeros((2, 2), dtype=np.int32), np.ones(2, dtype=np.int64), (1,))
    one, other = (Classes.of_rows([(1, 2)], fields) for fields in (("a", "b"), ("b", "a")))
    with pytest.raises(IncompatibleError, match="do not share their codes"):
        JointSizes.of(one, other)


def test_wildcards_make_no_classes_and_have_a_limit():
    wild = class_sizes(Classes.of_rows([(None,), (1,)], ("a",)), "wildcard")
    with pytest.raises(NotEstimableError, match="form no classes"):
        wild.histogram  # noqa: B018
    masks = [tuple(None if i >> k & 1 else 0 for k in range(9)) for i in range(300)]
    with pytest.raises(NotEstimableError, match="300 combinations"):
        class_sizes(Classes.of_rows(masks, tuple("abcdefghi")), "wildcard")


def test_an_unknown_rule_is_refused():
    with pytest.raises(UnknownNameError, match="own"):
        class_sizes(Classes.of_rows([], ("a",)), "drop")


# Journalist and marketer risk: the papers' examples, random matching, and eq. 4.


def _joint(f, big, population=None):
    f, big = np.array(f, dtype=np.int64), np.array(big, dtype=np.int64)
    return JointSizes(f, big, np.ones(len(f), dtype=np.int64), SizeHistogram.from_classes(population or big))


def test_three_classes_of_5_20_and_23_people():
    """Dankar and El Emam 2010, section 4.3: marketer risk is half of journalist risk."""
    risk = linked_risk(_joint([1, 1, 1], [5, 20, 23]))
    assert risk.journalist == 0.2
    assert risk.marketer == pytest.approx((1 / 5 + 1 / 20 + 1 / 23) / 3, rel=1e-15)
    assert risk.marketer / risk.journalist == pytest.approx(0.5, abs=0.02)  # "half", as printed


def test_fourteen_records_and_a_voter_list():
    """Dankar et al. 2012, figure 1: 9 of 14 unique, 2 of them among the 6 unique people of 40."""
    f = [1] * 9 + [2, 3]
    big = [1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]
    risk = linked_risk(_joint(f, big, population=[*big, 1, 1, 1, 1, 2]))
    assert (risk.records, risk.people) == (14, 40)
    assert [round(x, 2) for x in (risk.lambda1, risk.lambda2, risk.lambda3)] == [0.22, 0.14, 0.15]


def test_it_is_the_total_risk_of_groups_without_bins():
    f, big = [1, 2, 3, 7], [3, 2, 9, 8]
    groups = Groups.of(big, released=f)
    assert linked_risk(_joint(f, big)).expected == pytest.approx(total_risk(groups).item(), rel=1e-14)


def test_the_whole_population_has_its_classes_over_its_records(shared):
    with (shared / "microdata" / "adult_arx.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream, delimiter=";"))
    fields = ("age", "education", "race", "sex")
    classes = Classes.of_rows([tuple(record[name] for name in fields) for record in table], fields)
    risk = linked_risk(JointSizes.of(classes, classes))
    assert (classes.number, classes.histogram.uniques) == (3152, 1206)
    assert risk.marketer == 3152 / 30162
    assert round(risk.marketer, 6) == 0.104502
    assert risk.lambda2 == risk.lambda3 == 1206 / 30162


def test_records_outside_and_beyond_the_population_are_counted():
    risk = linked_risk(_joint([2, 1, 5], [0, 1, 2], population=[1, 2]))
    assert (risk.records, risk.outside, risk.surplus) == (8, 2, 3)
    assert risk.expected == 2.0  # the one person, and at most one correct match in a full class


def test_nothing_to_link():
    risk = linked_risk(_joint([], [], population=[1]))
    assert risk.marketer is risk.journalist is risk.lambda1 is risk.lambda2 is None
    assert risk.lambda3 == 1.0


def sizes_on(classes, fields):
    return sorted(np.repeat(*classes.sizes_on(fields)).tolist())


@pytest.mark.parametrize("block", [1, 7, 2**18])
@pytest.mark.parametrize("counters", [0, 10**6])
def test_sizes_on_some_fields_are_those_of_their_classes(monkeypatch, block, counters) -> None:
    """Counted or sorted, in one part or in many, with the highest field and without it."""
    monkeypatch.setattr("policy_sim.records.classes._BLOCK", block)
    monkeypatch.setattr("policy_sim.records.classes._COUNTERS_A_CLASS", counters)
    monkeypatch.setattr("policy_sim.records.classes._SLICE", 1)
    rng = np.random.default_rng(3)
    rows = [[None if v == 4 else v for v in row] for row in rng.integers(0, 5, (200, 4)).tolist()]
    classes = Classes.of_rows(rows, "abcd")
    for width in range(1, 5):
        for fields in combinations("abcd", width):
            counted = Counter(tuple(row["abcd".index(field)] for field in fields) for row in rows)
            assert sizes_on(classes, fields) == sorted(classes.only(fields[::-1]).sizes) == sorted(counted.values())


def test_sizes_on_fields_of_many_values_are_counted_without_a_counter_for_each() -> None:
    codes = np.array([[1, 9], [2, 9], [2, 7], [0, 0]], dtype=np.int32)
    classes = Classes(("a", "b"), codes, np.array([3, 4, 5, 6]), (900_000, 900_000))
    assert sizes_on(classes, ["a", "b"]) == [3, 4, 5, 6]
    assert sizes_on(classes, ["a"]) == [3, 6, 9]
    wide = Classes(("a", "b"), codes, np.array([3, 4, 5, 6]), (2**32, 2**32))
    assert sizes_on(wide, ["a"]) == [3, 6, 9]


# Risk by survey weights: by hand, and against the estimator of one rate.


@pytest.mark.parametrize("probability", [0.001, 0.1, 0.5, 0.9, 1.0])
def test_one_weight_for_all_is_mu_argus(probability):
    size = np.array([1, 2, 3, 10, 60])
    ours = expected_inverse(size, size / probability)
    np.testing.assert_allclose(ours, constant_rate_inverse(size, probability), rtol=1e-10)


def test_classes_by_hand():
    rows = [("F", "30", "2.5"), ("F", "30", "1.5"), ("M", "30", "10"), ("M", "41", "1")]
    classes = Classes.of_rows(rows, ("sex", "age", "w"))
    weights = np.array([float(text) for text in sorted({row[2] for row in rows})])
    risk = weighted_risk(classes, weights, "w")
    assert sorted(zip(risk.classes.sizes.tolist(), risk.people.tolist(), strict=True)) == [(1, 1), (1, 10), (2, 4)]
    assert risk.unique == pytest.approx(1 + 0.1)  # the man of 41 stands for himself alone
    assert risk.expected == pytest.approx(1 - 0.1 * np.log(0.1) / 0.9 + 2 * expected_inverse(2, 4.0).item())
    assert risk.below_one == 0


@pytest.mark.parametrize("weights", [[0.0, 1.0], [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_weight_that_is_none_is_refused(weights):
    with pytest.raises(InputError, match="above 0"):
        weighted_risk(Classes.of_rows([("F", "1"), ("M", "2")], ("sex", "w")), np.array(weights), "w")


def test_a_record_without_a_weight_is_refused():
    with pytest.raises(InputError, match="1 records have no weight"):
        weighted_risk(Classes.of_rows([("F", "1"), ("M", None)], ("sex", "w")), np.array([1.0]), "w")
