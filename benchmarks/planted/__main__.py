"""Run the planted files: ``python -m benchmarks.planted [--step 10] [--only 17] [--results FILE] [--table]``."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.planted.by_hand import EXPORTS, exports
from benchmarks.planted.containers import write_file
from benchmarks.planted.eyes import kept, look, spoken
from benchmarks.planted.files import FILES, planted_file
from benchmarks.planted.table import table
from benchmarks.planted.trip import AIMS, check, no_word_document, sent, trip

Row = dict[str, Any]


def outcome(number: int, aims: tuple[str, ...] = AIMS, *, first: bool = True, verbose: bool = False) -> Iterator[Row]:
    """Take one file through each aim; yield what was found as one dictionary per aim."""
    with tempfile.TemporaryDirectory() as made, no_word_document():
        file = planted_file(number) if number < FILES else dict(enumerate(exports(), FILES))[number][1]
        path = write_file(file, Path(made))
        checked = check(path)
        for aim in aims:
            began = time.process_time()
            done = trip(file, path, aim, first=first and number % 3 == AIMS.index(aim))
            leaks = list(dict.fromkeys(leak for folder in done.folders for leak in look(file, aim, folder)))
            whole = checked.text + done.text + "".join(_kept_texts(folder) for folder in done.folders)
            last = next((folder for folder in reversed(done.folders) if sent(folder)), None)
            if verbose:
                print(file.container, file.layout, file.plants, checked.text, done.text, sep="\n")
            yield {
                "file": number,
                "aim": aim,
                "layout": file.layout,
                "container": file.container,
                "plants": [(p.letter, p.family, p.mode) for p in file.plants],
                "leaks": [asdict(leak) for leak in leaks],
                "spoken": [(p.letter, p.notation, p.column) for p in spoken(file, whole)],
                "sent": last is not None,
                "kept": kept(file, last),
                "status": done.last.status,
                "crashed": done.crashed or checked.status == 99,
                "why": "" if last else _line(done.last.text),
                "seconds": time.process_time() - began,
            }


def _kept_texts(folder: Path) -> str:
    """Return the text of the pages and figures that stay with the publisher."""
    paths = [path for path in folder.rglob("*") if path.suffix in (".html", ".json", ".toml")]
    return "".join(path.read_text(encoding="utf-8") for path in sorted(paths))


def _line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    return next((line for line in reversed(lines) if line.startswith(("Error", "NOT"))), last)[:300]


def main() -> None:
    """Take the files of the options and print what was found, or the table of what was kept in a file of results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planted", description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="every n-th file")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int, help="one file, with everything that was printed")
    parser.add_argument("--by-hand", action="store_true", help="the exports of by_hand.py")
    parser.add_argument("--aim", choices=AIMS, action="append")
    parser.add_argument("--results", type=Path, help="a file of results; what it has is not run again")
    parser.add_argument("--short", action="store_true", help="no run before the answers")
    parser.add_argument("--table", action="store_true", help="print the table of --results and end")
    chosen = parser.parse_args()
    rows = [json.loads(line) for line in chosen.results.open()] if chosen.results and chosen.results.exists() else []
    if not chosen.table:
        numbers = [chosen.only] if chosen.only is not None else range(chosen.start, FILES, chosen.step)
        if chosen.by_hand:
            numbers = range(FILES, FILES + len(EXPORTS))
        known = {row["file"] for row in rows}
        for number in numbers:
            if number in known:
                continue
            aims = tuple(chosen.aim or AIMS)
            for row in outcome(number, aims, first=not chosen.short, verbose=chosen.only is not None):
                rows.append(row)
                _say(row)
                if chosen.results:
                    with chosen.results.open("a") as out:
                        out.write(json.dumps(row) + "\n")
    sys.stdout.write(table(rows))


def _say(row: Row) -> None:
    kept_columns = f"{sum(row['kept'].values())}/{len(row['kept'])}"
    name = list(EXPORTS)[row["file"] - FILES] if row["file"] >= FILES else ""
    end = "sent" if row["sent"] else row["why"]
    print(row["file"], name, row["aim"], row["layout"], row["container"], end, kept_columns,
          f"{row['seconds']:.1f}s", "CRASHED" if row["crashed"] else "", flush=True)  # fmt: skip
    if row["sent"] and row["layout"] != "headerless" and not all(row["kept"].values()):
        print("   HELD BACK", [column for column, kept in row["kept"].items() if not kept], flush=True)
    for leak in row["leaks"]:
        print("   LEAK", {key: value for key, value in leak.items() if key not in ("file", "aim")}, flush=True)
    for plant in row["spoken"]:
        print("   IN PRINT", plant, flush=True)


if __name__ == "__main__":
    main()
