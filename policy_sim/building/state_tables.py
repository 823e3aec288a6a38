"""Official tables of one state as aligned arrays, to which a shipped population is fitted.

Axes, in this order where they occur: counties, 2 origins (Hispanic, not Hispanic), 7 races
(:data:`~policy_sim.population.cells.RACES`), 2 sexes (M, F), and ages: 23 classes
(:data:`~policy_sim.population.ages.CLASS_STARTS`) or 86 years (0 to 84, 85 and over).
"""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.population.cells import RACES

__all__ = ["GROUPS", "HISPANIC", "NOT_HISPANIC", "AgePatterns", "Decennial"]


HISPANIC, NOT_HISPANIC = 0, 1
# Race and origin as in redistricting tables and estimates: a partition of the people.
GROUPS = ("hispanic", *RACES)


@dataclass(frozen=True)
class AgePatterns:
    """The age distributions of a state, for what no table of its counties shows.

    Attributes
    ----------
    years : People of the state, all races, by year of age; shape (2, 86).
    classes : People of the state by group, in the coarser ages that begin at ``class_starts``; shape (8 groups, 2,
        classes). They are 0 for "some other race", which estimates lack.
    class_starts : First age of each of those ages.
    nation : People of the nation by origin and race; shape (2 origins, 7, 2, 86).
    open_shares : Share of each of the 18 ages (85 to 99, 100-104, 105-109, 110 and over) among the state's people of
        85 and over; shape (2, 7, 18).
    """

    years: FloatArray
    classes: FloatArray
    class_starts: IntArray
    nation: FloatArray
    open_shares: FloatArray


@dataclass(frozen=True)
class Decennial:
    """The counts of a census in the counties of a state, without the joint table of age and smaller races.

    Attributes
    ----------
    state : Two-digit FIPS code.
    counties : Five-digit FIPS codes, sorted.
    everyone, white, black, hispanic, white_not_hispanic : Tables P12, P12A, P12B, P12H and P12I;
        shape (counties, 2, 23).
    race_origin : Tables P7 and P8 (2000) or P3 and P5 (2010); shape (counties, 2 origins, 7).
    patterns : The age distributions of this state.
    """

    state: str
    counties: tuple[str, ...]
    everyone: IntArray
    white: IntArray
    black: IntArray
    hispanic: IntArray
    white_not_hispanic: IntArray
    race_origin: IntArray
    patterns: AgePatterns
