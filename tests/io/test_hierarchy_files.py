"""Hierarchies from CSV."""

import pytest

from policy_sim.errors import SourceError
from policy_sim.io.hierarchy_files import read_hierarchy


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_values_and_labels(tmp_path, separator):
    path = tmp_path / "h.csv"
    path.write_text(f"\ufeffa{separator}ab{separator}*\nb{separator}ab{separator}*\n\n", encoding="utf-8")
    assert read_hierarchy(path) == (("a", "ab", "*"), ("b", "ab", "*"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        read_hierarchy(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="UnicodeDecodeError"):
        read_hierarchy(tmp_path / "bytes.csv")


def test_arx_files(shared):
    rows = read_hierarchy(shared / "microdata" / "adult_arx_hierarchies" / "adult_hierarchy_age.csv")
    assert (len(rows), rows[0]) == (100, ("1", "0-4", "0-9", "0-19", "*"))
