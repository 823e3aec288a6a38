"""Total risk, g-distinct and entropy of a state's table under every view of birth, in a few passes.

Every figure depends on a class only through its people n and the bins b hidden in it. Classes are
counted by (kind, n) where n is small, and a figure is then one product of counts with a table of the
formula; the few large classes are measured one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policy_sim.analyses.lattice_search.births import Births
from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning import occupied_bins, people_g_distinct

__all__ = ["Figures"]


_SMALL = 1024  # people below which classes are counted


class Figures:
    """Measures tables under all views of birth; remembers each formula by (n, b) once it is known.

    Parameters
    ----------
    births : The views.
    g : Group sizes, each >= 1.
    in_file : Chance that a person is in the file, where the attacker knows it; 1 for everyone.
    """

    def __init__(self, births: Births, g: Sequence[int], in_file: float = 1.0) -> None:
        self.births, self.g, self.in_file = births, np.asarray(g, dtype=np.int64), in_file
        self._figures_by_bins: dict[float, FloatArray] = {}
        small = np.arange(_SMALL)
        self._small = {job.bins: self._by_size(small, job.bins) for job in births.jobs}

    def of(self, people: IntArray) -> FloatArray:
        """Return the figures of a table with ages as its last dimension.

        Returns
        -------
        Total risk, g-distinct for each g, and the sum of ``n log2(b/n)``; shape (views, 2 + len(g)).
        """
        births = self.births
        classes = births.merge(people)
        large, kind = _take_large(classes, births.kind)
        classes += births.kind * _SMALL
        counts = np.bincount(classes.ravel(), minlength=births.kinds * _SMALL).reshape(-1, _SMALL).astype(np.float64)
        counts[:, 0] = 0.0
        sums = np.zeros((len(births.views), 2 + len(self.g)))
        for job in births.jobs:
            figures = counts[job.kind] @ self._small[job.bins]
            np.add.at(sums, job.view, figures + self._large(large, kind, job.bins, job.kind)[job.kind])
        return sums

    def _large(self, sizes: IntArray, kind: IntArray, bins: float, kinds_needed: IntArray) -> FloatArray:
        """Figures of the large classes of the wanted kinds, all hiding ``bins`` bins; kinds ascend."""
        summed = np.zeros((self.births.kinds, 2 + len(self.g)))
        is_wanted = np.zeros(self.births.kinds, dtype=bool)
        is_wanted[kinds_needed] = True
        held = is_wanted[kind].nonzero()[0]
        if len(held):
            present, start = np.unique(kind[held], return_index=True)
            summed[present] = np.add.reduceat(self._by_size(sizes[held], bins), start, axis=0)
        return summed

    def _by_size(self, sizes: IntArray, bins: float) -> FloatArray:
        """The figures of one class of each size."""
        n = sizes.astype(np.float64)
        table = np.zeros((len(sizes), 2 + len(self.g)))
        table[:, 0] = occupied_bins(sizes, bins, self.in_file)
        if self.in_file < 1:
            table[:, 1:-1] = people_g_distinct(sizes[:, None], bins, self.g, self.in_file)
        elif bins == 1.0:
            table[:, 1:-1] = np.where(sizes[:, None] <= self.g, n[:, None], 0.0)
        else:
            # With 50 + 10 g people per bin and more, fewer than 1e-15 are expected in bins of g or fewer.
            crowded = int(bins * (50 + 10 * int(self.g.max())))
            near = (sizes <= crowded).nonzero()[0]
            if len(near):
                table[near, 1:-1] = self._distinct(bins, int(sizes[near].max()), crowded)[sizes[near]]
        table[:, -1] = n * (np.log2(bins) - np.log2(np.maximum(n, 1.0)))
        return table

    def _distinct(self, bins: float, largest: int, crowded: int) -> FloatArray:
        """People g-distinct of groups of 0, 1, ... people; made longer when a larger group comes."""
        table = self._figures_by_bins.get(bins, np.zeros((0, len(self.g))))
        if len(table) <= largest:
            more = np.arange(len(table), min(max(largest, 2 * len(table)), crowded) + 1)
            table = np.vstack([table, people_g_distinct(more[:, None], bins, self.g)])
            self._figures_by_bins[bins] = table
        return table


def _take_large(classes: IntArray, kind: IntArray) -> tuple[IntArray, IntArray]:
    """Take the large classes out (leaving 0) and return them with their kinds, sorted by kind."""
    row, column = (classes >= _SMALL).nonzero()
    sizes, kinds = classes[row, column], kind[column]
    classes[row, column] = 0
    order = np.argsort(kinds, kind="stable")
    return sizes[order], kinds[order]
