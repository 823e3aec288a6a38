"""The comparison of figures before and after a change: what it must see, and what it must not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from said import numbers

from benchmarks.same_figures import compare_folders, compare_tables, main, write_visits

ROWS = [
    {
        "state": "DE",
        "measure": "total-risk",
        "g": "",
        "people": "100.5",
        "linkage_key": "gender+race",
        "reason": "none",
    },
    {"state": "DE", "measure": "g-distinct", "g": "1", "people": "7", "linkage_key": "gender+race", "reason": ""},
    {"state": "WY", "measure": "total-risk", "g": "", "people": "", "linkage_key": "gender", "reason": "closed"},
]


def changed(row: int, **cells: str) -> list[dict[str, str]]:
    return [{**cells_before, **(cells if i == row else {})} for i, cells_before in enumerate(ROWS)]


def write(folder: Path, rows: list[dict[str, str]], name: str = "rows.csv") -> Path:
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        (ROWS, 0),
        (changed(0, people="100.50000000000001"), 0),  # 1e-16 of it: another order of the same sum
        (changed(0, people="100.500000001"), 1),
        (changed(1, people=""), 1),  # a figure that became unknown
        (changed(2, people="0"), 1),  # an unknown that became 0
        (changed(2, reason="not sold"), 0),  # only words
        (ROWS[::-1], 0),  # rows are matched by what they are, not by where they stand
        (ROWS[:2], 1),
        ([*ROWS, {**ROWS[0], "state": "VT"}], 0),
    ],
)
def test_what_counts_as_moved(after, moved):
    assert len(compare_tables(ROWS, after, {}).moved) == moved


def test_a_moved_figure_says_where_it_stands_and_by_how_much():
    (line,) = compare_tables(ROWS, changed(1, people="14"), {}).moved
    assert line.startswith("DE g-distinct 1: people: ")
    assert "7 is now 14 (+1 " in line


def test_a_renamed_column_and_a_renamed_word_are_the_same_figures():
    def new(row):
        key = row["linkage_key"].replace("gender", "sex")
        return {"state": row["state"], "measure": row["measure"], "g": row["g"], "persons": row["people"], "key": key}

    after = [{**new(row), "reason": row["reason"]} for row in ROWS]
    names = {"gender": "sex", "people": "persons", "linkage_key": "key"}
    found = compare_tables(ROWS, after, names)
    assert (found.moved, found.texts) == ([], [])
    assert found.columns == ["people is now persons", "linkage_key is now key"]
    assert "the column people is gone" in compare_tables(ROWS, after, {}).moved


def test_names_that_pass_from_one_to_another_are_changed_once():
    before = [{"policy": "safe-harbor", "people": "1"}, {"policy": "safe-harbor-regulation", "people": "2"}]
    after = [{"policy": "safe-harbor-paper", "people": "1"}, {"policy": "safe-harbor", "people": "2"}]
    names = {"safe-harbor-regulation": "safe-harbor", "safe-harbor": "safe-harbor-paper"}
    assert not list(compare_tables(before, after, names).lines())


def test_rows_without_a_name_are_matched_in_order():
    before = [{"value": "1"}, {"value": "2"}]
    found = compare_tables(before, [{"value": "1"}, {"value": "3"}], {})
    (line,) = found.moved
    assert numbers(line)[0] == "2"
    assert "2 is now 3 (+0.5 " in line


def test_the_exit_status_says_whether_a_figure_moved(tmp_path, capsys):
    before, same = write(tmp_path / "before", ROWS), write(tmp_path / "same", ROWS)
    other = write(tmp_path / "other", changed(0, people="99"))
    assert main(["compare", str(before), str(same)]) == 0
    assert main(["compare", str(before), str(other)]) == 1
    assert "DE total-risk: people: 100.5 is now 99" in capsys.readouterr().out
    write(before, ROWS, "more.csv")
    assert compare_folders(before, same, {})["more.csv"].moved == ["the file is gone"]


def test_an_empty_folder_is_not_taken_for_agreement(tmp_path):
    with pytest.raises(SystemExit) as stop:
        main(["compare", str(tmp_path), str(tmp_path)])
    assert stop.value.code == 2


def test_the_made_up_records_are_the_same_every_time(tmp_path):
    for name in ("a.csv", "b.csv"):
        write_visits(tmp_path / name, records=20)
    text = (tmp_path / "a.csv").read_text()
    assert text == (tmp_path / "b.csv").read_text()
    assert text.count("\n") == 21
