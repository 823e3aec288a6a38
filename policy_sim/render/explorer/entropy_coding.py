"""Numbers as few bytes: range asymmetric numeral systems, many streams side by side.

Each stream (a county) is coded by itself, so that a reader may decode one without the others. The chance of a
symbol depends on its context, which both sides know before they see it. ``explorer/decode.js`` is the reader.

References
----------
J. Duda (2013), Asymmetric numeral systems, arXiv:1311.2540. The byte-wise form is F. Giesen's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import IntArray

__all__ = ["BITS", "ESCAPE", "Coder"]

BITS = 12  # chances are multiples of 1/4096
ESCAPE = 255  # the symbol before a number that is too large to be one: two raw bytes follow
_WHOLE = 1 << BITS
_LEAST = 1 << 23  # a state lies in [_LEAST, 256 * _LEAST)
_BYTE = _WHOLE // 256


@dataclass(frozen=True, eq=False)
class Coder:
    """The chance of each symbol in each context.

    Attributes
    ----------
    frequency : Chance times 4096, whole, shape (contexts, 256); each row adds up to 4096.
    """

    frequency: IntArray

    @classmethod
    def for_numbers(cls, numbers: IntArray, contexts: IntArray, many: int) -> Coder:
        """Take the chances from the numbers themselves.

        Parameters
        ----------
        numbers : 0 to 65,535; from :data:`ESCAPE` on they are written as an escape and two bytes.
        contexts : The context of each, 0 to ``many - 1``.
        """
        symbol = np.minimum(numbers, ESCAPE).reshape(-1)
        counts = np.bincount(contexts.reshape(-1) * 256 + symbol, minlength=many * 256).reshape(many, 256)
        return cls(np.array([_quantized(row) for row in counts]))

    @property
    def start(self) -> IntArray:
        """Sum of the frequencies of the symbols before each one, same shape."""
        return np.cumsum(self.frequency, axis=1) - self.frequency

    def encode(self, numbers: IntArray, contexts: IntArray) -> list[bytes]:
        """Return one string of bytes per stream; ``numbers`` and ``contexts`` have shape (streams, length)."""
        streams, length = numbers.shape
        writer = _Writer(streams, 4 * length + 8)
        start = self.start
        for place in range(length - 1, -1, -1):  # last in, first out
            number, context = numbers[:, place], contexts[:, place]
            symbol = np.minimum(number, ESCAPE)
            for byte in (number & 255, number >> 8):
                writer.put(np.full(streams, _BYTE), byte * _BYTE, symbol == ESCAPE)
            writer.put(self.frequency[context, symbol], start[context, symbol], np.ones(streams, dtype=bool))
        return writer.close()


def _quantized(counts: IntArray) -> IntArray:
    """Return whole numbers that add up to 4096, in proportion to the counts, and at least 1 where there is one."""
    if not counts.sum():
        return np.where(np.arange(len(counts)) == 0, _WHOLE, 0)
    shares = np.where(counts > 0, np.maximum(1, np.round(counts / counts.sum() * _WHOLE)), 0).astype(np.int64)
    while (over := int(shares.sum()) - _WHOLE) != 0:
        most = int(shares.argmax())
        shares[most] -= min(over, int(shares[most]) - 1) if over > 0 else over
        if over > 0 and shares[most] == 1:
            break  # cannot happen with 256 symbols in 4096: the largest share is at least 16
    return shares


class _Writer:
    """States and bytes of all streams; bytes are written backwards."""

    def __init__(self, streams: int, room: int) -> None:
        self._state = np.full(streams, _LEAST, dtype=np.int64)
        self._bytes = np.zeros((streams, room), dtype=np.uint8)
        self._used = np.zeros(streams, dtype=np.int64)

    def put(self, frequency: IntArray, start: IntArray, where: np.ndarray) -> None:
        """Add one symbol to each stream where it is meant."""
        frequency = np.where(where, frequency, 1)
        most = ((_LEAST >> BITS) << 8) * frequency
        while (full := np.flatnonzero(where & (self._state >= most))).size:
            self._bytes[full, self._used[full]] = self._state[full] & 255
            self._used[full] += 1
            self._state[full] >>= 8
        coded = ((self._state // frequency) << BITS) + self._state % frequency + start
        self._state = np.where(where, coded, self._state)

    def close(self) -> list[bytes]:
        """Return the bytes in reading order: the state, then what was written, last first."""
        return [
            int(state).to_bytes(4, "big") + row[:used][::-1].tobytes()
            for state, row, used in zip(self._state, self._bytes, self._used, strict=True)
        ]
