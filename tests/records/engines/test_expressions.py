"""What every engine does with errors: one line of ours, which quotes no record."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Packing
from policy_sim.records.engines.engine import Engine
from policy_sim.records.engines.expressions import (
    Table,
    key_columns,
    quietly,
    quoted,
    value_codes,
)
from policy_sim.records.engines.sources import open_records
from policy_sim.words.errors import InputError, SchemaError, SourceError


class Made(Engine):
    """An engine that knows one of its errors."""

    name = "made"

    def explain(self, error, name):
        return SourceError(f"{name}: known") if isinstance(error, KeyError) else None


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyError("Schmidt"), "visits: known"),
        (pa.ArrowInvalid("Schmidt"), "visits: cannot be read"),
        (UnicodeDecodeError("utf-8", b"Schmidt", 0, 1, "bad"), "visits: cannot be read"),
        (MemoryError("Schmidt"), "visits: not enough memory"),
    ],
)
def test_an_error_of_the_parts_becomes_one_line_without_a_value(error, expected):
    with pytest.raises(SourceError) as caught, Made().plainly("visits"):
        raise error
    assert str(caught.value).startswith(expected)
    assert "Schmidt" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_our_own_errors_and_bugs_stay_what_they_are():
    for error in (InputError("ours"), ZeroDivisionError("a bug")):
        with pytest.raises(type(error)), Made().plainly("visits"):
            raise error


def test_only_warnings_about_versions_are_silent():
    with quietly():
        warnings.warn("fetch_arrow_table is deprecated", DeprecationWarning, stacklevel=1)
    with pytest.warns(UserWarning, match="something else"), quietly():
        warnings.warn("something else", UserWarning, stacklevel=1)


# Values of key fields as every engine compares them, on an engine that runs here.


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


AWKWARD = ["", "it's", "''", "a\\b", "\\'", "${env:HOME}", "$x$", "two\nlines", '"q"', "`", "é", "%", "--", "/*"]


def test_a_text_in_a_query_is_that_text(engine):
    for text in AWKWARD:
        assert engine.fetch(Table(f"SELECT {quoted(text)} AS text", {}))["text"].to_pylist() == [text]


def test_awkward_codes_for_missing_values_and_names_of_files(engine, tmp_path):
    folder = tmp_path / "it's $x [1]"
    folder.mkdir()
    records = stored(folder, a=[*AWKWARD, "99", "99.", "99.0", "990.0", "9.90", None])
    table = key_columns(engine.read(records, rows=False), records)
    every = codes(engine, [table], [*AWKWARD, "99"])
    assert {value for value, code in every.items() if code} == {"99.", "990.0", "9.90"}


def test_a_column_of_lists_is_no_key_field(engine, tmp_path):
    records = stored(tmp_path, a=[[1], [2]])
    with pytest.raises(SchemaError, match="not plain values"):
        key_columns(engine.read(records, rows=False), records)


# Codes packed into whole numbers and back.


@pytest.mark.parametrize("missing", [(False, False, False), (True, False, True), (True, True, True)])
def test_every_class_has_its_own_number_and_no_number_is_left_over(missing):
    packing = Packing((2, 3, 4), missing)
    ranges = [range(0 if lost else 1, number + 1) for number, lost in zip((2, 3, 4), missing, strict=True)]
    codes = np.array(np.meshgrid(*ranges)).reshape(3, -1).T.astype(np.int32)
    (keys,) = packing.pack(codes).values()
    assert sorted(keys.tolist()) == list(range(len(codes)))
    np.testing.assert_array_equal(packing.unpack([keys]), codes)
