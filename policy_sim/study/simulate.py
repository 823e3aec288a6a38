"""Synthetic people of a state, and an attack on them in place of the formulas."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING

from policy_sim.attackers.attacker import ATTACKERS
from policy_sim.attackers.in_file import InFileLike
from policy_sim.model.measure import MOST_G
from policy_sim.study.question import DEFAULT_RULES, POLICIES, Attackers, Policies, Question, Setting
from policy_sim.words.arguments import day, number, one_state, whole_number
from policy_sim.words.errors import InputError
from policy_sim.words.states import State

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.model.simulation.linking import Attack
    from policy_sim.study.answers import Answer


_MOST_RUNS = 100_000
_MOST_SEED = 2**63 - 1
_OLDEST_AGE = 125  # nobody is made older than this; dates begin with the year 1


def simulate(
    study: Setting,
    state: str | State,
    policies: Policies = POLICIES,
    attackers: Attackers = ATTACKERS,
    *,
    runs: int = 20,
    release: float = 1.0,
    seed: int = 1,
    rules: str = DEFAULT_RULES,
    in_file: InFileLike = None,
    tell: Callable[[int], None] | None = None,
) -> Answer[Attack]:
    """Check the formulas by simulation in one state.

    Creates synthetic people, links them at random within matching groups, and counts correct links.

    Parameters
    ----------
    state : Postal code, FIPS code or name.
    policies, attackers, rules, in_file : As for :meth:`compare`.
    runs : The number of simulated attacks, 2 or more.
    release : Share of the people who are in the release, above 0 and up to 1.
    seed : The same seed gives the same people and links; 0 or more.
    tell : Called after each run with its number.

    Returns
    -------
    One attack per policy, attacker, key and measure.

    Raises
    ------
    InputError : a number outside its range.
    NotEstimableError : no attacker has a list in this state.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.simulate("DE", "county", "general", runs=2).to_frame()["state"].unique().tolist()
    ['DE']
    """
    from policy_sim.model.simulation.linking import Attack, simulate
    from policy_sim.study.answers import Answer

    question = Question.of(policies, attackers, one_state(state), rules=rules, in_file=in_file)
    chosen = {
        "runs": whole_number("runs", runs, 2, _MOST_RUNS),
        "release": number("release", release, 0, 1, above=True),
        "seed": whole_number("seed", seed, 0, _MOST_SEED),
    }
    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes the number of a run.")
    attacks = simulate(
        study._cases(question, one_by_one=True),
        runs=int(chosen["runs"]),
        release=float(chosen["release"]),
        seed=int(chosen["seed"]),
        tell=tell,
    )
    return Answer(Attack.table, "Simulated attacks", attacks, provenance=study._from(question, "simulate", **chosen))


def synthesize(
    study: Setting,
    state: str | State,
    *,
    people: int | None = None,
    seed: int = 1,
    census_day: dt.date | str | None = None,
) -> pd.DataFrame:
    """Return synthetic people of one state.

    Everyone has their census age on ``census_day``, by default that of the population.

    Parameters
    ----------
    state : Postal code, FIPS code or name.
    people : How many, drawn at random; everyone by default.
    seed : The same seed gives the same people; 0 or more.
    census_day : A date or a text such as ``"2020-04-01"``.

    Returns
    -------
    One row per person.

    Raises
    ------
    InputError : the population has no stated day, and none is given; fewer than one person, or more
        than the state has; a day too early for the oldest to be born.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> len(study.synthesize("DE", people=5, seed=1))
    5
    """
    import numpy as np

    from policy_sim.model.simulation.people import synthesize

    place = one_state(state)
    many = None if people is None else whole_number("people", people, 1, MOST_G)
    rng = np.random.default_rng(whole_number("seed", seed, 0, _MOST_SEED))
    moment = study.people.provenance.day if census_day is None else day("census_day", census_day)
    if moment is None:
        raise InputError(f"population {study.people.name} has no census date. Give one, such as 2020-04-01.")
    if moment.year <= _OLDEST_AGE:
        raise InputError(f"census day {moment}: the oldest people would be born before the year 1; give a later day.")
    population = study.people.in_states([place])
    return synthesize(population, rng, moment, people=many, days_per_year=study.days_per_year)
