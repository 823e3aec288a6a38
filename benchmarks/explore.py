"""The lattice of policies merged down against each policy from the cells, in one process.

Ours: :func:`policy_sim.model.explore.search.explore`, every policy in every state.
Plain: for a sample of the policies,
the cells merged by :func:`policy_sim.people.merge.merge` and measured as any command does, times
the policies left out. Both must give the same people and the same entropy. Every state, two threads.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.binning import Timing, timed
from benchmarks.cells import nation
from policy_sim.model.explore.search import explore, measured_alone

G = (1, 3, 5, 10)
SAMPLE = 54  # policies measured from the cells
COLUMNS = ("total_risk", *(f"distinct_{g}" for g in G), "utility_bits")


def run() -> Iterator[Timing]:
    """Time both ways on every state of an invented nation."""
    population = nation()
    ours, found = timed(lambda: explore(population, g=G), 3)
    names = list(found.policies)
    sample = names[:: len(names) // SAMPLE]
    plain, alone = timed(
        lambda: [measured_alone(population, found.policies[name], population.states, g=G) for name in sample]
    )
    by_policy = found.rows.set_index(["policy", "state"])
    for name, rows in zip(sample, alone, strict=True):
        here = by_policy.loc[name].loc[rows["state"]]
        np.testing.assert_allclose(here[list(COLUMNS)], rows[list(COLUMNS)], rtol=1e-9, atol=1e-9)
    waited = plain * len(names) / len(sample)
    note = f"plain: {len(sample)} policies, times {len(names) / len(sample):.0f}"
    workload = f"{len(names):,} policies, {len(population.states)} states"
    yield Timing(workload, ours, waited, waited / ours, note)
