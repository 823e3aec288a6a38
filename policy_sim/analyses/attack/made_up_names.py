"""Made-up names: syllables put together, so that nobody's name is used on purpose."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["made_up_names"]

_FIRST = ("Ba", "Ce", "Do", "Fi", "Gu", "Ha", "Je", "Ki", "Lo", "Mu", "Na", "Pe", "Qui", "Ro", "Su", "Ta", "Ve", "Wi")
_MIDDLE = ("bra", "che", "dri", "flo", "gnu", "kla", "mne", "pri", "sto", "thu", "vla", "zwe")
_LAST = ("ban", "cot", "del", "fen", "gor", "hil", "lum", "mar", "nix", "pod", "rus", "tov", "wyn", "zek")


def made_up_names(number: int, rng: np.random.Generator) -> NDArray[np.str_]:
    """Return this many given and family names; two people may share one."""
    words = _words()
    first_name, family = (rng.integers(0, len(words), number) for _ in range(2))
    return np.char.add(np.char.add(words, " ")[first_name], words[family])


@cache
def _words() -> NDArray[np.str_]:
    """Every word of a first, a middle and a last syllable: 3,024."""
    return np.array([first + middle + last for first in _FIRST for middle in _MIDDLE for last in _LAST])
