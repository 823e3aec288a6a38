"""Commands that de-identify a file, step by step."""

from __future__ import annotations

import csv
import datetime
import json
import re
import tomllib

import pytest
from small_people import invoke, one_line, run

# ``policy-sim release``: new, status, step, run, report, recheck.


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


@pytest.fixture
def project(tmp_path):
    lines = [f"{20 + at % 30},{'FM'[at % 2]},{'abc'[at % 3]}" for at in range(600)]
    (tmp_path / "v.csv").write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    run("release", "new", tmp_path / "v.csv", tmp_path / "p.toml", "--title", "V")
    return tmp_path / "p.toml"


def classified(project):
    text = project.read_text()
    project.write_text(text[: text.index("[variables.")] + ROLES)
    return project


def answered(project):
    options = [f"--answer={name}" for name in ("release-model=public", "attacker-knows=yes", "invasion=low")]
    run("release", "step", classified(project), *options, "--by", "A. Officer", "--on", "2026-11-01")
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
    assert f"policy-sim release recheck {project}" in invoke("release", "status", project).output


def test_guesses_that_were_accepted_are_not_offered_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.csv").write_text(
        "id,kind,score\n" + "".join(f"{at},{'ab'[at % 2]},{at % 3}\n" for at in range(30))
    )
    made = invoke("release", "new", "plain.csv", "plain.toml", "--policy", "safe-harbor")
    assert "1 of 3 columns has a guess" in made.stderr
    assert "next: accept the guesses" in made.stderr
    done = invoke("release", "step", "plain.toml", "--accept-guesses", "--by", "A. Officer")
    assert done.stderr.endswith("policy-sim release step plain.toml\n")


def test_steps_by_options(project):
    answer = tomllib.loads(answered(project).read_text())["answers"]["invasion"]
    assert answer == {"value": "low", "by": "A. Officer", "on": datetime.date(2026, 11, 1)}
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
    done = run("release", "run", answered(project), "--out", out)
    assert "meets the threshold 0.09" in done.stdout
    assert "sha256 of release.csv" in done.stdout
    report = invoke("release", "report", project, "--out", out)
    assert report.stdout.strip().endswith("dossier.html")
    run("release", "recheck", project, "--out", out, "--format", "json")
    assert "has no levels" in run("release", "stages", "--out", out, code=2).stderr
    (out / "send" / "release.csv").write_text("age,sex,ill\n20-24,F,a\n")
    broken = run("release", "recheck", project, "--out", out, "--format", "json", code=1)
    rows = {row["check"]: row["holds"] for row in json.loads(broken.stdout)["checks"]}
    assert rows["the released file is unchanged"] == "no"
    assert rows["the file, by today's answers"] == "no"


def test_recheck_counts_the_sensitive_values_of_each_class(project, tmp_path):
    """Six classes of 100; of the women of 20 only one has b, and without it all of them have a."""
    ills = ["ab"[at == 0 if at % 6 == 0 else at // 6 % 2] for at in range(600)]
    lines = [f"{20 + at % 3},{'FM'[at % 2]},{ill}" for at, ill in enumerate(ills)]
    (tmp_path / "v.csv").write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    with answered(project).open("a") as file:
        file.write('[[conditions]]\nmeasure = "distinct"\nof = "ill"\nl = 2\n')
    out = tmp_path / "out"
    run("release", "run", project, "--out", out)

    def verdict(code=0):
        rows = json.loads(run("release", "recheck", project, "--out", out, "--format", "json", code=code).stdout)[
            "checks"
        ]
        return next((row["holds"], row["why"]) for row in rows if row["check"] == "the file, by today's answers")

    assert verdict()[0] == "yes"
    text = (out / "send" / "release.csv").read_text()
    assert text.count("20,F,b\n") == 1
    (out / "send" / "release.csv").write_text(text.replace("20,F,b\n", "20,F,a\n"))
    assert verdict(1)[0] == "no"
    (out / "send" / "release.csv").write_text("\n".join(line.rpartition(",")[0] for line in text.splitlines()) + "\n")
    holds, why = verdict(1)  # the file has changed
    assert holds == "unknown"
    assert "not counted: ill" in why


def test_recheck_counts_no_rows_as_people(project, tmp_path):
    """Each of 60 people has ten rows, and the column that tells whose a row is was left out; 20 are in each class."""
    lines = [f"{20 + at % 3},{'FM'[at % 2]},a,P{at % 60}" for at in range(600)]
    (tmp_path / "v.csv").write_text("\n".join(["age,sex,ill,who", *lines]) + "\n")
    text = answered(project).read_text()
    who = '[variables.who]\nrole = "direct"\nreason = "a number of the person"\n'
    project.write_text(text.replace("[file]\n", '[file]\nperson = "who"\n') + who)
    out = tmp_path / "out"
    run("release", "run", project, "--out", out)
    counted = _by_target(project, out, 0)
    assert counted["holds"] == "yes"
    assert re.search("smallest class 20; .* fewer than 11 people", counted["why"])
    figures = json.loads((out / "keep" / "release.json").read_text())
    del figures["people_list"]  # as a release of an earlier version
    (out / "keep" / "release.json").write_text(json.dumps(figures))
    unknown = _by_target(project, out, 3)
    assert unknown["holds"] == "unknown"
    assert unknown["why"].endswith(f"again: policy-sim release run {out} with --file RECORDS and --out NEW")
    again = tmp_path / "again"
    run("release", "run", out, "--file", tmp_path / "v.csv", "--out", again)  # that command, in the line
    assert _by_target(project, again, 0)["holds"] == "yes"


def _by_target(project, out, code):
    rows = json.loads(run("release", "recheck", project, "--out", out, "--format", "json", code=code).stdout)["checks"]
    return next(row for row in rows if row["check"] == "the file, by today's answers")


@pytest.mark.parametrize(
    "words", [("run", "none.toml", "--out", "x"), ("status", "none.toml"), ("new", "none.csv", "p")]
)
def test_files_that_are_not_there_are_one_line(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoke("release", *words)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert not [*tmp_path.iterdir()]


# Columns get their roles on the command line, from a messy file to a dossier within ten commands.


def test_roles_by_options_and_at_the_terminal(project):
    assert "release step" in invoke("release", "status", project).output
    why = ["--evidence", "neighbors know them", "--by", "A. Officer", "--on", "2026-11-01"]
    done = run("release", "step", project, "variables", "--role", "age, sex=key", *why)
    assert "role of ill" in done.stderr
    assert "role of age" not in done.stderr
    text = project.read_text()
    assert text.count('role = "key"') == 2
    assert 'reason = "neighbors know them"' in text
    asked = invoke("release", "step", project, "variables", text="A. Officer\neach\nsensitive\nnobody knows it\n")
    assert asked.exit_code == 0, asked.stderr
    assert "1 lists of a few words: ill" in asked.stderr
    assert "ill: code: 3 different values" in asked.stderr
    assert "undecided" not in project.read_text().split("[variables.")[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--role", "age=key"], "needs a reason"),
        (["--role", "age", "--evidence", "x"], "COLUMN=ROLE"),
        (["--role", "age=quasi", "--evidence", "x"], "'quasi' is not known"),
        (["--role", "age,shoe=key", "--evidence", "x"], "'shoe' is not known"),
    ],
)
def test_a_wrong_role_is_one_line_and_changes_nothing(project, options, message):
    before = project.read_text()
    done = invoke("release", "step", project, "variables", *options)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert project.read_text() == before


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
    assert "does not meet Safe Harbor" in checked.stdout.splitlines()[0]
    mapping = (tmp_path / "m.toml").read_text()
    (tmp_path / "m.toml").write_text(mapping.replace('missing = [""]', 'missing = ["", "NULL"]', 1))
    run("release", "new", "v.csv", "p.toml", "--mapping", "m.toml", "--policy", "safe-harbor")
    assert 'person = "MRN"' in (tmp_path / "p.toml").read_text()
    step = invoke("release", "step", "p.toml", "variables", "--accept-guesses", "--by", "A. Officer")
    assert re.search("p.toml: ready to run; .*: release-model", step.stderr)
    assert "not been run" not in step.stderr
    assert step.stderr.endswith("policy-sim release run p.toml --out released\n")
    done = run("release", "run", "p.toml", "--out", "released")
    assert done.stdout.startswith("released under the rule: ")
    assert "to safe-harbor\nMET: 7 of 7 columns attacked\n" in done.stdout
    assert "people are unique" in done.stdout
    with (tmp_path / "released" / "send" / "release.csv").open(newline="") as file:
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


def test_what_a_column_is_not_is_said_by_somebody_and_stays_in_the_verdict(tmp_path, monkeypatch):
    """Numbers that look like times are NOT MET on a bare word; a person says that they are none, and why."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{'FM'[at % 2]},{1_600_000_000 + 86_411 * at}" for at in range(60)]
    (tmp_path / "v.csv").write_text("\n".join(["sex,bill", *lines, ""]))
    run("release", "new", "v.csv", "p.toml", "--policy", "safe-harbor")
    officer = ("--by", "A. Officer", "--on", "2026-11-01")
    run("release", "step", "p.toml", "variables", "--accept-guesses", *officer)
    run("release", "step", "p.toml", "variables", "--role", "bill=other", "--evidence", "bills", *officer)
    refused = run("release", "run", "p.toml", "--out", "out", code=1)
    asked = '--is-not "bill=seconds since 1970"'
    assert re.search(r"NOT MET: bill: .* seconds since 1970 \(60 records\)", refused.output)
    assert asked in refused.output
    assert not (tmp_path / "out" / "send").exists()

    before = (tmp_path / "p.toml").read_text()
    step = ("release", "step", "p.toml", "variables", "--is-not")
    for words, message in (
        (("bill=seconds since 1970", *officer), "needs a name and a reason"),
        (("bill=seconds since 1970", "--evidence", "bills"), "needs a name and a reason"),
        (("bill", "--evidence", "bills", *officer), "--is-not 'bill': write it as COLUMN=WHAT"),
        (("bil=seconds since 1970", "--evidence", "bills", *officer), "'bil' is not known. Did you mean 'bill'"),
    ):
        assert message in one_line(*step, *words)
    assert (tmp_path / "p.toml").read_text() == before

    run(*step, "bill=seconds since 1970", "--evidence", "numbers of bills", *officer)
    said = tomllib.loads((tmp_path / "p.toml").read_text())["variables"]["bill"]
    assert (said["role"], said["is_not"], said["by"]) == ("other", ["seconds since 1970"], "A. Officer")
    words = "against the program's guess: bill (direct); bill may contain seconds since 1970 (60 records)"
    verdict = f"MET for 1; 1 on A. Officer's word; {words}"
    assert verdict in run("release", "run", "p.toml", "--out", "out").output
    assert json.loads((tmp_path / "out" / "keep" / "release.json").read_text())["verdict"] == verdict
    assert verdict in " ".join(run("release", "recheck", "p.toml", "--out", "out").output.split())


def test_step_writes_the_form_of_dates(tmp_path):
    lines = [f"{1 + at % 28}/{1 + at % 12}/2024,{at % 3}" for at in range(60)]
    (tmp_path / "d.csv").write_text("\n".join(["seen,ward", *lines]) + "\n")
    run("release", "new", tmp_path / "d.csv", tmp_path / "d.toml", "--title", "D")
    words = ("--kind", "date", "--form", "%d/%m/%Y", "--evidence", "known", "--by", "A. Officer")
    run("release", "step", tmp_path / "d.toml", "--role", "seen=key", *words)
    said = tomllib.loads((tmp_path / "d.toml").read_text())["variables"]["seen"]
    assert (said["kind"], said["format"]) == ("date", "%d/%m/%Y")


def test_step_writes_codes_settings_treatments_and_kinds(project):
    """Each is read back from the project file; a text that TOML would read as a number needs quotation marks."""
    settings = (
        "target.aim=risk",
        "target.threshold=k=11",
        "settings.limit=0.1",
        'about.period="2024"',
        "file.person=ill",
    )
    run("release", "step", project, *(word for text in settings for word in ("--set", text)))
    run("release", "step", project, "--code", "sex", "M", "F", "--code", "sex", "F", "")
    words = ("--evidence", "known", "--by", "A. Officer")
    run("release", "step", project, "--role", "age,sex=key", "--treatment", "drop", *words)
    run("release", "step", project, "--role", "ill=other", "--kind", "clinical", *words)
    assert one_line("release", "step", project, "--role", "sex=key", "--kind", "date", "--form", "%d/%m/%Y", *words)
    table = tomllib.loads(project.read_text())
    assert (table["target"]["aim"], table["target"]["threshold"], table["settings"]["limit"]) == ("risk", "k=11", 0.1)
    assert (table["about"], table["file"]["person"]) == ({"period": "2024"}, "ill")
    assert table["variables"]["sex"]["codes"] == {"M": "F", "F": ""}
    assert (table["variables"]["age"]["treatment"], table["variables"]["ill"]["kind"]) == ("drop", "clinical")
    before = project.read_text()
    for wrong in (
        ["--set", "threshold=5"],
        ["--set", "target.x=1"],
        ["--set", "file.person=nobody"],
        ["--set", "target.policy=nope"],
        ["--set", "target.threshold=k=x"],
        ["--set", "settings.limit=7"],
        ["--treatment", "drop"],
        ["--code", "sex", "F", "b"],
        ["--code", "sex", "Femle", "F"],
        ["--role", "sex=key", "--kind", "date", "--evidence", "x"],
    ):
        assert one_line("release", "step", project, *wrong)
    assert project.read_text() == before


def test_an_accepted_column_that_the_attack_drops_is_named_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{'FM'[at % 2]},{2006 + at % 20}-05-07" if at < 30 else f"{'FM'[at % 2]}," for at in range(400)]
    (tmp_path / "p.csv").write_text("\n".join(["sex,death_date", *rows]) + "\n", encoding="utf-8")
    run("release", "new", "p.csv", "p.toml", "--policy", "safe-harbor")
    run("release", "step", "p.toml", "variables", "--accept-guesses", "--by", "A. Officer")
    said = run("release", "run", "p.toml", "--out", "out").output
    assert "accepted: death_date: its values are years" in said
    assert "no one has decided on them" not in said
