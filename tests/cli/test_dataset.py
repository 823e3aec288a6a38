"""``policy-sim dataset`` as a user runs it: figures, files, one clear line for what is wrong, no values."""

import csv
import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.formulas.groups import total_risk
from policy_sim.people.by_name import load_population
from policy_sim.people.merge import merge
from policy_sim.words.fields import Granularities

SECRET = "Schmidt"
COMMANDS = ("profile", "score", "estimate", "simulate")


def _run(*arguments, status=0):
    result = CliRunner().invoke(cli, ["dataset", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result


def _rows(*arguments, **options):
    return pd.DataFrame(json.loads(_run(*arguments, "--format", "json", **options).stdout))


def _write(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    rng = np.random.default_rng(3)
    n = 400
    columns = (rng.integers(20, 60, n), rng.choice(["M", "F"], n), rng.choice(["white", "black", ""], n))
    return _write(tmp_path_factory.mktemp("d") / "visits.csv", ("age", "sex", "race"), zip(*columns, strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command):
    assert f"policy-sim dataset {command}" in _run(command, "--help").output


def test_the_profile_of_adult(shared):
    file = shared / "microdata" / "adult_arx.csv"
    figures = _rows("profile", file, "--fields", "age,education,race,sex").set_index("measure")
    assert figures.loc["classes", "number"] == 3152
    assert figures.loc["records alone in their class", "number"] == 1206
    assert round(figures.loc["prosecutor risk, average over records", "share"], 6) == 0.104502


def test_every_table_of_a_profile_is_written_with_its_manifest(visits, tmp_path):
    result = _run("profile", visits, "--fields", "age,sex,race", "--missing", "exclude", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"figures.csv", "fields.csv", "combinations.csv", "sizes.csv", "scores.csv", "manifest.json"}
    sizes = pd.read_csv(tmp_path / "out" / "sizes.csv")
    figures = pd.read_csv(tmp_path / "out" / "figures.csv").set_index("measure")
    left_out = figures.loc["records left out, a key field missing", "number"]
    assert sizes["records"].sum() + left_out == 400
    assert (sizes["records"] == sizes["size"] * sizes["classes"]).all()
    assert len(pd.read_csv(tmp_path / "out" / "combinations.csv")) == 7
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert set(manifest["inputs"]) == {"visits.csv"}
    assert str(tmp_path) not in json.dumps(manifest)
    assert "missing values: records that miss a key field are left out" in result.output


def test_few_classes_may_be_held_and_the_figures_stay_the_same(visits):
    whole = _rows("profile", visits, "--fields", "age,sex,race")
    result = _run("profile", visits, "--fields", "age,sex,race", "--max-classes", "5", "--format", "json")
    pd.testing.assert_frame_equal(whole, pd.DataFrame(json.loads(result.stdout)))
    assert "no combinations and scores: " in result.stderr
    wild = _run("profile", visits, "--fields", "age,race", "--missing", "wildcard", "--max-classes", "5", status=2)
    assert "Raise the limit on classes" in wild.output


def test_an_identifier_is_warned_of(tmp_path):
    file = _write(tmp_path / "f.csv", ("name", "sex"), [(f"{SECRET}{i}", "MF"[i % 2]) for i in range(50)])
    output = _run("profile", file, "--fields", "name,sex").output
    assert "warning: field 'name' has a different value in nearly every record: is it an identifier?" in output
    assert SECRET not in output


@pytest.mark.parametrize("rows", [[("30", "M")], [("30", "M")] * 7, [(str(i), "M") for i in range(7)]])
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_hardly_any_record(tmp_path, rows, form):
    file = _write(tmp_path / "f.csv", ("age", "sex"), rows)
    output = _run("profile", file, "--fields", "age,sex", "--format", form, "--out", tmp_path / "out").output
    assert "nan" not in output.casefold()
    assert "inf" not in output.casefold()


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("a,b\n1,2\n", ["--fields", "a,z"], "column 'z' is not known. Known: a, b."),
        (f"a,b\n1,2\n{SECRET}\n", ["--fields", "a"], "line 3 has 1 columns, but the header has 2"),
        ("", ["--fields", "a"], "the file is empty"),
        ("a\n1\n", ["--fields", "a", "--threshold", "high"], "threshold 'high' is not a risk"),
        ("a\n1\n", ["--fields", "a", "--engine", "abacus"], "engine 'abacus' is unknown"),
        ("a\n1\n", ["--fields", "a", "--memory", "some"], "is not an amount of memory"),
    ],
)
def test_bad_input_is_one_line(tmp_path, content, arguments, message):
    file = tmp_path / "f.csv"
    file.write_text(content)
    result = _run("profile", file, *arguments, status=2)
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert SECRET not in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("profile", "--fields", "age,sex"),
        ("profile", "--fields", "age,sex", "--missing", "exclude"),
        ("score", "--fields", "age,sex", "--state", "OH"),
        ("estimate", "--fields", "age,sex", "--population-size", "11799448"),
        ("simulate", "--fields", "age,sex"),
    ],
)
def test_a_header_alone_is_one_line_and_no_table(tmp_path, arguments):
    file = tmp_path / "f.csv"
    file.write_text("age,sex\n")
    output = _run(arguments[0], file, *arguments[1:], status=2).output
    assert "there is no record" in output
    assert len(output.strip().splitlines()) == 1


def test_estimators_answer_or_say_why(visits):
    rows = _rows("estimate", visits, "--fields", "age,sex,race", "--population-size", "10000").set_index("model")
    assert (rows.index[0], len(rows)) == ("first", 8)
    rows = rows.drop(index="first")
    known = rows["uniqueness"].notna() | rows["marketer_risk"].notna()
    assert (known == (rows["status"] == "ok")).all()
    assert rows.loc["pitman", "status"] == "ok"
    assert pd.isna(rows.loc["argus", "population_uniques"])
    table = _run("estimate", visits, "--fields", "age,sex", "--population-size", "10000", "--no-log-linear").output
    assert "log linear" not in table
    assert "range over the models: uniqueness (lambda 3) " in table


@pytest.mark.slow
def test_estimates_hold_no_nan_and_intervals_are_of_sampling_only(visits):
    asked = ("estimate", visits, "--fields", "age,sex,race", "--population-size", "10000", "--intervals")
    for form in ("json", "csv", "table"):
        assert "nan" not in _run(*asked, "--format", form).stdout.lower()
    table = _run(*asked).stdout
    assert table.startswith(("Between", "This sample cannot tell"))
    assert "interval" not in table


def test_a_population_smaller_than_the_file_is_refused(visits):
    result = _run("estimate", visits, "--fields", "age", "--population-size", "399", status=2)
    assert "smaller than the sample of 400 records" in result.output


@pytest.mark.slow
def test_simulation_writes_summary_trees_and_boxes(visits, tmp_path):
    options = ("--fields", "age,sex,race", "--fractions", ".1,.5", "--runs", "4", "--workers", "1")
    rows = _rows("simulate", visits, *options, "--out", tmp_path / "out")
    assert sorted(rows["fraction"].unique()) == [0.1, 0.5]
    assert (rows["runs"] == 4).all()
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"summary.csv", "trust.csv", "errors.parquet", "boxes-uniqueness.svg", "tree-uniqueness.txt"} <= names
    again = _rows("simulate", visits, *options)
    pd.testing.assert_frame_equal(rows, again)
    bad = _run("simulate", visits, "--fields", "age", "--fractions", "half", status=2)
    assert "give numbers separated by commas" in bad.output


def test_against_a_second_file(tmp_path):
    """Dankar and El Emam 2010, section 4.3, as files: classes of 5, 20 and 23 people."""
    people = [("x", "1")] * 5 + [("y", "1")] * 20 + [("z", "2")] * 23
    voters = _write(tmp_path / "voters.csv", ("NAME", "code"), people)
    file = _write(tmp_path / "f.csv", ("name", "code"), [("x", "1"), ("y", "1"), ("z", "2")])
    mapping = tmp_path / "voters.toml"
    mapping.write_text('[fields.name]\ncolumn = "NAME"\n')
    rows = _rows("score", file, "--fields", "name,code", "--against", voters, "--against-mapping", mapping).set_index(
        "measure"
    )
    assert rows.loc["journalist risk, maximum", "share"] == 0.2
    assert rows.loc["marketer risk", "share"] == pytest.approx((1 / 5 + 1 / 20 + 1 / 23) / 3)
    assert rows.loc["people in the identified file", "number"] == 48


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--against", "FILE", "--population", "us-2020"), "--population works only without --against"),
        (("--against", "FILE", "--top", "3"), "--top works only without --against"),
        (("--against-table", "people"), "--against-table works only with --against"),
    ],
)
def test_an_option_of_the_other_score_is_refused(tmp_path, options, said):
    file = _write(tmp_path / "f.csv", ("sex", "age"), [("M", "1")])
    given = [file if option == "FILE" else option for option in options]
    assert said in _run("score", file, "--fields", "sex,age", *given, status=2).output


@pytest.fixture(scope="module")
def vermont():
    return load_population("us-2010").in_states(["VT"])


def _everyone(path, population, county):
    cells = population.cells[population.cells["county"] == county]
    rows = cells.loc[cells.index.repeat(cells["people"]), ["age", "sex", "race", "county"]]
    rows.astype(str).to_csv(path, index=False)
    return len(rows)


@pytest.mark.slow
def test_a_file_of_a_whole_county_has_the_total_risk_of_the_census(vermont, tmp_path):
    county = "50009"  # Essex, the smallest of Vermont
    file = tmp_path / "county.csv"
    number = _everyone(file, vermont, county)
    rows = _rows("score", file, "--fields", "age,sex,race,county", "--population", "us-2010", "--state", "VT")
    general = rows.set_index("attacker").loc["general"]
    assert general["records"] == number
    key = Granularities.parse("gender+race+birth=year+geography=county")
    cells = vermont.cells[vermont.cells["county"] == county]
    expected = total_risk(merge(type(vermont)(cells, vermont.provenance), key)).item()
    assert general["total_risk"] == pytest.approx(expected, rel=1e-12)
    assert general["price_status"] == "not_needed"
    voter = rows.set_index("attacker").loc["voter"]
    assert voter["total_risk"] is None or voter["total_risk"] <= expected


@pytest.mark.slow
def test_the_lists_of_a_day_are_those_begun_by_then(tmp_path):
    """Texas gave race in 2008 and gives none in 2026."""
    file = _write(tmp_path / "f.csv", ("age", "race", "county"), [("45", "white", "48001"), ("46", "black", "48003")])
    asked = ("score", file, "--fields", "age,race,county", "--population", "us-2010", "--state", "TX")
    of_day, of_year = _rows(*asked, "--as-of", "2015-06-01"), _rows(*asked, "--lists", "2008")
    assert of_day.equals(of_year)
    assert "voter lists: as of 2015-06-01: vintage 2008 for all states" in _run(*asked, "--as-of", "2015-06-01").output
    assert not of_day.equals(_rows(*asked, "--lists", "2026"))
    assert "use one of them" in _run(*asked, "--as-of", "2015-06-01", "--lists", "2008", status=2).output


@pytest.mark.slow
def test_records_outside_the_census_are_counted_and_named_by_row(vermont, tmp_path):
    rows = [
        ("34", "F", "50009"),
        ("34", "F", "50999"),
        ("old", "F", "50009"),
        ("", "M", "50007"),
        ("34", SECRET, "50007"),
    ]
    file = _write(tmp_path / "f.csv", ("AGE", "SEX", "FIPS"), rows)
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields.age]\ncolumn="AGE"\n[fields.sex]\ncolumn="SEX"\n[fields.county]\ncolumn="FIPS"\n')
    arguments = ("--fields", "age,sex,county", "--mapping", mapping, "--population", "us-2010", "--state", "VT")
    output = _run("score", file, *arguments, "--out", tmp_path / "out").output
    assert "records outside the population's cells, not in the figures: 4" in output
    assert "rows (the header not counted): 2, 3, 4, 5" in output
    outside = pd.read_csv(tmp_path / "out" / "outside.csv")
    assert outside["row"].tolist() == [2, 3, 4, 5]
    assert outside["reason"].tolist() == [
        "nobody in the population has these values together",
        "age is not understood",
        "age is missing",
        "sex is not understood",
    ]
    assert SECRET not in output
    assert "50009" not in output  # groups are not named unasked
    assert "50009" in _run("score", file, *arguments, "--name-groups").output
    excluded = _run("score", file, *arguments, "--missing", "exclude").output
    assert "not in the figures: 3" in excluded


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ("age,color", ["--state", "VT"], "'color' is not in any census"),
        ("age", [], "no field shows the state"),
        ("age", ["--state", "Atlantis"], "state 'Atlantis' is not known"),
        ("age", ["--state", "VT", "--population", "us-1066"], "population 'us-1066' is not known"),
        ("age", ["--state", "VT", "--lists", "1066"], "'1066' is not known"),
    ],
)
def test_what_cannot_be_scored_is_one_line(tmp_path, fields, options, message):
    file = _write(tmp_path / "f.csv", ("age", "color"), [("30", "red")])
    result = _run("score", file, "--fields", fields, *options, status=2)
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_hidden_folders_of_killed_runs_are_swept_from_where_results_go(visits, tmp_path):
    out = tmp_path / "o"
    left = [tmp_path / ".o-0123abcd.policy-sim-run", out / ".o-0123abcd.policy-sim-run"]
    for folder in left:
        folder.mkdir(parents=True)
        (folder / "scores.csv").write_text(SECRET)
    _run("profile", visits, "--fields", "age,sex", "--out", out)
    assert [path.name for path in (*tmp_path.iterdir(), *out.iterdir()) if path.name.startswith(".")] == []


def test_every_file_of_a_folder_is_listed_and_has_its_checksum(tmp_path):
    (tmp_path / "v").mkdir()
    for name, rows in (("a.csv", [("30", "M")]), ("b.csv", [("31", "F")])):
        _write(tmp_path / "v" / name, ("age", "sex"), rows)
    (tmp_path / "v" / "a.csv.bak").write_text("age,sex\n30,M\n")
    output = _run("profile", tmp_path / "v", "--fields", "age,sex", "--out", tmp_path / "o").output
    assert "file: v (2 files: a.csv, b.csv); key fields: age, sex" in output
    inputs = json.loads((tmp_path / "o" / "manifest.json").read_text())["inputs"]
    expected = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (tmp_path / "v").glob("*.csv")}
    assert inputs == expected


def test_the_checksum_is_that_of_the_file_that_is_read(tmp_path):
    file = _write(tmp_path / "visits[1].csv", ("age",), [("30",), ("30",)])
    _write(tmp_path / "visits1.csv", ("age",), [("40",)])
    rows = _rows("profile", file, "--fields", "age", "--out", tmp_path / "o").set_index("measure")
    assert rows.loc["records", "number"] == 2
    inputs = json.loads((tmp_path / "o" / "manifest.json").read_text())["inputs"]
    assert inputs == {"visits[1].csv": hashlib.sha256(file.read_bytes()).hexdigest()}


@pytest.mark.slow
def test_a_code_that_occurs_nowhere_is_noted(tmp_path):
    file = _write(tmp_path / "f.csv", ("age", "sex"), [("99.0", "M"), ("30", "F")])
    asked = ("--fields", "age,sex", "--missing-code", "99", "--missing-code", "?", "--missing", "exclude")
    for output in (
        _run("profile", file, *asked, "--out", tmp_path / "o").output,
        (tmp_path / "o" / "manifest.json").read_text(),
        _run("estimate", file, *asked, "--population-size", "100").output,
    ):
        assert "the code '?' for missing values occurs in no key field" in output
        assert "'99'" not in output
    rows = _rows("profile", file, *asked).set_index("measure")
    assert rows.loc["records left out, a key field missing", "number"] == 1


@pytest.mark.parametrize(
    "location",
    [
        "postgres://me:Schmidt@127.0.0.1:1/db",
        "s3://Schmidt:Schmidt@bucket/v.csv",
        "foo://me:Schmidt@h/v",
        "s3://me:Schmidt@b/v*",
    ],
)
@pytest.mark.parametrize("more", [(), ("--table", "t"), ("--engine", "bar://me:Schmidt@h")])
def test_no_password_of_a_location_is_echoed(location, more):
    output = _run("profile", location, "--fields", "age", *more, status=2).output
    assert SECRET not in output
    assert "://" in output
    assert len([line for line in output.strip().splitlines() if line.startswith("Error")]) == 1
