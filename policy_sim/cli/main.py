"""The command set, under seven headings; a module is imported only when one of its commands runs."""

from __future__ import annotations

import importlib
import io
import itertools
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from policy_sim.cli.door import guarded, one_line
from policy_sim.words.errors import InputError

# One rule for states: every command that takes one accepts ``OH`` and ``--state OH``.
#
# A command on one state declares it as its first argument, and ``--state`` moves there. A command on several declares
# ``--state``, and :func:`~policy_sim.cli.options.many_states_option` collects the arguments beside it.


def state_first(command: click.Command, words: Sequence[str]) -> list[str]:
    """Return the words after a command's name, with what ``--state`` names first, if the command takes one state."""
    options = {name for parameter in command.params for name in parameter.opts}
    if "state" not in options or "--state" in options:
        return list(words)
    states: list[str] = []
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others += [word, *rest]
        elif word == "--state":
            state = next(rest, None)
            if state is None:
                raise click.BadOptionUsage("--state", "Option '--state' requires an argument.")
            states.append(state)
        elif word.startswith("--state="):
            states.append(word.removeprefix("--state="))
        else:
            others.append(word)
    return [*states, *others]


# heading of the help -> command -> (module, one line of help); the module's attribute is the command's name, "-" as "_"
_HEADINGS: dict[str, dict[str, tuple[str, str]]] = {
    "Compare states": {
        "compare": ("states", "Compare the risk in every state under each policy and attacker."),
        "trust": ("states", "Divide the risk under one policy by the risk under another."),
        "curve": ("states", "Show one state's risk for every group size g."),
        "explore": ("explore", "Search all policies for those that release more detail at no more risk."),
        "trends": ("states", "Show how people, list law and prices changed risk and profit over time."),
        "releases": ("policies", "Show which hospital records states release."),
    },
    "Attacks and money": {
        "attack": ("money", "Find the best attack on a file: which records, how many right, what profit."),
        "cost": ("money", "Divide the price of a voter list by the correct matches it allows."),
        "break-even": ("money", "Show from which gain, price and file size an attack pays."),
        "budget": ("money", "Choose the voter lists that give the most names for the money."),
        "game": ("money", "Choose the policy that pays the publisher most, given the best attack on it."),
        "pair": ("money", "Pair two files about the same people, then link them with a list."),
        "economics": ("money", "List gains, costs and penalties of attacks, with sources."),
    },
    "Lists, policies and people": {
        "lists": ("lists", "Show what each state's voter list contains, costs and allows."),
        "policy": ("policies", "List, show, check and write policies."),
        "resources": ("policies", "Show other files that an attacker can have, such as birth indexes."),
        "population": ("people", "Show how the census populations were made, or build one again."),
        "census": ("people", "Fetch or load census tables in which every cell is counted."),
        "synth": ("people", "Create synthetic people of one state, for demonstrations."),
    },
    "A file of records": {
        "dataset": ("dataset", "Measure the risk of a file of records."),
        "release": ("release", "De-identify a file step by step, with a verdict and a dossier."),
    },
    "Tables and cases": {
        "rules": ("tables", "Show disclosure rules: which counts agencies hide, with their words and sources."),
        "table": (
            "tables",
            "Check a table of counts, hide what a rule asks and what gives it away, and compute rates.",
        ),
        "cases": ("cases", "Check records of cases before they are published; plan how many a county needs."),
    },
    "Pages": {
        "brief": ("pages", "Write two pages about a release in one state, or one about the nation, and an annex."),
        "atlas": ("pages", "Write linked pages on every state, policy and voter list, to read without a server."),
        "explorer": ("pages", "Write one HTML page that computes every figure in the reader's browser."),
        "workbook": ("pages", "Write the comparison as an Excel workbook with live formulas."),
    },
    "Check the model": {
        "explain": ("model", "Show where one figure comes from: key, groups, arithmetic, inputs."),
        "sensitivity": ("model", "Change one assumption at a time and rank the changes."),
        "simulate": ("model", "Check the formulas by simulation on synthetic people."),
        "reproduce": ("model", "Compare every printed figure of a paper with ours."),
    },
}
_COMMANDS = {name: command for commands in _HEADINGS.values() for name, command in commands.items()}


class _Commands(click.Group):
    """A group that imports a command when it runs, and prints our own errors as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"policy_sim.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        widest = max(map(len, _COMMANDS))
        for heading, commands in _HEADINGS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, (_, text) in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from policy_sim.words.errors import UnknownNameError

            raise UnknownNameError("command", args[0], _COMMANDS)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with one_line():
            if any("\0" in word for word in args):
                raise InputError("the command line contains a null character. Remove it.")
            _, command, words = self._path(args)
            return super().parse_args(ctx, [*args[:words], *state_first(command, args[words:])])

    def invoke(self, ctx: click.Context) -> Any:
        with one_line():
            return super().invoke(ctx)

    def main(self, args: Sequence[str] | None = None, *more: Any, **named: Any) -> Any:
        arguments = sys.argv[1:] if args is None else list(args)
        options = itertools.takewhile(lambda word: word.startswith("-"), arguments)
        with guarded(lambda: self._path(arguments)[0], debug="--debug" in options):
            return super().main(arguments, *more, **named)

    def _path(self, args: Sequence[str]) -> tuple[str, click.Command, int]:
        """Return the command of a command line, by name and itself, and how many words come before its own."""
        name, words = "policy-sim", 0
        last: click.Command = self
        for at, word in enumerate(args, start=1):
            if not isinstance(last, click.Group):
                break
            command = last.get_command(click.Context(last), word)
            if command is not None:
                name, last, words = f"{name} {word}", command, at
        return name, last, words


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="policy-sim", prog_name="policy-sim")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="If the program has a bug, also print the traceback. It may contain data from your file.",
)
def cli() -> None:
    """Estimate how many people an attacker could name in a release of health records.

    The program compares release policies, such as HIPAA Safe Harbor and the limited data set, in every US state. It
    considers an attacker who knows everyone and one who has the state's voter list, and gives the price of each correct
    match.

    \b
    Examples:
      policy-sim compare
      policy-sim compare --as benitez-malin-2010 --state OH
    """


def main() -> None:
    """Run the command set (the ``policy-sim`` script)."""
    # A stop from outside unwinds like an error, so that no hidden folder of unfinished files is left.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup asks to be left alone
            signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    _buffer_standard_output()
    cli(prog_name="policy-sim")


def _buffer_standard_output() -> None:
    """Add a buffer to an unbuffered stream: a write to a full disk may write only a part and report no error."""
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=sys.stdout.encoding, errors=sys.stdout.errors, line_buffering=True
        )


if __name__ == "__main__":
    main()
