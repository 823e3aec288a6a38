"""The share of people g-distinct for every g, under one policy and attacker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from policy_sim.results.shown import Shown
from policy_sim.status import Status

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Curve"]


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Shown):
    """People g-distinct for g = 1, 2, ..., as shares (0..1) of the people released (``records``).

    ``low`` and ``high`` have shape (g_max,), or are None where there is no list. ``combinations`` has one
    such array for every combination of the list's unknown fields, as :class:`RiskProfile` has figures.

    Examples
    --------
    >>> share = np.array([0.0, 0.5])
    >>> curve = Curve("OH", "county", "general", "us", "", "birth=year", "ok", "", share, share, 100)
    >>> curve.low.tolist()
    [0.0, 0.5]
    """

    state: str
    policy: str
    attacker: str
    population: str
    lists: str
    linkage_key: str
    status: Status
    reason: str
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None
    records: float = 0.0
    combinations: tuple[NDArray[np.float64], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per g (:func:`~policy_sim.results.result_tables.curve_frame`).

        Returns
        -------
        The rows; shares (0..1).

        Examples
        --------
        >>> share = np.array([0.0, 0.5])
        >>> curve = Curve("OH", "county", "general", "us", "", "birth=year", "ok", "", share, share, 100)
        >>> curve.to_frame()["g"].tolist()
        [1, 2]
        """
        from policy_sim.results.result_tables import curve_frame

        return curve_frame([self])

    def each(self) -> tuple[NDArray[np.float64], ...]:
        """Shares under every combination of unknown fields; none without a list.

        Returns
        -------
        One array per combination, each a share (0..1) for g = 1, 2, ....

        Examples
        --------
        >>> share = np.array([0.0, 0.5])
        >>> curve = Curve("OH", "county", "general", "us", "", "birth=year", "ok", "", share, share, 100)
        >>> [each.tolist() for each in curve.each()]
        [[0.0, 0.5]]
        """
        if self.low is None or self.high is None:
            return ()
        return self.combinations or ((self.low,) if self.status == "ok" else (self.low, self.high))
