"""Classes counted by DuckDB against counting in Python; nothing of a record in any message."""

import csv
import datetime as dt
import math
import tempfile
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Classes, JointSizes
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import open_records
from policy_sim.words.errors import (
    PolicySimError,
    SchemaError,
    SourceError,
)

AWKWARD = [
    ("01", "x"),
    ("1", "x"),
    ("1", "x"),
    (" 1", "x"),
    ("", "x"),
    ("", ""),
    ("a,b", 'say "hi"'),
    ("two\nlines", "é"),
    ("NULL", "nan"),
    ("NA", "é"),
]


def _csv(path, rows, header=("a", "b")):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return str(path)


def _random_rows(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    columns = [[None if v == 0 else f"v{v}" for v in rng.integers(0, k, n)] for k in (3, 8, 40)]
    return [row for row in zip(*columns, strict=True) if any(row)]


def _sizes(classes):
    return sorted(classes.sizes.tolist())


def test_values_are_compared_as_text_and_empty_is_missing(engine, tmp_path):
    classes = engine.group(open_records(_csv(tmp_path / "f.csv", AWKWARD), ["a", "b"])).classes()
    assert _sizes(classes) == sorted(Counter(row for row in AWKWARD if any(row)).values())
    assert classes.missing == (1, 0)
    assert classes.values == (7, 4)


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
    assert [remark.split("'")[1] for remark in engine.remarks] == ["?", "-9"]
    assert all("in no key field" in remark for remark in engine.remarks)


def _source(tmp_path, rows, fields, kind):
    table = pa.table({name: list(column) for name, column in zip(fields, zip(*rows, strict=True), strict=True)})
    if kind == "sqlite":
        location = f"sqlite:///{tmp_path / 'd.sqlite'}"
        database = sa.create_engine(location)
        made = sa.Table("visits", sa.MetaData(), *(sa.Column(name, sa.Text) for name in fields))
        with database.begin() as connection:
            made.create(connection)
            connection.execute(made.insert(), table.to_pylist())
        database.dispose()
        return open_records(location, fields, table="visits")
    if kind == "parquet":
        pq.write_table(table, tmp_path / "f.parquet")
        return open_records(str(tmp_path / "f.parquet"), fields)
    if kind == "folder":
        for place in range(3):
            pq.write_table(table.slice(place * 1000, 1000), tmp_path / f"part{place}.parquet")
        return open_records(str(tmp_path), fields)
    path = tmp_path / "f.csv"
    _csv(path, [["" if v is None else v for v in row] for row in rows], fields)
    if kind == "csv.gz":
        import gzip

        (tmp_path / "f.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
        path = tmp_path / "f.csv.gz"
    return open_records(str(path), fields)


def test_typed_columns_keep_their_values_and_not_a_number_is_missing(engine, tmp_path):
    table = pa.table(
        {
            "whole": [1, 1, None, 2],
            "real": [0.0, -0.0, math.nan, 1.5],
            "day": [dt.date(2020, 1, 1)] * 3 + [None],
            "yes": [True, True, False, None],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    grouped = engine.group(open_records(str(tmp_path / "t.parquet"), table.column_names))
    assert grouped.missing() == (1, 1, 1, 1)
    assert _sizes(grouped.classes()) == [1, 1, 2]
    assert grouped.values_of("day") == ["2020-01-01"]
    assert grouped.values_of("whole") == ["1", "2"]
    coded = ColumnMapping(missing=("2",))
    assert engine.group(open_records(str(tmp_path / "t.parquet"), ["whole"], coded)).missing() == (2,)


def test_a_column_may_be_called_row(engine, tmp_path):
    rows = [("x", "1"), ("y", "1"), ("x", "1")]
    source = open_records(_csv(tmp_path / "f.csv", rows, ("row", "b")), ["row", "b"])
    for numbered in (False, True):
        grouped = engine.group(source, rows=numbered)
        assert _sizes(grouped.classes()) == [1, 2]
        assert grouped.rows(grouped.classes().codes) == ([1, 2, 3] if numbered else [])


@pytest.mark.parametrize("lose", [False, True])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "folder", "sqlite"])
@pytest.mark.parametrize(("batch", "block"), [(1_000_000, 2**20), (700, 64)])
def test_numbers_sorted_outside_the_engine_count_what_it_counts(
    engine, tmp_path, monkeypatch, lose, kind, batch, block
):
    rng = np.random.default_rng(11)
    columns = [rng.integers(0, k, 3_000) for k in (20, 7, 20)]
    columns[1][0] = 6  # the last value, of the last class
    rows = [tuple(None if lose and v == 3 else f"{v:02d}" for v in row) for row in zip(*columns, strict=True)]
    rows = [row for row in rows if any(row)]
    source = _source(tmp_path, rows, ("a", "b", "c"), kind)
    expected = Classes.of_rows(rows, ("a", "b", "c"))
    monkeypatch.setattr("policy_sim.records.engines.duckdb_engine._BATCH", batch)
    monkeypatch.setattr("policy_sim.records.classes._BLOCK", block)
    outside = engine.group(source)
    monkeypatch.setattr("policy_sim.records.engines.duckdb_engine._MOST_STORED_VALUES", 0)
    monkeypatch.setattr("policy_sim.records.engines.duckdb_engine._MOST_TEXT_BYTES", 0)
    inside = engine.group(source)
    assert (outside.held is None) == (kind == "sqlite")
    assert inside.held is None
    for grouped in (outside, inside):
        found = grouped.classes()
        np.testing.assert_array_equal(found.codes, expected.codes[np.lexsort(expected.codes.T)])
        assert found.histogram == expected.histogram
        assert found.missing == expected.missing == grouped.missing()
    for fields in (("a",), ("c", "a"), ("b", "c"), ("a", "b"), ("a", "b", "c")):
        for complete in (False, True):
            first, second = (grouped.sizes(fields, complete=complete) for grouped in (outside, inside))
            judged = expected.complete() if complete else expected
            assert first.histogram == second.histogram == judged.only(fields).histogram
            assert first.excluded == second.excluded


def test_a_stored_dictionary_may_have_values_of_no_record(engine, tmp_path):
    """Arrow stores every category of a column, those that a filter left empty too."""
    column = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2], pa.int8()), pa.array(["x", "never", "z"]))
    table = pa.table({"a": column.cast(pa.string()), "b": column, "c": range(4)})
    pq.write_table(table, tmp_path / "f.parquet")
    grouped = engine.group(open_records(str(tmp_path / "f.parquet"), ["a", "b"]))
    assert grouped.values == (2, 2)
    assert grouped.values_of("b") == ["x", "z"]
    assert grouped.missing() == (1, 1)


def test_keys_too_wide_for_one_number_take_two(engine, tmp_path):
    rng = np.random.default_rng(6)
    rows = [tuple(f"{v:05d}" for v in row) for row in rng.integers(0, 40_000, (1500, 6)).tolist()]
    rows += rows[:400]
    grouped = engine.group(_source(tmp_path, rows, tuple("abcdef"), "parquet"))
    assert len(grouped.packing.words) == 2
    assert grouped.classes().histogram == Classes.of_rows(rows, tuple("abcdef")).histogram
    classes = grouped.classes()
    for fields in (tuple("abcdef"), ("c",), ("e", "b"), ("f",)):
        assert grouped.sizes(fields).histogram == classes.only(fields).histogram


def test_two_files_share_their_codes(engine, tmp_path):
    rows, others = _random_rows(500, seed=1), _random_rows(2000, seed=2)
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    first = _source(tmp_path / "one", rows, ("a", "b", "c"), "csv")
    second = _source(tmp_path / "other", others, ("a", "b", "c"), "parquet")
    file, population = engine.group_alike(first, second)
    joint = file.joint(population)
    counts, people = Counter(rows), Counter(others)
    pairs = Counter((f, people[row]) for row, f in counts.items())
    found = zip(joint.records.tolist(), joint.people.tolist(), joint.classes.tolist(), strict=True)
    assert {(f, big): number for f, big, number in found} == pairs
    assert joint.population.to_dict() == Counter(people.values())
    complete = file.joint(population, complete=True)
    kept = JointSizes.of(file.classes().complete(), population.classes().complete())
    assert complete.classes.sum() == kept.classes.sum()


def test_whole_numbers_match_text_of_another_file(engine, tmp_path):
    pq.write_table(pa.table({"a": [1, 2, 2]}), tmp_path / "n.parquet")
    _csv(tmp_path / "f.csv", [("2",), ("3",)], ("a",))
    one, other = (open_records(str(tmp_path / name), ["a"]) for name in ("f.csv", "n.parquet"))
    file, population = engine.group_alike(one, other)
    assert file.joint(population).people.tolist() == [0, 2]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_every_row_is_named_in_its_class_by_its_place_in_the_file(engine, tmp_path, kind):
    rows, fields = _random_rows(5000), ("a", "b", "c")
    grouped = engine.group(_source(tmp_path, rows, fields, kind), rows=True)
    classes = grouped.classes()
    texts = [[None, *grouped.values_of(field)] for field in fields]
    named = classes.codes[grouped.class_of_rows(classes)]
    assert [tuple(texts[at][code] for at, code in enumerate(codes)) for codes in named] == rows
    alone = classes.codes[classes.sizes == 1]
    assert grouped.rows(alone) == [at for at, row in enumerate(rows, 1) if rows.count(row) == 1]
    assert grouped.rows(alone[:0]) == []


SECRET = "Schmidt"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a,b\n1,2\n{SECRET}\n", "line 3 has 1 columns, .* header has 2"),
        (f"a,b\n1,2\n3,{SECRET},5\n", "line 3 has 3 columns, .* header has 2"),
        (f'a,b\n1,"{SECRET}\n2,3\n', "a quote is not closed"),
        (f"a,b\n1,2\r\n3,{SECRET}\n", "the lines have different line ends"),
        (f"a,b\n1,{SECRET}{'x' * 2_000_001}\n", "line 2 is longer than 2 million bytes"),
    ],
)
def test_damaged_csv_is_told_by_its_line_and_never_by_its_content(engine, tmp_path, text, message):
    path = tmp_path / "f.csv"
    path.write_text(text)
    with pytest.raises(SchemaError, match=message) as caught:
        engine.group(open_records(str(path), ["a", "b"]))
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__  # not in a traceback either


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 " + SECRET.encode() + b" PAR1"])
def test_unreadable_parquet(engine, tmp_path, content):
    path = tmp_path / "f.parquet"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="complete") as caught:
        engine.group(open_records(str(path), ["a"]))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("sqlite:///{}/none.sqlite", "no such file"),
        ("postgresql+psycopg://me:hush@127.0.0.1:1/x", "the database failed"),
        ("mysql+nodriver://h/x", "not the URL of a database|needs the package"),
    ],
)
def test_databases_that_do_not_answer(engine, tmp_path, location, message):
    records = open_records(location.format(tmp_path), ["a"], table="visits")
    with pytest.raises(SourceError, match=message) as caught:
        engine.group(records)
    assert "hush" not in str(caught.value)


@pytest.mark.slow
def test_too_little_memory_is_one_line_and_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spill"))
    (tmp_path / "spill").mkdir()
    table = pa.table({"a": [f"{i:064d}" for i in range(300_000)]})
    pq.write_table(table, tmp_path / "f.parquet")
    with (
        pytest.raises(PolicySimError, match="Allow more memory"),
        open_engine(memory="5MB", threads=1) as small,
    ):
        small.group(open_records(str(tmp_path / "f.parquet"), ["a"])).classes()
    assert list((tmp_path / "spill").iterdir()) == []


@pytest.mark.slow
def test_more_records_than_memory_are_spilled(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    table = pa.table({"a": [f"{i % 200_000:032d}" for i in range(400_000)]})
    pq.write_table(table, tmp_path / "f.parquet", row_group_size=20_000)
    with open_engine(memory="60MB", threads=1) as small:
        found = small.group(open_records(str(tmp_path / "f.parquet"), ["a"]))
        assert found.sizes().histogram.to_dict() == {2: 200_000}


def test_what_is_done_is_told(tmp_path):
    told = []
    with open_engine(progress=told.append) as engine:
        engine.group(open_records(_csv(tmp_path / "f.csv", AWKWARD), ["a", "b"])).classes()
    assert told[0] == "reading the records"
    assert any(line.endswith("field 2 of 2") for line in told)
    assert not any("x" in text.split() for text in told)
