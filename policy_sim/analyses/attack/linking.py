"""The attack itself, run many times, next to the formulas.

A release is a random sample of the people, and so is the attacker's list; each released record is linked to one of
the listed people who show the same key, drawn at random among equals. What is counted: correct links (total risk),
listed people whom no other listed one resembles (1-distinct), and, of a list that holds some of the people, the
records that exactly one listed person resembles (claims) and how many of these are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import gammaincinv, stdtrit

from policy_sim.analyses.attack.drawn_links import link, sides_of
from policy_sim.analyses.attack.drawn_lists import draw_lists, joined_key
from policy_sim.analyses.attack.made_up_people import make_people
from policy_sim.analyses.comparison import TOTAL_RISK, Case, compare
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.in_file import InFile
from policy_sim.attackers.linkage import LINKAGE_STATUSES
from policy_sim.attackers.settled import settlements
from policy_sim.errors import InputError, NotEstimableError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.policies.policy_by_state import same_in_every_state
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import Population
from policy_sim.population.zip_shares import PeopleByZip
from policy_sim.results import CLAIMS, CORRECT_CLAIMS, PRECISION, Bounds, Measure, Results, Shown

__all__ = ["Attack", "Attacks", "attack_frame", "simulate", "without_list"]

UNIQUE = Measure("g-distinct", 1)
CONFIDENCE = 0.99
# Below this many people counted in all runs together, t says nothing: runs may even count alike by luck.
FEW = 30


@dataclass(frozen=True, repr=False)
class Attack(Shown):
    """What was counted over runs of one attack by one measure, and what the formula expects.

    ``counts`` has one count of people a run; of precision, the share of the run's claims that are right. ``end`` tells
    the keys of an unknown field apart, ``assumption`` what is taken to hold of the people on the attacker's lists.
    """

    case: Case
    attacker: str
    assumption: str
    end: str
    measure: Measure
    counts: FloatArray
    expected: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`attack_frame`)."""
        return attack_frame([self])

    @property
    def mean(self) -> float:
        """Mean count over the runs."""
        return float(self.counts.mean())

    @property
    def spread(self) -> float:
        """Standard deviation of one run's count."""
        return float(self.counts.std(ddof=1))

    @property
    def interval(self) -> Bounds:
        """99 % interval of the mean: Student's t, runs - 1 degrees of freedom.

        Where fewer than ``FEW`` people were counted in all, the exact one of a Poisson count (Garwood
        1936). Links and unique people scatter no more than that, so that it is wide enough.
        """
        runs, count = len(self.counts), float(self.counts.sum())
        tail = (1 - CONFIDENCE) / 2
        if count < FEW and self.measure != PRECISION:
            low = float(gammaincinv(count, tail)) if count else 0.0
            return Bounds(low / runs, float(gammaincinv(count + 1, 1 - tail)) / runs)
        half = float(stdtrit(runs - 1, 1 - tail)) * self.spread / np.sqrt(runs)
        return Bounds(self.mean - half, self.mean + half)

    @property
    def agrees(self) -> bool:
        """Whether the formula's figure lies in the interval (to rounding, where every run counts alike)."""
        slack = 1e-9 * max(1.0, abs(self.expected))
        return self.interval.low - slack <= self.expected <= self.interval.high + slack


class Attacks(Results[Attack]):
    """Simulated attacks next to the formulas, one per policy, attacker, key and measure."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per attack and measure (:func:`attack_frame`).

        Returns
        -------
        The rows; expected people, and those of the runs.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> set(study.simulate("DE", "county", "general", runs=2).to_frame()["policy"])
        {'county'}
        """
        return attack_frame(self)


def simulate(
    population: Population | PeopleByZip,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    state: str,
    *,
    runs: int = 20,
    release: float = 1.0,
    seed: int = 1,
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
    tell: Callable[[int], None] | None = None,
) -> Attacks:
    """Attack a state's people, created again in each run, and count.

    Parameters
    ----------
    population, policies, attackers, days_per_year : As :func:`policy_sim.analyses.comparison.compare`. People by ZIP
        code are assigned to the ZIP code areas of their counties again in each run.
    state : Postal code.
    runs : At least 2.
    release : Share of the people who are in the release, above 0 to 1.
    in_file : How many are in the released file, where the attacker knows who; not together with ``release``.
    seed : The same seed gives the same people and the same links.
    tell : Called after each run with its number.

    Returns
    -------
    One attack for each policy, attacker, key and measure; none for an attacker without a list
    (:func:`without_list` says why). Where it is not known how many people a resource holds, or how far several
    resources hold the same people, one for each assumption (:func:`~policy_sim.attackers.settled.settlements`).

    Raises
    ------
    InputError : an option outside its range.
    NotEstimableError : no attacker has a list in this state.
    """
    if runs < 2:
        raise InputError(f"runs = {runs} must be 2 or more, because one run has no variance.")
    if not 0 < release <= 1:
        raise InputError(f"release = {release} must be a share above 0 and up to 1.")
    policies = [same_in_every_state(policy) for policy in policies]
    if in_file is not None and release < 1:
        raise InputError("release and in_file both choose who is in the file: use one of them.")
    zips = population.zips if isinstance(population, PeopleByZip) else None
    residents = (population.county_population if isinstance(population, PeopleByZip) else population).in_states([state])
    measured = residents if zips is None else PeopleByZip(residents, zips)
    settled = [(attacker.name, settlement) for attacker in attackers for settlement in settlements(attacker, state)]
    assumed = [settlement.attacker for _, settlement in settled]
    study = compare(measured, policies, assumed, states=[state], g=[1], days_per_year=days_per_year, in_file=in_file)
    share = release if in_file is None else in_file.share_of(residents.people, state)
    questions = [
        (
            Case(state, policy, settlement.attacker, settlement.attacker.linkage(policy.releases, state)),
            name,
            settlement.assumption,
            end,
        )
        for policy in policies
        for name, settlement in settled
        for end in _ends(settlement.attacker, policy, state)
    ]
    if not questions:
        raise NotEstimableError(f"nothing to simulate: {'; '.join(without_list(attackers, state))}.")
    counts = np.zeros((len(questions), 3, runs))
    for run, rng in enumerate(np.random.default_rng(seed).spawn(runs)):
        people = make_people(residents, rng, days_per_year, zips)
        released = np.flatnonzero(rng.random(len(people)) < share) if share < 1 else np.arange(len(people))
        for row, (case, _, _, end) in enumerate(questions):
            lists = draw_lists(people, case.attacker, state, rng)
            sides = sides_of(lists, released, len(people), is_file=in_file is not None)
            key = joined_key(people, case.policy, case.attacker, state, released=end == "released")
            counts[row, :, run] = link(key, sides, rng)
        if tell is not None:
            tell(run + 1)
    attacks = []
    for row, (case, name, assumption, end) in enumerate(questions):
        profile = study.profile(state, case.policy.name, case.attacker.name)
        for measure, counted in _counted(case, *counts[row]):
            bounds = profile.share(measure) if measure == PRECISION else profile.people(measure)
            if bounds is None:  # too few claims are expected for a share of them
                continue
            expected = bounds.high if end == "released" else bounds.low
            expected *= 1 if measure == PRECISION else release
            attacks.append(Attack(case, name, assumption, end, measure, counted, expected))
    return Attacks(attacks)


def _counted(
    case: Case, right: FloatArray, claimed: FloatArray, claimed_rightly: FloatArray
) -> Iterator[tuple[Measure, FloatArray]]:
    """What was counted in each run.

    Claims only where a list holds some of the people (else all of them are right), and enough to have an interval:
    several records may be claimed for the same person, so that claims scatter more than a Poisson count.
    """
    yield TOTAL_RISK, right
    yield UNIQUE, claimed_rightly
    if case.attacker.coverage is not None and claimed.sum() >= FEW:
        yield CLAIMS, claimed
        yield CORRECT_CLAIMS, claimed_rightly
        if claimed.min() >= FEW:
            yield PRECISION, claimed_rightly / claimed


def without_list(attackers: Sequence[Attacker], state: str) -> list[str]:
    """Say of each attacker who has no list in the state that there is none, and why."""
    reasons = []
    for attacker in attackers:
        linkage = attacker.linkage(Granularities(), state)
        if linkage.low is None:
            why = linkage.reason or LINKAGE_STATUSES.get(linkage.status, linkage.status)
            reasons.append(f"{attacker.name} has no list to link with in {state} ({linkage.status}: {why.rstrip('.')})")
    return reasons


def attack_frame(attacks: Sequence[Attack]) -> pd.DataFrame:
    """Return one row per attack and measure: what was counted and what the formula expects, in people."""
    return pd.DataFrame(
        {
            "state": attack.case.state,
            "policy": attack.case.policy.name,
            "attacker": attack.attacker,
            "measure": attack.measure.name,
            "g": attack.measure.g,
            "unknown_fields": attack.end or None,
            "assumed_people": attack.assumption or None,
            "runs": len(attack.counts),
            "mean": attack.mean,
            "spread": attack.spread,
            "low_99": attack.interval.low,
            "high_99": attack.interval.high,
            "formula": attack.expected,
            "agrees": attack.agrees,
        }
        for attack in attacks
    ).astype({"g": "Int64", "unknown_fields": "string", "assumed_people": "string"})


def _ends(attacker: Attacker, policy: Policy, state: str) -> tuple[str, ...]:
    """Names of the keys to attack on: one, two where a field is unknown, or none."""
    return {"interval": ("withheld", "released"), "ok": ("",)}.get(attacker.linkage(policy.releases, state).status, ())
