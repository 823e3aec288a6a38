"""Options on gains and costs of an attack, shared by the commands about money."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["stakes_options", "taken_stakes"]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option(
        "--gain",
        metavar="USD|NAME",
        default="wan-2015",
        show_default=True,
        help="Value of a correct match to the attacker: dollars, or a name from 'policy-sim economics'.",
    ),
    click.option(
        "--cost-per-attempt",
        metavar="USD|NAME",
        default="attempt-wan-2015",
        show_default=True,
        help="Cost of attacking one record, right or wrong: dollars, or a name from 'policy-sim economics'.",
    ),
    click.option(
        "--loss-per-wrong",
        type=click.FloatRange(min=0),
        default=0.0,
        show_default=True,
        help="Dollars that the attacker loses for each record matched to the wrong person.",
    ),
    click.option(
        "--penalty",
        metavar="USD|NAME",
        default="0",
        show_default=True,
        help="Fine for each person re-identified if the attacker is caught: dollars, or a name from 'policy-sim "
        "economics'.",
    ),
    click.option(
        "--chance-caught",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=True,
        help="Chance (0 to 1) that the attacker is caught and fined.",
    ),
)


def stakes_options() -> Callable[[_Command], _Command]:
    """``--gain``, ``--cost-per-attempt``, ``--loss-per-wrong``, ``--penalty`` and ``--chance-caught``."""

    def add(command: _Command) -> _Command:
        for option in reversed(_OPTIONS):
            command = option(command)
        return command

    return add


def taken_stakes(options: dict[str, Any]) -> dict[str, Any]:
    """Take the values of these options out of all that were given.

    >>> given = {"gain": "100", "penalty": "0", "policies": ()}
    >>> taken_stakes(given), given
    ({'gain': '100', 'penalty': '0'}, {'policies': ()})
    """
    return {name: options.pop(name) for name in _NAMES if name in options}


_NAMES = ("gain", "cost_per_attempt", "loss_per_wrong", "penalty", "chance_caught")
