"""300 random release projects, each counted again with plain pandas: ``python -m benchmarks.releases 300``.

A project has a random file, ladders, a target, conditions on the sensitive columns, persons with several rows or
pseudonyms, a sample that hides in its file, fields that count more, and one of the recodings. Where the program says
that it made a release, the written file must meet every target, and its figures must be those that the program reports.
The recount shares no code with the program.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.release import Release
from policy_sim.release.conditions import ClassCondition
from policy_sim.release.project import Project, TargetSettings
from policy_sim.words.errors import NotEstimableError

KEYS = ("age", "sex", "zip")
GROUPS = {"flu": "lung", "cold": "lung", "ulcer": "gut", "colic": "gut", "": "missing"}
PARTS = {"10001": "north", "10002": "north", "10101": "south", "20001": "south", "20099": "west"}
LOSSES = ("geometric", "arithmetic", "entropy", "discernibility")
TARGETS = (
    'threshold = "k=2"',
    'threshold = "k=5"',
    'threshold = "k=11"',
    'measure = "average"\nthreshold = "0.2"',
    'measure = "strict-average"\nthreshold = "0.25"\ncutoff = "0.5"',
)
CONDITIONS = (
    'measure = "distinct"\nof = "illness"\nl = 2',
    'measure = "distinct"\nof = "illness"\nl = 3',
    'measure = "entropy"\nof = "illness"\nl = 2.2',
    'measure = "recursive"\nof = "illness"\nl = 2\nc = 2.5',
    'measure = "closeness"\nof = "illness"\nt = 0.3',
    'measure = "closeness"\nof = "illness"\nt = 0.25\ndistance = "hierarchical"',
    'measure = "closeness"\nof = "income"\nt = 0.2\ndistance = "numeric"',
)


def write_project(folder: Path, seed: int) -> None:
    """Write a random file and a project about it."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(60, 400))
    file = pd.DataFrame(
        {
            "age": [str(age) if age else "" for age in rng.integers(0, 60, rows)],
            "sex": rng.choice(["F", "M", ""], rows, p=[0.5, 0.45, 0.05]),
            "zip": rng.choice(["10001", "10002", "10101", "20001", "20099"], rows, p=[0.5, 0.2, 0.2, 0.06, 0.04]),
            "illness": rng.choice(["flu", "cold", "ulcer", "colic", ""], rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "income": [str(income) for income in rng.choice([5, 10, 20, 30, 45, 90], rows)],
            "person": [f"p{number}" for number in rng.integers(0, rows, rows)],
        }
    )
    file.to_csv(folder / "f.csv", index=False)
    pd.DataFrame(GROUPS.items()).iloc[:4].assign(root="*").to_csv(folder / "h.csv", index=False, header=False)
    local = bool(rng.random() < 0.5)
    person = bool(rng.random() < 0.4)
    number = int(rng.integers(0, 4))
    conditions = rng.choice(len(CONDITIONS), number, replace=False)
    known = str(np.random.default_rng([seed, 2]).choice(["1", "all", "all" if number else "2"] if person else ["1"]))
    blanks = "true" if rng.random() < 0.4 and (local or not person) else "false"
    keep = "" if rng.random() < 0.5 else f'keep = ["{rng.choice(KEYS)}"]\n'
    of_person = 'person = "person"' if person else ""
    more = np.random.default_rng([seed, 1])
    sample = 0.6 if more.random() < 0.4 else 1.0
    hides = 'sizes = "population"' if sample < 1 and not local and blanks == "false" else ""
    mask = 'role = "direct"\ntreatment = "pseudonym"' if more.random() < 0.5 else 'role = "other"'
    lines = [f'title = "x"\n[file]\nlocation = "f.csv"\n{of_person}\n']
    widths = (("5, 10, 20"), ("2, 10"), ("3"), ("1, 4, 12"))[rng.integers(4)]
    lengths = (("3, 1"), ("4, 3, 2"), ("2"))[rng.integers(3)]
    kinds = {"age": f'kind = "age"\nwidths = [{widths}]', "sex": 'kind = "sex"'}
    kinds["zip"] = f'kind = "code"\nlengths = [{lengths}]' if rng.random() < 0.6 else 'hierarchy = "z.csv"'
    (folder / "z.csv").write_text("".join(f"{code},{part},*\n" for code, part in PARTS.items()))
    lines += [f'[variables.{name}]\nrole = "key"\nreason = "known"\n{kind}\n' for name, kind in kinds.items()]
    lines.append('[variables.illness]\nrole = "sensitive"\nreason = "harms"\nhierarchy = "h.csv"\n')
    lines.append('[variables.income]\nrole = "sensitive"\nreason = "harms"\nkind = "number"\n')
    lines.append(f'[variables.person]\n{mask}\nreason = "a number"\n')
    lines.append(f'[target]\naim = "risk"\n{TARGETS[rng.integers(len(TARGETS))]}\n{hides}\nknown = {known!r}\n')
    lines.append(f"[settings]\nlimit = {rng.choice([0.0, 0.1, 0.3])}\nlocal = {blanks}\n{keep}")
    lines.append(f'sample = {sample}\nseed = {seed}\nkey_file = "a.key"\n')
    lines.append(f'recoding = "{"local" if local else "one-level"}"\nloss = "{rng.choice(LOSSES)}"\n')
    lines += [f"[[conditions]]\n{CONDITIONS[which]}\n" for which in conditions]
    (folder / "p.toml").write_text("".join(lines))


def faults_of(folder: Path, release: Release, figures: Mapping[str, Any]) -> list[str]:
    """Count the written file again; return what it does not meet, and which figures are others."""
    paths = (folder / "f.csv", folder / "out" / "send" / figures["output"]["name"])
    before, written = (pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths)
    project, search = release.project, figures["search"]
    whose = written["person"] if project.file.person else pd.Series(range(len(written)), written.index)
    keys = written[list(KEYS)].apply(tuple, axis=1)
    known = project.target.known
    own = people_sizes(keys, whose, known)
    rows = pd.DataFrame({"key": keys, "whose": whose})
    faults = [
        *_faults_of_size(project.target, keys, whose, before),
        *_faults_of_people(project, before["person"], written["person"]),
    ]
    if known == "all":
        rows["key"] = rows["whose"].map(rows.groupby("whose")["key"].agg(lambda of_one: tuple(sorted(of_one))))
    for condition in project.conditions:
        values = rows.assign(value=written[condition.of]).drop_duplicates()
        bad = [key for key, part in values.groupby("key") if not _met(condition, part, values)]
        faults += [f"{condition.describe()}: {len(bad)} classes"] if bad else []
    stars = [written[name] == "*" for name in KEYS if len(set(written[name])) > 1]
    counted = {"loss": _loss(before, written, search["drawn"]), "blanked": int(np.any(stars, axis=0).sum())}
    counted["suppressed"] = search["drawn"] - len(written)
    plain = project.settings.loss == "arithmetic" and not (project.settings.keep or project.settings.local)
    if plain and search["recoding"] == "one-level":
        counted["objective"] = counted["loss"]
    faults += [
        f"{name} {own}, reported {search[name]}" for name, own in counted.items() if abs(own - search[name]) > 1e-9
    ]
    after = figures["after"]
    mean = sum(1 / size for size in own.values()) / len(own)
    counted = {"records": len(own), "smallest": min(own.values()), "average": mean}
    counted["uniques"] = sum(size == 1 for size in own.values())
    faults += [
        f"{name} {one}, reported {after[name]}" for name, one in counted.items() if abs(one - after[name]) > 1e-9
    ]
    sums = project.settings.loss in ("geometric", "arithmetic")
    return faults + (["worse than one level"] if sums and (search["one_level_loss"] or 1) < search["loss"] else [])


def people_sizes(
    keys: pd.Series, whose: pd.Series, known: str, fit: Mapping[tuple[str, ...], int] | None = None
) -> dict[Any, int]:
    """Return the smallest number of people who have any part of the rows of each person, by every part of them.

    A single row may be of more people, those who ``fit`` it.
    """
    own: dict[Any, list[tuple[str, ...]]] = {}
    for key, who in zip(keys, whose, strict=True):
        own.setdefault(who, []).append(key)
    parts = {who: _parts(rows, known) for who, rows in own.items()}
    people = Counter(part for of_one in parts.values() for part in of_one)
    if fit is not None and known == "1":
        people.update({(key,): fit[key] - people[(key,)] for key in fit if fit[key] > people[(key,)]})
    return {who: min(people[part] for part in of_one) for who, of_one in parts.items()}


def _parts(rows: list[tuple[str, ...]], known: str) -> set[tuple[Any, ...]]:
    """Return what is known of a person: all rows, or every part of as many as are known."""
    if known == "all":
        return {tuple(sorted(rows))}
    return {tuple(sorted(part)) for many in range(1, int(known) + 1) for part in itertools.combinations(rows, many)}


def _faults_of_size(target: TargetSettings, keys: pd.Series, whose: pd.Series, before: pd.DataFrame) -> list[str]:
    """Hold the people, or where the target says so all rows of the file that fit their labels, against the target."""
    fit = None
    if target.sizes == "population":
        rows = list(before[list(KEYS)].itertuples(index=False))
        fit = {key: sum(all(map(stands_for, key, row)) for row in rows) for key in keys.unique()}
    sizes = list(people_sizes(keys, whose, target.known, fit).values())
    least = {"k=2": 2, "k=5": 5, "k=11": 11}.get(target.threshold, 2 if target.cutoff else 1)
    faults = [f"a class of {min(sizes)}"] if min(sizes) < least else []
    mean = sum(1 / size for size in sizes) / len(sizes)
    of_mean = not target.threshold.startswith("k") and mean > float(target.threshold) + 1e-9
    return faults + ([f"mean risk {mean}"] if of_mean else [])


def _faults_of_people(project: Project, before: pd.Series, after: pd.Series) -> list[str]:
    """Look for a number in the place of a pseudonym, and for people of whom only some rows left."""
    held, left = Counter(before), Counter(after)
    if project.role_of("person") == "direct":
        parts = Counter(left.values()) - Counter(held.values())
        faults = ["a number left"] if held.keys() & left.keys() else []
    else:
        parts, faults = Counter(who for who, rows in left.items() if rows < held[who]), []
    return faults + (["a person in part"] if project.file.person and parts else [])


def _met(condition: ClassCondition, part: pd.DataFrame, every: pd.DataFrame) -> bool:
    counts = sorted(Counter(value for value in part["value"] if value).values(), reverse=True)
    shares = np.array(counts) / max(sum(counts), 1)
    if condition.measure == "distinct":
        return len(counts) >= condition.l
    if condition.measure == "entropy":
        return len(counts) > 0 and float(np.exp(-(shares * np.log(shares)).sum())) >= condition.l - 1e-6
    if condition.measure == "recursive":
        return len(counts) > 0 and bool(counts[0] < condition.c * sum(counts[int(condition.l) - 1 :]))
    return _distance(condition.distance, part["value"], every["value"]) <= condition.t + 1e-6


def _distance(kind: str, part: pd.Series, every: pd.Series) -> float:
    def apart(one: pd.Series, other: pd.Series) -> float:
        shares = [values.value_counts(normalize=True) for values in (one, other)]
        return float(shares[1].sub(shares[0], fill_value=0).abs().sum() / 2)

    if kind == "equal":
        return apart(part, every)
    if kind == "hierarchical":
        return (apart(part, every) + apart(part.map(GROUPS), every.map(GROUPS))) / 2
    order = sorted(every.unique(), key=float)
    below = [
        (part.astype(float) <= float(value)).mean() - (every.astype(float) <= float(value)).mean() for value in order
    ]
    return float(np.abs(below[:-1]).sum() / max(len(order) - 1, 1))


def _loss(before: pd.DataFrame, written: pd.DataFrame, drawn: int) -> float:
    """Recompute the loss from the labels: the values of the file that each may stand for."""
    lost = 0.0
    for name in KEYS:
        domain = [value for value in before[name].unique() if value]
        own = {label: sum(stands_for(label, value) for value in domain) for label in written[name].unique()}
        per_row = written[name].map(
            {label: (many - 1) / (len(domain) - 1) if label else 0 for label, many in own.items()}
        )
        lost += per_row.sum() + drawn - len(written)
    return lost / drawn / len(KEYS)


def stands_for(label: str, value: str) -> bool:
    """Whether a released label may be of a value of the file."""
    if label == "*" or label == value:
        return True
    if label.startswith("not "):
        return value not in _listed(label.removeprefix("not "))
    if " or " in label:
        return value in _listed(label)
    if label.endswith("+"):
        return value.isdigit() and int(value) >= int(label[:-1])
    if "-" in label:
        low, high = map(int, label.split("-"))
        return value.isdigit() and low <= int(value) <= high
    if label == PARTS.get(value):
        return True
    return len(value) == 5 and len(label) < 5 and value.startswith(label)


def _listed(label: str) -> list[str]:
    """Return the values that a label names, such as ``10001, 10002 or 20001``."""
    *first, last = label.split(" or ")
    return [*(value for part in first for value in part.split(", ")), last]


def tried(seed: int) -> tuple[str, list[str]]:
    """Run one project: how it was released, ``NOT MET`` or ``none``, and what the written file does not meet."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder, seed)
        release = Release(folder / "p.toml")
        try:
            figures = release.run(folder / "out")
        except NotEstimableError as error:
            if "written file" in str(error):
                return "none", [str(error)]
            return "none", []
        if not (folder / "out" / "send").exists():  # its verdict is NOT MET, and it is kept back
            return "NOT MET", []
        return figures["search"]["recoding"], faults_of(folder, release, figures)


def main() -> None:
    """Try as many projects as the command names, and print one line per fault and the counts."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    counts: Counter[str] = Counter()
    for seed in range(many):
        outcome, faults = tried(seed)
        counts[outcome] += 1
        counts["faults"] += bool(faults)
        for fault in faults:
            print(f"seed {seed}: {fault}")
    print(dict(counts))


if __name__ == "__main__":
    main()
