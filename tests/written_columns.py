"""Columns of a written file, made of their values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policy_sim.release.attack.written import WrittenColumn


def column(name: str, values: Sequence[str]) -> WrittenColumn:
    """A column as the attack reads it: the empty text is a blank."""
    texts = [*dict.fromkeys(value for value in values if value)]
    place = {"": 0} | {text: at for at, text in enumerate(texts, 1)}
    return WrittenColumn(name, tuple(texts), np.array([place[value] for value in values], dtype=np.int64))
