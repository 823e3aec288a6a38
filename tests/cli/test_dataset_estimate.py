"""``policy-sim dataset estimate``: a range first, then every estimator with an answer or a reason."""

import csv
import io
import json

import pytest
from small_people import one_line, rows, run


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + row * row % 61},{'MF'[row % 2]}\n" for row in range(200)))
    return path


def test_the_recommended_line_is_first_in_a_table_and_a_note_elsewhere(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000)
    table, plain = run(*words), run(*words, "--format", "csv")
    first = table.stdout.splitlines()[0]
    assert first in plain.stderr
    assert first not in plain.stdout
    assert "between" in first


@pytest.mark.slow
def test_the_row_first_is_first_in_csv_and_json_and_lies_in_its_range(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 1000, "--intervals")
    for form in ("csv", "json"):
        text = run(*words, "--format", form).stdout
        row = json.loads(text)[0] if form == "json" else next(csv.DictReader(io.StringIO(text)))
        assert row["model"] == "first"
        assert row["range_of"] in ("tested range", "range of the models", "cannot tell")
        for measure in ("uniqueness", "marketer_risk"):
            low, figure, high = (float(row[f"{measure}{end}"]) for end in ("_low", "", "_high"))
            assert 0 <= low <= figure <= high <= 1
            assert low < high


@pytest.mark.slow
def test_every_interval_holds_its_figure(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 1000, "--intervals")
    intervals = [row for row in rows(*words) if row["uniqueness_low"] is not None]
    assert {row["range_of"] for row in intervals[1:]} == {"sampling error"}
    for row in intervals:
        assert row["uniqueness_low"] <= row["uniqueness"] <= row["uniqueness_high"]


def test_a_sample_that_cannot_tell_names_the_census_where_it_knows_the_fields(tmp_path):
    """90 of 11,799,448 people say next to nothing."""
    path = tmp_path / "visits.csv"
    path.write_text(
        "age,sex,shoe\n" + "".join(f"{20 + row * row % 61},{'MF'[row % 2]},{row % 3}\n" for row in range(90))
    )
    words = ("dataset", "estimate", path, "--population-size", 11_799_448, "--fields")
    first = run(*words, "age,sex,shoe").stdout.splitlines()[0]
    assert first.startswith("This sample cannot tell how many of 11,799,448 people")
    assert "census" not in first
    known = run(*words, "age,sex").stdout.splitlines()[0]
    assert "'policy-sim dataset score'" in known


def test_a_population_of_the_records_alone_has_their_own_uniques(tmp_path):
    """Nobody else is there: a record alone in the file is alone in the population."""
    path = tmp_path / "visits.csv"
    path.write_text("age\n30\n30\n41\n52\n")
    found = rows("dataset", "estimate", path, "--fields", "age", "--population-size", 4, "--no-log-linear")
    answered = [row for row in found if row["status"] == "ok"]
    assert answered
    for row in answered:
        assert row["uniqueness"] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.slow
def test_the_log_linear_model_can_be_left_out(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000)
    models = {row["model"] for row in rows(*words)}
    without = {row["model"] for row in rows(*words, "--no-log-linear")}
    assert models - without == {"poisson_log_linear"}


@pytest.mark.slow
def test_a_seed_gives_the_same_intervals(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000, "--no-log-linear")
    first, again = (rows(*words, "--intervals", "--seed", 3) for _ in range(2))
    assert first == again
    assert any("low" in name for name in first[0])


def test_a_population_smaller_than_the_file_is_one_line(visits):
    one_line("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 199)
