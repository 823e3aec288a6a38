"""Options of what an attack is worth, shared by the commands about money."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["stakes_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--gain",
        metavar="USD|NAME",
        default="wan-2015",
        show_default=True,
        help="What a correct match is worth: dollars, or an amount of 'policy-sim economics'.",
    ),
    click.option(
        "--cost-per-attempt",
        metavar="USD|NAME",
        default="attempt-wan-2015",
        show_default=True,
        help="What each record attacked costs, right or wrong: dollars, or an amount.",
    ),
    click.option(
        "--loss-per-wrong",
        type=click.FloatRange(min=0),
        default=0.0,
        show_default=True,
        help="Dollars lost with each record that is matched to a wrong person.",
    ),
    click.option(
        "--penalty",
        metavar="USD|NAME",
        default="0",
        show_default=True,
        help="Fine for each person named, where the attacker is caught: dollars, or an amount.",
    ),
    click.option(
        "--chance-caught",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="Chance of being caught and fined.",
    ),
)


def stakes_options() -> Callable[[_Command], _Command]:
    """``--gain``, ``--cost-per-attempt``, ``--loss-per-wrong``, ``--penalty`` and ``--chance-caught``."""

    def add(command: _Command) -> _Command:
        for option in reversed(_OPTIONS):
            command = option(command)
        return command

    return add
