"""An engine groups files into classes, with the same codes for the same values, and remarks on what it saw."""

import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.records.engines.sources import open_records
from policy_sim.words.errors import UnknownNameError


def records(tmp_path, name, text, fields=("a", "b"), missing=("",)):
    path = tmp_path / name
    path.write_text(text)
    return open_records(str(path), fields, ColumnMapping(missing=missing), None)


@pytest.fixture
def engine():
    with open_engine(memory="200MB", threads=1) as opened:
        yield opened


def test_a_file_without_a_record_has_no_class(engine, tmp_path):
    grouped = engine.group(records(tmp_path, "empty.csv", "a,b\n"))
    assert grouped.number() == 0


def test_one_record_is_one_class(engine, tmp_path):
    assert engine.group(records(tmp_path, "one.csv", "a,b\n1,2\n")).classes().sizes.tolist() == [1]


def test_the_same_value_has_the_same_code_in_both_files(engine, tmp_path):
    first = records(tmp_path, "one.csv", "a,b\nx,1\ny,1\n")
    second = records(tmp_path, "two.csv", "a,b\ny,1\nz,1\n")
    one, two = engine.group_alike(first, second)
    assert one.values_of("a") == two.values_of("a") == ["x", "y", "z"]


def test_a_code_for_missing_values_that_occurs_nowhere_is_remarked(engine, tmp_path):
    engine.group(records(tmp_path, "file.csv", "a,b\n?,1\nx,1\n", missing=("", "?", "n/a")))
    assert engine.remarks == ["the code 'n/a' for missing values occurs in no key field"]


def test_each_step_is_told(tmp_path):
    steps = []
    with open_engine(memory="200MB", threads=1, progress=steps.append) as opened:
        opened.group(records(tmp_path, "file.csv", "a,b\nx,1\n"))
    assert "sorting the values of field 2 of 2" in steps
    assert steps[-1] == "counting the classes"


def test_a_column_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnknownNameError, match="height"):
        records(tmp_path, "file.csv", "a,b\n1,2\n", fields=("height",))
