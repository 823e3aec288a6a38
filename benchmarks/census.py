"""A nation of Summary File 1, read and compared: seconds and memory, each in a process of its own.

3,219 counties × 7 tables with somebody in each of the 4,641,798 cells, written by the tests' own writer
of the official layout. Plain: pandas reads each state's segments whole and joins them on LOGRECNO.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.binning import Timing
from policy_sim.people.facts import county_history
from policy_sim.people.places import census_day

_MOST_SECONDS, _MOST_MEGABYTES, _MOST_COMPARE_SECONDS = 60, 1000, 5

_LOAD = """
import sys
sys.path.insert(0, {tests!r})
from sf1_tree import totals
from policy_sim.people import by_name as keep
from policy_sim.people.census import load as sf1
from policy_sim.people.store import PopulationCache
from policy_sim.people.census.load import load_files
# An invented nation is checked against its own totals.
keep.published = lambda year: totals(sf1.read_sf1(__import__("pathlib").Path({tree!r}), "sf1-2000"), year)
print(load_files({tree!r}, "sf1-2000", cache=PopulationCache()).rows)
"""
_PLAIN = """
import pathlib
import pandas as pd
from policy_sim.people.census.load import LAYOUTS
layout, parts = LAYOUTS["sf1-2000"], []
columns = [(8, 11), (11, 13), (18, 25), (29, 31), (31, 34)]
for path in sorted(pathlib.Path({tree!r}).glob("*geo.uf1")):
    header = pd.read_fwf(path, colspecs=columns, header=None, dtype=str, encoding="latin-1")
    header.columns = ["level", "part", "record", "state", "county"]
    header = header[(header["level"] == "050") & (header["part"] == "00")]
    for letter, segment in layout.segments.items():
        file = path.with_name(path.name[:2] + format(segment, "05d") + ".uf1")
        if letter:
            table = pd.read_csv(file, header=None, dtype={{4: str}}).rename(columns={{4: "record"}})
            rows = header.merge(table, on="record").assign(letter=letter)
            parts.append(rows.melt(id_vars=["state", "county", "letter"], value_vars=list(range(5, 214))))
cells = pd.concat(parts)
print(len(cells))
"""


def _write_nation(folder: Path) -> None:
    sys.path.insert(0, str(_tests()))
    from sf1_tree import invented_nation, write_sf1  # type: ignore[import-not-found]

    nation = invented_nation(sorted(county_history().counties(census_day(2000))))
    write_sf1(nation, 2000, folder)


def _tests() -> Path:
    return Path(__file__).resolve().parents[1] / "tests"


def _child(arguments: list[str], home: Path) -> tuple[float, float, float, str]:
    """Run a process; return its wall and processor seconds, its peak megabytes and what it printed last."""
    import time

    begin = time.perf_counter()
    with (
        tempfile.TemporaryFile() as printed,
        subprocess.Popen(arguments, stdout=printed, env=os.environ | {"POLICY_SIM_HOME": str(home)}) as child,
    ):
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begin
        printed.seek(0)
        lines = printed.read().decode().splitlines()
    if child.returncode:
        sys.exit(f"{arguments[:3]} failed.")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, lines[-1] if lines else ""


def run() -> Iterator[Timing]:
    """Yield every timing as it is known."""
    with tempfile.TemporaryDirectory() as name:
        tree, home = Path(name) / "tree", Path(name) / "home"
        _write_nation(tree)
        program = _LOAD.format(tests=str(_tests()), tree=str(tree))
        ours, _, megabytes, rows = _child([sys.executable, "-c", program], home)
        plain, _, plain_megabytes, _ = _child(
            [sys.executable, "-W", "ignore", "-c", _PLAIN.format(tree=str(tree))], home
        )
        note = f"{rows} cells; peak {megabytes:.0f} MB (most {_MOST_MEGABYTES}), plain {plain_megabytes:.0f} MB"
        yield Timing(f"load a nation's Summary File 1 (most {_MOST_SECONDS} s)", ours, plain, plain / ours, note)
        command = [sys.executable, "-c", "from policy_sim.cli.main import main; main()", "compare"]
        seconds, busy, _, _ = min(_child([*command, "--population", "sf1-2000"], home) for _ in range(3))
        note = f"{busy:.1f} s of processor: more wall time than that is other work on the machine"
        yield Timing(f"compare on its cells, from the cache (most {_MOST_COMPARE_SECONDS} s)", seconds, note=note)
        start = min(_child([*command, "--help"], home)[0] for _ in range(3))
        yield Timing("  of which starting the command (compare --help)", start)
