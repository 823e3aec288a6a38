"""Random projects: whenever a run reports success, another count of the written file meets its target."""

from __future__ import annotations

import csv
import datetime as dt
import random
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from pinned import pinned

from policy_sim.release import Release
from policy_sim.words.errors import InputError, NotEstimableError

MANY, PARTS = 300, 10


def write_file(path, rng, rows, people):
    """A file with missing values, several rows per person and fields of each kind."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["who", "age", "sex", "zip", "seen", "dx", "cost"])
        for at in range(rows):
            who = f"P{at if people == rows else rng.randrange(people)}"
            age = rng.choice(["", *map(str, range(18, 96))]) if rng.random() < 0.05 else str(rng.randint(18, 95))
            sex, place = rng.choice(["F", "M", "F", "M", ""]), rng.choice(["43215", "43201", "44101", "03601", ""])
            seen = f"2025-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
            writer.writerow(
                [who, age, sex, place, seen, rng.choice(["E11.9", "E10.1", "I10", "J45.0"]), rng.randint(1, 9)]
            )


def write_project(path, rng, *, several):
    kinds = {"age": "age", "sex": "sex", "zip": "zip", "seen": "date", "dx": "code"}
    keys = rng.sample(list(kinds), rng.randint(1, 4))
    lines = ['title = "x"', "[file]", 'location = "file.csv"', 'person = "who"' if several else ""]
    lines += ["[variables.who]", 'role = "direct"', 'reason = "a number"', 'treatment = "pseudonym"']
    for name, kind in kinds.items():
        role = "key" if name in keys else "sensitive"
        lines += [f"[variables.{name}]", f'role = "{role}"', f'kind = "{kind}"', 'reason = "why"']
    lines += ["[variables.cost]", 'role = "other"', 'reason = "why"']
    measure = rng.choice(["maximum", "average", "strict-average"])
    threshold = rng.choice(["k=2", "k=5", "k=11", "0.09", "0.2", "0.33"])
    lines += ["[target]", 'aim = "risk"', f'measure = "{measure}"', f'threshold = "{threshold}"']
    if measure == "strict-average":
        lines += [f'cutoff = "{rng.choice(["0.33", "0.5"])}"']
    sample = rng.choice([1.0, 1.0, 0.6])
    sizes = rng.choice(["file", "population"]) if sample < 1 else "file"
    lines += [f'sizes = "{sizes}"', "[settings]", f"limit = {rng.choice([0.0, 0.05, 0.2])}"]
    lines += [f"sample = {sample}", f"seed = {rng.randint(0, 9)}"]
    recoding = rng.choice(["one-level", "local"]) if sizes == "file" else "one-level"
    cells = (recoding == "local" or not several) and rng.random() < 0.4
    lines += [f'recoding = "{recoding}"', f"local = {'true' if cells else 'false'}", 'key_file = "a.key"']
    lines += [f'keep = ["{rng.choice(keys)}"]'] if rng.random() < 0.3 else []
    lines += ["[answers.release-model]", 'value = "public"', "[answers.attacker-knows]", 'value = "yes"']
    lines += ["[answers.invasion]", 'value = "low"']
    path.write_text("\n".join(lines) + "\n")
    return keys, measure, threshold, sizes


def recounted_by_hand(rows, keys, *, several):
    members = defaultdict(set)
    for at, row in enumerate(rows):
        members[tuple(row[key] for key in keys)].add(row["who"] if several else at)
    return [len(each) for each in members.values()]


def meets(sizes, measure, threshold, cutoff):
    """The definitions of the sources, on exact fractions."""
    k = {"k=2": 2, "k=5": 5, "k=11": 11, "0.09": 11, "0.2": 5, "0.33": 3}[threshold]
    most = Fraction(1, k) if threshold.startswith("k") else Fraction(threshold)
    mean = Fraction(len(sizes), sum(sizes))
    if measure == "maximum":
        return min(sizes) >= k
    if measure == "average":
        return mean <= most
    return min(sizes) >= {"0.33": 3, "0.5": 2}[cutoff] and mean <= most


@pytest.mark.slow
@pytest.mark.parametrize("part", pinned([2], range(PARTS)))
def test_whenever_success_is_reported_another_count_agrees(part, tmp_path):
    successes = recoded = 0
    for number in range(part * MANY // PARTS, (part + 1) * MANY // PARTS):
        rng = random.Random(number)
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = rng.randint(30, 300)
        several = rng.random() < 0.4
        write_file(folder / "file.csv", rng, rows, rng.randint(20, rows) if several else rows)
        keys, measure, threshold, sizes = write_project(folder / "p.toml", rng, several=several)
        release = Release(folder / "p.toml")
        try:
            figures = release.run(folder / "out")
        except NotEstimableError:
            assert not (folder / "out").exists()
            continue
        successes += 1
        recoded += figures["search"]["recoding"] == "local"
        with (folder / "out" / "release.csv").open(newline="") as file:
            released = list(csv.DictReader(file))
        assert len(released) == figures["output"]["rows"] > 0
        counted = recounted_by_hand(released, keys, several=several)
        assert figures["after"]["smallest"] == min(counted)
        if sizes == "file":
            assert meets(counted, measure, threshold, release.project.target.cutoff)
        elif measure == "maximum":
            assert figures["after"]["population_maximum"] <= Fraction(1, 2)
        gone = {row["who"] for row in released}
        assert all(who not in gone for who in (f"P{at}" for at in range(rows)))
        if several:
            with (folder / "file.csv").open(newline="") as file:
                before = Counter(row["who"] for row in csv.DictReader(file))
            after = Counter(row["who"] for row in released)
            assert not Counter(after.values()) - Counter(before.values())  # whole people, with all of their rows
    assert successes > 5
    assert recoded > 2


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
    released = list(pd.read_csv(tmp_path / "out" / "release.csv", dtype=str).itertuples(index=False, name=None))

    def could_be(person, row):
        age, sex = person
        return row[1] in (sex, "*") and (row[0] == "*" or stands_for(row[0], age))

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


@pytest.mark.slow
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("combined", "recoding"), [("geometric", "one-level"), ("arithmetic", "one-level"), ("arithmetic", "local")]
)
def test_the_loss_is_that_of_the_written_file(tmp_path, project_of_keys, local, combined, recoding):
    """The mean of (m - 1)/(D - 1) over records and key fields, counted from the original and the written CSV."""
    rng = random.Random(11)
    wards = rng.choices("ABCDEFGH", (40, 30, 20, 4, 2, 2, 1, 1), k=400)  # a few rare ones, worth single cells
    rows = [[str(at), str(rng.randint(20, 59)), rng.choice("FM"), ward] for at, ward in enumerate(wards)]
    before = pd.DataFrame(rows, columns=["serial", "age", "sex", "ward"]).set_index("serial")
    before.to_csv(tmp_path / "f.csv")
    more = f'[settings]\nlimit = 0.2\nloss = "{combined}"\nlocal = {str(local).lower()}\nrecoding = "{recoding}"\n'
    more += '[variables.serial]\nrole = "other"\nreason = "to compare the rows"\n'
    kinds = {"age": "age", "sex": "category", "ward": "category"}
    release = project_of_keys(tmp_path / "p.toml", kinds, 'threshold = "k=5"\n', more)
    search = release.run(tmp_path / "out")["search"]
    after = pd.read_csv(tmp_path / "out" / "release.csv", dtype=str, keep_default_na=False).set_index("serial")
    lost = pd.DataFrame(1.0, before.index, before.columns)  # what is not released, and every cell that shows nothing
    for name in before:
        shown = after[name][~after[name].isin(["", "*"])]
        domain = sorted(set(before[name]))
        lost.loc[shown.index, name] = [sum(stands_for(label, value) for value in domain) - 1 for label in shown]
        lost.loc[shown.index, name] /= len(domain) - 1
    assert search["suppressed"] == len(before) - len(after)
    assert search["loss"] == pytest.approx(lost.to_numpy().mean(), abs=1e-12)
    assert search["recoding"] == recoding
    if recoding == "local":
        return
    assert (search["blanked"] > 0) is local
    if combined == "arithmetic" and not local:
        assert search["objective"] == pytest.approx(search["loss"], abs=1e-12)
    if local:
        assert search["loss"] < search["objective"]


def stands_for(label, value):
    lower, _, upper = label.partition("-")
    return label == value or (upper.isdigit() and int(lower) <= int(value) <= int(upper))


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
    assert (tmp_path / "out" / "release.csv").read_text().split() == ["sex", *["F"] * 20]


def frontier_holds(made, folder, thresholds):
    """Each point run on its own loses what the table says, and is the file of a project that aims there."""
    rows = made.frontier(thresholds)
    assert len(rows) == 2 * len(thresholds)
    for row in rows.itertuples():
        made.set("settings", recoding="local")
        of_point = made.run(folder / "point", threshold=row.threshold, node=row.node)
        assert of_point["search"]["loss"] == pytest.approx(float(row.loss), abs=1e-12)
        assert of_point["search"]["suppressed"] == row.suppressed
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
    assert (tmp_path / "rule" / "release.csv").read_bytes() == (tmp_path / "same" / "release.csv").read_bytes()
    with pytest.raises(InputError, match="give a level of each key field"):
        made.run(tmp_path / "none", node="9-9")


@pytest.mark.slow
def test_each_point_of_the_frontier_of_adult(tmp_path, shared, project_of_keys):
    lines = (shared / "microdata" / "adult_arx.csv").read_text().splitlines()
    kept = [line.split(";")[:5] for line in lines]
    (tmp_path / "f.csv").write_text("".join(f"{sex},{age},{race},{study}\n" for sex, age, race, _, study in kept))
    kinds = {"sex": "sex", "age": "age", "race": "race", "education": "category"}
    made = project_of_keys(tmp_path / "p.toml", kinds, "", 'threshold = "k=3"\n')
    frontier_holds(made, tmp_path, ["k=5", "k=11", "k=30"])


def test_an_accepted_guess_shows_no_age_over_89_and_no_small_area(tmp_path):
    """Eleven people are born in each year from 1925 on and live in 82190; a threshold of 5 would let them out."""
    births = [f"{year}-03-{day:02d},{year},82190" for year in range(1925, 1960) for day in range(1, 12)]
    (tmp_path / "f.csv").write_text("\n".join(["birth_date,birth_year,zip", *births]) + "\n")
    made = Release.new(tmp_path / "f.csv", tmp_path / "p.toml")
    made.set("file", day=dt.date(2026, 6, 30))
    made.set("target", aim="risk", measure="maximum", threshold="k=5")
    assert set(made.accept_guesses(by="A. Officer")) == {"birth_date", "birth_year", "zip"}
    made.run(tmp_path / "out")
    shown = pd.read_csv(tmp_path / "out" / "release.csv", dtype=str)
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
