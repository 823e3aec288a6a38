"""Turn the options of a command into studies and a question."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from policy_sim.errors import InputError

if TYPE_CHECKING:
    from policy_sim.io.engine.engine import Engine
    from policy_sim.questions.studies import Studies

__all__ = ["ask"]


def ask(
    populations: tuple[str, ...] = (),
    lists: str | None = None,
    preset: str | None = None,
    policies: tuple[str, ...] = (),
    attackers: tuple[str, ...] = (),
    states: tuple[str, ...] = (),
    g: tuple[int, ...] = (),
    days_per_year: float | None = None,
    adversary: str | None = None,
    coverage: str | None = None,
    database: str | None = None,
    as_of: dt.date | None = None,
    rules: str | None = None,
    in_file: float | None = None,
    zip3: str | None = None,
    engine: str | None = None,
    releases: tuple[str, ...] = (),
    *,
    spread: bool = False,
) -> Studies:
    """Turn options into studies and a question; a preset fills in missing options.

    Raises
    ------
    UnknownNameError : an unknown state, population, vintage, policy or preset.
    InputError : an unknown engine, or options that exclude each other.
    """
    from policy_sim.io.presets import load_preset
    from policy_sim.questions.question import DEFAULT_RULES, Question
    from policy_sim.questions.studies import Studies
    from policy_sim.study import Study

    if days_per_year is not None and not math.isfinite(days_per_year):
        raise InputError(f"--days-per-year {days_per_year}: give a number of 1 or more, such as 365.25.")
    base = load_preset(preset) if preset else None
    names: tuple[str | None, ...] = populations or (base.population if base else None,)
    days = days_per_year or (base.days_per_year if base else 365.0)
    vintage = lists or (base.lists if base and not as_of else None)
    listed = coverage or (base.coverage if base else "registered")
    form = rules or (base.rules if base else DEFAULT_RULES)
    opened = _opened(engine) if engine else None
    studies = tuple(
        Study(name, vintage, days, zip3 or "computed", adversary, listed, spread, database, opened, as_of)
        for name in names
    )
    chosen = policies or (base.policies if base else None)
    chosen = with_releases(chosen, releases)
    sizes = g or (base.g if base else None)
    return Studies(studies, Question.of(chosen, attackers or None, states or None, sizes, form, in_file))


def with_releases(policies: tuple[str, ...] | None, releases: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the policies plus the states' own releases; the textbook policies if none is named."""
    from policy_sim.questions.question import POLICIES

    if not releases:
        return policies
    return (*(policies or POLICIES), *(f"release:{name.removeprefix('release:')}" for name in releases))


def _opened(name: str) -> Engine:
    """Open an engine until the command ends, and show progress if it takes long."""
    import click

    from policy_sim.cli.progress import Progress
    from policy_sim.io.engine.opening import open_engine

    command = click.get_current_context()
    return command.with_resource(open_engine(name, progress=command.with_resource(Progress())))
