"""What an attacker reads from small published tables: every relation, its words and its evidence, by hand."""

from __future__ import annotations

import io

import openpyxl
import pytest

from policy_sim.records.published import Knowledge
from policy_sim.tables.attack import Found, attack


def report(*texts, **knowledge):
    return attack({f"{at}.csv": text.encode() for at, text in enumerate(texts, 1)}, Knowledge(**knowledge))


def ends(found):
    return {", ".join(item.name): (item.least, item.greatest) for item in found.derived}


def test_tables_that_share_two_labels_of_four():
    """a + b of the one is the total of the other; two of four labels are in both, one with a hidden count."""
    parts = "county,a,b\nAdams,*,204117\nBrown,310219,118331\nClark,17,99\nDover,31,88\n"
    totals = "area,all of them\nAdams,204120\nBrown,428550\nEdge,123\nFord,456\n"
    assert list(ends(report(parts, totals)).values()) == [(3, 3)]
    assert list(ends(report(parts, totals.replace("Brown", "Grove"))).values()) == [(0, None)]


def test_a_percentage_must_agree_to_its_last_digit():
    text = "county,yes,of,share\nAdams,*,1433,34.6\nBrown,319,4811,6.6\nClark,519,3007,17.3\nDover,227,1101,20.6\n"
    assert ends(report(text)) == {"Adams, yes": (496, 496)}
    off = report(text.replace("17.3", "17.5"))
    assert (off.findings, ends(off)) == ((), {"Adams, yes": (0, None)})
    assert off.open


def test_a_relation_that_only_the_first_number_contradicts_is_none():
    text = "county,x,y,z\nAdams,512,18311,33042\nBrown,40121,14030,54151\nClark,50817,61233,112050\nDover,*,812,5811\n"
    found = report(text)
    assert [item.words for item in found.findings] == []
    right = report(text.replace("512,", "14731,"))
    assert [item.words for item in right.findings] == ["z = x + y"]
    assert ends(right) == {"Dover, x": (4999, 4999)}


def test_a_stock_gives_away_who_came_or_left():
    """31 in care, then 12 came, 7 left and 2 died: 34; the 4 who left next are 34 + 9 - 38 - 1."""
    rows = [(31, 20, 9, 1), (34, 12, 7, 2), (38, 9, "*", 1), (45, 14, 6, 1), (37, 5, 13, 0), (52, 19, 3, 1)]
    lines = [f"{day},{','.join(map(str, row))}\n" for day, row in enumerate(rows)]
    found = report("day,in care,came,left,died\n" + "".join(lines))
    (item,) = found.findings
    assert item.words.startswith("in care ")
    assert item.words.endswith(" by came - left - died")
    assert ends(found) == {"2, left": (4, 4)}


def test_evidence_is_counted_in_places_that_show_all():
    text = (
        "county,x,y,z\nAdams,14731,18311,33042\nBrown,40121,14030,54151\nClark,50817,61233,112050\nDover,*,812,5811\n"
    )
    assert report(text).findings == (Found("z = x + y", 3, relations=1),)


def test_equal_columns_are_named_in_the_order_of_the_file():
    text = "county,first,other,last\nAdams,14731,331,14731\nBrown,40121,7192,40121\nClark,*,61,50817\n"
    found = report(text)
    assert [item.words for item in found.findings] == ["first = last"]
    assert ends(found) == {"Clark, first": (50817, 50817)}


def test_the_reason_names_the_numbers():
    text = "county,a,b,c,all\nAdams,*,812,5011,5830\nBrown,40121,14030,317,54468\nClark,50817,61233,9111,121161\n"
    (count,) = report(text).derived
    assert (count.least, count.greatest) == (7, 7)
    assert count.because == "5,830 - 5,011 - 812 (all = a + b + c)"


def test_a_running_total_from_its_first_week():
    """The first new count is the first total; nothing before the first week takes part."""
    text = "week,new,to date\n1,*,14\n2,103,117\n3,211,328\n4,160,488\n5,142,630\n"
    found = report(text)
    assert ends(found) == {"1, new": (14, 14)}
    assert found.not_tried == ()


def test_a_running_total_that_began_before_the_file():
    text = "week,new,to date\n1,*,414\n2,103,517\n3,211,728\n4,160,888\n5,142,1030\n"
    shown = text.replace("*", "14")
    hidden = shown.replace("160", "*")
    assert ends(report(hidden)) == {"4, new": (160, 160)}


def test_a_moving_sum_of_three_weeks():
    new = [103, 211, 160, 142, 307, 255, 198]
    sums = ["", ""] + [sum(new[at - 2 : at + 1]) for at in range(2, 7)]
    rows = [
        f"{at},{'*' if at == 5 else count},{total}" for at, (count, total) in enumerate(zip(new, sums, strict=True), 1)
    ]
    assert ends(report("\n".join(["week,new,last three", *rows]))) == {"5, new": (307, 307)}


def test_a_rate_where_cells_are_blank():
    """A count and a rate that one county lacks still make the rate of the others."""
    text = (
        "county,cases,population,per 100000\nAdams,*,20000,35.0\nBrown,30,40000,75.0\nClark,51,30000,170.0\n"
        "Dover,22,11000,200.0\nEdge,,50000,\nFord,77,123000,62.6\n"
    )
    assert ends(report(text)) == {"Adams, cases": (7, 7)}


def test_rates_that_are_cut_off_leave_what_they_leave():
    """65 per 1,000, cut off: 261 of 4,001 people are 65.2, and 264 are 65.98; 260 and 265 are 64.98 and 66.2."""
    text = (
        "county,cases,people,per 1000\nAdams,*,4001,65\nBrown,319,4800,66\nClark,519,3000,173\nDover,227,1101,206\n"
        "Edge,1234,9876,124\n"
    )
    assert ends(report(text)) == {"Adams, cases": (261, 264)}


def test_a_note_without_counts_is_no_open_question():
    text = "county,a,b,all\nAdams,*,812,5811\nBrown,40121,14030,54151\nClark,50817,61233,112050\n"
    text = "Counts of Adams by county\n" + text
    assert report(text).open == ()
    noted = report("There were 47 deaths in Adams\n" + text)
    assert any("47 deaths" in item for item in noted.open)


def test_ages_in_the_names_of_columns_state_nothing():
    """5 and 18 are counts of these columns too, and no line that is shown whole denies it."""
    text = "county,Under 5,Under 18,18 and over,All\nAdams,5,18,36,54\nBrown,*,*,18,29\nClark,*,41,*,77\n"
    assert report(text).stating == ()
    assert "Adams 5" in report(text.replace("Adams,5", "Adams 5,5")).stating


def test_a_label_without_a_number_in_its_line_states_what_others_state():
    """15 = 3 + 12 and 24 = 4 + 20, so that 30 is a count too."""
    text = "county,Male,Female\nAdams 15,3,12\nBrown 30,closed,closed\nClark 24,4,20\n"
    assert sorted(report(text).stating) == ["Adams 15", "Brown 30", "Clark 24"]


def test_labels_whose_numbers_mostly_differ_from_their_lines_state_nothing():
    lines = ["Route (12),40,52", "Route (15),31,17", "Route (90),88,21"]
    text = "\n".join(["road,a,b", *lines, "Route (3),*,19"]) + "\n"
    assert not any(item.follows for item in report(text).derived)
    text = text.replace("Route (12)", "Route (40)").replace("Route (15)", "Route (48)")  # two of three agree
    assert [item.follows for item in report(text).derived] == [True]


def test_what_no_relation_reaches_has_no_limit():
    found = report("county,a,b\nAdams,*,812\nBrown,40121,14030\nClark,50817,61234\n", least=1)
    assert ends(found) == {"Adams, a": (1, None)}
    assert (found.visible, found.hidden, found.relations) == (5, 1, 0)


@pytest.mark.parametrize("name", ["Full year", "Half year", "All ages", "Six months", "Whole week"])
def test_a_column_of_numbers_that_is_called_like_labels(name):
    text = (
        f"county,Winter,{name},Other,Summer\nAdams,*,15,17,12\nBrown,14,48,31,34\nClark,17,78,20,61\n"
        "Dover,31,70,12,39\nEvans,22,83,19,61\n"
    )
    found = report(text)
    assert [item.words for item in found.findings] == [f"{name} = Winter + Summer"]
    assert list(ends(found).values()) == [(3, 3)]


def test_years_that_tell_rows_apart_are_labels():
    text = "county,year,new\nAdams,2023,12\nAdams,2024,*\nBrown,2023,44\nBrown,2024,9\n"
    found = report(text)
    assert (found.visible, found.findings) == (3, ())


WEEKS = ["W10,03-08,March,12,12", "W11,03-15,March,*,15", "W12,03-22,March,22,37", "W13,03-29,March,31,68"]
WEEKS += ["W14,04-05,April,*,75", "W15,04-12,April,11,86"]


@pytest.mark.parametrize("columns", [(0, 1), (1, 0), (2, 0), (2, 0, 1)])
@pytest.mark.parametrize("total", [[], ["Total,Total,Total,91,"]])
def test_running_totals_next_to_two_columns_that_name_a_week(columns, total):
    header = "week,week ending,month,new,cumulative"
    rows = [line.split(",") for line in [header, *WEEKS, *total]]
    found = report("\n".join(",".join([*(row[at] for at in columns), *row[3:]]) for row in rows) + "\n")
    assert [item.words for item in found.findings] == ["cumulative = running total of new"]
    assert list(ends(found).values()) == [(3, 3), (7, 7)]


SHARES = "county,{},share\nAdams,{},12.5\nBrown,{},6.6\nClark,{},17.3\nDover,{},20.6\nEdge,{},12.5\n"


@pytest.mark.parametrize("first", ["of", "yes"])
def test_a_rounded_percentage_leaves_both_of_its_ends(first):
    """12.45% and 12.55% of 4,000 are 498 and 502. The denominator may be the first number of the file."""
    rows = [("4000", "*"), ("4811", "319"), ("3007", "519"), ("1101", "227"), ("9872", "1234")]
    names, pairs = ("of,yes", rows) if first == "of" else ("yes,of", [row[::-1] for row in rows])
    found = report(SHARES.format(names, *map(",".join, pairs)))
    assert ends(found) == {"Adams, yes": (498, 502)}


def test_percentages_in_brackets_are_numbers_of_their_own():
    """7 of 40 are 17.5%, next to a star; the counts in the same column are no rates, whatever it is called."""
    text = "county,men (rate),all\nAdams,* (17.5%),40\nBrown,319 (6.6%),4811\nClark,519 (17.3%),3007\nDover,227,1101\n"
    assert ends(report(text)) == {"Adams, men (rate)": (7, 7)}


def test_a_whole_number_in_brackets_is_no_count():
    """35% of 40 are 14, and each percentage is rounded to a whole number without a sign."""
    rows = [("*", 35, 40), (319, 7, 4811), (519, 17, 3007), (227, 21, 1101), (1234, 13, 9872), (811, 44, 1843)]
    lines = [f"{place},{n} ({share}),{of}" for place, (n, share, of) in zip("abcdef", rows, strict=True)]
    assert ends(report("\n".join(["county,men,all", *lines]) + "\n")) == {"a, men": (14, 14)}


def test_marks_mean_what_a_person_says():
    text = "county,a,b,all\nAdams,--,*,5121\nBrown,40121,14030,54151\nClark,50817,61233,112050\n"
    assert ends(report(text, marks={"--": "zero"})) == {"Adams, b": (5121, 5121)}
    lettered = text.replace("--", "c1")
    assert sorted(ends(report(lettered, marks={"c1": "hidden"})).values()) == [(0, 5121), (0, 5121)]
    assert report(lettered, marks={"c1": "hidden"}).findings[0].words == "all = a + b"


def test_a_line_of_which_one_part_is_there():
    """Dover has no row of b and c: its total is a."""
    counts = {"Adams": (512, 613, 811, 97), "Brown": (4012, 1403, 317, 55), "Clark": (508, 612, 911, 208)}
    lines = ["county,kind,n"]
    for county, own in counts.items():
        lines += [
            f"{county},{kind},{n}"
            for kind, n in zip(("a", "b", "c", "d", "all of them"), (*own, sum(own)), strict=True)
        ]
    lines += ["Dover,a,*", "Dover,all of them,7"]
    assert ends(report("\n".join(lines) + "\n")) == {"Dover, a, n": (7, 7)}


def test_a_note_states_the_count_of_the_label_that_it_names():
    """Bo is a part of a word of the note alone, and Adams is not in it."""
    note = "The above cases are of Lee County in the week of the visit: 3 were male"
    found = {item.name[0]: item for item in report(f"{note}\ncounty,M,F\nBo,*,12\nLee,*,14\nAdams,*,61\n").derived}
    assert [name for name, item in found.items() if item.stated] == ["Lee"]
    assert found["Lee"].because == f"the note {note[:60]!r} states 3"


def test_a_file_without_a_row_below_the_names_is_no_table():
    for text in ("county,n\n", "county\nAdams\n"):
        assert any("no table" in words for words in report(text).open)


@pytest.mark.parametrize("sheets", [1, 2])
def test_sheets_of_a_workbook_with_numbers_texts_and_comments(sheets):
    rows = [
        ["county", "a", "b", "all"],
        ["Adams", "*", 5011, 5823],
        ["Brown", 40121.0, 317.0, 40438],
        ["Clark", 50817, 9111, 59928],
    ]
    book, content = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "Counts"
    book.create_sheet("Empty")
    for name in ("Counts", "More")[:sheets]:
        sheet = book["Counts"] if name == "Counts" else book.create_sheet(name)
        for row in [*rows, [], ["Dover", 2.0, None, 2]] if name == "Counts" else [["branch", "n"], ["x", 5], ["y", 9]]:
            sheet.append(row)
    book["Counts"]["B2"].comment = openpyxl.comments.Comment("There were 812 in Adams", "someone")
    book.save(content)
    found = attack({"t.xlsx": content.getvalue()})
    (count,) = found.derived
    assert (count.place.file, count.least, count.greatest) == ("t.xlsx [Counts]" if sheets == 2 else "t.xlsx", 812, 812)
    assert count.stated
    assert len(found.tried) == sheets


def test_lines_of_one_name_are_told_apart_by_their_numbers():
    text = "county,x,y,z\nAdams,14731,18311,33042\nAdams,40121,14030,54151\nAdams,50817,61233,112050\n"
    text += "Dover,17,*,99\nDover,*,812,5811\n"
    assert ends(report(text)) == {"Dover, y": (82, 82), "Dover (line 5), x": (4999, 4999)}


@pytest.mark.parametrize("first", [True, False])
def test_percentages_of_a_line_that_no_word_calls_a_total(first):
    """0.3% of 4,000, which is the first or the last line, are 12: 0.25% are 10 and 0.35% are 14."""
    lines = ["Adams,*,0.3", "Brown,319,8.0", "Clark,519,13.0", "Dover,1227,30.7", "Edge,811,20.3", "Ford,941,23.5"]
    lines = ["Ohio,4000,100.0", *lines] if first else [*lines, "Ohio,4000,100.0"]
    found = report("\n".join(["area,cases,share", *lines]) + "\n", coincidences=WHOLE)
    assert ends(found) == {"Adams, cases": (10, 14)}
    assert [item.words for item in found.findings if "share" in item.words] == ["share = cases of its total"]


WHOLE = [f"Ohio = {names} (6 numbers)" for names in ("Adams + ... + Ford", "Ford + ... + Adams")]
