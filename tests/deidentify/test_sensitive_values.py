"""l-diversity and t-closeness, by hand, by the published figures, and by brute force."""

import csv
import json
from collections import Counter

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn
from policy_sim.deidentify.sensitive_values import sensitive_risk


def test_salaries_of_the_paper():
    """Li et al. 2007, section 4: nine salaries; 3, 4 and 5 thousand are 0.375 away, 6, 8 and 11 are 0.167."""
    salaries = ["3", "4", "5", "6", "8", "11", "7", "9", "10"]
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    column = CodedColumn.of(salaries)
    assert sensitive_risk("salary", column, groups, ordered=True).closeness == pytest.approx(0.375)
    others = np.array([0, 2, 2, 1, 1, 1, 0, 0, 2])
    first = sensitive_risk("salary", column, np.where(others == 1, 1, 0), ordered=True)
    assert first.closeness == pytest.approx(1 / 6, abs=1e-9)


def test_classes_by_hand_one_after_the_other():
    rng = np.random.default_rng(3)
    for many in [6, 30] * 10:  # large classes, and small ones of which some have one value
        group, values = rng.integers(0, many, 80), rng.choice(list("abcd"), 80)
        risk = sensitive_risk("v", CodedColumn.of(values), group)
        counts = [Counter(values[group == each].tolist()) for each in np.unique(group)]
        overall = Counter(values.tolist())
        far = [sum(abs(each[v] / each.total() - overall[v] / 80) for v in overall) / 2 for each in counts]
        entropy = [-sum(n / each.total() * np.log(n / each.total()) for n in each.values()) for each in counts]
        assert risk.distinct == min(map(len, counts))
        assert risk.entropy == pytest.approx(np.exp(min(entropy)))
        assert risk.closeness == pytest.approx(max(far))
        assert risk.disclosed_records == sum(each.total() for each in counts if len(each) == 1)


def test_adult_as_published(shared):
    """The first 400 rows by education and sex: fewest values and smallest entropy of the published table."""
    published = json.loads((shared / "reference" / "estimators_public.json").read_text())["record_level"]["l_diversity"]
    with (shared / "microdata" / "adult_arx.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))[:400]
    group = np.unique([f"{row['education']}|{row['sex']}" for row in rows], return_inverse=True)[1]
    risk = sensitive_risk("occupation", CodedColumn.of([row["occupation"] for row in rows]), group)
    values = np.array(published["values"], dtype=float)
    assert risk.distinct == values[:, 0].min()
    assert risk.entropy == pytest.approx(values[:, 1].min(), abs=1e-9)


def test_no_record_no_risk():
    assert sensitive_risk("v", CodedColumn.of([]), np.array([], dtype=np.int64)) is None
