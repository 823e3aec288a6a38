from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from policy_sim.analyses.lattice_search.births import births_of
from policy_sim.analyses.lattice_search.lattice_figures import Figures
from policy_sim.policies.lattice import BirthView

VIEWS = {
    BirthView("none"): ([0, 0, 0, 0], [1.0] * 4),
    BirthView("year"): ([0, 1, 2, 3], [1.0] * 4),
    BirthView("date"): ([0, 1, 2, 3], [365.0] * 4),
    BirthView("decade"): ([0, 0, 2, 2], [10.0] * 4),
}
G = (1, 3, 2000)
FIGURES = Figures(births_of({view: (np.array(lower), np.array(bins)) for view, (lower, bins) in VIEWS.items()}), G)


def by_hand(people, lower, bins):
    """Total risk, g-distinct and the sum of n log2(b/n) of each class by itself."""
    figures = np.zeros(2 + len(G))
    for row in people.reshape(-1, len(lower)):
        for first in set(lower):
            members = [age for age, start in enumerate(lower) if start == first]
            n, b = int(row[members].sum()), bins[members[0]]
            if n:
                occupied = b * (1 - (1 - 1 / b) ** n)
                distinct = [n * stats.binom.cdf(g - 1, n - 1, 1 / b) for g in G]
                figures += [occupied, *distinct, n * np.log2(b / n)]
    return figures


@pytest.mark.parametrize("most", [3, 40, 5_000])
def test_every_figure_of_every_view_class_by_class(most):
    people = np.random.default_rng(most).integers(0, most, (2, 3, 4))
    expected = [by_hand(people, lower, bins) for lower, bins in VIEWS.values()]
    np.testing.assert_allclose(FIGURES.of(people), expected, rtol=1e-9, atol=1e-9)


def test_nobody_has_no_risk():
    assert not FIGURES.of(np.zeros((2, 4), dtype=np.int64)).any()


def test_tables_beside_each_other_add_up():
    people = np.random.default_rng(1).integers(0, 2_000, (6, 4))
    np.testing.assert_allclose(FIGURES.of(people), FIGURES.of(people[:2]) + FIGURES.of(people[2:]), rtol=1e-12)
