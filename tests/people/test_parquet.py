import hashlib

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from policy_sim.files.writing import replace_files
from policy_sim.people.population import RACES, check_cells
from policy_sim.people.store import cells_of, content_digest, read_cells, to_parquet, write_cells
from policy_sim.words.errors import OutputError, SourceError

COUNTIES = ("02020", "10001", "10003")  # Alaska, and Delaware twice


@pytest.fixture
def people():
    return np.random.default_rng(5).poisson(0.7, (3, 2, 103, 7))


def test_cells_say_what_the_array_says(people):
    cells = cells_of(people, COUNTIES)
    assert cells["people"].sum() == people.sum()
    assert len(cells) == (people > 0).sum()
    picked = cells[
        (cells["county"] == "10003") & (cells["sex"] == "F") & (cells["age"] == 105) & (cells["race"] == "multiple")
    ]
    assert picked["people"].sum() == people[2, 1, 101, RACES.index("multiple")]
    assert set(cells.loc[cells["age"].isin([100, 105]), "age_width"]) == {5}
    assert dict(zip(cells["county"], cells["state"], strict=True)) == {"02020": "AK", "10001": "DE", "10003": "DE"}


def test_written_cells_are_read_back_as_they_were(people, tmp_path):
    cells = cells_of(people, COUNTIES)
    sha256 = write_cells(cells, tmp_path / "made.parquet")
    found = read_cells(tmp_path / "made.parquet", sha256)
    pd.testing.assert_frame_equal(found, cells)
    pd.testing.assert_frame_equal(check_cells(found, "made"), cells)  # what a user's own file must pass


def test_the_same_cells_give_the_same_bytes(people, tmp_path):
    write_cells(cells_of(people, COUNTIES), tmp_path / "one.parquet")
    write_cells(read_cells(tmp_path / "one.parquet"), tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_the_file_holds_no_clock_and_one_group_of_rows(people):
    import pyarrow as pa

    file = pq.ParquetFile(pa.BufferReader(to_parquet(cells_of(people, COUNTIES))))
    assert file.metadata.num_row_groups == 1
    assert set(file.metadata.metadata) == {b"ARROW:schema"}
    columns = [file.metadata.row_group(0).column(i) for i in range(7)]
    assert [column.compression for column in columns] == 6 * ["ZSTD"] + ["BROTLI"]


def test_content_does_not_depend_on_the_order_of_categories(people):
    cells = cells_of(people, COUNTIES)
    other = cells.assign(race=cells["race"].cat.set_categories(RACES[::-1]))
    assert content_digest(cells) == content_digest(other)
    assert content_digest(cells) != content_digest(cells.assign(people=cells["people"] + 1))


def test_a_damaged_file_is_named_and_not_read(people, tmp_path):
    path = tmp_path / "made.parquet"
    sha256 = write_cells(cells_of(people, COUNTIES), path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"made\.parquet is not the shipped file"):
        read_cells(path, sha256)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_cells(tmp_path / "none.parquet")


def test_files_that_cannot_all_be_written_leave_the_old_ones(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        replace_files({tmp_path / "old": b"new", tmp_path / "file" / "below": b"new"})
    assert (tmp_path / "old").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "old"]


def test_a_checksum_is_that_of_the_file(people, tmp_path):
    path = tmp_path / "deep" / "made.parquet"
    assert write_cells(cells_of(people, COUNTIES), path) == hashlib.sha256(path.read_bytes()).hexdigest()
