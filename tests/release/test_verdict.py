"""Every place that prints a verdict prints the attack's: where the attack fails, nothing says that a file is safe."""

from __future__ import annotations

import csv
import json
import random
import re
import zipfile

import pytest
from small_people import invoke

from policy_sim.release import Release
from policy_sim.release.attack.report import AttackReport
from policy_sim.words.errors import InputError

DX = ("E11.9", "I10")
RNG = random.Random(2)
ROWS = [
    (RNG.choice("FM"), RNG.randrange(20, 80), f"2025-0{RNG.randrange(1, 10)}-11", RNG.choice(DX), RNG.randrange(20))
    for _ in range(160)
]
SAFE = re.compile(
    r"\bMET\b(?<!NOT MET)|\bis met\b|\bare met\b|\bmeets\b|conforms\b|is safe|no identifier|"
    r"every value was (treated|checked)"
)


@pytest.fixture
def project(tmp_path):
    """A project of a small file under Safe Harbor, with its guesses accepted."""
    with (tmp_path / "v.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("sex", "age", "admit_date", "dx", "los"), *ROWS])
    made = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", policy="safe-harbor")
    made.accept_guesses(by="A. Officer")
    return made


def run(project, out, *words):
    return invoke("release", "run", project.path, "--out", out, *words)


def everything(out, *texts):
    """All that was printed and all that was written, the text of the Word document too."""
    pages = [(out / "keep" / name).read_text() for name in ("dossier.html", "release.json", "project.toml")]
    with zipfile.ZipFile(out / "keep" / "dossier.docx") as document:
        pages.append(re.sub(r"<[^>]+>", " ", document.read("word/document.xml").decode()))
    return [*pages, *texts]


@pytest.mark.usefixtures("word_copy")
def test_a_release_that_is_met_says_so_everywhere_in_the_same_words(project, tmp_path):
    done = run(project, tmp_path / "out", "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["verdict"]) == (0, "MET: 4 of 4 columns attacked")
    result = Release(project.path).run(tmp_path / "again")
    assert str(result.verdict) in repr(result)
    texts = everything(tmp_path / "out", repr(result), run(project, tmp_path / "out").stdout)
    assert all("MET: 4 of 4 columns attacked" in text for text in texts if "[variables." not in text[:2000])
    checked = invoke("release", "recheck", project.path, "--out", tmp_path / "out", "--format", "json")
    assert json.loads(checked.stdout)["verdict"] == "MET: 4 of 4 columns attacked"
    assert set(json.loads(checked.stdout)) == {"verdict", "conditions", "tried", "found", "not_tried", "checks"}


@pytest.mark.parametrize("how", ["raises", "is not run"])
@pytest.mark.usefixtures("word_copy")
def test_where_the_attack_fails_nothing_says_that_the_file_is_safe(project, tmp_path, monkeypatch, how):
    def broken(*_):
        raise ZeroDivisionError("a value")

    if how == "raises":
        monkeypatch.setattr("policy_sim.release.attack.run.read_written", broken)
    else:
        monkeypatch.setattr("policy_sim.release.run.attack", lambda *_: AttackReport())
        monkeypatch.setattr("policy_sim.release.recheck.attack", lambda *_: AttackReport())
    table, told = run(project, tmp_path / "out"), run(project, tmp_path / "json", "--format", "json")
    assert (table.exit_code, told.exit_code) == (3, 3)
    assert not (tmp_path / "out" / "send").exists()
    assert json.loads(told.stdout)["verdict"].startswith("NOT TESTED: ")
    result = Release(project.path).run(tmp_path / "python")
    for text in everything(
        tmp_path / "out", table.stdout, table.stderr, told.stdout, repr(result), result._repr_html_()
    ):
        assert SAFE.search(text.partition("[variables.")[0]) is None
    assert "NOT TESTED: " in table.stdout
    assert "a value" not in table.stdout + told.stdout
    assert str(project.recheck(tmp_path / "out").verdict).startswith("NOT TESTED: ")


def test_a_release_that_is_not_met_leaves_nothing_to_send(project, tmp_path):
    """The officer's word does not cover a column that determines another one: months next to age."""
    rows = [(*row, row[1] * 12 + at % 12) for at, row in enumerate(ROWS)]
    with (tmp_path / "v.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("sex", "age", "admit_date", "dx", "los", "score"), *rows])
    words = ("--role", "score,los=other", "--evidence", "a score; days", "--by", "A. Officer")
    project.path.unlink()
    made = Release.new(tmp_path / "v.csv", project.path, policy="safe-harbor")
    made.accept_guesses(by="A. Officer")
    invoke("release", "step", project.path, "variables", *words)
    done = run(made, tmp_path / "out")
    assert done.exit_code == 1
    assert "NOT MET: score" in done.stdout, done.stdout
    assert "determines age" in done.stdout
    assert "would be released under the rule: " in done.stdout
    assert "sha256 of" not in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["keep"]
    again = invoke("release", "recheck", project.path, "--out", tmp_path / "out")
    assert (again.exit_code, "NOT MET: score" in again.stdout) == (1, True)
    made = Release(project.path).classify("score", "direct", "tells the age")
    done = run(project, tmp_path / "out")
    assert (done.exit_code, "MET for 4; 1 on A. Officer's word" in done.stdout) == (0, True)


def test_a_guess_in_which_the_attack_finds_something_is_left_out(tmp_path):
    """Enlistments of 1950 to 1989: nobody has said how old people were."""
    rows = [("FM"[at % 2], f"{1950 + at % 40}-05-0{1 + at % 9}") for at in range(200)]
    with (tmp_path / "v.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("sex", "enlisted_on"), *rows])
    made = Release.new(tmp_path / "v.csv", tmp_path / "p.toml", policy="safe-harbor")
    made.accept_guesses(by="A. Officer")
    result = made.run(tmp_path / "out")
    assert str(result.verdict) == "MET: 1 of 1 columns attacked"
    (column,) = (column for column in result["variables"] if column["name"] == "enlisted_on")
    assert (column["standing"], "nobody has said when" in column["reason"]) == ("left out", True)
    words = ("--youngest", "enlisted_on=17", "--evidence", "the law", "--by", "A. Officer", "--on", "2026-11-01")
    assert invoke("release", "step", made.path, "variables", *words).exit_code == 0
    made = Release(made.path)
    result = made.run(tmp_path / "out")
    assert str(result.verdict) == "MET: 2 of 2 columns attacked"
    last = made.project.file.day.year - 90 + 17
    with (tmp_path / "out" / "send" / "release.csv").open() as file:
        years = {row["enlisted_on"] for row in csv.DictReader(file)}
    assert years == {f"{last} or before", *map(str, range(last + 1, 1990))}


@pytest.mark.parametrize("words", [("enlisted_on", 200), ("enlisted_on", "17"), ("nothing", 17)])
def test_an_age_at_an_event_is_an_age(project, words):
    with pytest.raises(InputError):
        project.state_youngest(*words, by="A.", evidence="the law")


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("F,1941-03-14,E11.9", "looks like a record"),
        ('"Okafor, Maria","Ramirez, James","Smith, Linda"', "one column per person"),
    ],
)
def test_a_file_of_another_layout_is_refused_before_any_question(tmp_path, header, what):
    rows = [("FM"[at % 2], f"19{41 + at % 40}-03-14", ("E11.9", "I10")[at % 3 == 0]) for at in range(40)]
    (tmp_path / "v.csv").write_text(header + "\n" + "\n".join(map(",".join, rows)) + "\n")
    with pytest.raises(InputError, match=what):
        Release.new(tmp_path / "v.csv", tmp_path / "p.toml")
    assert not (tmp_path / "p.toml").exists()
