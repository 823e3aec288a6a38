"""How much more one policy gives away than another: a ratio of two profiles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policy_sim.errors import IncompatibleError
from policy_sim.results.measure import LEVEL, Bounds, Measure, chance, reach
from policy_sim.results.risk_profile import RiskProfile, paired
from policy_sim.results.shown import Shown
from policy_sim.status import Status

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ONE_PERSON", "TrustDifferential"]

ONE_PERSON = 1 - 1e-9  # the least denominator of a ratio, with room for the last digits of a sum
_ZERO_IN_REACH = 1 / 3  # standard error over the mean: from here on a ratio has no interval


@dataclass(frozen=True, repr=False)
class TrustDifferential(Shown):
    """R(A) / R(B): the same people, attacker and measure under two policies (MODEL.md section 5).

    Examples
    --------
    >>> from policy_sim.results import TOTAL_RISK
    >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
    >>> profile = RiskProfile(*facts, {TOTAL_RISK: Bounds(5.0, 5.0)})
    >>> TrustDifferential(profile, profile, TOTAL_RISK).ratio.low
    1.0
    """

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

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`~policy_sim.results.result_tables.trust_frame`).

        Returns
        -------
        The row.

        Examples
        --------
        >>> from policy_sim.results import TOTAL_RISK
        >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
        >>> profile = RiskProfile(*facts, {TOTAL_RISK: Bounds(5.0, 5.0)})
        >>> TrustDifferential(profile, profile, TOTAL_RISK).to_frame()["ratio"].tolist()
        [1.0]
        """
        from policy_sim.results.result_tables import trust_frame

        return trust_frame([self])

    @property
    def status(self) -> Status:
        """``ok``, ``interval``, ``undefined`` (nobody to divide by), or why there is no list."""
        above, below = self.numerator.people(self.measure), self.denominator.people(self.measure)
        if above is None or below is None:
            return self.numerator.status if above is None else self.denominator.status
        if not self._defined():
            return Status.UNDEFINED
        return Status.INTERVAL if Status.INTERVAL in (self.numerator.status, self.denominator.status) else Status.OK

    @property
    def reason(self) -> str:
        """Why there is no ratio, or why there is a range of them."""
        reason = self.numerator.reason or self.denominator.reason
        if self.status not in (Status.OK, Status.INTERVAL, Status.UNDEFINED):
            return reason
        if self.status is Status.UNDEFINED:
            return self._nobody()
        if len(self._defined()) < len(self._people()):
            return f"{reason}; for some of the possible lists, {self._nobody().rstrip('.')}"
        return reason

    def _nobody(self) -> str:
        if max(self.denominator.each(self.measure)) == 0:
            return f"{self.denominator.policy} puts nobody at risk by this measure, so there is no ratio."
        return f"{self.denominator.policy} puts fewer than one person at risk by this measure: there is no ratio."

    @property
    def ratio(self) -> Bounds | None:
        """The least and the greatest ratio over every combination of the list's unknown fields.

        More fields raise numerator and denominator alike, so that the ratio may be least or greatest with
        some fields withheld and others released. Combinations under which the denominator is below one
        expected person have no ratio and are left out; None where none is left.
        """
        ratios = [above / below for above, below in self._defined().values()]
        return Bounds(min(ratios), max(ratios)) if ratios else None

    def interval(self, level: float = LEVEL) -> Bounds | None:
        """What holds the ratio with chance ``level``, or None where there is none.

        The logarithm of the ratio is taken as normal, with the sum of the squared relative errors as its
        variance: numerator and denominator are taken as independent. They count the same people, and
        whoever the coarser key distinguishes, the finer key distinguishes too, so that they can only
        move together: the interval is if anything too wide. Where fields of the list are not known: from
        the least lower end to the greatest upper end over their combinations. None where the denominator
        may be 0.

        Parameters
        ----------
        level : The chance (0..1, both ends left out) that the interval holds the figure.

        Returns
        -------
        Ratios, the lower end first.

        Raises
        ------
        InputError : a level that is not between 0 and 1.

        Examples
        --------
        >>> from policy_sim.results import TOTAL_RISK
        >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
        >>> counted, variance = {TOTAL_RISK: Bounds(5.0, 5.0)}, {TOTAL_RISK: Bounds(0.01, 0.01)}
        >>> profile = RiskProfile(*facts, counted, variance)
        >>> ends = TrustDifferential(profile, profile, TOTAL_RISK).interval()
        >>> round(ends.low, 2), round(ends.high, 2)
        (0.95, 1.06)
        """
        level = chance(level)
        va, vb = self.numerator.each_variance(self.measure), self.denominator.each_variance(self.measure)
        if not self._defined() or not va or not vb:
            return None
        spread = paired(va, vb)
        ends = [_ratio_interval(*people, *spread[place], level) for place, people in self._defined().items()]
        bounds = [end for end in ends if end is not None]
        return Bounds(min(e.low for e in bounds), max(e.high for e in bounds)) if len(bounds) == len(ends) else None

    def _people(self) -> list[tuple[float, float]]:
        """Numerator and denominator under every combination of unknown fields; none without a list."""
        return paired(self.numerator.each(self.measure), self.denominator.each(self.measure))

    def _defined(self) -> dict[int, tuple[float, float]]:
        """Those of :meth:`_people` that have a ratio, by their place."""
        return {place: pair for place, pair in enumerate(self._people()) if pair[1] >= ONE_PERSON}


def _ratio_interval(above: float, below: float, va: float, vb: float, level: float) -> Bounds | None:
    if math.sqrt(vb) > _ZERO_IN_REACH * below:
        return None
    if above <= math.sqrt(va):  # the logarithm of a figure that may well be 0 is not normal
        return Bounds(0.0, (above + reach(va, level)) / below)
    factor = math.exp(reach(va / above**2 + vb / below**2, level))
    return Bounds(above / below / factor, above / below * factor)
