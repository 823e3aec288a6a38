"""Made-up names: syllables put together, so that nobody's name is used on purpose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["made_up_names"]

_FIRST = ("Ba", "Ce", "Do", "Fi", "Gu", "Ha", "Je", "Ki", "Lo", "Mu", "Na", "Pe", "Qui", "Ro", "Su", "Ta", "Ve", "Wi")
_MIDDLE = ("bra", "che", "dri", "flo", "gnu", "kla", "mne", "pri", "sto", "thu", "vla", "zwe")
_LAST = ("ban", "cot", "del", "fen", "gor", "hil", "lum", "mar", "nix", "pod", "rus", "tov", "wyn", "zek")


def made_up_names(number: int, rng: np.random.Generator) -> NDArray[np.str_]:
    """Return so many given and family names; two people may share one."""

    def word() -> NDArray[np.str_]:
        parts = (rng.choice(np.array(syllables), number) for syllables in (_FIRST, _MIDDLE, _LAST))
        first, middle, last = parts
        return np.char.add(np.char.add(first, middle), last)

    return np.char.add(np.char.add(word(), " "), word())
