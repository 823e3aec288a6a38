"""``dataset profile`` against comparing each record with each, under every rule for missing values."""

import math
from itertools import combinations

import numpy as np
import pytest

from policy_sim.records.classes import MISSING_RULES, Classes
from policy_sim.records.profile import Threshold, profile_classes
from policy_sim.records.tables import combination_frame, field_frame, profile_figures

K = 3
LIMITS = Threshold.parse(f"k={K}"), Threshold.parse("0.5")


def _rows(seed):
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(0, 15)), int(rng.integers(1, 5))
    values = [rng.integers(0, int(rng.integers(1, 5)), n) for _ in range(q)]
    lost = rng.random((n, q)) < rng.choice([0.0, 0.15, 0.5])
    return [tuple(None if lost[i, j] else int(values[j][i]) for j in range(q)) for i in range(n)], tuple("abcd"[:q])


def _agree(one, other, places, rule):
    return all(one[i] == other[i] or (rule == "wildcard" and (one[i] is None or other[i] is None)) for i in places)


def _sizes(rows, places, rule):
    return [sum(_agree(row, other, places, rule) for other in rows) for row in rows]


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
def test_every_figure_is_that_of_comparing_records(seed, rule):
    rows, names = _rows(seed)
    profile = profile_classes(Classes.of_rows(rows, names), rule, *LIMITS)
    judged = [row for row in rows if None not in row] if rule == "exclude" else rows
    everything = tuple(range(len(names)))
    sizes = _sizes(judged, everything, rule)
    risk = profile.risk
    assert (risk.records, profile.sizes.excluded) == (len(judged), len(rows) - len(judged))
    assert (risk.smallest, risk.uniques) == (min(sizes, default=None), sizes.count(1))
    assert risk.at_risk == sum(size < K for size in sizes)
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
        assert one.alone.uniques == _sizes(judged, (at,), rule).count(1)
        assert (one.missing, one.values) == (
            sum(row[at] is None for row in rows),
            len({row[at] for row in rows} - {None}),
        )
        assert one.without is None or _same(one.without.average, _mean_risk(_sizes(judged, rest, rule)))
        assert one.score_share == (pytest.approx(of_field[one.name] / sum(scores)) if any(scores) else None)
    added = field_frame(profile)["added_risk"].dropna()
    assert (added >= -1e-12).all()  # whoever knows more is right no less often


def test_wildcards_rule_the_tables_of_fields_and_combinations_too():
    """One record that misses its age agrees with everybody: nobody is alone by age, and no field lowers risk."""
    rows = [("F", 30), ("F", 30), ("M", 40), ("M", None), (None, 40)]
    profile = profile_classes(Classes.of_rows(rows, ("sex", "age")), "wildcard", *LIMITS)
    fields = field_frame(profile).set_index("field")
    # by sex: F 3, 3; M 3, 3; missing 5.  by age: 30: 3, 3; 40: 3, 3; missing 5.
    assert fields.loc["sex", "average_risk_alone"] == pytest.approx((4 / 3 + 1 / 5) / 5)
    # together: (F 30) 2, 2; (M 40) 3; (M, -) 3; (-, 40) 3
    assert profile.risk.average == pytest.approx((2 / 2 + 3 / 3) / 5)
    assert (fields["added_risk"] >= 0).all()
    table = combination_frame(profile).set_index("fields")
    assert table.loc["sex+age", "average_risk"] == pytest.approx(profile.risk.average)
    assert table["classes"].isna().all()
    assert profile_figures(profile).set_index("measure").loc["classes", "status"] == "undefined"
