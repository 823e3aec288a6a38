"""Limits in use elsewhere for the risk of a release (``data/thresholds.toml``), and where a figure stands to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.model.profile import RiskProfile
from policy_sim.show.numbers import interval, of_hundred, percent


@dataclass(frozen=True)
class Threshold:
    """One limit: how it is said, what it counts, and its source.

    ``shares`` are limits of the mean risk of a record (0..1), from the largest; ``least`` is that of the people in a
    group. A threshold has one of the two.
    """

    who: str
    limit: str
    counts: str
    citation: str
    shares: tuple[float, ...] = ()
    least: int = 0

    def stand(self, profile: RiskProfile) -> str:
        """Say how a profile of a file compares: its mean risk, or its people in smaller groups."""
        if self.least:
            small = profile.share(f"{self.least - 1}-distinct")
            if small is None:
                return "no figure"
            words = of_hundred(small.low, small.high)
            most = words if words == "nearly all" else interval(small.low, small.high, percent)
            return f"{most} in smaller groups"
        risk = profile.share(TOTAL_RISK)
        if risk is None:
            return "no figure"
        places = {sum(share <= limit for limit in self.shares) for share in (risk.low, risk.high)}
        if len(places) > 1:
            return "unknown: the figure is a range"
        below = places.pop()
        if len(self.shares) == 1:
            return "below" if below else "above"
        return {0: "above both", len(self.shares): "below both"}.get(below, "between the two")


@cache
def thresholds() -> tuple[Threshold, ...]:
    """Return every limit, in the order of the file."""
    path = Path("thresholds.toml")
    with damaged_if_wrong(path):
        return tuple(
            Threshold(**(entry | {"shares": tuple(entry.get("shares", ()))}))
            for entry in shipped_table(path)["threshold"]
        )


def small_groups() -> tuple[int, ...]:
    """Return the largest group that is below a limit, for each limit of groups."""
    return tuple(sorted({limit.least - 1 for limit in thresholds() if limit.least}))


def goals() -> tuple[float, ...]:
    """Return the limits of a mean risk, each once, from the largest."""
    return tuple(sorted({share for limit in thresholds() for share in limit.shares}, reverse=True))
