"""Run benchmarks: ``python -m benchmarks [name ...]``, all of them by default; a line of JSON each with --json."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import asdict

NAMES = ("binning", "commands", "explore", "lists", "places")


def main(arguments: list[str]) -> None:
    as_json = "--json" in arguments
    wanted = [name for name in arguments if name != "--json"]
    unknown = sorted(set(wanted) - set(NAMES))
    if unknown:
        sys.exit(f"benchmark {unknown[0]!r} is not known. Known: {', '.join(NAMES)}.")
    for name in wanted or NAMES:
        if not as_json:
            print(f"{name:<62}{'ours, s':>9}{'plain, s':>10}{'ratio':>9}")
        for timing in importlib.import_module(f"benchmarks.{name}").run():
            if as_json:
                print(json.dumps({"benchmark": name, **asdict(timing)}), flush=True)
                continue
            plain, ratio = ("" if x is None else f"{x:.{d}f}" for x, d in ((timing.plain, 2), (timing.ratio, 0)))
            print(f"{timing.workload:<62}{timing.ours:>9.3f}{plain:>10}{ratio:>9}  {timing.note}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
