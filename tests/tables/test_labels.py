"""Labels that a file writes once, several measures side by side, and totals of the columns next to them."""

from __future__ import annotations

import random

import pytest
from said import numbers

from benchmarks.layouts.__main__ import LAYOUTS, READ, WITH_OPTION, tried
from policy_sim.tables.files import Layout, body_of, read_counts, read_each
from policy_sim.tables.labels import filled_labels, without_marks_of_totals
from policy_sim.words.errors import InputError, UnknownNameError


def read(folder, text, name="counts.csv", layout=Layout()):  # noqa: B008
    (folder / name).write_text(text, encoding="utf-8")
    return read_counts(folder / name, layout)


def sums(file):
    return {relation.total: set(relation.parts) for relation in file.relations}


def test_blocks_whose_first_row_names_them(tmp_path):
    rows = "North,Allen,412\n,Lucas,88\n,Region total,500\nSouth,Athens,131\n,Meigs,26\n,Region total,157\n"
    file = read(tmp_path, f"region,county,cases\n{rows}Ohio,All counties,657\n")
    assert file.cells["North", "Lucas"].value == 88
    every = {("North", "Allen"), ("North", "Lucas"), ("South", "Athens"), ("South", "Meigs")}
    assert sums(file)["Ohio", "All counties"] == every
    assert sums(file)["South", "Region total"] == {("South", "Athens"), ("South", "Meigs")}
    assert any(note.startswith("Blanks in 'region' are filled in") for note in file.notes)
    with pytest.raises(InputError, match="no parts"):
        read(tmp_path, f"region,county,cases\n{rows}Ohio,All counties,658\n")


@pytest.mark.parametrize(
    "texts",
    [
        ["", "North", "", "South", ""],  # nothing says what the first row is
        ["North", "", "South", "", "North", ""],  # two blocks of one name
        ["1001", "1003", "1005", ""],  # a code, and totals without one
        ["1001", "", "1003", "1005", ""],  # the same in the middle
        ["North", "", ""],  # a single block
    ],
)
def test_labels_that_are_no_blocks_are_not_filled(texts):
    columns = {"region": texts, "county": [f"c{at}" for at in range(len(texts))]}
    assert filled_labels(columns, ["region", "county"], lambda text: text == "Total") == {}


def test_labels_are_not_filled_where_two_rows_would_be_one():
    columns = {"region": ["North", "", "South", ""], "county": ["a", "a", "b", "c"]}
    assert filled_labels(columns, ["region", "county"], lambda text: False) == {}


def test_a_column_that_marks_totals_must_mark_every_blank():
    columns = {"Notes": ["", "", "Total"], "Sex": ["F", "", ""], "Deaths": ["12", "15", "27"]}
    assert without_marks_of_totals(columns, ["Notes", "Sex"], lambda text: text == "Total") == columns


def test_several_measures_are_read_side_by_side(tmp_path):
    file = read(tmp_path, "county,cases,deaths\nAllen,40,3\nLucas,20,2\nTotal,60,5\n")
    assert (file.keys, file.counts) == (("county", "column"), ("cases", "deaths"))
    assert sums(file) == {("Total", name): {("Allen", name), ("Lucas", name)} for name in ("cases", "deaths")}


def test_a_total_of_the_columns_before_it_alone(tmp_path):
    rows = [("Allen", 25, 22), ("Ash", 11, 10), ("Birch", 54, 9), ("Elm", 27, 31)]
    lines = "".join(f"{name},{a},{b},{a + b},{a + 7},3\n" for name, a, b in rows)
    file = read(tmp_path, f"county,Confirmed,Probable,Total,Last week,New this week\n{lines}")
    parts = {("Allen", "Confirmed"), ("Allen", "Probable")}
    assert sums(file)["Allen", "Total"] == parts
    assert file.counts[-2:] == ("Last week", "New this week")


def test_a_column_of_changes_below_zero_is_left_out(tmp_path):
    file = read(tmp_path, "county,2023,2024,Change\nAllen,40,35,-5\nLucas,20,28,8\nTotal,60,63,3\n")
    assert file.counts == ("2023", "2024")
    assert any("Change. A change is no count" in note for note in file.notes)
    with pytest.raises(InputError, match="'-5'"):
        read(tmp_path, "county,2023,2024,More\nAllen,40,35,-5\nLucas,20,28,8\nTotal,60,63,3\n")


def test_a_column_that_another_table_has_is_not_asked_of_each(tmp_path):
    counties = "county,cases,deaths\nAllen,40,3\nLucas,20,2\n"
    clinics = "county,clinic,cases,deaths\nAllen,A1,15,1\nAllen,A2,25,2\nLucas,B1,20,2\n"
    paths = [tmp_path / "counties.csv", tmp_path / "clinics.csv"]
    for path, text in zip(paths, (counties, clinics), strict=True):
        path.write_text(text, encoding="utf-8")
    keys = [file.label_columns for file in read_each(paths, Layout(keys=("county", "clinic"))).values()]
    assert keys == [("county",), ("county", "clinic")]
    with pytest.raises(UnknownNameError):
        read_each(paths, Layout(keys=("county", "ward")))


def test_remarks_are_left_out_and_repeated_names_refused(tmp_path):
    file = read(tmp_path, "County,Cases,Notes\nAllen,12,\nLucas,30,Includes a prison\nTotal,42,\n")
    assert (file.label_columns, file.counts) == (("County",), ("Cases",))
    assert "Left out: Notes, which has remarks." in file.notes
    twice = "Female,,\nCounty,2023,2024\nAllen,20,21\nLucas,30,31\nMale,,\nCounty,2023,2024\nAllen,10,11\nLucas,12,13\n"
    with pytest.raises(InputError, match="row 4 below the names"):
        read(tmp_path, twice)


def test_the_columns_that_tell_rows_apart_are_named(tmp_path):
    grades = "School,Grade,Enrolled,Exempt\nOak,1,52,3\nOak,7,61,4\nElm,1,40,1\nElm,7,38,2\n"
    with pytest.raises(InputError, match=r'there twice.*, such as keys=\["School", "Grade"\]'):
        read(tmp_path, grades)
    assert read(tmp_path, grades, layout=Layout(keys=("School", "Grade"))).cells["Oak", "7", "Exempt"].value == 4


@pytest.mark.parametrize("name", ["region_column", "query_export", "several_sheets", "measures_as_rows"])
def test_a_pinned_tenth_of_the_drawn_layouts(name):
    assert name in LAYOUTS
    word, more = tried(name, random.Random(name).randrange(100))
    assert word in (READ, WITH_OPTION), more


def test_blank_rows_of_a_table_are_counted(tmp_path):
    """A line without any cell is none."""
    (tmp_path / "t.csv").write_text("Cases,\n,\ncounty,cases\n,\nA,12\n\n ,\nB,20\n,\n")
    (note,) = [note for note in body_of(tmp_path / "t.csv").notes if "blank" in note]
    assert numbers(note) == ["2"]
