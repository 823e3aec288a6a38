"""Birth cohorts some years after a census: who is alive, how old they are, and who died lately."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.people.county_tables import YEARS_OF_AGE
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

LIFE_TABLE = Path("life_table.toml")
DAYS_PER_YEAR = 365.25
_PARTS = 48  # points inside a year of age, at which its people are taken to be
_SEXES = ("M", "F")


@dataclass(frozen=True, eq=False)
class Aged:
    """People of each age on a census day, some years later; made by :func:`aged`.

    Attributes
    ----------
    age : Age at the later day, in whole years, of each age at the census (row) and part of a year; shape (120, parts).
    alive : Chance (0..1) to be alive then; same shape.
    died : Chance (0..1) to have died in the last years before; same shape. With ``alive`` it is at most 1.
    """

    age: IntArray = field(repr=False)
    alive: FloatArray = field(repr=False)
    died: FloatArray = field(repr=False)

    def by_class(self, starts: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean of ``alive`` and of ``died`` by the class of the later age; shapes (120, classes).

        ``starts``: the least age of each class, rising; who is younger then is in none.
        """
        number = np.searchsorted(starts, self.age, side="right") - 1
        inside = [(number == place) / self.age.shape[1] for place in range(len(starts))]
        return _by_part(inside, self.alive), _by_part(inside, self.died)


def _by_part(inside: list[FloatArray], chance: FloatArray) -> FloatArray:
    return np.stack([(part * chance).sum(axis=1) for part in inside], axis=1)


def aged(years: float, lately: float) -> Aged:
    """Return what becomes of people of each age from 0 to 119 in the years after a census.

    A person of exact age ``x`` is alive ``t`` years later with the chance ``S = exp(-(H(x + t) - H(x)))``, and died in
    the last ``k`` of these years with ``S(t - k) - S(t)``. ``H`` is the cumulated force of mortality, constant within a
    year of age: ``-ln(1 - q)`` of the life table (``data/life_table.toml``), both sexes together in the proportions of
    its survivors. People of one age are spread evenly over the year.

    Parameters
    ----------
    years : Years from the census to the later day, >= 0.
    lately : Years before that day of which ``died`` counts the deaths, >= 0; what was before the census is left out.

    Returns
    -------
    Chances (0..1). No person is born or moves.

    Raises
    ------
    InputError : if a number is below 0.

    Source: MODEL.md section 21; Preston, Heuveline and Guillot, Demography (2001), chapter 3.

    >>> later = aged(4.6, 2.0)
    >>> [round(float(later.alive[age].mean()), 3) for age in (20, 70, 95)]
    [0.995, 0.885, 0.196]
    """
    if not (years >= 0 and lately >= 0):
        raise InputError(f"years = {years:g}, lately = {lately:g}: give numbers of 0 or more.")
    exact = np.arange(YEARS_OF_AGE)[:, None] + (np.arange(_PARTS) + 0.5) / _PARTS
    alive = _alive(exact, years)
    return Aged(np.floor(exact + years).astype(np.int64), alive, _alive(exact, max(years - lately, 0.0)) - alive)


def years_between(census: dt.date, day: dt.date) -> float:
    """Return the years from one day to another, negative where the second is earlier."""
    return (day - census).days / DAYS_PER_YEAR


def _alive(exact: FloatArray, years: float) -> FloatArray:
    force = _cumulated_force()
    ages = np.arange(len(force), dtype=np.float64)
    chance: FloatArray = np.exp(np.interp(exact, ages, force) - np.interp(exact + years, ages, force))
    return chance


@cache
def _cumulated_force() -> FloatArray:
    """Return the cumulated force of mortality at each exact age, beyond every age that is asked for."""
    facts = shipped_table(LIFE_TABLE)
    with damaged_if_wrong(LIFE_TABLE):
        many = 2 * YEARS_OF_AGE
        births = (float(facts["boys_per_girl"]), 1.0)
        deaths = np.array([_continued(np.array(facts[sex], dtype=np.float64), many) for sex in _SEXES])
        lives = np.cumprod(np.hstack([np.ones((len(births), 1)), 1 - deaths]), axis=1)
        both = np.array(births) @ lives
        force: FloatArray = -np.log(np.maximum(both / both[0], np.finfo(np.float64).tiny))
        return force


def _continued(chance: FloatArray, many: int) -> FloatArray:
    """Return chances to die for so many years of age: the last growth goes on, and stays under 1."""
    growth = chance[-1] / chance[-2]
    more = chance[-1] * growth ** np.arange(1, many - len(chance) + 1)
    every: FloatArray = np.minimum(np.append(chance, more), 0.99)
    return every
