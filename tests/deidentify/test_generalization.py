"""Rows at their levels."""

import numpy as np

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.generalization import Generalization
from policy_sim.deidentify.key_cells import KeyCells
from policy_sim.deidentify.ladders import flat_ladder, number_ladder

TABLE = CodedTable(
    {
        "age": CodedColumn.of(["31", "34", "", "42"]),
        "sex": CodedColumn.of(list("FMFM")),
        "x": CodedColumn.of(list("abcd")),
    }
)
LADDERS = (number_ladder("age", ["31", "34", "42"], (10,)), flat_ladder("sex", ["F", "M"]))


def texts(table):
    return list(zip(*(column.texts().tolist() for column in table.columns.values()), strict=True))


def test_rows_are_released_at_their_own_node_or_not_at_all():
    found = Generalization(LADDERS, ((1, 0), (2, 0)), np.array([0, -1, 0, 1]))
    assert texts(found.apply(TABLE)) == [("30-39", "F", "a"), ("", "F", "c"), ("*", "M", "d")]
    assert found.rows_with_blanks == 1
    assert found.levels() == {"age": "10 wide", "sex": "value"}
    assert found.labels("age")["34"] == "30-39"


def test_people_by_text_has_the_fewest_where_nodes_meet():
    cells, _ = KeyCells.of_table(TABLE, LADDERS)
    cells = cells.with_population(np.array([[1, 1], [2, 1], [3, 2]], dtype=np.int32), np.array([10, 20, 30]))
    people = Generalization(LADDERS, ((1, 0), (2, 1)), np.zeros(4, dtype=np.int64)).people_by_text(cells)
    assert people["30-39", "F"] == 30
    assert people["*", "*"] == 60
    assert people["", "F"] == 0  # nobody of the population has no age


def test_cells_that_are_suppressed_one_by_one_are_missing():
    found = Generalization(LADDERS, ((1, 0), (2, 0)), np.array([0, -1, 0, 1]))
    assert texts(found.without_blanks(found.apply(TABLE))) == [("30-39", "F", "a"), ("", "F", "c"), ("", "M", "d")]


def test_the_loss_by_hand():
    """Two of three ages under 30-39 are 1/2; a suppressed row loses 1 in each field, a suppressed cell 1 in its own."""
    found = Generalization(LADDERS, ((1, 0), (2, 0)), np.array([0, -1, 0, 1]))
    assert found.loss(TABLE) == (0.5 + 2 + 0 + 1) / 8
