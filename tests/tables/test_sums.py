"""Labels that are sums of others though no word says so: they are used, and a question is left for few digits."""

from __future__ import annotations

from functools import partial

import pytest
from small_people import invoke

from policy_sim.tables.files import Layout, read_counts

_table = partial(invoke, "table")

QUARTERS = (
    "hospital,Jan,Feb,Mar,Q1,Apr,May,Jun,Q2,Half year\nGeneral,12,4,21,37,15,18,11,44,81\n"
    "Mercy,30,22,19,71,7,25,31,63,134\nSt Ann,15,13,3,31,22,12,14,48,79\nTotal,57,39,43,139,44,55,56,155,294\n"
)
SIDES = (
    "county,Male,Female,0-17,18+\nAdams,15,28,3,40\nBrown,32,26,14,44\nClark,20,52,12,60\nDover,41,9,22,28\n"
    "Total,108,115,51,172\n"
)
TWICE = (
    "county,single,pairs,people,others\nAdams,15,4,31,8\nBrown,32,26,110,26\nClark,20,12,58,14\nDover,41,22,99,14\n"
    "Evans,17,31,88,9\nFloyd,19,43,111,6\nTotal,144,138,497,77\n"
)
SCHOOL = "school,enrolled,vaccinated,exempt\nA,120,113,7\nB,95,83,12\nC,140,137,3\nD,110,96,14\nTotal,465,429,36\n"
WEEK = "county,this week,to date,{}\nAdams,3,40,37\nBrown,14,34,20\nClark,17,61,44\nTotal,34,135,101\n"
NEXT = "county,this week,to date,{}\nAdams,13,53,40\nBrown,2,36,34\nClark,11,72,61\nTotal,26,161,135\n"


def _file(tmp_path, text, name="t.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


def _sums(path, **layout):
    file = read_counts(path, Layout(**layout))
    return {relation.why: len(relation.parts) for relation in file.relations if relation.why}


@pytest.mark.parametrize("total", [(), ("Half year",), ("none",)])
def test_parts_of_a_year_are_sums_of_their_months(tmp_path, total):
    sums = _sums(_file(tmp_path, QUARTERS), keys=("hospital",), totals=total)
    assert {"Q1 = Jan + Feb + Mar": 3, "Q2 = Apr + May + Jun": 3}.items() <= sums.items()
    words = [word for own in total for word in ("--total", own)]
    outcome = _table("protect", tmp_path / "t.csv", "--key", "hospital", "--rule", "cms", *words)
    assert (outcome.exit_code, outcome.stdout[:6]) == (0, "READY:")
    assert ("Half year = Jan + ... + Jun (6 numbers)" in sums) == (total != ("Half year",))


@pytest.mark.parametrize("above", [True, False])
def test_a_label_is_the_sum_of_fifty_next_to_it(tmp_path, above):
    counts = [(11 + 7 * at % 50, 12 + 11 * at % 40) for at in range(60)]
    rows = [f"county {at},{a},{b}" for at, (a, b) in enumerate(counts)]
    whole = f"North,{sum(a for a, _ in counts[5:55])},{sum(b for _, b in counts[5:55])}"
    rows.insert(5 if above else 55, whole)
    path = _file(tmp_path, "\n".join(["county,Male,Female", *rows]))
    assert _sums(path, keys=("county",)) == {"North = county 5 + ... + county 54 (50 numbers)": 50}


def test_a_column_that_is_the_sum_of_the_others_is_used_not_asked_about(tmp_path):
    path = _file(tmp_path, SCHOOL)
    assert _sums(path) == {"enrolled = vaccinated + exempt": 2}
    outcome = _table("protect", path, "--rule", "cms", "--out", tmp_path / "out")
    assert (outcome.exit_code, "used: enrolled = vaccinated + exempt." in outcome.stdout) == (0, True)
    rows = [line.split(",") for line in (tmp_path / "out/send/table.csv").read_text(encoding="utf-8").split()]
    assert all(row.count("*") in (0, 2) for row in rows)
    assert [row[0] for row in rows if "*" in row] == ["A", "B", "C"]
    aside = _table("check", path, "--rule", "cms", "--coincidence", "enrolled = vaccinated + exempt")
    assert "Found, and used" not in aside.stdout


def test_few_digits_are_asked_about(tmp_path):
    outcome = _table("check", _file(tmp_path, "county,cases\na,4\nb,5\nOhio,9\n"), "--rule", "cms")
    assert (outcome.exit_code, "'Ohio' may be the total" in outcome.stderr) == (2, True)


def test_two_sides_of_an_equation_protect_each_other(tmp_path):
    """Male + Female = 0-17 + 18+: hiding 0-17 alone gives it away, and so does one count more in its row or column."""
    outcome = _table("protect", _file(tmp_path, SIDES), "--rule", "cms", "--out", tmp_path / "out")
    assert (outcome.exit_code, "0-17 + 18+ = Male + Female" in outcome.stdout) == (0, True)
    lines = (tmp_path / "out/send/table.csv").read_text(encoding="utf-8").split()[1:]
    hidden = [[at for at, text in enumerate(line.split(",")) if text == "*"] for line in lines]
    assert all(len(of) != 1 for of in hidden)
    columns = [sum(at in of for of in hidden) for at in range(1, 5)]
    assert all(many != 1 for many in columns)
    assert _table("verify", tmp_path / "out").exit_code == 0


def test_an_equation_that_cannot_be_used_is_printed_with_status_1(tmp_path):
    outcome = _table("protect", _file(tmp_path, TWICE), "--key", "county", "--rule", "cms", "--out", tmp_path / "out")
    assert (outcome.exit_code, outcome.stdout[:10]) == (1, "NOT READY:")
    assert "people = single + 2 x pairs + others" in " ".join(outcome.stdout.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["to date last week", "cumulative, previous week"])
def test_a_column_of_last_week_ends_a_week_earlier(tmp_path, name):
    """40 to date is 37 of last week and 3: next week's table shows 40 as last week's, so 37 and 3 stay hidden."""
    for week, text in ((10, WEEK), (11, NEXT)):
        quoted = f'"{name}"' if "," in name else name
        path = _file(tmp_path, text.format(quoted), f"w{week}.csv")
        words = ("--rule", "cms", "--ledger", tmp_path / "L", "--week", f"2025-W{week}")
        assert _table("protect", path, *words).exit_code == 0
    first, second = ((tmp_path / "L/send" / f"00{at}-2025-W1{at - 1}/table.csv").read_text() for at in (1, 2))
    assert "Adams,*,40,*" in first
    assert "Adams,*,*,40" in second


def test_a_column_of_last_year_counts_other_weeks(tmp_path):
    path = _file(tmp_path, WEEK.format("to date last year").replace("37\n", "33\n").replace("101\n", "97\n"))
    outcome = _table("protect", path, "--rule", "cms", "--ledger", tmp_path / "L", "--week", "2025-W10")
    assert outcome.exit_code == 0


def test_cases_this_week_are_counts(tmp_path):
    rows = "Adams,3,41\nBrown,14,88\nClark,0,12\nDover,21,105\nEvans,6,35\nTotal,44,281\n"
    file = read_counts(_file(tmp_path, "County,Cases this week,Cases year to date\n" + rows))
    assert (file.label_columns, file.counts) == (("County",), ("Cases this week", "Cases year to date"))
