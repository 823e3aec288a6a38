"""Boundaries as matplotlib paths, made once for all maps of a run."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.io.boundaries import load_boundaries
from policy_sim.io.boundaries_upright import APEX, turn_upright

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

__all__ = ["label_points", "outlines", "upright"]


# Meters on the page that nobody sees on a map of the nation: most of a pixel.
_UNSEEN = 2_500.0


@cache
def outlines(level: str, *, coarse: bool = False) -> Mapping[str, Path]:
    """Return one closed path a state (by postal code) or county (by FIPS code), in meters on the page.

    ``coarse`` leaves out what nobody sees on a map of the nation; neighbors still meet.
    """
    import shapely

    frame = load_boundaries(level)
    shapes = frame["geometry"].to_numpy()
    if coarse:
        shapes = shapely.coverage_simplify(shapes, _UNSEEN)
    return dict(zip(frame.index, map(_path, shapely.normalize(shapes)), strict=True))


def upright(counties: Collection[str]) -> Affine2D:
    """Return how the page is turned so that the states of these counties stand upright."""
    from matplotlib.transforms import Affine2D

    angle = turn_upright(counties)
    return Affine2D().rotate_around(0.0, APEX, angle) if angle else Affine2D()


@cache
def label_points() -> Mapping[str, tuple[float, float]]:
    """Return where each state's label has most room, in meters on the page."""
    frame = load_boundaries("state")
    points = zip(frame["label_x"].tolist(), frame["label_y"].tolist(), strict=True)
    return dict(zip(frame.index, points, strict=True))


def _path(shape: Any) -> Path:
    """Join all rings of a (multi)polygon; outer and inner rings turn in opposite ways, so holes stay open."""
    import shapely
    from matplotlib.path import Path

    rings = shapely.get_rings(shapely.get_parts(shape))
    codes, points = [], []
    for xy in map(shapely.get_coordinates, rings):
        code = np.full(len(xy), Path.LINETO, dtype=Path.code_type)
        code[0], code[-1] = Path.MOVETO, Path.CLOSEPOLY
        codes.append(code)
        points.append(xy)
    return Path(np.concatenate(points), np.concatenate(codes))
