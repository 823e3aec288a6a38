"""People with several rows, against a count by hand of who may stay."""

from collections import defaultdict

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.ladders import flat_ladder
from policy_sim.deidentify.node_search import search_lattice
from policy_sim.deidentify.person_cells import PersonCells
from policy_sim.deidentify.risk_targets import RiskTarget


def those_who_stay(keys, person, k):
    """The largest set of people each of whose classes holds k of them."""
    stay = set(person)
    while True:
        members = defaultdict(set)
        for key, who in zip(keys, person, strict=True):
            if who in stay:
                members[key].add(who)
        small = {who for group in members.values() if len(group) < k for who in group}
        if not small:
            return stay
        stay -= small


@pytest.mark.parametrize("k", [2, 3, 5])
def test_all_rows_of_a_person_stay_or_go(k):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        person = rng.integers(0, 40, 90)
        ages = rng.choice(list("345678"), 90, p=[0.4, 0.3, 0.15, 0.1, 0.03, 0.02])
        table = CodedTable({"age": CodedColumn.of(ages)})
        cells = PersonCells.of_people(table, [flat_ladder("age", sorted(set(ages)))], person)
        gone = cells.suppressed_rows((0,), RiskTarget.parse("maximum", f"k={k}"), cells.row_cell)
        stay = those_who_stay(ages.tolist(), person.tolist(), k)
        assert set(person[~gone].tolist()) == stay
        assert set(person[gone].tolist()) == set(person.tolist()) - stay


def test_classes_count_people_and_losses_count_rows():
    table = CodedTable({"sex": CodedColumn.of(["F", "F", "F", "M"])})
    cells = PersonCells.of_people(table, [flat_ladder("sex", "FM")], np.array([0, 0, 1, 2]))
    assert cells.classes((0,)).records.tolist() == [2, 1]
    assert cells.rows_of_cells.tolist() == [3, 1]
    assert (cells.units, cells.total) == (3, 4)


def test_the_search_limits_people_and_weighs_rows():
    table = CodedTable({"sex": CodedColumn.of(["F"] * 9 + ["M"])})
    cells = PersonCells.of_people(table, [flat_ladder("sex", "FM")], np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6]))
    target = RiskTarget.parse("maximum", "k=2")
    assert search_lattice(cells, target, 0.1).node == (1,)  # one of seven people is more than a tenth
    one = search_lattice(cells, target, 0.15)
    assert (one.node, one.records) == ((0,), 1)
    assert one.loss == pytest.approx(0.1)  # one row of ten
