"""Time and memory of a check and a release of a wide file, as ratios to pandas reading and counting the same file.

    python -m benchmarks.wide                 # 200 columns x 100,000 rows

The file is made here: laboratory values with a different value in nearly every row, numbers, scores, codes, dates,
short texts, diagnoses and demographics. The baseline is ``pandas.read_csv`` of every column as text and ``nunique`` of
each. Every step is a process of its own, whose peak memory is given.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BASELINE = (
    "import pandas as pd, sys; t = pd.read_csv(sys.argv[1], dtype=str); print(sum(t[c].nunique() for c in t.columns))"
)


def make_file(path: Path, rows: int, seed: int = 1) -> None:
    """Write 200 columns of the kinds that a hospital's table has."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {f"lab{i}": np.round(rng.normal(100, 20, rows), 3) for i in range(30)}
    columns |= {f"num{i}": rng.integers(10**7, 10**8, rows) for i in range(20)}
    columns |= {f"score{i}": rng.integers(0, 1000, rows) for i in range(50)}
    columns |= {f"code{i}": rng.choice(list("ABCDEFGH"), rows) for i in range(58)}
    day, span = pd.Timestamp("2015-01-01"), pd.to_timedelta(rng.integers(0, 3650, rows), unit="D")
    columns |= {f"seen{i}": day + rng.permutation(span) for i in range(20)}
    for i in range(10):
        columns[f"note{i}"] = [f"seen on floor {n % 9} for reason {n}" for n in rng.integers(0, rows, rows)]
    columns |= {f"dx{i}": rng.choice(["E11.9", "I10", "J44.9", "N18.3"], rows) for i in range(6)}
    columns |= {"age": rng.integers(0, 100, rows), "sex": rng.choice(["M", "F"], rows), "state": "OH"}
    columns |= {"race": rng.choice(list("WBAH"), rows), "zip": rng.choice(["43215", "45801", "44101"], rows)}
    columns |= {"mrn": np.arange(rows) + 5_000_000}
    pd.DataFrame(columns).to_csv(path, index=False)


def measured(*command: object) -> tuple[float, float]:
    """Return seconds and peak memory in GB of a process."""
    start = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6  # of the largest child so far
    return time.perf_counter() - start, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e5)
    rows = int(parser.parse_args().rows)
    with tempfile.TemporaryDirectory() as folder:
        file, project = Path(folder) / "wide.csv", Path(folder) / "r.toml"
        make_file(file, rows)
        program = [sys.executable, "-m", "policy_sim"]
        steps = {
            "pandas (baseline)": [sys.executable, "-c", BASELINE, file],
            "dataset check": [*program, "dataset", "check", file],
            "release new": [*program, "release", "new", file, project, "--policy", "safe-harbor"],
            "release step": [*program, "release", "step", project, "--accept-guesses", "--by", "A"],
            "release run": [*program, "release", "run", project, "--out", Path(folder) / "o"],
        }
        baseline = 0.0
        print(f"{rows:,} rows, 200 columns, {file.stat().st_size / 1e6:.0f} MB")
        for title, command in steps.items():
            seconds, peak = measured(*command)
            baseline = baseline or seconds
            print(f"{title:20} {seconds:6.1f} s  {seconds / baseline:5.1f} x  largest so far {peak:.2f} GB")


if __name__ == "__main__":
    main()
