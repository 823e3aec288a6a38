"""Two files about people made one by one, paired and linked with a list, and counted: a check of the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from policy_sim.analyses.attack.made_up_people import make_people, shown_key
from policy_sim.analyses.economics.two_releases import FileShares
from policy_sim.arrays import BoolArray, FloatArray, IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.population.population import Population
from policy_sim.population.zip_shares import PeopleByZip

__all__ = ["COUNTED", "PairedFiles", "simulate_paired_files"]

COUNTED = ("right_pairs", "wrong_pairs", "alone_first", "alone_second", "named")
CONFIDENCE = 0.99


@dataclass(frozen=True, eq=False)
class PairedFiles:
    """Counts of each figure of :data:`COUNTED`, one per run; shape (figures, runs)."""

    counts: FloatArray

    def interval(self, figure: str) -> tuple[float, float]:
        """Return the 99 % interval of the mean of one figure (Student's t)."""
        counts = self.counts[COUNTED.index(figure)]
        half = float(student.ppf((1 + CONFIDENCE) / 2, len(counts) - 1) * counts.std(ddof=1) / np.sqrt(len(counts)))
        return float(counts.mean()) - half, float(counts.mean()) + half


def simulate_paired_files(
    population: Population | PeopleByZip,
    shared: Granularities,
    linked: tuple[Granularities, Granularities, Granularities],
    state: str,
    shares: FileShares,
    *,
    runs: int = 20,
    seed: int = 1,
    conditions: Sequence[Conditions] = (NO_CONDITIONS,) * 4,
) -> PairedFiles:
    """Make a state's people, two files and a list in each run, and count.

    Parameters
    ----------
    population : Whose people; those by ZIP code get a home anew in each run.
    shared : What both files show.
    linked : What the list shares with both files together, with the first and with the second.
    shares : Who is in the files and on the list.
    runs, seed : At least 2 runs; the same seed gives the same people.
    conditions : What ``shared`` and each of ``linked`` show less finely.

    Raises
    ------
    InputError : fewer than 2 runs.
    """
    if runs < 2:
        raise InputError(f"runs = {runs} must be 2 or more, because one run has no variance.")
    zips = population.zips if isinstance(population, PeopleByZip) else None
    counted = population.county_population if isinstance(population, PeopleByZip) else population
    residents, counts = counted.in_states([state]), np.zeros((len(COUNTED), runs))
    edges = np.cumsum([shares.both, shares.first - shares.both, shares.second - shares.both])
    for run, rng in enumerate(np.random.default_rng(seed).spawn(runs)):
        people = make_people(residents, rng, zips=zips)
        place = np.searchsorted(edges, rng.random(len(people)), side="right")  # 0 both, 1 first, 2 second, 3 neither
        first, second, listed = place <= 1, (place == 0) | (place == 2), rng.random(len(people)) < shares.coverage
        both = first & second
        key = shown_key(people, shared, conditions[0])
        one_each = (_others(key, first) == 1) & (_others(key, second) == 1)
        keys = [shown_key(people, *view) for view in zip(linked, conditions[1:], strict=True)]
        sure = [listed & (_others(shared_key, listed) == 1) for shared_key in keys]
        right = one_each & both
        counts[:, run] = (
            right.sum(),
            (one_each & first & ~second).sum(),
            *((both & match).sum() for match in sure[1:]),
            (right & sure[0]).sum(),
        )
    return PairedFiles(counts)


def _others(key: IntArray, counted: BoolArray) -> IntArray:
    """How many of the counted people show each person's key."""
    _, bin_of = np.unique(key, return_inverse=True)
    many: IntArray = np.bincount(bin_of[counted], minlength=int(bin_of.max(initial=0)) + 1)[bin_of]
    return many
