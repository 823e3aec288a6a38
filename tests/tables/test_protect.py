"""Complementary cells: proved optima of published and random tables, patterns audited by force."""

from __future__ import annotations

from pathlib import Path

import pytest
from pinned import pinned

from benchmarks.tables import answers
from policy_sim.tables.protect import INFEASIBLE, OPTIMAL, UNKNOWN, Terms, protect
from policy_sim.tables.table import PRIMARY, PUBLISHED, ZERO, Cell, Relation, Table, intervals
from policy_sim.words.errors import InputError

INSTANCES = Path(__file__).resolve().parents[3] / "shared/rules/instances/instances.jsonl"


def _row(*values: int) -> Table:
    keys = [(name,) for name in "abcdefgh"[: len(values)]]
    status = [ZERO if v == 0 else PRIMARY if v < 11 else PUBLISHED for v in values]
    cells = [Cell(k, v, s) for k, v, s in zip(keys, values, status, strict=True)]
    return Table((Cell(("T",), sum(values), margin=True), *cells), (Relation(("T",), tuple(keys)),))


def test_one_small_cell_of_a_row_needs_the_cheapest_other():
    result = protect(_row(1, 11, 14, 0))
    assert (result.status, result.complementary, result.cost) == (OPTIMAL, (("b",),), 11)


def test_a_small_cell_beside_zeros_cannot_be_protected():
    result = protect(_row(5, 0, 0))
    assert (result.status, result.unsafe) == (INFEASIBLE, (("a",),))


def test_what_a_reader_derives_of_two_hidden_cells_of_a_row():
    ends = [(each.least, each.greatest) for each in intervals(_row(2, 3, 20))]
    assert ends == [(0, 5), (0, 5)]


def test_totals_that_do_not_add_up_are_refused():
    with pytest.raises(InputError, match="total T"):
        Table((Cell(("T",), 3), Cell(("a",), 2)), (Relation(("T",), (("a",),)),))


@pytest.mark.slow
@pytest.mark.skipif(not INSTANCES.exists(), reason="the instances with proved optima are not on this machine")
def test_some_of_the_proved_optima():
    lines = list(answers(INSTANCES, pinned(20, 10)))  # all of them: benchmarks.tables
    assert lines == [""] * len(lines) != []


def _from_one(table):
    return {cell.key: (1, None) for cell in table.cells}


def test_a_reader_who_knows_that_hidden_counts_are_not_zero_solves_one_and_one():
    row = _row(1, 1, 12)
    hidden = row.with_statuses({})
    assert [each.least == each.greatest for each in intervals(hidden)] == [False, False]
    assert [each.least == each.greatest for each in intervals(hidden, _from_one(row))] == [True, True]
    assert protect(row, Terms("E")).cost == 0
    result = protect(row, Terms("E", reader=_from_one(row)))
    assert (result.status, result.complementary, result.cost) == (OPTIMAL, (("c",),), 12)


def test_a_reader_who_knows_the_labels_solves_three_tens():
    row, more = _row(10, 10, 10), _row(10, 10, 10, 20)
    labels = dict.fromkeys([("a",), ("b",), ("c",)], (1, 10))
    assert [each.least == each.greatest for each in intervals(row)] == [False] * 3
    assert [each.least == each.greatest for each in intervals(row, labels)] == [True] * 3
    assert protect(row, Terms("E", reader=labels)).status == INFEASIBLE
    assert protect(more, Terms("E", reader={**labels, ("d",): (11, None)})).complementary == (("d",),)


def test_a_count_of_one_cannot_be_free_below_for_a_reader_who_knows_that_it_is_not_zero():
    row = _row(1, 11, 14)
    result = protect(row, Terms("T", reader=_from_one(row)))
    assert (result.status, result.complementary) == (OPTIMAL, (("b",),))


def test_without_time_nothing_is_claimed():
    result = protect(_row(1, 11, 14, 0), Terms(), seconds=0)
    assert (result.status, result.complementary, result.cost) == (UNKNOWN, (), None)


def test_hidden_zeros_are_a_way_out():
    result = protect(_row(5, 0, 0), Terms("E", hide_zeros=True))
    assert (result.status, len(result.complementary)) == (OPTIMAL, 1)
