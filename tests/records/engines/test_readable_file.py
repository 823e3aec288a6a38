"""A file of records and how to read it: wrong at birth or never."""

from __future__ import annotations

import pytest

from policy_sim.records.engines.readable_file import ReadableFile, files_of, open_engine
from policy_sim.words.errors import InputError, NotEstimableError, PolicySimError


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "visits.csv"
    made.write_text("age,sex\n30,F\n30,F\n41,M\n,M\n")
    return made


def test_the_file_is_looked_at_when_it_is_named(tmp_path, path):
    with pytest.raises(PolicySimError, match="nowhere"):
        ReadableFile(tmp_path / "nowhere.csv", "age")
    with pytest.raises(PolicySimError, match="height"):
        ReadableFile(path, "height")
    assert ReadableFile(path, "age,sex").records.header == ("age", "sex")


def test_a_record_that_misses_a_field_is_kept_or_left_out(path):
    assert ReadableFile(path, "age,sex").classes().records == 4
    excluding = ReadableFile(path, "age,sex", missing="exclude")
    assert excluding.complete
    assert excluding.classes().records == 3


def test_codes_for_missing_values_join_those_of_the_mapping(path):
    assert ReadableFile(path, "age,sex", missing_codes=["41", "?"]).records.mapping.missing[-2:] == ("41", "?")


def test_too_many_classes_are_a_reason_or_an_error(path):
    few = ReadableFile(path, "age,sex", max_classes=1)
    with pytest.raises(NotEstimableError):
        few.classes()
    with few.opened() as engine:
        read, why = few.read_if_few(engine.group(few.records), complete=False)
    assert read is None
    assert "classes" in why
    wild = ReadableFile(path, "age,sex", missing="wildcard", max_classes=1)
    with wild.opened() as engine, pytest.raises(NotEstimableError):
        wild.read_if_few(engine.group(wild.records), complete=False)


def test_notes_say_which_file_and_what_a_missing_value_is(path):
    notes = ReadableFile(path, "age,sex").reading_notes(["a remark", "a remark"])
    assert notes[0] == "file: visits.csv; key fields: age, sex"
    assert notes.count("a remark") == 1


def test_each_file_of_a_folder_has_a_name_of_its_own(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("age\n30\n")
    files = files_of(ReadableFile(tmp_path, "age").records)
    assert set(files) == {"a.csv", "b.csv"}


def test_a_step_of_long_work_is_told(path):
    steps = []
    ReadableFile(path, "age,sex", progress=steps.append).classes()
    assert steps[0] == "reading the records"


def test_too_many_columns_are_refused(tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"c{at}" for at in range(10_001)) + "\n")
    with pytest.raises(InputError, match="10,001 columns"):
        ReadableFile(wide, "c1")


# Engines by name.


def test_an_engine_opens_and_leaves_nothing_behind():
    with open_engine("duckdb", memory="100MB", threads=1) as engine:
        assert str(engine) == "duckdb"


@pytest.mark.parametrize("name", ["abacus", "", "DuckDB", "postgres://u:secret@host/x", "sparkle"])
def test_another_name_is_one_line_without_a_password(name):
    with pytest.raises(InputError) as caught:
        open_engine(name)
    assert "duckdb" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("memory", ["much", "-1GB", ""])
def test_memory_that_is_no_amount_is_refused(memory):
    with pytest.raises(InputError, match="2GB"):
        open_engine("duckdb", memory=memory)
