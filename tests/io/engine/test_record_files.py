"""Which files a location means."""

import gzip
from pathlib import Path

import pytest

from policy_sim.errors import InputError, SourceError
from policy_sim.io.engine.opening import open_engine
from policy_sim.io.engine.record_files import kind_of, meant_files, without_folders
from policy_sim.io.engine.record_sources import open_records


def _touch(folder, *names):
    for name in names:
        (folder / name).write_text("a\n1\n")


def _names(location):
    kind, files = meant_files(str(location))
    return kind, [path.name for path in files]


def test_a_folder_is_its_csv_files_or_its_parquet_files(tmp_path):
    _touch(tmp_path, "v.csv", "v.csv.bak", ".v.csv", ".v.csv.swp", "v.csv~", "w.csv.gz", "notes.txt")
    (tmp_path / "more").mkdir()
    assert _names(tmp_path) == ("csv", ["v.csv", "w.csv.gz"])
    _touch(tmp_path, "x.parquet")
    with pytest.raises(InputError, match="has both CSV and Parquet files"):
        meant_files(str(tmp_path))
    with pytest.raises(SourceError, match=r"the folder has no \.csv, \.csv\.gz, \.parquet file"):
        meant_files(str(tmp_path / "more"))


def test_a_copy_beside_a_file_counts_no_record_twice(tmp_path):
    _touch(tmp_path, "v.csv", "v.csv.bak", ".v.csv.swp")
    (tmp_path / "w.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    with open_engine(memory="100MB") as engine:
        assert engine.group(open_records(str(tmp_path), ["a"])).sizes().number == 2


def test_a_name_that_exists_is_a_name_and_another_is_a_pattern(tmp_path):
    _touch(tmp_path, "visits1.csv", "visits[1].csv")
    (tmp_path / "visits[1].csv").write_text("a\n2\n2\n")
    assert _names(tmp_path / "visits[1].csv") == ("csv", ["visits[1].csv"])
    assert _names(tmp_path / "visits*.csv") == ("csv", ["visits1.csv", "visits[1].csv"])
    with open_engine(memory="100MB") as engine:
        grouped = engine.group(open_records(str(tmp_path / "visits[1].csv"), ["a"]))
        assert (grouped.values_of("a"), grouped.sizes().number) == (["2"], 2)
    (tmp_path / "visits[1].csv").unlink()
    assert _names(tmp_path / "visits[1].csv") == ("csv", ["visits1.csv"])


def test_a_pattern_takes_no_other_file(tmp_path):
    _touch(tmp_path, "v.csv", "v.csv.bak")
    with pytest.raises(InputError, match=r"v\.csv\.bak: not a file of records"):
        meant_files(str(tmp_path / "v*"))
    with pytest.raises(SourceError, match="no such file"):
        meant_files(str(tmp_path / "z*.csv"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("V.CSV", "csv"), ("v.tsv.gz", "csv"), ("v.Parquet", "parquet"), ("v.csv.bak", None), ("v.parquet.gz", None)],
)
def test_the_ending_tells_the_kind(name, kind):
    assert kind_of(name) == kind


def test_names_below_the_folder_that_files_share():
    files = (Path("d/x/part.csv"), Path("d/y/part.csv"))
    assert without_folders(files) == {"x/part.csv": files[0], "y/part.csv": files[1]}
    assert without_folders(files[:1]) == {"part.csv": files[0]}
    assert without_folders(()) == {}
