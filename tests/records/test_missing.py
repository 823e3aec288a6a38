"""Every rule for missing values against comparing each record with each."""

import numpy as np
import pytest

from policy_sim.errors import NotEstimableError, UnknownNameError
from policy_sim.records.classes import Classes
from policy_sim.records.missing import class_sizes


def _rows(seed, n=120, fields=4, lost=0.2):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (n, fields))
    gone = rng.random((n, fields)) < lost
    return [tuple(None if g else int(v) for v, g in zip(*pair, strict=True)) for pair in zip(values, gone, strict=True)]


def _counts(rows, agree):
    return sorted(sum(agree(a, b) for b in rows) for a in rows)


def _expand(sizes):
    return sorted(np.repeat(sizes.size, sizes.records).tolist())


def _wild(a, b):
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_own_wildcard_and_exclude_match_pairwise_comparison(seed):
    rows = _rows(seed)
    classes = Classes.of_rows(rows, tuple("abcd"))
    complete = [row for row in rows if None not in row]
    assert _expand(class_sizes(classes, "own")) == _counts(rows, lambda a, b: a == b)
    assert _expand(class_sizes(classes, "wildcard")) == _counts(rows, _wild)
    excluded = class_sizes(classes, "exclude")
    assert _expand(excluded) == _counts(complete, lambda a, b: a == b)
    assert excluded.number + excluded.excluded == len(rows)


def test_a_suppressed_record_is_a_class_of_its_own_or_agrees_with_all():
    rows = [("F", 1), ("M", 2), (None, None)]
    classes = Classes.of_rows(rows, ("sex", "age"))
    assert _expand(class_sizes(classes, "own")) == [1, 1, 1]
    assert _expand(class_sizes(classes, "wildcard")) == [2, 2, 3]


def test_without_missing_values_all_rules_agree():
    classes = Classes.of_rows(_rows(9, lost=0), tuple("abcd"))
    own, wild, excluded = (_expand(class_sizes(classes, rule)) for rule in ("own", "wildcard", "exclude"))
    assert own == wild == excluded


@pytest.mark.parametrize("rule", ["own", "wildcard", "exclude"])
def test_no_records(rule):
    sizes = class_sizes(Classes.of_rows([], ("a", "b")), rule)
    assert (sizes.number, sizes.excluded, sizes.size.tolist()) == (0, 0, [])


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
