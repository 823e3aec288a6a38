"""Commands that compare states: trust, curve and trends, and how every command takes a state."""

from __future__ import annotations

import csv

import click
import pytest
from small_people import BY_COUNTY, BY_YEAR, commands, one_line, rows, run, written

# ``policy-sim trust``: one policy over another, on people counted by hand.


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general")


def total_risk(*words):
    return {row["state"]: row for row in rows("trust", *words) if row["measure"] == "total-risk"}


def test_the_last_policy_is_divided_by_the_first(people):
    """Two counties have twice the groups of their state; one county has as many."""
    by_state = total_risk(*people, "--policy", BY_YEAR, "--policy", BY_COUNTY)
    assert by_state["OH"]["ratio"] == 2
    assert by_state["WY"]["ratio"] == 1


def test_numerator_and_denominator_can_be_named(people):
    by_state = total_risk(*people, "--numerator", BY_YEAR, "--denominator", BY_COUNTY)
    assert by_state["OH"]["ratio"] == 0.5


def test_a_ratio_over_nobody_is_undefined_and_never_a_number(people):
    found = rows("trust", *people, "--policy", BY_YEAR, "--policy", BY_COUNTY, "--g", "1")
    (row,) = [row for row in found if row["state"] == "OH" and row["g"] == 1]
    assert (row["ratio"], row["status"]) == (None, "undefined")
    assert "nobody at risk" in row["reason"]


# ``policy-sim curve``: one state over every g, on people counted by hand.


@pytest.fixture
def curve_people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general", "--policy", BY_YEAR)


def test_the_share_jumps_where_a_group_is_full(curve_people):
    """Ohio has 24, 16, 24 and 32 people of the four ages: 96."""
    shares = {row["g"]: row["share"] for row in rows("curve", "OH", "--g-max", 33, *curve_people)}
    assert len(shares) == 33
    expected = {15: 0, 16: 16 / 96, 23: 16 / 96, 24: 64 / 96, 31: 64 / 96, 32: 1, 33: 1}
    assert {g: shares[g] for g in expected} == pytest.approx(expected, abs=1e-12)


def test_two_policies_have_a_ratio_at_every_g(curve_people):
    found = rows("curve", "ohio", "--g-max", 16, *curve_people, "--policy", BY_COUNTY)
    ratios = {row["g"]: (row["ratio"], row["ratio_status"]) for row in found if row["policy"] == BY_COUNTY}
    assert ratios[16] == (pytest.approx(6), "ok")  # all 96 people over 16 of them
    assert ratios[8][1] == "undefined"


def test_files_hold_every_g_though_the_table_shows_a_few(curve_people, tmp_path):
    done = run("curve", "OH", "--g-max", 40, *curve_people, "--policy", BY_COUNTY, "--out", tmp_path / "out")
    with (tmp_path / "out" / "curve.csv").open() as file:
        assert [int(row["g"]) for row in csv.DictReader(file)] == 2 * list(range(1, 41))
    drawn = {f"{stem}.{ending}" for stem in ("curve", "trust") for ending in ("csv", "png", "svg")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == drawn | {"manifest.json"}
    assert len(done.stdout.splitlines()) < 40


# ``policy-sim trends``.


@pytest.mark.slow
def test_files_and_a_table(tmp_path):
    done = run(
        "trends", "--at", "us-2000:2008", "--at", "us-2020:2026", "--state", "OH", "--out", str(tmp_path / "out")
    )
    assert "risk changed by" in done.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"trends.csv", "trends-changes.csv", "trends.png", "trends.svg", "manifest.json"}


# One rule for states on every command: ``OH`` and ``--state OH`` are the same.


ALL = [(path, command) for path, command in commands() if not isinstance(command, click.Group)]
ABOUT_ONE = [path for path, command in ALL if any(p.name == "state" for p in command.params)]
ABOUT_MANY = [path for path, command in ALL if any("--state" in p.opts for p in command.params)]


_ALSO = {
    "atlas": ["--out", "nowhere"],
    "cases plan": ["--fields", "age5,sex"],
    "synth": ["--out", "nowhere.csv"],
    "lists what-if": ["--set", "birth=date"],
    "pair": ["--first", "county", "--second", "county", "--in-first", "0.5", "--in-second", "0.5", "--in-both", "0.3"],
    "workbook": ["--out", "nowhere.xlsx"],
    "policy check": ["county", "--population", "us-2010"],
    "lists diff": ["2008", "2026"],
    "lists export": ["nowhere.csv"],
}
_LATER = {
    "cases check",
    "census fetch",
    "census load",
    "dataset score",
    "table check",
    "table enter",
    "table protect",
    "table rates",
}  # ask for a key, tables or a file first


@pytest.mark.parametrize("state", [["Ohoi"], ["--state", "Ohoi"], ["--state=Ohoi"]], ids=" ".join)
@pytest.mark.parametrize("path", ABOUT_ONE + ABOUT_MANY, ids=" ".join)
def test_every_command_names_the_nearest_state_in_every_form(path, state, tmp_path, monkeypatch):
    if " ".join(path) in _LATER:
        return
    monkeypatch.chdir(tmp_path)
    also, after = _ALSO.get(" ".join(path), []), ["2010", "2016"] if path == ("releases", "diff") else []
    allowed = "Write a two-letter code such as OH or a name such as Ohio."
    wanted = f"Error: state 'Ohoi' is not known. Did you mean 'Ohio'? {allowed}"
    assert one_line(*path, *also, *state, *after) == wanted


EVERY = [
    "compare", "trust", "cost", "attack", "break-even", "budget --usd 100", "game", "curve", "explore",
    "policy check state-only",
    "simulate --runs 2", "explain", "sensitivity", "synth --census-day 2020-04-01", "workbook", "brief",
    "lists what-if --set birth=year",
    "pair --first safe-harbor-without-zip --second birth=decade --in-first 0.1 --in-second 0.9 --in-both 0.1",
]  # fmt: skip


@pytest.mark.parametrize("command", EVERY)
def test_a_state_that_the_population_lacks_is_one_line_in_every_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = written(tmp_path)
    words = command.split()
    by_place = words[0] in ("pair", "attack", "game", "curve", "explain", "synth", "brief", "simulate", "sensitivity")
    at = 2 if words[0] == "lists" else 1
    words = [*words[:at], "VT", *words[at:]] if by_place or words[0] == "lists" else [*words, "--state", "VT"]
    more = {"workbook": ["--out", "w.xlsx"], "synth": ["--out", "s.csv"], "brief": ["--out", "b.html"]}.get(
        words[0], []
    )
    assert "'VT' is not known. Known: OH, WY." in one_line(*words, "--population", own, *more)
    assert [str(path) for path in tmp_path.iterdir()] == [own]


WITH_A_FILE = [(path, command) for path, command in ALL if any("--in-file" in p.opts for p in command.params)]


@pytest.mark.parametrize(
    ("path", "command"), WITH_A_FILE, ids=lambda value: value[0] if isinstance(value, tuple) else ""
)
def test_who_takes_people_of_a_file_takes_its_records_and_places(path, command):
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--records", "--per-person", "--from"} <= options


@pytest.mark.parametrize(
    "command",
    [
        *("compare --state OH", "trust --state OH", "cost --state OH", "curve OH --g-max 3", "explore --state OH"),
        *("attack OH", "break-even --state OH", "budget --usd 100 --state OH", "game OH", "sensitivity OH"),
        *("simulate OH --runs 2", "explain OH", "attack OH --against WY"),
    ],
)
def test_records_divided_by_those_of_each_person_are_people(command, tmp_path):
    form = () if "explain" in command else ("--format", "csv")
    words = (*command.split(), "--population", written(tmp_path), *form)
    people, records = (run(*words, *file).stdout.split() for file in (("--in-file", "20"), RECORDS))
    assert " ".join(records).replace(COUNTED, "") == " ".join(people)


RECORDS = ("--records", "25", "--per-person", "1.25")
COUNTED = " (25 records at 1.25 per person)"
