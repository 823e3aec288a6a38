"""Commands about attacks and money: each on people counted by hand."""

from __future__ import annotations

import csv
import io
import json

import pytest
from small_people import BY_YEAR, invoke, one_line, rows, run, written

# ``policy-sim econ attack``, ``break-even`` and ``economics``.


@pytest.mark.slow
def test_a_table_with_sources_below_it():
    done = run("econ", "attack", "DE", "--policy", "safe-harbor", "--in-file", "0.01")
    assert "an attack pays in this state." in done.stdout
    assert "gain per correct match: wan-2015" in done.stdout


@pytest.mark.slow
def test_files(tmp_path):
    out = tmp_path / "out"
    done = run(
        "econ", "attack", "DE", "--against", "WI", "--policy", "limited-dataset", "--format", "csv", "--out", str(out)
    )
    assert {row["state"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"DE", "WI"}
    names = {path.name for path in out.iterdir()}
    assert names == {"attack.csv", "attack-curve.csv", "attack.png", "attack.svg", "manifest.json"}


@pytest.mark.slow
def test_break_even(tmp_path):
    done = run(
        "econ", "break-even", "--state", "DE", "--policy", "safe-harbor", "--no-sizes", "--out", str(tmp_path / "out")
    )
    assert (tmp_path / "out" / "break-even.csv").exists()
    assert "an attack pays in this state." in done.stdout


def test_economics_lists_every_amount_with_its_source():
    done = run("econ", "sources")
    assert "broker-2023: $0.12 to $0.32 per correct match" in " ".join(done.stdout.split())
    rows = json.loads(invoke("econ", "sources", "--format", "json").stdout)
    assert all(row["date"] and row["source"] for row in rows)
    assert [row["usd_low"] for row in rows if row["name"] == "contract-ca-ab-713"] == [None]


# ``policy-sim econ cost``: the price of a list over the people it names, on people counted by hand.


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--policy", BY_YEAR)


def test_a_price_is_divided_by_the_people_named(people):
    """Wyoming's list tells no age and costs $125: one group, so that one of 48 people is named at random."""
    wyoming = {row["state"]: row for row in rows("econ", "cost", *people, "--coverage", "everyone")}["WY"]
    assert (wyoming["total_risk"], wyoming["price_usd"]) == (1, 125)
    assert wyoming["usd_per_reidentification"] == 125
    assert wyoming["restricted_to"] == "candidate, party"


def test_a_free_list_costs_nothing_and_says_so(people):
    ohio = {row["state"]: row for row in rows("econ", "cost", *people, "--coverage", "everyone")}["OH"]
    assert (ohio["status"], ohio["price_usd"], ohio["usd_per_reidentification"]) == ("free", 0, 0)
    assert ohio["total_risk"] == 4  # one group per year of birth


def test_a_price_is_divided_by_the_people_who_are_g_distinct(people):
    """Wyoming's 48 people share one group: nobody is 47-distinct, and all are 48-distinct."""
    asked = ("econ", "cost", *people, "--coverage", "everyone", "--state", "WY")
    undefined, known = rows(*asked, "--g", "47", "--g", "48")
    assert (undefined["g"], undefined["g_distinct"], undefined["usd_per_g_distinct"]) == (47, 0, None)
    assert (undefined["status"], known["status"]) == ("undefined", "ok")
    assert "no 47-distinct person is expected" in undefined["reason"]
    assert (known["g_distinct"], known["price_usd"]) == (48, 125)
    assert known["usd_per_g_distinct"] == pytest.approx(125 / 48, rel=1e-12)


def test_a_curve_has_the_same_dollars_at_every_g(people):
    asked = (*people, "--coverage", "everyone")
    curve = rows("model", "curve", "WY", *asked, "--g-max", "50", "--attacker", "voter")
    dollars = {row["g"]: (row["usd_per_g_distinct"], row["usd_status"]) for row in curve}
    assert dollars[47] == (None, "undefined")
    assert dollars[48] == dollars[50] == (pytest.approx(125 / 48, rel=1e-12), "ok")
    assert {
        row["usd_per_g_distinct"] for row in rows("model", "curve", "OH", *asked) if row["attacker"] == "general"
    } == {None}


def test_files_are_the_rows_and_a_manifest(people, tmp_path):
    run("econ", "cost", *people, "--state", "WY", "--out", tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"cost.csv", "manifest.json"}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["options"]["states"] == ["WY"]


# ``policy-sim econ budget``.


@pytest.mark.slow
def test_a_budget_names_what_it_leaves_out(tmp_path):
    states = [word for state in ("DE", "VA", "WI") for word in ("--state", state)]
    done = run("econ", "budget", "--usd", "100", *states, "--out", str(tmp_path / "out"))
    assert "together: 1 list for $25" in done.stdout
    assert "VA: only for candidate, party" in done.stdout
    assert (tmp_path / "out" / "budget.csv").exists()


@pytest.mark.slow
def test_a_target_is_reached_or_refused_in_one_line():
    assert invoke("econ", "budget", "--target", "2", "--state", "DE").exit_code == 0
    one_line("econ", "budget", "--target", "1e9", "--state", "DE")


# ``policy-sim econ game``.


@pytest.mark.slow
def test_one_state_with_a_page(tmp_path):
    done = run(
        "econ",
        "game",
        "DE",
        "--policy",
        "safe-harbor",
        "--policy",
        "county",
        "--in-file",
        "0.01",
        "--out",
        str(tmp_path / "o"),
    )
    assert "Delaware: the publisher does best with" in " ".join(done.stdout.split())
    assert {path.name for path in (tmp_path / "o").iterdir()} == {
        "game.csv", "game-moves.csv", "game.html", "manifest.json"
    }  # fmt: skip


# ``policy-sim econ pair``.


FILES = ["--first", "county", "--second", "month-of-birth"]
SHARES = ["--in-first", "0.001", "--in-second", "0.001", "--in-both", "0.0005"]


def test_the_pair_names_more_than_either_file(tmp_path):
    done = run(
        "econ",
        "pair",
        "DE",
        *FILES,
        *SHARES,
        "--attacker",
        "general",
        "--format",
        "json",
        "--out",
        str(tmp_path / "out"),
    )
    people = {row["figure"]: row["people"] for row in json.loads(done.stdout)}
    assert people["named"] > max(people["alone_first"], people["alone_second"])
    assert (tmp_path / "out" / "pair.csv").exists()
    assert "shared fields: sex+race=race_ethnicity+birth=year+geography=state" in done.stderr
