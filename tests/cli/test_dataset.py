"""Commands on a file of records: how it is read, checked and measured."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from small_people import invoke, rows, run

# ``policy-sim dataset`` as a user runs it: figures, files, one clear line for what is wrong, no values.


SECRET = "Schmidt"


def _rows(*arguments):
    name, *others = arguments
    return pd.DataFrame(rows(*(("model", name) if name == "simulate-file" else ("dataset", name)), *others))


def _write(path, header, lines):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *lines])
    return path


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    rng = np.random.default_rng(3)
    n = 400
    columns = (rng.integers(20, 60, n), rng.choice(["M", "F"], n), rng.choice(["white", "black", ""], n))
    return _write(tmp_path_factory.mktemp("d") / "visits.csv", ("age", "sex", "race"), zip(*columns, strict=True))


def test_every_table_of_a_profile_is_written_with_its_manifest(visits, tmp_path):
    result = run(
        "dataset", "profile", visits, "--fields", "age,sex,race", "--missing", "exclude", "--out", tmp_path / "out"
    )
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
    assert "missing values: " in result.output


@pytest.mark.parametrize("rows", [[("30", "M")], [("30", "M")] * 7, [(str(i), "M") for i in range(7)]])
@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_hardly_any_record(tmp_path, rows, form):
    file = _write(tmp_path / "f.csv", ("age", "sex"), rows)
    output = run("dataset", "profile", file, "--fields", "age,sex", "--format", form, "--out", tmp_path / "out").output
    assert "nan" not in output.casefold()
    assert "inf" not in output.casefold()


def test_estimators_answer_or_say_why(visits):
    rows = _rows("estimate", visits, "--fields", "age,sex,race", "--population-size", "10000").set_index("model")
    assert (rows.index[0], len(rows)) == ("first", 8)
    rows = rows.drop(index="first")
    known = rows["uniqueness"].notna() | rows["marketer_risk"].notna()
    assert (known == (rows["status"] == "ok")).all()
    assert rows.loc["pitman", "status"] == "ok"
    assert pd.isna(rows.loc["argus", "population_uniques"])
    table = run(
        "dataset", "estimate", visits, "--fields", "age,sex", "--population-size", "10000", "--no-log-linear"
    ).output
    assert "log linear" not in table
    assert "range over the models: uniqueness (lambda 3) " in table


@pytest.mark.slow
def test_estimates_hold_no_nan_and_intervals_are_of_sampling_only(visits):
    asked = ("estimate", visits, "--fields", "age,sex,race", "--population-size", "10000", "--intervals")
    printed = {form: run("dataset", *asked, "--format", form).stdout for form in ("json", "csv", "text")}
    assert not [form for form, text in printed.items() if "nan" in text.lower()]
    table = printed["text"]
    assert table.startswith(("Between", "This sample cannot tell"))
    assert "interval" not in table


@pytest.mark.slow
def test_simulation_writes_summary_trees_and_boxes(visits, tmp_path):
    options = ("--fields", "age,sex,race", "--fractions", ".1,.5", "--runs", "4", "--workers", "1")
    rows = _rows("simulate-file", visits, *options, "--out", tmp_path / "out")
    assert sorted(rows["fraction"].unique()) == [0.1, 0.5]
    assert (rows["runs"] == 4).all()
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"summary.csv", "trust.csv", "errors.parquet", "boxes-uniqueness.svg", "tree-uniqueness.txt"} <= names
    again = _rows("simulate-file", visits, *options)
    pd.testing.assert_frame_equal(rows, again)


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


@pytest.mark.slow
def test_the_lists_of_a_day_are_those_begun_by_then(tmp_path):
    """Texas gave race in 2008 and gives none in 2026."""
    file = _write(tmp_path / "f.csv", ("age", "race", "county"), [("45", "white", "48001"), ("46", "black", "48003")])
    asked = ("score", file, "--fields", "age,race,county", "--population", "us-2010", "--state", "TX")
    of_day, of_2008, of_2026 = (
        rows("dataset", *asked, *when) for when in (("--as-of", "2015-06-01"), ("--lists", "2008"), ("--lists", "2026"))
    )
    assert of_day == of_2008 != of_2026


@pytest.mark.slow
def test_records_outside_the_census_are_counted_and_named_by_row(tmp_path):
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
    output = run("dataset", "score", file, *arguments, "--out", tmp_path / "out").output
    assert "not in the figures: 4" in output
    assert "4 of 5 records (80%)" in output.partition("own chances")[0]  # beside the scores, not at the end
    assert re.search(r"rows \D*: 2, 3, 4, 5\n", output)
    outside = pd.read_csv(tmp_path / "out" / "outside.csv")
    assert outside["row"].tolist() == [2, 3, 4, 5]
    first, *others = outside["reason"]
    assert first.startswith("nobody in the population")
    assert others == ["age is not understood", "age is missing", "sex is not understood"]
    assert SECRET not in output
    assert "50009" not in output  # groups are not named unasked
    assert "50009" in run("dataset", "score", file, *arguments, "--name-groups").output
    excluded = run("dataset", "score", file, *arguments, "--missing", "exclude").output
    assert "not in the figures: 3" in excluded


def test_every_file_of_a_folder_is_listed_and_has_its_checksum(tmp_path):
    (tmp_path / "v").mkdir()
    for name, people in (("a.csv", [("30", "M")]), ("b.csv", [("31", "F")])):
        _write(tmp_path / "v" / name, ("age", "sex"), people)
    (tmp_path / "v" / "a.csv.bak").write_text("age,sex\n30,M\n")
    output = run("dataset", "profile", tmp_path / "v", "--fields", "age,sex", "--out", tmp_path / "o").output
    assert "v (2 files: a.csv, b.csv)" in output
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


# ``dataset check`` on a file as exports leave them, and the mapping it writes in the next command.


MESSY = """\
,Patient_ID,Patient Name,DOB,Gender,ZIP,County FIPS,Dx
1,100,Ann Lee,1980-04-01,F,06010,9003,E11
2,100,Ann Lee,1980-04-01,f,6010,9003,E11
3,101,Bo Poe,1971-05-06,M,06010,9003,I10
4,102,Cy Roe,NA,M,6011,09003,I10
5,103,Di Toe,1999-12-31,M,06012,09003,J45
"""
SECRETS = ("Lee", "Poe", "1980", "6010", "E11", "9003")


@pytest.fixture
def messy(tmp_path):
    path = tmp_path / "messy.csv"
    path.write_text(MESSY, encoding="utf-8-sig")
    return path


@pytest.mark.slow
def test_kinds_and_findings_without_a_value(messy):
    done = run("dataset", "check", messy)
    for text in (
        "Patient Name  direct identifier",
        "birth_date",
        "several records of one person, at most 2",
        "leading zeros",
    ):
        assert text in done.output
    assert not [secret for secret in SECRETS if secret in done.output]


@pytest.mark.slow
def test_the_mapping_serves_the_next_command(messy, tmp_path):
    mapping = tmp_path / "messy.toml"
    assert invoke("dataset", "check", messy, "--write-mapping", mapping).exit_code == 0
    done = run("dataset", "profile", messy, "--fields", "sex,county", "--mapping", mapping, "--format", "json")
    figures = {row["measure"]: row["number"] for row in json.loads(done.stdout)}
    assert figures["classes"] == 2  # F and f are one sex, 9003 and 09003 one county


@pytest.mark.slow
def test_the_verdict_is_first_and_the_next_command_last(messy, tmp_path):
    done = invoke("dataset", "check", messy, "--write-mapping", tmp_path / "m.toml")
    assert "does not meet Safe Harbor" in done.stdout.splitlines()[0]
    following = done.stderr.splitlines()[1].removeprefix("next, to measure: policy-sim dataset ")
    assert invoke("dataset", *shlex.split(following)).exit_code == 0, following


def test_a_mapping_that_exists_is_not_overwritten(messy, tmp_path):
    mapping = tmp_path / "mine.toml"
    mapping.write_text("mine")
    done = invoke("dataset", "check", messy, "--write-mapping", mapping)
    assert (done.exit_code, mapping.read_text()) == (2, "mine")
    assert done.stderr == f"Error: --write-mapping: {mapping} already exists. Choose another name.\n"


@pytest.mark.slow
def test_machine_formats_and_files(messy, tmp_path):
    done = invoke("dataset", "check", messy, "--format", "csv", "--out", tmp_path / "out")
    assert done.stdout.splitlines()[0] == "column,kind,field,records,missing,values,reason,looks_like,safe_harbor"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "columns.csv",
        "findings.csv",
        "manifest.json",
    ]


def test_a_table_of_a_database(tmp_path):
    import sqlalchemy

    address = f"sqlite:///{tmp_path / 'clinic.db'}"
    database = sqlalchemy.create_engine(address)
    with database.begin() as connection:
        connection.execute(sqlalchemy.text("create table visits (sex text, age integer)"))
        connection.execute(sqlalchemy.text("insert into visits values ('M', 30), ('F', 41)"))
    database.dispose()
    done = run("dataset", "check", address, "--table", "visits", "--format", "csv")
    assert [line.split(",")[:3] for line in done.stdout.splitlines()[1:]] == [
        ["sex", "key field", "sex"],
        ["age", "key field", "age"],
    ]
    missing = run("dataset", "check", address, "--table", "visit", code=2)
    assert "visits" in missing.stderr


# ``policy-sim dataset profile``: classes and risks of four records, counted by hand.


@pytest.fixture
def profile_visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex,weight\n30,F,10\n30,F,10\n41,M,5\n52,M,1\n")
    return path


def figures(*words):
    return {row["measure"]: row for row in rows("dataset", "profile", *words)}


@pytest.mark.slow
def test_one_row_per_record_goes_into_a_folder_only(profile_visits, tmp_path):
    run("dataset", "profile", profile_visits, "--fields", "age,sex", "--records", "--out", tmp_path / "out")
    with (tmp_path / "out" / "records.csv").open() as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == ["row", "class_size", "risk", "suda_score", "match_chance", "status"]
    assert [row["row"] for row in found] == ["1", "2", "3", "4"]
    assert [row["class_size"] for row in found] == ["2", "2", "1", "1"]
    assert not any("F" in row.values() or "41" in row.values() for row in found)


@pytest.mark.slow
def test_dates_in_two_forms_are_named_without_a_value(tmp_path):
    """The same three birthdays, written in two ways: six values as text, three people as dates."""
    path, mapping = tmp_path / "visits.csv", tmp_path / "visits.toml"
    path.write_text("dob,sex\n1980-07-04,F\n07/04/1980,F\n1980-07-15,F\n07/15/1980,F\n1981-01-30,M\n01/30/1981,M\n")
    mapping.write_text('[fields.birth_date]\ncolumn = "dob"\n')
    raw = run("dataset", "profile", path, "--fields", "dob,sex")
    lines = raw.output.replace("\n  ", " ").splitlines()  # a long line goes on there
    (note,) = [line for line in lines if "warning: dob: dates are written in 2 forms" in line]
    assert "(MM/DD/YYYY; YYYY-MM-DD)" in note
    assert "names it as birth_date" in note
    assert "1980" not in note
    read = run("dataset", "profile", path, "--fields", "birth_date,sex", "--mapping", mapping)
    assert "warning: dob" not in read.output
    assert figures(path, "--fields", "dob,sex")["records alone in their class"]["number"] == 6
    alone = figures(path, "--fields", "birth_date,sex", "--mapping", mapping)["records alone in their class"]
    assert alone["number"] == 0


def test_dates_in_one_form_have_no_note(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("dob,sex\n04/07/1980,F\n12/14/1980,F\n")
    assert "forms" not in run("dataset", "profile", path, "--fields", "dob,sex").output


def test_without_combinations_there_are_none(profile_visits, tmp_path):
    run("dataset", "profile", profile_visits, "--fields", "age,sex", "--no-suda", "--out", tmp_path / "out")
    with (tmp_path / "out" / "combinations.csv").open() as file:
        assert list(csv.DictReader(file)) == []


# One file of records as every program exports it, and what its codes mean: one mapping holds for every command.


MAPPING = """
missing = ["?"]
[fields.sex]
column = "SEX"
codes = { "1" = "M", "2" = "F", "9" = "?" }
[fields.age]
column = "AGE"
top = 90
[fields.county]
column = "FIPS"
[fields.ward]
column = "WARD"
codes = { "a" = "1", "A" = "1" }
"""
FIELDS = "age,sex,county,ward"


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """The same 120 records, clean and as several programs and people would write them."""
    folder = tmp_path_factory.mktemp("twins")
    rng = np.random.default_rng(5)
    n = 120
    clean = pd.DataFrame(
        {
            "age": rng.choice([30, 31, 90], n),
            "sex": rng.choice(["M", "F", ""], n),
            "county": rng.choice(["09001", "09003", "50009"], n),
            "ward": rng.choice(["1", "2"], n),
        }
    )
    ways = {
        "age": {30: ["30", "30.0", " 30"], 31: ["31", "31,0"], 90: ["90+", "93", "90", "104"]},
        "sex": {"M": ["M", "male", "1", "m"], "F": ["F", "female", "2"], "": ["", "?", "9"]},
        "county": {"09001": ["09001", "9001", "9001.0"], "09003": ["9003", "09003"], "50009": ["50009"]},
        "ward": {"1": ["1", "a", "A"], "2": ["2"]},
    }
    dirty = pd.DataFrame(
        {name.upper(): [str(rng.choice(ways[name][value])) for value in clean[name]] for name in clean}
    ).rename(columns={"COUNTY": "FIPS"})
    clean.to_csv(folder / "clean.csv", index=False)
    dirty.to_csv(folder / "dirty.csv", index=False)
    (folder / "m.toml").write_text(MAPPING)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("profile", ("--missing", "wildcard")),
        ("estimate", ("--population-size", "5000", "--no-log-linear", "--missing", "exclude")),
        ("simulate-file", ("--runs", "3", "--fractions", ".5", "--workers", "1")),
    ],
)
def test_a_mapped_file_has_the_figures_of_its_clean_twin(twins, command, options):
    mapped = _rows(command, twins / "dirty.csv", "--fields", FIELDS, "--mapping", twins / "m.toml", *options)
    clean = _rows(command, twins / "clean.csv", "--fields", FIELDS, *options)
    pd.testing.assert_frame_equal(mapped, clean)


@pytest.mark.slow
def test_a_mapped_score_is_that_of_the_clean_twin(twins):
    states = ("--state", "CT", "--state", "VT")  # those of the records
    options = ("--fields", "age,sex,county", "--population", "us-2010", "--lists", "2008", *states)
    topped = twins / "top.toml"
    topped.write_text("[fields.age]\ntop = 90\n")
    asked = ("score", twins / "dirty.csv", "--mapping", twins / "m.toml", *options, "--format", "json")
    mapped = run("dataset", *asked)
    clean = _rows("score", twins / "clean.csv", "--mapping", topped, *options)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(mapped.stdout)), clean)
    assert any("leading zeros" in line and line.endswith(": 3") for line in mapped.stderr.splitlines())


@pytest.mark.slow
def test_two_files_are_compared_in_the_words_of_their_mappings(twins):
    plain = twins / "plain.toml"
    plain.write_text("[fields.age]\ntop = 90\n")
    options = ("--fields", FIELDS, "--missing", "exclude")
    pair = _rows(
        "score", twins / "dirty.csv", "--mapping", twins / "m.toml", *options, "--against", twins / "clean.csv",
        "--against-mapping", plain,
    )  # fmt: skip
    same = _rows("score", twins / "clean.csv", *options, "--against", twins / "clean.csv")
    pd.testing.assert_frame_equal(pair, same)
    # without a mapping of its own the second file has that of the first
    alike = _rows(
        "score", twins / "dirty.csv", "--mapping", twins / "m.toml", *options, "--against", twins / "dirty.csv"
    )
    pd.testing.assert_frame_equal(alike, same)


@pytest.mark.slow
def test_what_the_mapping_does_not_explain_is_counted(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text(f"sex,age\n1,30\nM,30\n{SECRET},30\nNA,31\n")
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields.sex]\ncodes = { "1" = "M" }\n')
    output = run("dataset", "profile", file, "--fields", "sex,age", "--mapping", mapping).output
    assert any(line.strip().startswith("sex: ") and line.endswith(": 2") for line in output.splitlines())
    assert "sex: 'NA' in 1 record" in output
    assert SECRET not in output
    assert "looks like" not in run("dataset", "profile", file, "--fields", "sex,age", "--missing-code", "NA").output
    few = run(
        "dataset", "profile", file, "--fields", "sex,age", "--mapping", mapping, "--max-classes", "2", code=2
    ).output
    assert "Raise the limit on classes" in few
