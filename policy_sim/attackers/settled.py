"""Attackers with an assumption in place of what nobody knows of whom their resources hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.joined import Joined
from policy_sim.attackers.joint_coverage import OVERLAPS
from policy_sim.attackers.resource import Resource

__all__ = ["ASSUMED_PEOPLE", "Settled", "settlements"]

ASSUMED_PEOPLE = (
    "assumed people: a file holds each of the people whom it may hold with the same chance, and no source says which. "
    "independent: being in one file says nothing of being in another; least and most overlap: as few and as many "
    "people in all files as their shares allow. The truth lies between the ends"
)

_ENDS = ("fewest people", "most people")


@dataclass(frozen=True)
class Settled:
    """An attacker of whose resources it is known how many of the people they hold, because it is assumed.

    ``assumption`` says what is assumed, such as ``independent``; it is empty where nothing is.
    """

    assumption: str
    attacker: Attacker


def settlements(attacker: Attacker, state: str) -> tuple[Settled, ...]:
    """Return an attacker under each assumption on whom its resources hold in a state; itself where all is known.

    A file of whose people nobody knows the share holds the fewest of them, or the most. Of several files as few people
    are in all as can be, as many as can be, or as many as if each file were drawn for itself.

    Returns
    -------
    From the fewest people whom the attacker can have to the most. Each attacker has a name of its own.

    Examples
    --------
    >>> from policy_sim.attackers import GENERAL
    >>> settlements(GENERAL, "OH")[0].attacker is GENERAL
    True
    """
    coverage = attacker.resource.coverage_in(state)
    if coverage is None or coverage.is_known:
        return (Settled("", attacker),)
    return tuple(
        Settled(words, replace(attacker, name=f"{attacker.name} ({words})", resources=(resource,)))
        for words, resource in _resources(attacker.resource, state)
    )


def _resources(resource: Resource, state: str) -> Iterator[tuple[str, Resource]]:
    parts = resource.held_in(state) if isinstance(resource, Joined) else [resource]
    limited = [part for part in parts if part.coverage_in(state) is not None]
    all_known = all(part.coverage.is_known for part in limited if part.coverage is not None)
    for end in (1,) if all_known else (0, 1):
        settled = tuple(part.settled(end) for part in parts)
        name = "" if all_known else _ENDS[end]
        if len(limited) < 2:
            yield name, settled[0] if len(settled) == 1 else Joined(settled)
            continue
        # the fewest people with the least overlap, the most with the most: the ends of all that can be
        overlaps = OVERLAPS if all_known else (OVERLAPS[:2], OVERLAPS[1:])[end]
        for overlap in overlaps:
            words = overlap if overlap == "independent" else f"{overlap} overlap"
            yield ", ".join(filter(None, (name, words))), Joined(settled, overlap)
