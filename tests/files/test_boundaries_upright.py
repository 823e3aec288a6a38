from __future__ import annotations

import math

import numpy as np
import pytest

from policy_sim.files.boundaries import APEX, load_boundaries, turn_upright

WASHINGTON, MAINE = ("53033", "53077"), ("23003", "23019")


def test_all_meridians_meet_where_the_cone_has_its_apex():
    """On a sphere Albers' cone has n = (sin a + sin b) / 2; the ellipsoid moves its apex by less than 1%."""
    south, north, origin = (math.radians(x) for x in (29.5, 45.5, 23.0))
    n = (math.sin(south) + math.sin(north)) / 2
    apex = 6_378_137 * math.sqrt(math.cos(south) ** 2 + 2 * n * (math.sin(south) - math.sin(origin))) / n
    assert pytest.approx(apex, rel=0.01) == APEX


def test_the_turned_counties_lie_as_far_to_the_left_as_to_the_right():
    for counties in (WASHINGTON, MAINE):
        angle = turn_upright(counties)
        shapes = load_boundaries("county").loc[list(counties), "geometry"]
        points = np.concatenate([np.array(part.exterior.coords) for shape in shapes for part in parts(shape)])
        x, y = points[:, 0], points[:, 1] - APEX
        turned = np.column_stack([x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)])
        lean = np.arctan2(turned[:, 0], -turned[:, 1])
        assert lean.min() + lean.max() == pytest.approx(0, abs=1e-9)


def parts(shape):
    return getattr(shape, "geoms", [shape])


def test_west_and_east_turn_in_opposite_ways():
    assert turn_upright(WASHINGTON) * turn_upright(MAINE) < 0


NINE_STATES = [f"{state:02d}001" for state in (1, 4, 5, 6, 8, 10, 12, 13, 16)]


@pytest.mark.parametrize("counties", [(), ("02020",), ("53033", "15001"), NINE_STATES])
def test_what_is_upright_already_is_not_turned(counties):
    assert turn_upright(counties) == 0
