"""What the model answers to the figures of Golle 2006: unique people by sex, place and birth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policy_sim.analyses.reproduction.printed_figure import Answer, Ask
from policy_sim.granularity import Granularities
from policy_sim.groups import g_distinct
from policy_sim.population.merge import merge
from policy_sim.population.places import has_place
from policy_sim.population.population import Population

__all__ = ["Golle"]


@dataclass(frozen=True)
class Golle:
    """The people of the paper's census, and others to fall back on for what the census lacks.

    Parameters
    ----------
    population : Census 2000.
    others : Populations of another census, whose figures are shown but not judged.
    """

    population: Population
    others: Sequence[Population] = ()

    def answer(self, ask: Ask) -> Answer:
        """Return the share (0..1) of the nation's people who are unique by sex, place and birth."""
        key = Granularities(gender="value", birth=ask["birth"], geography=ask["place"])
        if has_place(self.population, ask["place"]):
            return Answer(_unique(self.population, key))
        shares = [f"{p.name} gives {_unique(p, key):.2%}" for p in self.others if has_place(p, ask["place"])]
        remark = f" Another census: {', '.join(shares)}." if shares else ""
        return Answer(None, f"Needs people by ZIP code of Census 2000, which are not shipped.{remark}")


def _unique(population: Population, key: Granularities) -> float:
    return float(g_distinct(merge(population, key), [1]).sum() / population.people)
