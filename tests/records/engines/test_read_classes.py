"""A file's classes in the words of its mapping."""

import pytest

from policy_sim import RecordFile
from policy_sim.records.engines.read_classes import hints, is_mapped, joint_sizes, read_grouped
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.words.errors import InputError, NotEstimableError

MAP = '[fields.sex]\ncolumn = "geschlecht"\n'


@pytest.fixture(scope="module")
def engine():
    with open_engine(memory="200MB", threads=1) as opened:
        yield opened


def opened(folder, name, text, fields, mapping=None):
    (folder / name).write_text(text)
    if mapping is not None:
        (folder / "map.toml").write_text(mapping)
    return RecordFile(folder / name, fields, None if mapping is None else folder / "map.toml").records


def test_values_that_mean_the_same_are_one_class(engine, tmp_path):
    records = opened(tmp_path, "a.csv", "geschlecht,age\nM,30\nmale,30\nF,30\n", "sex,age", MAP)
    assert is_mapped(records)
    read = read_grouped(engine.group(records), 100, complete=False)
    assert sorted(read.classes.sizes.tolist()) == [1, 2]


def test_without_a_mapping_values_are_their_texts(engine, tmp_path):
    records = opened(tmp_path, "a.csv", "sex,age\nM,30\nmale,30\n", "sex,age")
    assert not is_mapped(records)
    assert read_grouped(engine.group(records), 100, complete=False).classes.sizes.tolist() == [1, 1]


def test_records_that_miss_a_field_can_be_left_out(engine, tmp_path):
    records = opened(tmp_path, "a.csv", "sex,age\nM,30\n,30\nF,\n", "sex,age")
    grouped = engine.group(records)
    assert read_grouped(grouped, 100, complete=False).classes.records == 3
    assert read_grouped(grouped, 100, complete=True).classes.records == 1


def test_texts_that_look_missing_are_named(engine, tmp_path):
    records = opened(tmp_path, "a.csv", "sex,age\nM,30\n?,31\nF,?\n", "sex,age")
    grouped = engine.group(records)
    told = " ".join(hints(grouped, grouped.classes()))
    assert "sex" in told


def test_nothing_to_read_and_too_much_are_refused(engine, tmp_path):
    few = opened(tmp_path, "few.csv", "sex,age\nM,30\nF,30\n", "sex,age")
    with pytest.raises(NotEstimableError):
        read_grouped(engine.group(few), 1, complete=False)
    (tmp_path / "none.csv").write_text("sex,age\n")
    with pytest.raises(InputError, match="record"):
        RecordFile(tmp_path / "none.csv", "sex,age").classes()


def test_two_files_are_paired_by_what_their_values_mean(engine, tmp_path):
    ours = opened(tmp_path, "a.csv", "geschlecht\nM\nF\n", "sex", MAP)
    theirs = opened(tmp_path, "b.csv", "geschlecht\nmale\nmale\nfemale\n", "sex", MAP)
    joint = joint_sizes(engine, ours, theirs, 100, complete=False).sizes
    assert sorted(zip(joint.records.tolist(), joint.people.tolist(), strict=True)) == [(1, 1), (1, 2)]
