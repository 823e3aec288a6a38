"""Rows at their levels."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from coded import coded

from policy_sim.records.formats import CodedColumn
from policy_sim.release.cells import KeyCells
from policy_sim.release.class_labels import Labels, interval_labels
from policy_sim.release.conditions import sensitive_risk
from policy_sim.release.generalization import ClassLabels, Generalization, generalized
from policy_sim.release.ladders import flat_ladder, number_ladder
from policy_sim.release.local import with_cells_suppressed
from policy_sim.release.search import search_lattice
from policy_sim.release.targets import RiskTarget, recounted
from policy_sim.release.use import UserAnalysis
from policy_sim.words.errors import InputError, UnknownNameError

TABLE = coded(age=["31", "34", "", "42"], sex=list("FMFM"), x=list("abcd"))
LADDERS = (number_ladder("age", ["31", "34", "42"], (10,)), flat_ladder("sex", ["F", "M"]))


def texts(table):
    return list(zip(*(column.texts().tolist() for column in table.columns.values()), strict=True))


def test_rows_are_released_at_their_own_node_or_not_at_all():
    """Two of three ages under 30-39 lose 1/2; a suppressed row loses 1 in each field, a suppressed cell 1 in one."""
    found = Generalization(LADDERS, ((1, 0), (2, 0)), np.array([0, -1, 0, 1]))
    assert texts(found.without_blanks(found.apply(TABLE))) == [("30-39", "F", "a"), ("", "F", "c"), ("", "M", "d")]
    assert found.loss(TABLE) == (0.5 + 2 + 0 + 1) / 8
    assert texts(found.apply(TABLE)) == [("30-39", "F", "a"), ("", "F", "c"), ("*", "M", "d")]
    assert found.rows_with_blanks == 1
    assert found.levels() == {"age": "10 wide", "sex": "value"}
    assert found.labels("age")["34"] == "30-39"


def test_values_brought_to_one_level_lose_what_the_coarsest_row_does():
    """The ages of rows at 31, at 30-39 and in the interval 31-34 are brought to ten years: 1/2 each of three ages."""
    two = Generalization(LADDERS, ((0, 0), (1, 0)), np.array([0, 1, 0, 0]), is_local=True)
    assert two.at_several_levels == ("age",)
    assert two.loss(TABLE) == 0.5 / 8
    assert two.brought_to_one_level(TABLE) == ({"age": "10 wide", "sex": "value"}, 2 * 0.5 / 8)
    interval = interval_labels(*LADDERS[0].units(0), np.array([0]), np.array([1]))
    label = np.array([[3, -1], [-1, -1]])
    cut = ClassLabels((interval, Labels.none()), label, np.array([0, 0, 1, 1]))
    assert replace(two, row_node=np.zeros(4, dtype=np.int64), closer=cut).brought_to_one_level(TABLE)[1] == 2 * 0.5 / 8


def test_a_row_with_blanks_has_no_people_of_the_population():
    """That a row lacks a cell tells that its class is small, so nobody else is counted who fits the others."""
    cells = KeyCells.of_table(TABLE, LADDERS)
    cells = cells.with_population(np.array([[1, 1], [2, 1], [3, 2]], dtype=np.int32), np.array([10, 20, 30]))
    people = Generalization(LADDERS, ((1, 0), (2, 1)), np.zeros(4, dtype=np.int64)).people_by_text(cells)
    assert people["30-39", "F"] == 30
    assert ("*", "*") not in people
    assert people["", "F"] == 0  # nobody of the population has no age


# Cells suppressed in place of records.


def people(seed, rows=200):
    rng = np.random.default_rng(seed)
    ages = [str(age) for age in rng.integers(20, 60, rows)]
    sexes = rng.choice(list("FM"), rows)
    return coded(age=ages, sex=sexes, race=rng.choice(list("abcd"), rows, p=[0.7, 0.2, 0.07, 0.03]))


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
        file = people(seed)
        ages = number_ladder("age", file["age"].values, (5, 10))
        cells = KeyCells.of_table(file, [ages, flat_ladder("sex", "FM"), flat_ladder("race", "abcd")])
        found = search_lattice(cells, target, 0.2)
        whole = generalized(cells, found.node, target)
        local = with_cells_suppressed(cells, whole, target)
        assert (local.row_node[whole.released] == 0).all()
        released = local.apply(file)
        assert recounted(released, ["age", "sex", "race"]).meets(target)
        rows = Counter(zip(*(column.texts() for column in released.columns.values()), strict=True))
        assert min(rows.values()) >= target.least
        more += int(local.released.sum() - whole.released.sum())
    assert more > 0


# l-diversity and t-closeness, by hand, by the published figures, and by brute force.


def test_classes_by_hand_one_after_the_other():
    rng = np.random.default_rng(3)
    for many in [6, 30] * 10:  # large classes, and small ones of which some have one value
        group, values = rng.integers(0, many, 80), rng.choice(list("abcd"), 80)
        risk = sensitive_risk("v", CodedColumn.of(values), group)
        counts = [Counter(values[group == each].tolist()) for each in np.unique(group)]
        overall = Counter(values.tolist())
        far = [sum(abs(each[v] / each.total() - overall[v] / 80) for v in overall) / 2 for each in counts]
        entropy = [-sum(n / each.total() * np.log(n / each.total()) for n in each.values()) for each in counts]
        assert risk["distinct"] == min(map(len, counts))
        assert risk["entropy"] == pytest.approx(np.exp(min(entropy)))
        assert risk["closeness"] == pytest.approx(max(far))
        assert risk["told"] == sum(each.total() for each in counts if len(each) == 1)
    assert sensitive_risk("v", CodedColumn.of([]), np.array([], dtype=np.int64)) is None


def test_adult_as_published(shared):
    """The first 400 rows by education and sex: fewest values and smallest entropy of the published table."""
    published = json.loads((shared / "reference" / "estimators_public.json").read_text())["record_level"]["l_diversity"]
    with (shared / "microdata" / "adult_arx.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))[:400]
    group = np.unique([f"{row['education']}|{row['sex']}" for row in rows], return_inverse=True)[1]
    risk = sensitive_risk("occupation", CodedColumn.of([row["occupation"] for row in rows]), group)
    values = np.array(published["values"], dtype=float)
    assert risk["distinct"] == values[:, 0].min()
    assert risk["entropy"] == pytest.approx(values[:, 1].min(), abs=1e-9)


# The user's own analysis before and after, by hand.


BEFORE = coded(age=["31", "34", "42", "45"], days=["1", "3", "10", ""], ill=["y", "n", "y", "y"])
AFTER = coded(age=["30-39", "30-39", "40-49"], days=["1", "3", "10"], ill=["y", "n", "y"])
LABELS = {"age": {"31": "30-39", "34": "30-39", "42": "40-49", "45": "40-49"}}


@pytest.mark.parametrize(
    ("analysis", "before", "after"),
    [
        (UserAnalysis("a", "count", by=("age",)), (2, 2), (2, 1)),
        (UserAnalysis("a", "mean", "days", ("age",)), (2, 10), (2, 10)),
        (UserAnalysis("a", "median", "days", ("age",)), (2, 10), (2, 10)),
        (UserAnalysis("a", "share", "ill", ("age",), "y"), (0.5, 1), (0.5, 1)),
    ],
)
def test_groups_are_those_of_the_release(analysis, before, after):
    assert analysis.rows(BEFORE, AFTER, LABELS) == [
        ((group,), ours, theirs) for group, ours, theirs in zip(("30-39", "40-49"), before, after, strict=True)
    ]


def test_the_whole_file_and_groups_that_are_gone():
    assert UserAnalysis("a", "mean", "days").rows(BEFORE, AFTER, {}) == [((), 14 / 3, 14 / 3)]
    assert UserAnalysis("a", "mean", "ill").rows(BEFORE, AFTER, {}) == [((), None, None)]  # no numbers
    rows = UserAnalysis("a", "count", by=("ill",)).rows(BEFORE, coded(ill=["y"]), {})
    assert rows == [(("n",), 1, None), (("y",), 3, 1)]


def test_what_cannot_be_analyzed():
    with pytest.raises(UnknownNameError):
        UserAnalysis("a", "mode")
    with pytest.raises(InputError, match="name the column"):
        UserAnalysis("a", "mean")
    with pytest.raises(InputError, match="give the value for the share"):
        UserAnalysis("a", "share", "ill")
    with pytest.raises(InputError, match="not released"):
        UserAnalysis("a", "mean", "days").rows(BEFORE, coded(age=["30-39"]), {})
    with pytest.raises(UnknownNameError, match="shoe"):
        UserAnalysis("a", "mean", "shoe").rows(BEFORE, AFTER, {})
