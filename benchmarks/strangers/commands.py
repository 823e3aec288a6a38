"""The four commands of README, in process, in a folder; nothing is answered that README does not answer."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from click.testing import CliRunner

from benchmarks.planted.trip import no_word_document
from benchmarks.strangers.eyes import read_release
from policy_sim.cli.main import cli

AIMS = ("safe-harbor", "risk", "limited-dataset")


@dataclass(frozen=True)
class Trip:
    """What a file's way through the commands left: the release or none, what was said, and the exit status."""

    release: pd.DataFrame | None
    status: int
    said: str
    documents: str
    seconds: float
    half: bool  # the run failed and yet left a file

    @property
    def refused(self) -> bool:
        """One clear line and exit status 2, and nothing written."""
        return self.status == 2 and self.release is None and "Traceback" not in self.said


def command(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(cli, [str(word) for word in words], prog_name="policy-sim")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return 99, f"{done.output}\nTraceback: {type(done.exception).__name__}: {done.exception}"
    return (99 if "This is a bug" in done.output else done.exit_code), done.output


def check(file: Path) -> tuple[int, str]:
    """The first command; it writes ``m.toml`` beside the file."""
    return command("dataset", "check", file, "--write-mapping", file.parent / "m.toml")


def trip(file: Path, aim: str) -> Trip:
    """The other three commands, with the mapping that ``check`` wrote."""
    project, out, mapping = file.parent / f"{aim}.toml", file.parent / aim, file.parent / "m.toml"
    policy = "safe-harbor" if aim == "risk" else aim
    start = time.process_time()
    steps: list[tuple[str | Path, ...]] = [
        ("release", "new", file, project, *(("--mapping", mapping) if mapping.exists() else ()), "--policy", policy),
        ("release", "step", project, "--accept-guesses", "--by", "A"),
        ("release", "run", project, "--out", out),
    ]
    status, said = 0, ""
    for at, words in enumerate(steps):
        with no_word_document():
            status, text = command(*words)
        said += text
        if at == 0 and aim == "risk" and status == 0:
            project.write_text(at_risk(project.read_text(encoding="utf-8")), encoding="utf-8")
        if status not in (0, 1, 2) or (at == 0 and status):
            break  # where no guess can be accepted, the third command still makes a release of what is covered
    release = read_release(out)
    beside = [p for p in out.glob("keep/*") if p.suffix in (".html", ".json", ".toml")] if out.is_dir() else []
    documents = "".join(p.read_text(encoding="utf-8", errors="replace") for p in (*beside, project) if p.exists())
    half = status not in (0, 1) and (release is not None or bool(beside))
    return Trip(release, status, said, documents, time.process_time() - start, half)


def at_risk(project: str) -> str:
    """The project with a risk of its own as its aim: no record alike with fewer than ten others."""
    target = '[target]\naim = "risk"\nmeasure = "maximum"\nthreshold = "k=11"\n'
    changed = re.sub(r"\[target\]\n(?:(?!\[).*\n)*", lambda _: target, project)
    return re.sub(r"^limit = \S+", "limit = 0.5", changed, flags=re.MULTILINE)
