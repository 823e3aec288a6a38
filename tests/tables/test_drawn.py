"""A table as a page draws it, what a reader derives against every table by force, and the folder as written."""

from __future__ import annotations

import itertools
import json
from functools import partial

import pytest
from small_people import invoke

from policy_sim.rules.files import find_rule
from policy_sim.tables import drawn
from policy_sim.tables.check import check_tables
from policy_sim.tables.drawn import drawn_check, drawn_files, drawn_protected, seen_in_check, seen_in_protected
from policy_sim.tables.files import Layout
from policy_sim.tables.folder import copy_folder, ledger_frame, write_folder
from policy_sim.tables.ledger import Ledger
from policy_sim.tables.publish import protect_tables
from policy_sim.tables.request import Request
from policy_sim.words.errors import InputError

MESSY = """Deaths by county,,,
county,sex,deaths,rate
Adams,F,0,1.2
,M,9,2.3
Brown,F,21,1.1
,M,33,4.0
Total,F,21,2.2
,M,42,2.1
Source: vital records,,,
"""
SMALL = "county,a,b,Total\nAdams,2,3,5\nBrown,1,3,4\nTotal,3,6,9\n"
WEEK10 = "county,this week,to date\nAdams,3,15\nBrown,0,4\nClark,12,40\nDover,21,60\nTotal,36,119\n"
WEEK09 = "county,this week,to date\nAdams,<5,12\nBrown,*,*\nClark,*,*\nDover,21,39\nTotal,39,83\n"
WEEKS = "county,week 19,week 20,Total\nAdams,14,12,26\nBrown,20,22,42\nTotal,34,34,68\n"
_table = partial(invoke, "table")


def _file(folder, text, name="counts.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_part_of_a_file_has_its_role(tmp_path):
    (table,) = drawn_files([_file(tmp_path, MESSY)], Layout())
    assert (table.above, table.below) == (("Deaths by county",), ("Source: vital records",))
    assert table.columns == (("county", "labels"), ("sex", "labels"), ("deaths", "counts"), ("rate", "left out"))
    assert [[cell.role for cell in row] for row in table.rows] == [
        ["label", "label", "zero", "left out"],
        ["label", "label", "count", "left out"],
        ["label", "label", "count", "left out"],
        ["label", "label", "count", "left out"],
        ["label of a total", "label", "total", "left out"],
        ["label of a total", "label", "total", "left out"],
    ]
    assert [row[0].read for row in table.rows] == ["", "Adams", "", "Brown", "", "Total"]  # filled down
    assert (table.many, table.having("total")) == (6, 2)
    json.dumps(table.as_json())


def test_a_long_table_is_drawn_in_part(tmp_path):
    (table,) = drawn_files([_file(tmp_path, SMALL)], Layout(), most=2)
    assert (len(table.rows), table.many) == (2, 3)


def _by_force(shown, hidden, least):
    """Every 2 by 2 table with these row and column sums whose counts in ``hidden`` are ``least`` or more."""
    fits = []
    for counts in itertools.product(range(10), repeat=4):
        a, b, c, d = counts
        if (a + b, c + d, a + c, b + d) == (5, 4, 3, 6) and all(
            count >= least if at in hidden else count == shown[at] for at, count in enumerate(counts)
        ):
            fits.append(counts)
    return fits


def test_ranges_are_those_of_every_table_that_fits(tmp_path):
    """All four inner counts are hidden; a reader adds up the totals."""
    text = "county,a,b,Total\nAdams,*,*,5\nBrown,*,*,4\nTotal,3,6,9\n"
    check = check_tables([_file(tmp_path, text)])
    fits = _by_force((2, 3, 1, 3), {0, 1, 2, 3}, least=0)
    expected = [(min(column), max(column)) for column in zip(*fits, strict=True)]
    assert [(of.least, of.greatest) for of in seen_in_check(check)] == expected
    (table,) = drawn_check(check)
    assert [cell.seen.range for row in table.rows[:2] for cell in row[1:3]] == [f"{a} to {b}" for a, b in expected]
    assert all(cell.seen.hidden_by == "file" for row in table.rows[:2] for cell in row[1:3])
    assert table.rows[2][1].seen is None


def test_a_protected_table_shows_what_a_reader_derives_where_a_star_will_be(tmp_path, monkeypatch):
    rule, request = find_rule("cms"), Request("E", seconds=20)
    text = "county,a,b,c,Total\nAdams,2,30,14,46\nBrown,11,31,18,60\nClark,50,30,20,100\nTotal,63,91,52,206\n"
    answer = protect_tables([_file(tmp_path, text)], rule, request=request)
    assert answer.safe
    (table,) = drawn_protected(answer)
    stars = [cell == "*" for row in answer.tables["table.csv"].decode().splitlines()[1:] for cell in row.split(",")]
    assert [cell.seen is not None for row in table.rows for cell in row] == stars
    exact = {of.key: of for of in seen_in_protected(answer)}
    assert [of.hidden_by for of in exact.values()].count("rule") == 1
    assert all(of.exact and of.least < of.greatest for of in exact.values())
    monkeypatch.setattr(drawn, "_EXACT", 0)
    for of in seen_in_protected(answer):
        assert exact[of.key].least <= of.least < of.greatest <= exact[of.key].greatest
        assert of.range.endswith(", or wider")


def test_a_coarser_table_is_drawn_as_it_goes_out(tmp_path):
    path = _file(tmp_path, WEEKS)
    answer = protect_tables([path], find_rule("cms"), request=Request("E", seconds=20, merge_weeks=2))
    (table,) = drawn_protected(answer)
    assert [name for name, _ in table.columns] == ["county", "week 19 to week 20", "Total"]
    assert [cell.text for cell in table.rows[0]] == ["Adams", "26", "26"]


def test_ways_out_are_data_with_what_each_hides(tmp_path):
    text = "a,week 1,week 2,week 3,week 4,Total\nx,0,0,15,7,22\ny,5,0,9,1,15\nTotal,5,0,24,8,37\n"
    answer = protect_tables([_file(tmp_path, text)], find_rule("cms"), request=Request(seconds=30))
    first, *others = answer.ways
    assert (first.words, first.merge_weeks, first.hide_zeros) == ("as asked for", 0, False)
    assert [of.merge_weeks for of in others if of.merge_weeks] == [4]
    assert all(of.hidden is None or 0 <= of.hidden <= of.cells for of in answer.ways)
    assert answer.ways_out[-1] == f"Ways: {'; '.join(map(str, answer.ways))}."


def test_a_folder_is_the_one_that_the_command_writes(tmp_path):
    path = _file(tmp_path, SMALL.replace("Adams,2,3,5", "Adams,20,30,50").replace("Total,3,6,9", "Total,21,33,54"))
    done = _table("protect", path, "--rule", "cms", "--criterion", "E", "--time", 20, "--out", tmp_path / "one")
    assert done.exit_code == 0, done.output
    write_folder(protect_tables([path], find_rule("cms"), request=Request("E", seconds=20)), tmp_path / "two")
    copy_folder(tmp_path / "two", tmp_path / "three")
    one, two, three = (
        {own.relative_to(folder).as_posix(): own.read_bytes() for own in folder.rglob("*") if own.is_file()}
        for folder in (tmp_path / "one", tmp_path / "two", tmp_path / "three")
    )
    assert sorted(one) == [
        "keep/hidden.csv",
        "keep/proof.json",
        "manifest.json",
        "send/certificate.json",
        "send/table.csv",
    ]
    assert one == two == three
    assert (tmp_path / "three/keep/proof.json").stat().st_mode & 0o777 == 0o600


def test_an_unsafe_answer_is_not_written(tmp_path):
    hopeless = _file(tmp_path, "a,b,c,Total\nx,15,0,15\ny,5,0,5\nz,0,30,30\nTotal,20,30,50\n")
    answer = protect_tables([hopeless], find_rule("cms"), request=Request("D", seconds=5))
    assert not answer.safe
    with pytest.raises(InputError, match="nothing is written"):
        write_folder(answer, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_ledger_lists_what_is_out(tmp_path):
    folder = tmp_path / "measles"
    assert ledger_frame(Ledger(folder)).empty
    entered = _table(
        *("enter", _file(tmp_path, WEEK09, "week09.csv"), "--rule", "cms", "--criterion", "E"),
        *("--ledger", folder, "--week", "2025-W09"),
    )
    assert entered.exit_code in (0, 1), entered.output
    answer = protect_tables(
        [_file(tmp_path, WEEK10, "week10.csv")],
        find_rule("cms"),
        request=Request("E"),
        ledger=Ledger(folder, "2025-W10"),
    )
    assert answer.safe, answer.verdict
    answer.publish()
    rows = ledger_frame(Ledger(folder)).to_dict("records")
    assert [row["folder"] for row in rows] == ["001-2025-W09", "002-2025-W10"]
    assert [row["week"] for row in rows] == ["2025-W09", "2025-W10"]
    assert [row["entered"] for row in rows] == [True, False]
    stars = (folder / "send/002-2025-W10/table.csv").read_text(encoding="utf-8").count("*")
    assert [(row["cells"], row["hidden"]) for row in rows] == [(10, 5), (10, stars)]
