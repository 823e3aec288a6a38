"""One rule for states: every command that takes one accepts ``OH`` and ``--state OH``.

A command on one state declares it as its first argument, and ``--state`` moves there. A command on several declares
``--state``, and :func:`~policy_sim.cli.options.many_states_option` collects the arguments beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

__all__ = ["state_first"]


def state_first(command: click.Command, words: Sequence[str]) -> list[str]:
    """Return the words after a command's name, with what ``--state`` names first, if the command takes one state.

    Examples
    --------
    >>> curve = click.Command("curve", params=[click.Argument(["state"])])
    >>> state_first(curve, ["--g-max", "100", "--state", "OH"])
    ['OH', '--g-max', '100']
    """
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
