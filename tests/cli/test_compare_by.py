"""``policy-sim compare --by``: the parts of a state add up to it, on people counted by hand."""

import pytest
from small_people import BY_COUNTY, BY_YEAR, one_line, rows, run, written


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general", "--policy", BY_YEAR, "--g", "16")


def test_ages_bear_what_their_groups_do(people):
    found = [row for row in rows("compare", *people, "--state", "OH", "--by", "age") if row["measure"] == "g-distinct"]
    # of the four groups only that of the sixteen people of thirty is small enough
    assert sum(row["people"] for row in found) == 16
    assert [row["members"] for row in found if row["people"]] == [40]


def test_parts_of_a_state_add_up_to_it(people):
    whole = {row["state"]: row["people"] for row in rows("compare", *people) if row["measure"] == "total-risk"}
    for by in ("race", "sex", "county"):
        found = [row for row in rows("compare", *people, "--by", by) if row["measure"] == "total-risk"]
        for state, expected in whole.items():
            assert sum(row["people"] for row in found if row["state"] == state) == pytest.approx(expected)


def test_a_table_adds_states_up_and_says_so_but_not_by_county(people):
    assert "2 states added up" in run("compare", *people, "--by", "race").stdout
    assert "added up" not in run("compare", *people, "--by", "county").stdout


def test_files_are_rows_figures_and_a_manifest(people, tmp_path):
    run("compare", *people, "--state", "OH", "--by", "sex", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"by-sex.csv", "manifest.json"} < names
    assert any(name.endswith(".svg") for name in names)


def test_an_interval_or_an_unknown_part_is_one_line(people):
    assert "--interval" in one_line("compare", *people, "--by", "race", "--interval")


def test_a_policy_by_county_is_broken_down_too(people):
    found = [
        row
        for row in rows("compare", *people, "--policy", BY_COUNTY, "--by", "county", "--state", "OH")
        if row["measure"] == "total-risk" and row["policy"] == BY_COUNTY
    ]
    assert {row["value"]: row["people"] for row in found} == {"39001": 4, "39003": 4}
