"""Columns get their roles on the command line, from a messy file to a dossier within ten commands."""

from __future__ import annotations

import csv

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def invoke(*words, text=None):
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="policy-sim", input=text)


@pytest.fixture
def project(tmp_path):
    lines = [f"{20 + at % 30},{'FM'[at % 2]},{'abc'[at % 3]}" for at in range(600)]
    (tmp_path / "v.csv").write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    done = invoke("release", "new", tmp_path / "v.csv", tmp_path / "p.toml", "--title", "V")
    assert done.exit_code == 0, done.stderr
    return tmp_path / "p.toml"


def test_roles_by_options_and_at_the_terminal(project):
    assert "release step" in invoke("release", "status", project).output
    why = ["--evidence", "neighbors know them", "--by", "A. Officer", "--on", "2026-11-01"]
    done = invoke("release", "step", project, "variables", "--role", "age, sex=key", *why)
    assert done.exit_code == 0, done.stderr
    assert "role of ill" in done.stderr
    assert "role of age" not in done.stderr
    text = project.read_text()
    assert text.count('role = "key"') == 2
    assert 'reason = "neighbors know them"' in text
    asked = invoke("release", "step", project, "variables", text="A. Officer\nsensitive\nnobody knows it\n")
    assert asked.exit_code == 0, asked.stderr
    assert "ill: code: 3 different values; values look like a" in asked.stderr
    assert "undecided" not in project.read_text().split("[variables.")[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--role", "age=key"], "needs a reason"),
        (["--role", "age", "--evidence", "x"], "COLUMN=ROLE"),
        (["--role", "age=quasi", "--evidence", "x"], "role of a column 'quasi' is not known"),
        (["--role", "age,shoe=key", "--evidence", "x"], "'shoe' is not known"),
    ],
)
def test_a_wrong_role_is_one_line_and_changes_nothing(project, options, message):
    before = project.read_text()
    done = invoke("release", "step", project, "variables", *options)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert project.read_text() == before


@pytest.mark.slow
def test_ten_commands_from_a_file_to_a_dossier(tmp_path, monkeypatch):
    """A stranger with a semicolon file of Windows-1252, and no editor."""
    monkeypatch.chdir(tmp_path)
    rows = [f"P{at:04};Müller {at};{20 + at % 40};{'FM'[at % 2]};{'abc'[at % 3]}" for at in range(900)]
    (tmp_path / "visits.csv").write_text("\n".join(["Patient ID;Name;Age (years);Sex;Dx", *rows]), encoding="cp1252")
    by = ["--by", "A. Officer"]
    step = ["release", "step", "v.toml"]
    commands = [
        ["dataset", "check", "visits.csv"],
        ["release", "new", "visits.csv", "v.toml"],
        [*step, "variables", "--role", "Patient ID,Name=direct", "--evidence", "they name a person", *by],
        [*step, "variables", "--role", "Age (years),Sex=key", "--evidence", "neighbors know them", *by],
        [*step, "variables", "--role", "Dx=sensitive", "--evidence", "nobody knows it", *by],
        [*step, "--answer", "release-model=public", "--answer", "attacker-knows=yes", "--answer", "invasion=low", *by],
        ["release", "status", "v.toml"],
        ["release", "run", "v.toml", "--out", "released"],
        ["release", "recheck", "v.toml", "--out", "released"],
    ]
    for command in commands:
        done = invoke(*command)
        assert done.exit_code == 0, done.stderr
    assert {"dossier.html", "release.csv"} <= {path.name for path in (tmp_path / "released").iterdir()}
    released = (tmp_path / "released" / "release.csv").read_text()
    assert "Müller" not in released
    assert "P0001" not in released


MESSY = """\
\ufeff;MRN;Patient Name;DOB;Birth Year;Age;Sex;ZIP;Town;Admit Date;Dx;Notes;
"""


@pytest.mark.slow
def test_four_commands_from_a_messy_file_to_safe_harbor(tmp_path, monkeypatch):
    """A byte order mark, semicolons, an index, lost zeros, mixed dates, 90+, NULL, several rows per patient, notes."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for at in range(60):
        year = 1930 if at % 10 == 0 else 1950 + at % 40
        born = "NULL" if at == 7 else f"0{1 + at % 9}/15/{year}" if at % 2 else f"{year}-03-21"
        age = "90+" if year == 1930 else str(2023 - year)
        code = "6010" if at % 2 else "06010-1234"
        rows.append(
            f"{at};M{at // 2:03};Doe, J{at};{born};{year};{age};{'FM'[at % 2]};{code};Bristol;03/24/2023;I10;call;"
        )
    (tmp_path / "v.csv").write_text(MESSY + "\n".join(rows) + "\n", encoding="utf-8")
    checked = invoke("dataset", "check", "v.csv", "--write-mapping", "m.toml")
    assert checked.stdout.startswith("This file is not Safe Harbor as it is")
    mapping = (tmp_path / "m.toml").read_text()
    (tmp_path / "m.toml").write_text(mapping.replace('missing = [""]', 'missing = ["", "NULL"]', 1))
    new = invoke("release", "new", "v.csv", "p.toml", "--mapping", "m.toml", "--policy", "safe-harbor")
    assert new.exit_code == 0, new.stderr
    assert 'person = "MRN"' in (tmp_path / "p.toml").read_text()
    step = invoke("release", "step", "p.toml", "variables", "--accept-guesses", "--by", "A. Officer")
    assert "p.toml: ready to run; open in the dossier: release-model" in step.stderr
    assert "not been run" not in step.stderr
    assert step.stderr.endswith("next: make the release: policy-sim release run p.toml --out released\n")
    run = invoke("release", "run", "p.toml", "--out", "released")
    assert run.exit_code == 0, run.stderr
    assert run.stdout.startswith("released because the rule covers it: ")
    assert "aim: conform to safe-harbor. The aim is met by every released column (7).\n" in run.stdout
    assert "rows alone with their key values" in run.stdout
    with (tmp_path / "released" / "release.csv").open(newline="") as file:
        released = list(csv.DictReader(file))
    assert set(released[0]) == {"DOB", "Birth Year", "Age", "Sex", "ZIP", "Admit Date", "Dx"}
    assert {row["ZIP"] for row in released} == {"060"}
    assert {row["Admit Date"] for row in released} == {"2023"}
    assert {(row["DOB"][-6:], row["Birth Year"][-7:]) for row in released if row["Age"] == "90+"} == {
        ("before", "or less")
    }
    assert sum(row["DOB"] == "" for row in released) == 1


def test_guesses_are_accepted_by_somebody(project):
    done = invoke("release", "step", project, "variables", "--accept-guesses")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "--by" in done.stderr
    assert "undecided" in project.read_text()
