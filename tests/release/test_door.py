"""A hospital's file from a first look to a release that a stranger makes again, and that is checked later."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from coded import coded
from pinned import pinned
from small_people import invoke

from policy_sim.records.formats import CodedTable
from policy_sim.release import Release
from policy_sim.release.making import figures_text, results_of
from policy_sim.release.recheck import overlapping_table, project_of
from policy_sim.release.results import ATTACK, Rechecked, ReleaseResult
from policy_sim.release.written import FIGURES, ReleaseFolder, read_figures
from policy_sim.show.document.blocks import Document, Verbatim
from policy_sim.show.document.markup import html_document
from policy_sim.words.errors import (
    InputError,
    NotEstimableError,
    OutputError,
    SourceError,
)

from .conftest import ready, without_key

KEYS = ("birth_date", "sex", "race", "county")


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def key(row):
    return tuple(row[name] for name in KEYS)


def people_per_class(rows):
    members = defaultdict(set)
    for at, row in enumerate(rows):
        members[key(row)].add(row.get("mrn", at))
    return [len(each) for each in members.values()]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checks(release, out="out", **options):
    return {row["check"]: row for row in release.recheck(release.path.parent / out, **options)}


@pytest.mark.slow
def test_end_to_end(ran):
    release, figures = ran
    folder = release.path.parent
    out = folder / "out"
    rows = rows_of(out / "send" / "release.csv")
    assert figures["after"]["smallest"] == min(people_per_class(rows)) >= 11
    written = sha256(out / "send" / "release.csv")
    assert figures["output"]["sha256"] == written == release.project.results["output_sha256"]
    assert figures["input"]["sha256"] == sha256(folder / "visits.csv")
    assert set(rows[0]) == {"mrn", "birth_date", "sex", "race", "county", "admitted", "diagnosis", "days"}
    assert all(state.is_done for state in release.status())
    assert ReleaseFolder.find(out).files == (
        "keep/dossier.docx", "keep/dossier.html", "keep/project.toml", "keep/release.json",
        "send/dictionary.csv", "send/release.csv",
    )  # fmt: skip
    assert isinstance(figures, ReleaseResult)
    assert json.loads((out / "keep" / "release.json").read_text()) == figures
    assert figures.to_frame().set_index("figure").loc["uniques", "after"] == 0
    assert len(repr(figures)) < 2000
    assert f"; {figures.verdict}" in repr(figures)
    assert str(figures.verdict) == "MET for 6; 2 on A. Officer's word"
    assert "<table" in figures._repr_html_()


@pytest.mark.slow
def test_figures_are_those_of_the_files(ran):
    release, figures = ran
    before, after = (rows_of(release.path.parent / name) for name in ("visits.csv", "out/send/release.csv"))
    assert figures["input"]["rows"] == len(before)
    assert figures["search"]["suppressed"] == len(before) - len(after)
    assert figures["utility"]["missingness"]["records_lost"] == pytest.approx((len(before) - len(after)) / len(before))
    values, rows_of_person = defaultdict(set), defaultdict(list)
    for row in after:
        values[key(row)].add(row["diagnosis"])
        rows_of_person[row["mrn"]].append(key(row))
    illness = next(row for row in figures["sensitive"] if row["field"] == "diagnosis")
    assert illness["distinct"] == min(map(len, values.values()))
    stays = next(row for row in figures["utility"]["distances"] if row["field"] == "days")
    assert stays["mean_after"] == pytest.approx(sum(int(row["days"]) for row in after) / len(after))
    shapes = Counter(tuple(sorted(each)) for each in rows_of_person.values())
    alone = next(note for note in figures["notes"] if "several rows" in note)
    assert min(shapes.values()) == figures["after"]["smallest"] >= 11
    assert "because mrn is released" in alone
    assert "for an attacker who knows one row" in alone
    assert figures["linkage"] is None  # without a census there is nothing to link with
    invasion = next(row for row in figures["answers"] if row["question"] == "invasion")
    assert (invasion["by"], invasion["on"], invasion["evidence"]) == ("A. Officer", "2026-11-03", "minutes 7")
    assert "IPC 2016" in invasion["citation"]
    assert "[results]" not in figures["project"]


@pytest.mark.slow
def test_the_key_is_in_its_own_file_and_nowhere_else(ran):
    folder = ran[0].path.parent
    secret = (folder / "release.key").read_text().strip()
    assert (folder / "release.key").stat().st_mode & 0o777 == 0o600
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "release.key":
            content = path.read_bytes()
            assert secret.encode() not in content
            assert bytes.fromhex(secret) not in content


@pytest.mark.slow
@pytest.mark.usefixtures("word_copy")
def test_the_same_project_gives_the_same_folder_and_its_figures_the_same_dossier(own_run, tmp_path):
    own_run.run(tmp_path / "two")
    for name in ReleaseFolder.find(tmp_path / "two").files:
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    (tmp_path / "two" / "keep" / "dossier.html").unlink()
    again, first = (
        p.read_text() for p in (own_run.report(tmp_path / "two"), tmp_path / "out" / "keep" / "dossier.html")
    )
    lines = set(first.splitlines()) ^ set(again.splitlines())
    # the original file is not compared again, so that another row ends the table
    assert all("left out or changed" in line or "what others know" in line for line in lines)
    with pytest.raises(SourceError, match=r"no release\.json of a release"):
        own_run.report(tmp_path / "elsewhere")


@pytest.mark.slow
def test_three_release_models_make_three_releases_and_judge_one_file_differently(plain, tmp_path, as_non_public):
    figures = {"public": plain.run(tmp_path / "public")}
    as_non_public(plain)
    figures["non-public"] = plain.run(tmp_path / "non-public")
    plain.answer("release-model", "semi-public")
    figures["semi-public"] = plain.run(tmp_path / "semi-public")
    smallest = {model: each["after"]["smallest"] for model, each in figures.items()}
    assert smallest["public"] >= 11
    assert smallest["semi-public"] >= 6
    assert 3 <= smallest["non-public"] < 6
    assert all(each["assessment"]["after"]["passes"] for each in figures.values())
    plain.answer("release-model", "public")  # the file for named recipients is judged again as one for everybody
    assert checks(plain, "non-public")["the file, by today's answers"]["holds"] == "no"


@pytest.fixture(scope="module")
def sent(hospital, tmp_path_factory):
    """The folder of the project without a key after a run into ``out``, with its figures; nobody changes them."""
    folder = tmp_path_factory.mktemp("sent")
    return folder, without_key(ready(folder, hospital)).run(folder / "out")


@pytest.mark.slow
def test_a_stranger_makes_it_again_from_the_dossier_alone(sent, tmp_path):
    folder, figures = sent
    stranger = tmp_path / "elsewhere"
    stranger.mkdir()
    for source in (folder / "out" / "keep" / "dossier.html", folder / "visits.csv"):
        (stranger / source.name).write_bytes(source.read_bytes())
    with project_of(stranger / "dossier.html") as path:
        again = Release(path).run(stranger / "again", file=stranger / "visits.csv")
    made, remade = (
        sorted(map(key, rows_of(out / "send" / "release.csv"))) for out in (folder / "out", stranger / "again")
    )
    assert made == remade
    assert again["output"]["sha256"] != figures["output"]["sha256"]  # the dossier has no seed of the order
    assert figures["output"]["sha256"] in (stranger / "dossier.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("named", ["", "send", "keep", "keep/dossier.html"])
def test_the_folder_of_a_release_makes_the_same_file_again(sent, tmp_path, named):
    folder, figures = sent
    with project_of(folder / "out" / named) as path:
        again = Release(path).run(tmp_path / "again")
    assert again["output"]["sha256"] == figures["output"]["sha256"]


def test_a_project_that_is_not_ready_does_not_run(hospital, tmp_path):
    made = Release.new(hospital, tmp_path / "p.toml")
    with pytest.raises(InputError, match="not ready to run; missing: the role"):
        made.run(tmp_path / "out")


@pytest.mark.slow
def test_safe_harbor_as_written(plain, tmp_path):
    plain.set("target", aim="policy", policy="safe-harbor")
    plain.path.write_text(re.sub(r"(?m)^day = .*\n", "", plain.path.read_text()))
    with pytest.raises(InputError, match="the date on which ages are computed"):
        Release(plain.path).run(tmp_path / "out")
    plain.set("file", day=dt.date(2026, 6, 30))
    figures = plain.run(tmp_path / "out")
    rows = rows_of(tmp_path / "out" / "send" / "release.csv")
    assert len(rows) == figures["input"]["rows"]
    assert {row["birth_date"] for row in rows} <= {str(year) for year in range(1937, 2027)} | {"1936 or before"}
    assert "county" not in rows[0]
    assert not figures["assessment"]["after"]["passes"]  # Safe Harbor is not the threshold for public data
    assert figures["aim"] == "conform to safe-harbor"
    assert checks(plain)[ATTACK]["holds"] == "yes"
    path = tmp_path / "out" / "send" / "release.csv"
    path.write_text(re.sub(r"\b(19[4-9]\d)\b", r"\1-05", path.read_text(), count=1))
    assert checks(plain)[ATTACK]["holds"] == "no"


@pytest.mark.slow
def test_a_policy_needs_no_answers(hospital, tmp_path):
    made = Release.new(hospital, tmp_path / "p.toml")
    for column in KEYS:
        made.classify(column, "key", "known", kind=column)
    for column in ("mrn", "name", "admitted", "diagnosis", "days"):
        made.classify(column, "direct", "not needed")
    made.set("target", aim="policy", policy="limited-dataset")
    made.set("file", day=dt.date(2026, 6, 30))
    figures = made.run(tmp_path / "out")
    assert figures["assessment"] is None
    assert figures["output"]["rows"] == figures["input"]["rows"]


# The folder appears whole or not at all.


@pytest.mark.slow
def test_a_failed_run_writes_nothing_and_leaves_an_earlier_release(own_run, tmp_path):
    before = sha256(tmp_path / "out" / "send" / "release.csv")
    own_run.set("settings", key_file="release.key", limit=0.0)
    own_run.classify("birth_date", "key", "known", kind="birth_date", levels=["day"])
    for out in ("out", "new"):
        with pytest.raises(NotEstimableError, match="no generalization meets the target"):
            own_run.run(tmp_path / out)
    assert sha256(tmp_path / "out" / "send" / "release.csv") == before
    assert not (tmp_path / "new").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_nothing_but_a_release_and_what_a_killed_run_left_is_replaced(plain, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "out" / ".out-a1b2c3d4.policy-sim-run").mkdir(parents=True)
    (tmp_path / "out" / "mine.txt").write_text("mine")
    for taken in ("file", "out"):
        with pytest.raises(InputError, match="contains something other than a release"):
            plain.run(tmp_path / taken)
    assert (tmp_path / "out" / "mine.txt").read_text() == (tmp_path / "file").read_text() == "mine"
    (tmp_path / "out" / "mine.txt").unlink()
    for _ in range(2):  # into an empty folder, and in the place of an earlier release
        plain.run(tmp_path / "out")
        assert "send/release.csv" in ReleaseFolder.find(tmp_path / "out").files


@pytest.mark.slow
def test_a_key_file_that_a_link_leads_elsewhere_is_refused(plain, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (plain.path.parent / "release.key").symlink_to(elsewhere / "stolen.key")
    plain.classify("mrn", "direct", "an identifier", treatment="pseudonym")
    with pytest.raises(InputError, match="is outside the folder of the project"):
        plain.run(tmp_path / "out")
    assert list(elsewhere.iterdir()) == []


_KILLED = """
import sys
from policy_sim.release import Release
while True:
    Release(sys.argv[1]).run(sys.argv[2], progress=lambda step: print(step, flush=True))
"""
_LIMITED = """
import resource, sys
from policy_sim.words.errors import OutputError
from policy_sim.release import Release
release = Release(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    release.run(sys.argv[2])
except OutputError as error:
    print(error)
"""
_RUNS = """
import sys
from policy_sim.release import Release
def step(text):
    print(text, flush=True)
    sys.stdin.readline()
Release(sys.argv[1]).run(sys.argv[2], progress=step)
"""


def started(code, *given):
    """A process of its own that runs this checkout."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-c", code, *map(str, given)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


@pytest.mark.slow
def test_killed_at_any_moment_there_is_a_whole_release_or_none(plain, tmp_path):
    out = tmp_path / "out"
    for steps in pinned((6, 60), (1, 4, 6, 25, 60, 150)):
        child = started(_KILLED, plain.path, out)
        for _ in range(steps):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.communicate()
        Release(plain.path)  # the project file is whole
        if out.exists():
            figures = json.loads((out / "keep" / "release.json").read_text())
            assert figures["output"]["sha256"] == sha256(out / "send" / "release.csv")
            assert {path.name for path in (out / "keep").iterdir()} >= {"dossier.html", "dossier.docx", "project.toml"}


@pytest.mark.slow
@pytest.mark.parametrize("most", pinned([12_000], [1_000, 12_000, 30_000]))
def test_without_room_the_message_names_the_folder_of_the_release_and_not_the_hidden_one(plain, tmp_path, most):
    """No file may be larger than so many bytes: the released file, its figures or the dossier fails to be written."""
    out = tmp_path / "out"
    said, problems = started(_LIMITED, plain.path, out, most).communicate()
    assert said.startswith(str(out)), problems
    assert "policy-sim-run" not in said
    assert said.count("\n") == 1
    assert not out.exists()


@pytest.mark.slow
def test_a_second_run_into_the_same_folder_is_refused_while_the_first_runs(plain, tmp_path):
    out = tmp_path / "out"
    first = started(_RUNS, plain.path, out)
    first.stdout.readline()
    with pytest.raises(OutputError, match="another run of policy-sim is writing there") as caught:
        plain.run(out)
    assert "\n" not in str(caught.value)
    first.communicate("\n" * 1000)
    assert first.returncode == 0
    assert (out / "keep" / "dossier.html").exists()
    plain.run(out)


def test_numbers_of_numpy_are_written_and_other_things_are_not():
    text = figures_text({"one": np.int64(1), "share": np.float64(0.5), "yes": np.bool_(True)})
    assert json.loads(text) == {"one": 1, "share": 0.5, "yes": True}
    with pytest.raises(AttributeError):
        figures_text({"path": object()})


@pytest.mark.parametrize("text", [None, "", "{}", "[]", "[1]", '{"output": 1}', "[" * 100_000])
def test_missing_or_damaged_figures_are_no_release(tmp_path, text):
    if text is not None:
        (tmp_path / FIGURES).write_text(text)
    with pytest.raises(SourceError, match=r"no release\.json of a release"):
        read_figures(tmp_path)


def test_the_project_keeps_checksums_and_the_verdict():
    output, verdict = {"sha256": "b", "rows": 4}, "MET: 2 of 2 columns attacked"
    figures = {"input": {"sha256": "a"}, "output": output, "verdict": verdict}
    kept = {"folder": "out", "input_sha256": "a", "output_sha256": "b", "rows": 4, "verdict": verdict}
    assert results_of(figures, Path("some/out")) == kept


# Does the verdict still hold: a changed file, an overlap, a passed day.


@pytest.mark.slow
def test_a_fresh_release_holds_until_its_day_and_says_so(ran):
    release, _ = ran
    fresh = checks(release, today=dt.date(2026, 12, 1))
    assert {row["holds"] for row in fresh.values()} == {"yes"}
    due = checks(release, today=dt.date(2027, 12, 1))["the date of re-assessment"]
    assert (due["why"], due["holds"]) == ("overdue", "no")
    checked = release.recheck(release.path.parent / "out", today=dt.date(2026, 12, 1))
    assert isinstance(checked, Rechecked)
    assert checked.to_frame()["holds"].tolist() == [row["holds"] for row in checked]
    assert "0 no longer hold" in repr(checked)
    with pytest.raises(InputError, match="needs a project with a population"):
        release.recheck(release.path.parent / "out", population="us-2022")


@pytest.mark.slow
def test_a_changed_file_and_a_stricter_answer_are_noticed(own_run, tmp_path):
    own_run.answer("invasion", "high")
    row = checks(own_run)["the file, by today's answers"]
    assert row["holds"] == ("yes" if "smallest class 2" in row["why"] else "no")
    assert "20 people" in row["now"]
    path = tmp_path / "out" / "send" / "release.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    assert checks(own_run)["the released file is unchanged"]["holds"] == "no"


@pytest.mark.slow
def test_two_releases_together_tell_more(ran, tmp_path):
    """A second file under the same key gives each patient's town again; by both columns somebody is alone."""
    release, _ = ran
    with (tmp_path / "other.csv").open("w", newline="") as file:
        rows = rows_of(release.path.parent / "out" / "send" / "release.csv")
        csv.writer(file).writerows([("mrn", "town"), *((row["mrn"], f"town {at % 97}") for at, row in enumerate(rows))])
    both = checks(release, overlap=tmp_path / "other.csv", overlap_on="mrn")
    (check,) = [name for name in both if "in other.csv, by the columns of both" in name]
    assert both[check]["holds"] == "no"


def test_the_rows_that_two_files_share():
    one = coded(p=["a", "b", "b", ""], age=["1", "2", "3", "4"])
    two = coded(p=["b", "c", ""], age=["x", "y", "z"])
    for name in ("p", "P"):
        assert overlapping_table(one, two, name)[1].tolist() == overlapping_table(one, two, "p")[1].tolist()
    upper = CodedTable({name.upper(): column for name, column in two.columns.items()})
    assert [name for name in overlapping_table(one, upper, "p")[0].names if name.casefold() == "other p"] == []
    joined, whose = overlapping_table(one, two, "p")
    assert joined["age"].texts().tolist() == ["2", "3"]
    assert joined["other age"].texts().tolist() == ["x", "x"]
    np.testing.assert_array_equal(whose, [0, 0])
    for wrong in ("", "q"):
        with pytest.raises(InputError, match="a column that both releases have"):
            overlapping_table(one, two, wrong)
    with pytest.raises(InputError, match="have no value of"):
        overlapping_table(one, two.take(np.array([False, True, False])), "p")


def test_a_dossier_lends_its_project_and_leaves_nothing(tmp_path):
    text = 'title = "A & B"\r\n# <é>\n'
    (tmp_path / "d.html").write_bytes(html_document(Document("D", "a line", (Verbatim(text, "project"),))))
    with project_of(tmp_path / "d.html") as path:
        assert path.parent == tmp_path
        assert path.read_text(encoding="utf-8").replace("\r", "") == text.replace("\r", "")
    assert [each.name for each in tmp_path.iterdir()] == ["d.html"]
    with project_of(tmp_path / "p.toml") as path:
        assert path == tmp_path / "p.toml"  # a project file is itself
    (tmp_path / "d.html").write_text("<p>")
    with pytest.raises(InputError, match="not the dossier"), project_of(tmp_path / "d.html"):
        pass
    with pytest.raises(SourceError, match="No such file"), project_of(tmp_path / "none.html"):
        pass


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(root, tmp_path, monkeypatch):
    """docs/release.md, command by command, with the output that it prints."""
    page = (root / "docs" / "release.md").read_text(encoding="utf-8")
    tables = re.search(r"```toml\n(\[variables\.name\].*?)```", page, re.DOTALL)[1]
    output = re.search(r"```text\n(.*?)```", page, re.DOTALL)[1]
    commands = [line for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 12
    monkeypatch.chdir(tmp_path)
    printed = {}
    for command in commands:
        done = invoke(*shlex.split(command)[1:])
        assert done.exit_code == 0, (command, done.stderr)
        printed[command] = done.stdout
        if " new " in command and "--policy" not in command:
            project = tmp_path / "patients.toml"
            text = project.read_text()
            project.write_text(text[: text.index("[variables.")] + tables)
    ran = next(text for command, text in printed.items() if "--out released" in command and " run " in command)
    assert ran.startswith(output)
    assert sha256(tmp_path / "again" / "send" / "release.csv") == sha256(tmp_path / "released" / "send" / "release.csv")
