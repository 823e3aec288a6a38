"""``policy-sim compare``: its table, its forms, its folder, by parts of the people and between populations."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from pinned import pinned
from said import numbers
from small_people import BY_YEAR, cells, frame, run, written

from policy_sim.cli.options import ask
from policy_sim.cli.states import one_state_figures

# compare, trust, cost and curve as a user runs them.


COLUMNS = [
    *("state", "state_name", "fips", "policy", "attacker", "measure", "g"),
    *("people", "share", "people_high", "share_high"),
    *("population", "linkage_key", "status", "reason", "lists"),
    *("in_file", "small_file_share", "small_file_share_high", "people_low", "share_low"),
]


@pytest.mark.slow
def test_tidy_rows_in_every_format():
    arguments = ("compare", "--state", "DE", "--state", "ohio")
    csv = frame(*arguments)
    assert list(csv.columns) == COLUMNS
    assert len(csv) == 2 * 2 * 2 * 8
    assert not csv.isin([float("inf"), float("-inf")]).any().any()
    from_json = pd.DataFrame(json.loads(run(*arguments, "--format", "json").stdout))
    from_parquet = pd.read_parquet(io.BytesIO(run(*arguments, "--format", "parquet").stdout_bytes))
    for other in (from_json, from_parquet):
        pd.testing.assert_series_equal(
            csv["people"], other["people"].astype(float), check_names=False, rtol=1e-12, check_dtype=False
        )


@pytest.fixture(scope="module")
def delaware(tmp_path_factory):
    """One state with every file that is written of it, and what is printed."""
    out = tmp_path_factory.mktemp("delaware") / "out"
    return out, run("compare", "--state", "DE", "--out", str(out)).stdout


@pytest.mark.slow
def test_one_state_begins_with_its_sentences_and_has_a_row_per_policy_and_attacker_in_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("compare", "DE", "--g", 5, "--interval").stdout.splitlines()
    assert lines[0].startswith("DE, Safe Harbor, GENERAL: would correctly name ")
    at = next(at for at, line in enumerate(lines) if line.startswith("policy "))
    rows = [line.split("  ", 1)[0] for line in lines[at + 2 : at + 6]]
    assert (rows, lines[at + 6]) == (["Safe Harbor", "Safe Harbor", "Limited data set", "Limited data set"], "")
    heads = ["policy", "attacker", "people", "%", "alone %", "sure %", "1% file %", "g=5 %"]
    places = [lines[at].index(head) for head in heads]
    assert places == sorted(places)
    assert max(map(len, lines[: at + 6])) <= 80
    assert "$ per re-id.: Safe Harbor" in "\n".join(lines)


@pytest.mark.slow
def test_every_output_says_which_people_lists_and_options(delaware):
    _, table = delaware
    notes = run("compare", "--state", "DE", "--format", "csv").stderr
    for text in (" ".join(table.split()), notes):
        assert "population: us-2020" in text
        assert "modeled" in text
        assert "voter lists: vintage 2026" in text
        assert "November 2024 by county and age" in text
        assert "45 CFR 164.514" in text
    assert "365 equally likely birthdays" in notes
    last = table.splitlines()[-1]
    assert numbers(last) == [str(len(notes.splitlines()))]
    assert last.endswith("manifest.json.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("compare", "KY", "--in-file", "18000"),
        ("econ", "attack", "KY", "--in-file", "18000"),
        ("econ", "cost", "--state", "KY", "--in-file", "18000"),
        ("econ", "trends", "--state", "KY", "--in-file", "18000"),
    ],
)
def test_three_notes_below_a_table_and_the_doubts_are_among_them(words):
    lines = run(*words).stdout.replace("\n  ", " ").splitlines()  # a note continues with two blanks
    every = run(*words, "--format", "csv").stderr.splitlines()
    *shown, pointer = lines[-4:]
    assert numbers(pointer) == [str(len(every))]
    assert pointer.endswith("--format json.")
    assert "all over KY" in shown[0]
    assert "no source mentions birth" in shown[1]
    assert shown[2].startswith("population")
    assert "the attacker knows who is in it" in shown[2]
    notes = {note for line in shown for note in line.split("; ")}
    assert not any(note in "".join(lines[:-4]) for note in notes if note.startswith(("population: ", "rules: ")))


@pytest.mark.slow
def test_out_holds_everything_and_a_manifest_of_it(tmp_path):
    out = tmp_path / "new" / "out"
    run("compare", "--as", "benitez-malin-2010", "--state", "DE", "--state", "WV", "--out", str(out))
    manifest = json.loads((out / "manifest.json").read_text())
    assert {
        "profiles.csv",
        "trust.csv",
        "cost.csv",
        "map-cost-safe-harbor-paper.png",
        "map-cost-safe-harbor-paper.svg",
    } <= set(manifest["files"])
    assert set(manifest["files"]) | {"manifest.json"} == {path.name for path in out.iterdir()}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert manifest["options"]["lists"] == "2008"
    assert manifest["options"]["population"] == ["us-2000"]
    assert (manifest["options"]["rules"], manifest["options"]["coverage"]) == ("paper", "everyone")
    assert all(len(digest) == 64 for digest in manifest["inputs"].values())
    assert list(tmp_path.joinpath("new").iterdir()) == [out]


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes(tmp_path):
    """Of people counted by hand, or of Delaware in the whole."""
    asked = pinned(("OH", "--population", written(tmp_path)), ("DE",))
    once, again = (tmp_path / name for name in ("once", "again"))
    for out in (once, again):
        run("compare", *asked, "--out", out)
    assert len(list(once.iterdir())) > 10
    assert (again / "manifest.json").read_bytes() == (once / "manifest.json").read_bytes()


@pytest.mark.slow
def test_a_full_disk_leaves_the_folder_as_it_was(tmp_path):
    """The system refuses files over a size, as it does on a full disk, while the second run writes."""
    out = tmp_path / "out"
    run("econ", "cost", "--state", "DE", "--out", str(out))
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))\n"
        "from policy_sim.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "econ", "cost", "--state", "OH", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Nothing was written" in done.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--attacker", "voter"), ("--policy", "safe-harbor")])
def test_curve_without_a_ratio_draws_what_there_is(tmp_path, options):
    run("model", "curve", "CT", "--as", "benitez-malin-2010", "--g-max", "5", *options, "--out", tmp_path / "ct")
    assert (tmp_path / "ct" / "curve.png").exists()
    assert not (tmp_path / "ct" / "trust.png").exists()
    header, *rest = (tmp_path / "ct" / "trust.csv").read_text().splitlines()
    assert header.startswith("state,state_name,fips,attacker,g,numerator_policy,denominator_policy,ratio,ratio_high,")
    assert rest == []


@pytest.mark.slow
def test_out_may_be_a_folder_in_one_that_cannot_be_written(tmp_path):
    """A folder that is a disk of its own, as in a container: nothing may be made beside it."""
    out = tmp_path / "shut" / "out"
    out.mkdir(parents=True)
    out.parent.chmod(0o555)
    try:
        run("econ", "cost", "--state", "DE", "--out", str(out))
    finally:
        out.parent.chmod(0o755)
    assert {path.name for path in out.iterdir()} == {"cost.csv", "manifest.json"}


def test_the_manifest_names_every_input_also_the_users_own(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("state,county,sex,race,age,age_width,people\nOH,39001,F,white,30,1,7\nOH,39003,M,white,31,1,9\n")
    policy = tmp_path / "mine.toml"
    policy.write_text('name = "mine"\ntitle = "Mine"\ncitation = "me"\n[fields]\nbirth = "year"\n')
    who = tmp_path / "who.toml"
    who.write_text('title = "who"\nbuyer = ["public"]\npurpose = "scholarly"\n')
    own = ("--population", str(people), "--policy", str(policy), "--adversary", str(who), "--coverage", "registered")
    run("econ", "cost", *own, "--out", tmp_path / "out")
    text = (tmp_path / "out" / "manifest.json").read_text()
    assert str(tmp_path) not in text
    inputs = json.loads(text)["inputs"]
    for name, path in (("population people", people), ("policy mine", policy), ("adversary who", who)):
        assert inputs[name] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(inputs["by_county.parquet"]) == len(inputs["registration.toml"]) == len(inputs["voter lists"]) == 64
    assert "registered_voters.toml" not in inputs, "no number of the survey is used"


@pytest.mark.slow
def test_one_state_gets_its_counties_its_curve_and_its_place_not_a_map_of_the_nation(delaware):
    out, _ = delaware
    names = {path.name for path in out.glob("*.svg")}
    asked = [
        f"{policy}-{attacker}" for policy in ("safe-harbor", "limited-dataset") for attacker in ("general", "voter")
    ]
    assert names == {f"map-county-{each}.svg" for each in asked} | {"curve.svg", "place.svg"}
    text = (out / "map-county-limited-dataset-general.svg").read_text(encoding="utf-8")
    assert text.count("<title>") == 3
    assert "<title>Kent, Delaware: " in text
    assert "source: U.S. Census Bureau" in text


# ``policy-sim compare --by``: the parts of a state add up to it, on people counted by hand.


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general", "--policy", BY_YEAR, "--g", "16")


def test_a_table_adds_states_up_and_says_so_but_not_by_county(people):
    assert "2 states added up" in run("compare", *people, "--by", "race").stdout
    assert "added up" not in run("compare", *people, "--by", "county").stdout


def test_files_are_rows_figures_and_a_manifest(people, tmp_path):
    run("compare", *people, "--state", "OH", "--by", "sex", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"by-sex.csv", "manifest.json"} < names
    assert any(name.endswith(".svg") for name in names)


# compare with several populations: the change in risk by state, as rows, table and figure.


POLICIES = ("safe-harbor-without-zip", "limited-dataset-without-zip")


@pytest.mark.slow
def test_two_populations_have_a_table_of_change_with_its_figures(tmp_path):
    names = [word for year in (2000, 2010) for word in ("--population", f"us-{year}")]
    asked = ("--state", "DE", "--state", "WV", "--attacker", "general", "--g", "1")
    printed = run("compare", *names, *asked, "--out", tmp_path / "out").output
    assert "change in total risk" in printed
    assert "ZIP codes: left out" in printed
    table = printed.partition("\nsafe-harbor-without-zip: measured")[0]
    assert max(map(len, table.splitlines())) <= 120
    change = pd.read_csv(tmp_path / "out" / "change.csv")
    assert set(zip(change["before"], change["after"], strict=True)) == {("us-2000", "us-2010")}
    assert len(change) == 2 * 2 * 2
    drawn = {path.name for path in (tmp_path / "out").glob("change-*.png")}
    assert drawn == {f"change-{policy}-general.png" for policy in POLICIES}


@pytest.mark.slow
def test_by_county_compares_areas_of_the_same_borders(tmp_path):
    # Clifton Forge (51560) became part of Alleghany County (51005) in 2001.
    names = ["--population", "us-2000", "--population", "us-2010", "--state", "VA", "--attacker", "general"]
    done = run("compare", "--by", "county", *names, "--g", "1", "--out", tmp_path / "out")
    assert "51005 +1" in done.stdout
    rows = pd.read_csv(tmp_path / "out" / "change-by-county.csv", dtype={"area": str})
    assert "51005 51560" in set(rows["counties"])
    assert not rows["area"].isin(["51560"]).any()


# What ``compare --out`` draws of one state.


mpl.use("Agg")


def test_one_state_is_drawn_for_each_population_and_among_others_where_there_are_some(tmp_path):
    """A population of one state alone has no place among others."""
    paths = [tmp_path / name for name in ("both.csv", "ohio.csv")]
    cells().to_csv(paths[0], index=False)
    cells()[cells()["state"] == "OH"].to_csv(paths[1], index=False)
    options = {"policies": ("safe-harbor",), "attackers": ("general",), "states": ("OH",), "g": (1,)}
    drawn = [
        [name for name, _ in one_state_figures(ask(populations=tuple(map(str, some)), **options))]
        for some in (paths[:1], paths[1:], paths)
    ]
    plt.close("all")
    assert drawn[0][:2] == ["place", "curve"]
    assert len(drawn[0]) > 2  # the counties
    assert "place" not in drawn[1]
    assert [sum(name.startswith(f"curve-{path.stem}") for name in drawn[2]) for path in paths] == [1, 1]
    assert len(set(drawn[2])) == len(drawn[2])


# --hipaa regulation and --zip3 as a user runs them, on a small population by ZIP code.


# 036 is small by the census and by the printed list, 369 by the census only, 063 by the list only.
ROWS = [
    ("CT", "09001", zip5, sex, age, 1, race, rules_people)
    for zip5, rules_people in (("03601", 3), ("36901", 4), ("06301", 5), ("06001", 6))
    for sex in "MF"
    for age in (40, 89, 90, 95)
    for race in ("white", "black")
]
RULES_COLUMNS = ["state", "county", "zip5", "sex", "age", "age_width", "race", "people"]


@pytest.fixture(scope="module")
def rules_people(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("people") / "made.csv"
    pd.DataFrame(ROWS, columns=RULES_COLUMNS).to_csv(path, index=False)
    return str(path)


def rules_rows(rules_people: str, *more: str) -> pd.DataFrame:
    rows = frame("compare", "--population", rules_people, "--attacker", "general", *more)
    return rows.set_index(["policy", "measure"])["people"]


@pytest.mark.parametrize(("zip3", "places"), [("computed", 3), ("hhs2000", 3), ("union", 2)])
def test_total_risk_counts_the_classes_that_are_left(rules_people, zip3, places):
    """2 sexes x 2 races x 3 ages (40, 89, 90 and over) x the ZIP3 areas that are told apart.

    Computed hides 036 and 369 (left: 063, 060, 000); the printed list 036 and 063 (369, 060, 000);
    the union all three (060, 000).
    """
    found = rules_rows(rules_people, "--hipaa", "regulation", "--zip3", zip3)
    assert found["safe-harbor", "total-risk"] == 2 * 2 * 3 * places


def test_the_rules_as_written_are_the_default(rules_people):
    pd.testing.assert_series_equal(rules_rows(rules_people), rules_rows(rules_people, "--hipaa", "regulation"))
    beside = rules_rows(rules_people, "--hipaa", "paper")
    assert beside["safe-harbor-paper", "total-risk"] == 2 * 2 * 4  # every age, the state only


@pytest.mark.parametrize(
    "command", [("compare",), ("model", "trust"), ("econ", "cost"), ("model", "curve", "CT", "--g-max", "3")]
)
def test_every_study_command_takes_a_form_of_the_rules(rules_people, command):
    printed = run(*command, "--population", rules_people, "--hipaa", "regulation", "--format", "csv")
    assert "45 CFR 164.514" in printed.stderr
    assert "000 replaces" in printed.stderr


def test_the_manifest_says_which_rules_were_used(rules_people, tmp_path):
    run(
        "model",
        "trust",
        "--population",
        rules_people,
        "--hipaa",
        "regulation",
        "--zip3",
        "union",
        "--out",
        tmp_path / "out",
    )
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (manifest["options"]["rules"], manifest["options"]["zip3"]) == ("regulation", "union")
    assert "policy safe-harbor" in manifest["inputs"]
