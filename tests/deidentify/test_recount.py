"""The risk of a file counted from its texts."""

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.recount import class_of_rows, recounted
from policy_sim.deidentify.risk_targets import RiskTarget
from policy_sim.records.prosecutor import Threshold

TABLE = CodedTable({"sex": CodedColumn.of(list("FFFMM")), "age": CodedColumn.of(["1", "1", "1", "2", ""])})


def test_by_hand():
    risk = recounted(TABLE, ["sex", "age"])
    assert (risk.records, risk.smallest, risk.uniques, risk.maximum) == (5, 1, 2, 1.0)
    assert risk.average == pytest.approx(3 / 5)
    assert risk.strict_average(Threshold.parse("0.5")) == 1.0
    assert risk.meets(RiskTarget.parse("average", "0.6"))
    assert not risk.meets(RiskTarget.parse("maximum", "k=2"))


def test_people_with_several_rows_count_once():
    risk = recounted(TABLE, ["sex"], np.array([1, 1, 2, 3, 4]))
    assert (risk.records, risk.rows, sorted(risk.sizes)) == (4, 5, [2, 2])


def test_people_of_the_population_by_text():
    risk = recounted(TABLE, ["sex"], people_by_text={("F",): 30, ("M",): 1})
    assert risk.population_maximum == 0.5  # two records are at least two people
    assert risk.marketer == pytest.approx((3 / 30 + 2 / 2) / 5)


def test_without_key_fields_all_rows_are_alike():
    assert class_of_rows(TABLE, ["gone"])[1] == 1
    assert recounted(TABLE, ["gone"]).maximum == 0.2
