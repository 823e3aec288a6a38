"""Cells and classes, against every row counted."""

from collections import Counter

import numpy as np
import pytest

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.ladders import flat_ladder, number_ladder
from policy_sim.release.search import KeyCells


@pytest.fixture
def table():
    rng = np.random.default_rng(4)
    ages = [str(age) if age else "" for age in rng.integers(0, 60, 300)]
    return CodedTable({"age": CodedColumn.of(ages), "sex": CodedColumn.of(rng.choice(["F", "M", ""], 300))})


def ladders(table):
    return [number_ladder("age", table["age"].values, (10, 20)), flat_ladder("sex", table["sex"].values)]


@pytest.mark.parametrize("node", [(0, 0), (1, 0), (2, 1), (3, 0), (3, 1)])
def test_classes_are_those_of_the_rows(table, node):
    cells, row_cell = KeyCells.of_table(table, ladders(table))
    rows = list(
        zip(
            *(
                column.relabeled(ladder.texts(level)).texts()
                for ladder, level, column in zip(cells.ladders, node, table.columns.values(), strict=True)
            ),
            strict=True,
        )
    )
    classes = cells.classes(node)
    assert sorted(classes.records) == sorted(Counter(rows).values())
    number = cells.class_of_cells(node)[row_cell]
    assert len({*zip(number.tolist(), rows, strict=True)}) == len(classes.records)
    np.testing.assert_array_equal(np.bincount(number), classes.records)


def test_classes_summed_from_a_finer_node_are_the_same(table):
    cells, _ = KeyCells.of_table(table, ladders(table))
    direct, summed = cells.classes((2, 1)), cells.classes((2, 1), cells.classes((1, 0)))
    np.testing.assert_array_equal(direct.records, summed.records)
    np.testing.assert_array_equal(cells.class_of_cells((2, 1))[direct.cell], cells.class_of_cells((2, 1))[summed.cell])


def test_people_are_added_up_beside_the_records(table):
    cells, _ = KeyCells.of_table(table, ladders(table))
    cells = KeyCells(cells.ladders, cells.codes, cells.records, cells.records * 7)
    classes = cells.classes((1, 1), cells.classes((0, 1)))
    np.testing.assert_array_equal(classes.people, classes.records * 7)


def test_mean_loss_counts_records(table):
    cells, _ = KeyCells.of_table(table, ladders(table))
    column, losses = table["sex"], cells.ladders[1].losses(1)
    assert cells.mean_loss(1, 1) == pytest.approx(losses[column.codes].mean())


@pytest.mark.parametrize("other", ["M", ""])
def test_a_level_of_two_classes_keeps_its_records_apart(other):
    """Two values, or one value and nothing."""
    columns = {"sex": CodedColumn.of(["F", other, "F", "F"]), "age": CodedColumn.of(["30", "30", "31", "31"])}
    table = CodedTable(columns)
    cells, _ = KeyCells.of_table(table, [flat_ladder(name, column.values) for name, column in columns.items()])
    assert sorted(cells.classes((0, 1)).records.tolist()) == [1, 3]
    assert sorted(cells.classes((0, 0)).records.tolist()) == [1, 1, 2]
