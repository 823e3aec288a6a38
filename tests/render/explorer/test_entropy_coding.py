"""What is written is read back; the reader here is written from the description alone."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.render.explorer.entropy_coding import BITS, ESCAPE, Coder


def read(stream: bytes, contexts, frequency) -> list[int]:
    """Read one stream."""
    start = np.cumsum(frequency, axis=1) - frequency
    state, at, numbers = int.from_bytes(stream[:4], "big"), 4, []

    def take(first, width):
        nonlocal state, at
        state = width * (state >> BITS) + (state & 4095) - first
        while state < 1 << 23:
            state, at = state << 8 | stream[at], at + 1

    for context in contexts:
        symbol = int(np.flatnonzero(start[context] <= (state & 4095))[-1])
        while not frequency[context, symbol]:
            symbol -= 1
        take(int(start[context, symbol]), int(frequency[context, symbol]))
        if symbol == ESCAPE:
            symbol = 0
            for _ in range(2):
                byte = (state & 4095) // 16
                take(byte * 16, 16)
                symbol = symbol * 256 + byte
        numbers.append(symbol)
    assert at == len(stream)
    return numbers


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read_back(seed):
    rng = np.random.default_rng(seed)
    contexts = rng.integers(0, 3, (7, 400))
    numbers = np.minimum(rng.geometric(0.02 + 0.3 * contexts) - 1, 65_535)
    numbers[rng.random(numbers.shape) < 0.02] = 60_000
    numbers[0, :3] = 254, 255, 256
    coder = Coder.for_numbers(numbers, contexts, 4)
    for stream, row, context in zip(coder.encode(numbers, contexts), numbers, contexts, strict=True):
        assert read(stream, context, coder.frequency) == row.tolist()


def test_one_symbol_alone_takes_no_room():
    numbers = np.zeros((2, 1000), dtype=np.int64)
    coder = Coder.for_numbers(numbers, numbers, 1)
    assert [len(stream) for stream in coder.encode(numbers, numbers)] == [4, 4]


def test_the_size_is_near_the_entropy():
    rng = np.random.default_rng(1)
    numbers = rng.poisson(4.0, (10, 5000))
    _, counts = np.unique(numbers, return_counts=True)
    chance = counts / counts.sum()
    entropy = -(chance * np.log2(chance)).sum() * numbers.size / 8
    contexts = np.zeros_like(numbers)
    written = sum(len(s) for s in Coder.for_numbers(numbers, contexts, 1).encode(numbers, contexts))
    assert entropy < written < 1.01 * entropy + 60


def test_frequencies_fill_the_whole_and_reach_every_symbol():
    rng = np.random.default_rng(2)
    numbers = np.concatenate([np.zeros(100_000, dtype=np.int64), rng.integers(0, 300, 500)])[None, :]
    coder = Coder.for_numbers(numbers, np.zeros_like(numbers), 2)
    assert coder.frequency.sum(axis=1).tolist() == [4096, 4096]
    assert (coder.frequency[0, np.unique(np.minimum(numbers, 255))] > 0).all()
