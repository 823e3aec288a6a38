"""Groups of people whose chance to live in a place depends on their class: figures first, groups when asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.bins import SMALL_G
from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.groups import AnyGroups
from policy_sim.formulas.several_classes import figures_of_sums
from policy_sim.formulas.single_class import figures_of_parts
from policy_sim.words.arrays import FloatArray, IntArray


class ClassedGroups(AddedGroups):
    """The people of each class and cell, and the pieces of counties where they live.

    Total risk, g-distinct of bins of at most :data:`~.bins.SMALL_G` people, and claims are computed from the people;
    for everything else, the groups of each set of classes are made (``of_classes``) and added up.
    """

    def __init__(self, people: ClassedPeople, pieces: Pieces, of_classes: Callable[[], tuple[AnyGroups, ...]]) -> None:
        self.__dict__.update(people=people, pieces=pieces, of_classes=of_classes)

    @cached_property
    def classes(self) -> tuple[AnyGroups, ...]:
        """The groups of each set of classes."""
        of_classes: Callable[[], tuple[AnyGroups, ...]] = self.__dict__["of_classes"]
        return of_classes()

    @property
    def units(self) -> int:  # type: ignore[override]
        """Number of results."""
        return int(self.__dict__["pieces"].units)

    @property
    def says_who_is_listed(self) -> bool:
        """Whether each row of people has its chance to be listed."""
        return self.__dict__["people"].listed is not None

    def without_stale(self) -> ClassedGroups:
        """Return the same people on a list without stale records."""
        people: ClassedPeople = self.__dict__["people"]
        if people.stale is None:
            return self
        groups = ClassedGroups(
            people.without_stale(),
            self.__dict__["pieces"],
            lambda: tuple(of.without_stale() for of in self.classes),
        )
        groups.__dict__.update(_apart=tuple(rows.without_stale() for rows in self._apart))
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

    def _figures(self, coverage: FloatArray, most: int) -> Figures:
        """Return figures with bins of at least ``most`` entries; kept by the coverage."""
        key = coverage.tobytes()
        if key not in self._known or len(self._known[key].by_size) < most:
            single, several = self._apart
            pieces: Pieces = self.__dict__["pieces"]
            figures = Figures.none(pieces.units, most)
            if len(single.cell):
                figures.add(figures_of_parts(single, pieces, coverage, most))
            if len(several.cell):
                figures.add(figures_of_sums(several, pieces, coverage, most))
            self._known[key] = figures
        return self._known[key]

    @cached_property
    def _known(self) -> dict[bytes, Figures]:
        """The figures that were computed, by the coverage of the units."""
        return {}

    @cached_property
    def _apart(self) -> tuple[ClassedPeople, ClassedPeople]:
        """The people of cells of one class where each piece of a county is a place, and the others."""
        people: ClassedPeople = self.__dict__["people"]
        is_single = np.bincount(people.cell)[people.cell] == 1
        if not self.__dict__["pieces"].apart:
            is_single[:] = False
        return tuple(people.of_rows(np.flatnonzero(rows)) for rows in (is_single, ~is_single))  # type: ignore[return-value]
