"""``python -m benchmarks.strangers``: all files through README's commands, and the table of what left.

python -m benchmarks.strangers                             # 600 files, three aims, 200 files without identifiers
python -m benchmarks.strangers --step 10                   # the pinned tenth
python -m benchmarks.strangers --out docs/strangers.md     # writes the page
python -m benchmarks.strangers --only 17                   # one file, told in full
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.strangers.commands import AIMS, check, trip
from benchmarks.strangers.eyes import in_documents, keeps, leaks
from benchmarks.strangers.files import PLAIN_FILES, Stranger, harmless, stranger, strangers
from benchmarks.strangers.page import page
from benchmarks.strangers.plain_files import plain_columns

OF_OTHERS = "## Planted under trusted headers\n"


def judge(file: Stranger, folder: Path, aims: tuple[str, ...] = AIMS) -> list[dict[str, Any]]:
    """One record per aim: what was planted, what left, what was kept, and how the commands ended."""
    path = file.write(folder)
    start = time.process_time()
    status, said = check(path)
    checked = time.process_time() - start
    found, demographics = [], file.demographics or {}
    for aim in aims:
        done = trip(path, aim)
        left = [] if done.release is None else list(leaks(file, done.release, aim))
        repeats = in_documents(file, said + done.said + done.documents, aim)
        kept = [[demographics[c].aspect, demographics[c].form, k] for c, k in keeps(file, done.release).items()]
        found.append({
            "file": file.number, "container": file.container, "rows": len(file.frame), "aim": aim,
            "check": status, "status": done.status, "refused": done.refused, "half": done.half,
            "released": done.release is not None, "seconds": round(checked + done.seconds, 2),
            "planted": Counter(p.letter for p in file.planted if aim != "limited-dataset" or p.limited),
            "leaks": [[x.planted.letter, x.planted.kind, x.planted.column, x.where, x.column] for x in left],
            "documents": [[x.planted.letter, x.planted.kind, x.planted.column] for x in repeats],
            "kept": kept,
            "said": done.said[-400:] if done.release is None or done.status else "",
        })  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=1, help="take every STEP-th file")
    parser.add_argument("--only", type=int, help="one file, told in full")
    parser.add_argument("--results", type=Path, help="JSON Lines with what was found; a run that stopped goes on")
    parser.add_argument("--out", type=Path, help="Markdown page to write")
    asked = parser.parse_args()
    if asked.only is not None:
        return tell(stranger(asked.only))
    results = recorded(asked.results)
    for file in strangers(asked.step, skip={r["file"] for r in results}):
        with tempfile.TemporaryDirectory() as folder:
            results += judge(file, Path(folder))
        if asked.results:
            with asked.results.open("a", encoding="utf-8") as lines:
                lines.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in results[-len(AIMS) :])
        leaky = sum(bool(r["leaks"]) for r in results)
        print(f"file {file.number}: {leaky} leaky releases so far", file=sys.stderr, flush=True)
    plain = []
    for number in range(0, PLAIN_FILES, asked.step):
        with tempfile.TemporaryDirectory() as folder:
            plain += plain_columns(harmless(number), Path(folder))
    text = page(results, plain)
    if asked.out:
        asked.out.write_text(beside_others(text, asked.out), encoding="utf-8")
    else:
        print(text)
    return None


def beside_others(text: str, out: Path) -> str:
    """Return the page with the part of ``out`` that other benchmarks and people write, which begins at its heading."""
    _, heading, rest = (out.read_text(encoding="utf-8") if out.exists() else "").partition(OF_OTHERS)
    return f"{text.rstrip()}\n\n{heading}{rest}" if heading else text


def recorded(path: Path | None) -> list[dict[str, Any]]:
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def tell(file: Stranger) -> None:
    """One file: its first rows, and what every aim let out."""
    print(file.frame.head(5).to_string(), *((p.letter, p.kind, p.column) for p in file.planted), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        for record in judge(file, Path(folder)):
            print(json.dumps(record, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
