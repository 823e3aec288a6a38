"""Risk profiles and what is made of two of them, or of one and a price.

A value is a :class:`Bounds`: one figure where every field of the attacker's list is known, else the
figure with the unknown fields withheld (``low``) and with them released (``high``). A value that
does not exist is ``None`` beside a status and a reason; it is never 0 or NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Self

import numpy as np
from numpy.typing import NDArray

from policy_sim.errors import IncompatibleError

__all__ = ["LEVEL", "Bounds", "Cost", "Curve", "Measure", "RiskProfile", "TrustDifferential", "reach"]


LEVEL = 0.95
_ZERO_IN_REACH = 1 / 3  # standard error over the mean: from here on a ratio has no interval


def reach(variance: float, level: float = LEVEL) -> float:
    """Return how far a normal interval reaches to either side."""
    return NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)


@dataclass(frozen=True, order=True)
class Measure:
    """``total-risk``, or ``g-distinct`` with its g. Both count people."""

    name: str
    g: int | None = None

    def __str__(self) -> str:
        return self.name if self.g is None else f"{self.g}-distinct"


@dataclass(frozen=True)
class Bounds:
    """A figure with the unknown fields of a list withheld (``low``) and released (``high``)."""

    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Self:
        """Return a figure in which nothing is unknown."""
        return cls(value, value)

    def per(self, whole: float) -> Bounds:
        """Divide both ends."""
        return Bounds(self.low / whole, self.high / whole)

    def within(self, variance: Bounds, level: float = LEVEL) -> Bounds:
        """Return what holds both ends with chance ``level`` each, given their variances; never below 0."""
        lower, upper = min(self.low, self.high), max(self.low, self.high)
        at_lower, at_upper = (variance.low, variance.high) if self.low <= self.high else (variance.high, variance.low)
        return Bounds(max(lower - reach(at_lower, level), 0.0), upper + reach(at_upper, level))


@dataclass(frozen=True)
class RiskProfile:
    """Every number for one state of one population, one policy and one attacker.

    ``values`` maps each measure to expected people; it is empty where the attacker has no list to
    link with, and ``status`` and ``reason`` say why. ``lists`` is the vintage of the attacker's lists,
    empty for one who needs none. ``inhabitants`` is the state's whole
    population, by which shares are taken (MODEL.md section 4). ``variances`` has the variance of each
    value (people squared) where intervals were asked for, and is empty otherwise.
    """

    state: str
    policy: str
    attacker: str
    population: str
    lists: str
    linkage_key: str
    status: str
    reason: str
    inhabitants: int
    values: Mapping[Measure, Bounds] = field(default_factory=dict)
    variances: Mapping[Measure, Bounds] = field(default_factory=dict)

    def people(self, measure: Measure) -> Bounds | None:
        """Expected people under a measure, or None where there is no list."""
        return self.values.get(measure)

    def share(self, measure: Measure) -> Bounds | None:
        """The same as a share (0..1) of the state's inhabitants."""
        people = self.values.get(measure)
        return None if people is None else people.per(self.inhabitants)

    def interval(self, measure: Measure, level: float = LEVEL) -> Bounds | None:
        """People that hold the measure with chance ``level``, or None where no variance was asked for.

        Over how people fall into bins alone; the census and the list are taken as they are. Where a field
        of the list is not known: from the lower end of the lower figure to the upper end of the higher.
        """
        people, variance = self.values.get(measure), self.variances.get(measure)
        return None if people is None or variance is None else people.within(variance, level)


@dataclass(frozen=True, eq=False)
class Curve:
    """People g-distinct for g = 1, 2, ..., as shares (0..1) of the state's inhabitants.

    ``low`` and ``high`` have shape (g_max,), or are None where there is no list.
    """

    state: str
    policy: str
    attacker: str
    population: str
    lists: str
    linkage_key: str
    status: str
    reason: str
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None


@dataclass(frozen=True)
class TrustDifferential:
    """R(A) / R(B): the same people, attacker and measure under two policies (MODEL.md section 5)."""

    numerator: RiskProfile
    denominator: RiskProfile
    measure: Measure

    def __post_init__(self) -> None:
        for fact in ("population", "state", "attacker"):
            a, b = getattr(self.numerator, fact), getattr(self.denominator, fact)
            if a != b:
                raise IncompatibleError(
                    f"a trust differential compares two policies for the same {fact}, not {a!r} and {b!r}."
                )

    @property
    def status(self) -> str:
        """``ok``, ``interval``, ``undefined`` (denominator 0), or why there is no list."""
        above, below = self.numerator.people(self.measure), self.denominator.people(self.measure)
        if above is None or below is None:
            return self.numerator.status if above is None else self.denominator.status
        if below.low == 0 or below.high == 0:
            return "undefined"
        return "interval" if "interval" in (self.numerator.status, self.denominator.status) else "ok"

    @property
    def reason(self) -> str:
        """Why there is no ratio, or why there are two."""
        if self.status == "undefined":
            return f"{self.denominator.policy} puts nobody at risk by this measure: division by 0."
        return self.numerator.reason or self.denominator.reason

    @property
    def ratio(self) -> Bounds | None:
        """The ratio with unknown fields withheld (``low``) and released (``high``); not ordered."""
        above, below = self.numerator.people(self.measure), self.denominator.people(self.measure)
        if above is None or below is None or self.status == "undefined":
            return None
        return Bounds(above.low / below.low, above.high / below.high)

    def interval(self, level: float = LEVEL) -> Bounds | None:
        """What holds the ratio with chance ``level``, or None where there is none.

        The logarithm of the ratio is taken as normal, with the sum of the squared relative errors as its
        variance: numerator and denominator are taken as independent. They count the same people, and
        who is told apart by the coarser key is told apart by the finer one too, so that they can only
        move together: the interval is if anything too wide. None where the denominator may be 0.
        """
        above, below = self.numerator, self.denominator
        ratio, a, b = self.ratio, above.values.get(self.measure), below.values.get(self.measure)
        va, vb = above.variances.get(self.measure), below.variances.get(self.measure)
        if ratio is None or a is None or b is None or va is None or vb is None:
            return None
        ends = [
            _ratio_interval(a.low, b.low, va.low, vb.low, level),
            _ratio_interval(a.high, b.high, va.high, vb.high, level),
        ]
        known = [end for end in ends if end is not None]
        return Bounds(min(e.low for e in known), max(e.high for e in known)) if len(known) == len(ends) else None


@dataclass(frozen=True)
class Cost:
    """Price of the list over expected re-identifications, in US dollars (MODEL.md section 6).

    ``price_usd`` is None where nobody can buy the list or its price is not known; ``status`` then
    says which. A free list costs 0 a re-identification.
    """

    profile: RiskProfile
    price_usd: float | None
    price_status: str
    price_reason: str = ""

    @property
    def total_risk(self) -> Bounds | None:
        """Expected re-identifications, people."""
        return self.profile.people(Measure("total-risk"))

    @property
    def status(self) -> str:
        """``ok``, ``free``, ``interval``, ``undefined``, or why there is no list or no price."""
        if self.total_risk is None:
            return self.profile.status
        if self.price_usd is None:
            return self.price_status
        if self.total_risk.low == 0:
            return "undefined"
        if self.price_usd == 0:
            return "free"
        return self.profile.status if self.price_status == "ok" else self.price_status

    @property
    def reason(self) -> str:
        """What the status rests on."""
        parts: tuple[str, ...] = (self.profile.reason, self.price_reason)
        if self.status == "undefined":
            parts = ("no re-identification is expected: division by 0", *parts)
        return "; ".join(dict.fromkeys(part.rstrip(".") for part in parts if part))

    @property
    def usd_per_reidentification(self) -> Bounds | None:
        """Dollars a re-identification: unknown fields withheld (``low``) and released (``high``)."""
        risk = self.total_risk
        if risk is None or self.price_usd is None or risk.low == 0:
            return None
        return Bounds(self.price_usd / risk.low, self.price_usd / risk.high)

    def interval(self, level: float = LEVEL) -> Bounds | None:
        """Dollars that hold the cost with chance ``level``: the price over both ends of the risk's interval.

        The price is taken as it is. None where there is no cost, or where the risk may be 0.
        """
        risk = self.profile.interval(Measure("total-risk"), level)
        if self.usd_per_reidentification is None or self.price_usd is None or risk is None or risk.low == 0:
            return None
        return Bounds(self.price_usd / risk.high, self.price_usd / risk.low)


def _ratio_interval(above: float, below: float, va: float, vb: float, level: float) -> Bounds | None:
    if math.sqrt(vb) > _ZERO_IN_REACH * below:
        return None
    if above == 0:
        return Bounds(0.0, reach(va, level) / below)
    factor = math.exp(reach(va / above**2 + vb / below**2, level))
    return Bounds(above / below / factor, above / below * factor)
