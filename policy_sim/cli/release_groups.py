"""Questions about groups of columns of a release project, at the terminal and in the last lines of a run."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import policy_sim
from policy_sim.release.column_groups import GROUPS
from policy_sim.release.costs import is_overruled, overruled
from policy_sim.release.treatments import UNDECIDED

_QUOTE = '"'


def left_out_lines(figures: dict[str, Any], project: Path) -> list[str]:
    """Say which columns were left out, and how to bring one back that nobody decided on."""
    left = [column for column in figures["variables"] if column["standing"] == "left out"]
    undecided = [column["name"] for column in left if column["role"] == UNDECIDED and not is_overruled(column)]
    dropped = [column["name"] for column in left if column["role"] != UNDECIDED]
    lines = [f"left out by the rule or as identifiers: {', '.join(dropped)}"] if dropped else []
    lines += overruled(figures["variables"])
    if not undecided:
        return lines
    lines.append(f"left out, because no one has decided on them: {', '.join(undecided)}")
    alone = {column["name"]: column["doubt"] for column in left if column["name"] in undecided and not column["group"]}
    lines += [f"  {name}: {doubt}" for name, doubt in alone.items() if doubt]
    if alone:
        lines.append(
            "to bring one back: look at its values, then: "
            + _role_command(project, [next(iter(alone))], "WHY IT IDENTIFIES NOBODY", "YOUR NAME")
        )
    by = next((column["by"].split(",")[0] for column in figures["variables"] if column["by"]), "YOUR NAME")
    return lines + _group_lines({c["name"]: c["group"] for c in left if c["name"] in undecided}, project, by)


def undecided_lines(opened: policy_sim.Release, project: Path) -> list[str]:
    """Say the command for each group of columns that nobody has decided on, before anything is released."""
    looks = opened.project.looks
    by = next((text.split(",")[0] for text in opened.project.classified.values()), "YOUR NAME")
    return _group_lines({name: looks[name].group for name in opened.project.undecided}, project, by)


def _group_lines(groups: Mapping[str, str], project: Path, by: str) -> list[str]:
    """Ask about each group, given the group of each column, and say the command that answers yes."""
    lines = []
    for group, title in GROUPS.items():
        if names := [name for name, own in groups.items() if own == group]:
            evidence = f"{title}, by which nobody is known"
            lines += [_group_question(group, names), f"  yes: {_role_command(project, names, evidence, by)}"]
    return lines


def _group_question(group: str, names: Sequence[str]) -> str:
    return f"{len(names):,} {GROUPS[group]}: {', '.join(names)}: release as they are? Nothing spoke against it"


def _role_command(project: Path, names: Sequence[str], evidence: str, by: str) -> str:
    quoted = ",".join(f'"{name.replace(_QUOTE, _QUOTE * 2)}"' if set(name) & {",", _QUOTE} else name for name in names)
    return (
        f"policy-sim release step {shlex.quote(str(project))} variables --role {shlex.quote(quoted + '=other')} "
        f"--evidence {shlex.quote(evidence)} --by {shlex.quote(by)}"
    )


def without_groups(opened: policy_sim.Release, by: str, on: dt.date) -> list[str]:
    """Ask once for each group of columns; return the columns that are to be asked about one by one."""
    looks, left = opened.project.looks, list(opened.project.undecided)
    for group, title in GROUPS.items():
        names = [name for name in left if looks[name].group == group]
        if not names:
            continue
        click.echo(f"\n{_group_question(group, names)}", err=True)
        answer = click.prompt("yes, no, or each", type=click.Choice(["yes", "no", "each"]), default="each", err=True)
        if answer == "each":
            continue
        role, reason = ("other", f"{title}, by which nobody is known") if answer == "yes" else ("direct", "left out")
        opened.classify(names, role, click.prompt("Why?", default=reason, err=True), by=by, on=on)
        left = [name for name in left if name not in names]
    return left
