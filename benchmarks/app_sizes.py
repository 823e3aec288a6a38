"""Large files in the app, through a real server: seconds to the first screen, CPU seconds and peak memory of each work.

Run ``python -m benchmarks.app_sizes [--rows 1000000 --columns 6]``; without options both shapes of docs/app.md. Memory
is that of the largest process. "Still" is how many CPU seconds the page of a work showed the same step at the longest,
beside a bar and the seconds that have passed, and which step that was. It needs Linux.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from benchmarks.app_server import Served, serving

SHAPES = ((1_000_000, 6), (100_000, 500))
_AT_ONCE = 2_000  # rows
_TICK = os.sysconf("SC_CLK_TCK")
_LABS = np.array([f"{value / 10}" for value in range(200, 800)])


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
    parts |= {f"lab_{at}": draw.choice(_LABS, rows) for at in range(len(parts), columns)}
    return dict(list(parts.items())[:columns])


class Watched:
    """Work in a server, with what its processes took."""

    def __init__(self, served: Served) -> None:
        self.served = served

    def job(self, name: str, path: str, **fields: object) -> str:
        """Do a work to its end; print what it took; return where it leads."""
        began = time.monotonic()
        cpu: dict[int, float] = {}
        peak, step, since, still, longest = 0.0, "", 0.0, 0.0, ""
        before = {pid: _cpu_of(pid) for pid in self.served.processes()[1:]}  # one that waited may still end

        def look(now: dict[str, object]) -> bool:
            nonlocal peak, step, since, still, longest
            for pid in self.served.processes()[1:]:
                with suppress(OSError, TypeError):
                    status = Path(f"/proc/{pid}/status").read_text()
                    peak = max(peak, float(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024)  # type: ignore[index]
                    cpu[pid] = _cpu_of(pid) - before.get(pid, 0.0)
            if sum(cpu.values()) - since > still:
                still, longest = sum(cpu.values()) - since, step
            if now["step"] != step:
                step, since = str(now["step"]), sum(cpu.values())
            time.sleep(0.1)
            return False

        now = self.served.job(path, look, **fields)
        shown = f"{sum(cpu.values()):.1f} CPU s, {peak:.0f} MB, {time.monotonic() - began:.1f} s"
        print(f"  {name}: {shown}, still {still:.1f} CPU s in {longest!r} ({now['state']} {now['error']})", flush=True)
        return str(now["go"])

    def screen(self, name: str, path: str) -> None:
        """Ask for a screen; print the CPU seconds of the server, and the size."""
        before, began = _cpu_of(self.served.process.pid), time.monotonic()
        status, text, _ = self.served.ask(path)
        took = f"{_cpu_of(self.served.process.pid) - before:.2f} CPU s, {time.monotonic() - began:.2f} s"
        print(f"  {name}: {took}, {len(text):,} bytes ({status})", flush=True)


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def measured(rows: int, columns: int) -> None:
    """Take a file of this shape from the first screen to the folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "temporary").mkdir()
        file = made_file(folder / "made.csv", rows, columns)
        print(f"{rows:,} rows, {columns} columns, {file.stat().st_size / 1e6:.0f} MB", flush=True)
        began = time.monotonic()
        with serving(folder / "temporary", file) as served:
            served.open()
            took = f"{_cpu_of(served.process.pid):.2f} CPU s, {time.monotonic() - began:.2f} s"
            print(f"  from the command to the first screen: {took}", flush=True)
            work = Watched(served)
            new = served.post("/open", path=file, door="records")["go"]
            trip = work.job("read and describe", new, aim="safe-harbor", folder=folder / "release")
            work.screen("screen of the file", trip)
            work.screen("screen of the columns", f"{trip}/columns")
            served.post(f"{trip}/columns", by="A. Officer", decision="guess")
            rest = {"decision": "other", "reason": "nobody is known by it", "by": "A. Officer"}
            before = time.monotonic()
            served.post(f"{trip}/columns", column=list(range(5, columns)), **rest)
            print(f"  decide on {columns - 5} columns at once: {time.monotonic() - before:.2f} s", flush=True)
            work.screen("screen of the columns, decided", f"{trip}/columns")
            work.job("measure what is left", f"{trip}/left")
            work.screen("screen of what is left", f"{trip}/left")
            work.job("compare rules", f"{trip}/compare")
            work.job("make the release", f"{trip}/result")
            work.screen("screen of the folder", f"{trip}/result")


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
