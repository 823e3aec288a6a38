"""What protection of a table means: the criterion, who reads, which cells may be hidden, and what each cell keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from policy_sim.tables.table import Key, Reader
from policy_sim.words.arguments import choice
from policy_sim.words.errors import InputError

CRITERIA = ("E", "T", "R", "D")
COSTS = ("people", "cells")
RANGE, TWO, NEITHER = "the whole range", "two values", "nothing"  # what a hidden cell keeps


class Need(NamedTuple):
    """A cell must be able to move by ``by`` in one of the directions ``signs``."""

    cell: int
    signs: tuple[int, ...]
    by: int


@dataclass(frozen=True)
class Terms:
    """What protection means: the criterion, the largest count that the rule hides, the cost, and who reads."""

    criterion: str = "R"
    largest: int = 10
    cost: str = "people"
    reader: Reader = field(default_factory=dict)
    hide_margins: bool = False
    hide_zeros: bool = False  # a hidden cell may then be 0, and readers know that
    fixed: frozenset[Key] = frozenset()  # published before: nobody can hide them again
    promises: Mapping[Key, str] = field(default_factory=dict)  # of cells that cannot keep what the criterion asks
    totals: frozenset[Key] = frozenset()  # totals that may be hidden, where others may not

    def __post_init__(self) -> None:
        choice("criterion", self.criterion, CRITERIA)
        choice("cost", self.cost, COSTS)
        if self.largest < 1:
            raise InputError(f"largest = {self.largest!r}: the largest hidden count is 1 or more.")

    def needs(self, at: int, key: Key, value: int, down: float) -> list[Need]:
        """Return what a primary cell must be able to do; ``down``: how far the reader lets it sink."""
        promise = self.promises.get(key)
        if promise is not None:
            return [Need(at, (1, -1), 1)] if promise == TWO else []
        if self.criterion == "T":
            below = [Need(at, (-1,), 1)] if down else []  # a count of 1, where nobody takes it for 0
            return [Need(at, (1,), 1), *below]
        if self.criterion != "R" or value > self.largest:  # a larger count is hidden for its difference or population
            return [Need(at, (1, -1), 1)]
        needs = [Need(at, (1,), self.largest - value), Need(at, (-1,), value - 1), Need(at, (1, -1), 1)]
        return [need for need in needs if need.by > 0]
