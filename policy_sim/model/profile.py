"""The risk of a state's people under a policy by an attacker: profiles, trust differentials, costs and curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

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
    Row,
    chance,
    ends_of_figure,
    reach,
)
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import IncompatibleError, UnknownNameError
from policy_sim.words.status import Status

_Number = TypeVar("_Number")
_A_HUNDREDTH = 0.01
_LAST_DIGITS = 1e-12  # of sums that were added in another order, as an engine does


@dataclass(frozen=True, eq=False, repr=False)
class OfCase(Row):
    """What a result says of the case it answers, or why the attacker has no list to link with.

    ``lists`` is the vintage of the attacker's lists, empty for one who needs none.
    """

    state: str
    policy: str
    attacker: str
    population: str
    lists: str
    linkage_key: str
    status: Status
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

    @property
    def facts(self) -> dict[str, Any]:
        """The same as columns; no vintage is None."""
        names = ("state", "policy", "attacker", "population", "linkage_key", "status", "reason")
        return {name: getattr(self, name) for name in names} | {"lists": self.lists or None}


class Figure(NamedTuple):
    """Expected people by one measure.

    ``combinations`` are the people under every combination of the list's unknown fields, in an order that is the same
    under every policy (:class:`~policy_sim.attackers.linkage.Linkage`), and ``combination_variances`` their variances;
    empty where no field is unknown. ``variance`` (people squared) is None where no intervals were asked for.
    ``assumed`` are the people under each alternative to what is assumed of the list, by its name
    (:meth:`~policy_sim.attackers.coverage.Coverage.alternatives`); empty where there is none.
    """

    people: Bounds
    variance: Bounds | None = None
    combinations: tuple[float, ...] = ()
    combination_variances: tuple[float, ...] = ()
    assumed: Mapping[str, Bounds] = MappingProxyType({})

    @property
    def range(self) -> Bounds:
        """The least and the most people over what is assumed of the list, its unknown fields withheld or released."""
        return Bounds.over((self.people, *self.assumed.values()))

    @property
    def by_combination(self) -> tuple[float, ...]:
        """People under every combination, or at both ends; one figure where nothing is unknown."""
        return self.combinations or _different(self.people)

    @property
    def variance_by_combination(self) -> tuple[float, ...]:
        """The variance of each of :attr:`by_combination`; none where none was asked for."""
        if self.variance is None:
            return ()
        return (
            (self.variance.low,)
            if len(self.by_combination) == 1
            else self.combination_variances or _different(self.variance)
        )


def _different(ends: Bounds) -> tuple[float, ...]:
    return (ends.low,) if ends.low == ends.high else (ends.low, ends.high)


@dataclass(frozen=True, repr=False)
class RiskProfile(OfCase):
    """Every number for one state of one population, one policy and one attacker.

    ``figures`` has the expected people by each measure; it is empty where the attacker has no list. ``inhabitants`` is
    the state's whole population and ``in_file`` the share of it that is in the file; shares are taken of both together,
    :attr:`records`. ``small_file_share`` is the share (0..1) of a file of one per cent of the people that is linked
    correctly where the attacker knows who is in it; None where ``in_file`` already says how large the file is.

    In the table ``people`` and ``share`` (0..1) have every unknown field withheld; with one the status is ``interval``.
    ``people_low`` to ``people_high`` and the same as shares are the range over unknown fields, withheld and released,
    and over what nobody can rule out of the people on the list (:attr:`Figure.range`). Precision is a share of the
    claims and has no people; where fewer than ten claims are expected, its row has the status ``few_claims`` and no
    share. Where there are variances, ``people_from`` to ``people_to`` and the same as shares are the interval: 95% over
    chance alone; no level is known where people are modeled (docs/uncertainty.md).

    >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
    >>> profile = RiskProfile(*facts, {TOTAL_RISK: Figure(Bounds(5.0, 5.0))})
    >>> profile.records, profile.share("total-risk").low
    (100.0, 0.05)
    """

    columns = (
        "state policy attacker measure g people share people_high share_high population linkage_key status reason "
        "lists in_file small_file_share small_file_share_high people_low share_low"
    )
    inhabitants: int
    figures: Mapping[Measure, Figure] = field(default_factory=dict)
    in_file: float = 1.0
    small_file_share: Bounds | None = None

    def rows(self, measures: Iterable[Measure] = ()) -> Iterator[dict[str, Any]]:
        """Return one row per measure; by default of those counted, or total risk alone where there is no list."""
        for measure in measures or self.figures or (TOTAL_RISK,):
            is_share = measure == PRECISION
            people = None if is_share else _counted(self.people(measure))
            share = self.share(measure) if is_share else people and people.per(self.records)
            held = None if is_share else _counted(self.people_range(measure))
            share_range = self.share_range(measure) if is_share else held and held.per(self.records)
            row = self.facts | measure.columns | {"in_file": self.in_file}
            if is_share and self.figures and share is None:
                row |= {"status": self.claims_status, "reason": self.claims_reason}
            row |= {"people": people and people.low, "share": share and share.low}
            row |= ends_of_figure("people", held, "_low") | ends_of_figure("share", share_range, "_low")
            row |= ends_of_figure("small_file_share", self.small_file_share if measure == TOTAL_RISK else None)
            if self.has_variances:
                span = self.interval(measure)
                row |= ends_of_figure("people", span, "_from", "_to")
                row |= ends_of_figure("share", span and span.per(self.records), "_from", "_to")
            yield row

    def people(self, measure: str | Measure) -> Bounds | None:
        """Return the expected people under a measure, or None where there is no list."""
        figure = self._figure(measure)
        return figure and figure.people

    def people_range(self, measure: str | Measure) -> Bounds | None:
        """Return the least and the most people over what is assumed of the list, or None where there is no list."""
        figure = self._figure(measure)
        return figure and figure.range

    def _figure(self, measure: str | Measure) -> Figure | None:
        measure = Measure.of(measure)
        if self.figures and measure not in self.figures:
            raise UnknownNameError("measure of this profile", str(measure), [str(name) for name in self.figures])
        return self.figures.get(measure)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was counted; empty where there is no list."""
        return tuple(self.figures)

    @property
    def has_variances(self) -> bool:
        """Whether intervals were asked for, and there is a list."""
        return any(figure.variance is not None for figure in self.figures.values())

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

    def share_range(self, measure: str | Measure) -> Bounds | None:
        """Return the range of :meth:`share`; of precision, right claims over claims under one assumption at a time."""
        if Measure.of(measure) != PRECISION:
            people = self.people_range(measure)
            return None if people is None else people.per(self.records)
        own, claims, correct = self._precision(), self._figure(CLAIMS), self._figure(CORRECT_CLAIMS)
        if own is None or claims is None or correct is None:
            return None
        return _over_ratios(own, correct, claims, lambda claimed: claimed >= NOBODY)

    def _precision(self) -> Bounds | None:
        claims, correct = self._figure(CLAIMS), self._figure(CORRECT_CLAIMS)
        if claims is None or correct is None:
            return None
        pairs = [(correct.people.low, claims.people.low), (correct.people.high, claims.people.high)]
        if claims.combinations:  # the least claims and the fewest right ones may be of different lists
            pairs = list(zip(correct.combinations, claims.combinations, strict=True))
        if all(math.isclose(right, claimed, rel_tol=_LAST_DIGITS) for right, claimed in pairs):
            return Bounds(1.0, 1.0) if any(claimed >= NOBODY for _, claimed in pairs) else None
        if self.claims_status is Status.FEW_CLAIMS:
            return None
        shares = [right / claimed for right, claimed in pairs]
        return Bounds(min(shares), max(shares)) if claims.combinations else Bounds(*shares)

    @property
    def claims_status(self) -> Status:
        """``few_claims`` where fewer than ten claims are expected, or possible; else the status of the profile."""
        if CLAIMS in self.figures and min(self.each(CLAIMS)) < FEW_CLAIMS:
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
        """People under every combination of unknown fields; one where nothing is unknown, none without a list."""
        figure = self._figure(measure)
        return figure.by_combination if figure else ()

    def each_variance(self, measure: str | Measure) -> tuple[float, ...]:
        """The variance of each of :meth:`each`; none where none was asked for."""
        figure = self._figure(measure)
        return figure.variance_by_combination if figure else ()

    def interval(self, measure: str | Measure, level: float = LEVEL) -> Bounds | None:
        """People that hold the measure with chance ``level``, or None where no variance was asked for.

        Over how people fall into bins, and the error of a modeled population where it was measured; the list is taken
        as it is. Where a field of it is not known: from the lower end of the lower figure to the upper of the higher.
        """
        figure, level = self.figures.get(Measure.of(measure)), chance(level)
        return figure.people.within(figure.variance, level) if figure and figure.variance else None


def refuse_different(first: RiskProfile, second: RiskProfile, facts: Sequence[str], what: str) -> None:
    """Raise IncompatibleError where two profiles differ in one of these facts; ``what`` compares them."""
    for fact in facts:
        a, b = getattr(first, fact), getattr(second, fact)
        if a != b:
            raise IncompatibleError(f"{what} for the same {fact}, not {a!r} and {b!r}.")


def status_of_both(first: RiskProfile, second: RiskProfile, measure: Measure) -> Status:
    """Return what a figure of two profiles rests on: ``ok``, ``interval``, or why one has no list."""
    for profile in (first, second):
        if profile.people(measure) is None:
            return profile.status
    return Status.INTERVAL if Status.INTERVAL in (first.status, second.status) else Status.OK


def _over_ratios(own: Bounds, above: Figure, below: Figure, is_divisor: Callable[[float], bool]) -> Bounds:
    """Return the range of a ratio and of those that two figures have under the alternatives that both know."""
    pairs = [
        pair
        for name, top in above.assumed.items()
        if (bottom := below.assumed.get(name)) is not None
        for pair in ((top.low, bottom.low), (top.high, bottom.high))
    ]
    ratios = (Bounds.exactly(right / whole) for right, whole in pairs if is_divisor(whole))
    return Bounds.over([own, *ratios])


def _counted(people: Bounds | None) -> Bounds | None:
    """Take less than a billionth of a person as nobody: the last digits of the arithmetic."""
    return people and Bounds(*(0.0 if end < NOBODY else end for end in (people.low, people.high)))


def paired(above: tuple[_Number, ...], below: tuple[_Number, ...]) -> list[tuple[_Number, _Number]]:
    """Pair figures by combination; one figure alone holds for every combination."""
    many = max(len(above), len(below)) if above and below else 0
    sides = [side * many if len(side) == 1 else side for side in (above, below)]
    if many and any(len(side) != many for side in sides):
        sides = [(side[0], side[-1]) for side in sides]
    return list(zip(*sides, strict=False)) if many else []


ONE_PERSON = 1 - 1e-9  # the least denominator of a ratio, with room for the last digits of a sum
_ZERO_IN_REACH = 1 / 3  # standard error over the mean: from here on a ratio has no interval


@dataclass(frozen=True, repr=False)
class TrustDifferential(Row):
    """R(A) / R(B): the same people, attacker and measure under two policies (MODEL.md section 5).

    In the table ``numerator`` and ``denominator`` (people) have every unknown field of the list withheld; ``_low`` and
    ``_high`` are the ends of a range, over unknown fields and over what is assumed of the people on the list. Those of
    the ratio divide end by end, both sides by one list (:attr:`range`), and need not be the one column over the other.

    >>> from policy_sim.model.measure import TOTAL_RISK
    >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
    >>> profile = RiskProfile(*facts, {TOTAL_RISK: Figure(Bounds(5.0, 5.0))})
    >>> TrustDifferential(profile, profile, TOTAL_RISK).ratio.low
    1.0
    """

    columns = (
        "state attacker measure g numerator_policy denominator_policy numerator denominator ratio status reason "
        "numerator_high denominator_high ratio_high population lists numerator_low denominator_low ratio_low"
    )
    numerator: RiskProfile
    denominator: RiskProfile
    measure: Measure

    def __post_init__(self) -> None:
        same, what = ("population", "state", "attacker"), "a trust differential compares two policies"
        refuse_different(self.numerator, self.denominator, same, what)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: numerator and denominator next to the ratio."""
        above, below = self.numerator, self.denominator
        row = {name: above.facts[name] for name in ("state", "attacker", "population", "lists")}
        row |= self.measure.columns | {"status": self.status, "reason": self.reason}
        row |= {"numerator_policy": above.policy, "denominator_policy": below.policy}
        for name, side in (("numerator", above), ("denominator", below)):
            people, held = (_counted(of(self.measure)) for of in (side.people, side.people_range))
            row |= {name: people and people.low} | ends_of_figure(name, held, "_low")
        row |= {"ratio": self.ratio and self.ratio.low} | ends_of_figure("ratio", self.range, "_low")
        if above.has_variances:
            row |= ends_of_figure("ratio", self.interval(), "_from", "_to")
        yield row

    @cached_property
    def status(self) -> Status:
        """``ok``, ``interval``, ``undefined`` (nobody to divide by), or why there is no list."""
        if self._people and not self._defined:
            return Status.UNDEFINED
        return status_of_both(self.numerator, self.denominator, self.measure)

    @cached_property
    def reason(self) -> str:
        """Why there is no ratio, or why there is a range of them."""
        reason = self.numerator.reason or self.denominator.reason
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

    @property
    def range(self) -> Bounds | None:
        """The least and the greatest ratio over unknown fields and what is assumed of the people on the list.

        Ends are divided by ends: each ratio has one list above and below. None where :attr:`ratio` is.
        """
        above, below = (side.figures.get(self.measure) for side in (self.numerator, self.denominator))
        if self.ratio is None or above is None or below is None:
            return None
        return _over_ratios(self.ratio, above, below, lambda people: bool(has_ratio(people)))

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


@dataclass(frozen=True, repr=False)
class Cost(Row):
    """Price of the list over expected re-identifications, in US dollars (MODEL.md section 6).

    ``price_usd`` is None where nobody can buy the list or its price is not known; ``status`` then
    says which. A free list costs $0 per re-identification. ``restricted_to`` names the classes of buyers who
    alone may have the list, where the public may not; it is empty where the public may or no source says.
    ``price_usd_high`` is the most that the list may cost where sources give a range; else it is ``price_usd``.

    In the table the ``_low`` columns have the fewest re-identifications of a range, each the dearest, and the ``_high``
    columns the most: over unknown fields, and over what is assumed of the people on the list.
    ``usd_per_correct_claim`` has a status and a reason of its own. Where the profile has variances, ``usd_from`` to
    ``usd_to`` are the interval of the dollars of each re-identification.

    >>> facts = ("OH", "county", "general", "us", "", "birth=year", "ok", "", 100)
    >>> profile = RiskProfile(*facts, {TOTAL_RISK: Figure(Bounds(5.0, 5.0))})
    >>> cost = Cost(profile, 50.0, "ok")
    >>> cost.usd_per_reidentification.low
    10.0
    """

    columns = (
        "state policy total_risk price_usd usd_per_reidentification status reason total_risk_high "
        "usd_per_reidentification_high population linkage_key lists attacker restricted_to price_usd_high "
        "correct_claims correct_claims_high usd_per_correct_claim usd_per_correct_claim_high claim_status claim_reason "
        "total_risk_low usd_per_reidentification_low correct_claims_low usd_per_correct_claim_low"
    )
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

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: expected re-identifications, price, and dollars for each."""
        row = self.profile.facts | {"status": self.status, "reason": self.reason}
        row |= {"price_usd": self.price_usd, "price_usd_high": self.price_usd_high}
        row |= {"restricted_to": ", ".join(self.restricted_to) or None}
        row |= {"claim_status": self.claim_status, "claim_reason": self.claim_reason}
        for name, risk in (("total_risk", TOTAL_RISK), ("correct_claims", CORRECT_CLAIMS)):
            people = _counted(getattr(self, name))
            held = people and _counted(self.profile.people_range(risk))
            row |= {name: people and people.low} | ends_of_figure(name, held, "_low")
        for name, risk in (("usd_per_reidentification", TOTAL_RISK), ("usd_per_correct_claim", CORRECT_CLAIMS)):
            dollars = getattr(self, name)
            row |= {name: dollars and dollars.low} | ends_of_figure(name, self._range_of(dollars, risk), "_low")
        if self.profile.has_variances:
            row |= ends_of_figure("usd", self.interval(), "_from", "_to")
        yield row

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
        return self._dollars_for_each(self.total_risk)

    def _range_of(self, dollars: Bounds | None, measure: Measure) -> Bounds | None:
        """Dollars at the fewest (``low``, the dearest) and at the most people of the range of a measure."""
        return dollars and (self._dollars_for_each(self.profile.people_range(measure)) or dollars)

    def _dollars_for_each(self, people: Bounds | None) -> Bounds | None:
        if people is None or self.price_usd is None or self.price_usd_high is None or people.low == 0:
            return None
        return Bounds(self.price_usd_high / people.low, self.price_usd / people.high)

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
        if claims is None or self.profile.claims_status is Status.FEW_CLAIMS or min(claims.low, claims.high) < NOBODY:
            return None
        return self._dollars_for_each(claims)

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
        """Dollars that hold the cost with chance ``level``: the price, or both its ends, over those of the risk.

        None where there is no cost, or where the risk may be 0.
        """
        dollars = self._dollars_for_each(self.profile.interval(TOTAL_RISK, chance(level)))
        return None if self.usd_per_reidentification is None or dollars is None else Bounds(dollars.high, dollars.low)
