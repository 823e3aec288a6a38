"""The same formulas to 60 digits, and by counting every throw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import mpmath as mp
import pytest


@dataclass(frozen=True)
class Exact:
    """Binomial with ``n`` trials and chance ``c / b``, both exactly the float64 given."""

    n: int
    b: float
    c: float = 1.0

    @property
    def p(self) -> mp.mpf:
        return mp.mpf(self.c) / mp.mpf(self.b)

    @property
    def q(self) -> mp.mpf:
        return 1 - self.p

    def mass(self, size: int) -> mp.mpf:
        if not 0 <= size <= self.n:
            return mp.mpf(0)
        ways = mp.loggamma(self.n + 1) - mp.loggamma(size + 1) - mp.loggamma(self.n - size + 1)
        return mp.exp(ways) * self.p**size * self.q ** (self.n - size)

    def upto(self, size: int) -> mp.mpf:
        """The cumulative probability, as a sum of exact terms in 220-bit whole numbers."""
        if size >= self.n:
            return mp.mpf(1)
        hit, miss = (int(mp.nint(chance * 2**200)) for chance in (self.p, self.q))
        below = size < self.n * self.p
        x = start = size if below else size + 1
        term = total = one = 1 << 220
        while term > total >> 80:
            if below:
                term = term * x * miss // ((self.n - x + 1) * hit)
                x -= 1
            else:
                term = term * (self.n - x) * hit // ((x + 1) * miss)
                x += 1
            total += term
        part = self.mass(start) * total / one
        return part if below else 1 - part


@pytest.fixture(scope="session")
def exact() -> Iterator[type[Exact]]:
    # the printed variances subtract numbers that agree in up to 50 digits
    with mp.workdps(90):
        yield Exact


@pytest.fixture(scope="session")
def throws() -> Callable[[int, int], list[list[int]]]:
    """Every throw of people into bins, each as the sizes of its occupied bins."""

    def every(people: int, bins: int) -> list[list[int]]:
        return [list(Counter(throw).values()) for throw in product(range(bins), repeat=people)]

    return every
