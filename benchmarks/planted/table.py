"""The table of what was found, for docs/strangers.md."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.planted.kinds import LETTERS
from benchmarks.planted.trip import AIMS

Row = dict[str, Any]


def table(rows: list[Row]) -> str:
    """Write what left and what stayed as Markdown."""
    lines = [
        "| aim | files | released | refused | refused, by layout | with a planted value sent | harmless columns sent |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: |",
    ]
    for aim in AIMS:
        of_aim = [row for row in rows if row["aim"] == aim]
        if of_aim:
            lines.append(_aim(aim, of_aim))
    lines += ["", "| planted | " + " | ".join(AIMS) + " |", "| --- |" + " ---: |" * len(AIMS)]
    for letter, name in LETTERS.items():
        lines.append(f"| ({letter}) {name} | " + " | ".join(_letter(letter, aim, rows) for aim in AIMS) + " |")
    return "\n".join(lines) + "\n"


def _aim(aim: str, rows: list[Row]) -> str:
    released = [row for row in rows if row["sent"]]
    refused = Counter(row["layout"] for row in rows if not row["sent"])
    leaking = sum(1 for row in rows if row["leaks"])
    named = [row for row in rows if row["layout"] not in ("headerless", "transposed")]
    harmless = [kept for row in named for kept in row["kept"].values()]
    share = f"{sum(harmless):,} of {len(harmless):,}"
    why = ", ".join(f"{layout} {count}" for layout, count in sorted(refused.items())) or "-"
    return f"| {aim} | {len(rows)} | {len(released)} | {len(rows) - len(released)} | {why} | {leaking} | {share} |"


def _letter(letter: str, aim: str, rows: list[Row]) -> str:
    of_aim = [row for row in rows if row["aim"] == aim]
    planted = sum(1 for row in of_aim for plant in row["plants"] if plant[0] == letter)
    leaked = sum(1 for row in of_aim for leak in row["leaks"] if leak["letter"] == letter)
    return f"{leaked} of {planted}"
