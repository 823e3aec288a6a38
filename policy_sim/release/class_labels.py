"""Labels and the values that each stands for: those of a level, and those of single classes, intervals and sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from policy_sim.release.ladders import Hierarchy, interval_text
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

MOST_LISTED = 8
"""Values that the label of a set names: those of the set, or those that it lacks."""
_SHORT = 4  # values of a set that are named even where it lacks fewer
_LACKING = "not "
ANOTHER = "another value"
"""What a set names in place of a value that fewer people of the file have than a class must have."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of a field; those of label ``i`` are the values ``members[start[i]:stop[i]]``, from 1, of a ladder.

    Of sets, ``named`` has the values that each text names: those of the set, or those that it lacks.
    """

    texts: tuple[str, ...] = field(repr=False)
    members: IntArray = field(repr=False)
    start: IntArray = field(repr=False)
    stop: IntArray = field(repr=False)
    named: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @classmethod
    def of_level(cls, ladder: Hierarchy, level: int) -> Labels:
        """Return the labels of a level, numbered as :meth:`Hierarchy.groups` numbers its classes."""
        group, number = ladder.groups(level)
        texts = dict.fromkeys(ladder.texts(level))
        members = np.argsort(group[1:], kind="stable") + 1
        stop = np.cumsum(np.bincount(group[1:], minlength=number)).astype(np.int64)
        return cls(tuple(texts), members, np.r_[0, stop[:-1]].astype(np.int64), stop)

    @classmethod
    def none(cls) -> Labels:
        """Return no labels."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls((), nothing, nothing, nothing)

    @property
    def sizes(self) -> IntArray:
        """How many values each label stands for."""
        return self.stop - self.start

    def values(self, at: int) -> IntArray:
        """Return the places of a label's values."""
        return self.members[self.start[at] : self.stop[at]]

    def only(self, at: IntArray) -> Labels:
        """Return some of the labels."""
        places = at.tolist()
        named = tuple(self.named[place] for place in places) if self.named else ()
        texts = tuple(self.texts[place] for place in places)
        return Labels(texts, self.members, self.start[at], self.stop[at], named)

    def within(self, group: IntArray) -> BoolArray:
        """Tell of each label whether all of its values are in one group."""
        changes = np.r_[0, np.cumsum(np.diff(group[self.members]) != 0)]
        last = np.maximum(self.stop - 1, 0)
        return np.asarray((self.sizes == 0) | (changes[last] == changes[np.minimum(self.start, last)]), dtype=np.bool_)


def sizes_by_text(parts: Sequence[Labels]) -> FloatArray:
    """Return how many values the text of each label stands for: of equal texts, those of all; 0 for an empty text."""
    sizes = np.concatenate([part.sizes for part in parts])
    first: dict[str, int] = {}
    alike: dict[str, list[int]] = {}
    texts = [text for part in parts for text in part.texts]
    for at, text in enumerate(texts):
        if first.setdefault(text, at) != at:
            alike.setdefault(text, [first[text]]).append(at)
    of_part = np.repeat(np.arange(len(parts)), [len(part.texts) for part in parts])
    begins = np.r_[0, np.cumsum([len(part.texts) for part in parts])]
    for places in alike.values():
        every = [parts[of_part[at]].values(at - begins[of_part[at]]) for at in places]
        sizes[places] = len(np.unique(np.concatenate(every)))
    if "" in first:
        sizes[[at for at, text in enumerate(texts) if not text]] = 0
    return sizes.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Ends:
    """Classes of some levels, of which those of one level stand for the units in which an interval begins and ends.

    Each of ``classes`` has the first unit of the class of each unit, the last, and the text. ``level`` is the finest
    that may stand for a unit; -1 before any is added.
    """

    level: IntArray
    classes: list[tuple[IntArray, IntArray, list[str]]]

    @classmethod
    def none(cls, units: int) -> Ends:
        """Return no classes."""
        return cls(np.full(units, -1, dtype=np.int64), [])

    def add(self, of_units: IntArray, texts: Sequence[str], stands: BoolArray) -> None:
        """Add the next coarser level: the class of each unit, in order, its text, and for which units it stands."""
        first, last = (np.searchsorted(of_units, of_units, side=side) for side in ("left", "right"))
        self.level[stands] = len(self.classes)
        self.classes.append((first, last - 1, [texts[at] for at in of_units.tolist()]))

    def of(self, low: int, high: int) -> tuple[int, int, str, str]:
        """Return the units where an interval begins and ends, and the texts of both."""
        first, last, texts = self.classes[max(self.level[low], self.level[high])]
        return int(first[low]), int(last[high]), texts[low], texts[high]


def interval_labels(
    unit: IntArray, names: Sequence[str], low: IntArray, high: IntArray, ends: Ends | None = None
) -> Labels:
    """Return the labels of intervals of units; ``unit`` is that of a missing value and of each value, -1 for none.

    With ``ends``, an interval begins where the class of its lowest unit does, and ends where that of its highest does.
    """
    pairs = [(a, b, names[a], names[b]) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    if ends is not None and ends.classes:
        pairs = [ends.of(a, b) for a, b, _, _ in pairs]
        low, high = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in (0, 1))
    placed = np.flatnonzero(unit[1:] >= 0) + 1
    members = placed[np.argsort(unit[placed], kind="stable")]
    covered = np.r_[0, np.cumsum(np.bincount(unit[placed], minlength=len(names)))]
    texts = tuple(interval_text(first, last) for _, _, first, last in pairs)
    return Labels(texts, members, covered[low], covered[high + 1])


def set_labels(unit: IntArray, names: Sequence[str], sets: Sequence[IntArray]) -> Labels:
    """Return the labels of sets of units, as :func:`interval_labels` does for intervals."""
    placed = np.flatnonzero(unit[1:] >= 0) + 1
    in_order = placed[np.argsort(unit[placed], kind="stable")]
    covered = np.r_[0, np.cumsum(np.bincount(unit[placed], minlength=len(names)))]
    values = [
        np.concatenate([in_order[covered[at] : covered[at + 1]] for at in units.tolist()] or [in_order[:0]])
        for units in sets
    ]
    stop = np.cumsum([len(own) for own in values]).astype(np.int64)
    members = np.concatenate([*values, in_order[:0]])
    named, lacking = [], []
    for units in sets:
        own, is_lacking = _named(names, units)
        named.append(own)
        lacking.append(is_lacking)
    texts = tuple(_LACKING * is_lacking + _listed(own) for own, is_lacking in zip(named, lacking, strict=True))
    return Labels(texts, members, np.r_[0, stop[:-1]].astype(np.int64), stop, tuple(named))


def can_be_listed(size: IntArray, units: int) -> BoolArray:
    """Tell whether a label can name a set of so many of the units, or those that it lacks."""
    return np.asarray((size <= MOST_LISTED) | ((units - size <= MOST_LISTED) & (size < units)), dtype=np.bool_)


def _named(names: Sequence[str], units: IntArray) -> tuple[tuple[str, ...], bool]:
    """Return the values that the label of a set names, and whether it lacks them, as a large set does.

    >>> names = ["baker", "cook", "driver", "nurse", "painter", "teacher"]
    >>> _named(names, np.array([1, 3])), _named(names, np.array([0, 1, 2, 3, 4]))
    ((('cook', 'nurse'), False), (('teacher',), True))
    """
    is_large = len(units) > max(_SHORT, len(names) / 2)
    lacking = np.setdiff1d(np.arange(len(names)), units) if is_large else units[:0]
    shown = lacking if len(lacking) else units
    return tuple(sorted((names[at] for at in shown.tolist()), key=lambda name: (name == ANOTHER, name))), bool(
        len(lacking)
    )


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list of alternatives.

    >>> _listed(["cook", "driver", "nurse"]), _listed(["cook"])
    ('cook, driver or nurse', 'cook')
    """
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
