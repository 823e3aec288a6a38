"""Speed of the estimators, as ratios against a baseline in the same process.

1. Every estimator from the class sizes of ten million records, against counting those class sizes
   from the records' codes with numpy.
2. A run of the simulation (draw a sample, ask every closed-form estimator), against drawing the same
   sample by shuffling the records and counting its classes, with no estimate at all.

Run with ``python benchmarks/estimators.py``; the data are generated here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from policy_sim.estimators import estimate_all
from policy_sim.groups.size_histogram import SizeHistogram
from policy_sim.records.sampling_study import simulate

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


def main() -> None:
    """Run both."""
    rng = np.random.default_rng(1)
    ten_million(rng)
    simulation(rng)


if __name__ == "__main__":
    main()
