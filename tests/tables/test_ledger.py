"""Weeks, running totals, corrections and linked tables as one table: what follows by hand, and what force derives."""

from __future__ import annotations

import csv
import itertools
import json
import random
import re
import shutil
import stat
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from small_people import invoke

from benchmarks import tables
from policy_sim.tables import ledger
from policy_sim.tables.link import read_week, week_number, week_of, week_text
from policy_sim.words.errors import InputError

HEAD = "county,this week,to date\n"
W10 = HEAD + "Adams,3,15\nBrown,0,4\nClark,12,40\nDover,21,60\nTotal,36,119\n"
W11 = HEAD + "Adams,2,17\nBrown,5,9\nClark,15,55\nDover,30,90\nTotal,52,171\n"
W11_AGAIN = HEAD + "Adams,3,18\nBrown,5,9\nClark,15,55\nDover,30,90\nTotal,53,172\n"
W12 = HEAD + "Adams,1,19\nBrown,1,10\nClark,15,70\nDover,30,120\nTotal,47,219\n"


_table = partial(invoke, "table")


def _publish(folder, text, week, *more, name="week.csv"):
    (folder / name).write_text(text, encoding="utf-8")
    end = ("--rule", "cms", "--criterion", "E", "--ledger", folder / "out", "--week", week, *more)
    return _table("protect", folder / name, *end)


def test_mmwr_weeks_begin_on_sunday_and_the_first_has_four_days():
    assert week_text(week_of(date(2025, 1, 4))) == "2025-W01"  # Saturday; that Sunday is December 29, 2024
    assert week_text(week_of(date(2025, 1, 5))) == "2025-W02"
    assert week_text(week_of(date(2021, 1, 2))) == "2020-W53"
    texts = ["2025-W10", "MMWR 10 2025", "mmwr week 10 2025", "W10 2025", "2025 week 10", "2025-03-08", "3/2/2025"]
    assert {read_week(text) for text in texts} == {week_number(2025, 10)}
    with pytest.raises(InputError, match="no such week"):
        read_week("2024-W53")


@pytest.mark.parametrize("year", range(1990, 2040))
def test_a_week_has_the_year_of_most_of_its_days(year):
    for day in (date(year, 1, 1) + timedelta(n) for n in range(366)):
        sunday = date.fromordinal(week_of(day) * 7)
        years = [(sunday + timedelta(n)).year for n in range(7)]
        assert week_text(week_of(day))[:4] == str(max(set(years), key=years.count))


def test_weeks_one_by_one_then_a_correction(tmp_path):
    for text, week in ((W10, "2025-W10"), (W11, "MMWR 11 2025")):
        outcome = _publish(tmp_path, text, week)
        assert outcome.exit_code == 0, outcome.output
    asked = _publish(tmp_path, W11_AGAIN, "2025-W11")
    assert (asked.exit_code, "not what was published before" in asked.stderr) == (2, True)
    assert _publish(tmp_path, W11_AGAIN, "2025-W11", "--corrected").exit_code == 0
    assert _publish(tmp_path, W12, "2025-03-20").exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out/send").iterdir()) == [
        "001-2025-W10",
        "002-2025-W11",
        "003-2025-W11",
        "004-2025-W12",
        "certificate.json",
    ]
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")
    private = tmp_path / "out/keep/proof.json"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "out" / "send" / "001-2025-W10").iterdir()] == ["table.csv"]


@pytest.mark.parametrize("ends_before", ["replace_folder", "replace_file"])
def test_a_publication_that_is_killed_is_there_whole_or_not_at_all(tmp_path, monkeypatch, ends_before):
    """A run that ends before its folder is there leaves nothing; once it is there, the next look ends its work."""
    assert _publish(tmp_path, W10, "2025-W10").exit_code == 0
    (tmp_path / "other").mkdir()
    shutil.copytree(tmp_path / "out", tmp_path / "other/out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*") if path.is_file()}

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ledger, ends_before, killed)
        assert _publish(tmp_path, W11, "2025-W11").exit_code != 0
    assert (tmp_path / "out/keep/unfinished.json").stat().st_mode & 0o777 == 0o600
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*.*") if path.is_file()}
    if ends_before == "replace_folder":
        assert after == before
        return
    assert _publish(tmp_path / "other", W11, "2025-W11").exit_code == 0
    whole = {path: path.read_bytes() for path in (tmp_path / "other/out").rglob("*.*") if path.is_file()}
    assert {path.relative_to(tmp_path / "out"): text for path, text in after.items()} == {
        path.relative_to(tmp_path / "other/out"): text for path, text in whole.items()
    }


def test_running_totals_alone_give_the_week_away(tmp_path):
    """15 last week and 17 this week are 2 new cases: this week's total must go, and with it one more."""
    assert _publish(tmp_path, "county,to date\nAdams,15\nBrown,40\nTotal,55\n", "2025-W10").exit_code == 0
    shown = "county,to date\nAdams,17\nBrown,60\nTotal,77\n"
    (tmp_path / "next.csv").write_text(shown, encoding="utf-8")
    ledger = ("--ledger", tmp_path / "out", "--week", "2025-W11")
    checked = _table("check", tmp_path / "next.csv", "--rule", "cms", *ledger, "--format", "json")
    assert checked.exit_code == 1
    assert [(row["least"], row["greatest"]) for row in json.loads(checked.stdout)["cells"]] == [(2, 2)]
    assert _publish(tmp_path, shown, "2025-W11").exit_code == 0
    assert (tmp_path / "out/send/002-2025-W11/table.csv").read_text(encoding="utf-8").splitlines()[1:3] == [
        "Adams,*",
        "Brown,*",
    ]


def test_totals_that_skip_the_correction_are_asked_about(tmp_path):
    assert _publish(tmp_path, W10, "2025-W10").exit_code == 0
    wrong = _publish(tmp_path, W11.replace("17", "18").replace("171", "172"), "2025-W11")
    assert (wrong.exit_code, len(wrong.stderr.splitlines())) == (2, 1)
    assert "add up to" in wrong.stderr


def test_what_was_published_and_changed_or_half_written_is_refused(tmp_path):
    assert _publish(tmp_path, W10, "2025-W10").exit_code == 0
    (tmp_path / "out/send/002-2025-W11").mkdir()
    assert "not written to the end" in _publish(tmp_path, W11, "2025-W11").stderr
    (tmp_path / "out/send/002-2025-W11").rmdir()
    table = tmp_path / "out/send/001-2025-W10/table.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("60", "61"), encoding="utf-8")
    assert _publish(tmp_path, W11, "2025-W11").exit_code == 2
    assert _table("verify", tmp_path / "out").stdout.startswith("NOT READY")


def test_thirty_changed_numbers_of_a_ledger_are_refused(tmp_path):
    for text, week in ((W10, "2025-W10"), (W11, "2025-W11")):
        assert _publish(tmp_path, text, week).exit_code == 0
    rng = random.Random(27)
    assert all(tables.changed(tmp_path / "out", rng) for _ in range(30))


WEEKS = [(3, 14), (2, 18), (15, 4)]  # new cases of two counties, which had 20 and 30 before
RUNNING = [(23, 44), (25, 62), (40, 66)]
TEXTS = [
    f"{HEAD}A,{new[0]},{run[0]}\nB,{new[1]},{run[1]}\nTotal,{sum(new)},{sum(run)}\n"
    for new, run in zip(WEEKS, RUNNING, strict=True)
]


def _leaves_two_values(folder, most, is_possible=lambda way: True):
    """By force: all counts of both counties over three weeks that fit what is out."""
    rows = []
    for path in sorted((folder / "out/send").glob("*/table.csv")):
        with path.open(encoding="utf-8") as file:
            rows.append([[int(x) if x.isdigit() else None for x in row[1:]] for row in list(csv.reader(file))[1:]])
    ways = [way for start in itertools.product(range(most), repeat=2) for way in _fits(rows, start) if is_possible(way)]
    hidden = [(at, own) for at in range(3) for own in range(2) if rows[at][own][0] is None]
    assert hidden
    for at, own in hidden:
        assert WEEKS[at][own] > 10 or len({way[at][own] for way in ways}) > 1
    return hidden


def test_every_way_to_fill_three_weeks_leaves_two_values(tmp_path):
    for at, text in enumerate(TEXTS):
        assert _publish(tmp_path, text, f"2025-W{10 + at}").exit_code == 0, at
    _leaves_two_values(tmp_path, 40)


def _fits(rows, start):
    ways = [((), start)]
    for a, b, total in rows:
        ways = [
            ((*way, (x, y)), (run[0] + x, run[1] + y))
            for way, run in ways
            for x in ([a[0]] if a[0] is not None else range(1, 20))
            for y in ([b[0]] if b[0] is not None else range(1, 20))
            if total[0] in (None, x + y)
            and a[1] in (None, run[0] + x)
            and b[1] in (None, run[1] + y)
            and total[1] in (None, sum(run) + x + y)
        ]
    return [way for way, _ in ways]


def test_linked_tables_that_share_a_margin(tmp_path):
    """Adams' 3 men are hidden in one table; the other gives the county's total and shows the women."""
    (tmp_path / "sex.csv").write_text("county,F,M\nAdams,14,3\nBrown,20,30\nClark,25,24\n", encoding="utf-8")
    (tmp_path / "all.csv").write_text("county,count\nAdams,17\nBrown,50\nClark,49\nTotal,116\n", encoding="utf-8")
    both = (tmp_path / "sex.csv", tmp_path / "all.csv")
    alone = _table("check", both[0], "--rule", "cms")
    assert (alone.exit_code, alone.stdout[:10]) == (1, "NOT READY:")
    linked = _table("check", *both, "--rule", "cms").stdout
    told = " ".join(linked.split())
    assert re.match(r"NOT READY: .* 1 count that rule cms-11 hides\. .* only these, 1 can", told)
    outcome = _table("protect", *both, "--rule", "cms", "--criterion", "E", "--out", tmp_path / "out")
    assert outcome.exit_code == 0, outcome.output
    assert "Adams,*,*" in (tmp_path / "out/send/sex.csv").read_text(encoding="utf-8")
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")
    (tmp_path / "all.csv").write_text("county,sex,count\nAdams,M,4\nAdams,F,14\n", encoding="utf-8")
    assert _table("check", *both, "--rule", "cms").exit_code == 2  # the same cell is 3 and 4


def test_a_total_with_a_label_that_only_it_has_is_the_sum_of_all(tmp_path):
    counts = "place,kind,count\nAdams,county,4\nBrown,county,20\nTotal,state,"
    (tmp_path / "counts.csv").write_text(f"{counts}24\n", encoding="utf-8")
    check = ("check", tmp_path / "counts.csv", "--rule", "cms")
    (row,) = json.loads(_table(*check, "--format", "json").stdout)["cells"]
    assert (row["cell"], row["least"], row["greatest"]) == ("Adams, county", 4, 4)
    (tmp_path / "counts.csv").write_text(f"{counts}25\n", encoding="utf-8")
    asked = _table(*check)
    assert (asked.exit_code, len(asked.stderr.splitlines())) == (2, 1)


def test_denominators_of_a_state_for_a_rule_that_asks(tmp_path):
    """Ferry County has some 7,000 people, King County 2.3 million: the rule hides 1 to 5 of fewer than 100,000."""
    (tmp_path / "cases.csv").write_text(
        "\ufeff,county,sex,cases\n0,King,F,4\n1,King,M,30\n2,King,Total,34\n3,Ferry,F,4\n4,Ferry,M,20\n5,Ferry,Total,24\n"
        "6,Total,F,8\n7,Total,M,50\n8,Total,Total,58\n",
        encoding="utf-8",
    )
    rule = ("check", tmp_path / "cases.csv", "--rule", "ephtn", "--format", "json")
    assert _table(*rule).exit_code == 2
    outcome = _table(*rule, "--state", "WA")
    assert [row["cell"] for row in json.loads(outcome.stdout)["cells"]] == ["Ferry, F"]
    unused = _table(*rule, "--state", "WA", "--state", "OR")
    assert (unused.exit_code, "of a county in OR" in unused.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", tables.KINDS)
def test_a_tenth_of_the_random_tables(kind):
    """As the benchmark: programs built from what is out, and one changed number per certificate."""
    counts = tables.audited(kind, 6)
    assert (counts["follow"], counts["refused"]) == (0, 6)
    assert counts["hidden"] > 6


def test_weeks_in_a_column_of_a_workbook_and_a_check_by_the_rule_of_the_ledger(tmp_path):
    """Rows are numbered, and the week stands in a column: both weeks go out at once. 2, then 2 again, are 4."""
    pd = pytest.importorskip("pandas")
    weeks = [["A", "MMWR 10 2025", 2, 2], ["B", "MMWR 10 2025", 30, 30], ["C", "MMWR 10 2025", 4, 4]]
    weeks += [["Total", "MMWR 10 2025", 36, 36], ["A", "MMWR 11 2025", 2, 4], ["B", "MMWR 11 2025", 1, 31]]
    weeks += [["C", "MMWR 11 2025", 16, 20], ["Total", "MMWR 11 2025", 19, 55]]
    frame = pd.DataFrame(weeks, columns=["County", "MMWR week", "Cases", "Cumulative cases"])
    frame.to_excel(tmp_path / "weeks.xlsx")
    rule = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "out")
    outcome = _table("protect", tmp_path / "weeks.xlsx", *rule)
    assert outcome.exit_code == 0, outcome.output
    assert [path.name for path in (tmp_path / "out/send/001-weeks").iterdir()] == ["table.xlsx"]
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")
    next_week = "County,this week,YTD\nA,20,24\nB,20,51\nC,20,40\nTotal,60,115\n"
    (tmp_path / "next.csv").write_text(next_week, encoding="utf-8")
    checked = _table("check", tmp_path / "next.csv", "--ledger", tmp_path / "out", "--week", "2025-W12")
    assert (checked.exit_code, checked.stdout[:5]) == (1, "NOT R")  # 24 - 20 = 4 for A


OLD = HEAD + "Adams,*,12\nBrown,*,*\nClark,*,*\nDover,21,39\nTotal,{},83\n"


def _enter(folder, text, week, *more):
    (folder / "old.csv").write_text(text, encoding="utf-8")
    end = ("--rule", "cms", "--criterion", "E", "--ledger", folder / "out", "--week", week, *more)
    return _table("enter", folder / "old.csv", *end, "--format", "json")


@pytest.mark.parametrize("total", [24, 25, 26, 39])
def test_what_a_table_that_was_out_gives_away_is_what_force_finds(tmp_path, total):
    """Adams, Brown and Clark have ``total`` - 21 new cases; to date 12, b and c with b + c = 32; each 1 or more."""
    outcome = _enter(tmp_path, OLD.format(total), "2025-W09")
    new = [way for way in itertools.product(range(1, 19), repeat=3) if sum(way) == total - 21]
    ways = [(*way, b, 32 - b) for way in new for b in range(1, 32) if way[0] <= 12 and way[1] <= b and way[2] <= 32 - b]
    single = [at for at in range(5) if len({way[at] for way in ways}) == 1]
    cells = [f"county {name}, 2025-W09" for name in ("Adams", "Brown", "Clark")]
    cells += [f"county {name}, 2025-W01 to 2025-W09" for name in ("Brown", "Clark")]
    keeps = {row["cell"]: row["keeps"] for row in json.loads(outcome.stdout)["cells"]}
    assert {cell for cell in cells if keeps[cell] == "nothing"} == {cells[at] for at in single}
    assert outcome.exit_code == bool(single)
    assert (tmp_path / "out/send/001-2025-W09/table.csv").read_text(encoding="utf-8") == OLD.format(total)
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")


@pytest.mark.parametrize(("begin", "text"), [(_publish, W10), (_enter, OLD.format(39))])
def test_folders_that_a_kill_left_empty_are_filled_by_the_next_table(begin, text, tmp_path):
    for name in ("keep", "send"):
        (tmp_path / "out" / name).mkdir(parents=True)
    assert begin(tmp_path, text, "2025-W10").exit_code == 0
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")


def test_weeks_after_a_table_that_was_out_leave_two_values(tmp_path):
    """A table of last week with marks of its own, and the two weeks that went out since."""
    out = TEXTS[0].replace("A,3,23", "A,<5,*").replace("B,14,44", "B,*,*")
    assert _enter(tmp_path, out, "2025-W10").exit_code == 0
    for at in (1, 2):
        assert _publish(tmp_path, TEXTS[at], f"2025-W{10 + at}").exit_code == 0
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")
    hidden = _leaves_two_values(tmp_path, 70, lambda way: way[0][0] < 5)
    assert any(at for at, _ in hidden)  # of the later weeks too


def test_a_cell_that_is_given_away_binds_no_later_week_and_the_proof_names_it(tmp_path):
    """30 - 7 - 21 are Adams' and Brown's 1 each, and Brown's 4 to date stay 4 where nobody is new."""
    text = HEAD + "Adams,*,12\nBrown,*,*\nClark,7,28\nDover,21,39\nTotal,30,83\n"
    outcome = _enter(tmp_path, text, "2025-W09")
    assert (outcome.exit_code, "LEAKS: 4 of 4" in outcome.stderr) == (1, True)
    assert "counts that rule cms-11 hides: 1" in outcome.stderr
    assert _publish(tmp_path, W10, "2025-W10").exit_code == 0
    holds = " ".join(_table("verify", tmp_path / "out").stdout.split())
    assert "But tables entered give 5 away" in holds
    private = tmp_path / "out/keep/proof.json"
    certificate = json.loads(private.read_text(encoding="utf-8"))
    hidden = next(cell for cell in certificate["hidden"] if cell["promise"] == "two values")
    hidden["promise"] = "nothing"  # a cell that nobody gave away has to keep something
    private.write_text(json.dumps(certificate), encoding="utf-8")
    assert _table("verify", tmp_path / "out").stdout.startswith("NOT READY")


def test_a_table_that_hides_what_an_earlier_one_gave_away_fails_too(tmp_path):
    """The same counts once more with other cells hidden: readers still know them, whatever the second table hides."""
    first = "county,F,M,Total\nAllen,*,20,23\nBrown,*,30,34\nClark,15,25,40\nTotal,22,75,97\n"
    second = first.replace("20,23", "20,*").replace("30,34", "30,*")
    assert _enter(tmp_path, first, "2025-W10").exit_code == 1
    again = _enter(tmp_path, second, "2025-W10")
    assert again.exit_code == 1
    assert "LEAKS: 2 of 2 hidden cells" in again.stderr
    assert _table("verify", tmp_path / "out").output.startswith("READY: 1 table fits all 2 ")
    (tmp_path / "full.csv").write_text(
        first.replace("Allen,*", "Allen,3").replace("Brown,*", "Brown,4"), encoding="utf-8"
    )
    told = "know 2 of the counts that the rule hides: F, county Allen, 2025-W10; "
    asked = ("--rule", "cms", "--ledger", tmp_path / "out", "--week", "2025-W10")
    for command in ("check", "protect"):
        assert told in " ".join(_table(command, tmp_path / "full.csv", *asked).output.split())


def test_zeros_behind_the_marks_of_an_old_table(tmp_path):
    text = "county,this week\nAdams,<5\nBrown,<5\nClark,12\nTotal,13\n"
    asked = _enter(tmp_path, text, "2025-W09")
    assert (asked.exit_code, "hides zeros too" in asked.stderr) == (2, True)  # 1 case for two counties of 1 or more
    outcome = _enter(tmp_path, text, "2025-W09", "--hide-zeros")
    assert (outcome.exit_code, [row["keeps"] for row in json.loads(outcome.stdout)["cells"]]) == (0, ["two values"] * 2)
    assert _enter(tmp_path, text.replace("<5", "x"), "2025-W08").exit_code == 2
    worded = _enter(tmp_path, text.replace("<5", "x"), "2025-W08", "--mark", "x=0-4", "--hide-zeros")
    assert worded.exit_code == 0, worded.output
    assert _table("verify", tmp_path / "out").stdout.startswith("READY")


def test_running_totals_that_began_before_the_first_table(tmp_path):
    """Only totals tell it: no county shows both its new cases of each week and the cases so far."""
    weeks = {
        "W10": "c0,*,95\nc1,22,*\nc2,0,*\nc3,<11,24\nTotal,*,219\n",
        "W11": "c0,*,*\nc1,<11,*\nc2,*,66\nc3,*,*\nTotal,72,291\n",
        "W12": "c0,3,125\nc1,10,74\nc2,43,109\nc3,7,46\nTotal,63,354\n",
    }
    for name, text in weeks.items():
        path = tmp_path / f"{name}.csv"
        path.write_text("county,this week,to date\n" + text, encoding="utf-8")
        words = ("--rule", "cms", "--criterion", "E", "--ledger", tmp_path / "L", "--week", f"2025-{name}")
        outcome = _table("protect" if name == "W12" else "enter", path, *words)
        assert outcome.exit_code != 2, outcome.stderr
    assert outcome.stdout.startswith(("READY", "NOT TESTED"))


def test_the_folder_one_is_in_may_be_the_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ledger._beside(Path()) == tmp_path.parent / f"{tmp_path.name}.private.json"
