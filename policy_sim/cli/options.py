"""Options that several commands share, so that they read and behave alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = [
    "DAYS",
    "FORMATS",
    "MOST_G",
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
    """Days in a year: a number, which NaN is not, small enough to be drawn from."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        days = super().convert(value, param, ctx)
        if math.isnan(days):
            self.fail(f"{value} is not a number, such as 365.25.", param, ctx)
        return days


MOST_G = 1_000_000_000  # more than the people of any state
DAYS = _Days(min=1, max=1_000_000)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def format_option(default: str = "table") -> Callable[[_Command], _Command]:
    """``--format``: how rows are printed."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default=default,
        show_default=True,
        help="How rows are printed. parquet goes to a file or a pipe.",
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
    """``--interval``: how far chance and the error of the modeled population scatter each figure."""
    return click.option(
        "--interval",
        "spread",
        is_flag=True,
        help="Also give each figure's 95% interval: birthdays, the attacker's picks, and the error of the modeled "
        "population.",
    )


def engine_option() -> Callable[[_Command], _Command]:
    """``--engine``: merge a population where it lies."""
    return click.option(
        "--engine",
        metavar="NAME|URL",
        help="Leave --population FILE.parquet where it lies and merge it there: duckdb, local (Spark here), "
        "spark://host:port or sc://host:port (docs/cluster.md). [default: read it into memory]",
    )


def out_option(text: str) -> Callable[[_Command], _Command]:
    """``--out``: a folder that files are written into."""
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help=text,
    )


def many_states_option() -> Callable[[_Command], _Command]:
    """``--state``: repeatable."""
    return click.option(
        "--state",
        "states",
        multiple=True,
        metavar="STATE",
        help="A state by postal code, FIPS code or name; repeat for more. [default: all]",
    )


def as_of_option() -> Callable[[_Command], _Command]:
    """``--as-of``: the lists of a day."""
    return click.option(
        "--as-of",
        type=click.DateTime(["%Y-%m-%d"]),
        callback=lambda _context, _option, moment: moment and moment.date(),
        metavar="DAY",
        help="The voter lists taken to hold on this day, such as 2015-06-01: each state's newest begun by then.",
    )


def in_file_option() -> Callable[[_Command], _Command]:
    """``--in-file``: a file whose members the attacker knows."""
    return click.option(
        "--in-file",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SHARE|RECORDS",
        help="The attacker knows that its target is in a file of this share of each state's people (0.01) or of so "
        "many people (11000). [default: everyone is released]",
    )


def attackers_option() -> Callable[[_Command], _Command]:
    """``--attacker``: repeatable."""
    return click.option(
        "--attacker",
        "attackers",
        multiple=True,
        metavar="NAME|FILE",
        help="Who links: general, voter, a resource such as texas-birth-index ('policy-sim resources list'), or your "
        "own resource file; repeat for more. [default: general and voter; for cost voter]",
    )


# Which people, lists, policies and attackers are studied, in the order of --help, by the parameter's name.
_STUDY: Mapping[str, Callable[[Any], Any]] = {
    "populations": click.option(
        "--population",
        "populations",
        multiple=True,
        metavar="NAME|FILE",
        help="Whose census ('policy-sim population list'), or your own file. [default: us-2020]",
    ),
    "lists": click.option(
        "--lists",
        metavar="VINTAGE",
        help="Voter lists of which year, such as 2008 or 2026. [default: the newest]",
    ),
    "as_of": as_of_option(),
    "preset": click.option(
        "--as",
        "preset",
        metavar="PRESET",
        help="Population, lists, rules and measures of a published study: benitez-malin-2010.",
    ),
    "policies": click.option(
        "--policy",
        "policies",
        multiple=True,
        metavar="NAME|FILE",
        help="What is released; repeat for more. [default: safe-harbor and limited-dataset]",
    ),
    "rules": click.option(
        "--rules",
        type=click.Choice(("regulation", "paper")),
        help="Safe Harbor and the limited data set as 45 CFR 164.514 states them, with ZIP codes, or as Benitez and "
        "Malin simplify them, without. [default: regulation]",
    ),
    "zip3": click.option(
        "--zip3",
        type=click.Choice(("computed", "hhs2000", "union")),
        help="Which three-digit ZIP codes hold too few people to be shown: computed from the census, "
        "as printed in 2002, or either. [default: computed]",
    ),
    "in_file": in_file_option(),
    "attackers": attackers_option(),
    "adversary": click.option(
        "--adversary",
        metavar="NAME|FILE",
        help="What holds VOTER back: academic, journalist, marketer, party, unconstrained, or your own "
        "profile. A list out of reach says why. [default: nothing]",
    ),
    "coverage": click.option(
        "--coverage",
        type=click.Choice(("registered", "adults", "everyone")),
        help="Who is on the voter lists: the adults who are registered, all adults, or everyone as in the paper. "
        "[default: registered]",
    ),
    "database": click.option(
        "--database",
        metavar="URL|own",
        help="Voter lists from a database ('own': yours, with what you imported) and not from the files.",
    ),
    "states": many_states_option(),
    "days_per_year": click.option(
        "--days-per-year",
        type=DAYS,
        help="Equally likely birthdays in a year. [default: 365]",
    ),
}


def study_options(without: str = "") -> Callable[[_Command], _Command]:
    """Add the options that say what is studied, but for one that the command decides itself."""

    def add(command: _Command) -> _Command:
        for name in reversed(list(_STUDY)):
            if name != without:
                command = _STUDY[name](command)
        return command

    return add
