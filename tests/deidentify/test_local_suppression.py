"""Cells suppressed in place of records."""

from collections import Counter

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.key_cells import KeyCells
from policy_sim.deidentify.ladders import flat_ladder, number_ladder
from policy_sim.deidentify.local_suppression import generalized, with_cells_suppressed
from policy_sim.deidentify.node_search import search_lattice
from policy_sim.deidentify.recount import recounted
from policy_sim.deidentify.risk_targets import RiskTarget


def people(seed, rows=200):
    rng = np.random.default_rng(seed)
    return CodedTable(
        {
            "age": CodedColumn.of([str(age) for age in rng.integers(20, 60, rows)]),
            "sex": CodedColumn.of(rng.choice(list("FM"), rows)),
            "race": CodedColumn.of(rng.choice(list("abcd"), rows, p=[0.7, 0.2, 0.07, 0.03])),
        }
    )


@pytest.mark.parametrize(
    "target",
    [
        RiskTarget.parse("maximum", "k=4"),
        RiskTarget.parse("average", "0.2"),
        RiskTarget.parse("strict-average", "0.2", "0.33"),
    ],
    ids=RiskTarget.describe,
)
def test_more_rows_are_released_and_the_target_still_holds(target):
    more = 0
    for seed in range(10):
        table = people(seed)
        ladders = [
            number_ladder("age", table["age"].values, (5, 10)),
            flat_ladder("sex", "FM"),
            flat_ladder("race", "abcd"),
        ]
        cells, row_cell = KeyCells.of_table(table, ladders)
        found = search_lattice(cells, target, 0.2)
        whole = generalized(cells, found.node, target, row_cell)
        local = with_cells_suppressed(cells, whole, target, row_cell)
        assert (local.row_node[whole.released] == 0).all()
        released = local.apply(table)
        assert recounted(released, ["age", "sex", "race"]).meets(target)
        rows = Counter(zip(*(column.texts() for column in released.columns.values()), strict=True))
        assert min(rows.values()) >= target.least
        more += int(local.released.sum() - whole.released.sum())
    assert more > 0
