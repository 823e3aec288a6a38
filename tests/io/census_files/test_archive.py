from __future__ import annotations

import gzip
import zipfile

import pytest

from policy_sim.errors import SourceError
from policy_sim.io.census_files.archive import members

FILES = {"b/Two.CSV": b"2\n", "a/one.csv": b"1\n" * 5_000}


def contents(path):
    found = {}
    for member in members(path):
        with member.stream() as stream:
            found[member.name] = stream.read()
    return found


def as_folder(at):
    for name, content in FILES.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(content)
    return at


def as_zip(at):
    with zipfile.ZipFile(at / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return at / "all.zip"


def as_gzip(at):
    for name, content in FILES.items():
        (at / f"{name.rpartition('/')[2]}.gz").write_bytes(gzip.compress(content))
    return at


@pytest.mark.parametrize("deliver", [as_folder, as_zip, as_gzip, lambda at: as_zip(at).parent])
def test_a_delivery_has_the_same_files_however_it_comes(deliver, tmp_path):
    assert contents(deliver(tmp_path)) == {"one.csv": FILES["a/one.csv"], "two.csv": FILES["b/Two.CSV"]}


def test_one_file_is_a_delivery_and_nothing_is_none(tmp_path):
    (tmp_path / "X.csv").write_bytes(b"x")
    assert contents(tmp_path / "X.csv") == {"x.csv": b"x"}
    with pytest.raises(SourceError, match="no such file or folder"):
        list(members(tmp_path / "nothing"))


@pytest.mark.parametrize("deliver", [as_zip, as_gzip])
def test_a_file_cut_short_is_named(deliver, tmp_path):
    deliver(tmp_path)
    file = min(tmp_path.iterdir())
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(SourceError, match=file.name):
        contents(file)
