"""Who is in several resources at once, where nobody knows how far their people are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from policy_sim.attackers.coverage import WEIGHTS, Coverage, people_of
from policy_sim.errors import InputError
from policy_sim.population.population import AnyPopulation

__all__ = ["OVERLAPS", "JointCoverage", "joint_coverage"]

# As few people in all of them as can be, as if each were drawn for itself, as many as can be.
OVERLAPS = ("least", "independent", "most")


@dataclass(frozen=True)
class JointCoverage(Coverage):
    """People who are in every one of several resources.

    Of resources that hold the shares ``c1`` and ``c2`` of the same people, at least ``c1 + c2 - 1`` of them are in
    both and at most the smaller of the two (the Fréchet bounds): the share lies between. If being in one says
    nothing of being in the other, it is ``c1 c2``.

    Parameters
    ----------
    parts : The coverage of each resource.
    overlap : One of :data:`OVERLAPS`, which is assumed; empty: nobody knows.
    weight : A place between the least share (0) and the greatest (1), where it is settled so.

    Raises
    ------
    InputError : another overlap; one that is assumed of resources of which nobody knows how many they hold.
    """

    parts: tuple[Coverage, ...] = ()
    overlap: str = ""
    weight: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap and self.overlap not in OVERLAPS:
            raise InputError(f"overlap = {self.overlap!r} is not one of {', '.join(OVERLAPS)}.")
        if self.overlap and not all(part.is_known for part in self.parts):
            raise InputError("an overlap is assumed of resources with known shares: settle each of them first.")

    @property
    def is_known(self) -> bool:
        """Whether the share of the people in all of them is one number."""
        return bool(self.overlap) or self.weight is not None

    @property
    def ends(self) -> tuple[Coverage, Coverage]:
        """The coverage with the least and with the greatest share."""
        return (self, self) if self.is_known else (replace(self, weight=0.0), replace(self, weight=1.0))

    @property
    def between(self) -> tuple[Coverage, ...]:
        """Coverages with shares between the two ends."""
        return () if self.is_known else tuple(replace(self, weight=weight) for weight in WEIGHTS)

    def knows(self, state: str) -> bool:
        """Whether the number of people on every list of the state is known."""
        return all(part.knows(state) for part in self.parts)

    def ages_in(self, population: AnyPopulation) -> tuple[int, int | None]:
        """Return the ages that every resource may hold."""
        ages = [part.ages_in(population) for part in self.parts]
        most = [greatest for _, greatest in ages if greatest is not None]
        return max(least for least, _ in ages), min(most) if most else None

    def shares(
        self,
        listed_people: AnyPopulation,  # noqa: ARG002
        states: Iterable[str],
        everyone: AnyPopulation,
    ) -> NDArray[np.float64]:
        """Return the share (0..1) of the people of these ages who are in every resource, state by state."""
        state_names = list(states)
        least, most = (
            np.array([part.ends[end].shares(people_of(everyone, part), state_names, everyone) for part in self.parts])
            for end in (0, 1)
        )
        if self.overlap == "independent":
            return np.asarray(np.prod(most, axis=0), dtype=np.float64)
        fewest: NDArray[np.float64] = np.maximum(least.sum(axis=0) - (len(self.parts) - 1), 0.0)
        together: NDArray[np.float64] = most.min(axis=0)
        weight = {"least": 0.0, "most": 1.0}[self.overlap] if self.overlap else self.weight
        return together if weight is None else fewest + weight * (together - fewest)


def joint_coverage(coverages: Sequence[Coverage | None], overlap: str = "") -> Coverage | None:
    """Return who is in several resources; None where each holds everyone.

    >>> joint_coverage([None, None]) is None
    True
    """
    limited_coverages = tuple(coverage for coverage in coverages if coverage is not None)
    if len(limited_coverages) < 2:
        return limited_coverages[0] if limited_coverages else None
    name, title = (
        "+".join(part.name for part in limited_coverages),
        " who are ".join(part.title for part in limited_coverages),
    )
    return JointCoverage(name, title, parts=limited_coverages, overlap=overlap)
