"""Options that several commands share, so that they look and work the same."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from policy_sim.cli.in_file_type import IN_FILE
from policy_sim.masking import mask_credentials

__all__ = [
    "DAYS",
    "FORMATS",
    "MOST_G",
    "FilePath",
    "as_of_option",
    "attackers_option",
    "engine_option",
    "format_option",
    "g_option",
    "in_file_option",
    "interval_option",
    "many_states_option",
    "out_option",
    "study_options",
]

FORMATS = ("table", "csv", "json", "parquet")


class _Days(click.FloatRange):
    """A number of days in a year: finite, and small enough to draw from."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        days = super().convert(value, param, ctx)
        if math.isnan(days):
            self.fail(f"{value} is not a number, such as 365.25.", param, ctx)
        return days


class FilePath(click.Path):
    """The name of a file or folder; not an address, whose password would become the name of a folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an address; otherwise as click does."""
        text = os.fsdecode(value)
        if "://" in text or mask_credentials(text) != text:
            wanted = "file" if self.file_okay else "folder"
            self.fail(f"{text!r} is an address. Give the name of a {wanted}.", param, ctx)
        return super().convert(value, param, ctx)


_STATES = "policy_sim.states"  # what a context remembers of the states that are arguments
MOST_G = 1_000_000_000  # more than the people of any state
DAYS = _Days(min=1, max=1_000_000)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def format_option(default: str = "table") -> Callable[[_Command], _Command]:
    """``--format``: the output format."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default=default,
        show_default=True,
        help="Output format. Send parquet to a file or a pipe.",
    )


def g_option() -> Callable[[_Command], _Command]:
    """``--g``: repeatable."""
    return click.option(
        "--g",
        "g",
        multiple=True,
        type=click.IntRange(min=1, max=MOST_G),
        help="Group size of g-distinct; repeat for more. [default: 1, 3, 5 and 10]",
    )


def interval_option() -> Callable[[_Command], _Command]:
    """``--interval``: how much chance and the error of the modeled population change each figure."""
    return click.option(
        "--interval",
        "spread",
        is_flag=True,
        help="Also give an interval of each figure: 95% over the chance of birthdays and the attacker's random picks. "
        "Where people are modeled, it is widened by the largest error that was measured; that part has no known level.",
    )


def engine_option() -> Callable[[_Command], _Command]:
    """``--engine``: process a population without reading it into memory."""
    return click.option(
        "--engine",
        metavar="NAME|URL",
        help="Process --population FILE.parquet without reading it into memory: duckdb, local (Spark on this "
        "machine), spark://host:port or sc://host:port (docs/cluster.md). [default: read it into memory]",
    )


def out_option(text: str) -> Callable[[_Command], _Command]:
    """``--out``: the folder for the output files, into which no other run writes meanwhile."""
    option = click.option("--out", type=FilePath(file_okay=False, path_type=Path), metavar="DIR", help=text)

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def alone(**options: Any) -> Any:
            from policy_sim.cli.output import held_for_output

            with held_for_output(options["out"]):
                return command(**options)

        wrapped: Any = option(alone)
        result: _Command = wrapped
        return result

    return add


def many_states_option() -> Callable[[_Command], _Command]:
    """``--state``, repeatable, or the states as the last arguments."""

    def listed(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(part for text in texts for part in text.split(","))

    def add(command: _Command) -> _Command:
        option = click.option(
            "--state",
            "states",
            multiple=True,
            metavar="STATE",
            callback=lambda context, _option, texts: (*listed(texts), *context.meta.get(_STATES, ())),
            help="A state by postal code, FIPS code or name; repeat for more, or write OH,WY. The option's name can be "
            "left out. [default: all]",
        )
        arguments = click.argument(
            "more_states",
            metavar="[STATE]...",
            nargs=-1,
            expose_value=False,
            is_eager=True,
            callback=lambda context, _argument, texts: context.meta.update({_STATES: listed(texts)}),
        )
        return arguments(option(command))

    return add


def as_of_option() -> Callable[[_Command], _Command]:
    """``--as-of``: the lists on a date."""
    return click.option(
        "--as-of",
        type=click.DateTime(["%Y-%m-%d"]),
        callback=lambda _context, _option, moment: moment and moment.date(),
        metavar="DAY",
        help="Use the voter lists as they were on this date, such as 2015-06-01.",
    )


def in_file_option() -> Callable[[_Command], _Command]:
    """``--in-file``: a file whose members the attacker knows."""
    return click.option(
        "--in-file",
        type=IN_FILE,
        metavar="SHARE|RECORDS",
        help="The attacker knows that its target is in the file. The file has this share of each state's people "
        "(0.01) or this many people (11000). [default: everyone is in the file]",
    )


def attackers_option() -> Callable[[_Command], _Command]:
    """``--attacker``: repeatable."""
    return click.option(
        "--attacker",
        "attackers",
        multiple=True,
        metavar="NAME|FILE",
        help="Who attacks: general (knows everyone), voter (has the voter list), a resource such as texas-birth-index "
        "('policy-sim resources list'), or your own resource file; repeat for more. [default: general and voter; for "
        "cost voter]",
    )


# Which people, lists, policies and attackers are studied, in the order of --help, by the parameter's name.
_STUDY: Mapping[str, Callable[[Any], Any]] = {
    "populations": click.option(
        "--population",
        "populations",
        multiple=True,
        metavar="NAME|FILE",
        help="The census population to use ('policy-sim population list'), or your own file. [default: us-2020]",
    ),
    "lists": click.option(
        "--lists",
        metavar="VINTAGE",
        help="Year of the voter lists, such as 2008 or 2026. [default: the newest]",
    ),
    "as_of": as_of_option(),
    "preset": click.option(
        "--as",
        "preset",
        metavar="PRESET",
        help="Use the population, lists, rules and measures of a published study: benitez-malin-2010.",
    ),
    "policies": click.option(
        "--policy",
        "policies",
        multiple=True,
        metavar="NAME|FILE",
        help="The policy: what a release shows of each person; repeat for more. [default: safe-harbor and "
        "limited-dataset]",
    ),
    "rules": click.option(
        "--rules",
        type=click.Choice(("regulation", "paper")),
        help="Use Safe Harbor and the limited data set as 45 CFR 164.514 states them, with ZIP codes, or as Benitez "
        "and Malin simplify them, without ZIP codes; tables then name safe-harbor-paper and limited-dataset-paper. "
        "[default: regulation]",
    ),
    "zip3": click.option(
        "--zip3",
        type=click.Choice(("computed", "hhs2000", "union")),
        help="Which three-digit ZIP codes have too few people to be shown: those computed from the census, those "
        "printed in 2002, or both. [default: computed]",
    ),
    "in_file": in_file_option(),
    "attackers": attackers_option(),
    "adversary": click.option(
        "--adversary",
        metavar="NAME|FILE",
        help="What limits VOTER: academic, journalist, marketer, party, unconstrained, or your own profile. A list "
        "that this attacker cannot get shows the reason. [default: nothing]",
    ),
    "coverage": click.option(
        "--coverage",
        type=click.Choice(("registered", "adults", "everyone")),
        help="Who is assumed to be on the voter list: registered adults, all adults, or everyone as in the paper. "
        "[default: registered]",
    ),
    "database": click.option(
        "--database",
        metavar="URL|own",
        help="Read the voter lists from a database instead of the files ('own' is yours, with the lists you imported).",
    ),
    "states": many_states_option(),
    "days_per_year": click.option(
        "--days-per-year",
        type=DAYS,
        help="Number of equally likely birthdays in a year. [default: 365]",
    ),
}


def study_option(name: str) -> Callable[[_Command], _Command]:
    """One of the options of a study by itself."""
    return _STUDY[name]


def study_options(without: str = "") -> Callable[[_Command], _Command]:
    """Add the options of a study, except one that the command sets itself."""

    def add(command: _Command) -> _Command:
        for name in reversed(list(_STUDY)):
            if name != without:
                command = _STUDY[name](command)
        return command

    return add
