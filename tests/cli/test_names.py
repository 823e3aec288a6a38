"""Names of commands: which are in sight, which were moved, and that every page and message uses the current ones."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest
from small_people import commands, one_line, run

from policy_sim.cli.first_options import FIRST_OPTIONS
from policy_sim.cli.names import COMMANDS, current_name

ROOT = Path(__file__).resolve().parents[2]
ALL = {" ".join(path): command for path, command in commands()}
IN_SIGHT = ["app", "compare", "brief", "explorer", "atlas", "dataset", "release", "table", "cases", "areas", "lists"]
IN_SIGHT += ["policy"]
BEFORE = {named.was: name for name, named in COMMANDS.items() if named.was}


def _listed(text: str, title: str) -> list[str]:
    """The first words of the lines of a section of a help text."""
    section = re.search(rf"^{title}:\n((?:  .*\n|\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", section[1], re.MULTILINE) if section else []


def test_help_lists_the_commands_in_sight():
    text = run("--help").stdout
    assert _listed(text, "Commands") == IN_SIGHT
    assert {"econ", "model", "dev", "help all"} <= set(re.findall(r"policy-sim ([a-z]+(?: all)?)", text))


def test_help_all_lists_every_command_once():
    listed = [re.split(r"  +", line)[0] for line in run("help", "all").stdout.splitlines() if line]
    assert sorted(listed) == sorted(name for name, command in ALL.items() if not isinstance(command, click.Group))


def test_help_of_a_command_is_what_the_option_prints():
    assert run("help", "econ", "budget").stdout == run("econ", "budget", "--help").stdout
    assert run("help", "budget").stdout == run("econ", "budget", "--help").stdout
    assert "Did you mean 'budget'?" in one_line("help", "econ", "budgt")


@pytest.mark.parametrize(("was", "name"), BEFORE.items())
def test_a_name_of_before_runs_the_command_and_says_the_new_name(was, name):
    done, now = run(*was.split(), "--help"), run(*name.split(), "--help")
    assert done.stdout == now.stdout
    assert (done.stderr, now.stderr) == (f"now: policy-sim {name}\n", "")
    assert was not in ALL


def test_the_subcommands_of_a_moved_group_are_moved_too():
    assert run("--debug", "rules", "list", "--format", "csv").stderr.startswith("now: policy-sim table rules\n")
    assert run("population", "list").stderr == "now: policy-sim model population\n"


def test_a_slip_in_a_moved_name_is_answered_with_the_current_one():
    assert "Did you mean 'econ budget'?" in one_line("budgt")
    assert "'policy-sim help all'" in one_line("nonsense")


# What a reader meets names commands that there are.


def _texts() -> list[Path]:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    read = ("docs/", "policy_sim/", "reports/", "benchmarks/", ".ci/")
    named = [name for name in tracked if name.startswith(read) or "/" not in name]
    return [ROOT / name for name in named if name.endswith((".md", ".py", ".toml", ".html", ".js", ".txt", "Makefile"))]


def test_no_page_and_no_message_names_a_command_of_before():
    old, unknown = [], []
    for path in _texts():
        text = " ".join(path.read_text(encoding="utf-8").split())
        for line in re.findall(r"policy-sim(?: --debug)? ((?:[a-z][\w-]*[ `'\")\].,]?){1,3})", text):
            words = re.findall(r"[a-z][\w-]*", re.split(r"[`'\")\].,]", line)[0])
            if current_name(words)[1]:
                old.append((path.name, line))
            if words and words[0] in ("compare", "table", "lists", "dataset", "econ", "model", "dev", "policy"):
                known = [name for name in ALL if name.split()[: len(words)] == words[: len(name.split())]]
                unknown += [(path.name, line)] * (not known)
    assert old == []
    assert unknown == []


# Help begins with the options that the tutorials and the how-to pages use.

PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("tutorial-*.md"), *(ROOT / "docs" / "how-to").glob("*.md")]


def _used() -> dict[str, set[str]]:
    used: dict[str, set[str]] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for match in re.finditer(r"policy-sim ([^`\n]*(?:\n[^`\n]+(?=`))?)|`([a-z][^`\n]*)`", text):
            words = (match[1] or match[2]).split()
            name = next((" ".join(words[:many]) for many in (3, 2, 1) if " ".join(words[:many]) in ALL), "")
            used.setdefault(name, set()).update(re.findall(r"--[a-z][a-z0-9-]*", " ".join(words).split("#")[0]))
    return used


@pytest.mark.parametrize("name", FIRST_OPTIONS)
def test_help_begins_with_the_options_of_the_tutorials(name):
    text, options = run(*name.split(), "--help").stdout, {o for p in ALL[name].params for o in p.opts}
    first = set(FIRST_OPTIONS[name].split())
    assert first <= options
    early = {word.rstrip(",") for word in _listed(text, "Options")} | {"--help"}
    assert first | (_used().get(name, set()) & options) <= early
    assert early | set(_listed(text, "Advanced")) >= {o for o in options if o.startswith("--")} - {"--rules"}
