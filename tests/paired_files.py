"""Two files about people made one by one, paired and linked with a list, and counted: a check of the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from policy_sim.model.money.pair import FileShares
from policy_sim.model.simulation.people import People, make_people, shown_key
from policy_sim.people.population import Population
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.fields import Field, Granularities

COUNTED = ("right_pairs", "wrong_pairs", "alone_first", "alone_second", "named")
CONFIDENCE = 0.99


def interval_of(counts: FloatArray) -> tuple[float, float]:
    """Return the 99 % interval of the mean of the counts (Student's t)."""
    runs, mean = len(counts), float(counts.mean())
    half = float(stdtrit(runs - 1, (1 + CONFIDENCE) / 2) * counts.std(ddof=1) / np.sqrt(runs))
    return mean - half, mean + half


@dataclass(frozen=True, eq=False)
class PairedFiles:
    """Counts of each figure of :data:`COUNTED`, one per run; shape (figures, runs)."""

    counts: FloatArray

    def interval(self, figure: str) -> tuple[float, float]:
        return interval_of(self.counts[COUNTED.index(figure)])


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

    ``population``: whose people; those by ZIP code get a home anew in each run. ``linked``: what the list shares with
    both files together, with the first and with the second. ``conditions``: what ``shared`` and each of ``linked`` show
    less finely.
    """
    population = population.in_states([state])
    zips = population.zips if isinstance(population, PeopleByZip) else None
    residents = population.county_population if isinstance(population, PeopleByZip) else population
    counts = np.zeros((len(COUNTED), runs))
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


# An attacker who takes the surest records first, on people made one by one: a check of the attack curve.
#
# A person is in the file with one chance and on the list with another, whoever else is. The attacker knows who is in
# the file, sorts the records by how crowded their group is in the census, and names one of the listed people in the
# file who show the same key, drawn at random.


@dataclass(frozen=True, eq=False)
class SortedAttack:
    """Counts over runs of an attack on every record whose chance is at least ``least_chance``.

    ``attacked`` and ``matched`` have one count a run.
    """

    least_chance: float
    attacked: FloatArray
    matched: FloatArray

    @property
    def yields(self) -> tuple[float, float]:
        """The 99 % interval of the mean number of correct matches."""
        return interval_of(self.matched)

    @property
    def precision(self) -> tuple[float, float]:
        """The 99 % interval of the mean share (0..1) of attacked records that are matched correctly."""
        return interval_of(self.matched / np.maximum(self.attacked, 1))


def simulate_sorted_attack(
    population: Population,
    key: Granularities,
    state: str,
    least_chances: Sequence[float],
    *,
    in_file: float = 1.0,
    coverage: float = 1.0,
    runs: int = 20,
    seed: int = 1,
    sees_list: bool = False,
) -> tuple[SortedAttack, ...]:
    """Attack files of one state's people, created again in each run.

    ``state``: postal code. ``least_chances``: where to stop: the least chance (0..1) of a correct match of a record
    that is attacked. ``in_file``, ``coverage``: chance (0..1) that a person is in the file, and on the list.
    ``sees_list``: sort by the listed people of the file who show a record's key, one over their number; with everyone
    listed that is the record's chance.
    """
    residents = population.in_states([state])
    counts = np.zeros((len(least_chances), 2, runs))
    for run, rng in enumerate(np.random.default_rng(seed).spawn(runs)):
        people = make_people(residents, rng)
        held, listed = rng.random(len(people)) < in_file, rng.random(len(people)) < coverage
        released_key = shown_key(people, key, NO_CONDITIONS)
        blind = _chances(people, key, in_file, coverage)
        chance = _one_of(released_key, held & listed) if sees_list else blind
        right = held & listed & _guessed(released_key, held & listed, rng)
        for place, least in enumerate(least_chances):
            attacked = held & (chance >= least * (1 - 1e-9))
            counts[place, :, run] = attacked.sum(), (attacked & right).sum()
    return tuple(SortedAttack(least, *counts[place]) for place, least in enumerate(least_chances))


def _guessed(key: IntArray, candidate: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Tell for each candidate whether a draw among the candidates of its bin hits it."""
    _, bin_of, size = np.unique(key[candidate], return_inverse=True, return_counts=True)
    hit = np.zeros(len(key), dtype=bool)
    hit[candidate] = rng.random(int(candidate.sum())) * size[bin_of] < 1
    return hit


def _one_of(key: IntArray, candidate: BoolArray) -> FloatArray:
    """Return one over the candidates in each person's bin; 0 where there is none."""
    many = _others(key, candidate)
    share: FloatArray = np.where(many > 0, 1.0 / np.maximum(many, 1), 0.0)
    return share


def _chances(people: People, key: Granularities, in_file: float, coverage: float) -> FloatArray:
    """Return the chance of each person's record, from the people of its group as the census counts them."""
    cells = people.population.cells
    counted = replace(people, age=cells["age"].to_numpy(np.int64)[people.cell], day=np.zeros_like(people.day))
    _, group, size = np.unique(shown_key(counted, key, NO_CONDITIONS), return_inverse=True, return_counts=True)
    width = cells["age_width"].to_numpy(np.int64)[people.cell].astype(np.float64)
    n, b = size[group].astype(np.float64), width * {"year": 1, "date": 365}[key[Field.BIRTH]]
    x = coverage * in_file / b
    chance: FloatArray = b * (1 - (1 - x) ** n) / (n * in_file)
    return chance
