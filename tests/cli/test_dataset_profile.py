"""``policy-sim dataset profile``: classes and risks of four records, counted by hand."""

import csv

import pytest
from small_people import one_line, rows, run


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex,weight\n30,F,10\n30,F,10\n41,M,5\n52,M,1\n")
    return path


def figures(*words):
    return {row["measure"]: row for row in rows("dataset", "profile", *words)}


@pytest.mark.slow
def test_two_alike_and_two_alone(visits):
    """Classes of 2, 1 and 1: two uniques; risks 1/2, 1/2, 1 and 1, of which the mean is 3/4."""
    found = figures(visits, "--fields", "age,sex")
    assert [found[name]["number"] for name in ("records", "classes", "records alone in their class")] == [4, 3, 2]
    assert found["prosecutor risk, average over records"]["share"] == pytest.approx(3 / 4)
    assert found["prosecutor risk, maximum"]["share"] == 1


@pytest.mark.slow
def test_the_verdict_comes_before_the_tables(visits):
    text = run("dataset", "profile", visits, "--fields", "age,sex").output
    assert text.index("2 of 4 records (50%) are alone") < text.index("measure")
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.slow
def test_a_threshold_is_a_class_size_however_it_is_written(visits):
    words = (visits, "--fields", "age,sex", "--threshold")
    for text in ("k=2", "1/2", "0.5"):
        (above,) = (row for name, row in figures(*words, text).items() if "risk above" in name)
        assert (above["number"], above["share"]) == (2, 0.5)


@pytest.mark.slow
def test_one_row_per_record_goes_into_a_folder_only(visits, tmp_path):
    assert "--records needs --out" in one_line("dataset", "profile", visits, "--fields", "age", "--records")
    run("dataset", "profile", visits, "--fields", "age,sex", "--records", "--out", tmp_path / "out")
    with (tmp_path / "out" / "records.csv").open() as file:
        found = list(csv.DictReader(file))
    assert [row["row"] for row in found] == ["1", "2", "3", "4"]
    assert [row["class_size"] for row in found] == ["2", "2", "1", "1"]
    assert not any("F" in row.values() or "41" in row.values() for row in found)


@pytest.mark.slow
@pytest.mark.parametrize("question", [("profile",), ("estimate", "--population-size", "100")])
def test_dates_in_two_forms_are_named_without_a_value(tmp_path, question):
    """The same three birthdays, written in two ways: six values as text, three people as dates."""
    path, mapping = tmp_path / "visits.csv", tmp_path / "visits.toml"
    path.write_text("dob,sex\n1980-07-04,F\n07/04/1980,F\n1980-07-15,F\n07/15/1980,F\n1981-01-30,M\n01/30/1981,M\n")
    mapping.write_text('[fields.birth_date]\ncolumn = "dob"\n')
    raw = run("dataset", question[0], path, "--fields", "dob,sex", *question[1:])
    (note,) = [line for line in raw.output.splitlines() if "warning: dob: dates are written in 2 forms" in line]
    assert "(MM/DD/YYYY; YYYY-MM-DD)" in note
    assert "a column mapping that names it as birth_date" in note
    assert "1980" not in note
    read = run("dataset", question[0], path, "--fields", "birth_date,sex", "--mapping", mapping, *question[1:])
    assert "warning: dob" not in read.output
    if question[0] == "profile":
        assert figures(path, "--fields", "dob,sex")["records alone in their class"]["number"] == 6
        alone = figures(path, "--fields", "birth_date,sex", "--mapping", mapping)["records alone in their class"]
        assert alone["number"] == 0


def test_dates_in_one_form_have_no_note(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("dob,sex\n04/07/1980,F\n12/14/1980,F\n")
    assert "forms" not in run("dataset", "profile", path, "--fields", "dob,sex").output


def test_without_combinations_there_are_none(visits, tmp_path):
    run("dataset", "profile", visits, "--fields", "age,sex", "--no-suda", "--out", tmp_path / "out")
    with (tmp_path / "out" / "combinations.csv").open() as file:
        assert list(csv.DictReader(file)) == []


@pytest.mark.parametrize(
    "words",
    [("--threshold", "2"), ("--threshold", "k=0"), ("--cutoff", "nan"), ("--weight", "height"), ("--weight", "sex")],
)
def test_what_cannot_be_measured_is_one_line(words, visits):
    one_line("dataset", "profile", visits, "--fields", "age,sex", *words)
