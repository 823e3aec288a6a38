"""A nation of some 3 · 10^8 block cells, compared inside the engine, against the same nation in memory.

    python benchmarks/blocks.py                    # 308,745,538 cells: every person of us-2010 in a cell
    python benchmarks/blocks.py --state OH         # a state of them

The file is made here: each cell of us-2010 is dealt out over invented blocks of its county, one person a
cell, so that county by county nobody is added or lost. ``policy-sim compare --engine duckdb`` on it must
give the figures of ``policy-sim compare`` on us-2010. Each is a process of its own; peak memory is its.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_PEOPLE_A_BLOCK = 50
_COMMAND = [str(Path(sys.executable).with_name("policy-sim")), "compare", "--format", "json"]


def make_blocks(path: Path, states: list[str]) -> int:
    """Write the cells county by county; return how many."""
    import duckdb

    from policy_sim.files.paths import data_dir

    cells = data_dir() / "populations" / "us-2010.parquet"
    only = f"WHERE state IN ({', '.join(repr(state) for state in states)})" if states else ""
    with duckdb.connect(config={"memory_limit": "4GB", "temp_directory": str(path.parent)}) as engine:
        engine.execute(
            f"""
            COPY (
                WITH cells AS (SELECT * FROM '{cells}' {only}),
                counties AS (
                    SELECT county, greatest(sum(people) // {_PEOPLE_A_BLOCK}, 1)::BIGINT AS blocks
                    FROM cells GROUP BY county
                ),
                people AS (SELECT *, unnest(range(people)) AS i FROM cells)
                SELECT
                    state, county, county || lpad(((i * 7919 + age * 104729) % blocks)::VARCHAR, 10, '0') AS block,
                    sex, race, age, age_width, 1 AS people
                FROM people JOIN counties USING (county)
            ) TO '{path}' (FORMAT parquet)
            """
        )
        return int(engine.execute(f"SELECT count(*) FROM '{path}'").fetchall()[0][0])


def compare(*options: str) -> tuple[float, float, list[dict[str, object]]]:
    """Run the command; return seconds, peak memory in GB, and its rows."""
    start = time.perf_counter()
    process = subprocess.Popen([*_COMMAND, *options], stdout=subprocess.PIPE)
    output = process.stdout.read() if process.stdout else b""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(process.returncode)
    return time.perf_counter() - start, usage.ru_maxrss / 1e6, json.loads(output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", action="append", default=[])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "blocks.parquet"
        start = time.perf_counter()
        number = make_blocks(path, asked.state)
        size, seconds = path.stat().st_size / 1e6, time.perf_counter() - start
        print(f"{number:,} cells, {size:.0f} MB of Parquet, made in {seconds:.0f} s")
        states = [part for state in asked.state for part in ("--state", state)]
        ours = compare("--population", str(path), "--engine", "duckdb", *states)
        theirs = compare("--population", "us-2010", *states)
    for name, (seconds, memory, rows) in (("blocks, in the engine", ours), ("counties, in memory", theirs)):
        print(f"{name:22} {seconds:6.1f} s, peak {memory:.2f} GB, {len(rows)} rows")
    for row in (*ours[2], *theirs[2]):
        row.pop("population")
    assert ours[2] == theirs[2]
    print("every figure is the same")


if __name__ == "__main__":
    main()
