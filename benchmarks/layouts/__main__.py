"""Which of 40 published layouts `table check` reads without an option, with the one that its message prints, or not.

    python -m benchmarks.layouts
    python -m benchmarks.layouts --layout region_rows_first --seed 3   # one in full

What was read is compared, cell by cell and sum by sum, with what was put in.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from benchmarks.layouts.book_tables import BOOK_LAYOUTS
from benchmarks.layouts.drawn import Counts, Drawn
from benchmarks.layouts.text_tables import TEXT_LAYOUTS
from policy_sim.rules.files import find_rule
from policy_sim.tables.check import check_tables
from policy_sim.tables.files import CountFile, Layout
from policy_sim.tables.publish import opened
from policy_sim.words.asking import as_options
from policy_sim.words.errors import PolicySimError

LAYOUTS = {layout.__name__: layout for layout in (*TEXT_LAYOUTS, *BOOK_LAYOUTS)}
READ, WITH_OPTION, ASKED, PARTLY, WRONG = "read", "with the option", "not read", "in part", "read wrongly"
_OPTION = re.compile(r"(--(?:count|key|total|mark|sheet|running|population-column)) (\"[^\"]*\"|'[^']*'|[^\s,;:)]+)")
_FIELDS = {"--count": "count", "--sheet": "sheet", "--population-column": "population"}


def outcome(drawn: Drawn, path: Path) -> tuple[str, str]:
    """Return how a drawn table is read, and the message or what is wrong."""
    layout, word = Layout(), READ
    for _ in range(2):
        try:
            with as_options():
                file = opened([path], layout, None, None).linked.file
                check_tables([path], find_rule("cms-11"), layout=layout, seconds=20)
        except PolicySimError as error:
            message = str(error)
            answered = answer(message, drawn.choices)
            if word != READ or not answered:
                return ASKED, message
            word, layout = WITH_OPTION, answered
            continue
        wrong = wrongly_read(file, drawn.truths)
        if wrong and all(text.startswith("not there") for text in wrong):
            return PARTLY, "; ".join(wrong[:3])
        return (WRONG, "; ".join(wrong[:3])) if wrong else (word, "; ".join(file.notes))
    return ASKED, message


def answer(message: str, choices: dict[str, str]) -> Layout | None:
    """Return the options that a message prints; of several values of one, that which a person would choose."""
    printed: dict[str, list[str]] = {}
    for name, value in _OPTION.findall(message.split(" if not")[0].split(", or the column of counts")[0]):
        printed.setdefault(name, []).append(value.strip("\"'").rstrip("."))
    if not printed:
        return None
    for name, value in choices.items():
        printed |= {name: [value]} if value in printed.get(name, ()) else {}
    facts = {_FIELDS[name]: values[0] for name, values in printed.items() if name in _FIELDS}
    marks = dict(mark.rsplit("=", 1) for mark in printed.get("--mark", ()))
    keys, totals, running = (tuple(printed.get(name, ())) for name in ("--key", "--total", "--running"))
    return Layout(**facts, keys=keys, totals=totals[:1], marks=marks, running=running)


def wrongly_read(file: CountFile, truths: dict[str, Counts]) -> list[str]:
    """Return what differs from the measure that was read; where several were, each has its own column."""
    wrong = min((differences(file, truth) for truth in truths.values()), key=len)
    if not wrong or len(truths) < 2:
        return wrong
    columns = list(dict.fromkeys(key[-1] for key in file.cells))
    parts = [replace(file, cells={key: cell for key, cell in file.cells.items() if key[-1] == own}) for own in columns]
    return [text for truth in truths.values() for text in min((differences(of, truth) for of in parts), key=len)]


def differences(file: CountFile, truth: Counts) -> list[str]:
    """Return the counts that were read otherwise than they were put in; empty where all agree."""
    totals = {relation.total for relation in file.relations} | set(file.margins)
    leaves = {key: cell for key, cell in file.cells.items() if key not in totals}
    wrong, taken = list[str](), set[tuple[str, ...]]()
    for labels, count in truth.items():
        fitting = [key for key in leaves if all(_says(key, label) for label in labels)]
        exact = [key for key in fitting if all(label.casefold() in map(str.casefold, key) for label in labels)]
        fitting = exact if len(exact) == 1 else fitting
        if len(fitting) != 1:
            wrong.append(f"{'not there' if not fitting else 'there twice'}: {', '.join(labels)}")
            continue
        taken.add(fitting[0])
        value = leaves[fitting[0]].value
        if value != count:
            wrong.append(f"{', '.join(labels)}: {value} for {count}")
    wrong += [f"too many: {', '.join(key)}" for key, cell in leaves.items() if key not in taken and cell.value != 0]
    return wrong


def _says(key: tuple[str, ...], label: str) -> bool:
    return any(re.search(rf"(?<![\w-]){re.escape(label)}(?![\w-])", part, re.I) for part in key)


def tried(name: str, seed: int) -> tuple[str, str]:
    """Draw a table of a layout, and return how it is read."""
    drawn = LAYOUTS[name](random.Random(f"{name}-{seed}"))
    with tempfile.TemporaryDirectory() as folder:
        return outcome(drawn, drawn.write(Path(folder), name))


def main() -> None:
    """Try every layout, or show one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layouts")
    parser.add_argument("--layout", choices=LAYOUTS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    words = Counter[str]()
    for name in [options.layout] if options.layout else LAYOUTS:
        drawn = LAYOUTS[name](random.Random(f"{name}-{options.seed}"))
        if options.layout:
            for sheet, grid in drawn.sheets.items():
                print(sheet, *(",".join("" if cell is None else str(cell) for cell in row) for row in grid), sep="\n")
        word, more = tried(name, options.seed)
        words[word] += 1
        kind = (LAYOUTS[name].__doc__ or name).rstrip(".")
        print(f"| {kind} | {name} | {word} | {more if options.layout or word != READ else ''} |", flush=True)
    print(dict(words))


if __name__ == "__main__":
    main()
