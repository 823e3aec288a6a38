"""Which states share a border."""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["neighbors"]

_NEAR = 0.002  # of the state's width: simplified borders leave gaps


@cache
def neighbors(state: str) -> tuple[str, ...]:
    """Return the postal codes of the states that border a state, in alphabetical order.

    Examples
    --------
    >>> neighbors("WA"), neighbors("HI")
    (('ID', 'OR'), ())
    """
    from policy_sim.io.boundaries import load_boundaries

    shapes = load_boundaries("state")
    if state not in shapes.index:
        return ()
    geometry: dict[Any, Any] = shapes["geometry"].to_dict()
    own = geometry[state]
    width = max(own.bounds[2] - own.bounds[0], own.bounds[3] - own.bounds[1])
    near = own.buffer(_NEAR * width)
    return tuple(sorted(code for code, other in geometry.items() if code != state and near.intersects(other)))
