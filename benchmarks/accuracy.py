"""How far the estimators are from the truth on public files: the tables of README.md and docs/estimators.md.

    python -m benchmarks.accuracy --files ../shared/microdata --runs 1000

Each file is taken as a population, sampled, and estimated; see ``policy_sim.records.sampling_study``. Figures are
median relative errors. A digit is printed only where one of its units is more than the Monte Carlo standard error
of the median. The files are described in docs/estimators.md; they do not come with the project.
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.estimators import ClassTable
from policy_sim.records.sampling_study import PAPER_FRACTIONS, simulate

# name: file, separator, key fields
FILES = {
    "Adult: age, education, race, sex": ("adult_arx.csv", ";", "age education race sex"),
    "Adult: those, marital status, occupation": (
        "adult_arx.csv",
        ";",
        "age education race sex marital-status occupation",
    ),
    "Adult: all but salary class": (
        "adult_arx.csv",
        ";",
        "age education race sex marital-status occupation native-country workclass",
    ),
    "GSS: year, gender, age, education": ("gss_28629.csv", ",", "year gender age educ"),
    "EU-SILC: region, household size, age, sex, activity, citizenship": (
        "eusilc_14827.csv",
        ",",
        "region hsize age sex activity citizenship",
    ),
    "FARS: year, age, sex": ("fars_front_seat_1998_2010.csv.gz", ",", "year age sex"),
}


def classes_of(folder: Path, name: str) -> ClassTable:
    """Read a file into classes; every value is taken as text."""
    file, separator, fields = FILES[name]
    rows = pd.read_csv(folder / file, sep=separator, dtype=str, keep_default_na=False)
    codes = [np.unique(rows[field].to_numpy(str), return_inverse=True)[1] for field in fields.split()]
    return ClassTable.from_records(np.column_stack(codes), tuple(fields.split()))


def standard_error(errors: pd.Series, seed: int = 0) -> float:
    """Return the Monte Carlo standard error of the median, by bootstrap of the runs."""
    known = errors.dropna().to_numpy()
    drawn = np.random.default_rng(seed).choice(known, (400, known.size))
    return float(np.median(drawn, axis=1).std())


def written(value: float, error: float) -> str:
    """Write a value with the digits that its error allows, three decimals at most.

    >>> [written(0.1234, e) for e in (0.0004, 0.004, 0.2)]
    ['+0.123', '+0.12', '0']
    """
    decimals = 3 if error <= 0.001 else max(0, math.floor(-math.log10(error)))
    text = f"{round(value, decimals):+.{decimals}f}"
    return text if float(text) else text[1:]


def cell(errors: pd.Series) -> str:
    """Write the median of some runs, and how many failed."""
    failed = int(errors.isna().sum())
    if failed == errors.size:
        return "no answer"
    return written(errors.median(), standard_error(errors)) + (f" ({failed})" if failed else "")


def main() -> None:
    """Print one table for each measure and model, a row per file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    for name in FILES:
        table = classes_of(asked.files, name)
        unique = table.sizes.uniques / table.sizes.records
        print(f"{name}: N {table.sizes.records:,}, classes {table.sizes.number:,}, lambda 3 {unique:.4f}")
        errors = simulate(table.size, runs=asked.runs, seed=1, workers=asked.workers).errors
        for (measure, model), part in errors.groupby(["measure", "model"], sort=False):
            figures = [cell(part.loc[part["fraction"] == p, "relative_error"]) for p in PAPER_FRACTIONS]
            print(f"  {measure:14} {model:24} | " + " | ".join(figures), flush=True)


if __name__ == "__main__":
    main()
