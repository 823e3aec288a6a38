"""Options on gains and costs of an attack, shared by the commands about money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

__all__ = ["stakes_options", "taken_stakes"]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "gain": {
        "metavar": "USD|NAME",
        "default": "wan-2015",
        "help": "Value of a correct match to the attacker: dollars, or a name from 'policy-sim economics'.",
    },
    "cost_per_attempt": {
        "metavar": "USD|NAME",
        "default": "attempt-wan-2015",
        "help": "Cost of attacking one record, right or wrong: dollars, or a name from 'policy-sim economics'.",
    },
    "loss_per_wrong": {
        "type": click.FloatRange(min=0),
        "default": 0.0,
        "help": "Dollars that the attacker loses for each record matched to the wrong person.",
    },
    "penalty": {
        "metavar": "USD|NAME",
        "default": "0",
        "help": "Fine for each person re-identified if the attacker is caught: dollars, or a name from 'policy-sim "
        "economics'.",
    },
    "chance_caught": {
        "type": click.FloatRange(0, 1),
        "default": 0.0,
        "help": "Chance (0 to 1) that the attacker is caught and fined. An assumption: no source gives it.",
    },
}


def stakes_options(*names: str, **defaults: Any) -> Callable[[_Command], _Command]:
    """Add the options on an attack's gains and costs, ``--gain``, ``--cost-per-attempt`` and so on.

    Parameters
    ----------
    names : Which of them; all by default.
    defaults : Other values where an option is not given.
    """

    def add(command: _Command) -> _Command:
        for name in reversed(names or tuple(_OPTIONS)):
            settings = {**_OPTIONS[name], **({"default": defaults[name]} if name in defaults else {})}
            command = click.option(f"--{name.replace('_', '-')}", show_default=True, **settings)(command)
        return command

    return add


def taken_stakes(options: dict[str, Any]) -> dict[str, Any]:
    """Take the values of these options out of all that were given.

    >>> given = {"gain": "100", "penalty": "0", "policies": ()}
    >>> taken_stakes(given), given
    ({'gain': '100', 'penalty': '0'}, {'policies': ()})
    """
    return {name: options.pop(name) for name in _OPTIONS if name in options}
