"""What the attack on a written file costs of the run that it judges: ``python -m benchmarks.release_attack``.

CPU seconds of the whole run, and of the attack on the file with the comparison with the original, for made-up patients
under Safe Harbor; the second run in a process counts.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import policy_sim.release.run as release_run
from policy_sim.release import Release

ROWS = (1_000, 20_000)
ZIPS = "45805 45801 43215 43201 44101 03601".split()


def write_patients(path: Path, rows: int) -> None:
    """Write a file of eleven columns: a record number, and what a hospital's file has besides."""
    rng = random.Random(1)
    lines = ["mrn,sex,age,dob,admit_date,zip,dx,drg,state,race,los"]
    for at in range(rows):
        born = rng.randrange(1925, 2015)
        person = f"{700_000 + at},{rng.choice('MF')},{2025 - born},{born}-0{rng.randrange(1, 9)}-11"
        care = f"2025-0{rng.randrange(1, 9)}-07,{rng.choice(ZIPS)},{rng.choice(('E11.9', 'I10', 'J45.909'))}"
        lines.append(
            f"{person},{care},{rng.choice((470, 871, 291))},OH,{rng.choice(('White', 'Black'))},{rng.randrange(20)}"
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def cpu_seconds(rows: int) -> tuple[float, float]:
    """Return the CPU seconds of the attack, and of the whole run."""
    spent: list[float] = []

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any) -> Any:
            start = time.process_time()
            answer = work(*arguments)
            spent.append(time.process_time() - start)
            return answer

        return measured

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_patients(folder / "v.csv", rows)
        release = Release.new(folder / "v.csv", folder / "p.toml", policy="safe-harbor")
        release.accept_guesses(by="A. Officer")
        release.classify("los", "other", "days", by="A. Officer")
        attack, compare = timed(release_run.attack), timed(release_run.told_of_original)
        with patch.object(release_run, "attack", attack), patch.object(release_run, "told_of_original", compare):
            for _ in range(2):
                spent.clear()
                start = time.process_time()
                release.run(folder / "out")
                whole = time.process_time() - start
    return sum(spent), whole


def main() -> None:
    """Print one line per number of rows."""
    for rows in ROWS:
        attack, whole = cpu_seconds(rows)
        sys.stdout.write(f"{rows:,} rows: attack {attack:.2f} of {whole:.2f} CPU seconds, {attack / whole:.0%}\n")


if __name__ == "__main__":
    main()
