"""How many classes have each size: all that most estimators need to know of a file.

A class is the set of records that agree in every key field. A file of a billion records has at most
a few thousand distinct class sizes, so whatever is computed from this noun is quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError

__all__ = ["SizeHistogram"]


def _whole(values: npt.ArrayLike, what: str) -> IntArray:
    """Return whole numbers as int64, or say that they are not whole."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind not in "iuf" or not np.all(np.isfinite(array)) or np.any(array % 1 != 0):
        raise InputError(f"{what} must be whole numbers.")
    return np.atleast_1d(array).astype(np.int64)


@dataclass(frozen=True, eq=False)
class SizeHistogram:
    """The class sizes of a file, each with its number of classes.

    Parameters
    ----------
    size : Distinct class sizes, ascending, >= 1; shape (m,).
    classes : Number of classes of that size, >= 1; shape (m,).

    Raises
    ------
    InputError : a size or number below 1, sizes out of order or repeated.

    Examples
    --------
    >>> sample = SizeHistogram.of({1: 9, 2: 1, 3: 1})
    >>> sample.records, sample.number, sample.uniques
    (14, 11, 9)
    """

    size: IntArray
    classes: IntArray

    def __post_init__(self) -> None:
        size, classes = _whole(self.size, "class sizes"), _whole(self.classes, "numbers of classes")
        if size.shape != classes.shape or size.ndim != 1:
            raise InputError(f"{size.size} class sizes and {classes.size} numbers of classes do not pair up.")
        if np.any(size < 1) or np.any(classes < 1):
            raise InputError("class sizes and numbers of classes must be 1 or more.")
        if np.any(np.diff(size) <= 0):
            raise InputError("class sizes must be distinct and ascending.")
        for name, values in (("size", size), ("classes", classes)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def of(cls, sizes: SizeHistogram | Mapping[int, int]) -> SizeHistogram:
        """Return the histogram of a mapping {class size: number of classes}; sizes with none are dropped."""
        if isinstance(sizes, SizeHistogram):
            return sizes
        if not isinstance(sizes, Mapping):
            raise InputError(
                "class sizes must be a mapping {class size: number of classes} or a SizeHistogram; "
                "for one size per class use SizeHistogram.from_classes."
            )
        size, classes = _whole(list(sizes), "class sizes"), _whole(list(sizes.values()), "numbers of classes")
        order = np.argsort(size)
        order = order[classes[order] != 0]
        return cls(size[order], classes[order])

    @classmethod
    def from_classes(cls, sizes: npt.ArrayLike) -> SizeHistogram:
        """Return the histogram of one size per class; classes of size 0 are not in the file and drop out."""
        class_sizes = _whole(sizes, "class sizes")
        if class_sizes.size and class_sizes.min() < 0:
            raise InputError("class sizes must not be negative.")
        size, classes = np.unique(class_sizes[class_sizes > 0], return_counts=True)
        return cls(size, classes.astype(np.int64))

    @cached_property
    def records(self) -> int:
        """Records in the file, n."""
        return int(self.size @ self.classes)

    @cached_property
    def number(self) -> int:
        """Classes in the file, u."""
        return int(self.classes.sum())

    @property
    def uniques(self) -> int:
        """Classes of one record, s1."""
        return self.of_size(1)

    def of_size(self, size: int) -> int:
        """Return the number of classes of this size."""
        at = int(np.searchsorted(self.size, size))
        return int(self.classes[at]) if at < self.size.size and self.size[at] == size else 0

    def to_dict(self) -> dict[int, int]:
        """Return {class size: number of classes}."""
        return dict(zip(self.size.tolist(), self.classes.tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizeHistogram) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.size.tobytes(), self.classes.tobytes()))
