"""Every policy of a lattice measured at once.

Cells are merged down the lattice, each time from the smallest table that still tells what is wanted.

>>> from policy_sim.explore import explore  # doctest: +SKIP
>>> rows = explore(population, ["OH"]).rows  # doctest: +SKIP
"""

from policy_sim.explore.choice import better_than, between, on_frontier
from policy_sim.explore.judged import Judged, judged
from policy_sim.explore.search import Exploration, explore, lattice_of
from policy_sim.explore.single import entropy_bits, measured_alone

__all__ = [
    "Exploration",
    "Judged",
    "better_than",
    "between",
    "entropy_bits",
    "explore",
    "judged",
    "lattice_of",
    "measured_alone",
    "on_frontier",
]
