"""Run every command of docs/seeds.md on made-up files in a temporary folder: ``python -m benchmarks.seeds_commands``.

One line a command: exit status, seconds of the processor, and the last line that it printed where it failed.
"""

from __future__ import annotations

import argparse
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd

from policy_sim.cli.main import cli
from policy_sim.release import Release

ROOT = Path(__file__).resolve().parents[1]
# What a short form on the page leaves out.
FILE, FIELDS = "visits.csv", "--fields age,sex,race"
FILLED = {
    "dataset check": FILE,
    "dataset profile": f"{FILE} {FIELDS}",
    "dataset score": f"{FILE} {FIELDS} --state OH",
    "dataset estimate": f"{FILE} {FIELDS} --population-size 40000",
    "release run": "release.toml --out released",
    "release recheck": "release.toml --out released",
    "release frontier": "release.toml",
    "release step": "release.toml",
    "model breach": " --exposed 600 --people 20000 --match-rate 0.3 --letter 1.5",
    "econ budget": "OH --usd 5000",
    "lists show": "OH",
    "compare": "OH",
}
EDITIONS = {"release": "ipc-2016", "census": "ihe-2026-draft"}
ANSWERS = ("release-model=public", "attacker-knows=yes", "invasion=low")
UNFINISHED = ("model reproduce",)  # names of commands that the page speaks of, and gives in full elsewhere
ASKED = "release step"  # asks at a terminal; here it reaches the end of what was typed


def names(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the name of every command, in words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from names(command, (*before, name))
        else:
            yield (*before, name)


def commands() -> list[str]:
    """Return the commands of the page, each once, with what the short forms leave out."""
    known = set(names(cli))
    found: dict[str, None] = {}
    for text in re.findall(r"`([^`\n]+)`", (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")):
        words = text.split()
        name = next((" ".join(words[:many]) for many in (3, 2, 1) if tuple(words[:many]) in known), "")
        if name and text not in UNFINISHED:
            more = text[len(name) :].strip()
            given = f"{name} {more}"
            if name in FILLED and (not more or more.startswith("--")):
                rest = FILLED[name].split(" --")
                options = [f"--{option}" for option in rest[1:] if f"--{option.split()[0]}" not in more]
                given = " ".join(
                    [name, *([] if rest[0].startswith("--") or more == "--out maps" else [rest[0]]), more, *options]
                )
            found[" ".join(given.split())] = None
    return list(found)


def make_files(folder: Path) -> None:
    """Write records of people of Ohio, everyone they are drawn from, a second release, and a project."""
    call(folder, "dev synth OH --people 20000 --seed 5 --out all.csv")
    everyone = pd.read_csv(folder / "all.csv", dtype=str)
    everyone.insert(0, "patient", [f"P{number:06d}" for number in np.random.default_rng(2).permutation(len(everyone))])
    everyone.to_csv(folder / "all.csv", index=False)
    visits = everyone.sample(600, random_state=1)
    columns = ["patient", "age", "sex", "race", "county"]
    visits[columns].to_csv(folder / FILE, index=False)
    for project, out, people in (("release", "released", []), ("census", "in-census", ["OH"])):
        call(folder, f"release new {FILE} {project}.toml --edition {EDITIONS[project]}")
        by = "--by 'A. Officer' --evidence 'made up'"
        call(folder, f"release step {project}.toml variables --role age,sex,race,county=key {by}")
        call(folder, f"release step {project}.toml variables --pseudonym patient {by}")
        answers = " ".join(f"--answer {answer}" for answer in ANSWERS)
        call(folder, f"release step {project}.toml {answers} {by}")
        if people:
            Release(folder / f"{project}.toml").set("population", source="census", name="us-2020", states=people)
        call(folder, f"release run {project}.toml --out {out}")
    released = pd.read_csv(folder / "released" / "send" / "release.csv", dtype=str)
    released[["patient"]].assign(study="visits").to_csv(folder / "other.csv", index=False)


def call(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    line = [sys.executable, "-m", "policy_sim", *shlex.split(command)]
    return subprocess.run(line, cwd=folder, input="A. Officer\n", capture_output=True, text=True, check=False)


def main() -> None:
    """Run all commands, or those that contain a text, and say how many failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="?", default="")
    parser.add_argument("--show", action="store_true", help="print the first lines of each output")
    asked = parser.parse_args()
    said = Counter[str]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_files(folder)
        for command in commands():
            if asked.only not in command:
                continue
            line = command.replace("visits.csv release.toml", "visits.csv new.toml")
            if "--population us-2022" in command or command.startswith("release stages"):
                line = line.replace("release.toml --out released", "census.toml --out in-census")
                line = line.replace("--out released", "--out in-census")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = call(folder, line)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            outcome = outcome_of(command, done)
            said[outcome] += 1
            print(f"{outcome:8} {seconds:6.1f} s  {command}", flush=True)
            if outcome == "failed" or asked.show:
                lines = [*done.stdout.splitlines()[:12], *done.stderr.splitlines()[-3:]]
                print("\n".join(f"         | {text[:200]}" for text in lines), flush=True)
    print(", ".join(f"{number} {outcome}" for outcome, number in said.items()))


def outcome_of(command: str, done: subprocess.CompletedProcess[str]) -> str:
    """Return whether a command ran, gave a verdict that is not met, asked at the terminal, or failed."""
    if done.returncode == 1 and done.stdout.startswith("NOT MET"):
        return "not met"
    if done.returncode == 1 and command.startswith(ASKED) and "Aborted!" in done.stderr:
        return "asked"
    return "failed" if done.returncode else "ran"


if __name__ == "__main__":
    main()
