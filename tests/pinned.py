"""Counts of hundreds: a pinned part of them, or the whole where ``POLICY_SIM_WHOLE`` is set, as by ``make whole``."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

T = TypeVar("T")

WHOLE = bool(os.environ.get("POLICY_SIM_WHOLE"))

# Data that ship are made again where what makes them changes, and in the whole: minutes for the same bytes as before.
made_again = pytest.mark.skipif(not WHOLE, reason="shipped data are made again by `make whole`")


def pinned(part: T, whole: T) -> T:
    """Return the part that every run tries, or the whole."""
    return whole if WHOLE else part
