"""A file of records and how to read it: wrong at birth or never, and in the words of its mapping."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from policy_sim import RecordFile
from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.records.classes import MISSING_RULES
from policy_sim.records.engines import readable_file as module
from policy_sim.records.engines.readable_file import ReadableFile, open_engine, read_grouped
from policy_sim.records.profile import Threshold
from policy_sim.words.errors import InputError, NotEstimableError, PolicySimError

MAP = '[fields.sex]\ncolumn = "geschlecht"\n'


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


def test_no_record_is_an_error_and_too_many_classes_are_that_or_a_reason(path):
    (path.parent / "none.csv").write_text("age,sex\n")
    with pytest.raises(InputError, match="there is no record"):
        ReadableFile(path.parent / "none.csv", "age,sex").classes()
    few = ReadableFile(path, "age,sex", max_classes=1)
    with pytest.raises(NotEstimableError, match="Raise the limit on classes"):
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


# A file's classes in the words of its mapping.


def opened(folder, name, text, fields, mapping=None):
    (folder / name).write_text(text)
    if mapping is not None:
        (folder / "map.toml").write_text(mapping)
    return RecordFile(folder / name, fields, None if mapping is None else folder / "map.toml").records


@pytest.mark.parametrize(
    ("text", "mapping", "complete", "sizes"),
    [
        ("geschlecht,age\nM,30\nmale,30\nF,30\n", MAP, False, [1, 2]),  # values that mean the same are one class
        ("sex,age\nM,30\nmale,30\n", None, False, [1, 1]),  # without a mapping values are their texts
        ("sex,age\nM,30\n,30\nF,\n", None, False, [1, 1, 1]),
        ("sex,age\nM,30\n,30\nF,\n", None, True, [1]),
    ],
)
def test_classes_in_the_words_of_the_mapping(engine, tmp_path, text, mapping, complete, sizes):
    grouped = engine.group(opened(tmp_path, "a.csv", text, "sex,age", mapping))
    assert sorted(read_grouped(grouped, 100, complete=complete).classes.sizes.tolist()) == sizes


def test_each_of_two_files_is_read_in_the_words_of_its_own_mapping(tmp_path):
    """Two men and a woman, of three men and a woman; the second file has the codes the other way round."""
    (tmp_path / "a.csv").write_text("sex\n1\n1\n2\n")
    (tmp_path / "b.csv").write_text("sex\n2\n2\n2\n1\n")
    ours, theirs = (
        RecordFile(tmp_path / name, "sex", ColumnMapping({"sex": FieldColumn("sex", {man: "M", woman: "F"})}))
        for name, man, woman in (("a.csv", "1", "2"), ("b.csv", "2", "1"))
    )
    assert ours.against(theirs).answer.expected == pytest.approx(2 / 3 + 1)


# Rows and weights of real files: the row numbers are the file's own, mapped values are one.


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (rng.choice(["M", "m", "F", ""]), int(rng.integers(20, 30)), rng.choice(["1.5", "2", "40"])) for _ in range(500)
    ]
    path = tmp_path / "survey.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("sex", "age", "w"), *rows])
    return path, rows


@pytest.mark.parametrize("rule", MISSING_RULES)
def test_each_record_has_the_size_of_its_class_or_is_left_out(survey, rule):
    path, rows = survey
    result = RecordFile(path, "sex,age", missing=rule).profile(list_records=True)
    table = result.tables["records"]
    judged = [row[:2] for row in rows if row[0] or rule != "exclude"]
    wild = ("",) if rule == "wildcard" else ()
    sizes = [
        sum(old == age and (one == sex or one in wild or sex in wild) for one, old in judged) for sex, age in judged
    ]
    assert table["class_size"].dropna().tolist() == sizes
    assert result.answer.risk.average == pytest.approx(np.mean([1 / size for size in sizes]))
    left_out = [rule == "exclude" and not row[0] for row in rows]
    assert table["class_size"].isna().tolist() == left_out
    assert table["status"].str.startswith("left out").tolist() == left_out
    assert table["row"].tolist() == list(range(1, 501))
    assert (table.loc[table["class_size"] > 1, "suda_score"] == 0).all()


def test_mapped_values_are_one_class(survey, tmp_path):
    path, rows = survey
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields.sex]\ncolumn = "sex"\n')  # M and m are one
    table = RecordFile(path, "sex,age", mapping=mapping).profile(list_records=True).tables["records"]
    count = Counter((row[0].upper(), row[1]) for row in rows)
    assert table["class_size"].tolist() == [count[row[0].upper(), row[1]] for row in rows]


def test_weights_add_up(survey):
    path, rows = survey
    figures = RecordFile(path, "sex,age").profile(weight="w").to_frame().set_index("measure")
    assert figures.loc["people that the weights represent", "number"] == pytest.approx(sum(float(r[2]) for r in rows))
    frame = pd.DataFrame(rows, columns=["sex", "age", "w"]).astype({"w": float})
    people = frame.groupby(["sex", "age"])["w"].agg(["size", "sum"])
    alone = (1 / people.loc[people["size"] == 1, "sum"]).sum()
    assert figures.loc["expected to be alone in the population, by weights", "number"] == pytest.approx(alone)


@pytest.mark.slow
def test_weights_that_are_refused(survey):
    path, _ = survey
    with pytest.raises(InputError, match="not a key field"):
        RecordFile(path, "sex,age,w").profile(weight="w")
    path.write_text("age,w\n30,much\n")
    with pytest.raises(InputError, match="above 0"):
        RecordFile(path, "age").profile(weight="w")
    with pytest.raises(InputError, match="the wildcard rule has none"):
        RecordFile(path, "age", missing="wildcard").profile(weight="w")


def test_each_form_of_an_argument(tmp_path):
    assert module.check_text("memory", "2GB") == "2GB"
    assert (module.check_count("runs", 3), module.check_count("seed", 0, 0)) == (3, 0)
    assert module.key_fields(" age, sex,,") == module.key_fields(["age", " sex "]) == ("age", "sex")
    assert (module.texts_of("codes", "?"), module.texts_of("codes", ["?", ""])) == (("?",), ("?", ""))
    assert module.shares_of("fractions", [0.1, 0.5]) == [0.1, 0.5]
    forms = [module.threshold_of("threshold", form) for form in ("k=11", "1/11", Threshold.parse("1/11"))]
    assert len({form.k for form in forms}) == 1
    mapping = ColumnMapping()
    assert module.mapping_of(None) == module.mapping_of(mapping) == mapping
    path = tmp_path / "map.toml"
    path.write_text(MAP)
    assert module.mapping_of(str(path)) == module.mapping_of(path) != mapping


# Engines by name.


@pytest.mark.parametrize("name", ["abacus", "spork", "", "DuckDB", "postgres://u:secret@host/x", "sparkle"])
def test_another_name_is_one_line_without_a_password(name):
    with pytest.raises(InputError, match=r"is unknown\. Use duckdb") as caught:
        open_engine(name)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("memory", ["much", "-1GB", ""])
def test_memory_that_is_no_amount_is_refused(memory):
    with pytest.raises(InputError, match="not an amount of memory: write 2GB"):
        open_engine("duckdb", memory=memory)
