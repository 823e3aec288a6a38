"""The HIPAA rules as written, by ZIP code: means over the make-up of the counties, without drawing people.

Plain: every cell of a county in every part of it by itself (limited data set), and for places across counties the
binomials of scipy.stats convolved piece by piece (Safe Harbor). Both start from the same people by county and
must give the same figures to 1e-9. Ohio, us-2010; then the nation, ours alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import binom

from benchmarks.binning import Timing, timed
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.groups import g_distinct, total_risk
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.people.merge import MergeKey
from policy_sim.people.merging import merge_by_zip
from policy_sim.people.population import AnyPopulation
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import with_zip_codes
from policy_sim.words.fields import Granularities

G = (1, 3, 5, 10)
LIMITED = Granularities(gender="value", race="value", birth="date", geography="county_zip5")
SAFE_HARBOR = Granularities(gender="value", race="value", birth="year", geography="zip3")


def plain_parts(groups: CountyPartGroups) -> np.ndarray:
    """Total risk and g-distinct, each cell of a county in each of its parts."""
    total = np.zeros(1 + len(G))
    for county, cells in enumerate(groups.people):
        held = cells > 0
        n, b = cells[held][:, None], groups.bins[held][:, None]
        share = groups.share[groups.county == county]
        total += [occupied_bins(n, b, share).sum(), *(people_g_distinct(n, b, g, share).sum() for g in G)]
    return total


def plain_places(groups: PlacedGroups) -> np.ndarray:
    """Total risk and g-distinct, each cell of a place convolved from its counties."""
    sizes = np.arange(max(G) + 1)
    total = np.zeros(1 + len(G))
    for place in np.unique(groups.place):
        here = np.flatnonzero(groups.place == place)
        chances = np.zeros((len(groups.bins), len(sizes)))
        chances[:, 0], empty = 1, np.ones(len(groups.bins))
        for piece in here:
            n, x = groups.people[groups.county[piece]], groups.share[piece] / groups.bins
            one = binom.pmf(sizes, n[:, None], x[:, None])
            chances = np.array([np.convolve(a, b)[: len(sizes)] for a, b in zip(chances, one, strict=True)])
            empty *= (1 - x) ** n
        by_size = np.cumsum(groups.bins @ (chances * sizes))
        total += [groups.bins @ (1 - empty), *by_size[list(G)]]
    return total


def our_figures(groups: CountyPartGroups | PlacedGroups) -> np.ndarray:
    """The same by unit."""
    return np.column_stack([total_risk(groups), g_distinct(groups, G)])


def _groups(people: AnyPopulation, key: Granularities, states: tuple[str, ...]):
    return merge_by_zip(people, MergeKey(key, states))


def run() -> Iterator[Timing]:
    """Yield every timing as it is known."""
    nation = load_shipped("us-2010")
    ohio = with_zip_codes(nation.in_states(["OH"]))
    for name, key, plain_way in (
        ("limited data set by county and ZIP code, Ohio", LIMITED, plain_parts),
        ("Safe Harbor by three-digit ZIP code, Ohio", SAFE_HARBOR, plain_places),
    ):
        groups = _groups(ohio, key, ("OH",))
        ours, _ = timed(lambda key=key: our_figures(_groups(ohio, key, ("OH",))), 3)
        plain, expected = timed(lambda plain_way=plain_way, groups=groups: plain_way(groups))
        np.testing.assert_allclose(our_figures(groups)[0], expected, rtol=1e-9)
        yield Timing(name, ours, plain, plain / ours)
    people = with_zip_codes(nation)
    for name, key in (("limited data set, 51 states", LIMITED), ("Safe Harbor, 51 states", SAFE_HARBOR)):
        ours, _ = timed(lambda key=key: our_figures(_groups(people, key, people.states)), 3)
        yield Timing(name, ours)
