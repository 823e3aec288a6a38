"""Tables of counts read as people write them, and what a reader derives, against every table by force."""

from __future__ import annotations

import itertools
import json
import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_people import invoke

from policy_sim.rules.files import find_rule
from policy_sim.tables.check import check_tables
from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.marks import read_mark
from policy_sim.words.errors import InputError


def _file(tmp_path, text, name="counts.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_text(text, encoding=encoding)
    return path


_run = partial(invoke, "table", "check")


@pytest.mark.parametrize(
    ("text", "status", "value", "least", "greatest"),
    [
        ("1,040", "published", 1040, 0, None),
        ("1 040", "published", 1040, 0, None),
        ("12.0", "published", 12, 0, None),
        ("0", "zero", 0, 0, None),
        ("<11", "primary", None, 0, 10),
        ("< 11", "primary", None, 0, 10),
        ("≤10", "primary", None, 0, 10),
        ("fewer than 11", "primary", None, 0, 10),
        ("1-10", "primary", None, 1, 10),
        ("1 to 4", "primary", None, 1, 4),
        (">95", "primary", None, 96, None),
        ("100+", "primary", None, 100, None),
        ("5 or fewer", "primary", None, 0, 5),
        ("4 or less", "primary", None, 0, 4),
        ("*", "primary", None, 0, None),
        ("Suppressed", "primary", None, 0, None),
        ("—", "unclear", None, 0, None),
        ("", "unclear", None, 0, None),
        ("N/A", "unclear", None, 0, None),
    ],
)
def test_what_a_cell_says(text, status, value, least, greatest):
    assert read_mark(text, {})[:4] == (status, value, least, greatest)


@pytest.mark.parametrize("text", ["-3", "1.5", "12,34", "about 20", "nine"])
def test_what_is_no_count_is_not_read(text):
    assert read_mark(text, {}) is None


LONG = """county,sex,count
Allen,F,<11
Allen,M,"1,040"
Allen,Total,"1,043"
Bell,F,*
Bell,M,30
Bell,Total,55
Total,F,28
Total,M,"1,070"
Total,Total,"1,098"
"""
CROSSTAB = """Deaths by county, 2024
county,F,M,Total,% F
Allen,<11,"1,040","1,043",0.3%
Bell,*,30,55,45.5%
Total,28,"1,070","1,098",2.6%
Source: made up
"""


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(LONG, "utf-8"), (LONG, "utf-8-sig"), (LONG, "utf-16"), (CROSSTAB, "utf-8"), (CROSSTAB, "cp1252")],
)
def test_hidden_cells_that_the_margins_give_away(tmp_path, text, encoding):
    outcome = _run(_file(tmp_path, text, encoding=encoding), "--format", "json")
    assert outcome.exit_code == 1
    rows = {row["cell"]: row for row in json.loads(outcome.stdout)["cells"]}
    assert {cell: (row["least"], row["greatest"]) for cell, row in rows.items()} == {
        "Allen, F": (3, 3),
        "Bell, F": (25, 25),
    }


def test_what_is_left_out_is_named(tmp_path):
    notes = " ".join(read_counts(_file(tmp_path, CROSSTAB)).notes)
    assert "Deaths by county" in notes
    assert "% F" in notes
    assert "Source: made up" in notes


@pytest.mark.slow
def test_a_messy_workbook(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Table 4. Cases"],
        [],
        [None, "Female ", "Male", "ALL", "Rate per 100,000"],
        ["Allen", "<11", 40.0, 43, 3.25],
        [],
        [" Bell", 25, "30", "55 ", None],
        ["Grand total", 28, 70, "98", 4.5],
        [None],
        ["* Counts of 1 to 10 are hidden."],
    ):
        sheet.append(row)
    book.create_sheet("empty")
    path = tmp_path / "messy.xlsx"
    book.save(path)
    file = read_counts(path)
    assert len(file.cells) == 9
    assert file.cells["Bell", "ALL"].value == 55
    assert check_tables([path]).cells[["cell", "least"]].to_numpy().tolist() == [["Allen, Female", 3]]


def _written(counts):
    """The table with its margins: keys to counts."""
    cells = {(f"r{i}", f"c{j}"): value for i, row in enumerate(counts) for j, value in enumerate(row)}
    cells |= {(f"r{i}", "Total"): sum(row) for i, row in enumerate(counts)}
    cells |= {("Total", f"c{j}"): sum(column) for j, column in enumerate(zip(*counts, strict=True))}
    return cells | {("Total", "Total"): sum(map(sum, counts))}


def _long(cells):
    return "row,col,count\n" + "".join(f"{row},{col},{text}\n" for (row, col), text in cells.items())


def _crosstab(cells):
    rows, columns = (list(dict.fromkeys(key[at] for key in cells)) for at in (0, 1))
    lines = [",".join(["row", *columns]), *(",".join([r, *(str(cells[r, c]) for c in columns)]) for r in rows)]
    return "\n".join(lines) + "\n"


TABLES = st.integers(2, 3).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 14), min_size=width, max_size=width), min_size=2, max_size=3)
)


@pytest.mark.slow
@given(TABLES)
def test_both_layouts_give_one_table(tmp_path_factory, counts):
    folder = tmp_path_factory.mktemp("layouts")
    cells = _written(counts)
    declared = Layout(totals=("none",))  # a label may be the sum of two others by chance
    long, cross = (read_counts(_file(folder, write(cells), write.__name__), declared) for write in (_long, _crosstab))
    assert dict(long.cells) == dict(cross.cells)
    assert long.margins == cross.margins
    assert {(one.total, frozenset(one.parts)) for one in long.relations} == {
        (one.total, frozenset(one.parts)) for one in cross.relations
    }
    assert {key: cell.value for key, cell in long.cells.items()} == cells


def _every_table(counts, shown):
    """Every inner table of whole numbers that fits the shown counts (margins included)."""
    height, width = len(counts), len(counts[0])
    most = max(map(max, counts)) + 15
    most = min(most, 22)
    rows = []
    for i in range(height):
        ranges = [(shown[f"r{i}", f"c{j}"],) if (f"r{i}", f"c{j}") in shown else range(most + 1) for j in range(width)]
        total = shown.get((f"r{i}", "Total"))
        rows.append([row for row in itertools.product(*ranges) if total is None or sum(row) == total])
    for table in itertools.product(*rows):
        written = _written(table)
        if all(written[key] == value for key, value in shown.items()):
            yield written


@pytest.mark.parametrize(
    "counts",
    [
        [[3, 40], [25, 30]],
        [[3, 4], [5, 6]],
        [[0, 4], [5, 12]],
        [[1, 2, 12], [3, 4, 15], [11, 13, 14]],
        [[10, 1, 20], [1, 1, 20], [20, 20, 20]],
        [[5, 0, 12], [0, 7, 11], [11, 12, 0]],
    ],
)
def test_intervals_are_those_of_every_table(tmp_path, counts):
    cells = _written(counts)
    shown = {key: value for key, value in cells.items() if not 1 <= value <= 10}
    checked = check_tables([_file(tmp_path, _long(cells))], find_rule("cms"))
    assert set(checked.cells["cell"]) == {", ".join(key) for key in set(cells) - set(shown)}
    fits = list(_every_table(counts, shown))
    small = [table for table in fits if all(1 <= table[key] <= 10 for key in set(cells) - set(shown))]
    for row in checked.cells.itertuples():
        for ends, tables in (
            ((row.least, row.greatest), fits),
            ((row.least_labeled, row.greatest_labeled), small),
        ):
            values = [table[tuple(row.cell.split(", "))] for table in tables]
            assert ends == (min(values), max(values))


def test_knowing_that_three_cells_are_small_can_solve_them(tmp_path):
    path = _file(tmp_path, "county,cases\na,10\nb,10\nc,10\nd,40\nTotal,70\n")
    outcome = _run(path, "--rule", "cms", "--format", "json")
    assert outcome.exit_code == 1
    rows = json.loads(outcome.stdout)["cells"]
    assert {(row["least"], row["greatest"], row["least_labeled"], row["greatest_labeled"]) for row in rows} == {
        (0, 30, 10, 10)
    }


def test_regions_add_up_over_their_counties(tmp_path):
    text = "region,county,cases\nW,a,4\nW,b,20\nW,Total,24\nE,c,14\nE,d,40\nE,Total,54\nTotal,Total,78\n"
    outcome = _run(_file(tmp_path, text), "--rule", "cms")
    assert outcome.exit_code == 1
    assert "W, a" in outcome.stdout


def test_marks_without_a_meaning_are_asked_about(tmp_path):
    path = _file(tmp_path, "county,cases\na,\nb,12\nc,—\nTotal,20\n")
    asked = _run(path)
    assert (asked.exit_code, len(asked.stderr.splitlines())) == (2, 1)
    assert "'blank' and '—' means is not clear" in asked.stderr
    assert _run(path, "--mark", "—=hidden", "--mark", "blank=zero").exit_code == 1
    assert _run(path, "--mark", "—=hidden", "--mark", "blank=hidden").exit_code == 0


def test_a_combination_without_a_row_is_asked_about(tmp_path):
    path = _file(tmp_path, "county,sex,n\na,F,20\na,Total,20\nb,F,4\nb,M,14\nb,Total,18\n")
    assert re.search("'absent' .* not clear, as in a, M", _run(path, "--rule", "cms").stderr)
    assert _run(path, "--rule", "cms", "--mark", "absent=zero").exit_code == 1


def test_a_table_that_gives_nothing_away_passes(tmp_path):
    outcome = _run(_file(tmp_path, _long(_written([[3, 4, 30], [5, 6, 30], [30, 30, 30]]))), "--rule", "cms")
    assert outcome.exit_code == 1
    assert re.match("NOT READY: .* 4 counts that rule cms-11 hides", outcome.stdout)
    assert "If you hide only these, none can" in " ".join(outcome.stdout.split())


def test_without_a_total_nothing_is_called_passed(tmp_path):
    outcome = _run(_file(tmp_path, "county,cases\na,4\nb,30\n"), "--rule", "cms")
    assert re.match(r"NOT READY: .* 1 count that rule cms-11 hides\. Nothing adds up", outcome.stdout)
    hidden = _run(_file(tmp_path, "county,cases\na,*\nb,30\n"))
    assert (hidden.exit_code, hidden.stdout[:10]) == (3, "NOT TESTED")


def test_an_equation_that_the_hidden_counts_deny_is_not_used(tmp_path):
    """Total = Brown + Clark in each column that is shown whole, for Adams has no case there; hidden is at least 1."""
    text = "county,A,B,C,Total\nAdams,*,0,0,*\nBrown,0,25,14,39\nClark,*,14,30,*\nTotal,15,39,44,98\n"
    checked = check_tables([_file(tmp_path, text)]).to_frame()
    assert checked.set_index("cell").greatest.to_dict() == {
        "Adams, A": 14,
        "Adams, Total": 14,
        "Clark, A": 14,
        "Clark, Total": 58,
    }


def test_a_population_decides_where_the_rule_asks_for_it(tmp_path):
    text = "county,deaths,population\na,98,100\nb,40,90\nc,50,200\nTotal,188,390\n"
    path = _file(tmp_path, text)
    assert _run(path, "--rule", "oh").exit_code == 2
    outcome = _run(path, "--rule", "oh", "--population-column", "population", "--format", "json")
    (row,) = json.loads(outcome.stdout)["cells"]
    assert (row["cell"], row["least_labeled"], row["greatest_labeled"]) == ("a", 98, 98)


@pytest.mark.parametrize("corner", [("County", ""), ("", "County"), ("County", "County")])
def test_names_in_two_rows_are_one_where_each_has_the_same_below_it(tmp_path, corner):
    """Each count is under the right year: the totals of a row tell."""
    text = f"{corner[0]},2023,,2024,\n{corner[1]},Male,Rate,Male,Rate\nAdams,12,3.5,15,4.9\nBrown,30,7.1,41,9.9\n"
    file = read_counts(_file(tmp_path, text))
    assert file.counts == ("2023, Male", "2024, Male")
    assert [cell.value for cell in file.cells.values()] == [12, 15, 30, 41]
    assert any(note.startswith("Names in two rows, read as one: ") for note in file.notes)


@pytest.mark.parametrize(
    ("text", "keys", "counts"),
    [
        ("Ward,City,a,b\n5,Lima,2,24\n7,Athens,69,18\n", 2, ("a", "b")),
        ("ZIP,Ward,City,a,b\n45801,5,Lima,2,24\n45701,7,Athens,69,18\n", 3, ("a", "b")),
    ],
)
def test_the_option_that_a_message_names_reads_codes_as_labels(tmp_path, text, keys, counts):
    path = _file(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_counts(path)
    named = re.search(r"keys=\[(.*?)\]", str(error.value))[1]
    file = read_counts(path, Layout(keys=tuple(re.findall(r'"([^"]+)"', named))))
    assert (len(file.label_columns), file.counts) == (keys, counts)


def test_an_interval_of_a_rate_is_left_out(tmp_path):
    text = "County,Deaths,95% CI\nAllen,52,(200.2-312.9)\nAthens,17,(19.8-30.9)\nTotal,69,\n"
    assert read_counts(_file(tmp_path, text)).counts == ("Deaths",)


@pytest.mark.parametrize("word", ["Statewide", "Both sexes", "All ages", "Total"])
def test_words_that_mean_a_total_fill_the_blank_next_to_them(tmp_path, word):
    text = f"region,county,n\nNorth,Adams,12\nNorth,Brown,30\nSouth,Clark,17\n{word},,59\n"
    file = read_counts(_file(tmp_path, text))
    assert [relation.total for relation in file.relations] == [(word, "Total")]


def test_cells_that_are_merged_down_are_filled(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Region", "County", "n"], ["North", "Adams", 12], [None, "Brown", 30], ["South", "Clark", 17]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    path = tmp_path / "t.xlsx"
    book.save(path)
    assert [key[0] for key in read_counts(path).cells] == ["North", "North", "South"]
    book.active.unmerge_cells("A2:A3")
    book.save(path)
    with pytest.raises(InputError, match="no label"):
        read_counts(path)


def test_a_workbook_of_several_sheets_names_the_option(tmp_path):
    import openpyxl

    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("By age")):
        sheet.append(["a", "b"])
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(InputError, match='sheet="Sheet" or sheet="By age"'):
        read_counts(tmp_path / "t.xlsx")


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        ("county,cases,deaths\na,4,1\nTotal,4,1\n", ["--count", "case"], "case"),
        ("cases,county,deaths\n4,a,1\n4,Total,1\n", [], "may be counts"),
        ("county,cases\na,four\nTotal,4\n", ["--count", "cases"], "neither a whole number"),
        ("county,cases\na,4\na,5\nTotal,9\n", [], "twice"),
        ("county,cases\na,4\nb,5\nTotal,10\n", [], "add up to 9"),
        ("county,cases\na,4\nb,5\nOhio,9\n", [], "'Ohio' may be the total of 'a' to 'b'"),
        ("county,cases\na,4\nb,5\nTotal west,9\n", [], "looks like a total"),
        ("county,cases\na,*\nb,\nc,—\nd,NA\nTotal,9\n", [], "'blank' and '—' and 'na' means is not clear"),
        ("county,cases\na,4\nTotal,4\n", ["--mark", "x=perhaps"], "perhaps"),
        ("county,cases\n,4\nTotal,4\n", [], "no label"),
        ("county,F,M,Total\na,3,1.204,1.207\nb,5,30,35\nTotal,8,1.234,1.242\n", [], "'1.204' is neither"),
        ("county,F,M,Total\na,-3,20,17\nb,14,4,18\nTotal,11,24,35\n", [], "'-3'"),
        ("County,Sex,,Total\n,F,M,\na,3,20,23\nb,4,5,9\nTotal,7,25,32\n", [], "several rows"),
        ("title\n", [], "no table"),
        ("county,cases\na,*\nb,*\nc,12\nTotal,9\n", [], "fits"),
        ("county,week,age,Total\nAdams,4,12,47\nBrown,1,2,17\n", [], "may be counts"),
        ("County,,2023,,,2024,\n,M,F,All,M,F,All\nAdams,12,3,15,9,1,10\n", [], "several rows: 'County | 2023 | 2024'"),
        (
            "County,2023,,2024,\n,M,F,M,All\nAdams,12,3,15,19\nBrown,2,3,5,9\n",
            [],
            "several rows: 'County | 2023 | 2024'",
        ),
        ("County,Cases\nAdams,12\nBrown,3*\nClark,40\nTotal,55\n", [], "'3*' is neither"),
        ("fips,county,deaths\n1001,Autauga,4\n1003,Baldwin,30\n,Total,34\n,Other,3\n", [], "has no label in 'fips'"),
        ("Place,Cases\nNorth,30\nAdams,4\nBrown,26\nTotal,30\n", [], "go in their own column"),
        ("county,sex,n\nAllen,F,5\n,M,45\nAllen,Total,50\n,F,5\n", [], "Fill the labels down"),
        (LONG, ["--rule", "mmwr-week"], "does not decide by a count"),
    ],
)
def test_what_is_not_clear_is_one_line(tmp_path, text, words, says):
    outcome = _run(_file(tmp_path, text), "--rule", "cms", *words)
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert says in outcome.stderr
    assert len(outcome.stderr.strip().splitlines()) == 1


def test_a_column_that_numbers_the_lines_is_no_label(tmp_path):
    """Else each line is a group of its own, its total is none, and nothing seems to follow."""
    file = read_counts(_file(tmp_path, ",county,age,n\n0,Allen,0-17,1204\n1,Allen,90+,3\n2,Allen,Total,1207\n"))
    assert [relation.total for relation in file.relations] == [("Allen", "Total")]
    assert any("numbers the lines" in note for note in file.notes)


def test_a_short_note_below_the_totals_is_no_county(tmp_path):
    text = 'County,Male,Female,Total\nAdams,-,3,3\nBrown,20,14,34\nTotal,20,17,37\n"- means zero",,,\n'
    file = read_counts(_file(tmp_path, text), Layout(marks={"-": "zero"}))
    assert {key[0] for key in file.cells} == {"Adams", "Brown", "Total"}
    assert any(note.endswith(": '- means zero'.") for note in file.notes)
