"""``policy-sim dataset score``: a file beside people counted by hand, or beside a second file."""

import subprocess
import sys

import pytest
from small_people import PEOPLE, one_line, rows, run, written


@pytest.fixture
def visits(tmp_path):
    """One record per age in one county of Ohio: of each sex and age six people live there."""
    path = tmp_path / "visits.csv"
    path.write_text("age,sex,county\n" + "".join(f"{age},F,39001\n" for age in PEOPLE))
    return path


@pytest.fixture
def words(visits, tmp_path):
    return ("dataset", "score", visits, "--fields", "age,sex,county", "--population", written(tmp_path))


def test_a_record_is_one_of_those_who_share_its_values(words):
    (row,) = rows(*words, "--attacker", "general")
    assert row["records"] == 4
    # of each race as many as PEOPLE says, and race is not a field: twice as many
    assert row["total_risk"] == pytest.approx(sum(1 / (2 * many) for many in PEOPLE.values()))


def test_a_second_file_takes_the_place_of_the_census(visits, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("age,sex,county\n" + "30,F,39001\n" * 4 + "10,F,39001\n")
    scores = {
        row["measure"]: row
        for row in rows("dataset", "score", visits, "--fields", "age,sex,county", "--against", people)
    }
    assert any(row["share"] == pytest.approx((1 / 4 + 1) / 4) for row in scores.values())  # marketer risk


def test_options_that_would_have_no_effect_are_refused(words, visits, tmp_path):
    one_line(*words, "--against-table", "people")
    one_line("dataset", "score", visits, "--fields", "age", "--against", visits, "--state", "OH")
    assert "--records needs --out" in one_line(*words, "--records")


@pytest.mark.slow
def test_groups_are_counted_and_named_only_when_asked_for(words):
    plain, named = run(*words, "--attacker", "general"), run(*words, "--attacker", "general", "--name-groups")
    assert "39001" not in plain.stdout
    assert "39001" in named.stdout


def test_what_has_no_answer_is_one_line(words):
    one_line(*words, "--attacker", "nobody")
    one_line(*words, "--state", "Atlantis")
    assert "scholar" in one_line(*words, "--buyer", "pirate")


def test_a_population_without_a_day_takes_ages_as_they_are(words):
    assert "ages are those of the file" in run(*words, "--attacker", "general").output


@pytest.mark.slow
def test_a_score_imports_no_estimator(visits, tmp_path):
    arguments = ["dataset", "score", str(visits), "--fields", "age,sex,county", "--population", written(tmp_path)]
    code = (
        "import sys\nfrom policy_sim.cli.main import cli\n"
        f"cli({arguments!r}, standalone_mode=False)\n"
        "names = [name for name in sys.modules if name.startswith('policy_sim.estimators')]\n"
        "print(names, file=sys.stderr)\nsys.exit(len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
