"""Run every command of README and the tutorials in an empty folder, as a reader who has just installed the program.

    python first_day.py PYTHON PAGE...   # --here in place of PYTHON: the interpreter that runs this

PYTHON is the interpreter that has the program. Blocks that begin with `make` or a package client belong to a clone and
are left out. Each page gets an empty folder; a fence with a title is a file that its commands read or write. Prints for
each page its commands, seconds and the largest memory of one of them, and ends with 1 where a command failed.
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

_FENCE = re.compile(r'^```(\w*)(?: title="([\w./-]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_OF_A_CLONE = ("make", "source", "python")
# Run each command in a process that reports its own memory: that of all children so far only grows. Windows has no
# such figure.
_MEASURE = """
import subprocess, sys
status = subprocess.call(sys.argv[1:])
try:
    import resource
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
except ImportError:
    memory = 0
print("\\n@", memory, file=sys.stderr)
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


def _run(words: list[str], folder: Path, environment: dict[str, str], expected: int) -> tuple[float, int, str]:
    """Return seconds, megabytes and the error, which is empty where the command ended as expected."""
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
    text, _, memory = done.stderr.rpartition("\n@ ")
    failed = f"status {done.returncode}: {text.strip()[-600:]}" if done.returncode != expected else ""
    return time.perf_counter() - start, int(memory or 0) // 1024, failed


def try_page(page: Path, python: Path) -> tuple[int, float, int, list[str]]:
    """Run a page's commands; return how many, their seconds, the most megabytes, and what failed."""
    text = page.read_text(encoding="utf-8")
    count, seconds, most, failures = 0, 0.0, 0, []
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
        scripts = [code for language, _, code in _FENCE.findall(text) if language == "python"]
        todo = [line for block in commands(text) for line in block]
        for line in todo:
            command, _, target = line.partition(" > ")
            words = [str(python), "-m", "policy_sim.cli.main", *shlex.split(command, comments=True)[1:]]
            took, memory, failed = _run(words, folder, environment, int("exits with 1" in line))
            count, seconds, most = count + 1, seconds + took, max(most, memory)
            failures += [f"{page.name}: {line}: {failed}"] if failed else []
            if target:
                (folder / target.strip()).touch()
        for script in scripts:
            took, memory, failed = _run([str(python), "-c", script], folder, environment, 0)
            count, seconds, most = count + 1, seconds + took, max(most, memory)
            failures += [f"{page.name}: python block: {failed}"] if failed else []
    return count, seconds, most, failures


def main(arguments: list[str]) -> int:
    """Run the pages and print a table."""
    python = Path(sys.executable if arguments[0] == "--here" else arguments[0]).absolute()
    pages = [Path(page).absolute() for page in arguments[1:]]
    failures: list[str] = []
    print("| page | commands | seconds | megabytes |\n|---|--:|--:|--:|")
    for page in pages:
        count, seconds, most, failed = try_page(page, python)
        print(f"| {page.name} | {count} | {seconds:.1f} | {most} |", flush=True)
        failures += failed
    print("\n".join(failures), file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
