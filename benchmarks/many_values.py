"""Processor seconds and memory of local recoding with thousands of values in a key, next to one level per field.

    python -m benchmarks.many_values                  # a million rows of six fields, and admission days of ten years
    python -m benchmarks.many_values --growth         # 10 to 10,000 values in one field, of four kinds
    python -m benchmarks.many_values --file F.csv --keys age sex race county education year --k 11

Both recodings run by default settings on the same file, each in a separate process: from reading the file to the
attack on what was written. The baseline of each line is the one-level run of the same file.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SIX = ("age", "sex", "race", "county", "education", "year")
THREE = ("age", "sex", "admitted")
SIZES = (10, 100, 1_000, 10_000)
GROWTH_KINDS = ("day", "charge", "zip", "word")
_ROWS = 50_000


def million(rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Return six fields of invented people, of whom 2,900 counties of very uneven sizes have some."""
    rng = np.random.default_rng(seed)
    sizes = np.exp(1.45 * rng.normal(size=3_143))
    race = np.array([0.62, 0.13, 0.12, 0.06, 0.045, 0.018, 0.007])
    age = rng.integers(0, 100, rows)
    return {
        "age": age,
        "sex": rng.integers(1, 3, rows),
        "race": rng.choice(np.arange(1, 8), rows, p=race / race.sum()),
        "county": rng.choice(np.arange(1, 3_144), rows, p=sizes / sizes.sum()),
        "education": np.clip(np.round(rng.normal(np.where(age < 25, 1 + age * 0.35, 9.5), 2.4)), 1, 16).astype(int),
        "year": rng.integers(2010, 2025, rows),
    }


def admissions(rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Return age, sex and one of 3,650 days."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("2015-01-01") + rng.integers(0, 3_650, rows)
    return {"age": rng.integers(0, 90, rows), "sex": rng.choice(["F", "M"], rows), "admitted": days}


def one_wide_field(kind: str, values: int, rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Return age, sex and a field of so many values: days, charges, ZIP codes or words."""
    rng = np.random.default_rng(seed)
    if kind == "zip":
        from policy_sim.records.vocabularies import zip_codes

        known = np.array(sorted(zip_codes()))
        domain = known[np.linspace(0, len(known) - 1, values).astype(int)]
    elif kind == "day":
        domain = np.datetime64("1998-01-01") + np.arange(values)
    elif kind == "charge":
        domain = np.arange(values) * 7 + 100
    else:
        letters = np.array(
            [f"{chr(97 + at // 676 % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at % 26)}" for at in range(values)]
        )
        domain = np.char.add("ward ", letters)
    ranks = rng.exponential(values / 4, rows).astype(int) % values
    wide = domain[np.concatenate([np.arange(values), ranks[values:]])]
    return {"age": rng.integers(0, 90, rows), "sex": rng.choice(["F", "M"], rows), "wide": wide}


def written(columns: dict[str, np.ndarray], path: Path) -> Path:
    import pandas as pd

    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def run_one(file: Path, keys: Sequence[str], k: int, recoding: str) -> None:
    """Run a release in this process; print its cost, its loss and its end as JSON."""
    from policy_sim.release import Release
    from policy_sim.release.run import run_project
    from policy_sim.words.errors import NotEstimableError

    with tempfile.TemporaryDirectory() as folder:
        made = Release.new(file, Path(folder) / "p.toml")
        kinds = {"wide": {"charge": "number", "word": "category"}.get(file.stem.split("-")[0], "")}
        for name in keys:
            made.classify(name, "key", "known", by="B", **({"kind": kinds[name]} if kinds.get(name) else {}))
        made.set("target", aim="risk", measure="maximum", threshold=f"k={k}")
        if recoding:
            made.set("settings", recoding=recoding)
        try:
            run = run_project(made.project, Path(folder) / "out.csv")
            ends = {"loss": run.deidentified.losses["loss"], "verdict": str(run.verdict)[:60]}
        except NotEstimableError as error:
            ends = {"loss": None, "verdict": str(error)[:60]}
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1e3, **ends}))


def cost(file: Path, keys: Sequence[str], k: int, recoding: str) -> dict[str, object]:
    """Return what a run in a separate process printed."""
    command = [sys.executable, "-m", "benchmarks.many_values", "--one", recoding or "default", "--file", file]
    done = subprocess.run([*map(str, command), "--k", str(k), "--keys", *keys], check=True, capture_output=True)
    return dict(json.loads(done.stdout.decode().strip().splitlines()[-1]))


def line(title: str, file: Path, keys: Sequence[str], k: int) -> None:
    one, local = (cost(file, keys, k, recoding) for recoding in ("one-level", ""))
    ratio = float(str(local["cpu"])) / float(str(one["cpu"]))
    figures = [f"{one['cpu']:.1f}", f"{local['cpu']:.1f}", f"{ratio:.2f}", f"{local['mb']:,.0f}"]
    losses = ["-" if way["loss"] is None else f"{way['loss']:.4f}" for way in (one, local)]
    print(f"| {' | '.join([title, str(k), *figures, *losses])} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--kinds", nargs="*", default=GROWTH_KINDS)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--keys", nargs="*", default=SIX)
    parser.add_argument("--k", type=int, default=11)
    parser.add_argument("--one", default="", help="run one recoding in this process")
    given = parser.parse_args()
    if given.one:
        run_one(given.file, given.keys, given.k, "" if given.one == "default" else given.one)
        return
    print("| file | k | one level, s | default, s | ratio | default, MB | loss, one level | loss, default |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if given.file:
            line(given.file.stem, given.file, given.keys, given.k)
        elif given.growth:
            for kind in given.kinds:
                for values in SIZES:
                    file = written(one_wide_field(kind, values, _ROWS), place / f"{kind}-{values}.csv")
                    line(f"{_ROWS:,} x 3, {values:,} values: {kind}", file, ("age", "sex", "wide"), 5)
        else:
            line("50,000 x 3, 3,650 days", written(admissions(50_000), place / "admissions.csv"), THREE, 5)
            line("1,000,000 x 6", written(million(1_000_000), place / "million.csv"), SIX, 11)


if __name__ == "__main__":
    main()
