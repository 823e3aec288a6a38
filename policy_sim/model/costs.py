"""What follows from profiles: the cost of each person named, curves by group size, and many of either at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from policy_sim.model.measure import CORRECT_CLAIMS, LEVEL, NOBODY, TOTAL_RISK, Bounds, Shown, chance
from policy_sim.model.profile import RiskProfile
from policy_sim.words.status import Status

if TYPE_CHECKING:
    import pandas as pd


# What each re-identification costs: the price of a list over the people it names.


@dataclass(frozen=True, repr=False)
class Cost(Shown):
    """Price of the list over expected re-identifications, in US dollars (MODEL.md section 6).

    ``price_usd`` is None where nobody can buy the list or its price is not known; ``status`` then
    says which. A free list costs $0 per re-identification. ``restricted_to`` names the classes of buyers who
    alone may have the list, where the public may not; it is empty where the public may or no source says.
    ``price_usd_high`` is the most that the list may cost where sources give a range; else it is ``price_usd``.

    Examples
    --------
    >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
    >>> profile = RiskProfile(*facts, {TOTAL_RISK: Bounds(5.0, 5.0)})
    >>> cost = Cost(profile, 50.0, "ok")
    >>> cost.usd_per_reidentification.low
    10.0
    """

    profile: RiskProfile
    price_usd: float | None
    price_status: Status
    price_reason: str = ""
    restricted_to: tuple[str, ...] = ()
    price_usd_high: float | None = None

    def __post_init__(self) -> None:
        if self.price_usd_high is None:
            object.__setattr__(self, "price_usd_high", self.price_usd)
        object.__setattr__(self, "price_status", Status(self.price_status))

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`~policy_sim.model.tables.cost_frame`)."""
        from policy_sim.model.tables import cost_frame

        return cost_frame([self])

    @property
    def total_risk(self) -> Bounds | None:
        """Expected re-identifications, people."""
        return self.profile.people(TOTAL_RISK)

    @property
    def status(self) -> Status:
        """``ok``, ``free``, ``interval``, ``undefined``, or why there is no list or no price."""
        if self.total_risk is None:
            return self.profile.status
        if self.price_usd is None:
            return self.price_status
        if self.total_risk.low == 0 and (self.price_usd_high != 0 or self.total_risk.high == 0):
            return Status.UNDEFINED
        if self.price_usd_high == 0:
            return Status.FREE
        if self.price_usd != self.price_usd_high and self.price_status in (Status.OK, Status.FREE):
            return Status.INTERVAL
        return self.profile.status if self.price_status is Status.OK else self.price_status

    @property
    def reason(self) -> str:
        """What the status rests on."""
        parts: tuple[str, ...] = (self.profile.reason, self.price_reason)
        if self.restricted_to and self.price_usd is not None:
            parts = (*parts, f"not for the public, only for {', '.join(self.restricted_to)}")
        if self.status is Status.UNDEFINED:
            parts = (self._nobody(), *parts)
        elif self.price_usd is not None and self.price_usd != self.price_usd_high:
            parts = (*parts, f"the price is between {self.price_usd:,.2f} and {self.price_usd_high:,.2f} USD")
        return "; ".join(dict.fromkeys(part.rstrip(".") for part in parts if part))

    def _nobody(self) -> str:
        """Why there is no cost: the fewest re-identifications that are expected are none."""
        risk = self.total_risk
        if risk is None or self.price_usd is None or risk.high == 0:
            return "no re-identification is expected: division by 0"
        return f"possibly no re-identification; each costs {self.price_usd / risk.high:,.4g} USD or more"

    @property
    def usd_per_reidentification(self) -> Bounds | None:
        """Dollars per re-identification: unknown fields withheld (``low``, the dearest) and released (``high``)."""
        risk = self.total_risk
        if risk is None or self.price_usd is None or self.price_usd_high is None or risk.low == 0:
            return None
        return Bounds(self.price_usd_high / risk.low, self.price_usd / risk.high)

    @property
    def correct_claims(self) -> Bounds | None:
        """Expected claims that are right, records; None where there is no list, or none were counted."""
        return self.profile.people(CORRECT_CLAIMS) if CORRECT_CLAIMS in self.profile.measures else None

    @property
    def usd_per_correct_claim(self) -> Bounds | None:
        """Dollars per correct claim, which needs no luck: unknown fields withheld (``low``) and released (``high``).

        None where there is no price, or fewer than ten claims are expected (:attr:`claim_status`).
        """
        claims = self.correct_claims
        if claims is None or self.price_usd is None or self.price_usd_high is None:
            return None
        if self.profile.claims_status is Status.FEW_CLAIMS:
            return None
        if min(claims.low, claims.high) < NOBODY:
            return None
        return Bounds(self.price_usd_high / claims.low, self.price_usd / claims.high)

    @property
    def claim_status(self) -> Status:
        """The status of :attr:`usd_per_correct_claim`: ``few_claims``, or that of the cost."""
        if self.price_usd is None or self.correct_claims is None:
            return self.status
        if self.profile.claims_status is Status.FEW_CLAIMS:
            return Status.FEW_CLAIMS
        return self.status if self.usd_per_correct_claim is not None else Status.UNDEFINED

    @property
    def claim_reason(self) -> str:
        """What :attr:`claim_status` rests on."""
        return self.profile.claims_reason if self.claim_status is Status.FEW_CLAIMS else self.reason

    def interval(self, level: float = LEVEL) -> Bounds | None:
        """Dollars that hold the cost with chance ``level``: the price over both ends of the risk's interval.

        The price is taken as it is, and where it is a range both ends. None where there is no cost, or where the
        risk may be 0.

        ``level``: the chance (0..1, both ends left out) that the interval holds the figure.
        """
        risk = self.profile.interval(TOTAL_RISK, chance(level))
        if self.usd_per_reidentification is None or risk is None or risk.low == 0:
            return None
        if self.price_usd is None or self.price_usd_high is None:
            return None
        return Bounds(self.price_usd / risk.high, self.price_usd_high / risk.low)


# The share of people g-distinct for every g, under one policy and attacker.


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
        """Return one row per g (:func:`~policy_sim.model.tables.curve_frame`)."""
        from policy_sim.model.tables import curve_frame

        return curve_frame([self])

    def each(self) -> tuple[NDArray[np.float64], ...]:
        """Shares under every combination of unknown fields; none without a list.

        Returns one array per combination, each a share (0..1) for g = 1, 2, ....
        """
        if self.low is None or self.high is None:
            return ()
        return self.combinations or ((self.low,) if self.status == "ok" else (self.low, self.high))
