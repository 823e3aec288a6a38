"""Who lives in which ZIP code areas of a county: chances by age and by race or origin, from factors.

A census counts adults and minors of each race and origin by ZIP code area, but not age, sex and race together. Factors
fitted to these counts (``policy_sim/building/zip_composition.py``) say how much more often people of an age, and of a
group, live in a part of a county than others do. The chance of a person to live in part ``k`` is

    ``q_k = s_k w_k r_k(age) a_k(group) / sum over the county's parts``

with the part's share ``s_k`` of the county's people, its weight ``w_k``, the factor ``r_k`` of the person's age and
the factor ``a_k`` of the person's group among adults or among minors. Chances add up to 1 in a county, so that every
county cell keeps its people exactly.

Factors of ages and groups are one byte each: 0 for "nobody", otherwise ``exp((byte - 128) / 32)``. Weights are two
bytes, ``exp((number - 32768) / 4096)``, fitted last, so that every part has its people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.files.parquet import read_frame
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong
from policy_sim.words.arrays import FloatArray, IntArray

AGE_STARTS = (0, 5, 15, 18, 20, 25, 45, 50, 55, 60, 65)  # the eleven ages that the survey publishes by area
ADULT_AGES = AGE_STARTS.index(18)  # the first of them that is of adults
GROUPS = ("hispanic", "white", "black", "aian", "asian_nhpi", "other", "two_or_more")
CLASSES = len(AGE_STARTS) * len(GROUPS)
_GROUP_OF_RACE: Mapping[str, str] = {"asian": "asian_nhpi", "nhpi": "asian_nhpi", "multiple": "two_or_more"}

AGE_COLUMNS = [f"age_{start}" for start in AGE_STARTS]
ADULT_COLUMNS = [f"adult_{group}" for group in GROUPS]
MINOR_COLUMNS = [f"minor_{group}" for group in GROUPS]
BYTE_COLUMNS = [*AGE_COLUMNS, *ADULT_COLUMNS, *MINOR_COLUMNS]
FACTOR_COLUMNS = [*BYTE_COLUMNS, "weight"]

FACTOR_STEPS, _MIDDLE = 32, 128  # to the factor e, and the byte of the factor 1
WEIGHT_STEPS, MIDDLE_WEIGHT = 4096, 32768  # the same of weights


def as_bytes(factors: FloatArray) -> NDArray[np.uint8]:
    """Return factors as bytes, to the nearest step of 1/32 of e; the smallest is 0.019, the largest 53.

    >>> as_bytes(np.array([0.0, 1.0, 2.0, 1e-9])).tolist()
    [0, 128, 150, 1]
    """
    step = np.rint(np.log(np.where(factors > 0, factors, 1.0)) * FACTOR_STEPS)
    code = np.clip(step + _MIDDLE, 1, 2 * _MIDDLE - 1)
    return np.where(factors > 0, code, 0).astype(np.uint8)


def as_factors(codes: NDArray[np.uint8]) -> FloatArray:
    """Return the factors that bytes stand for.

    >>> as_factors(np.array([0, 128, 160], dtype=np.uint8)).round(4).tolist()
    [0.0, 1.0, 2.7183]
    """
    table = np.exp((np.arange(2 * _MIDDLE) - _MIDDLE) / FACTOR_STEPS)
    table[0] = 0.0
    factors: FloatArray = table[codes]
    return factors


def as_weights(factors: FloatArray) -> NDArray[np.uint16]:
    """Return factors > 0 as numbers of two bytes, to the nearest step of 1/4096 of e.

    >>> as_weights(np.array([1.0, 2.0])).tolist()
    [32768, 35607]
    """
    step = np.rint(np.log(factors) * WEIGHT_STEPS) + MIDDLE_WEIGHT
    numbers: NDArray[np.uint16] = np.clip(step, 0, 2 * MIDDLE_WEIGHT - 1).astype(np.uint16)
    return numbers


def group_of_race(race: str) -> int:
    """Return the group of those of a race who are not Hispanic."""
    return GROUPS.index(_GROUP_OF_RACE.get(race, race))


def class_of(kinds: pd.DataFrame) -> IntArray:
    """Return the class, 0 to :data:`CLASSES` - 1, of rows with ``age``, ``race`` and ``ethnicity``.

    A class is one of the eleven ages and one of the seven groups: the Hispanics of any race, then the others by race.

    >>> kinds = pd.DataFrame({"age": [0, 70], "race": ["white", "nhpi"], "ethnicity": ["hispanic", "not_hispanic"]})
    >>> class_of(kinds).tolist()
    [0, 74]
    """
    age = np.searchsorted(AGE_STARTS, kinds["age"].to_numpy(), side="right") - 1
    race, ethnicity = (pd.Categorical(kinds[name]) for name in ("race", "ethnicity"))
    groups = [group_of_race(name) for name in race.categories.astype(str)]
    group = np.array(groups, dtype=np.int64)[race.codes]
    hispanic = (ethnicity.categories.astype(str) == "hispanic")[ethnicity.codes]
    of_kind: IntArray = age * len(GROUPS) + np.where(hispanic, 0, group)
    return of_kind


@dataclass(frozen=True, eq=False)
class Composition:
    """The factors of the parts of counties.

    Attributes
    ----------
    ages : Factor of each of the eleven ages; shape (parts, 11).
    adults, minors : Factor of each of the seven groups; shape (parts, 7).
    weight : Factor of everybody; shape (parts,).
    """

    ages: FloatArray
    adults: FloatArray
    minors: FloatArray
    weight: FloatArray

    @classmethod
    def of_bytes(cls, codes: NDArray[np.uint8], weights: NDArray[np.uint16]) -> Composition:
        """Return the factors of a file from its :data:`BYTE_COLUMNS`, shape (parts, 25), and its weights."""
        ages, adults, minors = np.split(as_factors(codes), np.cumsum([len(AGE_STARTS), len(GROUPS)]), axis=1)
        weight: FloatArray = np.exp((weights.astype(np.float64) - MIDDLE_WEIGHT) / WEIGHT_STEPS)
        return cls(ages, adults, minors, weight)

    def chances(self, county: IntArray, share: FloatArray) -> FloatArray:
        """Return the chance that a person of each class of the county lives in each part; shape (parts, classes).

        ``county``: of each part, sorted; ``share``: the part's share of the county's people. Where no part of a county
        has anybody of a group, its people live in the parts as others of their age do.
        """
        first = np.flatnonzero(np.diff(county, prepend=-1))
        of_part = np.repeat(np.arange(len(first)), np.diff(first, append=len(county)))
        of_age = self.ages * (share * self.weight)[:, None]
        chance = np.empty((len(share), len(AGE_STARTS), len(GROUPS)))
        np.multiply(of_age[:, :ADULT_AGES, None], self.minors[:, None], out=chance[:, :ADULT_AGES])
        np.multiply(of_age[:, ADULT_AGES:, None], self.adults[:, None], out=chance[:, ADULT_AGES:])
        whole = np.add.reduceat(chance, first, axis=0)
        if (empty := whole <= 0).any():
            np.copyto(chance, of_age[:, :, None], where=empty[of_part])
            whole = np.add.reduceat(chance, first, axis=0)
        chance /= whole[of_part]
        return chance.reshape(-1, CLASSES)


def composition_file(base: str) -> Path:
    """Return the file of the factors at a census, such as that of ``us-2020``."""
    return data_dir() / "zip" / f"zcta_composition_{base[-4:]}.parquet"


class AreaFactors(NamedTuple):
    """The factors of parts as their file has them: bytes of shape (parts, 25), and weights of shape (parts,)."""

    codes: NDArray[np.uint8]
    weights: NDArray[np.uint16]


def composition_of(base: str, county: NDArray[np.str_], zip5: NDArray[np.str_]) -> Composition:
    """Return the factors of parts at a census: as numbers, those of :func:`factors_of`."""
    return Composition.of_bytes(*factors_of(base, county, zip5))


def factors_of(base: str, county: NDArray[np.str_], zip5: NDArray[np.str_]) -> AreaFactors:
    """Return the factors of parts at a census, by county and ZIP code area.

    A part that the census did not have takes those of the area's largest part, as a planning region of Connecticut
    does; an area that it did not have, 1.
    """
    path = composition_file(base)
    with damaged_if_wrong(path):
        held = read_frame(path)
        codes, weights = held[BYTE_COLUMNS].to_numpy(np.uint8), held["weight"].to_numpy(np.uint16)
    areas, largest = np.unique(held["zip5"].to_numpy(dtype=str), return_index=True)
    pairs = pd.Index(held["county"].astype(str) + held["zip5"].astype(str))
    row = pairs.get_indexer(pd.Index(np.char.add(county.astype(str), zip5.astype(str))))
    of_area = pd.Index(areas).get_indexer(pd.Index(zip5))
    row = np.where(row >= 0, row, np.where(of_area >= 0, largest[of_area], -1))
    none = np.full((1, len(BYTE_COLUMNS)), _MIDDLE, dtype=np.uint8)
    return AreaFactors(np.concatenate([codes, none])[row], np.append(weights, np.uint16(MIDDLE_WEIGHT))[row])
