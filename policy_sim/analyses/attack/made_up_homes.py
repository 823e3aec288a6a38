"""The ZIP code areas in which made-up people live: those of each county are assigned to its areas again in each run.

An area gets as many people of a county as were counted there; which of them is chance, whatever their age, sex and
race. Nothing here shares code with the means over that chance (:mod:`policy_sim.population.zip_shares` has the shares).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.policies.policy import SmallPlaces
from policy_sim.population.zip_areas import share_out
from policy_sim.population.zip_shares import ZipShares

__all__ = ["Homes", "deal_homes"]


@dataclass(frozen=True, eq=False)
class Homes:
    """Where each person lives.

    Attributes
    ----------
    zips : The parts of every county by ZIP code area.
    part : The part that each person lives in, as a place among those of ``zips``; shape (people,).
    """

    zips: ZipShares
    part: IntArray

    def shown(self, place: str, small: SmallPlaces | None) -> IntArray:
        """Return the place of each person as a key shows it, a number; small three-digit ZIP codes share one.

        Parameters
        ----------
        place : ``zip3``, ``zip5``, ``county_zip3`` or ``county_zip5``.
        small : Which places are not shown.
        """
        prefix = self.zips.zip5.astype("U3")
        names = {"zip3": prefix, "zip5": self.zips.zip5}.get(place)
        code = np.arange(len(prefix)) if names is None else np.unique(names, return_inverse=True)[1].reshape(-1)
        if place == "county_zip3":
            names = None
            code = np.unique(np.char.add(self.zips.county.astype(np.str_), prefix), return_inverse=True)[1].reshape(-1)
        if small is not None:
            hidden = sorted(self.zips.small if small.listed is None else small.listed)
            code = np.where(np.isin(prefix, hidden), len(prefix), code)
            if names is None:  # as the census parts them: small areas of two counties stay two places
                code = np.where(code == len(prefix), len(prefix) + self.zips.county, code)
        return code[self.part].astype(np.int64)


def deal_homes(county: IntArray, zips: ZipShares, rng: np.random.Generator) -> Homes:
    """Deal people out to the ZIP code areas of their counties.

    Parameters
    ----------
    county : Each person's county, as ``zips`` numbers them; shape (people,).
    zips : The parts of the counties.
    rng : Source of chance.

    Examples
    --------
    >>> zips = ZipShares(np.array([0, 0]), np.array(["43001", "43002"]), np.array([0.75, 0.25]), np.array([8.0]), {})
    >>> homes = deal_homes(np.zeros(8, dtype=np.int64), zips, np.random.default_rng(1))
    >>> np.bincount(homes.part).tolist()
    [6, 2]
    """
    order = np.argsort(county, kind="stable")
    numbers, first = np.unique(county[order], return_index=True)
    ends, part = [*first.tolist()[1:], len(county)], np.empty(len(county), dtype=np.int64)
    for number, low, high in zip(numbers.tolist(), first.tolist(), ends, strict=True):
        parts = np.flatnonzero(zips.county == number)
        home = np.repeat(parts, share_out(high - low, zips.share[parts]))
        rng.shuffle(home)
        part[order[low:high]] = home
    return Homes(zips, part)
