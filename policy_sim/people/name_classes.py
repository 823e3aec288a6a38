"""How often names are: what the Bureau counted, and one law for the names that it does not list.

Surnames are those of the 2010 census, first names by sex those of the 1990 census, the newest that the Bureau
published. Only how many names have which frequency is shipped (``data/names``), and no name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from policy_sim.files.paths import data_dir
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import UnknownNameError

PEOPLE_OF_2010: Final = 294_979_229  # with a surname in the 2010 census
SURNAMES_OF_2010: Final = 6_300_000  # different ones, as the Bureau's report rounds them
LEAST_LISTED: Final = 100  # people with the rarest listed surname
FIRST_NAMES_PEOPLE: Final = 6_290_000  # with a name in the 1990 files, both sexes
# What a token takes of a last or a first name.
LAST_FORMS: Final = ("last", "last-soundex")
FIRST_FORMS: Final = ("first", "first-soundex", "first-3", "first-initial")


@dataclass(frozen=True, eq=False)
class NameClasses:
    """Names, or codes of names, by frequency.

    ``share``: of the people who have each name, above 0 and up to 1; ``names``: how many names have it. The sum of
    their product is 1. Both have the shape (classes,).
    """

    share: FloatArray
    names: FloatArray

    @property
    def same(self) -> float:
        """The chance that two people have the same name."""
        return float(self.share**2 @ self.names)

    def times(self, other: NameClasses) -> NameClasses:
        """Return the pairs of two names that have nothing to do with each other."""
        share, names = np.multiply.outer(self.share, other.share), np.multiply.outer(self.names, other.names)
        return NameClasses(share.ravel(), names.ravel()).grouped()

    def grouped(self, width: float = 0.08) -> NameClasses:
        """Return the same people in classes of frequency ``width`` wide (a share of it), each with its mean."""
        code = np.floor(np.log(self.share) / width).astype(np.int64)
        code -= code.min()
        names, people = np.bincount(code, self.names), np.bincount(code, self.share * self.names)
        held = names > 0
        number: FloatArray = names[held].astype(np.float64)
        return NameClasses(people[held] / number, number)


NOBODY_APART = NameClasses(np.ones(1), np.ones(1))


@cache
def _listed() -> pd.DataFrame:
    return pd.read_csv(data_dir() / "names" / "frequencies.csv.gz")


@cache
def name_classes(form: str, sex: str = "") -> NameClasses:
    """Return the frequencies of a form of a name: of last names, or of the first names of ``M`` or ``F``.

    A list covers nine people in ten. Codes of names, such as Soundex, are taken to be as frequent among the others as
    among these. Of the other names, ``x`` people have each of a number that falls as a power of ``x``, which gives the
    surnames their known number.

    >>> round(1 / name_classes("last").same), round(1 / name_classes("first-initial", "F").same)
    (1775, 15)
    """
    if form not in (*LAST_FORMS, *FIRST_FORMS):
        raise UnknownNameError("form of a name", form, (*LAST_FORMS, *FIRST_FORMS))
    table = _listed()
    rows = table[(table["form"] == form) & (table["sex"].fillna("") == sex)]
    share, names = rows["share"].to_numpy(), rows["names"].to_numpy(np.float64)
    covered = float(share @ names)
    if form in ("last", "first"):
        least = LEAST_LISTED if form == "last" else max(round(share.min() * FIRST_NAMES_PEOPLE / 2), 2)
        rest, number = _others(1 - covered, share.min(), least)
        return NameClasses(np.concatenate([share, rest]), np.concatenate([names, number])).grouped(0.01)
    return NameClasses(share / covered, names)


def _others(people: float, least_share: float, least: int) -> tuple[FloatArray, FloatArray]:
    """Return shares and numbers of the names that are not listed: of 1 to ``least - 1`` people each.

    ``people``: the share of all people who have them; ``least_share``: that of the rarest listed name.
    """
    size = np.arange(1.0, least)
    number = size ** -rarity()
    share = size * least_share / least
    return share, number * (people / float(share @ number))


@cache
def rarity() -> float:
    """Return the power by which names become fewer with the people who have them; of surnames in 2010.

    >>> round(rarity(), 2)
    1.75
    """
    size = np.arange(1.0, LEAST_LISTED)
    rows = _listed()
    listed = rows[rows["form"] == "last"]
    share, names = listed["share"].to_numpy(np.float64), listed["names"].to_numpy(np.float64)
    each = PEOPLE_OF_2010 * (1 - float(share @ names)) / (SURNAMES_OF_2010 - float(names.sum()))
    return float(brentq(lambda power: (size ** (1 - power)).sum() / (size**-power).sum() - each, 0.5, 4.0))
