"""The command that lists every command."""

from __future__ import annotations

from typing import cast

import click

from policy_sim.cli.commands import Commands, command
from policy_sim.cli.names import current_name
from policy_sim.words.errors import UnknownNameError


@command()
@click.argument("words", metavar="[all|COMMAND]", nargs=-1)
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> None:  # noqa: A001
    """List every command, or show the help of one.

    \b
    Examples:
      policy-sim help all
      policy-sim help econ budget
    """
    found = ctx.find_root()
    if words == ("all",):
        click.echo(_every_command(found))
        return
    name, many = current_name(words)
    for word in [*name.split(), *words[many:]]:
        group = found.command
        command = group.get_command(found, word) if isinstance(group, click.Group) else None
        if command is None:
            known = group.list_commands(found) if isinstance(group, click.Group) else ()
            raise UnknownNameError("command", word, ["all", *known])
        found = click.Context(command, info_name=word, parent=found)
    click.echo(found.command.get_help(found))


def _every_command(root: click.Context) -> str:
    """Return the name and the line of each command, in one block for each group."""
    blocks: dict[str, list[tuple[str, str]]] = {}
    for name, line in cast(Commands, root.command).leaves(root):
        blocks.setdefault(name.split()[0] if " " in name else "", []).append((name, line))
    widest = max(len(name) for block in blocks.values() for name, _ in block)
    lines = [[f"{name:{widest}}  {line}" for name, line in block] for block in blocks.values()]
    return "\n\n".join("\n".join(block) for block in lines)
