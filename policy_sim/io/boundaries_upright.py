"""States turned upright: the projection of the national map, centered on the meridian of a few states.

On the national map a state far from 96° W leans. Albers' equal-area projection about another
meridian is the same map turned about the point where all meridians meet, so a turn is exact.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from policy_sim.io.boundaries import load_boundaries

__all__ = ["APEX", "turn_upright"]

_PARALLELS, _ORIGIN = (29.5, 45.5), 23.0  # degrees; of the 48 states, as building/make_boundaries.py projects them
_RADIUS, _ECCENTRICITY_2 = 6_378_137.0, 0.006694380022903  # of GRS 80, the ellipsoid of NAD83
_MOVED_IN = ("02", "15", "72")  # drawn in projections of their own, already upright
_MOST_STATES = 8  # with more states, the map looks like the familiar national map


def _apex() -> float:
    """Return how far north of the map's origin all meridians meet, in meters.

    References
    ----------
    J. P. Snyder (1987), Map Projections: A Working Manual, USGS Professional Paper 1395, equations 14-3,
    14-12 to 14-15 and 3-12.
    """
    root = math.sqrt(_ECCENTRICITY_2)

    def width(latitude: float) -> float:
        sine = math.sin(math.radians(latitude))
        return math.cos(math.radians(latitude)) / math.sqrt(1 - _ECCENTRICITY_2 * sine**2)

    def area(latitude: float) -> float:
        sine = math.sin(math.radians(latitude))
        flat = sine / (1 - _ECCENTRICITY_2 * sine**2)
        return (1 - _ECCENTRICITY_2) * (flat - math.log((1 - root * sine) / (1 + root * sine)) / (2 * root))

    south, north = _PARALLELS
    cone = (width(south) ** 2 - width(north) ** 2) / (area(north) - area(south))
    constant = width(south) ** 2 + cone * area(south)
    return _RADIUS * math.sqrt(constant - cone * area(_ORIGIN)) / cone


APEX = _apex()


def turn_upright(counties: Collection[str]) -> float:
    """Return the angle (radians, counterclockwise about ``(0, APEX)``) that turns the counties' states upright.

    It is 0 for the nation or many states, and for Alaska, Hawaii and Puerto Rico.

    Parameters
    ----------
    counties : Five-digit FIPS codes of the counties on the map.
    """
    states = {code[:2] for code in counties}
    if not states or len(states) > _MOST_STATES or states & set(_MOVED_IN):
        return 0.0
    import shapely

    points = shapely.get_coordinates(load_boundaries("county").loc[list(counties), "geometry"].to_numpy())
    angles = np.arctan2(points[:, 0], APEX - points[:, 1])
    return -float(angles.min() + angles.max()) / 2
