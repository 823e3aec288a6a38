"""300 files of people with several rows, counted again by every part of these: ``python -m benchmarks.longitudinal``.

A file has people with one to five visits; some fields are theirs, others change from visit to visit. It is released for
an attacker who knows one row of a person, any two, or all. Where a release is made, every part of every person's rows
that the attacker may know is looked for in the rows of everybody, from the written file alone: nobody may be among
fewer people than the target asks for. Then the rows of the file are put into ten orders: the figures of the release, of
the file before it, of its profile and of an estimate must be the same. The recount shares no code with the program.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.records.classes import Classes
from policy_sim.records.person_classes import PersonClasses, profile_people
from policy_sim.records.profile import Threshold
from policy_sim.release import Release
from policy_sim.release.deidentified import deidentify
from policy_sim.release.linkable import people_figures
from policy_sim.release.run import read_inputs, run_project, secret_key
from policy_sim.release.targets import recounted
from policy_sim.study.record_file import RecordFile
from policy_sim.words.errors import NotEstimableError

KEYS = ("age", "sex", "zip3", "year")
ORDERS = 10
SMALLEST = (2, 3, 5)


def write_file(folder: Path, seed: int) -> tuple[str, int]:
    """Write a random file and a project about it; return what is known of a person, and the smallest group."""
    rng = np.random.default_rng([seed, 42])
    people = int(rng.integers(15, 60))
    known, least = str(rng.choice(["1", "2", "all", "all"])), int(rng.choice(SMALLEST))
    rows = []
    for person in range(people):
        sex, zip3, age = rng.choice(list("FM")), rng.choice(["441", "442", "443"]), int(rng.integers(2, 7))
        for _ in range(int(rng.choice([1, 1, 2, 2, 3, 4, 5]))):
            lost = rng.random() < 0.03
            moved = zip3 if rng.random() < 0.9 else rng.choice(["441", "442"])
            older = 10 * (age + int(rng.random() < 0.2))
            number = "" if rng.random() < 0.02 else f"p{person:03}"
            rows.append([number, "" if lost else str(older), sex, moved, str(2020 + int(rng.integers(0, 3)))])
    write_rows(folder / "f.csv", rows)
    local = bool(rng.random() < 0.4)
    parts = ['title = "x"\n[file]\nlocation = "f.csv"\nperson = "pid"\n[variables.pid]\nrole = "direct"\n']
    parts.append('treatment = "pseudonym"\nreason = "joins"\n')
    kinds = {"age": 'kind = "age"\nwidths = [20, 40]', "sex": 'kind = "sex"', "zip3": 'kind = "code"\nlengths = [2]'}
    kinds["year"] = 'kind = "number"\nwidths = [2]'
    parts += [f'[variables.{name}]\nrole = "key"\nreason = "known"\n{kind}\n' for name, kind in kinds.items()]
    parts.append(
        f'[target]\naim = "risk"\nthreshold = "k={least}"\n' + (f'known = "{known}"\n' if known != "all" else "")
    )
    parts.append(f'[settings]\nlimit = 0.4\nkey_file = "a.key"\nrecoding = "{"local" if local else "one-level"}"\n')
    (folder / "p.toml").write_text("".join(parts))
    return known, least


def write_rows(path: Path, rows: list[list[str]]) -> None:
    """Write the rows of a file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["pid", *KEYS], *rows])


def smallest_by_hand(path: Path, known: str, *, named: bool = False) -> int:
    """Return the fewest people who have a part of somebody's rows, over every part that may be known of anybody.

    ``named``: only rows that name a person count; 0 where a row without a person is alike to none of them.
    """
    with path.open(newline="") as file:
        held = list(csv.DictReader(file))
    rows, nobody = defaultdict(list), set()
    for at, row in enumerate(held):
        values = tuple(row[name] for name in KEYS)
        if named and not row["pid"]:
            nobody.add((values,))
        else:
            rows[row["pid"] or f"row {at}"].append(values)
    people = Counter[tuple[tuple[str, ...], ...]]()
    parts = {}
    for person, own in rows.items():
        most = len(own) if known == "all" else int(known)
        parts[person] = {tuple(sorted(part)) for many in range(1, most + 1) for part in combinations(own, many)}
        if known == "all":  # who has these rows and no others
            parts[person].add((("all",), *sorted(own)))
        people.update(parts[person])
    return min(people[part] for own in (*parts.values(), nobody) for part in own)


def figures(folder: Path) -> list[Any]:
    """Return every figure of a file and of its release that may not depend on the order of its rows."""
    release = Release(folder / "p.toml")
    inputs = read_inputs(release.project)
    cutoff, fields = Threshold.parse("0.33"), list(KEYS)
    known, target = inputs.treatment.known, inputs.treatment.target
    found: list[Any] = [inputs.before().measures(cutoff), people_figures(inputs.table, fields, inputs.people, 5)]
    try:
        key = secret_key(release.project, inputs.treatment)
        made = deidentify(inputs.table, inputs.treatment, key, inputs.population)
        after = recounted(made.table, fields, inputs.people[made.rows], known=known)
        levels = made.generalization.levels() if made.generalization else {}
        found += [after.measures(cutoff), made.losses, made.one_row, levels, int(made.rows.sum()), after.meets(target)]
    except NotEstimableError as error:
        found.append(str(error))
    texts = [[text or None for text in inputs.table[name].texts()] for name in (*fields, "pid")]
    people = PersonClasses.of(Classes.of_rows(list(zip(*texts, strict=True)), (*fields, "pid")), known)
    profile = profile_people(people, cutoff, cutoff)
    return [*found, vars(profile.risk), profile.combinations and [vars(each) for each in profile.combinations]]


def file_figures(folder: Path, known: str) -> list[str]:
    """Return what the commands print of a file: its profile, an estimate and a score, by an engine."""
    file = RecordFile(folder / "f.csv", list(KEYS), person="pid", known=known)
    tables = [table.to_csv() for table in file.profile().tables.values()]
    tables.append(str(sorted(file.classes().sizes.tolist())))
    return tables + ([file.estimate(5_000, models=["zayatz", "pitman"]).to_frame().to_csv()] if known == "all" else [])


def tried(seed: int, orders: int = ORDERS) -> tuple[str, list[str]]:
    """Try one file: ``known`` and whether a release was made, and what is wrong with it."""
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known, least = write_file(folder, seed)
        try:
            made = run_project(Release(folder / "p.toml").project, folder / "release.csv")
        except NotEstimableError:
            outcome = "none"
        else:
            outcome = "released"
            smallest, reported = smallest_by_hand(folder / "release.csv", known), int(made.after.known.least().min())
            if smallest < least:
                faults.append(f"{smallest} people where {least} were asked for")
            is_enough = smallest_by_hand(folder / "release.csv", known, named=True) >= least
            if made.verdict.is_met != is_enough or not (is_enough or "pid is empty in" in str(made.verdict)):
                faults.append(str(made.verdict))
            if smallest != reported:
                faults.append(f"smallest group {smallest}, reported {reported}")
        with (folder / "f.csv").open(newline="") as file:
            rows = list(csv.reader(file))[1:]
        by_engine = seed % 10 == 0
        first, of_file = figures(folder), file_figures(folder, known) if by_engine else []
        for order in range(1, orders):
            write_rows(folder / "f.csv", [rows[at] for at in np.random.default_rng(order).permutation(len(rows))])
            faults += [f"order {order}: another figure"] if figures(folder) != first else []
        faults += (
            ["the last order: another figure of the file"]
            if by_engine and file_figures(folder, known) != of_file
            else []
        )
    return f"{known}: {outcome}", faults


def main() -> None:
    """Try the files, print one line per file and the counts; those in ``--results`` are not tried again."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--number", type=int, default=300)
    reader.add_argument("--results", type=Path, help="a file that gets a line per file tried, so that a run can go on")
    given = reader.parse_args()
    done: dict[int, dict[str, Any]] = {}
    if given.results and given.results.exists():
        lines = map(json.loads, given.results.read_text().splitlines())
        done = {line["seed"]: line for line in lines}
    for seed in range(given.number):
        if seed not in done:
            outcome, faults = tried(seed)
            done[seed] = {"seed": seed, "outcome": outcome, "faults": faults}
            if given.results:
                with given.results.open("a") as file:
                    file.write(json.dumps(done[seed]) + "\n")
        for fault in done[seed]["faults"]:
            print(f"seed {seed}: {fault}", flush=True)
    counted = [done[seed] for seed in range(given.number)]
    print(dict(sorted(Counter(each["outcome"] for each in counted).items())))
    print(sum(bool(each["faults"]) for each in counted), "files with a fault")


if __name__ == "__main__":
    main()
