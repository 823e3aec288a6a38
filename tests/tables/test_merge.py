"""Coarser tables: weeks merged, counties summed into regions; every sum by hand."""

from __future__ import annotations

import pytest

from policy_sim.tables.files import Layout, read_counts
from policy_sim.tables.merge import by_column, with_merged_weeks
from policy_sim.words.errors import InputError
from tests.small_people import invoke


def _read(tmp_path, text, **layout):
    path = tmp_path / "counts.csv"
    path.write_text(text, encoding="utf-8")
    return path, read_counts(path, Layout(**layout))


WIDE = "county,week 19,week 20,week 21,Total\nAdams,4,12,31,47\nBrown,0,2,15,17\nTotal,4,14,46,64\n"
LONG = "week,county,cases,cumulative\n" + "".join(
    f"{week},{county},{n},{so_far}\n"
    for week, rows in {10: ((3, 13), (4, 24)), 11: ((5, 18), (0, 24)), 12: ((1, 19), (6, 30))}.items()
    for county, (n, so_far) in zip(("Adams", "Brown"), rows, strict=True)
)
REGIONS = """region,county,cases
North,Adams,4
North,Brown,12
North,Total,16
South,Clark,7
South,Dover,20
South,Total,27
Total,Total,43
"""


def test_columns_of_weeks_are_summed_and_the_last_span_may_be_shorter(tmp_path):
    path, file = _read(tmp_path, WIDE)
    merged = with_merged_weeks(path, file, 2)
    assert merged.columns == {
        "county": ["Adams", "Brown", "Total"],
        "week 19 to week 20": ["16", "2", "18"],
        "week 21": ["31", "15", "46"],
        "Total": ["47", "17", "64"],
    }
    assert len(merged.relations) == len(file.relations) - 1


def test_rows_of_weeks_are_summed_and_running_totals_are_the_last(tmp_path):
    path, file = _read(tmp_path, LONG)
    merged = with_merged_weeks(path, file, 2)
    assert merged.columns == {
        "week": ["10 to 11", "10 to 11", "12", "12"],
        "county": ["Adams", "Brown", "Adams", "Brown"],
        "cases": ["8", "4", "1", "6"],
        "cumulative": ["18", "24", "19", "30"],
    }


def test_counties_are_summed_into_their_regions_once(tmp_path):
    path, file = _read(tmp_path, REGIONS)
    assert by_column(path, file, "Region").columns == {
        "region": ["North", "South", "Total"],
        "cases": ["16", "27", "43"],
    }


@pytest.mark.parametrize(
    "coarser", [lambda path, file: with_merged_weeks(path, file, 4), lambda path, file: by_column(path, file, "region")]
)
def test_what_a_table_does_not_have_cannot_be_merged(tmp_path, coarser):
    path, file = _read(tmp_path, "county,Male,Female,Total\nAdams,20,30,50\nBrown,10,15,25\nTotal,30,45,75\n")
    with pytest.raises(InputError, match="no "):
        coarser(path, file)


def test_hidden_counts_cannot_be_summed(tmp_path):
    path, file = _read(tmp_path, WIDE.replace("31", "*"))
    with pytest.raises(InputError, match="has no count"):
        with_merged_weeks(path, file, 2)


def test_options_write_the_coarser_table_and_the_message_puts_them_side_by_side(tmp_path):
    """By hand: the total of four counts of 1 or more is never below 4, and Brown has two such counts."""
    path = tmp_path / "weekly.csv"
    path.write_text(
        "county,week 19,week 20,week 21,week 22,Total\nAdams,4,1,2,1,8\nBrown,0,2,5,0,7\nClark,22,18,9,30,79\n"
        "Dover,13,40,52,11,116\nTotal,39,61,68,42,210\n",
        encoding="utf-8",
    )
    plain = invoke("table", "protect", path, "--rule", "cms")
    assert plain.exit_code == 0
    assert "Ways: as asked for" in plain.stdout
    assert "--merge-weeks 4: 4 of 10 cells hidden" in " ".join(plain.stdout.split())
    merged = invoke("table", "protect", path, "--rule", "cms", "--merge-weeks", 4, "--out", tmp_path / "out")
    assert merged.exit_code == 0
    written = next((tmp_path / "out").rglob("table.csv")).read_text(encoding="utf-8")
    assert written.splitlines()[1:3] == ["Adams,*,*", "Brown,*,*"]
    refused = invoke("table", "protect", path, "--rule", "cms", "--by", "region")
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
