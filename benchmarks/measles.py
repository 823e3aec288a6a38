"""The measles cases of 2025 by county and week through a ledger; hidden counts are put to programs of its own.

    python -m benchmarks.measles /path/to/jhu_measles_county_2025.csv --state Texas --criterion E --share 10

One table per MMWR week: this week and the running total of each county, of each state and of the nation. After the
last week every tenth hidden count that the rule hides is put to two linear programs that are built here from the
published files alone, not by the package: a count follows if both ends meet.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_array

from policy_sim.rules.files import find_rule
from policy_sim.tables.ledger import Ledger, why_folder_refused
from policy_sim.tables.publish import protect_tables
from policy_sim.tables.request import Request

WEEKS = ("this week", "to date")


def week(day: str) -> int:
    """Return the MMWR week of a day of 2025, by its Wednesday."""
    of = date.fromisoformat(day)
    return ((of + timedelta(3 - of.isoweekday() % 7)).timetuple().tm_yday - 1) // 7 + 1


def cases(path: Path, state: str) -> dict[tuple[str, str], dict[int, int]]:
    """Return the cases of each county by week."""
    counts: dict[tuple[str, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            county, of = row["location_name"], row["location_name"].rsplit(", ", 1)[-1]
            if state in ("", of):
                counts[of, county][week(row["date"])] += int(row["value"])
    return counts


def write_week(path: Path, counts: dict[tuple[str, str], dict[int, int]], of: int) -> None:
    """Write the table of a week."""
    rows: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    states = {state for state, _ in counts}
    for (state, county), weeks in sorted(counts.items()):
        pair = [weeks.get(of, 0), sum(n for w, n in weeks.items() if w <= of)]
        above = [(state, "Total")] + [("Total", "Total")] * (len(states) > 1)
        for key in ((state, county), *above):
            rows[key] = [a + b for a, b in zip(rows[key], pair, strict=True)]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerows([["state", "county", *WEEKS], *([*key, *pair] for key, pair in rows.items())])


def derived(folder: Path, true: dict[tuple[str, str], dict[int, int]], share: int) -> tuple[int, int]:
    """Return how many hidden small counts were tried against the published files, and how many of them follow."""
    place: dict[tuple[int, str, str, str], int] = {}
    shown: dict[int, int] = {}
    files = sorted(folder.glob("send/*/table.csv"))
    for path in files:
        of = int(path.parent.name[-2:])
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                for kind in WEEKS:
                    at = place.setdefault((of, row["state"], row["county"], kind), len(place))
                    if row[kind] != "*":
                        shown[at] = int(row[kind])
    lines: list[dict[int, int]] = []
    for of, state, county, kind in list(place):
        if county == "Total":
            parts = [
                key
                for key in place
                if (key[0], key[3], key[2] == "Total") == (of, kind, state == "Total")
                and (key[1] == state if state != "Total" else key[1] != "Total")
            ]
            lines.append({place[of, state, county, kind]: 1} | {place[key]: -1 for key in parts})
        before = place.get((of - 1, state, county, WEEKS[1]))
        if kind == WEEKS[1] and before is not None:
            lines.append({place[of, state, county, kind]: 1, before: -1, place[of, state, county, WEEKS[0]]: -1})
        elif kind == WEEKS[1]:  # weeks before the first table: a count of their own, 0 or more
            lines.append(
                {
                    place[of, state, county, kind]: 1,
                    place[of, state, county, WEEKS[0]]: -1,
                    place.setdefault((0, state, county, "before"), len(place)): -1,
                }
            )
    matrix = lil_array((len(lines), len(place)))
    for row_at, line in enumerate(lines):
        for at, sign in line.items():
            matrix[row_at, at] = sign
    bounds = [(shown[at], shown[at]) if at in shown else (int(key[3] != "before"), None) for key, at in place.items()]
    small = [
        at
        for (of, state, county, kind), at in place.items()
        if at not in shown and county != "Total" and kind != "before" and 0 < _true(true, of, state, county, kind) <= 10
    ]
    tried, follow = small[::share], 0
    for at in tried:
        cost = np.zeros(len(place))
        ends = []
        for cost[at] in (1, -1):
            ends.append(
                linprog(cost, A_eq=matrix.tocsr(), b_eq=np.zeros(len(lines)), bounds=bounds, method="highs").fun
            )
        follow += ends[1] is not None and ends[0] > -ends[1] - 1 + 1e-6  # no two whole counts fit between the ends
    return len(tried), follow


def _true(counts: dict[tuple[str, str], dict[int, int]], of: int, state: str, county: str, kind: str) -> int:
    weeks = counts[state, county]
    return weeks.get(of, 0) if kind == WEEKS[0] else sum(n for w, n in weeks.items() if w <= of)


def main(arguments: list[str] | None = None) -> None:
    """Run every week through a ledger and print what happened."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks measles")
    parser.add_argument("file", type=Path)
    parser.add_argument("--state", default="", help="one state, such as Texas; all by default")
    parser.add_argument("--criterion", default="E")
    parser.add_argument("--weeks", type=int, default=99, help="how many weeks to run")
    parser.add_argument("--share", type=int, default=10, help="every how-manieth hidden count is tried")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hide-margins", action="store_true", help="totals of a week may be hidden too")
    options = parser.parse_args(arguments)
    counts = cases(options.file, options.state)
    weeks = sorted({of for by in counts.values() for of in by})
    with tempfile.TemporaryDirectory() as place:
        ledger, rule = Path(place) / "measles", find_rule("cms-11")
        for of in range(weeks[0], weeks[-1] + 1)[: options.weeks]:
            table = Path(place) / "table.csv"
            write_week(table, counts, of)
            start = time.perf_counter()
            request = Request(options.criterion, seconds=options.seconds, hide_margins=options.hide_margins)
            answer = protect_tables([table], rule, request=request, ledger=Ledger(ledger, f"2025-W{of:02}"))
            search = time.perf_counter() - start
            if not answer.safe:
                print(f"week {of}: {answer.verdict}", *answer.ways_out, sep="\n", flush=True)
                break
            answer.publish()
            hidden = len(answer.to_frame())
            print(
                f"week {of}: {answer.result.status}, {hidden} hidden, cost {answer.result.cost}, bound "
                f"{answer.result.bound}, {search:.1f} s, {time.perf_counter() - start:.1f} s with files",
                flush=True,
            )
        start = time.perf_counter()
        print(f"verify: {why_folder_refused(ledger) or 'holds'} ({time.perf_counter() - start:.1f} s)", flush=True)
        tried, follow = derived(ledger, counts, options.share)
        print(f"{tried} hidden counts of 1 to 10 tried by linear programs: {follow} follow", flush=True)


if __name__ == "__main__":
    main()
