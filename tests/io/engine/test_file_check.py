"""Columns of files as the engine reads them: counts by hand, twins and nameless columns left alone."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim.errors import InputError, SourceError
from policy_sim.io.engine.file_check import checked


def test_counts_of_a_csv_with_an_index_and_a_twin(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(",sex,x,x\n1,M,1,2\n2,,3,4\n3,M,5,6\n")
    result = checked(path)
    (column,) = result.answer
    assert (column.held.name, column.held.filled, column.held.missing, column.held.distinct) == ("sex", 2, 1, 1)
    assert any("'x' appears twice" in note for note in result.notes)
    assert any("3 records" in note for note in result.notes)


def test_parquet_keeps_its_numbers(tmp_path):
    pq.write_table(pa.table({"age": [30, 31, None, 999]}), tmp_path / "f.parquet")
    (column,) = checked(tmp_path / "f.parquet").answer
    assert (column.kind.field, column.held.missing) == ("age", 1)
    assert [finding.records for finding in column.findings] == [1]


def test_the_figures_of_a_folder_are_those_of_one_file(tmp_path):
    (tmp_path / "parts").mkdir()
    for part in "ab":
        (tmp_path / "parts" / f"{part}.csv").write_text("sex\nM\nF\n")
    (column,) = checked(tmp_path / "parts").answer
    assert column.held.records.tolist() == [2, 2]


def test_no_file_and_no_table(tmp_path):
    with pytest.raises(SourceError):
        checked(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="name the table"):
        checked("sqlite:///x.db")
