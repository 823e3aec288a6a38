"""Worked examples, prices, and which estimator is closest, on tables made by hand."""

import pandas as pd
import pytest

from policy_sim.analyses.reproduction.dankar_2012 import Dankar2012, median_errors
from policy_sim.groups.size_histogram import SizeHistogram
from policy_sim.voter_lists.price import Amount


def paper(errors=None):
    prices = {"OH": Amount(0.0, "free"), "TX": Amount(None, "unknown", "no source")}
    return Dankar2012(prices, 0.1, errors or {})


def errors():
    """Pitman is closest at 0.05, SNB at 0.5; the rule takes Pitman at both."""
    table = {
        "decision_rule": [0.1, -0.3],
        "pitman": [0.1, -0.3],
        "slide_negative_binomial": [-0.2, 0.2],
        "zayatz": [0.9, 0.9],
    }
    return {"public": pd.DataFrame(table, index=pd.Index([0.05, 0.5], name="fraction"))}


def test_shares_are_divisions():
    ask = {"kind": "example", "sample": 10, "sample_uniques": 4, "both": 2, "population": 50, "population_uniques": 5}
    taken = {"sample-uniqueness": 0.4, "lambda1": 0.5, "lambda2": 0.2, "lambda3": 0.1}
    assert {take: paper().answer({**ask, "take": take}).value for take in taken} == pytest.approx(taken)
    assert paper().answer({**ask, "take": "share", "of": 3}).value == pytest.approx(0.3)
    assert paper().answer({"kind": "relative-bias", "bias": 1, "at": 4}).value == 0.25
    assert paper().answer({"kind": "product", "of": [0.5, 0.5, 4]}).value == 1
    assert paper().answer({"kind": "rule"}).value == 0.1


def test_a_price_that_nobody_knows_is_a_reason_and_no_number():
    assert paper().answer({"kind": "price", "state": "OH"}).value == 0
    unknown = paper().answer({"kind": "price", "state": "TX"})
    assert (unknown.value, unknown.reason) == (None, "no source")


def test_at_how_many_fractions_a_model_is_closest():
    ask = {"kind": "simulated", "file": "public", "at": "all"}
    closest = {model: paper(errors()).answer({**ask, "model": model}).value for model in errors()["public"]}
    assert closest == {"decision_rule": 1, "pitman": 1, "slide_negative_binomial": 1, "zayatz": 0}
    assert paper(errors()).answer({**ask, "at": "low", "model": "slide_negative_binomial"}).value == 0
    assert paper(errors()).answer({**ask, "file": "other", "model": "pitman"}).value is None


def test_a_confidential_file_has_no_figure_but_a_public_one_beside_it():
    answer = paper(errors()).answer({"kind": "tree", "at": "low"})
    assert answer.value is None
    assert "public +0.100" in answer.reason
    for kind in ({"kind": "file", "file": "x"}, {"kind": "adult"}, {"kind": "tree", "at": "high"}):
        assert paper().answer(kind).value is None


def test_median_errors_have_one_row_per_fraction_and_one_column_per_model():
    sizes = SizeHistogram.from_classes([1] * 30 + [2] * 20 + [5] * 4)
    table = median_errors({"made": sizes})["made"]
    assert table.index.tolist() == pytest.approx([0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9])
    assert {"decision_rule", "pitman", "zayatz"} <= set(table)
