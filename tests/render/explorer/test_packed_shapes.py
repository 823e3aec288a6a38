from __future__ import annotations

import numpy as np
import pytest

from policy_sim.io.boundaries import load_boundaries
from policy_sim.render.explorer.packed_shapes import GRID, packed_shapes, state_labels, upright_turns


def _numbers(packed):
    value = scale = 0
    scale = 1
    for byte in packed:
        value += (byte & 127) * scale
        scale *= 128
        if byte < 128:
            yield value
            value, scale = 0, 1


def _read(packed, many):
    numbers = _numbers(packed)
    whole = lambda: next(numbers)  # noqa: E731
    step = lambda: (lambda value: -(value + 1) // 2 if value % 2 else value // 2)(whole())  # noqa: E731
    shapes = []
    for _ in range(many):
        x = y = 0
        rings = []
        for _ in range(whole()):
            ring = []
            for _ in range(whole()):
                x, y = x + step(), y + step()
                ring.append((x, y))
            rings.append(np.array(ring))
        shapes.append(rings)
    assert next(numbers, None) is None
    return shapes


@pytest.mark.parametrize("level", GRID)
def test_every_shape_keeps_its_place_and_area(level):
    shapely = pytest.importorskip("shapely")
    codes, packed = packed_shapes(level)
    frame = load_boundaries(level)
    assert list(codes) == list(frame.index)
    grid = GRID[level]
    for code, rings, shape in zip(codes, _read(packed, len(codes)), frame["geometry"], strict=True):
        drawn = shapely.Polygon(rings[0] * grid) if len(rings) == 1 else None
        x, y = np.concatenate(rings).T * grid
        near = 6_000 if level == "state" else 2_500
        assert np.allclose([x.min(), y.min(), x.max(), y.max()], shape.bounds, atol=near) or len(rings) > 1, code
        if drawn is not None and shape.area > 2e9:
            assert drawn.area == pytest.approx(shape.area, rel=0.05), code


def test_labels_and_turns_are_those_of_the_maps():
    assert len(state_labels()) == len(load_boundaries("state"))
    turns = upright_turns()
    assert turns["15"] == 0
    assert turns["53"] < 0 < turns["23"] or turns["23"] < 0 < turns["53"]
