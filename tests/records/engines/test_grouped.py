"""Classes still inside the engine, beside counting in Python."""

import csv
from collections import Counter

import numpy as np
import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import open_records
from policy_sim.words.errors import NotEstimableError

ROWS = [("a", "1"), ("a", "1"), ("b", ""), ("b", "2"), ("", ""), ("c", "1"), ("b", "2"), ("a", "")]


def write(path, rows, header=("f", "g")):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return open_records(str(path), header, ColumnMapping(), None)


@pytest.fixture(scope="module")
def engine():
    with open_engine(memory="200MB", threads=1) as opened:
        yield opened


@pytest.fixture
def grouped(engine, tmp_path):
    return engine.group(write(tmp_path / "file.csv", ROWS), rows=True)


def test_classes_are_those_of_a_count_in_python(grouped):
    classes = grouped.classes()
    assert sorted(classes.sizes.tolist()) == sorted(Counter(ROWS).values())
    assert grouped.number() == len(set(ROWS)) == classes.number
    assert grouped.values_of("f") == ["a", "b", "c"]


def test_missing_values_are_counted_by_field_and_left_out(grouped):
    assert grouped.missing() == (1, 3)
    complete = [row for row in ROWS if all(row)]
    sizes = grouped.sizes(complete=True)
    assert sizes.excluded == len(ROWS) - len(complete)
    assert sizes.histogram.records == len(complete)


def test_sizes_on_some_of_the_fields(grouped):
    expected = Counter(Counter(f for f, _ in ROWS).values())
    histogram = grouped.sizes(["f"]).histogram
    assert dict(zip(histogram.size.tolist(), histogram.classes.tolist(), strict=True)) == expected


def test_every_row_is_named_in_its_class(grouped):
    classes = grouped.classes()
    place = grouped.class_of_rows(classes)
    assert len(place) == len(ROWS)
    for one in range(len(ROWS)):
        for other in range(len(ROWS)):
            assert (place[one] == place[other]) == (ROWS[one] == ROWS[other])
    alone = classes.codes[classes.sizes == 1]
    assert grouped.rows(alone) == [at for at, row in enumerate(ROWS, 1) if ROWS.count(row) == 1]
    assert grouped.rows(np.zeros((0, 2), dtype=np.int32)) == []


def test_more_classes_than_memory_holds_are_refused(grouped):
    with pytest.raises(NotEstimableError, match="classes"):
        grouped.classes(most=len(set(ROWS)) - 1)
    assert grouped.classes(most=len(set(ROWS))).number == len(set(ROWS))


def test_joint_sizes_are_those_of_two_counts(engine, tmp_path):
    others = [("a", "1"), ("b", "2"), ("b", "2"), ("z", "9")]
    first, second = engine.group_alike(write(tmp_path / "one.csv", ROWS), write(tmp_path / "two.csv", others))
    joint = first.joint(second)
    ours, theirs = Counter(ROWS), Counter(others)
    expected = Counter((many, theirs[row]) for row, many in ours.items())
    found = zip(joint.records.tolist(), joint.people.tolist(), joint.classes.tolist(), strict=True)
    assert {(records, people): classes for records, people, classes in found} == expected
