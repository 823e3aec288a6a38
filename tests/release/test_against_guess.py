"""A column that someone released as no key field, against the program's guess, is on that person's word alone."""

from __future__ import annotations

import json
import random
import re

import pandas as pd
import pytest
from said import numbers
from small_people import run

from policy_sim.release import Release
from policy_sim.release.identifiability import level_line

ROWS = 240
ZIPS = ["60611", "60614", "60622", "60640", "60657", "60618"]
ANSWERS = {
    "release-model": "public", "attacker-knows": "yes", "invasion": "low", "target-level": "anonymous",
}  # fmt: skip


def _made(folder, columns, roles, *, edition="ihe-2026-draft", threshold=""):
    rng = random.Random(4)
    frame = {name: [str(make(rng, at)) for at in range(ROWS)] for name, make in columns.items()}
    pd.DataFrame(frame).to_csv(folder / "v.csv", index=False)
    made = Release.new(folder / "v.csv", folder / "p.toml", edition=edition)
    for column, role in roles.items():
        made.classify(column, role, "looked at", by="A. Officer")
    for question, value in ANSWERS.items():
        if any(asked.id == question for asked in made.project.edition.questions):
            made.answer(question, value, by="A. Officer", evidence="minutes 7")
    if threshold:
        made.set("target", aim="risk", threshold=threshold)
    return made


SEX = {"sex": lambda rng, at: rng.choice("FM")}
ARM = {"arm": lambda rng, at: "AB"[at % 2]}


def test_zip_codes_under_a_name_of_their_own_are_not_counted_as_attacked(tmp_path):
    columns = {**SEX, "site_code": lambda rng, at: rng.choice(ZIPS)}
    made = _made(tmp_path, columns, {"sex": "key", "site_code": "other"}, edition="ipc-2016", threshold="k=50")
    verdict = str(made.run(tmp_path / "out").verdict)
    sizes = pd.read_csv(tmp_path / "v.csv").groupby(["sex", "site_code"]).size()
    met, word, guess, as_key = verdict.split("; ")
    assert (met, word) == ("MET for 1", "1 on A. Officer's word")
    assert guess == "against the program's guess: site_code (direct: zip5)"
    assert as_key.startswith("with site_code as a key field too")
    assert numbers(as_key) == [str(sizes.min()), "50"]


def test_without_a_guess_in_the_project_the_values_speak(tmp_path):
    columns = {**SEX, "site_code": lambda rng, at: rng.choice(ZIPS)}
    made = _made(tmp_path, columns, {"sex": "key", "site_code": "other"}, edition="ipc-2016", threshold="k=5")
    text = made.path.read_text()
    made.path.write_text("\n".join(line for line in text.splitlines() if not line.startswith("guess =")))
    verdict = str(Release(made.path).run(tmp_path / "out").verdict)
    assert "against the program's guess: site_code (key: zip5)" in verdict


def test_under_a_policy_the_rule_says_what_may_show(tmp_path):
    made = _made(tmp_path, {**SEX, **ARM}, {"sex": "other", "arm": "other"})
    made.set("target", aim="policy", policy="safe-harbor")
    assert "guess" not in str(made.run(tmp_path / "out").verdict)


@pytest.mark.parametrize(("ages", "level"), [(4, "Anonymous"), (70, "Irreversibly Pseudonymized")])
def test_the_level_counts_a_key_by_guess_as_a_key(tmp_path, ages, level):
    """Of 240 rows, four ages by sex are classes of about 30, and 70 ages are classes of one to four."""
    made = _made(tmp_path, {**SEX, "age": lambda rng, at: 20 + at % ages}, {"sex": "key", "age": "other"})
    result = made.run(tmp_path / "out")
    found = result["identifiability"]["after"]
    assert found["level"] == level
    assert re.search("key fields too, .* guess: age$", found["why"])
    smallest = pd.read_csv(tmp_path / "v.csv").groupby(["sex", "age"]).size().min()
    assert f"with {smallest} in the smallest class" in found["why"]


def test_an_identifier_by_guess_leaves_no_level_even_with_a_key(tmp_path):
    columns = {"mrn": lambda rng, at: 7_000_001 + 13 * at, **SEX, "site_code": lambda rng, at: rng.choice(ZIPS)}
    made = _made(tmp_path, columns, {"mrn": "direct", "sex": "key", "site_code": "other"})
    made.pseudonym("mrn", by="A. Officer")
    made.set("target", aim="risk", threshold="k=2", known="1")
    found = made.run(tmp_path / "out")["identifiability"]
    assert [found[when]["level"] for when in ("after", "without_key")] == [None, None]
    assert "site_code" in level_line(found)
    assert found["reached"] is None


def test_the_level_says_on_what_it_rests_and_which_steps_are_open(tmp_path):
    made = _made(tmp_path, {**SEX, **ARM}, {"sex": "key", "arm": "other"})
    line = next(
        text
        for text in run("release", "run", made.path, "--out", tmp_path / "out").stdout.splitlines()
        if text.startswith("level: ")
    )
    assert line.startswith("level: Anonymous (")
    assert "; 1 on A. Officer's word; " in line
    states = [state for state in Release(made.path).status() if not state.is_done]
    assert re.search(rf"; {len(states)} of 7 steps .* open \(Analyze the Context, ", line)


def test_surnames_have_no_level_and_programs_read_why(tmp_path):
    columns = {**SEX, "trade": lambda rng, at: rng.choice(("Mason", "Baker", "Cook", "Okafor"))}
    made = _made(tmp_path, columns, {"sex": "key", "trade": "other"})
    answer = json.loads(run("release", "run", made.path, "--out", tmp_path / "out", "--format", "json").stdout)
    assert answer["level"].startswith("level: unknown: ")
    said = ["1 on A. Officer's word", "against the program's guess: trade (direct)"]
    assert answer["conditions"][:2] == said
    assert answer["conditions"][-1].startswith("trade may contain first or last names")
    assert answer["identifiability"]["conditions"] == answer["conditions"]
    again = json.loads(run("release", "recheck", made.path, "--out", tmp_path / "out", "--format", "json").stdout)
    assert again["conditions"] == answer["conditions"]


def test_doubts_are_in_the_line_of_a_level():
    found = {
        "after": {"level": "Anonymous", "why": "by its risk"}, "without_key": None, "target": None, "steps": 7,
        "conditions": ["1 on A. Officer's word", "note may contain names of people"], "open_steps": [],
    }  # fmt: skip
    said = "level: Anonymous (by its risk); 1 on A. Officer's word; note may contain names of people"
    assert level_line(found) == said
