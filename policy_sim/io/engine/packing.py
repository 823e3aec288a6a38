"""The codes of a record written as few whole numbers, inside an engine and outside it.

A field is a digit: its code where some record misses the field, else its code less 1, so that no
number stands for a class that cannot be. The first field is the lowest digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.io.engine.expressions import long

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["Digit", "Packing"]

_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Digit:
    """Where a field stands: its position, the code of its lowest digit, how many digits, and what one is worth."""

    field: int
    least: int
    digits: int
    scale: int


@dataclass(frozen=True)
class Packing:
    """How codes are packed.

    Parameters
    ----------
    values : Values of each field.
    missing : Whether a record may miss the field.
    """

    values: tuple[int, ...]
    missing: tuple[bool, ...]

    @cached_property
    def words(self) -> tuple[tuple[Digit, ...], ...]:
        """The digits of key0, key1, ...: as few whole numbers as hold the codes."""
        words: list[list[Digit]] = [[]]
        scale = 1
        for i, (number, missing) in enumerate(zip(self.values, self.missing, strict=True)):
            digits = max(number + missing, 1)
            if scale * digits > _LARGEST_KEY:
                words.append([])
                scale = 1
            words[-1].append(Digit(i, 0 if missing else 1, digits, scale))
            scale *= digits
        return tuple(tuple(word) for word in words)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the columns that hold the numbers."""
        return tuple(f"key{at}" for at in range(len(self.words)))

    @property
    def possible(self) -> int:
        """Classes that could occur."""
        return math.prod(digit.digits for word in self.words for digit in word)

    def packed(self, table: ir.Table, values: Sequence[ir.Table]) -> ir.Table:
        """Replace the values f0, f1, ... of each record by the packed numbers.

        Every value has its code, nulls too, so each join is an inner one and no record is lost.

        Parameters
        ----------
        values : For each field its values and their codes.
        """
        joined = table
        for word in self.words:
            # half the width where it holds the key: engines count these faster
            kind = "int32" if word and word[-1].scale * word[-1].digits < 2**31 else "int64"
            for digit in word:
                part = (values[digit.field].code - long(digit.least)) * long(digit.scale)
                code_table = values[digit.field].select(
                    **{f"v{digit.field}": "value", f"c{digit.field}": part.cast(kind)}
                )
                joined = joined.inner_join(
                    code_table, joined[f"f{digit.field}"].identical_to(code_table[f"v{digit.field}"])
                )
        sums = [reduce(add, (joined[f"c{digit.field}"] for digit in word)) for word in self.words]
        row = {"row": joined.row} if "row" in table.columns else {}
        return joined.select(**dict(zip(self.keys, sums, strict=True)), **row)

    def parts(self, table: ir.Table) -> dict[int, ir.IntegerValue]:
        """Return a stand-in for each field's code, unpacked inside the engine.

        The stand-in is the digit times its scale: engines divide in floating point, which is not exact
        for keys of 62 bits, but their remainders are.
        """
        return {
            digit.field: table[key] % long(digit.scale * digit.digits) - table[key] % long(digit.scale)
            for key, word in zip(self.keys, self.words, strict=True)
            for digit in word
        }

    def lost(self, table: ir.Table) -> dict[int, ir.BooleanValue]:
        """For each field that a record may miss: which classes miss it."""
        return {i: part == 0 for i, part in self.parts(table).items() if self.missing[i]}

    def pack(self, codes: NDArray[np.int32] | IntArray) -> Mapping[str, IntArray]:
        """Pack codes of shape (rows, fields) as the engine does."""
        keys = {key: np.zeros(len(codes), dtype=np.int64) for key in self.keys}
        for key, word in zip(self.keys, self.words, strict=True):
            for digit in word:
                keys[key] += (codes[:, digit.field].astype(np.int64) - digit.least) * digit.scale
        return keys

    def unpack(self, keys: Sequence[NDArray[np.int32] | IntArray]) -> NDArray[np.int32]:
        """Return the codes, of shape (rows, fields)."""
        codes = np.empty((len(keys[0]), len(self.values)), dtype=np.int32, order="F")
        for key, word in zip(keys, self.words, strict=True):
            rest = key
            for digit in word:
                above = rest // digit.digits
                codes[:, digit.field] = rest - above * digit.digits + digit.least
                rest = above
        return codes
