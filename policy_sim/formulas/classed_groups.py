"""Groups of people whose chance to live in a place depends on their class.

Figures come from the people themselves; groups of each class are built when something else is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.bins import SMALL_G
from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.groups import AnyGroups
from policy_sim.formulas.placed_groups import CountyGroups, curve_of
from policy_sim.formulas.several_classes import Block, blocks_of, figures_of_sums
from policy_sim.formulas.single_class import Cells, Sums
from policy_sim.words.arrays import FloatArray, IntArray

_CELLS_AT_ONCE = 100_000


class OnList(NamedTuple):
    """People on one list, and the units of their pieces that have results, in the order of these."""

    people: ClassedPeople
    unit: IntArray


class ClassedGroups(AddedGroups):
    """The people of each class and cell on one list or several, and the pieces of counties where they live.

    The results of each list follow those of the one before. Total risk, g-distinct of bins of at most
    :data:`~.bins.SMALL_G` people, and claims are computed from the people; for everything else, the groups of each set
    of classes are made (``of_classes``) and added up.
    """

    def __init__(
        self, lists: Sequence[OnList], pieces: Pieces, of_classes: Callable[[], tuple[AnyGroups, ...]]
    ) -> None:
        self.__dict__.update(lists=lists, pieces=pieces, of_classes=of_classes)

    @cached_property
    def classes(self) -> tuple[AnyGroups, ...]:
        """The groups of each set of classes."""
        of_classes: Callable[[], tuple[AnyGroups, ...]] = self.__dict__["of_classes"]
        return of_classes()

    @property
    def units(self) -> int:  # type: ignore[override]
        """Number of results."""
        return sum(len(on.unit) for on in self._lists)

    @property
    def says_who_is_listed(self) -> bool:
        """Whether each row of people has its chance to be listed."""
        return self._lists[0].people.listed is not None

    def without_stale(self) -> ClassedGroups:
        """Return the same people on lists without stale records; made once."""
        is_without = all(on.people.stale is None for on in self._lists)
        return self if is_without else self._without_stale

    @cached_property
    def _without_stale(self) -> ClassedGroups:
        of_classes: Callable[[], tuple[AnyGroups, ...]] = self.__dict__["of_classes"]
        groups = ClassedGroups(
            [on._replace(people=on.people.without_stale()) for on in self._lists],
            self.__dict__["pieces"],
            lambda: tuple(of.without_stale() for of in of_classes()),  # a circle would keep the people in memory
        )
        apart = tuple([rows.without_stale() for rows in lists] for lists in self._apart)
        groups.__dict__.update(_apart=apart, _blocks=self._blocks)
        return groups

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        return self._figures(coverage, 0).total

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        if sizes.max() > SMALL_G:
            return super()._g_distinct(sizes, coverage)
        by_size = self._figures(coverage, int(sizes.max())).by_size
        distinct: FloatArray = np.cumsum(by_size, axis=0)[sizes - 1].T
        return distinct

    def _claims(self, coverage: FloatArray) -> FloatArray:
        figures = self._figures(coverage, 1)
        claims: FloatArray = figures.by_size[0] + figures.wrong
        return claims

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:
        few = self._g_distinct(np.arange(1, min(g_max, SMALL_G) + 1), coverage)
        return curve_of(few, g_max, [groups for groups in self.classes if isinstance(groups, CountyGroups)], coverage)

    def _figures(self, coverage: FloatArray, most: int) -> Figures:
        """Return figures with bins of at least ``most`` entries; cached by coverage."""
        key = coverage.tobytes()
        if key not in self._known or len(self._known[key].by_size) < most:
            units = np.split(coverage, np.cumsum([len(on.unit) for on in self._lists])[:-1])
            asked = [number for number, of_units in enumerate(units) if of_units.any()]
            every = [Figures.none(len(of_units), most) for of_units in units]
            for number, figures in zip(asked, self._on_lists(asked, units, most), strict=True):
                every[number] = Figures(*(of[..., self._lists[number].unit] for of in figures))
            self._known[key] = Figures(*(np.concatenate(of, axis=-1) for of in zip(*every, strict=True)))
        return self._known[key]

    def _on_lists(self, asked: Sequence[int], units: Sequence[FloatArray], most: int) -> list[Figures]:
        """Return the figures of the pieces' units on some lists; ``units``: the coverage of each that has results."""
        pieces: Pieces = self.__dict__["pieces"]
        coverages = []
        for number in asked:
            coverage = np.zeros(pieces.units)
            coverage[self._lists[number].unit] = units[number]
            coverages.append(coverage)
        single, several = ([of[number] for number in asked] for of in self._apart)
        every = [Figures.none(pieces.units, most) for _ in asked]
        if asked and len(several[0].cell):
            every = figures_of_sums(several, self._blocks, pieces, coverages, most)
        if asked and len(single[0].cell):
            for figures, people, coverage in zip(every, single, coverages, strict=True):
                figures.add(_sums_of(people, pieces, coverage).figures(pieces, most))
        return every

    @property
    def _lists(self) -> Sequence[OnList]:
        lists: Sequence[OnList] = self.__dict__["lists"]
        return lists

    @cached_property
    def _known(self) -> dict[bytes, Figures]:
        """The figures that were computed, by the coverage of the units."""
        return {}

    @cached_property
    def _apart(self) -> tuple[list[ClassedPeople], list[ClassedPeople]]:
        """The people of cells of one class where each piece of a county is a place, and the others; on each list."""
        first = self._lists[0].people
        is_single = np.bincount(first.cell)[first.cell] == 1
        if not self.__dict__["pieces"].apart:
            is_single[:] = False

        def on_each(rows: IntArray) -> list[ClassedPeople]:
            some = first.of_rows(rows)
            return [some, *(on.people.of_rows(rows, some) for on in self._lists[1:])]

        return on_each(np.flatnonzero(is_single)), on_each(np.flatnonzero(~is_single))

    @cached_property
    def _blocks(self) -> list[Block]:
        """The cells of several classes, in blocks of cells alike."""
        return blocks_of(self._apart[1])


def _sums_of(people: ClassedPeople, pieces: Pieces, coverage: FloatArray) -> Sums:
    """Return the sums over rows where each piece of a county is a separate place; ``coverage``: of each unit."""
    if people.listed is not None:
        return Sums.of(_cells(people, pieces, coverage), pieces)
    known = people.__dict__.get("_of_everyone")
    if known is None or known[0] is not pieces:
        known = pieces, Sums.of(_cells(people, pieces, np.ones(pieces.units)), pieces)
        people.__dict__["_of_everyone"] = known
    of_everyone: Sums = known[1]
    return of_everyone.held(coverage)


def _cells(people: ClassedPeople, pieces: Pieces, coverage: FloatArray) -> Iterator[Cells]:
    """Yield the rows of each class, some at once."""
    _, of_bins = np.unique(people.bins, return_inverse=True)
    alike = people.rate * (int(of_bins.max(initial=0)) + 1) + of_bins.reshape(-1)
    counties = np.arange(len(pieces.unit))
    held, in_file = coverage[pieces.unit], 1.0 if people.in_file is None else people.in_file
    for rows in _rows_of_a_class(people.of_class, max(_CELLS_AT_ONCE // max(len(counties), 1), 1)):
        n = people.people[rows]
        chance = 1.0 if people.listed is None else people.listed[rows]
        stale = None if people.stale is None else people.stale * chance
        yield Cells(
            n,
            None,
            people.bins[rows, None],
            counties,
            alike[rows, None],
            np.broadcast_to(held * chance, n.shape),
            held * (in_file - chance),
            stale,
            int(people.of_class[rows[0]]),
            counties,
            pieces.unit,
        )


def _rows_of_a_class(of_class: IntArray, most: int) -> Iterator[IntArray]:
    """Yield the rows of each class, at most ``most`` at a time.

    >>> [rows.tolist() for rows in _rows_of_a_class(np.array([4, 2, 4, 4]), 2)]
    [[1], [0, 2], [3]]
    """
    order = np.argsort(of_class, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(of_class[order])) + 1):
        yield from (rows[low : low + most] for low in range(0, len(rows), most))
