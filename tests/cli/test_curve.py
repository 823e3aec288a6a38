"""``policy-sim curve``: one state over every g, on people counted by hand."""

import csv

import pytest
from small_people import BY_COUNTY, BY_YEAR, one_line, rows, run, written


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general", "--policy", BY_YEAR)


def test_the_share_jumps_where_a_group_is_full(people):
    """Ohio has 24, 16, 24 and 32 people of the four ages: 96."""
    shares = {row["g"]: row["share"] for row in rows("curve", "OH", "--g-max", 33, *people)}
    assert len(shares) == 33
    expected = {15: 0, 16: 16 / 96, 23: 16 / 96, 24: 64 / 96, 31: 64 / 96, 32: 1, 33: 1}
    assert {g: shares[g] for g in expected} == pytest.approx(expected, abs=1e-12)


def test_two_policies_have_a_ratio_at_every_g(people):
    found = rows("curve", "ohio", "--g-max", 16, *people, "--policy", BY_COUNTY)
    ratios = {row["g"]: (row["ratio"], row["ratio_status"]) for row in found if row["policy"] == BY_COUNTY}
    assert ratios[16] == (pytest.approx(6), "ok")  # all 96 people over 16 of them
    assert ratios[8][1] == "undefined"


def test_files_hold_every_g_though_the_table_shows_a_few(people, tmp_path):
    done = run("curve", "OH", "--g-max", 40, *people, "--out", tmp_path / "out")
    with (tmp_path / "out" / "curve.csv").open() as file:
        assert [int(row["g"]) for row in csv.DictReader(file)] == list(range(1, 41))
    assert {"trust.csv", "manifest.json"} <= {path.name for path in (tmp_path / "out").iterdir()}
    assert len(done.stdout.splitlines()) < 40


def test_a_place_that_is_no_state_is_one_line(people):
    assert "Atlantis" in one_line("curve", "Atlantis", *people)
