"""Every policy of a lattice measured at once.

Cells are merged down the lattice, each time from the smallest table that still tells what is wanted.

>>> from policy_sim.analyses.lattice_search import explore  # doctest: +SKIP
>>> rows = explore(population, ["OH"]).rows  # doctest: +SKIP
"""

from policy_sim.analyses.lattice_search.field_weights import FieldWeights
from policy_sim.analyses.lattice_search.free_ages import free_age_rows
from policy_sim.analyses.lattice_search.frontier import Judged, better_than, between, judged, on_frontier
from policy_sim.analyses.lattice_search.needs import Needs
from policy_sim.analyses.lattice_search.search import Exploration, explore, lattice_of
from policy_sim.analyses.lattice_search.single_policy import measured_alone

__all__ = [
    "Exploration",
    "FieldWeights",
    "Judged",
    "Needs",
    "better_than",
    "between",
    "explore",
    "free_age_rows",
    "judged",
    "lattice_of",
    "measured_alone",
    "on_frontier",
]
