"""``policy-sim release``: new, status, step, run, report, recheck."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

ROLES = """
[variables.age]
role = "key"
kind = "age"
reason = "known"
[variables.sex]
role = "key"
reason = "known"
[variables.ill]
role = "sensitive"
reason = "not known"
"""


def invoke(*words, text=None):
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="policy-sim", input=text)


@pytest.fixture
def project(tmp_path):
    lines = [f"{20 + at % 30},{'FM'[at % 2]},{'abc'[at % 3]}" for at in range(600)]
    (tmp_path / "v.csv").write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    done = invoke("release", "new", tmp_path / "v.csv", tmp_path / "p.toml", "--title", "V")
    assert done.exit_code == 0, done.stderr
    return tmp_path / "p.toml"


def classified(project):
    text = project.read_text()
    project.write_text(text[: text.index("[variables.")] + ROLES)
    return project


def answered(project):
    options = [f"--answer={name}" for name in ("release-model=public", "attacker-knows=yes", "invasion=low")]
    done = invoke("release", "step", classified(project), *options, "--by", "A. Officer", "--on", "2026-11-01")
    assert done.exit_code == 0, done.stderr
    return project


def test_status_says_what_is_missing(project):
    done = invoke("release", "status", project, "--format", "json")
    steps = {row["step"]: row for row in json.loads(done.stdout)}
    assert len(steps) == 9
    assert "role of age" in steps["variables"]["missing"]
    assert {row["state"] for row in steps.values()} == {"open"}


def test_status_is_one_table_and_names_the_next_command(project, tmp_path):
    text = invoke("release", "status", project).output
    assert "IPC 2016, step 1" not in text
    assert "next: accept the guesses: policy-sim release step" in text
    answered(project)
    invoke("release", "step", project, "--answer=responsible=A", "--answer=purpose=b", "--answer=reassess=2027-11-30",
           "--answer=stigma=none", "--by", "A. Officer")  # fmt: skip
    assert "next: make the release: policy-sim release run" in invoke("release", "status", project).output
    assert invoke("release", "run", project, "--out", tmp_path / "out").exit_code == 0
    assert "next: check later whether the verdict still holds" in invoke("release", "status", project).output


def test_steps_by_options(project):
    text = answered(project).read_text()
    assert '[answers.invasion]\nvalue = "low"\nby = "A. Officer"\non = 2026-11-01\n' in text
    wrong = invoke("release", "step", project, "--answer", "invasion=awful")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert "'invasion'" in wrong.stderr or "invasion" in wrong.stderr
    assert invoke("release", "step", project, "--answer", "invasion").exit_code == 2
    assert invoke("release", "step", project, "shoe").exit_code == 2


def test_steps_at_the_terminal(project):
    done = invoke("release", "step", classified(project), "threshold", text="A. Officer\nawful\nhigh\nboard, 2026\n")
    assert done.exit_code == 0, done.stderr
    assert "not known" in done.stderr  # the first answer is refused and asked for again
    text = project.read_text()
    assert 'value = "high"' in text
    assert 'evidence = "board, 2026"' in text
    again = invoke("release", "step", project, "threshold", "--by", "B. Officer", text="low\n\n")
    assert again.exit_code == 0, again.stderr
    assert 'value = "low"' in project.read_text()
    assert project.read_text().count("[answers.invasion]") == 1


def test_run_report_recheck(project, tmp_path):
    out = tmp_path / "out"
    done = invoke("release", "run", answered(project), "--out", out)
    assert done.exit_code == 0, done.stderr
    assert "meets the threshold 0.09" in done.stdout
    assert "sha256 of release.csv" in done.stdout
    report = invoke("release", "report", project, "--out", out)
    assert report.stdout.strip().endswith("dossier.html")
    holds = invoke("release", "recheck", project, "--out", out, "--format", "json")
    assert holds.exit_code == 0, holds.stderr
    (out / "release.csv").write_text("age,sex,ill\n20-24,F,a\n")
    broken = invoke("release", "recheck", project, "--out", out, "--format", "json")
    assert broken.exit_code == 1
    rows = {row["check"]: row["holds"] for row in json.loads(broken.stdout)}
    assert rows["the released file is unchanged"] == "no"
    assert rows["the file, by today's answers"] == "no"


def test_a_dossier_runs_again(project, tmp_path):
    invoke("release", "run", answered(project), "--out", tmp_path / "out")
    dossier = tmp_path / "out" / "dossier.html"
    done = invoke("release", "run", dossier, "--file", tmp_path / "v.csv", "--out", tmp_path / "again")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "again" / "release.csv").read_bytes() == (tmp_path / "out" / "release.csv").read_bytes()
    (tmp_path / "no.html").write_text("<p>")
    assert invoke("release", "run", tmp_path / "no.html", "--out", tmp_path / "x").exit_code == 2


@pytest.mark.parametrize(
    "words", [("run", "none.toml", "--out", "x"), ("status", "none.toml"), ("new", "none.csv", "p")]
)
def test_files_that_are_not_there_are_one_line(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke("release", *words)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert not [*tmp_path.iterdir()]
