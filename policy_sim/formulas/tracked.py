"""Figures of some of the people of places made of several counties (:mod:`policy_sim.formulas.placed`).

``tracked``: some of the people of each cell of the counties, several choices of them; shape (choices, counties, cells).
``coverage``, ``stale``: one number, or one by county and cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtri

from policy_sim.formulas.counted_parts import Pairs, matched_trials
from policy_sim.formulas.parts import Places
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_NODES = {many: np.polynomial.legendre.leggauss(many) for many in (8, 20)}
_SMOOTH = 3.0, 0.5  # up to this mean and chance of a trial eight nodes are right to 1e-12
_NOTHING = 25.0  # exp(-25) of a share does not matter
_OUT_OF_THE_QUESTION = 1e-18
_PAIRS_AT_ONCE = 4_000  # of a place's county and a cell: with some twenty points each they fit into the cache


class _Tracked(NamedTuple):
    """Cells of places that take parts of as many counties: everyone, of whom some are tracked, and the chance of a bin.

    A pair is a cell in a place. Its counties are those of its place, one after the other.

    Attributes
    ----------
    place, cells : Which place and cell each pair is.
    chance, rarer : Chance ``x`` of each trial and ``k`` of each county, by kind of pair; shape (counties, kinds).
    kind : Kind of each pair.
    trials, tracked : All trials, shape (counties, pairs), and those of tracked people for each choice.
    stale : Mean stale records in a bin of each pair.
    """

    place: IntArray
    cells: IntArray
    chance: FloatArray
    rarer: FloatArray
    kind: IntArray
    trials: FloatArray
    tracked: FloatArray
    stale: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean entries of a bin of each cell."""
        mean: FloatArray = (self.chance[:, self.kind] * self.trials).sum(axis=0) + self.stale
        return mean

    def at(self, pairs: IntArray) -> _Tracked:
        """Return some of the pairs, with their kinds alone."""
        present = np.zeros(self.chance.shape[1], dtype=np.bool_)
        present[self.kind[pairs]] = True
        by_pair = {name: getattr(self, name)[..., pairs] for name in ("place", "cells", "trials", "tracked", "stale")}
        kind = (np.cumsum(present) - 1)[self.kind[pairs]]
        return self._replace(kind=kind, chance=self.chance[:, present], rarer=self.rarer[:, present], **by_pair)

    def missed(self, away: NDArray[Any]) -> NDArray[Any]:
        """Return the generating function of one trial at ``1 - away``; shape (points, counties, kinds)."""
        missed: NDArray[Any] = 1 - np.multiply.outer(away, self.chance)
        return missed

    def generated(self, away: NDArray[Any]) -> NDArray[Any]:
        """Return that of all entries of a bin, stale records among them; shape (points, cells)."""
        missed = self.missed(away)
        log = np.log(np.where(missed == 0, 1e-300, missed))
        added = np.multiply.outer(-away, self.stale)
        for of_county, trials in zip(log.transpose(1, 0, 2), self.trials, strict=True):
            added += of_county[:, self.kind] * trials
        generated: NDArray[Any] = np.exp(added, out=added)
        return generated


def _by_place(
    places: Places,
    people: FloatArray,
    tracked: FloatArray,
    bins: float,
    coverage: FloatArray | float,
    stale: FloatArray | float,
) -> Iterator[_Tracked]:
    """Yield the cells of places of as many counties together; those that are a large part of a county by themselves."""
    listed = np.broadcast_to(np.asarray(coverage, dtype=np.float64), people.shape)
    number: dict[bytes, int] = {}  # of each kind of cell, by the chances of its counties
    kind = np.array([number.setdefault(cell.tobytes(), len(number)) for cell in np.ascontiguousarray(listed.T)])
    kinds = np.array([np.frombuffer(chances) for chances in number]).T
    left, large, many = people * stale / bins, places.large(people), np.diff(places.share.indptr)
    fixed = places.fixed
    for counties in np.unique(many[many > 0]).tolist():
        alike = np.flatnonzero(many == counties)
        step = max(_PAIRS_AT_ONCE // (counties * people.shape[1]), 1)
        for at in (alike[low : low + step] for low in range(0, len(alike), step)):
            piece = places.share.indptr[at] + np.arange(counties)[:, None]  # by county of a place, and place
            county, chance = places.share.indices[piece], places.share.data[piece][..., None]
            held = np.nonzero(people[county].any(axis=0))
            place, cell = held
            in_bin, own = kinds[county] / bins, (county[:, place], cell)
            every = _Tracked(
                at[place],
                cell,
                np.minimum(chance * in_bin, 1.0).reshape(counties, -1),
                (in_bin**2 / 2 * fixed[piece][..., None]).reshape(counties, -1),
                place * kinds.shape[1] + kind[cell],
                people[own],
                tracked[(slice(None), *own)],
                (chance * left[county]).sum(axis=0)[held],
            )
            is_large = large[own]
            single = is_large.any(axis=0)
            if not single.all():
                yield every.at(np.flatnonzero(~single))
            if single.any():
                few, is_large = every.at(np.flatnonzero(single)), is_large[:, single]
                facts = places.residents[own[0][:, single]], chance[:, place[single], 0]
                yield _with_large(few, is_large, *facts, listed[own][:, single] / bins)


def _with_large(
    every: _Tracked, is_large: BoolArray, residents: FloatArray, share: FloatArray, hit: FloatArray
) -> _Tracked:
    """Return pairs whose large cells count by the binomial most like each (:mod:`.placed`); each is a kind of its own.

    ``residents``, ``share``, ``hit``: of each county of each pair, the people, the share that live in the place, and
    the chance that one of these is listed and in a given bin.
    """
    alike, trials = matched_trials(Pairs(every.trials, residents, share), hit)
    trials = np.where(is_large, trials, every.trials)
    whole = np.divide(trials, every.trials, out=np.ones_like(trials), where=every.trials > 0)
    return every._replace(
        chance=np.where(is_large, alike, every.chance[:, every.kind]),
        rarer=np.where(is_large, 0.0, every.rarer[:, every.kind]),
        kind=np.arange(len(every.kind)),
        trials=trials,
        tracked=every.tracked * whole,
    )


def occupied_by_tracked(
    places: Places,
    people: FloatArray,
    tracked: FloatArray,
    bins: float,
    coverage: FloatArray | float = 1.0,
    stale: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the expected correct matches of tracked people by place and cell; shape (choices, places, cells).

    Examples
    --------
    One person lives in the place for certain, the other with chance 1/2: they share the bin in half of the cases.

    >>> from scipy import sparse
    >>> here, two = Places.by_themselves(sparse.csr_array([[1.0, 0.5]])), np.ones((2, 1))
    >>> occupied_by_tracked(here, two, np.stack([two, [[1.0], [0.0]]]), 1.0).round(9).ravel().tolist()
    [1.0, 0.75]
    """
    borne = np.zeros((len(tracked), places.share.shape[0], people.shape[1]))
    for every in _by_place(places, people, tracked, bins, coverage, stale):
        mean = every.mean
        level = np.log2(np.maximum(mean, _NOTHING) / _NOTHING) // 1
        smooth = (mean <= _SMOOTH[0]) & (every.chance.max(axis=0) <= _SMOOTH[1])[every.kind]
        level[smooth] = -1
        for least in np.unique(level).tolist():
            # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
            crowd, high = every.at(np.flatnonzero(level == least)), min(1.0, 2.0**-least)
            nodes, weights = _NODES[8 if least < 0 else 20]
            node, weight = (nodes + 1) / 2 * high, weights / 2 * high
            met = weight[:, None, None] * crowd.chance / crowd.missed(node)
            held = crowd.generated(node)
            links = np.stack([(of_county[:, crowd.kind] * held).sum(axis=0) for of_county in met.transpose(1, 0, 2)])
            borne[:, crowd.place, crowd.cells] += bins * (links * crowd.tracked).sum(axis=1)
        k = every.rarer / np.where(every.chance < 1, 1 - every.chance, 1.0) ** 2
        lost = (k[:, every.kind] * every.tracked * np.maximum(every.trials - 1, 0.0)).sum(axis=1)
        borne[:, every.place, every.cells] += bins * lost * every.generated(np.ones(1))[0]
    return borne


def distinct_of_tracked(
    places: Places,
    people: FloatArray,
    tracked: FloatArray,
    bins: float,
    coverage: FloatArray | float = 1.0,
    stale: FloatArray | float = 0.0,
    *,
    sizes: IntArray,
) -> FloatArray:
    """Return the tracked listed people in bins of each of ``sizes`` or fewer; shape (choices, len(sizes)).

    Examples
    --------
    >>> from scipy import sparse
    >>> here, two = Places.by_themselves(sparse.csr_array([[1.0, 0.5]])), np.ones((2, 1))
    >>> tracked = np.stack([two, [[1.0], [0.0]]])
    >>> distinct_of_tracked(here, two, tracked, 1.0, sizes=np.array([1, 2])).round(9).tolist()
    [[0.5, 1.5], [0.5, 1.0]]
    """
    g, total = int(sizes.max()), np.zeros((len(tracked), len(sizes)))
    most = float(pdtri(g, _OUT_OF_THE_QUESTION))
    # on a circle inside the unit circle, larger sizes fade; half of it is enough, the other has the conjugate values
    radius, length = 10.0 ** (-3 / g), 4 * g + 8
    z = radius * np.exp(2j * np.pi * (np.arange(length // 2) + 0.5) / length)
    back = z[:, None] ** -np.arange(0.0, g + 1) * (2 / length)
    upto = np.cumsum(back, axis=1)[:, sizes - 1]
    moved = (sizes + 1) * back[:, sizes - 1] - sizes * back[:, sizes]
    for every in _by_place(places, people, tracked, bins, coverage, stale):
        cells = np.flatnonzero((every.mean <= most) & every.tracked.any(axis=(0, 1)))
        if not len(cells):
            continue
        few = every.at(cells)
        missed, held = few.missed(1 - z), few.generated(1 - z)
        pairs = few.tracked * np.maximum(few.trials - 1, 0.0)
        for county, (met, less) in enumerate(
            zip((few.chance / missed).transpose(1, 0, 2), (few.rarer / missed**2).transpose(1, 0, 2), strict=True)
        ):
            single = few.tracked[:, county] @ (met[:, few.kind] * held).T
            pair = pairs[:, county] @ (less[:, few.kind] * held).T
            total += bins * (single @ upto + pair @ moved).real
    return np.maximum(total, 0.0)
