"""Commands that compare states: trust, curve and trends, and how every command takes a state."""

from __future__ import annotations

import csv
import json

import click
import pandas as pd
import pytest
from small_people import BY_COUNTY, BY_YEAR, commands, frame, one_line, population_of, rows, run, written

from policy_sim.model.explore.search import measured_alone
from policy_sim.people.by_name import load_population
from policy_sim.policies.files import load_policy
from policy_sim.study.study import Study

# ``policy-sim model trust``: one policy over another, on people counted by hand.


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general")


def total_risk(*words):
    return {row["state"]: row for row in rows("model", "trust", *words) if row["measure"] == "total-risk"}


def test_the_last_policy_is_divided_by_the_first(people):
    """Two counties have twice the groups of their state; one county has as many."""
    by_state = total_risk(*people, "--policy", BY_YEAR, "--policy", BY_COUNTY)
    assert by_state["OH"]["ratio"] == 2
    assert by_state["WY"]["ratio"] == 1


def test_numerator_and_denominator_can_be_named(people):
    by_state = total_risk(*people, "--numerator", BY_YEAR, "--denominator", BY_COUNTY)
    assert by_state["OH"]["ratio"] == 0.5


# ``policy-sim model curve``: one state over every g, on people counted by hand.


@pytest.fixture
def curve_people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general", "--policy", BY_YEAR)


def test_the_share_jumps_where_a_group_is_full(curve_people):
    """Ohio has 24, 16, 24 and 32 people of the four ages: 96."""
    shares = {row["g"]: row["share"] for row in rows("model", "curve", "OH", "--g-max", 33, *curve_people)}
    assert len(shares) == 33
    expected = {15: 0, 16: 16 / 96, 23: 16 / 96, 24: 64 / 96, 31: 64 / 96, 32: 1, 33: 1}
    assert {g: shares[g] for g in expected} == pytest.approx(expected, abs=1e-12)


def test_two_policies_have_a_ratio_at_every_g(curve_people):
    found = rows("model", "curve", "ohio", "--g-max", 16, *curve_people, "--policy", BY_COUNTY)
    ratios = {row["g"]: (row["ratio"], row["ratio_status"]) for row in found if row["policy"] == BY_COUNTY}
    assert ratios[16] == (pytest.approx(6), "ok")  # all 96 people over 16 of them
    assert ratios[8][1] == "undefined"


def test_files_hold_every_g_though_the_table_shows_a_few(curve_people, tmp_path):
    done = run("model", "curve", "OH", "--g-max", 40, *curve_people, "--policy", BY_COUNTY, "--out", tmp_path / "out")
    with (tmp_path / "out" / "curve.csv").open() as file:
        assert [int(row["g"]) for row in csv.DictReader(file)] == 2 * list(range(1, 41))
    drawn = {f"{stem}.{ending}" for stem in ("curve", "trust") for ending in ("csv", "png", "svg")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == drawn | {"manifest.json"}
    assert len(done.stdout.splitlines()) < 40


# ``policy-sim econ trends``.


@pytest.mark.slow
def test_files_and_a_table(tmp_path):
    done = run(
        "econ",
        "trends",
        "--at",
        "us-2000:2008",
        "--at",
        "us-2020:2026",
        "--state",
        "OH",
        "--out",
        str(tmp_path / "out"),
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
    "dev synth": ["--out", "nowhere.csv"],
    "lists what-if": ["--set", "birth=date"],
    "econ pair": [
        "--first",
        "county",
        "--second",
        "county",
        "--in-first",
        "0.5",
        "--in-second",
        "0.5",
        "--in-both",
        "0.3",
    ],
    "model workbook": ["--out", "nowhere.xlsx"],
    "policy check": ["county", "--population", "us-2010"],
    "lists diff": ["2008", "2026"],
    "dev lists export": ["nowhere.csv"],
}
_LATER = {
    "cases check",
    "dev census fetch",
    "dev census load",
    "dataset score",
    "lists measure",
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
    also, after = _ALSO.get(" ".join(path), []), ["2010", "2016"] if path == ("policy", "releases", "diff") else []
    named = "--state" if any(word.startswith("--state") for word in state) else "state"
    said = one_line(*path, *also, *state, *after)
    assert said.startswith(f"Error: {named} 'Ohoi' is not known. Did you mean 'Ohio'? ")
    assert "such as OH or" in said


EVERY = [
    "compare", "model trust", "econ cost", "econ attack", "econ break-even", "econ budget --usd 100", "econ game",
    "model curve", "policy explore",
    "policy check state-only",
    "model simulate --runs 2", "model explain", "model sensitivity", "dev synth --census-day 2020-04-01",
    "model workbook", "brief",
    "lists what-if --set birth=year",
    "econ pair --first safe-harbor-without-zip --second birth=decade --in-first 0.1 --in-second 0.9 --in-both 0.1",
]  # fmt: skip


@pytest.mark.parametrize("command", EVERY)
def test_a_state_that_the_population_lacks_is_one_line_in_every_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = written(tmp_path)
    words = command.split()
    at = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    name = tuple(words[:at])
    words = [*name, "VT", *words[at:]] if name in ABOUT_ONE else [*words, "--state", "VT"]
    more = {"workbook": ["--out", "w.xlsx"], "synth": ["--out", "s.csv"], "brief": ["--out", "b.html"]}.get(
        name[-1], []
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
        *(
            "compare --state OH",
            "model trust --state OH",
            "econ cost --state OH",
            "model curve OH --g-max 3",
            "policy explore --state OH",
        ),
        *(
            "econ attack OH",
            "econ break-even --state OH",
            "econ budget --usd 100 --state OH",
            "econ game OH",
            "model sensitivity OH",
        ),
        *("model simulate OH --runs 2", "model explain OH", "econ attack OH --against WY"),
    ],
)
def test_records_divided_by_those_of_each_person_are_people(command, tmp_path):
    form = () if "explain" in command else ("--format", "csv")
    words = (*command.split(), "--population", written(tmp_path), *form)
    people, records = (run(*words, *file).stdout.split() for file in (("--in-file", "20"), RECORDS))
    assert " ".join(records).replace(COUNTED, "") == " ".join(people)


RECORDS = ("--records", "25", "--per-person", "1.25")
COUNTED = " (25 records at 1.25 per person)"


# ``policy-sim policy explore``.


@pytest.mark.slow
def test_by_default_the_policy_to_do_better_than_is_the_rule_as_written():
    """Its ZIP codes are answered by the make-up of the counties, as in a comparison; the search shows counties."""
    answer = Study("us-2010").explore("DE", g=[1, 5])
    baseline = answer.baseline.iloc[0]
    safe = Study("us-2010").compare("safe-harbor", "general", "DE", [1, 5]).profiles[0]
    for column, measure in (("total_risk", "total-risk"), ("distinct_1", "1-distinct"), ("distinct_5", "5-distinct")):
        assert baseline[column] == pytest.approx(safe.people(measure).low, rel=1e-9)
    found = answer.to_frame()
    assert found["better"].any()
    assert (found.loc[found["better"], "total_risk"] <= baseline["total_risk"]).all()
    assert not found["policy"].str.contains("zip").any()


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_the_limited_data_set_is_drawn_in_the_form_that_was_asked_for(rules):
    """By ZIP code and county as the regulation has it, and not by county alone as the paper has it."""
    people = [
        ("CT", "09001", zip5, sex, age, 1, race, 30)
        for zip5 in ("06001", "06301", "36901")
        for sex in "MF"
        for age in (40, 95)
        for race in ("white", "black")
    ]
    columns = ["state", "county", "zip5", "sex", "age", "age_width", "race", "people"]
    study = Study(population_of(people, columns))
    marks = study.explore("CT", rules=rules).marks.set_index("policy")
    compared = study.compare("limited-dataset", "general", "CT", 1, rules=rules).profiles[0]
    assert marks.index[1] == compared.policy
    assert marks["total_risk"].iloc[1] == pytest.approx(compared.people("total-risk").low, rel=1e-11)


@pytest.mark.slow
def test_rows_of_the_frontier_by_another_measure():
    found = rows("policy", "explore", "--state", "DE", "--population", "us-2010", "--g", "5", "--rows", "frontier")
    utilities = [row["utility"] for row in sorted(found, key=lambda row: row["distinct_5"])]
    assert utilities
    assert utilities == sorted(utilities)


@pytest.mark.slow
def test_tables_say_what_was_searched_and_files_are_written_whole(tmp_path):
    text = " ".join(run("policy", "explore", "--state", "DE", "--population", "us-2010").stdout.split())
    for expected in ("Safe Harbor", "policies that do better", "2,520 policies", "utility: entropy"):
        assert expected in text
    out = tmp_path / "out"
    both = run(
        "policy", "explore", "--state", "DE", "--state", "WY", "--population", "us-2010", "--out", str(out)
    ).stdout
    assert "best of them" in both
    names = {path.name for path in out.iterdir()}
    assert {
        "policies.csv",
        "best.csv",
        "frontier-DE.png",
        "frontier-WY.svg",
        "best-policy.png",
        "manifest.json",
    } <= names
    best = pd.read_csv(out / "best.csv")
    assert best["state"].tolist() == ["DE", "WY"]
    assert (best["total_risk"] <= best["than_total_risk"]).all()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["options"]["than"] == "safe-harbor"


@pytest.mark.slow
def test_a_state_without_a_better_policy_says_so():
    """Nothing keeps more than the finest policy of all."""
    arguments = ("--state", "DE", "--state", "WY", "--population", "us-2010", "--than", "limited-dataset")
    text = run("policy", "explore", *arguments).stdout
    assert "none" in text
    assert "nothing better: keep fewer fields" in text
    assert "nothing better" not in run("policy", "explore", *arguments, "--rows", "frontier").stdout


@pytest.mark.slow
def test_a_range_of_risk_is_one_line_or_all_that_is_shown():
    asked = ("policy", "explore", "--state", "DE", "--population", "us-2010", "--risk-between")
    found = frame(*asked, "0.001", "0.01")
    assert len(found) > 10
    assert found["total_risk_share"].between(0.001, 0.01).all()
    assert "--risk-between: 1.0 and 0.0" in one_line(*asked, "1", "0")


@pytest.mark.slow
def test_better_than_safe_harbor_with_sex_and_race_in_full():
    options = ("--keep", "sex", "--keep", "race", "--age-classes", "--hipaa", "paper")
    best = max(
        rows("policy", "explore", "--state", "WA", *options, "--rows", "better"), key=lambda row: row["utility_bits"]
    )
    alone = measured_alone(load_population("us-2020"), load_policy("safe-harbor-paper"), ["WA"]).iloc[0]
    assert (best["gender"], best["race"], best["birth"]) == ("value", "value", "age_classes")
    assert best["total_risk"] <= alone["total_risk"]
    assert (round(best["utility_bits"], 2), round(alone["utility_bits"], 2)) == (9.19, 9.03)


@pytest.mark.slow
def test_age_classes_are_written_below_the_table():
    options = ("--population", "us-2010", "--keep", "sex", "--age-classes", "--hipaa", "paper")
    asked = ("policy", "explore", "--state", "DE", *options)
    assert "ages, sex+" in run(*asked).stdout
    assert "kept: policies that release at least sex" in run(*asked, "--format", "json").stderr


@pytest.mark.slow
def test_weights_from_a_file(tmp_path):
    file = tmp_path / "weights.toml"
    file.write_text("race = 3\nbirth = 0.1\n", encoding="utf-8")
    options = ("--population", "us-2010", "--hipaa", "paper", "--weights", str(file), "--out", str(tmp_path / "out"))
    text = " ".join(run("policy", "explore", "--state", "DE", *options).stdout.split())
    weights = json.loads((tmp_path / "out" / "manifest.json").read_text())["options"]["weights"]
    given = {"sex": "1", "race": "3", "ethnicity": "1", "birth": "0.1", "geography": "1"}
    assert dict(field.split() for field in weights.split(", ")) == given
    assert f"({weights})" in text
    file.write_text("races = 3\n", encoding="utf-8")
    assert "races is not a field" in run("policy", "explore", "--state", "DE", *options, code=2).output
    assert "How finely do you need" in run("policy", "explore", "--state", "DE", "--keep", "birth", code=2).output
