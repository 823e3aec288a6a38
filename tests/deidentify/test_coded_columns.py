"""Columns as codes."""

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.errors import InputError, UnknownNameError


def test_codes_and_texts_are_one_another():
    column = CodedColumn.of(["b", "?", "a", None, "b"], missing=("", "?"))
    assert column.values == ("a", "b")
    assert column.codes.tolist() == [2, 0, 1, 0, 2]
    assert column.texts().tolist() == ["b", "", "a", "", "b"]
    assert column.missing == 2


def test_relabeled_values_merge_and_an_empty_label_is_missing():
    column = CodedColumn.of(["a", "b", "c", ""]).relabeled(["*", "x", "", "x"])
    assert column.texts().tolist() == ["x", "", "x", "*"]
    assert column.values == ("*", "x")


def test_blanked_rows_lose_their_value():
    blanked = CodedColumn.of(["a", "b"]).blanked(np.array([True, False]))
    assert blanked.texts().tolist() == ["", "b"]


def test_a_table_takes_rows_and_drops_columns():
    table = CodedTable({"a": CodedColumn.of(["1", "2", "3"]), "b": CodedColumn.of(["x", "y", "x"])})
    part = table.take(np.array([True, False, True])).without(["b"])
    assert (part.rows, part.names) == (2, ("a",))
    assert part["a"].texts().tolist() == ["1", "3"]
    with pytest.raises(UnknownNameError, match="column 'b'"):
        part["b"]


def test_columns_of_different_lengths_make_no_table():
    with pytest.raises(InputError, match="one length"):
        CodedTable({"a": CodedColumn.of(["1"]), "b": CodedColumn.of([])})
    with pytest.raises(InputError):
        CodedTable({})
