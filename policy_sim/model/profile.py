"""The risk of a state's people under a policy by an attacker: profiles, trust differentials, costs and curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policy_sim.model.measure import (
    CLAIMS,
    CORRECT_CLAIMS,
    FEW_CLAIMS,
    LEVEL,
    NOBODY,
    PRECISION,
    TOTAL_RISK,
    Bounds,
    Measure,
    Shown,
    chance,
    reach,
)
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import IncompatibleError, UnknownNameError
from policy_sim.words.status import Status

if TYPE_CHECKING:
    import pandas as pd


_Figure = TypeVar("_Figure")
_A_HUNDREDTH = 0.01
_LAST_DIGITS = 1e-12  # of sums that were added in another order, as an engine does


@dataclass(frozen=True, repr=False)
class RiskProfile(Shown):
    """Every number for one state of one population, one policy and one attacker.

    ``values`` maps each measure to expected people; it is empty where the attacker has no list to
    link with, and ``status`` and ``reason`` say why. ``lists`` is the vintage of the attacker's lists,
    empty for one who needs none. ``inhabitants`` is the state's whole population and ``in_file`` the share of it
    that is in the file; shares are taken of both together, :attr:`records`. ``small_file_share`` is the share
    (0..1) of a file of one per cent of the people that is linked correctly where the attacker knows who is in it;
    None where ``in_file`` already says how large the file is. ``variances`` has the variance of each
    value (people squared) where intervals were asked for, and is empty otherwise. ``combinations`` has, for
    each measure, the people under every combination of the list's unknown fields, in an order that is the
    same under every policy of the study (:class:`~policy_sim.attackers.attacker.Linkage`), and
    ``combination_variances`` their variances; both are empty where no field is unknown.

    >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
    >>> profile = RiskProfile(*facts, {TOTAL_RISK: Bounds(5.0, 5.0)})
    >>> profile.records, profile.share("total-risk").low
    (100.0, 0.05)
    """

    state: str
    policy: str
    attacker: str
    population: str
    lists: str
    linkage_key: str
    status: Status
    reason: str
    inhabitants: int
    values: Mapping[Measure, Bounds] = field(default_factory=dict)
    variances: Mapping[Measure, Bounds] = field(default_factory=dict)
    combinations: Mapping[Measure, tuple[float, ...]] = field(default_factory=dict)
    combination_variances: Mapping[Measure, tuple[float, ...]] = field(default_factory=dict)
    in_file: float = 1.0
    small_file_share: Bounds | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per measure (:func:`~policy_sim.model.tables.profile_frame`)."""
        from policy_sim.model.tables import profile_frame

        return profile_frame([self], tuple(self.values) or (TOTAL_RISK,))

    def people(self, measure: str | Measure) -> Bounds | None:
        """Return the expected people under a measure, or None where there is no list."""
        measure = Measure.of(measure)
        if not self.values:
            return None
        if measure not in self.values:
            raise UnknownNameError("measure of this profile", str(measure), [str(name) for name in self.values])
        return self.values[measure]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was counted; empty where there is no list."""
        return tuple(self.values)

    @property
    def records(self) -> float:
        """People who are released: everyone in the state, or those in the file."""
        return self.inhabitants * self.in_file

    def share(self, measure: str | Measure) -> Bounds | None:
        """The same as a share (0..1) of the people released; precision as a share of the claims.

        None where there is no list; for precision also where fewer than ten claims are expected
        (:attr:`claims_status`), unless all claims are right because the attacker misses nobody.
        """
        if Measure.of(measure) == PRECISION:
            return self._precision()
        people = self.people(measure)
        return None if people is None else people.per(self.records)

    def _precision(self) -> Bounds | None:
        claims, correct = self.people(CLAIMS), self.people(CORRECT_CLAIMS)
        if claims is None or correct is None:
            return None
        pairs = [(correct.low, claims.low), (correct.high, claims.high)]
        if CLAIMS in self.combinations:  # the least claims and the fewest right ones may be of different lists
            pairs = list(zip(self.each(CORRECT_CLAIMS), self.each(CLAIMS), strict=True))
        if all(math.isclose(right, claimed, rel_tol=_LAST_DIGITS) for right, claimed in pairs):
            return Bounds(1.0, 1.0) if any(claimed >= NOBODY for _, claimed in pairs) else None
        if self.claims_status is Status.FEW_CLAIMS:
            return None
        shares = [right / claimed for right, claimed in pairs]
        return Bounds(min(shares), max(shares)) if CLAIMS in self.combinations else Bounds(*shares)

    @property
    def claims_status(self) -> Status:
        """``few_claims`` where fewer than ten claims are expected, or possible; else the status of the profile."""
        if CLAIMS in self.values and min(self.each(CLAIMS)) < FEW_CLAIMS:
            return Status.FEW_CLAIMS
        return self.status

    @property
    def claims_reason(self) -> str:
        """Why no share of the claims is given and no dollars for each; else the reason of the profile."""
        if self.claims_status is not Status.FEW_CLAIMS:
            return self.reason
        claims = self.each(CLAIMS)
        few = f"{min(claims):.2g}" if min(claims) >= _A_HUNDREDTH else "fewer than 0.01"
        possibly = "possibly only " if max(claims) >= FEW_CLAIMS else ""
        return f"{possibly}{few} claims are expected, which is fewer than {FEW_CLAIMS:g}"

    def each(self, measure: str | Measure) -> tuple[float, ...]:
        """People under every combination of unknown fields; one figure where nothing is unknown, none without a list.

        A profile made without combinations gives its two ends.
        """
        measure = Measure.of(measure)
        return _each(self.people(measure), self.combinations.get(measure))

    def each_variance(self, measure: str | Measure) -> tuple[float, ...]:
        """The variance of each of :meth:`each`; none where none was asked for."""
        measure = Measure.of(measure)
        self.people(measure)
        variance = self.variances.get(measure)
        if variance is not None and len(self.each(measure)) == 1:
            return (variance.low,)
        return _each(variance, self.combination_variances.get(measure))

    def interval(self, measure: str | Measure, level: float = LEVEL) -> Bounds | None:
        """People that hold the measure with chance ``level``, or None where no variance was asked for.

        Over what :attr:`variances` are over: how people fall into bins, and the error of a modeled population where
        it was measured; the list is taken as it is. Where a field
        of the list is not known: from the lower end of the lower figure to the upper end of the higher.
        """
        measure, level = Measure.of(measure), chance(level)
        variance = self.variances.get(measure)
        people = None if variance is None else self.people(measure)
        return None if people is None or variance is None else people.within(variance, level)


def _each(ends: Bounds | None, combinations: tuple[float, ...] | None) -> tuple[float, ...]:
    if ends is None:
        return ()
    return combinations or ((ends.low,) if ends.low == ends.high else (ends.low, ends.high))


def paired(above: tuple[_Figure, ...], below: tuple[_Figure, ...]) -> list[tuple[_Figure, _Figure]]:
    """Pair figures by combination; one figure alone holds for every combination."""
    many = max(len(above), len(below)) if above and below else 0
    sides = [side * many if len(side) == 1 else side for side in (above, below)]
    if many and any(len(side) != many for side in sides):
        sides = [(side[0], side[-1]) for side in sides]
    return list(zip(*sides, strict=False)) if many else []


# How much more one policy gives away than another: a ratio of two profiles.


ONE_PERSON = 1 - 1e-9  # the least denominator of a ratio, with room for the last digits of a sum
_ZERO_IN_REACH = 1 / 3  # standard error over the mean: from here on a ratio has no interval


@dataclass(frozen=True, repr=False)
class TrustDifferential(Shown):
    """R(A) / R(B): the same people, attacker and measure under two policies (MODEL.md section 5).

    >>> from policy_sim.model.measure import TOTAL_RISK
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
        """Return one row (:func:`~policy_sim.model.tables.trust_frame`)."""
        from policy_sim.model.tables import trust_frame

        return trust_frame([self])

    @cached_property
    def status(self) -> Status:
        """``ok``, ``interval``, ``undefined`` (nobody to divide by), or why there is no list."""
        above, below = self.numerator.people(self.measure), self.denominator.people(self.measure)
        if above is None or below is None:
            return self.numerator.status if above is None else self.denominator.status
        if not self._defined:
            return Status.UNDEFINED
        return Status.INTERVAL if Status.INTERVAL in (self.numerator.status, self.denominator.status) else Status.OK

    @cached_property
    def reason(self) -> str:
        """Why there is no ratio, or why there is a range of them."""
        reason = self.numerator.reason or self.denominator.reason
        if self.status not in (Status.OK, Status.INTERVAL, Status.UNDEFINED):
            return reason
        if self.status is Status.UNDEFINED:
            return self._nobody()
        if len(self._defined) < len(self._people):
            return f"{reason}; for some of the possible lists, {self._nobody().rstrip('.')}"
        return reason

    def _nobody(self) -> str:
        if max(self.denominator.each(self.measure)) == 0:
            return f"{self.denominator.policy} puts nobody at risk by this measure, so there is no ratio."
        return f"{self.denominator.policy} puts fewer than one person at risk by this measure: there is no ratio."

    @cached_property
    def ratio(self) -> Bounds | None:
        """The least and the greatest ratio over every combination of the list's unknown fields.

        More fields raise numerator and denominator alike, so that the ratio may be least or greatest with
        some fields withheld and others released. Combinations under which the denominator is below one
        expected person have no ratio and are left out; None where none is left.
        """
        if not self._people:
            return None
        low, high, defined = ratio_ends(*np.array(self._people).T)
        return Bounds(float(low), float(high)) if defined else None

    def interval(self, level: float = LEVEL) -> Bounds | None:
        """What holds the ratio with chance ``level``, or None where there is none.

        The logarithm of the ratio is taken as normal, with the sum of the squared relative errors as its
        variance: numerator and denominator are taken as independent. They count the same people, and
        whoever the coarser key distinguishes, the finer key distinguishes too, so that they can only
        move together: the interval is if anything too wide. Where fields of the list are not known: from
        the least lower end to the greatest upper end over their combinations. None where the denominator
        may be 0.
        """
        level = chance(level)
        va, vb = self.numerator.each_variance(self.measure), self.denominator.each_variance(self.measure)
        if not self._defined or not va or not vb:
            return None
        spread = paired(va, vb)
        ends = [_ratio_interval(*people, *spread[place], level) for place, people in self._defined.items()]
        bounds = [end for end in ends if end is not None]
        return Bounds(min(e.low for e in bounds), max(e.high for e in bounds)) if len(bounds) == len(ends) else None

    @cached_property
    def _people(self) -> list[tuple[float, float]]:
        """Numerator and denominator under every combination of unknown fields; none without a list."""
        return paired(self.numerator.each(self.measure), self.denominator.each(self.measure))

    @cached_property
    def _defined(self) -> dict[int, tuple[float, float]]:
        """Those of :attr:`_people` that have a ratio, by their place."""
        return {place: pair for place, pair in enumerate(self._people) if has_ratio(pair[1])}


def has_ratio(people: ArrayLike) -> NDArray[np.bool_]:
    """Whether at least one person is expected below, so that there is a ratio."""
    return np.asarray(people) >= ONE_PERSON


def ratio_ends(
    above: FloatArray, below: FloatArray, everyone: float = 1.0
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return the least and the greatest ratio over the combinations of unknown fields, and where there is one.

    This is the trust differential, of one measure and at every g of a curve alike. ``above``, ``below``: people, or
    shares of ``everyone``, shape (combinations, ...). Combinations without a ratio are left out.
    """
    defined = has_ratio(below * everyone)
    low = np.divide(above, below, out=np.full(np.shape(above), np.inf), where=defined).min(axis=0)
    high = np.divide(above, below, out=np.full(np.shape(above), -np.inf), where=defined).max(axis=0)
    return low, high, np.asarray(defined.any(axis=0))


def _ratio_interval(above: float, below: float, va: float, vb: float, level: float) -> Bounds | None:
    if math.sqrt(vb) > _ZERO_IN_REACH * below:
        return None
    if above <= math.sqrt(va):  # the logarithm of a figure that may well be 0 is not normal
        return Bounds(0.0, (above + reach(va, level)) / below)
    factor = math.exp(reach(va / above**2 + vb / below**2, level))
    return Bounds(above / below / factor, above / below * factor)


# What each re-identification costs: the price of a list over the people it names.


@dataclass(frozen=True, repr=False)
class Cost(Shown):
    """Price of the list over expected re-identifications, in US dollars (MODEL.md section 6).

    ``price_usd`` is None where nobody can buy the list or its price is not known; ``status`` then
    says which. A free list costs $0 per re-identification. ``restricted_to`` names the classes of buyers who
    alone may have the list, where the public may not; it is empty where the public may or no source says.
    ``price_usd_high`` is the most that the list may cost where sources give a range; else it is ``price_usd``.

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
    """People g-distinct for each ``g``, as shares (0..1) of the people released (``records``).

    ``low`` and ``high`` have a value for each ``g``, or are None where there is no list. ``combinations`` has one
    such array for every combination of the list's unknown fields, as :class:`RiskProfile` has figures.

    >>> share = np.array([0.0, 0.5])
    >>> curve = Curve("OH", "county", "general", "us", "", "birth=year", "ok", "", share, share, [1, 2], 100)
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
    g: Sequence[int]
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
