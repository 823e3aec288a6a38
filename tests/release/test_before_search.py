"""What the values show before the search is said before it."""

from __future__ import annotations

import datetime as dt
import random

import pandas as pd
import pytest
from small_people import run

from policy_sim.release import Release
from policy_sim.words.errors import InputError

ROWS = 300


def _release(folder, roles, **columns):
    rng = random.Random(1)
    base = {"age": [rng.randrange(20, 80) for _ in range(ROWS)], "sex": [rng.choice("FM") for _ in range(ROWS)]}
    pd.DataFrame(base | columns).to_csv(folder / "v.csv", index=False)
    release = Release.new(folder / "v.csv", folder / "p.toml")
    for column, role in {"age": "key", "sex": "key", **roles}.items():
        release.classify(column, role, "looked at", by="A. Officer")
    release.set("target", aim="risk", measure="maximum", threshold="k=3")
    return release


def _each(make, seed=2):
    rng = random.Random(seed)
    return [make(rng) for _ in range(ROWS)]


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        (
            "note",
            _each(lambda rng: f"{rng.randrange(100, 999)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"),
            "Social",
        ),
        ("mail", _each(lambda rng: f"p{rng.randrange(10**6)}@example.org"), "e-mail"),
    ],
)
def test_an_identifier_that_leaves_as_it_is_stops_the_run_before_the_search(tmp_path, column, values, what):
    release = _release(tmp_path, {column: "other"}, **{column: values})
    said = []
    with pytest.raises(InputError, match=f"^{column}: .*{what}.* found before the search") as caught:
        release.run(tmp_path / "out", progress=said.append)
    assert not any("lattice" in text or "measuring" in text for text in said)
    assert not (tmp_path / "out").exists()
    assert values[0] not in str(caught.value)


def test_a_column_that_tells_a_day_left_out_stops_the_run_before_the_search(tmp_path):
    days = _each(lambda rng: rng.randrange(40))
    dates = [(dt.date(2024, 1, 1) + dt.timedelta(day)).isoformat() for day in days]
    codes = [f"c{(day * 7) % 41}" for day in days]
    release = _release(tmp_path, {"admitted": "direct", "wave": "other"}, admitted=dates, wave=codes)
    with pytest.raises(InputError, match="wave determines admitted"):
        release.run(tmp_path / "out")


def test_a_race_of_two_words_and_a_role_with_a_reason_are_not_asked_about_again(tmp_path):
    races = _each(lambda rng: rng.choice(("White", "Black")), seed=3)
    last = _each(lambda rng: rng.choice(("Mason", "Baker", "Cook", "Okafor")))
    release = _release(tmp_path, {"race": "key", "trade": "other"}, race=races, trade=last)
    verdict = str(release.run(tmp_path / "out").verdict)
    assert verdict.startswith("MET for ")
    assert "trade may contain first or last names" in verdict
    assert "race may" not in verdict


def test_a_code_for_a_missing_value_that_new_saw_is_one_in_the_project(tmp_path):
    years = _each(lambda rng: rng.choice(("NA", *map(str, range(1990, 2020)))))
    stays = _each(lambda rng: rng.choice((".", *map(str, range(1, 30)))))
    answers = _each(lambda rng: rng.choice(("none", "some", "NA")))
    release = _release(tmp_path, {"year": "key", "pain": "other"}, year=years, los=stays, pain=answers)
    assert release.project.file.missing == ("", ".", "NA")
    release.run(tmp_path / "out")
    sent = pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str, keep_default_na=False)
    assert "NA" not in set(sent.year) | set(sent.pain)
    assert "none" in set(sent.pain)


def test_the_codes_for_missing_values_are_said(tmp_path):
    (tmp_path / "v.csv").write_text("sex,los\n" + "F,3\nM,NA\n" * 20)
    said = run("release", "new", tmp_path / "v.csv", tmp_path / "p.toml").stderr
    assert "taken for a missing value: NA." in said
