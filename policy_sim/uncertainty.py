"""How sure a figure is: its variance over the birthdays that the census does not show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policy_sim.groups import Groups, g_distinct_variance, total_risk_variance

__all__ = ["variances"]

FloatArray = NDArray[np.float64]


def variances(groups: Groups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of total risk and of g-distinct for each g.

    Over how people fall into the bins that the census does not show; the cells, the key and the list are
    taken as they are. Groups of between one and two bins, of which two at a time have no meaning, are
    taken with two.

    Parameters
    ----------
    groups, coverage : As for :func:`~policy_sim.groups.total_risk`.
    g : Group sizes, each >= 1.

    Returns
    -------
    People squared, shape (units, 1 + len(g)).
    """
    if bool(((groups.bins > 1) & (groups.bins < 2)).any()):
        groups = replace(groups, bins=np.where(groups.bins > 1, np.maximum(groups.bins, 2.0), groups.bins))
    columns = [total_risk_variance(groups, coverage), *(g_distinct_variance(groups, size, coverage) for size in g)]
    return np.column_stack(columns)
