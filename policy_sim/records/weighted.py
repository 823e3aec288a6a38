"""The risk of a survey's records by its weights: how many people of the population each record represents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.errors import InputError
from policy_sim.records.classes import Classes, number_groups

__all__ = ["WeightedRisk", "expected_inverse", "weighted_risk"]


@dataclass(frozen=True, eq=False)
class WeightedRisk:
    """What the weights of a file say about the population.

    Parameters
    ----------
    classes : The classes on the key fields.
    people : People whom each class represents: the sum of its records' weights; shape (classes,).
    chance : Chance (0..1) of a correct match with a record of the class, E[1/F given f]; shape (classes,).
    alone : Chance (0..1) that a record alone in its class is alone in the population; 0 for larger classes.
    below_one : Records whose class represents fewer people than it has records.
    """

    classes: Classes
    people: FloatArray
    chance: FloatArray
    alone: FloatArray
    below_one: int

    @property
    def expected(self) -> float:
        """Expected number of correct matches if the attacker matches all records at random within their classes."""
        return float(self.classes.sizes @ self.chance)

    @property
    def unique(self) -> float:
        """Expected number of records that are alone with their values in the population."""
        return float(self.alone.sum())


def expected_inverse(size: ArrayLike, people: ArrayLike) -> FloatArray:
    """Return E[1/F given f] of classes of ``size`` records that represent ``people``.

    F given f is negative binomial with ``p = f / people``: ``(p/f) 2F1(1, 1; f+1; 1-p)``.

    Parameters
    ----------
    size : Records f of each class, >= 1.
    people : Sum of the weights of the class; below f it counts as f.

    Examples
    --------
    One record represents two people: p = 1/2, and ``-p ln(p) / (1-p)`` is 0.693147.

    >>> expected_inverse([1, 2], [2.0, 2.0]).round(6).tolist()
    [0.693147, 0.5]

    References
    ----------
    Benedetti and Franconi (1998), NTTS; Franconi and Polettini (2004), PSD, LNCS 3050, 262-272.
    """
    f = np.asarray(size, dtype=np.float64)
    p = np.minimum(f / np.asarray(people, dtype=np.float64), 1.0)
    inverse: FloatArray = p / f * special.hyp2f1(1.0, 1.0, f + 1, 1 - p)
    return inverse


def weighted_risk(classes: Classes, weights: FloatArray, weight: str) -> WeightedRisk:
    """Return the risk of a file; its classes also differ by weight.

    Parameters
    ----------
    classes : Classes on the key fields and the field ``weight``.
    weights : The weight of each code of that field, > 0; shape (values of the field,).
    weight : Name of that field.

    Raises
    ------
    InputError : a record without a weight, or a weight that is not above 0.

    Examples
    --------
    >>> classes = Classes.of_rows([("F", "1"), ("F", "3"), ("M", "1")], ("sex", "w"))
    >>> weighted_risk(classes, np.array([1.0, 3.0]), "w").people.tolist()
    [4.0, 1.0]
    """
    at = classes.fields.index(weight)
    code = classes.codes[:, at]
    if (code == 0).any():
        lost = int(classes.sizes[code == 0].sum())
        raise InputError(f"{weight}: {lost:,} records have no weight: give each record one, or leave the weights out.")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(f"{weight}: each weight must be a number above 0: correct the others.")
    others = [name for name in classes.fields if name != weight]
    group, number = _groups(classes, others)
    row = np.zeros(number, dtype=np.int64)
    row[group] = np.arange(classes.number)
    sizes = np.bincount(group, weights=classes.sizes, minlength=number).astype(np.int64)
    people: FloatArray = np.bincount(group, weights=classes.sizes * weights[code - 1], minlength=number).astype(float)
    places = [classes.fields.index(name) for name in others]
    values = tuple(classes.values[place] for place in places)
    merged = Classes(tuple(others), classes.codes[row][:, places], sizes, values)
    alone = np.where(sizes == 1, np.minimum(1 / people, 1.0), 0.0)
    below = int(sizes[people < sizes].sum())
    return WeightedRisk(merged, people, expected_inverse(sizes, people), alone, below)


def _groups(classes: Classes, fields: list[str]) -> tuple[IntArray, int]:
    places = [classes.fields.index(name) for name in fields]
    columns = [classes.codes[:, place] for place in places]
    return number_groups(columns, [classes.values[place] for place in places], classes.number)
