"""A release in the format that was asked for: attacked and checked again as it was written."""

from __future__ import annotations

import csv
import json
import re

import openpyxl
import pandas as pd
import pytest
from small_people import run

from policy_sim import RecordFile
from policy_sim.records.formats import CodedColumn, CodedTable, read_coded, write_coded
from policy_sim.release import Release
from policy_sim.release.attack.written import read_written
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.fixture
def release(tmp_path):
    """Forty patients under Safe Harbor, with a result that an officer released."""
    rows = [f"{'FM'[at % 2]},{30 + at % 5},036{at % 90 + 10},{4 + at % 3}.{at % 4}" for at in range(40)]
    (tmp_path / "visits.csv").write_text("\n".join(["sex,age,zip,a1c", *rows, ""]))
    release = Release.new(tmp_path / "visits.csv", tmp_path / "visits.toml", policy="safe-harbor")
    release.accept_guesses(by="A. Officer")
    release.classify("a1c", "other", "a result", by="A. Officer")
    return release


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet"])
def test_the_asked_format_is_written_attacked_and_checked_again(release, form):
    out = release.path.parent / "out"
    project = str(release.path)
    run("release", "run", project, "--out", str(out), "--as", form)
    assert sorted(path.name for path in (out / "send").iterdir()) == ["dictionary.csv", f"release.{form}"]
    held = json.loads((out / "keep" / "release.json").read_text())
    assert held["verdict"] == "MET for 3; 1 on A. Officer's word"
    assert read_coded(out / "send" / f"release.{form}")["zip"].values == ("000",)
    assert str(release.recheck(out).verdict) == "MET for 3; 1 on A. Officer's word"
    again = release.path.parent / "again"
    run("release", "run", str(out), "--file", str(release.project.path), "--out", str(again))
    assert (again / "send" / f"release.{form}").read_bytes() == (out / "send" / f"release.{form}").read_bytes()


def test_what_was_changed_in_a_workbook_is_found_by_recheck(release):
    out = release.path.parent / "out"
    release.run(out, form="xlsx")
    path = out / "send" / "release.xlsx"
    book = openpyxl.load_workbook(path)
    book.create_sheet("old")["A1"] = "a.roe@example.org"
    book.save(path)
    verdict = release.recheck(out).verdict
    assert verdict.exit_status == 1
    assert re.search("outside its cells .* e-mail addresses", str(verdict))


def test_a_project_may_name_the_format_and_nothing_else_is_one(release):
    release.set("settings", format="parquet")
    assert release.run(release.path.parent / "out")["output"]["name"] == "release.parquet"
    with pytest.raises(UnknownNameError, match="csv"):
        release.run(release.path.parent / "other", form="ods")
    assert not (release.path.parent / "other").exists()


def test_a_workbook_keeps_every_text_and_numbers_only_as_they_are_spelled(tmp_path):
    texts = ["036", "12", "-4", "4.5", "4.50", "1e5", "=1+1", "http://x", "nan", "1234567890123456", "", "E11.9"]
    table = CodedTable({"x": CodedColumn.of(texts), "=y": CodedColumn.of(["a"] * len(texts))})
    write_coded(table, tmp_path / "r.xlsx")
    cells = [row[0].value for row in openpyxl.load_workbook(tmp_path / "r.xlsx").active.iter_rows(min_row=2)]
    assert [cell for cell in cells if isinstance(cell, int | float)] == [12, -4, 4.5]
    assert [("" if cell is None else str(cell)) for cell in cells] == texts
    again = read_coded(tmp_path / "r.xlsx")
    assert again.names == ("x", "=y")
    assert set(again["x"].values) == set(texts) - {""}
    assert pd.read_excel(tmp_path / "r.xlsx", dtype=str).shape == (len(texts), 2)
    first = (tmp_path / "r.xlsx").read_bytes()
    write_coded(table, tmp_path / "r.xlsx")
    assert (tmp_path / "r.xlsx").read_bytes() == first


def test_what_no_workbook_holds_is_refused(tmp_path):
    with pytest.raises(InputError, match="Write CSV or Parquet"):
        write_coded(CodedTable({"x": CodedColumn.of(["a" * 32_768])}), tmp_path / "r.xlsx")


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_a_folder_may_be_called_like_a_partition_or_a_pattern(tmp_path, name):
    """DuckDB would read year=2024 as a further column, and [a] as a pattern."""
    folder = tmp_path / "year=2024 [a]?"
    folder.mkdir()
    pd.DataFrame({"age": ["30", "41"], "sex": ["F", "M"]}).to_csv(folder / "r.csv", index=False)
    if name.endswith("csv"):
        (folder / "r.csv").rename(folder / name)
    else:
        pd.read_csv(folder / "r.csv", dtype=str).to_parquet(folder / name)
    assert [(column.name, column.texts) for column in read_written(folder / name).columns] == [
        ("age", ("30", "41")),
        ("sex", ("F", "M")),
    ]
    assert [column.held.name for column in RecordFile.check(folder / name).answer] == ["age", "sex"]


@pytest.mark.parametrize("name", ["f.csv", "f.parquet"])
def test_the_attack_reads_a_file_in_parts_as_it_is(tmp_path, monkeypatch, name):
    """Each text keeps its place, that of its first row, over all parts; a blank is none. Names may come twice."""
    rows = [[str(at * 7 % 2_503), ["", " ", "a,b", 'c"d', "e\nf"][at * at % 5]] for at in range(9_000)]
    if name == "f.csv":
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["x", "x"], *rows])
    else:
        pd.DataFrame(rows, columns=["x", "y"]).to_parquet(tmp_path / name, index=False)
    monkeypatch.setattr("policy_sim.release.attack.written._CELLS", 4_096)
    columns = read_written(tmp_path / name).columns
    assert [column.name for column in columns] == (["x", "x"] if name == "f.csv" else ["x", "y"])
    for column, texts in zip(columns, zip(*rows, strict=True), strict=True):
        assert column.texts == tuple(dict.fromkeys(text for text in texts if text.strip()))
        assert [["", *column.texts][code] for code in column.codes] == [text if text.strip() else "" for text in texts]
