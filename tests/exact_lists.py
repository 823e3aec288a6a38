"""Lists that hold some people more surely than others, and records of people who left: one group, or many at once.

A group is made of parts (people of one county and age, say), and the people of part ``s`` are listed with their own
chance ``c_s``. The list also has stale records: of people who moved away or died, whose values look like those of the
group and who are in no release from there. A listed person and a stale record are both entries of the list, and each
falls into one of ``b`` equally likely bins. With ``x = c/b`` for every kind of entry, a bin has none with chance

    ``P = prod (1 - c_s/b)^(n_s) * prod (1 - q_t/b)^(m_t) * exp(-mu/b)``.

Stale records come in two ways. Of ``m_t`` records (whole) each belongs to the group with chance ``q_t``: one, where it
is known that the group has them; or the share of a county's stale records that is expected there. Where only the mean
``mu`` is known, the number of records is taken to be Poisson, which is what many records with small chances come to. A
mean may be a fraction; ``(1 - 1/b)^mu`` would not be the chance of an empty bin then, and would be 0 with one bin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import log_miss
from policy_sim.words.arrays import BoolArray, FloatArray

_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(64))
_NODES = _NODES + 0.5  # on 0 to 1; the integrals are right to 1e-12 of themselves, which a test holds to 50 digits
_FAR = 45.0  # exp(-45) of the integral lies beyond the point up to which it is taken


@dataclass(frozen=True, eq=False)
class MixedGroups:
    """Groups with parts that are listed with different chances, and with stale records. Create them with :meth:`of`.

    Attributes
    ----------
    people : Persons ``n_s`` of each part, whole, >= 0; shape (groups, parts).
    listed : Chance ``c_s`` that a person of the part is listed, 0 to 1; shape (groups, parts).
    bins : Values ``b`` that the key distinguishes inside each group, >= 1; shape (groups, 1).
    stale : Stale records ``m_t`` that may belong to each group, whole, >= 0; shape (groups, kinds).
    stale_chance : Chance ``q_t`` that each of them does, 0 to 1; shape (groups, kinds).
    expected_stale : Mean ``mu`` of further stale records, Poisson, >= 0; shape (groups,).
    """

    people: FloatArray
    listed: FloatArray
    bins: FloatArray
    stale: FloatArray
    stale_chance: FloatArray
    expected_stale: FloatArray

    @classmethod
    def of(
        cls,
        people: ArrayLike,
        listed: ArrayLike,
        bins: ArrayLike,
        stale: ArrayLike = 0,
        stale_chance: ArrayLike = 1.0,
        expected_stale: ArrayLike = 0.0,
    ) -> MixedGroups:
        """Return one group, or several: the last axis has the parts or the kinds, one number being one part."""
        n, c = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (people, listed)))
        m, q = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (stale, stale_chance)))
        b, mean = (np.asarray(x, dtype=np.float64) for x in (bins, expected_stale))
        groups = np.broadcast_shapes(n.shape[:-1], m.shape[:-1], b.shape, mean.shape)

        def of_groups(values: FloatArray) -> FloatArray:
            return np.broadcast_to(values, (*groups, values.shape[-1])).reshape(int(np.prod(groups)), -1)

        of_each = (of_groups(values) for values in (n, c, b[..., None], m, q))
        return cls(*of_each, of_groups(mean[..., None])[:, 0])

    def correct_claims(self) -> FloatArray:
        """Return the expected records claimed for the right person: listed people whose bin has no other entry.

        ``sum_s n_s c_s P / (1 - c_s/b)``, shape (groups,).
        """
        parts = self.people.shape[1]
        certain = self._certain
        others_certain = (self._entries * certain).sum(axis=1, keepdims=True) - certain[:, :parts]
        alone = np.where(others_certain == 0, self._others_miss(), 0.0)
        claimed: FloatArray = np.where(self.people > 0, self.people * self.listed * alone, 0.0).sum(axis=1)
        return claimed

    def wrong_claims(self) -> FloatArray:
        """Return the expected records claimed for a person who is not theirs, or who left.

        Those of people who are not listed and whose bin has exactly one entry,
        ``sum_s n_s (1 - c_s) P/(1 - c_s/b) [sum_t (n_t - [s = t]) o_t + sum_t m_t q_t/(b - q_t) + mu/b]`` with the odds
        ``o_t = c_t/(b - c_t)``. Where entries are in the only bin for certain, one of them is claimed and two are not.
        """
        parts = self.people.shape[1]
        certain = self._certain
        hits = np.concatenate([self.listed, self.stale_chance], axis=1)
        odds = np.where(certain, 0.0, hits / np.where(certain, 1.0, self.bins - hits))
        sure = (self._entries * certain).sum(axis=1, keepdims=True)
        further = (self._entries * odds).sum(axis=1, keepdims=True) - odds[:, :parts]
        further = np.maximum(further, 0.0) + (self.expected_stale[:, None] / self.bins)
        single = np.where(sure == 0, further, np.where(sure == 1, 1.0, 0.0))
        # whoever is listed for certain has no wrong claim, and nobody is 0 times the chance of others
        missed = np.where((self.people > 0) & ~certain[:, :parts], self.people * (1 - self.listed), 0.0)
        claimed: FloatArray = (missed * self._others_miss() * single).sum(axis=1)
        return claimed

    def claims(self) -> FloatArray:
        """Return the expected records that an attacker claims, rightly or wrongly; records, shape (groups,)."""
        return self.correct_claims() + self.wrong_claims()

    def total_risk(self) -> FloatArray:
        """Return the expected correct matches if each record is linked to one of the entries of its bin.

        ``sum_s n_s c_s`` times the mean of ``1/(1 + other entries)``, the integral over ``u`` from 0 to 1 of
        ``prod (1 - c_t u/b)^(n_t - [s = t]) prod (1 - q_t u/b)^(m_t) exp(-mu u/b)`` (M. T. Chao and W. E. Strawderman,
        1972, Negative moments of positive random variables, JASA 67). By Gauss-Legendre with 64 nodes, up to where the
        rest is below ``exp(-45)`` of it. Without stale records the integral is ``b (1 - P)``, and that is computed.
        """
        x = self._entry_chance
        people = x[:, : self.people.shape[1]]
        count = self._entries
        rate = (count * x).sum(axis=1) + self.expected_stale / self.bins[:, 0]
        end = np.minimum(1.0, _FAR / np.maximum(rate - 1, _FAR))
        total = np.zeros(len(x))
        listed = self.people * self.listed
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            at = end * node
            empty = np.exp(
                (count * np.log1p(-x * at[:, None])).sum(axis=1) - self.expected_stale / self.bins[:, 0] * at
            )
            total += weight * end * empty * (listed / (1 - people * at[:, None])).sum(axis=1)
        without = (self.stale * self.stale_chance).sum(axis=1) + self.expected_stale == 0
        return np.where(without, -self.bins[:, 0] * np.expm1(self._log_empty(everything=True)), total)

    @property
    def _entries(self) -> FloatArray:
        """People and stale records, who are entries with some chance; shape (groups, parts + kinds)."""
        return np.concatenate([self.people, self.stale], axis=1)

    @property
    def _entry_chance(self) -> FloatArray:
        """Chance ``x`` that a person or a stale record is an entry of a given bin."""
        chance: FloatArray = np.concatenate([self.listed, self.stale_chance], axis=1) / self.bins
        return chance

    @property
    def _certain(self) -> BoolArray:
        """Which parts and kinds are in the only bin for certain."""
        certain: BoolArray = self._entry_chance == 1
        return certain

    def _log_empty(self, *, everything: bool = False) -> FloatArray:
        """Return the logarithm of the chance that a bin has no entry; without those that are in it for certain."""
        hits = np.concatenate([self.listed, self.stale_chance], axis=1)
        miss = log_miss(np.broadcast_to(self.bins, hits.shape), hits)
        count = self._entries
        held = count > 0 if everything else (count > 0) & ~self._certain
        empty: FloatArray = np.where(held, count * np.where(held, miss, 0.0), 0.0).sum(axis=1)
        return empty - self.expected_stale / self.bins[:, 0]

    def _others_miss(self) -> FloatArray:
        """Return the chance that nobody else is in a person's bin, those in it for certain left out."""
        own = log_miss(np.broadcast_to(self.bins, self.listed.shape), self.listed)
        own = np.where((self.people > 0) & ~self._certain[:, : self.people.shape[1]], own, 0.0)
        others: FloatArray = np.exp(self._log_empty()[:, None] - own)
        return others
