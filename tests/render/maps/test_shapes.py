from __future__ import annotations

import numpy as np
import pytest
import shapely

from policy_sim.io.boundaries import load_boundaries
from policy_sim.render.maps.shapes import label_points, outlines, upright
from policy_sim.states import STATES


def area(path):
    """The area within all rings, holes taken off: rings turn in opposite ways."""
    return abs(sum(shoelace(ring) for ring in path.to_polygons(closed_only=True)))


def shoelace(ring):
    x, y = ring[:, 0], ring[:, 1]
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def test_every_state_has_one_path_and_a_label_inside_it():
    assert set(outlines("state")) == set(label_points()) == set(STATES)
    frame = load_boundaries("state")
    for state, point in label_points().items():
        assert shapely.contains_xy(frame.loc[state, "geometry"], *point), state


def test_a_path_has_the_area_of_its_boundary_holes_and_islands_too():
    frame = load_boundaries("state")
    for state, path in outlines("state").items():
        assert area(path) == pytest.approx(frame.loc[state, "geometry"].area, rel=1e-9), state


def test_a_coarse_map_has_fewer_points_and_every_state():
    fine, coarse = outlines("state"), outlines("state", coarse=True)
    assert set(coarse) == set(fine)
    assert sum(len(path) for path in coarse.values()) < 0.8 * sum(len(path) for path in fine.values())


def test_turning_a_state_upright_changes_no_distance():
    points = outlines("state")["WA"].vertices
    turned = upright(["53033"]).transform(points)
    assert not np.allclose(turned, points)
    np.testing.assert_allclose(np.linalg.norm(turned - turned[0], axis=1), np.linalg.norm(points - points[0], axis=1))
