"""Values of key fields as every engine compares them, on an engine that runs here."""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim.errors import SchemaError
from policy_sim.io.engine.backend import quietly
from policy_sim.io.engine.expressions import key_columns, long, value_codes
from policy_sim.io.engine.opening import open_engine
from policy_sim.io.engine.record_sources import open_records
from policy_sim.records.column_mapping import ColumnMapping


@pytest.fixture
def engine():
    with open_engine(memory="200MB", threads=1) as opened, quietly():
        yield opened


def stored(tmp_path, **columns):
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table(columns), path)
    return open_records(str(path), tuple(columns), ColumnMapping(), None)


def codes(engine, tables, missing=("",)):
    found = engine.fetch(value_codes(tables, "f0", missing))
    return dict(zip(found["value"].to_pylist(), found["code"].to_pylist(), strict=True))


def test_codes_count_the_sorted_values_from_one_and_missing_is_none(engine, tmp_path):
    records = stored(tmp_path, a=["b", "a", None, "b", "", "?"])
    table = key_columns(engine.read(records, rows=False), records)
    assert codes(engine, [table]) == {"?": 1, "a": 2, "b": 3, None: 0, "": 0}
    assert codes(engine, [table], ("", "?")) == {"?": 0, "a": 1, "b": 2, None: 0, "": 0}


def test_two_files_share_their_codes(engine, tmp_path):
    first = stored(tmp_path, a=["a", "c"])
    one = engine.keep(key_columns(engine.read(first, rows=False), first, text=True))
    second = stored(tmp_path, a=[7, 8])
    other = engine.keep(key_columns(engine.read(second, rows=False), second, text=True))
    assert codes(engine, [one, other]) == {"7": 1, "8": 2, "a": 3, "c": 4}


def test_not_a_number_is_missing_and_minus_zero_is_zero(engine, tmp_path):
    records = stored(tmp_path, a=[0.0, -0.0, math.nan, 1.5])
    table = key_columns(engine.read(records, rows=False), records)
    values = codes(engine, [table])
    assert sorted(values.values()) == [0, 1, 2]


def test_a_column_of_lists_is_no_key_field(engine, tmp_path):
    records = stored(tmp_path, a=[[1], [2]])
    with pytest.raises(SchemaError, match="not plain values"):
        key_columns(engine.read(records, rows=False), records)


def test_a_whole_number_has_64_bits():
    assert str(long(3).type()) == "int64"
