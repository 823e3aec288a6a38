"""``policy-sim dataset estimate``: one recommended line, then every estimator with an answer or a reason."""

import pytest
from small_people import one_line, rows, run


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + row % 37},{'MF'[row % 2]}\n" for row in range(200)))
    return path


def test_the_recommended_line_is_first_in_a_table_and_a_note_elsewhere(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000)
    table, csv = run(*words), run(*words, "--format", "csv")
    first = table.stdout.splitlines()[0]
    assert first in csv.stderr
    assert first not in csv.stdout


def test_a_population_of_the_records_alone_has_their_own_uniques(tmp_path):
    """Nobody else is there: a record alone in the file is alone in the population."""
    path = tmp_path / "visits.csv"
    path.write_text("age\n30\n30\n41\n52\n")
    found = rows("dataset", "estimate", path, "--fields", "age", "--population-size", 4, "--no-log-linear")
    answered = [row for row in found if row["status"] == "ok"]
    assert answered
    for row in answered:
        assert row["uniqueness"] == pytest.approx(0.5, abs=1e-6)


def test_the_log_linear_model_can_be_left_out(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000)
    models = {row["model"] for row in rows(*words)}
    without = {row["model"] for row in rows(*words, "--no-log-linear")}
    assert models - without == {"poisson_log_linear"}


def test_a_seed_gives_the_same_intervals(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000, "--no-log-linear")
    first, again = (rows(*words, "--intervals", "--seed", 3) for _ in range(2))
    assert first == again
    assert any("low" in name for name in first[0])


def test_a_population_smaller_than_the_file_is_one_line(visits):
    one_line("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 199)
