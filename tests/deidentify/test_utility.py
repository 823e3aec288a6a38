"""What is left of a file's use, by hand."""

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.utility import distance_of, entropy_loss, missingness


def table(**columns):
    return CodedTable({name: CodedColumn.of(texts) for name, texts in columns.items()})


def test_missing_values_of_the_hundred_records():
    """El Emam and Arbuckle 2013, chapter 2: 2% of records and 1.5% of cells."""
    first = ["" if at in (3, 5, 7) else "x" for at in range(1, 101)]
    second = ["" if at in (5, 10, 18) else "y" for at in range(1, 101)]
    before, after = table(a=first, b=["y"] * 100), table(a=first, b=second)
    lost = missingness(before, after, np.ones(100, dtype=bool), ["a", "b"])
    assert (lost.records_before, lost.records_after) == (0.03, 0.05)
    assert (lost.cells_before, lost.cells_after) == (0.015, 0.03)
    assert lost.records_lost == pytest.approx(0.02)
    assert lost.cells_lost == pytest.approx(0.015)


def test_records_that_are_gone_and_fields_that_are_gone_miss_everything():
    before = table(a=list("xxxx"), b=list("yyyy"))
    lost = missingness(before, table(a=list("xxx")), np.array([True, True, True, False]), ["a", "b"])
    assert (lost.records_after, lost.cells_after) == (1.0, 5 / 8)


def test_entropy_by_hand():
    before = table(age=["1", "1", "2", "3"], sex=list("FFMM"))
    whole = 4 * np.log2(4) - 2 * np.log2(2) + 4 * np.log2(4) - 2 * 2 * np.log2(2)
    assert entropy_loss(before, before, ["age", "sex"]) == 0
    assert entropy_loss(before, table(other=list("xxxx")), ["age", "sex"]) == 1
    halves = table(age=["1-2", "1-2", "1-2", "3"], sex=list("FFMM"))
    assert entropy_loss(before, halves, ["age", "sex"]) == pytest.approx((3 * np.log2(3) - 2 * np.log2(2)) / whole)
    constant = table(age=list("1111"))
    assert entropy_loss(constant, constant, ["age"]) is None


def test_suppressed_cells_do_not_count_as_generalized():
    before = table(age=["1", "2", "1", "2"])
    assert entropy_loss(before, table(age=["1", "2", "", "2"]), ["age"]) == 0


def test_distances():
    moved = distance_of("age", CodedColumn.of(["1", "2", "3", "4"]), CodedColumn.of(["1", "2"]))
    assert (moved.kind, moved.distance, moved.mean_before, moved.mean_after) == ("numbers", 0.5, 2.5, 1.5)
    labels = {"1": "1-2", "2": "1-2", "3": "3-4", "4": "3-4"}
    same = distance_of("age", CodedColumn.of(["1", "2", "3", "4"]), CodedColumn.of(["1-2", "3-4"]), labels)
    assert (same.kind, same.distance) == ("shares", 0)
    assert distance_of("x", CodedColumn.of(["a"]), CodedColumn.of([""])).distance is None
