"""Records sorted by their own chance of a correct match, the surest first: the order of a rational attacker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import by_unit, log_miss
from policy_sim.formulas.bins import occupied_bins, one_place, people_by_bin_size
from policy_sim.formulas.groups import AnyGroups, DistinctGroups, Matches
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError

_ROUNDING = 1e-12  # of people: sums of the same people in another order


@dataclass(frozen=True, eq=False)
class MatchLevels:
    """The records of one file by their chance of a correct match, the surest first.

    Attributes
    ----------
    records : Expected records of each level, > 0.
    chance : The chance (0..1) of each of them, falling from level to level.
    correct : Expected correct matches if every record is attacked: what ``total_risk`` gives,
        to the last digit.

    Examples
    --------
    >>> levels = MatchLevels.of(records=[10.0, 2.0], correct=[1.0, 1.0])
    >>> levels.chance.tolist(), levels.attacked.tolist(), levels.matched.tolist()
    ([0.5, 0.1], [2.0, 12.0], [1.0, 2.0])
    """

    records: FloatArray
    chance: FloatArray
    correct: float

    @classmethod
    def of(cls, records: ArrayLike, correct: ArrayLike, total: float | None = None) -> MatchLevels:
        """Sort records by their chance and put those of the same chance together.

        Parameters
        ----------
        records, correct : Expected records of each kind, and correct matches among them; aligned. Kinds without
            records are left out.
        total : The correct matches of all kinds, where they are known more exactly than by adding up.

        Raises
        ------
        InputError : arrays of different length; more matches than records.
        """
        many, right = np.asarray(records, dtype=np.float64), np.asarray(correct, dtype=np.float64)
        if many.shape != right.shape or many.ndim != 1:
            raise InputError(f"records of shape {many.shape} and correct of {right.shape}: give one value per kind.")
        held = many > 0
        many, right = many[held], right[held]
        if (right > many * (1 + 1e-9)).any():
            raise InputError("correct has more matches than records: each record is matched at most once.")
        chance, kind = np.unique(np.minimum(right / many, 1.0), return_inverse=True)
        weight = np.bincount(kind, weights=many, minlength=len(chance)).astype(np.float64)
        return cls(weight[::-1].copy(), chance[::-1].copy(), float(right.sum() if total is None else total))

    @property
    def attacked(self) -> FloatArray:
        """Records attacked after each level: the sum of the records so far."""
        summed: FloatArray = np.cumsum(self.records)
        return summed

    @property
    def matched(self) -> FloatArray:
        """Expected correct matches after each level; the last is ``correct``."""
        summed: FloatArray = np.minimum(np.cumsum(self.records * self.chance), self.correct)
        if len(summed):
            summed[-1] = self.correct
        return summed

    def percentile(self, share: float = 0.95, among: float | None = None) -> float | None:
        """Return the percentile of the people's chances (0..1), ties upward; None where there is nobody.

        That is the largest chance that at least ``1 - share`` of the people reach, so that fewer than that have a
        larger one: of people at the same chance either all count or none, and where exactly ``1 - share`` reach it, it
        is theirs and not the next lower one.

        Parameters
        ----------
        share : 0 to below 1.
        among : People of whom it is a share, at least the records; those who have none, such as children where the
            list is one of adults, have the chance 0. None: as many as the records.

        Examples
        --------
        Of 20 people one has the chance 1, and that is 5% of them; of 21 it is less.

        >>> levels = MatchLevels.of(records=[1.0, 19.0], correct=[1.0, 9.5])
        >>> levels.percentile(), levels.percentile(among=21), levels.percentile(among=1000)
        (1.0, 0.5, 0.0)
        """
        return upper_percentile(self.chance, self.records, share, among)

    def matched_after(self, attacked: ArrayLike) -> FloatArray:
        """Return the expected correct matches when this many records are attacked, the surest first.

        Parameters
        ----------
        attacked : Records, from 0 to all of them; a part of a level counts in proportion.
        """
        at = np.concatenate([[0.0], self.attacked])
        summed: FloatArray = np.interp(
            np.asarray(attacked, dtype=np.float64), at, np.concatenate([[0.0], self.matched])
        )
        return summed


def upper_percentile(
    chance: ArrayLike, people: ArrayLike, share: float = 0.95, among: float | None = None
) -> float | None:
    """Return the largest chance that at least ``1 - share`` of the people reach; None where there is nobody.

    Parameters
    ----------
    chance, people : The chance (0..1) of people of each kind, in any order, and how many they are, >= 0; aligned.
    share, among : As in :meth:`MatchLevels.percentile`.

    Examples
    --------
    >>> upper_percentile([0.2, 1.0, 0.5], [90, 4, 6]), upper_percentile([0.2, 1.0, 0.5], [90, 5, 5])
    (0.5, 1.0)
    """
    values, weight = np.asarray(chance, dtype=np.float64), np.asarray(people, dtype=np.float64)
    values, weight = values[weight > 0], weight[weight > 0]
    whole = float(weight.sum()) if among is None else float(among)
    if not whole > 0:
        return None
    order = np.argsort(-values, kind="stable")
    reached = np.cumsum(weight[order])
    at = int(np.searchsorted(reached, (1 - share) * whole * (1 - _ROUNDING)))
    reached_by_them = float(values[order[at]]) if at < len(values) else 0.0
    return 1.0 if reached_by_them > 1 - _ROUNDING else reached_by_them


def levels_by_unit(groups: AnyGroups, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> tuple[MatchLevels, ...]:
    """Return the people of each unit by their own chance of a correct match, as the census tells it.

    Parameters as in :func:`match_levels`. People with the same values have the same chance, whoever of them shares a
    bin with others: a percentile over people is one of these chances.
    """
    listed, held = by_unit("coverage", coverage, groups.units), by_unit("in_file", in_file, groups.units)
    return _levels(groups.matches(listed * held, held), [None] * groups.units)


def match_levels(
    groups: AnyGroups, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0, *, seen: int = 0
) -> tuple[MatchLevels, ...]:
    """Return the records of each unit by their chance of a correct match.

    Parameters
    ----------
    groups : Who can be distinguished, and how.
    coverage : Share of the people whom the resource lists, 0 to 1; one value, or one a unit.
    in_file : Share of the people who are in the file, 0 to 1, known to the attacker; one value, or one a unit.
    seen : Whether the attacker has the list and sees how many of its people have a record's values: distinguished are
        1 to ``seen`` of them, and more. 0: it only knows the groups of the census.

    Returns
    -------
    One per unit (:func:`~policy_sim.formulas.bins` of each group). A unit's correct matches are those of
    :func:`~policy_sim.formulas.groups.total_risk` with the coverage ``coverage * in_file``.

    Raises
    ------
    InputError : shares outside their range or of another length than the units; ``seen`` for ZIP codes placed by the
        make-up of the county.

    Examples
    --------
    >>> from policy_sim.formulas.groups import Groups
    >>> (levels,) = match_levels(Groups.of(people=[200, 1], bins=[365, 1]))
    >>> levels.records.tolist(), levels.chance.round(3).tolist()
    ([1.0, 200.0], [1.0, 0.771])
    """
    listed, held = by_unit("coverage", coverage, groups.units), by_unit("in_file", in_file, groups.units)
    totals = groups.total_risk(listed * held)
    if seen:
        kinds = [_seen_kinds(of_class.plain(listed, held), seen) for of_class in groups.by_class]
        unit, records, correct = (np.concatenate(columns) for columns in zip(*kinds, strict=True))
    else:
        unit, records, correct = groups.matches(listed * held, held)
    return _levels((unit, records, correct), totals.tolist())


def _levels(matches: Matches, totals: Sequence[float | None]) -> tuple[MatchLevels, ...]:
    """Return the levels of each unit; ``totals``: the correct matches of each, where they are known more exactly."""
    unit, records, correct = matches
    order = np.argsort(unit, kind="stable")
    ends = np.searchsorted(unit[order], np.arange(len(totals) + 1))
    parts = (order[low:high] for low, high in pairwise(ends))
    return tuple(MatchLevels.of(records[part], correct[part], total) for part, total in zip(parts, totals, strict=True))


def _seen_kinds(groups: DistinctGroups, seen: int) -> Matches:
    """Return unit, records and correct matches by group and by the listed people of the file in a record's bin.

    In a bin of ``k`` of them one match is right on average, among their ``k`` records and those of people who are in
    the file and not listed.
    """
    assert groups.coverage is not None
    assert groups.missed is not None
    n, b, weight = groups.people.astype(np.float64), groups.bins, groups.weight
    on_list, missed = groups.coverage, groups.missed
    size = np.arange(1, seen + 1)
    of_list = weight[:, None] * people_by_bin_size(n, b, seen, on_list).toarray()
    right = of_list / size
    others = people_by_bin_size(np.maximum(n - 1, 0), b, seen, on_list).toarray() / size / b[:, None]
    records = of_list + missed[:, None] * others
    nobody = missed * one_place(np.maximum(n - 1, 0), log_miss(b, on_list))
    more = np.maximum(weight * n * on_list + missed - nobody - records.sum(axis=1), 0.0)
    last = np.clip(weight * occupied_bins(n, b, on_list) - right.sum(axis=1), 0.0, more / (seen + 1))
    every = np.column_stack([records, more, nobody])
    correct = np.column_stack([right, last, np.zeros(len(n))])
    return np.repeat(groups.unit, seen + 2), every.ravel(), correct.ravel()
