from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from policy_sim.files.writing import sha256_of
from policy_sim.people.by_name import load_kept
from policy_sim.people.population import RACES, check_cells
from policy_sim.people.store import (
    PopulationCache,
    cells_of,
    content_digest,
    population_facts,
    read_cells,
    to_parquet,
)
from policy_sim.words.errors import InputError, OutputError, SourceError, UnknownNameError


def test_what_is_put_comes_back_with_its_facts(cache, put):
    kept = put(41)
    assert (kept.rows, kept.people) == (2, 42)
    assert sha256_of(cache.folder / kept.file) == kept.sha256
    population = cache.load("made-up")
    assert population.people == 42
    assert population.cells["people"].dtype == "int64"
    assert isinstance(population.cells["state"].dtype, pd.CategoricalDtype)
    assert population.provenance.notes == ("a note",)
    manifest = json.loads((cache.folder / "made-up.json").read_text())
    for fact in ("publisher", "addresses", "retrieved", "sha256", "universe", "rows"):
        assert manifest[fact]


def test_what_the_version_before_saved_is_read(tmp_path):
    """Delaware of 2010, as that version loaded it from Summary File 1."""
    shutil.copytree(Path(__file__).parent / "before", tmp_path, dirs_exist_ok=True)
    cache = PopulationCache(tmp_path)
    (entry,) = [cache.entry(name) for name in cache.names()]
    assert (entry.name, entry.rows, entry.people, cache.damage(entry)) == ("loaded", 3614, 897_934, "")
    population = load_kept("loaded", cache)
    assert population.people == 897_934  # the Bureau's count of April 1, 2010
    assert population.provenance.counted == 1.0


def test_a_new_version_takes_the_place_of_the_old_at_once(cache, put):
    old, new = put(1), put(2)
    assert old.file != new.file
    assert [path.name for path in cache.folder.glob("*.parquet")] == [new.file]
    assert cache.load("made-up").people == 3


@pytest.mark.parametrize("step", ["data", "manifest"])
def test_a_failure_while_writing_leaves_what_was_there(step, cache, monkeypatch, put):
    put(1)

    def full_disk(*_, **__):
        raise OSError(28, "No space left on device")

    if step == "data":
        monkeypatch.setattr("policy_sim.people.store._packed", full_disk)
    else:
        monkeypatch.setattr("pathlib.Path.write_bytes", full_disk)
    with pytest.raises(OutputError, match="No space left"):
        put(2)
    monkeypatch.undo()
    assert cache.load("made-up").people == 2
    assert not list(cache.folder.glob("*.part"))


def test_a_damaged_file_is_never_read(cache, put):
    kept = put(1)
    path = cache.folder / kept.file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(SourceError, match=f"{kept.file}.* is damaged"):
        cache.load("made-up")
    with pytest.raises(SourceError, match="its sources are missing"):
        load_kept("made-up", cache)
    path.unlink()
    with pytest.raises(SourceError, match=r"data file .* is missing"):
        cache.load("made-up")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "made-up"}'])
def test_a_damaged_manifest_is_named(text, cache, put):
    put(1)
    (cache.folder / "made-up.json").write_text(text)
    with pytest.raises(SourceError, match=r"the manifest is damaged.*census remove made-up"):
        cache.load("made-up")
    cache.remove("made-up")
    assert cache.names() == ()


@pytest.mark.parametrize("name", ["../x", "A", "", "a/b", "-a", "a" * 81, ".hidden"])
def test_a_name_cannot_leave_the_folder(name, cache, put):
    with pytest.raises(InputError):
        put(1, name)
    with pytest.raises(UnknownNameError):
        cache.entry(name)
    with pytest.raises(UnknownNameError):
        cache.remove(name)


def test_names_that_begin_alike_do_not_touch_each_other(cache, put):
    put(1, "a")
    put(2, "a-b")
    put(5, "a")
    assert cache.load("a-b").people == 3
    cache.remove("a")
    assert cache.names() == ("a-b",)
    assert cache.load("a-b").people == 3


@pytest.mark.slow
def test_readers_meet_whole_versions_while_writers_replace_them(cache, put):
    put(0)
    seen, stop = set(), threading.Event()

    def read():
        while not stop.is_set():
            seen.add(cache.load("made-up").people)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for people in range(1, 25):
        put(people)
    stop.set()
    for reader in readers:
        reader.join()
    assert seen <= set(range(1, 26))
    assert seen


def test_a_folder_that_cannot_be_made(tmp_path, put):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot be written .* POLICY_SIM_HOME"):
        put(1, cache=PopulationCache(tmp_path / "file" / "populations"))


def test_populations_of_a_folder_stand_oldest_first(tmp_path):
    (tmp_path / "manifest.toml").write_text('[populations.b]\ndate="2010-01-01"\n[populations.a]\ndate="2020-01-01"\n')
    assert list(population_facts(tmp_path)) == ["b", "a"]


# The Parquet files of the populations that ship.


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
    cells, path = cells_of(people, COUNTIES), tmp_path / "made.parquet"
    path.write_bytes(to_parquet(cells))
    found = read_cells(path, sha256_of(path))
    pd.testing.assert_frame_equal(found, cells)
    pd.testing.assert_frame_equal(check_cells(found, "made"), cells)  # what a user's own file must pass
    assert to_parquet(found) == path.read_bytes()


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
    content = bytearray(to_parquet(cells_of(people, COUNTIES)))
    sha256 = sha256_of(bytes(content))
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"made\.parquet is not the shipped file"):
        read_cells(path, sha256)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(SourceError, match="cannot be read"):
        read_cells(tmp_path / "none.parquet")
