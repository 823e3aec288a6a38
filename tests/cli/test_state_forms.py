"""One rule for states on every command: ``OH`` and ``--state OH`` are the same."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def commands(group: click.Group, path: tuple[str, ...] = ()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = list(commands(cli))
ABOUT_ONE = [path for path, command in ALL if any(p.name == "state" for p in command.params)]
ABOUT_MANY = [path for path, command in ALL if any("--state" in p.opts for p in command.params)]


def test_which_commands_are_about_one_state():
    one = {" ".join(path) for path in ABOUT_ONE}
    assert {
        "curve",
        "synth",
        "simulate",
        "sensitivity",
        "lists show",
        "lists what-if",
        "lists counties",
    } <= one
    many = {" ".join(path) for path in ABOUT_MANY}
    assert {"compare", "trust", "cost", "explore", "policy check", "dataset score", "census fetch"} <= many


@pytest.mark.parametrize(
    ("path", "command"), ALL, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_command_declares_one_state_as_an_argument_or_several_as_an_option(path, command):
    arguments = [p for p in command.params if isinstance(p, click.Argument) and p.name in ("state", "states")]
    options = [p for p in command.params if isinstance(p, click.Option) and {"state", "states"} & {p.name}]
    assert len(arguments) + len(options) <= 1
    assert all(p.name == "state" and p.nargs == 1 for p in arguments)
    assert all(p.name == "states" and p.multiple and p.opts == ["--state"] and p.metavar == "STATE" for p in options)


_ALSO = {
    "synth": ["--out", "nowhere.csv"],
    "lists what-if": ["--set", "birth=date"],
    "pair": ["--first", "county", "--second", "county", "--in-first", "0.5", "--in-second", "0.5", "--in-both", "0.3"],
    "workbook": ["--out", "nowhere.xlsx"],
    "policy check": ["county", "--population", "us-2010"],
    "lists diff": ["2008", "2026"],
    "lists export": ["nowhere.csv"],
}
_LATER = {"census fetch", "census load", "dataset score"}  # ask for a key, tables or a file of records first


@pytest.mark.parametrize("state", [["Ohoi"], ["--state", "Ohoi"], ["--state=Ohoi"]], ids=" ".join)
@pytest.mark.parametrize("path", ABOUT_ONE + ABOUT_MANY, ids=" ".join)
def test_every_command_names_the_nearest_state_in_every_form(path, state, tmp_path, monkeypatch):
    if " ".join(path) in _LATER:
        return
    monkeypatch.chdir(tmp_path)
    also, after = _ALSO.get(" ".join(path), []), ["2010", "2016"] if path == ("releases", "diff") else []
    done = CliRunner().invoke(cli, [*path, *also, *state, *after])
    assert (done.exit_code, done.stdout) == (2, "")
    allowed = "Write a two-letter code such as OH or a name such as Ohio."
    assert done.stderr == f"Error: state 'Ohoi' is not known. Did you mean 'Ohio'? {allowed}\n"


EVERY = [
    "compare", "trust", "cost", "attack", "break-even", "budget --usd 100", "game", "curve", "explore",
    "policy check state-only",
    "simulate --runs 2", "explain", "sensitivity", "synth --census-day 2020-04-01", "workbook", "brief",
    "lists what-if --set birth=year",
    "pair --first safe-harbor-without-zip --second birth=decade --in-first 0.1 --in-second 0.9 --in-both 0.1",
]  # fmt: skip


@pytest.mark.parametrize("command", EVERY)
def test_a_state_that_the_population_lacks_is_one_line_in_every_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"DE,10001,{sex},{age},1,white,5\n" for sex in "MF" for age in (30, 31, 40)]
    (tmp_path / "own.csv").write_text("state,county,sex,age,age_width,race,people\n" + "".join(rows))
    words = command.split()
    by_place = words[0] in (
        "pair",
        "attack",
        "game",
        "curve",
        "explain",
        "synth",
        "brief",
        "simulate",
        "sensitivity",
    )
    at = 2 if words[0] == "lists" else 1
    words = [*words[:at], "VT", *words[at:]] if by_place or words[0] == "lists" else [*words, "--state", "VT"]
    more = {"workbook": ["--out", "w.xlsx"], "synth": ["--out", "s.csv"], "brief": ["--out", "b.html"]}.get(
        words[0], []
    )
    done = CliRunner().invoke(cli, [*words, "--population", "own.csv", *more], prog_name="policy-sim")
    assert done.exit_code == 2, (words, done.output)
    assert "'VT' is not known. Known: DE." in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["own.csv"]
