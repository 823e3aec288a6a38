"""Boundaries as small whole numbers: rings of steps on a grid, which the page draws as SVG paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from policy_sim.io.boundaries import load_boundaries
from policy_sim.io.boundaries_upright import turn_upright
from policy_sim.render.explorer.packed_numbers import signed, varints

__all__ = ["GRID", "packed_shapes", "state_labels", "steps_of", "upright_turns"]

GRID = {"state": 1500.0, "county": 300.0}  # meters on the page to one step
_UNSEEN = {"state": 3000.0, "county": 700.0}  # meters: what is left out of an outline, so that neighbors still meet


def packed_shapes(level: str) -> tuple[Sequence[str], bytes]:
    """Return the codes of the shapes of a level (``state`` or ``county``) and their outlines in the same order.

    Returns
    -------
    Codes: postal or FIPS codes. Bytes: for each shape the number of rings, for each ring the number of points and
    the step from the point before, east and north, on a grid of :data:`GRID` meters.
    """
    import shapely

    frame = load_boundaries(level)
    shapes = shapely.normalize(shapely.coverage_simplify(frame["geometry"].to_numpy(), _UNSEEN[level]))
    return [str(code) for code in frame.index], varints(
        number for shape in shapes for number in steps_of(_rings(shape, GRID[level]))
    )


def state_labels() -> list[list[int]]:
    """Return where the label of each state has most room, meters on the page, in the order of its shapes."""
    frame = load_boundaries("state")
    return [[round(x), round(y)] for x, y in zip(frame["label_x"], frame["label_y"], strict=True)]


def upright_turns() -> dict[str, float]:
    """Return the angle (radians) that turns each state upright, by the two digits of its FIPS code."""
    codes: dict[str, list[str]] = {}
    for code in load_boundaries("county").index:
        codes.setdefault(str(code)[:2], []).append(str(code))
    return {state: turn_upright(counties) for state, counties in codes.items()}


def _rings(shape: Any, grid: float) -> list[np.ndarray]:
    """Return the rings of a (multi)polygon on the grid, without points that fall together; tiny ones go."""
    import shapely

    rings = []
    for ring in shapely.get_rings(shapely.get_parts(shape)):
        points = np.round(shapely.get_coordinates(ring) / grid).astype(np.int64)
        moved = np.append(True, (np.diff(points, axis=0) != 0).any(axis=1))
        points = points[moved]
        rings.append(points[:-1] if len(points) > 1 else points)  # a ring closes itself
    whole = [ring for ring in rings if len(ring) > 2]
    return whole or rings[:1]


def steps_of(rings: Sequence[np.ndarray]) -> Iterator[int]:
    """Yield the numbers of one shape, each >= 0.

    Examples
    --------
    A square of side 2 whose first corner is (3, -1):

    >>> square = np.array([[3, -1], [5, -1], [5, 1], [3, 1]])
    >>> list(steps_of([square]))
    [1, 4, 6, 1, 4, 0, 0, 4, 3, 0]
    """
    yield len(rings)
    x = y = 0
    for ring in rings:
        yield len(ring)
        for east, north in ring.tolist():
            yield signed(east - x)
            yield signed(north - y)
            x, y = east, north
