"""A change of a project file is checked first, written whole, and touches nothing else in the file."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest

from policy_sim.release import Release
from policy_sim.release.files import load_project
from policy_sim.words.errors import InputError, OutputError, SchemaError, SourceError, UnknownNameError

TEXT = """# ours
title = "Visits"
edition = "ipc-2016"

[file]
location = "visits.csv"

[variables.age]    # looks like: a number
role = "undecided"
kind = "age"
reason = ""
# the end
"""
MORE = """
[variables.x1]
role = "undecided"
looks = "number"
reason = ""
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "p.toml").write_text(TEXT)
    return Release(tmp_path / "p.toml")


def test_a_change_is_in_the_file_and_in_the_project_and_everything_else_stays(file):
    assert file.answer("invasion", "low", by="A. Officer", on="2026-11-01").value("invasion") == "low"
    again = Release(file.path)
    assert again.project == file.project
    assert again.project.answers["invasion"].on == dt.date(2026, 11, 1)
    file.set("settings", limit=0.1)
    file.set("settings", seed=3)
    assert file.path.read_text().startswith(TEXT.rstrip())
    assert (file.project.settings.limit, file.project.settings.seed) == (0.1, 3)


def test_a_role_keeps_what_the_column_was_and_its_note(file):
    (age,) = file.classify("age", "key", "neighbors know it").variables
    assert (age.role, age.kind, age.reason) == ("key", "age", "neighbors know it")
    assert file.columns == ("age",)
    assert "# looks like: a number" in file.path.read_text()


def test_guesses_are_accepted_at_once_and_only_where_there_are_any(file):
    file.path.write_text(TEXT.replace('kind = "age"', 'kind = "age"\nguess = "key"\nlooks = "ages"') + MORE)
    opened = Release(file.path)
    assert opened.accept_guesses(by="A. Officer", on="2026-11-01") == ("age",)
    (age,) = Release(file.path).project.variables
    assert (age.role, age.accepted, age.reason) == ("key", True, "accepted guess: ages")
    assert opened.project.undecided == ("x1",)
    with pytest.raises(InputError, match="need the name of the person"):
        opened.accept_guesses(by="")
    (decided,) = opened.classify("age", "other", "seen by the board").variables
    assert not decided.accepted


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda file: file.answer("invasion", "enormous"), UnknownNameError),
        (lambda file: file.answer("nothing", "low"), UnknownNameError),
        (lambda file: file.classify("age", "key", ""), SchemaError),
        (lambda file: file.set("settings", nothing=1), SchemaError),
        (lambda file: file.set("settings", limit=object()), InputError),
        (lambda file: file.set("file", missing=["?", None]), InputError),
        (lambda file: file.answer("invasion", "low", on="some day"), InputError),
    ],
)
def test_a_wrong_change_is_not_written(file, change, error):
    before = file.project
    with pytest.raises(error):
        change(file)
    assert file.path.read_text() == TEXT
    assert file.project is before


def test_places_lists_and_tables_are_written_as_toml(file):
    file.set("file", location=Path("data") / "visits.csv", missing=["?"])
    assert (file.project.file.location, file.project.file.missing) == ("data/visits.csv", ("", "?"))
    (age,) = file.classify("age", "key", "known", codes={"1": "young", "2": None}).variables
    assert age.codes == (("1", "young"),)


_ANSWER = """
import sys
from policy_sim.release import Release
for _ in range(5):
    file = Release(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    file.answer(sys.argv[2], sys.argv[3], by="A. Officer")
    print("done", flush=True)
    sys.stdin.readline()
"""
AT_ONCE = {"invasion": "low", "release-model": "public", "attacker-knows": "yes", "responsible": "A. Officer"}


@pytest.mark.slow
def test_answers_given_at_once_are_all_kept(file):
    """Real processes that have all read the file before the first of them writes it."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _ANSWER, str(file.path), question, answer],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for question, answer in AT_ONCE.items()
    ]

    def all_say(word):
        assert [run.stdout.readline() for run in runs] == [f"{word}\n"] * len(runs)

    def go_on():
        for run in runs:
            run.stdin.write("now\n")
            run.stdin.flush()

    for _ in range(5):
        all_say("ready")
        go_on()
        all_say("done")
        answers = Release(file.path).project.answers
        assert {question: answers[question].value for question in AT_ONCE} == AT_ONCE
        file.path.write_text(TEXT)
        go_on()
    for run in runs:
        run.communicate()
        assert run.returncode == 0
    assert [path.name for path in file.path.parent.iterdir()] == ["p.toml"]


def test_a_key_file_outside_the_folder_of_the_project_is_refused(file):
    for name in ("../release.key", "/tmp/release.key", "keys/../../release.key"):
        with pytest.raises(SchemaError, match="key_file leaves the folder of the project") as caught:
            file.set("settings", key_file=name)
        assert "\n" not in str(caught.value)
        assert file.path.read_text() == TEXT


# A new project names every column of its file, decides none, and replaces nothing.


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n" + "30,F\n31,M\n" * 20)
    return path


def test_every_column_is_undecided_and_a_file_outside_the_folder_is_named_by_its_whole_place(visits, tmp_path):
    Release.new(visits, tmp_path / "p.toml")
    project = load_project(tmp_path / "p.toml")
    assert (project.title, project.file.location, project.edition.name) == ("visits", "visits.csv", "ipc-2016")
    assert project.undecided == ("age", "sex")
    (tmp_path / "projects").mkdir()
    Release.new(visits, tmp_path / "projects" / "p.toml", title="Visits of May")
    project = load_project(tmp_path / "projects" / "p.toml")
    assert (project.title, project.file.location) == ("Visits of May", visits.resolve().as_posix())


def test_an_earlier_project_stays_and_a_missing_file_leaves_nothing(visits, tmp_path):
    (tmp_path / "p.toml").write_text("mine")
    with pytest.raises(OutputError, match="already exists"):
        Release.new(visits, tmp_path / "p.toml")
    assert (tmp_path / "p.toml").read_text() == "mine"
    with pytest.raises(SourceError):
        Release.new(tmp_path / "none.csv", tmp_path / "q.toml")
    assert not (tmp_path / "q.toml").exists()


def test_a_mapping_says_what_columns_and_codes_mean(tmp_path):
    (tmp_path / "v.csv").write_text("GENDER_CD;YRS\n1;30\n2;?\n")
    (tmp_path / "m.toml").write_text(
        'separator = ";"\nmissing = ["?"]\n[fields.sex]\ncolumn = "GENDER_CD"\ncodes = { 1 = "M", 2 = "F" }\n'
        '[fields.age]\ncolumn = "YRS"\ntop = 90\n'
    )
    made = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", mapping=tmp_path / "m.toml")
    assert made.project.file.missing == ("", "?")
    assert made.project.file.separator == ";"
    made.classify("GENDER_CD", "key", "known")
    made.classify("YRS", "key", "known")
    gender, years = made.project.variables
    assert (gender.kind, gender.codes, years.kind, years.top) == ("sex", (("1", "M"), ("2", "F")), "age", 90)


def test_a_policy_a_day_the_patient_and_open_ages_are_filled_in(tmp_path):
    rows = [f"Doe {at},M{at // 2},{'90+' if at == 3 else 30 + at},F" for at in range(20)]
    (tmp_path / "v.csv").write_text("Patient Name,MRN,age,sex\n" + "\n".join(rows) + "\n")
    made = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", policy="safe-harbor").project
    assert (made.target.aim, made.target.policy) == ("policy", "safe-harbor")
    assert made.file.person == "MRN"
    assert made.missing_for_run == ("the role of a column to release",)
    assert "top = 90" in (tmp_path / "p.toml").read_text()
    with pytest.raises(UnknownNameError, match="safe-harbor"):
        Release.new(tmp_path / "v.csv", tmp_path / "q.toml", policy="safe-harbour")
    assert not (tmp_path / "q.toml").exists()
