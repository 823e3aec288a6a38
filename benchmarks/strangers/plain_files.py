"""What is left out of files in which nothing identifies, and whether one answer brings it back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.strangers.commands import check, command, trip
from benchmarks.strangers.eyes import read_release
from benchmarks.strangers.files import Stranger

REASON = "looked at its values: they say nothing of who it is"


@dataclass(frozen=True)
class Kept:
    """A column that identifies nobody: whether it was released, and whether it is after one answer."""

    number: int
    column: str
    kind: str
    released: bool
    after_answer: bool
    said: str = ""


def plain_columns(file: Stranger, folder: Path) -> list[Kept]:
    """The four commands, then one answer for each column that was left out, then the last command again."""
    assert file.plain is not None
    path = file.write(folder)
    check(path)
    first = trip(path, "safe-harbor")
    there = set() if first.release is None else set(first.release)
    away = [column for column in file.plain if column not in there]
    said: dict[str, str] = {}
    project, again = folder / "safe-harbor.toml", folder / "again"
    for column in away:
        said[column] = command("release", "step", project, "variables", "--role", f"{column}=other",
                               "--evidence", REASON, "--by", "A")[1]  # fmt: skip
    status, text = command("release", "run", project, "--out", again) if away else (0, "")
    second = read_release(again) if again.is_dir() else None
    back = there if not away else set() if second is None else set(second)
    return [
        Kept(file.number, column, kind, column in there, column in back,
             "" if column in back else f"{said.get(column, '')} | {status}: {text[-300:]}")
        for column, kind in file.plain.items()
    ]  # fmt: skip
