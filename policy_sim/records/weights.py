"""The risk of a survey's records by its weights: how many people of the population each record represents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.records.classes import Classes
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError


@dataclass(frozen=True, eq=False)
class WeightedRisk:
    """What the weights of a file say about the population.

    Each class on the key fields represents ``people``, the sum of its records' weights. ``chance`` (0..1) is that of a
    correct match with a record of the class, E[1/F given f]; ``alone`` that a record alone in its class is alone in the
    population, 0 for larger classes. ``below_one`` records are in classes that represent fewer people than records.
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
    """Return E[1/F given f] of classes of ``size`` records f that represent ``people``.

    F given f is negative binomial with ``p = f / people``: ``(p/f) 2F1(1, 1; f+1; 1-p)``.

    Benedetti and Franconi (1998), NTTS; Franconi and Polettini (2004), PSD, LNCS 3050, 262-272.
    """
    from scipy import special

    f = np.asarray(size, dtype=np.float64)
    p = np.minimum(f / np.asarray(people, dtype=np.float64), 1.0)
    inverse: FloatArray = p / f * special.hyp2f1(1.0, 1.0, f + 1, 1 - p)
    return inverse


def weighted_risk(classes: Classes, weights: FloatArray, weight: str) -> WeightedRisk:
    """Return the risk of a file whose classes also differ by the field ``weight``, with the weight of each code."""
    at = classes.fields.index(weight)
    code = classes.codes[:, at]
    if (code == 0).any():
        lost = int(classes.sizes[code == 0].sum())
        raise InputError(f"{weight}: {lost:,} records have no weight: give each record one, or leave the weights out.")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(f"{weight}: each weight must be a number above 0: correct the others.")
    merged, group = classes.merged([place for place in range(len(classes.fields)) if place != at])
    sizes = merged.sizes
    represented = np.bincount(group, weights=classes.sizes * weights[code - 1], minlength=merged.number)
    people: FloatArray = represented.astype(float)
    alone = np.where(sizes == 1, np.minimum(1 / people, 1.0), 0.0)
    below = int(sizes[people < sizes].sum())
    return WeightedRisk(merged, people, expected_inverse(sizes, people), alone, below)
