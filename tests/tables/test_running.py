"""Columns that count all weeks so far, whatever they are called: a ledger judges the weeks that no table shows."""

from __future__ import annotations

import re
from functools import partial

import pandas as pd
import pytest
from small_people import invoke

from policy_sim.tables.running import Dimension, measures, running_labels
from policy_sim.words.errors import InputError

_table = partial(invoke, "table")
WEEK = "county,{}\nAdams,42,140\nBrown,42,46\nClark,72,112\nDover,42,102\nTotal,198,400\n"


def _counts(heads, *lines, week=10, **more):
    names = heads.split(",")
    rows = {(str(at),): dict(zip(names, line, strict=True)) for at, line in enumerate(lines)}
    return Dimension("week.csv", rows, week, 2025, (), **more)


def _published(tmp_path, text, week="2025-W10", code=0):
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    options = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "ledger", "--week", week)
    outcome = _table("protect", tmp_path / "table.csv", *options)
    assert outcome.exit_code == code, outcome.output
    written = sorted((tmp_path / "ledger/send").glob(f"*{week}/table.csv"))
    return (pd.read_csv(written[-1], dtype=str) if written else None), " ".join(outcome.output.split())


@pytest.mark.parametrize(
    "heads",
    [
        *("Cases,Weeks 1-10", "newCases,cumCases", "Cases,thru wk 10", "Cases,As of 3/8/2025", "Cases,Through March 8"),
        *("Cases,Cases this season", "Cases,2025", "new_cases,total_cases", "Cases,All cases", "Weekly,Year"),
        *("Cases,2024-25 season", "Deaths this week,Deaths", "Positive,Positive (season)", "Week 10,Season total"),
    ],
)
def test_a_column_that_is_never_less_than_its_week_counts_all_weeks(heads):
    lines = [(4, 15), (0, 4), (12, 40), (21, 60)]
    assert running_labels([_counts(heads, *lines)])[0] == {heads.split(",")[1]}


@pytest.mark.parametrize(
    "heads", ["Positive,Tests", "Deaths,Cases", "2024,2025", "Not up to date,Up to date", "Hospitalized cases,Cases"]
)
def test_counts_of_one_week_are_no_running_totals(heads):
    first, second = _counts(heads, (4, 15), (0, 4), (12, 40)), _counts(heads, (3, 12), (2, 9), (14, 31), week=12)
    assert running_labels([first, second])[0] == set()


def test_columns_that_no_week_finds_less_count_all_weeks():
    old = _counts("Cases,Deaths", *[(10 * at, at) for at in range(9)])
    new = _counts("Cases,Deaths", *[(10 * at + 4, at + at % 2) for at in range(9)], week=12)
    less = _counts("Cases,Deaths", *[(10 * at - 4, at) for at in range(9)], week=12)
    assert (running_labels([old, new])[1], running_labels([old, less])[1]) == ({"Cases", "Deaths"}, set())


def test_a_running_total_is_of_its_own_column_or_of_the_total():
    heads = "Male,Female,Total,Cases YTD"
    of = measures(_counts(heads, (4, 5, 9, 20), called_totals=("Total",)), {"Cases YTD"})
    assert of == {"Male": "male", "Female": "female"}  # the other two count the same
    with pytest.raises(InputError, match="of which column"):
        measures(_counts("Cases,Tests,Cumulative", (4, 50, 90)), {"Cumulative"})


@pytest.mark.parametrize("heads", ["Cases,Cases this season", "newCases,cumCases", "Cases,Weeks 1-10", "Weekly,Year"])
def test_the_weeks_before_the_first_table_are_judged(tmp_path, heads):
    """Brown had 46 - 42 = 4 before week 10."""
    written, _ = _published(tmp_path, WEEK.format(heads))
    assert "*" in written.set_index("county").loc["Brown"].tolist()


def test_the_running_total_of_a_total_beside_its_parts(tmp_path):
    rows = "Adams,20,22,42,140\nBrown,25,17,42,46\nClark,40,32,72,112\nDover,20,22,42,102\nTotal,105,93,198,400\n"
    written, _ = _published(tmp_path, f"county,Male,Female,Total,Cases YTD\n{rows}")
    assert written.set_index("county").loc["Brown", "Cases YTD"] == "*"


def test_running_totals_in_long_form(tmp_path):
    rows = [line.split(",") for line in WEEK.format("").splitlines()[1:]]
    text = "".join(f"{county},Cases,{now}\n{county},YTD,{so_far}\n" for county, now, so_far in rows)
    written, _ = _published(tmp_path, f"county,measure,count\n{text}")
    assert "*" in written[written["county"] == "Brown"]["count"].tolist()


def test_a_week_that_tables_out_already_gave_away_is_no_dead_end(tmp_path):
    """Four counties that rise once are no evidence; when they have risen twice, the 4 of week 10 are out."""
    for week, more in (("09", 0), ("10", 4), ("11", 90)):
        rows = "".join(f"County {at},{30 + at * 7 + more}\n" for at in range(4))
        _, words = _published(tmp_path, f"county,Cases\n{rows}", f"2025-W{week}")
    assert "as the numbers say: Cases" in words
    assert re.search("know 4 of the counts .*: county County 0, 2025-W10;", words)


def test_up_to_date_people_are_counts(tmp_path):
    rows = "Adams,4,31,35\nBrown,62,17,79\nTotal,66,48,114\n"
    (tmp_path / "table.csv").write_text(f"County,Up to date,Not up to date,Total\n{rows}", encoding="utf-8")
    outcome = _table("check", tmp_path / "table.csv", "--rule", "cms")
    assert "shows 1 count" in " ".join(outcome.stdout.split())


def test_without_a_ledger_the_verdict_says_that_the_weeks_before_were_not_tried(tmp_path):
    """Brown had 46 - 42 = 4 before this week, and no table shows it."""
    (tmp_path / "table.csv").write_text(WEEK.format("Cases,Cases YTD"), encoding="utf-8")
    for command in (("check", "--rule", "cms"), ("protect", "--rule", "cms", "--out", tmp_path / "out")):
        outcome = _table(command[0], tmp_path / "table.csv", *command[1:])
        assert "Not tried: the weeks before" in " ".join(outcome.stdout.split()), outcome.output


def test_a_week_of_few_numbers_has_the_total_that_earlier_weeks_show(tmp_path):
    """In week 11, 20 + 25 = 45 alone says little, and 'Outbreak' is of the column that was the total in week 10."""
    head = "County,Under 18,18 and over,Both groups,Outbreak\n"
    first = "Adams,23,12,35,86\nBrown,17,19,36,72\nClark,28,25,53,189\nDover,32,21,53,74\n"
    second = "Adams,0,0,0,86\nBrown,0,14,14,86\nClark,0,0,0,189\nDover,20,25,45,119\n"
    _published(tmp_path, head + first)
    _, words = _published(tmp_path, head + second, "2025-W11")
    assert "READY: rule cms-11 hides no cell" in words


LINES = [(28, 28), (7, 7), (0, 4), (5, 5), (13, 23), (38, 91)]


def _next_week(before, week, weekly, corrected=(), sums=()):
    lines = [
        (new, own + new + 3 * (at in corrected)) for at, (new, (_, own)) in enumerate(zip(weekly, before, strict=True))
    ]
    total = tuple(map(sum, zip(*lines, strict=True)))
    return lines, _counts("Measles,Measles everyone", *lines, total, week=week, sums=sums)


@pytest.mark.parametrize("corrected", [(), (1,)])
def test_a_column_that_adds_up_from_week_to_week_counts_all_weeks(corrected):
    """A correction of Brown, seen again in the total, does not end that; a count that adds up nowhere does."""
    total = [(str(len(LINES)),)]
    first = _counts("Measles,Measles everyone", *LINES, tuple(map(sum, zip(*LINES, strict=True))))
    lines, second = _next_week(LINES, 11, (0, 2, 9, 10, 8, 0))
    _, third = _next_week(lines, 12, (6, 7, 0, 16, 0, 38), corrected, total)
    assert running_labels([first, second, third])[1] == {"Measles everyone"}
    other = _counts("Measles,Tests", *[(new, 2 * own + 1) for new, own in lines], week=11)
    assert running_labels([_counts("Measles,Tests", *LINES), other])[1] == set()


def test_two_columns_that_add_up_are_each_of_the_column_that_they_add():
    heads = "Flu,RSV,Flu everyone,RSV everyone"
    old = _counts(heads, (3, 8, 20, 31), (5, 2, 14, 9), (7, 4, 38, 25), (6, 9, 17, 44))
    new = _counts(heads, (4, 1, 24, 32), (2, 6, 16, 15), (9, 5, 47, 30), (8, 3, 25, 47), week=11)
    running, _, added = running_labels([old, new])
    assert running == {"Flu everyone", "RSV everyone"}
    assert {of: name for of, name in measures(new, running, added).items() if of in running} == {
        "Flu everyone": "flu",
        "RSV everyone": "rsv",
    }


def test_a_column_that_began_again_with_the_year_counts_all_weeks():
    """In week 1 both columns have the same counts, which says nothing against it."""
    before = _counts("Measles,Measles everyone", *[(own, 10 * own + 7) for own, _ in LINES], week=9)._replace(year=2024)
    first = _counts("Measles,Measles everyone", *[(own, own) for own, _ in LINES])
    _, second = _next_week([(own, own) for own, _ in LINES], 11, (3, 2, 9, 10, 8, 0))
    assert running_labels([before, first, second])[1] == {"Measles everyone"}


def test_a_correction_in_the_first_week_after_is_one_count_against():
    """Ever counts all weeks: one of six counties was corrected, and the total with it."""
    first = _counts("New,Ever", *LINES, (91, 158))
    lines = [(6, 34), (2, 9), (0, 4), (1, 6), (9, 35), (2, 93)]  # Essex has 3 more
    second = _counts("New,Ever", *lines, tuple(map(sum, zip(*lines, strict=True))), week=11, sums=[("6",)])
    assert running_labels([first, second])[1] == {"Ever"}


def test_running_totals_that_go_on_over_new_year_are_asked_about(tmp_path):
    """Without the question Brown's 46 - 42 = 4 of week 1 would follow from two totals that are published."""
    _published(tmp_path, "county,Cumulative\nAdams,140\nBrown,42\nClark,112\nDover,102\n", "2024-W52")
    text = "county,Cumulative\nAdams,160\nBrown,46\nClark,112\nDover,130\n"
    _, words = _published(tmp_path, text, "2025-W01", code=2)
    assert re.search("add --since 2024-W01; .* add --since 2025-W01", words)
    began = "county,Cumulative\nAdams,20\nBrown,31\nClark,0\nDover,28\n"
    _, words = _published(tmp_path, began, "2025-W01")
    assert words.startswith("READY")
