"""Tables protected: proved answers, random tables audited by programs of this file, changed certificates, large tables.

    python -m benchmarks.tables answers /path/to/instances.jsonl
    python -m benchmarks.tables random --each 60
    python -m benchmarks.tables large

``answers`` compares the cost of every table with a proved optimum. ``random`` protects tables of six kinds, derives
each hidden count from the published files alone (two whole-number programs built here), and changes one number of each
certificate. ``large`` protects two tables of 100 counties by 20 classes with both margins.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, milp

from policy_sim.rules.files import find_rule
from policy_sim.tables.ledger import Ledger, proof_of, read_certificate, why_folder_refused
from policy_sim.tables.protect import INFEASIBLE, OPTIMAL, Terms, protect
from policy_sim.tables.publish import enter_tables, protect_tables
from policy_sim.tables.request import Request
from policy_sim.tables.table import PRIMARY, PUBLISHED, ZERO, Cell, Relation, Table, intervals

KINDS = ("two-way", "three-way", "hierarchical", "linked", "weekly", "entered")
WEEKLY = ("weekly", "entered")
ENTERED = 2  # weeks that were out before the ledger
LARGEST = 10
Labels = tuple[str, ...]


def answers(path: Path, every: int = 1) -> Iterator[str]:
    """Yield a line for each answer: empty where it is the proved one, and no primary cell follows.

    Under criterion D a complementary cell can follow (rand-weekly-03).
    """
    instances = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line, answer in [(one, answer) for one in instances for answer in one["optima"]][::every]:
        cells = tuple(
            Cell(tuple(key), n, PRIMARY if small else PUBLISHED if n else ZERO, kind == "m")
            for key, n, kind, small in line["cells"]
        )
        relations = tuple(Relation(tuple(total), tuple(map(tuple, parts))) for total, parts in line["relations"])
        cost = "cells" if answer["cost"] == "cells" else "people"
        largest, margins = max(line["threshold"] - 1, 1), answer["margins"] != "published"
        result = protect(Table(cells, relations), Terms(answer["criterion"], largest, cost, hide_margins=margins))
        wanted = INFEASIBLE if answer["optimum"] is None else OPTIMAL
        hidden = intervals(result.table) if result.cost is not None else []
        follow = [own for own in hidden if own.least == own.greatest and result.table[own.key].status == PRIMARY]
        same = result.cost == answer["optimum"] and result.status == wanted and not follow
        yield "" if same else f"{line['name']} {answer}: {result.status} {result.cost} (bound {result.bound})"


def _count(rng: random.Random) -> int:
    return 0 if rng.random() < 0.1 else round(rng.lognormvariate(3, 1))


def _with_totals(names: list[str], counts: dict[Labels, int], together: dict[int, tuple[int, ...]]) -> pd.DataFrame:
    """Return a long table with every total; ``together``: a column whose total takes those columns along."""
    rows: dict[Labels, int] = {}
    for labels, n in counts.items():
        for ats in itertools.chain.from_iterable(
            itertools.combinations(range(len(names)), k) for k in range(len(names) + 1)
        ):
            if all(set(along) <= set(ats) for at, along in together.items() if at in ats):
                key = tuple("Total" if at in ats else label for at, label in enumerate(labels))
                rows[key] = rows.get(key, 0) + n
    return pd.DataFrame([[*key, n] for key, n in rows.items()], columns=[*names, "count"])


def draw(kind: str, rng: random.Random) -> list[list[pd.DataFrame]]:
    """Return the publications of a random example: each is one table or more."""

    def of(*sizes: int) -> dict[Labels, int]:
        return {
            tuple("abc"[at] + str(n) for at, n in enumerate(labels)): _count(rng)
            for labels in itertools.product(*map(range, sizes))
        }

    if kind == "two-way":
        return [[_with_totals(["county", "class"], of(rng.randint(3, 6), rng.randint(3, 5)), {})]]
    if kind == "three-way":
        return [[_with_totals(["county", "class", "sex"], of(3, 3, 2), {})]]
    if kind == "hierarchical":
        places = {("r" + label[1], label, other): n for (label, other), n in of(6, 3).items()}
        places = {("r" + str(int(label[1]) // 3), label, other): n for (_, label, other), n in places.items()}
        return [[_with_totals(["region", "county", "class"], places, {0: (1,)})]]
    if kind == "linked":
        cube = of(4, 2, 3)
        pairs: list[dict[Labels, int]] = [{}, {}]
        for (county, sex, age), n in cube.items():
            for table, key in zip(pairs, ((county, sex), (county, age)), strict=True):
                table[key] = table.get(key, 0) + n
        return [[_with_totals(["county", "sex"], pairs[0], {}), _with_totals(["county", "age"], pairs[1], {})]]
    weeks, run = [], [rng.randint(20, 60) for _ in range(4)]
    for _ in range(4):
        new = [_count(rng) for _ in run]
        run = [a + b for a, b in zip(run, new, strict=True)]
        rows = [[f"c{at}", *pair] for at, pair in enumerate(zip(new, run, strict=True))]
        weeks.append([pd.DataFrame([*rows, ["Total", sum(new), sum(run)]], columns=["county", "this week", "to date"])])
    return weeks


def _marked(table: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
    """Hide what the rule hides as a department may have done: small counts as <11, and some further ones as *."""
    marked = table.astype(object)
    for name in table.columns[1:]:
        for at, n in enumerate(table[name]):
            if 0 < n <= LARGEST or (n and rng.random() < 0.3):
                marked.loc[at, name] = f"<{LARGEST + 1}" if n <= LARGEST else "*"
    return marked


def publish(kind: str, seed: int, folder: Path, criterion: str) -> bool:
    """Protect an example and write what goes out; return whether each table could."""
    for at, tables in enumerate(draw(kind, random.Random(f"{kind}-{seed}"))):
        paths = [folder / f"in{at}{name}.csv" for name in "ab"[: len(tables)]]
        for path, table in zip(paths, tables, strict=True):
            table.to_csv(path, index=False)
        ledger = Ledger(folder / "out", f"2025-W{10 + at}") if kind in WEEKLY else None
        if kind == "entered" and at < ENTERED and ledger:
            marked = [folder / f"out{at}.csv"]
            _marked(tables[0], random.Random(seed)).to_csv(marked[0], index=False)
            enter_tables(marked, find_rule("cms-11"), ledger, request=Request(criterion)).publish()
            continue
        answer = protect_tables(paths, find_rule("cms-11"), request=Request(criterion, seconds=4), ledger=ledger)
        if not answer.safe:
            return False
        if ledger:
            answer.publish()
        else:
            (folder / "out").mkdir()
            answer.write(folder / "out")
    return True


def derived(kind: str, seed: int, folder: Path) -> tuple[int, int]:
    """Return how many small counts are hidden and how many of them follow: two programs for each, from what is out.

    Of tables that were out before, what the ledger calls given away has to follow; then it is not counted.
    """
    cells: dict[Labels, str] = {}
    true: dict[Labels, int] = {}
    lines: list[tuple[Labels, list[Labels]]] = []
    for at, tables in enumerate(draw(kind, random.Random(f"{kind}-{seed}"))):
        names = [f"in{at}{name}" for name in "ab"] if len(tables) > 1 else ["table"]
        place = folder / "out" / "send" / (f"{at + 1:03}-2025-W{10 + at}" if kind in WEEKLY else "")
        for table, name in zip(tables, names, strict=True):
            out = pd.read_csv(place / f"{name}.csv", dtype=str)
            columns = list(table.columns[:-2] if kind in WEEKLY else table.columns[:-1])
            for (_, row), (_, own) in zip(out.iterrows(), table.iterrows(), strict=True):
                for count in table.columns[len(columns) :]:
                    key = (
                        *sorted(f"{c}={row[c]}" for c in columns if row[c] != "Total"),
                        count + str(at) * (kind in WEEKLY),
                    )
                    cells[key] = row[count]
                    true[key] = int(own[count])
            lines += _sums(table, columns, at, kind)
    index = {key: at for at, key in enumerate(cells)}
    extra = {
        ("before", key[0]): len(index) + at
        for at, key in enumerate(k for k in index if kind in WEEKLY and k[-1] == "to date0")
    }
    matrix = np.zeros((len(lines), len(index) + len(extra)))
    for row_at, (total, parts) in enumerate(lines):
        matrix[row_at, index[total]] = 1
        for part in parts:
            matrix[row_at, index[part] if part in index else extra[part]] -= 1
    ends_of = {"*": (1.0, 1e6), f"<{LARGEST + 1}": (1.0, float(LARGEST))}
    low, high = np.array(
        [*(ends_of.get(n) or (float(n), float(n)) for n in cells.values()), *([(0.0, 1e6)] * len(extra))]
    ).T
    small = [at for key, at in index.items() if cells[key] in ends_of and 0 < true[key] <= LARGEST]
    lost = {_week_key(key) for key in read_certificate(proof_of(folder / "out")).given_away}
    names, follow = list(index), 0
    for at in small:
        cost = np.zeros(matrix.shape[1])
        ends = []
        for cost[at] in (1, -1):
            ends.append(
                milp(cost, constraints=LinearConstraint(matrix, 0, 0), bounds=Bounds(low, high), integrality=1).fun
            )
        follow += (round(ends[0]) == -round(ends[1])) != (names[at] in lost)
    return len(small), follow


def _week_key(key: Labels) -> Labels:
    """Return the name here of a cell of a ledger."""
    *labels, weeks = key
    kind = "to date" if " to " in weeks else "this week"
    return (*(label.replace(" ", "=", 1) for label in labels if label != "Total"), f"{kind}{int(weeks[-2:]) - 10}")


def _sums(table: pd.DataFrame, columns: list[str], at: int, kind: str) -> Iterator[tuple[Labels, list[Labels]]]:
    """Yield every sum of a table that its maker wrote into it."""
    week = str(at) * (kind in WEEKLY)
    leaves = table[~table[columns].eq("Total").any(axis=1)]
    for count in table.columns[len(columns) :]:
        for _, row in table[table[columns].eq("Total").any(axis=1)].iterrows():
            fixed = [c for c in columns if row[c] != "Total"]
            inside = leaves[(leaves[fixed] == row[fixed]).all(axis=1)] if fixed else leaves
            parts = [(*sorted(f"{c}={leaf[c]}" for c in columns), count + week) for _, leaf in inside.iterrows()]
            yield (*sorted(f"{c}={row[c]}" for c in fixed), count + week), parts
    for _, row in table.iterrows() if kind in WEEKLY else ():
        base = tuple(f"{c}={row[c]}" for c in columns if row[c] != "Total")
        if base:
            before = (*base, f"to date{at - 1}") if at else ("before", base[0])
            yield (*base, f"to date{at}"), [before, (*base, f"this week{at}")]


def changed(folder: Path, rng: random.Random) -> bool:
    """Whether a certificate with one number changed is refused; the checksums are made to fit."""
    path = proof_of(folder)
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)
    *steps, last = rng.choice(list(_numbers(document)))
    inner = document
    for step in steps:
        inner = inner[step]
    inner[last] += rng.choice([-1, 1])
    path.write_text(json.dumps(document), encoding="utf-8")
    refused = why_folder_refused(folder)
    path.write_text(text, encoding="utf-8")
    return bool(refused) and "checksum" not in refused


def _numbers(of: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(of, int) and not isinstance(of, bool):
        yield path
    for at, each in of.items() if isinstance(of, dict) else enumerate(of) if isinstance(of, list) else ():
        yield from _numbers(each, (*path, at))


def audited(kind: str, each: int, criterion: str = "E") -> dict[str, int]:
    """Draw tables of a kind until ``each`` are protected; count what a reader derives and which changes pass."""
    sums = dict.fromkeys(("protected", "no safe pattern", "hidden", "follow", "refused"), 0)
    for seed in itertools.count():
        if sums["protected"] == each:
            return sums
        with tempfile.TemporaryDirectory() as place:
            if not publish(kind, seed, Path(place), criterion):
                sums["no safe pattern"] += 1
                continue
            hidden, follow = derived(kind, seed, Path(place))
            if not hidden:
                continue
            sums["protected"] += 1
            sums["hidden"] += hidden
            sums["follow"] += follow
            sums["refused"] += changed(Path(place) / "out", random.Random(seed))
    raise AssertionError


def large(seed: int, seconds: float, criterion: str) -> str:
    """Protect 100 counties x 20 classes with both margins and say what came of it."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(np.outer(rng.lognormal(6, 1, 100), rng.dirichlet(np.ones(20) * 3)))
    frame = pd.DataFrame(counts, columns=[f"class {n}" for n in "ABCDEFGHIJKLMNOPQRST"])
    frame["Total"] = frame.sum(axis=1)
    frame.insert(0, "county", [f"county {n}" for n in range(100)])
    frame.loc[100] = ["Total", *frame.iloc[:, 1:].sum()]
    with tempfile.TemporaryDirectory() as place:
        frame.to_csv(Path(place) / "large.csv", index=False)
        start = time.perf_counter()
        answer = protect_tables(
            [Path(place) / "large.csv"], find_rule("cms-11"), request=Request(criterion, seconds=seconds)
        )
        result = answer.result
        return (
            f"seed {seed}, {criterion}: {len(answer.whys)} primary, {result.status}, cost {result.cost}, "
            f"bound {result.bound}, {time.perf_counter() - start:.1f} s"
        )


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables")
    parser.add_argument("part", choices=("answers", "random", "large"))
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--each", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=58)
    options = parser.parse_args()
    start = time.perf_counter()
    if options.part == "answers":
        lines = list(answers(options.file))
        print(*filter(None, lines), f"{len(lines)} answers, {sum(map(bool, lines))} differ", sep="\n")
    elif options.part == "random":
        for kind in KINDS:
            print(kind, audited(kind, options.each), f"{time.perf_counter() - start:.0f} s", flush=True)
    else:
        for seed, criterion in itertools.product((1, 2), "RE"):
            print(large(seed, options.seconds, criterion), flush=True)


if __name__ == "__main__":
    main()
