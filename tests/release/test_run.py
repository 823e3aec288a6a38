"""Random projects: whenever a run reports success, another count of the written file meets its target."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from pinned import pinned

from benchmarks.releases import stands_for, tried
from policy_sim.release import Release
from policy_sim.words.errors import InputError


@pytest.mark.parametrize("seed", range(4))
def test_whenever_success_is_reported_another_count_agrees(seed):
    assert tried(seed)[1] == []


def test_the_spread_of_the_risk_is_that_of_the_rows_in_the_written_file(tmp_path, project_of_keys):
    """Mean and 95th percentile of 1 over the size of a class, counted row by row with pandas; small groups together."""
    rng = random.Random(8)
    rows = [(str(rng.randint(20, 69)), rng.choice("FFFFFM")) for _ in range(400)] + [("33", "X")] * 5
    pd.DataFrame(rows, columns=["age", "sex"]).to_csv(tmp_path / "f.csv", index=False)
    keys = {"age": "age", "sex": "category"}
    release = project_of_keys(tmp_path / "p.toml", keys, 'measure = "average"\nthreshold = "0.2"\n')
    figures = release.run(tmp_path / "out")
    released = pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str, keep_default_na=False)
    released["risk"] = 1 / released.groupby(["age", "sex"])["sex"].transform("size")
    spread = pd.DataFrame(figures["spread"])
    assert spread["by"].unique().tolist() == ["all", "age", "sex"]
    for row in spread[spread["value"] != "smaller groups"].itertuples():
        risk = released["risk"] if row.by == "all" else released.loc[released[row.by] == row.value, "risk"]
        assert row.records == len(risk)
        assert row.mean_after == pytest.approx(risk.mean())
        assert row.percentile_after == pytest.approx(sorted(risk, reverse=True)[-(-len(risk) // 20) - 1])
        assert row.percentile_before >= row.percentile_after
    assert figures["after"]["percentile_95"] == spread["percentile_after"].iloc[0]
    assert min(spread[spread["value"] != "smaller groups"]["records"]) >= 11


@pytest.mark.slow
def test_random_projects_are_released_in_each_way():
    """Some of the benchmark: each of them counted again with pandas."""
    outcomes = [tried(seed) for seed in pinned(range(4, 14), range(300))]
    assert [faults for _, faults in outcomes if faults] == []
    made = Counter(outcome for outcome, _ in outcomes)
    assert min(made[recoding] for recoding in ("one-level", "local")) > pinned(1, 5)


def test_the_marketer_risk_is_reached_directly(tmp_path, project_of_keys):
    """A file of 200 among its 2,000 people: the mean over the records of 1/people is at most the threshold."""
    rng = random.Random(5)
    everyone = [(str(rng.randint(20, 79)), rng.choice("FM")) for _ in range(2000)]
    for name, rows in (("people.csv", everyone), ("f.csv", everyone[:200])):
        pd.DataFrame(rows, columns=["age", "sex"]).to_csv(tmp_path / name, index=False)
    target = 'measure = "average"\nthreshold = "0.02"\nsizes = "population"\n'
    people = '[population]\nsource = "file"\nname = "people.csv"\n'
    release = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "category"}, target, people, knows="no")
    figures = release.run(tmp_path / "out")
    released = list(
        pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str).itertuples(index=False, name=None)
    )

    def could_be(person, row):
        age, sex = person
        return stands_for(row[0], age) and stands_for(row[1], sex)

    people = {row: sum(could_be(person, row) for person in everyone) for row in set(released)}
    marketer = sum(1 / people[row] for row in released) / len(released)
    assert figures["after"]["marketer"] == pytest.approx(marketer)
    assert marketer <= 0.02
    assert figures["after"]["maximum"] > 0.02  # the file alone would not hide its records so well


@pytest.mark.slow
def test_people_hide_among_a_population_only_if_there_is_one(plain, tmp_path):
    plain.answer("attacker-knows", "no")
    with pytest.raises(InputError, match="names none"):
        plain.run(tmp_path / "out")


def test_presence_counts_the_people_of_a_population(tmp_path, project_of_keys):
    """20 of 100 women and 30 of 50 men are in the file; men are suppressed where at most half may be."""
    for name, women, men in (("f.csv", 20, 30), ("people.csv", 100, 50)):
        (tmp_path / name).write_text("sex\n" + "F\n" * women + "M\n" * men)
    presence = '[[conditions]]\nmeasure = "presence"\nmost = 0.5\n'
    more = '[variables.sex]\nrole = "key"\nkind = "sex"\nreason = "known"\nlevels = ["value"]\n'
    more += '[settings]\nrecoding = "one-level"\nlimit = 0.7\n' + presence
    alone = project_of_keys(tmp_path / "alone.toml", {}, 'threshold = "k=5"\n', more)
    with pytest.raises(InputError, match="names none"):
        alone.run(tmp_path / "none")
    more += '[population]\nsource = "file"\nname = "people.csv"\n'
    project_of_keys(tmp_path / "p.toml", {}, 'threshold = "k=5"\n', more).run(tmp_path / "out")
    assert (tmp_path / "out" / "send" / "release.csv").read_text().split() == ["sex", *["F"] * 20]


def frontier_holds(made, folder, thresholds):
    """Each point run on its own loses what the table says, and is the file of a project that aims there."""
    made.set("settings", seed=3)
    rows = made.frontier(thresholds)
    assert len(rows) == 2 * len(thresholds)
    for row in rows.itertuples():
        made.set("settings", recoding="local")
        of_point = made.run(folder / "point", threshold=row.threshold, node=row.node)
        assert of_point["search"]["loss"] == pytest.approx(float(row.loss), abs=1e-12)
        assert of_point["search"]["suppressed"] == row.suppressed
        risks = of_point["after"]["average"], of_point["after"]["maximum"]
        assert risks == pytest.approx((float(row.mean_risk), float(row.largest_risk)), abs=1e-12)
        made.set("target", threshold=row.threshold)
        made.set("settings", recoding=row.recoding)
        by_project = made.run(folder / "whole")
        assert of_point["output"]["sha256"] == by_project["output"]["sha256"]


def test_each_point_of_the_frontier_is_a_file_of_its_own(tmp_path, project_of_keys):
    rng = np.random.default_rng(5)
    rows = [f"{age},{sex}" for age, sex in zip(rng.integers(20, 50, 200), rng.choice(list("FM"), 200), strict=True)]
    (tmp_path / "f.csv").write_text("age,sex\n" + "\n".join(rows) + "\n")
    made = project_of_keys(tmp_path / "p.toml", {"age": "age", "sex": "sex"}, "", 'threshold = "k=3"\n')
    before = made.path.read_text()
    made.run(tmp_path / "point", threshold="k=9", node="2-1")
    assert made.path.read_text() == before  # a point is tried; the project stays as it is
    frontier_holds(made, tmp_path, ["k=3", "k=11"])
    made.set("file", day=dt.date(2026, 1, 1))
    point = made.frontier(["safe-harbor"]).iloc[0]
    assert (point["recoding"], point["loss"], point["levels"]) == ("policy", 0.0, "age: value, sex: value")
    made.run(tmp_path / "rule", threshold="safe-harbor")
    made.set("target", aim="policy", policy="safe-harbor")
    made.set("settings", recoding="")
    made.run(tmp_path / "same")
    files = (tmp_path / out / "send" / "release.csv" for out in ("rule", "same"))
    assert len({file.read_bytes() for file in files}) == 1
    with pytest.raises(InputError, match="give a level of each key field"):
        made.run(tmp_path / "none", node="9-9")


@pytest.mark.slow
def test_each_point_of_the_frontier_of_adult(tmp_path, shared, project_of_keys):
    lines = (shared / "microdata" / "adult_arx.csv").read_text().splitlines()
    kept = [line.split(";")[:5] for line in lines]
    (tmp_path / "f.csv").write_text("".join(f"{sex},{age},{race},{study}\n" for sex, age, race, _, study in kept))
    kinds = {"sex": "sex", "age": "age", "race": "race", "education": "category"}
    made = project_of_keys(tmp_path / "p.toml", kinds, "", 'threshold = "k=3"\n')
    frontier_holds(made, tmp_path, pinned(["k=11"], ["k=5", "k=11", "k=30"]))


def test_an_accepted_guess_shows_no_age_over_89_and_no_small_area(tmp_path):
    """Eleven people are born in each year from 1925 on and live in 82190; a threshold of 5 would let them out."""
    births = [f"{year}-03-{day:02d},{year},82190" for year in range(1925, 1960) for day in range(1, 12)]
    (tmp_path / "f.csv").write_text("\n".join(["birth_date,birth_year,zip", *births]) + "\n")
    made = Release.new(tmp_path / "f.csv", tmp_path / "p.toml")
    made.set("file", day=dt.date(2026, 6, 30))
    made.set("target", aim="risk", measure="maximum", threshold="k=5")
    assert set(made.accept_guesses(by="A. Officer")) == {"birth_date", "birth_year", "zip"}
    made.run(tmp_path / "out")
    shown = pd.read_csv(tmp_path / "out" / "send" / "release.csv", dtype=str)
    assert set(shown["zip"]) == {"000"}
    assert set(shown["birth_date"]) == {"1936 or before", *map(str, range(1937, 1960))}
    assert set(shown["birth_year"]) == {"1936 or less", *map(str, range(1937, 1960))}


def test_sentences_that_a_person_releases_are_named_in_a_note(tmp_path, project_of_keys):
    rows = [f"{sex},{'seen' if sex == 'F' else 'my son was here today'},{sex} of the two" for sex in "FM" * 5]
    (tmp_path / "f.csv").write_text("sex,remark,group\n" + "\n".join(rows) + "\n")
    more = 'measure = "maximum"\nthreshold = "k=3"\n'
    more += "".join(f'[variables.{name}]\nrole = "other"\nreason = "read"\n' for name in ("remark", "group"))
    figures = project_of_keys(tmp_path / "p.toml", {"sex": "sex"}, "", more).run(tmp_path / "out")
    (note,) = [note for note in figures["notes"] if "sentence" in note]
    assert note.startswith("remark: texts of several words.")


def test_rows_blank_in_every_cell_are_not_released_and_the_folder_says_how_many(tmp_path, project_of_keys):
    """A record of which nothing is released is a record, and is checked again as one."""
    rows = [f"{shown},n{at}" for at, shown in enumerate(["F,white", "M,black", ","] * 3)] + [",,", " ,,  "] * 4
    (tmp_path / "f.csv").write_text("sex,race,note\n" + "\n".join(rows) + "\n")
    made = project_of_keys(
        tmp_path / "p.toml", {"sex": "sex", "race": "race"}, "", 'measure = "maximum"\nthreshold = "k=3"\n'
    )
    figures = made.run(tmp_path / "out")
    assert sum("8 rows are blank" in note for note in figures["notes"]) == 1
    assert figures["before"]["records"] == figures["after"]["records"] == 9
    shown = (tmp_path / "out" / "send" / "release.csv").read_text().splitlines()
    assert Counter(shown).most_common(3)[-1][1] == 3
    assert Counter(shown)[","] == 3
    assert {row["holds"] for row in made.recheck(tmp_path / "out").to_frame().to_dict("records")} == {"yes"}
