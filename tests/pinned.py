"""Counts of hundreds: a pinned part of them, or the whole where ``POLICY_SIM_WHOLE`` is set, as by ``make whole``."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")


def pinned(part: T, whole: T) -> T:
    """Return the part that every run tries, or the whole."""
    return whole if os.environ.get("POLICY_SIM_WHOLE") else part
