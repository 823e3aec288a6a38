"""Minimal sample uniques and their scores (SUDA).

A minimal sample unique of a record is a set of fields on which the record is unique, while it is not unique on any
subset. A record stands out more if the sets are smaller and there are more of them: its score is ``sum (m - |M|)!``
over its minimal sample uniques M of the m fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.records.classes import Classes
from policy_sim.records.combinations import MOST_COMBINATIONS, Combination, walk_combinations
from policy_sim.records.missing import agreeing

__all__ = ["SudaScores", "suda_scores"]


@dataclass(frozen=True, eq=False)
class SudaScores:
    """Scores of a file's records.

    Parameters
    ----------
    score : Score of each class, 0 where its records are not alone; shape (classes,).
    shares : Share (0..1) of all scores from sets with each field. The shares add up to more than 1, because a set
        counts for each of its fields. Empty if no score is above 0.
    uniques, pairs : Number of records alone in their class, and in classes of two.
    records : Number of records in the file.
    """

    fields: tuple[str, ...]
    score: IntArray
    shares: dict[str, float]
    uniques: int
    pairs: int
    records: int

    def by_score(self) -> tuple[IntArray, IntArray]:
        """Distinct scores above 0, descending, and the number of records with each."""
        scores, records = np.unique(self.score[self.score > 0], return_counts=True)
        return scores[::-1], records[::-1].astype(np.int64)

    def dis(self, fraction: float) -> FloatArray:
        """Data intrusion simulation: the chance that a match with the record is correct.

        Parameters
        ----------
        fraction : Sampling fraction of the file, above 0 and up to 1.

        Returns
        -------
        Chance (0..1) of each class; 0 where the score is 0; shape (classes,).

        References
        ----------
        Skinner and Elliot (2002), JRSS B 64; Elliot, Manning and Ford (2002), International Journal of
        Uncertainty, Fuzziness and Knowledge-Based Systems 10, for the score.
        """
        chance = np.zeros(len(self.score))
        scored = self.score > 0
        if not scored.any():
            return chance
        correct = self.uniques * fraction / (self.uniques * fraction + self.pairs * (1 - fraction))
        power = 1 + (8 - len(self.fields)) / 20
        weight = self.score[scored].astype(np.float64) ** -power
        wrong = self.uniques / correct - self.uniques
        chance[scored] = 1 / (1 + wrong * weight / weight.sum())
        return chance


def suda_scores(
    classes: Classes,
    rule: str = "own",
    most: int = MOST_COMBINATIONS,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[SudaScores, list[Combination]]:
    """Score every record, and return the combinations of the walk.

    Parameters
    ----------
    rule : ``own`` or ``wildcard``: what a missing value agrees with.
    most : Combinations that may be walked.
    progress : Called with the name of each step.

    Examples
    --------
    One woman is unique by her age alone, the man by his sex alone. Each has one set of one field: (2 - 1)!.

    >>> rows = [("F", 30), ("F", 40), ("F", 40), ("M", 40)]
    >>> scores, _ = suda_scores(Classes.of_rows(rows, ("sex", "age")))
    >>> sorted(scores.score.tolist())
    [0, 1, 1]

    Raises
    ------
    NotEstimableError : too many combinations, classes or unique records.
    """
    m = len(classes.fields)
    sizes = agreeing(classes) if rule == "wildcard" else classes.sizes
    alone = sizes == 1
    score = np.zeros(int(alone.sum()), dtype=np.int64)
    of_field = np.zeros(m)
    walked: list[Combination] = []
    for combination, chosen, minimal in walk_combinations(classes, rule, most):
        progress(f"walking the combinations of fields: {len(walked) + 1:,} of {2**m - 1:,}")
        points = math.factorial(m - len(chosen))
        score += points * minimal
        of_field[list(chosen)] += points * (combination.minimal or 0)
        walked.append(combination)
    total = int(score.sum())
    shares = {name: float(part) / total for name, part in zip(classes.fields, of_field, strict=True) if total}
    of_class = np.zeros(classes.number, dtype=np.int64)
    of_class[alone] = score
    pairs = int(classes.sizes[sizes == 2].sum())
    return SudaScores(classes.fields, of_class, shares, len(score), pairs, classes.records), walked
