"""Codes for missing values: the same number written otherwise, and those that occur nowhere."""

from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import batches, open_records


@pytest.fixture
def engine():
    with open_engine(memory="200MB", threads=2) as opened:
        yield opened


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
    engine.group(open_records(str(tmp_path / "f.csv"), ["a", "b"], mapping))
    assert engine.remarks == [f"the code {code!r} for missing values occurs in no key field" for code in ("?", "-9")]


def test_not_a_number_in_a_database_is_missing():
    rows = [(float("nan"),), (Decimal("NaN"),), (None,), (1.5,), (Decimal("sNaN"),), ("NaN",)]

    class Found:
        def partitions(self, _size):
            yield rows

    (batch,) = batches(Found(), pa.schema([("f0", pa.string())]), lambda _: None)
    assert batch.column(0).to_pylist() == [None, None, None, "1.5", None, "NaN"]
