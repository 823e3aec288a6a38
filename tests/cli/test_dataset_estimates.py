"""Commands that estimate and score a file of records."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from said import numbers
from small_people import PEOPLE, rows, run, written

from policy_sim.cli.dataset import file_options

# ``policy-sim dataset estimate``: a range first, then every estimator with an answer or a reason.


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
    intervals = [row for row in rows(*words) if row["uniqueness_low"] is not None]
    assert {row["range_of"] for row in intervals[1:]} == {"sampling error"}
    assert all(row["uniqueness_low"] <= row["uniqueness"] <= row["uniqueness_high"] for row in intervals)


def test_a_sample_that_cannot_tell_names_the_census_where_it_knows_the_fields(tmp_path):
    """90 of 11,799,448 people say next to nothing."""
    path = tmp_path / "visits.csv"
    path.write_text(
        "age,sex,shoe\n" + "".join(f"{20 + row * row % 61},{'MF'[row % 2]},{row % 3}\n" for row in range(90))
    )
    words = ("dataset", "estimate", path, "--population-size", 11_799_448, "--fields")
    first = run(*words, "age,sex,shoe").stdout.splitlines()[0]
    assert "cannot tell" in first
    assert numbers(first)[0] == "11,799,448"
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
def test_a_seed_gives_the_same_intervals(visits):
    words = ("dataset", "estimate", visits, "--fields", "age,sex", "--population-size", 5000, "--no-log-linear")
    first, again = (rows(*words, "--intervals", "--seed", 3) for _ in range(2))
    assert first == again
    assert any("low" in name for name in first[0])


# ``policy-sim dataset score``: a file beside people counted by hand, or beside a second file.


@pytest.fixture
def score_visits(tmp_path):
    """One record per age in one county of Ohio: of each sex and age six people live there."""
    path = tmp_path / "visits.csv"
    path.write_text("age,sex,county\n" + "".join(f"{age},F,39001\n" for age in PEOPLE))
    return path


@pytest.fixture
def words(score_visits, tmp_path):
    return ("dataset", "score", score_visits, "--fields", "age,sex,county", "--population", written(tmp_path))


def test_a_record_is_one_of_those_who_share_its_values(words):
    (row,) = rows(*words, "--attacker", "general")
    assert row["records"] == 4
    # of each race as many as PEOPLE says, and race is not a field: twice as many
    assert row["total_risk"] == pytest.approx(sum(1 / (2 * many) for many in PEOPLE.values()))


def test_a_population_without_a_day_takes_ages_as_they_are(words):
    assert "ages are those of the file" in run(*words, "--attacker", "general").output


@pytest.mark.slow
def test_a_score_imports_no_estimator(score_visits, tmp_path):
    arguments = ["dataset", "score", str(score_visits), "--fields", "age,sex,county", "--population", written(tmp_path)]
    code = (
        "import sys\nfrom policy_sim.cli.main import cli\n"
        f"cli({arguments!r}, standalone_mode=False)\n"
        "names = [name for name in sys.modules if name.startswith('policy_sim.estimators')]\n"
        "print(names, file=sys.stderr)\nsys.exit(len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Options that the commands on a file of records share: how the file is read, and what its manifest says.


@pytest.fixture
def options_visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n30,F\n30,F\n41,M\n?,M\n")
    return path


def opened(*words, rules=("own", "exclude")):
    taken = {}

    @click.command()
    @file_options(rules)
    def command(file):
        taken["file"] = file

    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return taken["file"]


def test_options_become_the_file(options_visits):
    file = opened(
        options_visits, "--fields", "age,sex", "--missing", "exclude", "--missing-code", "?", "--max-classes", 9
    )
    assert file.records.fields == ("age", "sex")
    assert (file.missing, file.most_classes, file.memory) == ("exclude", 9, "2GB")
    assert file.records.mapping.missing[-1] == "?"
