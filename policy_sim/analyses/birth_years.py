"""Years of birth made of ages: who was counted at an age on census day was born in one of two years.

On April 1 a person of age ``a`` was born in the year ``Y - a`` with the chance ``q`` of a birthday from
January 1 to April 1, and in ``Y - a - 1`` otherwise. A year of birth thus holds part of two ages, where
Benitez & Malin 2010 let the age stand for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning import bins_of_size
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.population.places import broad_race, visible_places
from policy_sim.population.population import Population

__all__ = ["by_year_of_birth", "year_chances", "years_of_birth"]


def year_chances(age: IntArray, width: IntArray, early: float) -> FloatArray:
    """Return the chance that a person of each class of age was born this many years before the census.

    Parameters
    ----------
    age, width : Lowest age of each class and the years it holds, all equally likely.
    early : Share (0..1) of the year's people born from January 1 to census day.

    Returns
    -------
    Shape (classes, years): column ``k`` is the year ``k`` before that of the census. Rows add up to 1.

    Examples
    --------
    >>> year_chances(np.array([0, 1]), np.array([1, 2]), 0.25).tolist()
    [[0.25, 0.75, 0.0, 0.0], [0.0, 0.125, 0.5, 0.375]]
    """
    years = int((age + width).max(initial=0)) + 1
    chances = np.zeros((len(age), years))
    for row, (low, many) in enumerate(zip(age.tolist(), width.tolist(), strict=True)):
        chances[row, low : low + many] += early / many
        chances[row, low + 1 : low + many + 1] += (1 - early) / many
    return chances


def years_of_birth(people: IntArray, chances: FloatArray, g: Sequence[int]) -> FloatArray:
    """Return total risk and g-distinct of people who fall into years of birth by chance.

    Parameters
    ----------
    people : By group and class of age, shape (groups, classes).
    chances : As :func:`year_chances`, shape (classes, years).
    g : Group sizes, each >= 1.

    Returns
    -------
    People, shape (1 + len(g),): the expected number of years that hold anyone, and of people who share
    their year with fewer than g others; summed over groups.
    """
    missed = people @ np.log1p(-chances)
    figures = [float(-np.expm1(missed).sum())]
    sizes = np.arange(max(g) + 1)
    held = np.zeros((chances.shape[1], max(g) + 1))
    for year, column in enumerate(chances.T):
        held[year] = _sizes(people, column, max(g)).sum(axis=0)
    figures += [float((held * sizes)[:, : size + 1].sum()) for size in g]
    return np.array(figures)


def _sizes(people: IntArray, chance: FloatArray, most: int) -> FloatArray:
    """Chance that each group has 0, 1, ..., ``most`` people in one year; shape (groups, most + 1)."""
    chances = np.zeros((len(people), most + 1))
    chances[:, 0] = 1.0
    for place in np.flatnonzero(chance):
        p = float(chance[place])
        of_place = bins_of_size(people[:, place][:, None], 1 / p, np.arange(most + 1)) * p
        chances = np.stack(
            [(chances[:, : size + 1] * of_place[:, size::-1]).sum(axis=1) for size in range(most + 1)], axis=1
        )
    return chances


def by_year_of_birth(
    population: Population,
    key: Granularities,
    state: str,
    early: float,
    g: Sequence[int],
    conditions: Conditions = NO_CONDITIONS,
) -> FloatArray | None:
    """Return total risk and g-distinct of a state on a key by year of birth; None where the key has another.

    Parameters
    ----------
    population : People by age on census day.
    key : A linkage key that holds the state.
    early : Share (0..1) of the year's people born from January 1 to census day.
    conditions : What the policy shows less finely. Who is of the top age or older on census day is in its
        class, whatever the year of birth.

    Returns
    -------
    People, shape (1 + len(g),).

    Raises
    ------
    InputError : a key without the state.
    """
    if key[Field.BIRTH] != "year":
        return None
    if key[Field.GEOGRAPHY] == "nation":
        raise InputError("years of birth are computed state by state: use a key with the state.")
    in_state = (population.cells["state"] == state).to_numpy()
    cells = population.cells[in_state]
    parts = [np.zeros(len(cells), dtype=np.int64)]
    if key[Field.GEOGRAPHY] != "state":
        parts.append(visible_places(population, key[Field.GEOGRAPHY], conditions.small_places)[in_state])
    if key[Field.GENDER] != "none":
        parts.append(cells["sex"].cat.codes.to_numpy().astype(np.int64))
    if key[Field.RACE] != "none":
        race = cells["race"]
        parts.append(broad_race(race) if key[Field.RACE] == "broad" else race.cat.codes.to_numpy().astype(np.int64))
    group = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].reshape(-1)
    ages, kind = np.unique(cells[["age", "age_width"]].to_numpy(np.int64), axis=0, return_inverse=True)
    table = np.zeros((int(group.max()) + 1, len(ages)), dtype=np.int64)
    np.add.at(table, (group, kind.reshape(-1)), cells["people"].to_numpy())
    old = ages[:, 0] >= (conditions.top_age or np.iinfo(np.int64).max)
    young = years_of_birth(table[:, ~old], year_chances(ages[~old, 0], ages[~old, 1], early), g)
    top = table[:, old].sum(axis=1)
    oldest: FloatArray = np.array([(top > 0).sum(), *(top[top <= size].sum() for size in g)], dtype=np.float64)
    return young + oldest
