"""``policy-sim cost``: the price of a list over the people it names, on people counted by hand."""

import json

import pytest
from small_people import BY_YEAR, one_line, rows, run, written


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--policy", BY_YEAR)


def test_a_price_is_divided_by_the_people_named(people):
    """Wyoming's list tells no age and costs $125: one group, so that one of 48 people is named at random."""
    wyoming = {row["state"]: row for row in rows("cost", *people, "--coverage", "everyone")}["WY"]
    assert (wyoming["total_risk"], wyoming["price_usd"]) == (1, 125)
    assert wyoming["usd_per_reidentification"] == 125
    assert wyoming["restricted_to"] == "candidate, party"


def test_a_free_list_costs_nothing_and_says_so(people):
    ohio = {row["state"]: row for row in rows("cost", *people, "--coverage", "everyone")}["OH"]
    assert (ohio["status"], ohio["price_usd"], ohio["usd_per_reidentification"]) == ("free", 0, 0)
    assert ohio["total_risk"] == 4  # one group per year of birth


def test_whoever_buys_nothing_has_no_cost(people):
    assert "attacker" in one_line("cost", *people, "--attacker", "general")


def test_files_are_the_rows_and_a_manifest(people, tmp_path):
    run("cost", *people, "--state", "WY", "--out", tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"cost.csv", "manifest.json"}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["options"]["states"] == ["WY"]
