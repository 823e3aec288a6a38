"""What every command and group is: found by its name in the table of names, imported when it runs."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, cast

import click

from policy_sim.cli.first_options import FIRST_OPTIONS
from policy_sim.cli.names import COMMANDS, children, moved_from


class Command(click.Command):
    """A command whose help begins with the options that most readers need; the others follow under "Advanced"."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: those of the table first, in its order, then the others in the order of the code."""
        first = FIRST_OPTIONS.get(" ".join(ctx.command_path.split()[1:]), "").split()
        records = {parameter: parameter.get_help_record(ctx) for parameter in self.get_params(ctx)}
        shown = {
            parameter: record
            for parameter, record in records.items()
            if record is not None and isinstance(parameter, click.Option)
        }
        early = [parameter for name in first for parameter in shown if name in parameter.opts]
        early += [parameter for parameter in shown if parameter.required and parameter not in early]
        others = [parameter for parameter in shown if parameter not in early and "--help" not in parameter.opts]
        last = [parameter for parameter in shown if "--help" in parameter.opts]
        sections = {"Options": [*early, *last], "Advanced": others} if first else {"Options": [*early, *others, *last]}
        for title, parameters in sections.items():
            if parameters:
                with formatter.section(title):
                    formatter.write_dl([shown[parameter] for parameter in parameters])


class Commands(click.Group):
    """A group: its own commands, and those that the table of names puts under ``path``, without those it moved away."""

    command_class = Command
    group_class = type

    def __init__(self, name: str | None = None, *arguments: Any, path: str | None = None, **settings: Any) -> None:
        super().__init__(name, *arguments, **settings)
        self.path = (name or "") if path is None else path

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, those of the table last."""
        own = [name for name in super().list_commands(ctx) if name not in moved_from(self.path)]
        return [*own, *children(self.path)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; one of the table is imported now."""
        if cmd_name in children(self.path):
            return load(f"{self.path} {cmd_name}".strip())
        return None if cmd_name in moved_from(self.path) else super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line for each command; the table of names has it for its own."""
        lines = [(name, line) for name, _, line in self._found(ctx)]
        if lines:
            with formatter.section("Commands"):
                formatter.write_dl(lines)

    def leaves(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Yield the name of each command in this group and the groups under it, with its line of help."""
        for name, command, line in self._found(ctx):
            if isinstance(command, Commands):
                inner = click.Context(command, info_name=name, parent=ctx)
                yield from ((f"{name} {words}", text) for words, text in command.leaves(inner))
            else:
                yield name, line

    def _found(self, ctx: click.Context) -> Iterator[tuple[str, click.Command, str]]:
        listed = children(self.path)
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None:
                yield name, command, listed[name].help if name in listed else command.get_short_help_str(90)


def load(name: str) -> click.Command:
    """Import a command of the table of names."""
    named = COMMANDS[name]
    if not named.where:
        return Commands(name.split()[-1], path=name, help=named.help)
    module, first, *inside = named.where.split()
    command: click.Command = getattr(importlib.import_module(f"policy_sim.cli.{module}"), first)
    for word in inside:
        command = cast(click.Group, command).commands[word]
    return command


def command(name: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function."""
    return click.command(name, cls=Command)


def group() -> Callable[[Callable[..., Any]], Commands]:
    """Make a group of a function."""
    return click.group(cls=Commands)
