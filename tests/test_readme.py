"""What README prints is what the commands print."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.states import find_state

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


@cache
def figures(command: str) -> pd.DataFrame:
    rows = printed(command, "--as", "benitez-malin-2010", "--format", "csv")
    return pd.read_csv(io.StringIO(rows))


def table_rows() -> list[tuple[str, str, str]]:
    """Part of the table (policy × attacker), name, and our figures as README prints them."""
    rows, part = [], ""
    for line in README.split("## Against the paper")[1].split("## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0]:
            found = re.fullmatch(r"(\w+(?: Harbor)?) × (\w+): (.*)", cells[0])
            part = f"{found[1]} {found[2]}" if found else part
            rows.append((part, found[3] if found else cells[0], cells[2]))
    return rows


def figure(part: str, state: str, measure: str, g: int | None, column: str) -> float:
    policy, attacker = part.rsplit(" ", 1)
    rows = figures("compare")
    wanted = rows[
        (rows["state"] == find_state(state).postal)
        & (rows["policy"] == {"Limited": "limited-dataset", "Safe Harbor": "safe-harbor"}[policy])
        & (rows["attacker"] == attacker.casefold())
        & (rows["measure"] == measure)
        & (rows["g"].isna() if g is None else rows["g"] == g)
    ]
    return float(wanted[column].item())


@pytest.mark.parametrize(("part", "name", "ours"), table_rows(), ids=lambda value: value)
def test_our_side_of_the_table_is_what_the_commands_print(part, name, ours):
    if name.startswith("Ohio"):
        g = int(re.search(r"(\d+)-distinct", name)[1])
        assert ours == f"{100 * figure(part, 'Ohio', 'g-distinct', g, 'share'):.2f} %"
    elif name.startswith("dollars"):
        cost = figures("cost").set_index(["state", "policy"])["usd_per_reidentification"]
        assert ours == ", ".join(f"{cost[state, 'limited-dataset']:.0f}" for state in ("WI", "WV", "NH"))
    elif ours.endswith("%"):
        assert ours == f"{100 * figure(part, name, 'total-risk', None, 'share'):.2f} %"
    else:
        people = [figure(part, state, "total-risk", None, "people") for state in name.split(", ")]
        assert ours == ", ".join(f"{count:,.0f}" for count in people)


def test_the_table_has_every_figure_of_the_comparison():
    assert len(table_rows()) == 22


@pytest.mark.parametrize("block", re.findall(r"^\$ policy-sim (.*)\n((?:(?!```).*\n)+)```", README, re.MULTILINE))
def test_example_blocks(block):
    command, shown = block
    assert printed(*command.split()) == shown


def test_the_call_from_python_runs():
    code = README.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert set(names["comparison"].to_frame()["state"]) == {"OH"}


def test_every_file_that_is_named_is_there():
    root = Path(__file__).resolve().parents[1]
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (root / target).exists(), target


def test_commands_of_the_table_are_those_that_there_are():
    from policy_sim.cli.main import _COMMANDS

    listed = re.findall(r"^\| `(\w+)[^`]*` \|", README.split("## Commands")[1].split("## ")[0], re.MULTILINE)
    assert listed == list(_COMMANDS)
