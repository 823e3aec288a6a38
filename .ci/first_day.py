"""Run every command of README and the tutorials in an empty folder, as a reader who has just installed the program.

    python first_day.py PYTHON PAGE...   # --here in place of PYTHON: the interpreter that runs this

PYTHON is the interpreter that has the program. Blocks that begin with `make` or a package client belong to a clone and
are left out. Each page gets an empty folder; a fence with a title is a file that its commands read or write. Prints for
each page its commands, seconds by the clock and of the processor, and the largest memory of one of them, tells of a
command that failed as soon as it has, and ends with 1 where one did.
Needs nothing but Python's library, so that it can run beside a wheel alone.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(r'^```(\w*)(?: title="([\w./-]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_OF_A_CLONE = ("make", "source", "python")
# Run each command in a process that reports its own memory and processor time: those of all children so far only grow.
# Windows has no such figures.
_MEASURE = """
import subprocess, sys
status = subprocess.call(sys.argv[1:])
try:
    import resource
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory, processor = used.ru_maxrss, used.ru_utime + used.ru_stime
except ImportError:
    memory, processor = 0, 0.0
print("\\n@", memory, processor, file=sys.stderr)
sys.exit(status)
"""


def commands(text: str) -> list[list[str]]:
    """Return the commands of a page, block by block; continued lines are one."""
    blocks = []
    for language, _, code in _FENCE.findall(text):
        if language not in ("", "sh"):
            continue
        lines = [line.strip() for line in code.replace("\\\n", " ").splitlines() if line.strip()]
        blocks.append([line for line in lines if not line.startswith(("#", *_OF_A_CLONE))])
    return [block for block in blocks if all(line.startswith("policy-sim") for line in block)]


class Cost(NamedTuple):
    """What commands took: their number, seconds by the clock and of the processor, the most megabytes of one."""

    commands: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    megabytes: int = 0

    def plus(self, other: Cost) -> Cost:
        """Return both together."""
        commands, seconds, processor = (mine + more for mine, more in zip(self[:3], other[:3], strict=True))
        return Cost(commands, seconds, processor, max(self.megabytes, other.megabytes))


def _run(words: list[str], folder: Path, environment: dict[str, str], expected: int) -> tuple[Cost, str]:
    """Return what a command took and the error, which is empty where the command ended as expected."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",  # a console of another encoding, as on Windows
        check=False,
    )
    text, _, used = done.stderr.rpartition("\n@ ")
    memory, processor = used.split()
    failed = f"status {done.returncode}: {text.strip()[-600:]}" if done.returncode != expected else ""
    return Cost(1, time.perf_counter() - start, float(processor), int(memory) // 1024), failed


def try_page(page: Path, python: Path) -> tuple[Cost, int]:
    """Run a page's commands and tell of each that fails; return what they took, and how many failed."""
    text = page.read_text(encoding="utf-8")
    whole, failures = Cost(), 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "empty"
        folder.mkdir()
        environment = {
            **os.environ,
            "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
            "POLICY_SIM_HOME": str(Path(place) / "home"),
            "PYTHONWARNINGS": "error",
        }
        for _, title, content in _FENCE.findall(text):
            if title and "/" not in title:
                (folder / title).write_text(content, encoding="utf-8")
        for line in [line for block in commands(text) for line in block]:
            command, _, target = line.partition(" > ")
            words = [str(python), "-m", "policy_sim.cli.main", *shlex.split(command, comments=True)[1:]]
            took, failed = _run(words, folder, environment, int("exits with 1" in line))
            whole = whole.plus(took)
            failures += _tell(page.name, line, failed)
            if target:
                (folder / target.strip()).touch()
        for script in [code for language, _, code in _FENCE.findall(text) if language == "python"]:
            took, failed = _run([str(python), "-c", script], folder, environment, 0)
            whole = whole.plus(took)
            failures += _tell(page.name, "python block", failed)
    return whole, failures


def _tell(page: str, line: str, failed: str) -> int:
    """Print a failure, where there is one, and return how many there are: the run goes on for a while yet."""
    if failed:
        print(f"{page}: {line}: {failed}", file=sys.stderr, flush=True)
    return int(bool(failed))


def main(arguments: list[str]) -> int:
    """Run the pages and print a table."""
    python = Path(sys.executable if arguments[0] == "--here" else arguments[0]).absolute()
    pages = [Path(page).absolute() for page in arguments[1:]]
    failures = 0
    print("| page | commands | seconds | of the processor | megabytes | |\n|---|--:|--:|--:|--:|---|", flush=True)
    for page in pages:
        took, failed = try_page(page, python)
        passed = f"{failed} failed" if failed else "passed"
        row = f"| {took.commands} | {took.seconds:.1f} | {took.processor:.1f} | {took.megabytes} | {passed} |"
        print(f"| {page.name} {row}", flush=True)
        failures += failed
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
