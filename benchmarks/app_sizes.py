"""Large files in the app: CPU seconds and peak memory of the jobs of a file, and the time to the first screen.

Run ``python -m benchmarks.app_sizes [--rows 1000000 --columns 6]``; without options both shapes of docs/app.md.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np

SHAPES = ((1_000_000, 6), (100_000, 500))


_AT_ONCE = 2_000  # rows


def made_file(path: Path, rows: int, columns: int) -> Path:
    """Write made-up records: age, sex, county, ZIP code, a date, and measurements."""
    draw = np.random.default_rng(1)
    with path.open("w", encoding="utf-8") as file:
        for begin in range(0, rows, _AT_ONCE):
            parts = _made_rows(draw, min(_AT_ONCE, rows - begin), columns)
            if not begin:
                file.write(",".join(parts) + "\n")
            file.writelines(",".join(line) + "\n" for line in zip(*parts.values(), strict=True))
    return path


def _made_rows(draw: np.random.Generator, rows: int, columns: int) -> dict[str, np.ndarray]:
    parts = {
        "age": draw.integers(0, 95, rows).astype(str),
        "sex": draw.choice(["F", "M"], rows),
        "county": draw.choice([f"39{number:03}" for number in range(1, 176, 2)], rows),
        "zip": draw.choice([f"{number}" for number in range(43001, 43999)], rows),
        "visit_date": (np.datetime64("2024-01-01") + draw.integers(0, 365, rows)).astype(str),
        "los": draw.poisson(3, rows).astype(str),
    }
    parts |= {f"lab_{at}": draw.normal(50, 10, rows).round(1).astype(str) for at in range(len(parts), columns)}
    return dict(list(parts.items())[:columns])


def _job(work: str, arguments: dict[str, object], answer: object) -> None:
    from policy_sim.app import records_work
    from policy_sim.release.door import Release

    began = time.process_time()
    getattr(records_work, work)(**arguments, progress=lambda *_, **__: None)
    if work == "begin":
        Release(str(arguments["project"])).accept_guesses(by="A. Officer")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answer.put((time.process_time() - began, peak))  # type: ignore[attr-defined]


def measured(rows: int, columns: int) -> list[tuple[str, float, float]]:
    """Return each job with its CPU seconds and its peak memory (MB)."""
    context, found = get_context("spawn"), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = made_file(folder / "made.csv", rows, columns)
        project = str(folder / "release.toml")
        begin = {"file": str(file), "project": project, "folder": name, "options": {"policy": "safe-harbor"}}
        run = {"project": project, "out": str(folder / "released"), "form": ""}
        for work, arguments in (("begin", begin), ("measure", {"project": project}), ("run", run)):
            answer = context.Queue()
            process = context.Process(target=_job, args=(work, arguments, answer))
            process.start()
            found.append((work, *answer.get()))
            print(rows, columns, work, *(round(value, 1) for value in found[-1][1:]), flush=True)
            process.join()
    return found


def main() -> None:
    """Measure the shapes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int)
    options.add_argument("--columns", type=int, default=6)
    chosen = options.parse_args()
    for rows, columns in [(chosen.rows, chosen.columns)] if chosen.rows else SHAPES:
        measured(rows, columns)


if __name__ == "__main__":
    main()
