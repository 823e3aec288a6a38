"""Classes of records by their size, and combinations of codes by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError

# Numbers for combinations of codes: the step before cells that share a key are added up.


# Above this many possible combinations, only those that occur are numbered; above the second, by sorting.
_DENSE = 8_000_000
_SPARSE = 100_000_000


def number_combinations(codes: Sequence[npt.NDArray[np.integer]]) -> IntArray:
    """Return one number per row, the same for two rows exactly when all of their codes are the same.

    Parameters
    ----------
    codes : One or more arrays of codes, each >= 0 and of the same length.

    Returns
    -------
    Numbers from 0 on, in the order of the codes (the first one decides first), with so few gaps that an array
    with a place for each number stays small: at most 8 million places, or as many as there are rows.

    Examples
    --------
    >>> number_combinations([np.array([0, 1, 1]), np.array([2, 0, 2])]).tolist()
    [2, 3, 5]
    """
    number = np.zeros(len(codes[0]), dtype=np.int64)
    possible = 1
    for code in codes:
        values = int(code.max(initial=0)) + 1
        if possible * values > _DENSE:  # most combinations never occur: a county lies in one state
            number, possible = without_gaps(number, possible)
        number *= values
        number += code
        possible *= values
    return without_gaps(number, possible)[0] if possible > _DENSE else number


def different(numbers: npt.NDArray[np.integer]) -> tuple[IntArray, IntArray]:
    """Return the different numbers, each >= 0, in order, and each element's place among them.

    As np.unique, without its sort where the numbers are small.

    >>> [part.tolist() for part in different(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    again, many = without_gaps(numbers, int(numbers.max(initial=0)) + 1)
    kinds = np.empty(many, dtype=np.int64)
    kinds[again] = numbers
    return kinds, again


def without_gaps(number: npt.NDArray[np.integer], possible: int, most: int = _SPARSE) -> tuple[IntArray, int]:
    """Return the numbers again from 0 without gaps, and how many there are; by a sort if more than ``most`` may be."""
    if possible > most:
        occurring, again = np.unique(number, return_inverse=True)
        return again, len(occurring)
    used = np.zeros(possible, dtype=bool)
    used[number] = True
    occurring = np.flatnonzero(used)
    again = np.empty(possible, dtype=np.int32)  # only what occurs is ever written or read
    again[occurring] = np.arange(len(occurring))
    return again[number].astype(np.int64), len(occurring)


# How many classes have each size: all that most estimators need to know of a file.
#
# A class is the set of records that agree in every key field. A file of a billion records has at most
# a few thousand distinct class sizes, so whatever is computed from this noun is quick.


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
