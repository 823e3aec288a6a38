"""Who is in several resources at once, where nobody knows how far their people are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from policy_sim.attackers.coverage import Coverage, people_of
from policy_sim.population.population import AnyPopulation

__all__ = ["JointCoverage", "joint_coverage"]


@dataclass(frozen=True)
class JointCoverage(Coverage):
    """People who are in every one of several resources.

    Of resources that hold the shares ``c1`` and ``c2`` of the same people, at least ``c1 + c2 - 1`` of them are in
    both and at most the smaller of the two (the Fréchet bounds): the share lies between.

    Parameters
    ----------
    parts : The coverage of each resource.
    end : ``least`` or ``most`` for one of the two ends; empty for both.
    """

    parts: tuple[Coverage, ...] = ()
    end: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the coverage is one of its ends."""
        return bool(self.end)

    @property
    def ends(self) -> tuple[Coverage, Coverage]:
        """The coverage with the least and with the greatest share."""
        return (self, self) if self.end else (replace(self, end="least"), replace(self, end="most"))

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
        state_names, end = list(states), 0 if self.end == "least" else 1
        part_shares = np.array(
            [part.ends[end].shares(people_of(everyone, part), state_names, everyone) for part in self.parts]
        )
        together: NDArray[np.float64] = part_shares.min(axis=0)
        return np.maximum(part_shares.sum(axis=0) - (len(self.parts) - 1), 0.0) if end == 0 else together


def joint_coverage(coverages: Sequence[Coverage | None]) -> Coverage | None:
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
    return JointCoverage(name, title, parts=limited_coverages)
