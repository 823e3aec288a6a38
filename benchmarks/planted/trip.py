"""The commands of the README, in this process: check, new, step, run; then one answer per group of harmless columns."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import pandas as pd
from click.testing import CliRunner

from benchmarks.planted.files import PlantedFile
from benchmarks.planted.harmless import REASONS
from policy_sim.cli.main import cli

AIMS = ("safe-harbor", "limited-dataset", "k=11")
OFFICER = ("--by", "A. Officer")


@contextmanager
def no_word_document() -> Iterator[None]:
    """Leave the Word copy of the dossier empty: it takes most of a run's time, and its text is that of the page."""
    with patch("policy_sim.release.dossier.docx_document", lambda document: b""):
        yield


@dataclass
class Said:
    """How one command ended."""

    status: int
    text: str
    out: str = ""


@dataclass
class Trip:
    """What happened to a file under one aim: each command's end, and the folders that were written."""

    aim: str
    said: list[tuple[str, Said]] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    crashed: bool = False

    @property
    def text(self) -> str:
        """Everything that was printed."""
        return "\n".join(said.text for _, said in self.said)

    @property
    def last(self) -> Said:
        """How the last command ended."""
        return self.said[-1][1]


def command(*arguments: object) -> Said:
    """Run one command in this process."""
    result = CliRunner().invoke(cli, [str(a) for a in arguments], prog_name="policy-sim")
    status = result.exit_code if isinstance(result.exit_code, int) else 1
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        status = 99
        return Said(status, result.output + repr(result.exception))
    return Said(status, result.output, result.stdout)


def check(path: Path) -> Said:
    """``dataset check FILE --write-mapping``, next to the file."""
    return command("dataset", "check", path, "--write-mapping", path.with_suffix(".map.toml"))


def sent(folder: Path) -> Path | None:
    """Return the released records: in ``send``, or in the output itself of the version without one."""
    where = folder / "send" if (folder / "send").is_dir() else folder
    return next((path for path in sorted(where.glob("release.*")) if path.suffix != ".json"), None)


def read_sent(folder: Path) -> pd.DataFrame | None:
    """Read the released records as text."""
    path = sent(folder)
    if path is None:
        return None
    if path.suffix == ".parquet":
        return pd.read_parquet(path).astype("string").fillna("").astype(str)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def trip(file: PlantedFile, path: Path, aim: str, *, first: bool = True) -> Trip:
    """Take the file through the commands under the aim.

    The first run has no answers but ``--accept-guesses``; the second comes after one answer per group of harmless
    columns. If it ends without a release, the officer leaves out the planted columns and those that the verdict names,
    and runs again.
    """
    done = Trip(aim)
    name = aim.replace("=", "")
    project = path.with_name(f"{path.stem}.{name}.project.toml")
    goal = [] if aim == "k=11" else ["--policy", aim]
    if not _step(done, "release", "new", path, project, "--mapping", path.with_suffix(".map.toml"), *goal):
        return done
    if not _step(done, "release", "step", project, "variables", "--accept-guesses", *OFFICER):
        return done
    if first:
        _run(done, project, path.with_name(f"{path.stem}.{name}.1"))
    for reason, columns in _groups(file).items():
        _step(done, "release", "step", project, "variables", "--role", f"{','.join(columns)}=other",
              "--evidence", reason, *OFFICER)  # fmt: skip
    if _run(done, project, path.with_name(f"{path.stem}.{name}.2")):
        return done
    identify = {plant.column for plant in file.plants} | _named(file, done.last.text)
    out = [column for column in file.columns if column in identify and "," not in column]
    joined = re.search(r'add person = "([^"]+)"', done.last.text)
    if joined:  # several rows per person: the line that the message asks for
        text = project.read_text(encoding="utf-8")
        project.write_text(text.replace("[target]", f'person = "{joined[1]}"\n[target]', 1).replace("# person", "#"))
    if out and file.header:
        _step(done, "release", "step", project, "variables", "--role", f"{','.join(out)}=direct",
              "--evidence", "left out", *OFFICER)  # fmt: skip
        _run(done, project, path.with_name(f"{path.stem}.{name}.3"))
    return done


def _named(file: PlantedFile, text: str) -> set[str]:
    """Find the columns that a verdict of ``NOT MET`` names before its first colon, or an error does."""
    lines = [line for line in text.splitlines() if line.startswith(("NOT MET: ", "Error: "))]
    parts = {word for line in lines for clause in line.split(": ")[1:] for word in re.split(r" and |; |, |\. ", clause)}
    return parts & set(file.columns)


def _groups(file: PlantedFile) -> dict[str, list[str]]:
    groups = defaultdict(list)
    for column, group in file.harmless.items():
        groups[REASONS[group]].append(column)
    return groups


def _step(done: Trip, *arguments: object) -> bool:
    said = command(*arguments)
    done.said.append((" ".join(map(str, arguments[:2])), said))
    done.crashed |= said.status == 99
    return said.status == 0


def _run(done: Trip, project: Path, out: Path) -> bool:
    """``release run``; returns whether something to send was written."""
    shutil.rmtree(out, ignore_errors=True)
    threshold = ["--threshold", "k=11"] if done.aim == "k=11" else []
    _step(done, "release", "run", project, "--out", out, *threshold)
    if out.is_dir():
        done.folders.append(out)
    return sent(out) is not None
