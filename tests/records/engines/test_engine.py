"""Classes still inside the engine, beside counting in Python, and the codes for missing values."""

import csv
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.engines.sources import open_records
from policy_sim.words.errors import NotEstimableError

ROWS = [("a", "1"), ("a", "1"), ("b", ""), ("b", "2"), ("", ""), ("c", "1"), ("b", "2"), ("a", "")]


def write(path, rows, header=("f", "g")):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return open_records(str(path), header, ColumnMapping(), None)


@pytest.fixture
def grouped(engine, tmp_path):
    return engine.group(write(tmp_path / "file.csv", ROWS), rows=True)


def test_classes_and_sizes_are_those_of_a_count_in_python(grouped):
    classes = grouped.classes()
    assert sorted(classes.sizes.tolist()) == sorted(Counter(ROWS).values())
    assert grouped.number() == len(set(ROWS)) == classes.number
    assert grouped.values_of("f") == ["a", "b", "c"]
    assert grouped.missing() == (1, 3)
    complete = [row for row in ROWS if all(row)]
    sizes = grouped.sizes(complete=True)
    assert (sizes.excluded, sizes.histogram.records) == (len(ROWS) - len(complete), len(complete))
    assert grouped.sizes(["f"]).histogram.to_dict() == Counter(Counter(f for f, _ in ROWS).values())


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


def _missing(engine, location, codes, field="a"):
    return engine.group(open_records(str(location), [field], ColumnMapping(missing=("", *codes)))).missing()[0]


@pytest.mark.parametrize(
    ("codes", "missing"),
    [(["99"], 3), (["99.0"], 3), (["099"], 1), (["-9"], 1), (["99", "099", "?"], 5), (["9"], 0), (["9.9"], 0)],
)
def test_a_whole_number_in_text(engine, tmp_path, codes, missing):
    (tmp_path / "f.csv").write_text("a,b\n99,1\n99.0,1\n99.00,1\n099,1\n-9.0,1\n?,1\n990,1\n9.90,1\n")
    assert _missing(engine, tmp_path / "f.csv", codes) == missing


@pytest.mark.parametrize(
    ("column", "missing"),
    [([99.0, 1.5, None], 2), ([99, 1, 2], 1), ([Decimal("99.00"), Decimal("1.50")], 1), (["99.0", "x"], 1)],
)
def test_a_whole_number_in_every_kind_of_column(engine, tmp_path, column, missing):
    pq.write_table(pa.table({"a": column}), tmp_path / "f.parquet")
    assert _missing(engine, tmp_path / "f.parquet", ["99"]) == missing


def test_codes_that_occur_nowhere_are_told(engine, tmp_path):
    (tmp_path / "f.csv").write_text("a,b\n99.0,1\nNA,\n")
    mapping = ColumnMapping(missing=("", "99", "NA", "?", "-9"))
    engine.remarks.clear()
    engine.group(open_records(str(tmp_path / "f.csv"), ["a", "b"], mapping))
    assert engine.remarks == [f"the code {code!r} for missing values occurs in no key field" for code in ("?", "-9")]
