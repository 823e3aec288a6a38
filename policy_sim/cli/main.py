"""The command set: one file a group, each imported only when it is asked for."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from policy_sim.errors import PolicySimError

__all__ = ["cli", "main"]

# command -> (module, one line of help); the module's attribute is the command's name, "-" as "_"
_COMMANDS: dict[str, tuple[str, str]] = {
    "compare": ("compare", "Risk of every state under each policy and attacker."),
    "trust": ("trust", "How much more one policy gives away than another."),
    "cost": ("cost", "What each re-identification costs whoever buys the voter list."),
    "curve": ("curve", "One state over every group size g."),
    "explore": ("explore", "Search every policy for those that tell more and risk no more."),
    "policy": ("policy", "Policies as data: list, show, check, and start your own."),
    "lists": ("lists", "What each state's voter list holds, costs and allows."),
    "population": ("population", "Who was counted where, what is modelled, and how to build it again."),
    "census": ("census", "Fetch or load fully counted populations, and keep them."),
    "synth": ("synth", "Synthetic people of a state, for demonstrations."),
    "dataset": ("dataset", "A file of records: its risk by itself, against the census, and estimated."),
    "simulate": ("simulate", "Prove the model by attack on made people."),
    "sensitivity": ("sensitivity", "What each assumption is worth, one changed at a time."),
    "reproduce": ("reproduce", "Every printed figure of a paper beside ours."),
}


_NO_ROOM = {getattr(errno, name, None) for name in ("ENOSPC", "EFBIG", "EDQUOT")} - {None}


class _Shown(click.ClickException):
    """One of our own errors, as click prints it."""

    exit_code = 2


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
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from policy_sim.errors import UnknownNameError

            raise UnknownNameError("command", args[0], _COMMANDS)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _one_line():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


@contextmanager
def _one_line() -> Iterator[None]:
    """Turn what the user can mend into one line: our own errors, wrong options, no room to write."""
    try:
        yield
    except PolicySimError as error:
        raise _Shown(str(error)) from error
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "policy-sim"
        said = " ".join(error.format_message().split())  # click lists choices one a line
        raise _Shown(f"{said} See '{path} --help'.") from error
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        # What is still buffered has nowhere to go: Python would try once more when it ends.
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = error.filename or "standard output"
        raise _Shown(f"{where}: {error.strerror}: the output is not complete; free the place and repeat.") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="policy-sim", prog_name="policy-sim")
def cli() -> None:
    """How many people could be named from a release of health records?

    For every state, under which policy, by which attacker, at what price.

    \b
    Examples:
      policy-sim compare
      policy-sim compare --as benitez-malin-2010 --state OH
    """


def main() -> None:
    """Run the command set (the ``policy-sim`` script)."""
    # A stop from outside unwinds like an error, so that no hidden folder of unfinished files is left.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(128 + signal.SIGTERM))
    cli()
