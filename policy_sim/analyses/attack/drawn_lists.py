"""Who is on the attacker's lists, drawn person by person, and what its lists and a release both show of each.

Nothing here shares code with the formulas. Of several lists, each is drawn for itself and linked with the others by
name: the people who are on every list remain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.analyses.attack.made_up_people import People, shown_key
from policy_sim.arrays import BoolArray, FloatArray, IntArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.joined import Joined
from policy_sim.attackers.resource import Resource
from policy_sim.policies.policy import Policy

__all__ = ["Listed", "draw_lists", "joined_key"]


@dataclass(frozen=True, eq=False)
class Listed:
    """Of each of the people: whether they could be on every list of the attacker, and whether they are.

    A list may hold people of some ages only. The attacker knows that, and leaves the records of others alone.
    """

    possible: BoolArray
    listed: BoolArray


def draw_lists(people: People, attacker: Attacker, state: str, rng: np.random.Generator) -> Listed | None:
    """Draw who is on every list of an attacker; None where it has everyone.

    Each list holds its share of the people of its ages. How far the people of several lists are the same is the
    ``overlap`` of the resource: each list drawn for itself (``independent``); the same people first (``most``); or
    whoever one list misses is on the others (``least``).

    Parameters
    ----------
    people : All of one state.
    attacker : It is known, or assumed, how many each of its lists holds and how far they overlap.
    state : Postal code.
    """
    population, age = people.population, people.population.cells["age"].to_numpy()[people.cell]
    possible, shares = [], []
    for part in _parts(attacker.resource, state):
        coverage = part.coverage_in(state)
        if coverage is not None:
            least, most = coverage.ages_in(population)
            possible.append((age >= least) & (age <= (np.inf if most is None else most)))
            shares.append(coverage.share(state, float(possible[-1].sum())))
    if not shares:
        return None
    overlap = attacker.resource.overlap if isinstance(attacker.resource, Joined) else ""
    every = np.logical_and.reduce(possible)
    return Listed(every, every & _on_every_list(np.array(shares), len(people), overlap, rng))


def _on_every_list(shares: FloatArray, people: int, overlap: str, rng: np.random.Generator) -> BoolArray:
    """Draw for each person whether all lists hold them, who could be on each."""
    if len(shares) == 1 or overlap == "independent":
        drawn = [rng.random(people) < share for share in shares]
        return np.asarray(np.logical_and.reduce(drawn))
    # A person's place on a circle: each list misses an arc of it. Arcs from one point overlap as far as they can;
    # arcs one after the other overlap only where together they are longer than the circle.
    place, arcs = rng.random(people), 1 - shares
    starts = np.zeros(len(arcs)) if overlap == "most" else np.cumsum(arcs) - arcs
    missed = [(place - start) % 1.0 < arc for start, arc in zip(starts, arcs, strict=True)]
    return ~np.asarray(np.logical_or.reduce(missed))


def joined_key(people: People, policy: Policy, attacker: Attacker, state: str, *, released: bool) -> IntArray:
    """Return one number per person: what the release and any of the attacker's lists both show of them.

    Each list is compared with the release by itself; two people have the same number exactly if no list tells them
    apart.

    Parameters
    ----------
    released : Whether the unknown fields of the lists are released.
    """
    numbers = np.zeros(len(people), dtype=np.int64)
    for part in _parts(attacker.resource, state):
        linkage = part.linkage(policy.releases, state)
        view = linkage.high if released else linkage.low
        assert view is not None  # the part is held
        values = shown_key(people, view, policy.conditions.on(view, listed=part.is_file))
        _, code = np.unique(values, return_inverse=True)
        _, numbers = np.unique(numbers * (int(code.max(initial=0)) + 1) + code, return_inverse=True)
    return numbers


def _parts(resource: Resource, state: str) -> list[Resource]:
    return resource.held_in(state) if isinstance(resource, Joined) else [resource]
