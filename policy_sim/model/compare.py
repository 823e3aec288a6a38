"""The study: states × policies × attackers, each a risk profile, and how sure its figures are.

Every (policy, attacker, state) has a linkage key; states that share a key are merged and measured
together, and no key is merged twice. Merge, count distinct (people, bins) pairs, apply the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.attacker import VOTER, Attacker
from policy_sim.attackers.coverage import list_records
from policy_sim.attackers.in_file import SMALL_FILE, InFile
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.model.cases import Case, Cases, Measured, ends_of
from policy_sim.model.measure import (
    CLAIMS,
    CORRECT_CLAIMS,
    NOBODY,
    PRECISION,
    TOTAL_RISK,
    Bounds,
    Measure,
    Row,
    Shown,
    ends_of_figure,
    group_sizes,
    tidy_rows,
    with_place,
)
from policy_sim.model.measuring import Key, part_of
from policy_sim.model.profile import (
    Cost,
    Figure,
    OfCase,
    RiskProfile,
    TrustDifferential,
    paired,
    ratio_ends,
    refuse_different,
    status_of_both,
)
from policy_sim.people.merge import FEW_STATES
from policy_sim.people.population import AnyPopulation, Provenance
from policy_sim.voter_lists.price import Amount
from policy_sim.words.arguments import name_of, one_place
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import IncompatibleError, UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.status import Status


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """The risk profiles of a study, in the order states, policies, attackers; and the attackers themselves.

    Iterates over its profiles. Its text and its HTML in a notebook show the first rows of :meth:`to_frame`.
    """

    population: Provenance
    g: tuple[int, ...]
    profiles: tuple[RiskProfile, ...]
    attackers: tuple[Attacker, ...] = ()
    in_file: InFile | None = None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Total risk, then g-distinct for each g: what policies are compared by."""
        return ProfileFigures(self.g).risks

    def __iter__(self) -> Iterator[RiskProfile]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def __getitem__(self, place: int) -> RiskProfile:
        return self.profiles[place]

    def _headline(self) -> str:
        states, policies, attackers = (
            len({getattr(profile, fact) for profile in self.profiles}) for fact in ("state", "policy", "attacker")
        )
        counts = [(states, "state"), (policies, "policy"), (attackers, "attacker"), (len(self.measures), "measure")]
        return f"Comparison in {self.population.name}: " + ", ".join(_counted(*count) for count in counts)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state, policy, attacker and measure: :attr:`measures`, then claims and precision.

        Without group sizes there is total risk alone.
        """
        measures = (*self.measures, CLAIMS, CORRECT_CLAIMS, PRECISION) if self.g else self.measures
        return tidy_rows((row for profile in self for row in profile.rows(measures)), RiskProfile.columns)

    def profile(self, state: str, policy: str, attacker: str) -> RiskProfile:
        """Return one profile.

        ``state``: postal code, FIPS code or name, in any case.
        """
        state, policy, attacker = (
            one_place(state),
            name_of("policy", policy, "'safe-harbor'"),
            name_of("attacker", attacker, repr(VOTER)),
        )
        for profile in self.profiles:
            if (profile.state, profile.policy, profile.attacker) == (state, policy, attacker):
                return profile
        names = {f"{p.state} {p.policy} {p.attacker}" for p in self.profiles}
        raise UnknownNameError("profile", f"{state} {policy} {attacker}", names)

    def trust(self, numerator: str, denominator: str) -> Sequence[TrustDifferential]:
        """Return the trust differentials of one policy over another, by state, attacker and measure."""
        numerator, denominator = (name_of("policy", name, "'safe-harbor'") for name in (numerator, denominator))
        below = {(p.state, p.attacker): p for p in self.profiles if p.policy == denominator}
        above = [p for p in self.profiles if p.policy == numerator]
        for name, profiles in ((numerator, above), (denominator, below)):
            if not profiles:
                raise UnknownNameError("policy of this study", str(name), {p.policy for p in self.profiles})
        return tuple(
            TrustDifferential(profile, below[profile.state, profile.attacker], measure)
            for profile in above
            for measure in self.measures
        )


def compare(
    cases: Cases,
    *,
    spread: bool = False,
    model_error: RelativeError | None = None,
    only_total: bool = False,
    ranges: bool = False,
) -> Comparison:
    """Measure every state under every policy and attacker; ``spread`` and ``model_error`` as in ProfileFigures.

    ``only_total``: total risk alone. ``ranges``: also under what nobody can rule out of a list in place of what is
    assumed (:meth:`~policy_sim.attackers.coverage.Coverage.alternatives`).
    """
    figures = OnlyTotal() if only_total else ProfileFigures(group_sizes(cases.g), spread, model_error)
    measured = cases.measure(figures, combinations=cases.has_ratios, between=True, assumed=ranges, at_once=not spread)
    profiles = figures.profiles(cases, measured, ranges=ranges)
    return Comparison(cases.population.provenance, figures.g, profiles, tuple(cases.attackers), cases.in_file)


def costs(comparison: Comparison, population: AnyPopulation, attacker: Attacker) -> tuple[Cost, ...]:
    """Price each state's list for the analyzed population."""
    states = list(dict.fromkeys(profile.state for profile in comparison.profiles))
    if len(states) * FEW_STATES <= len(population.states):
        population = part_of(population, states)  # the others take no time
    price_in, priced = prices_of(population, attacker), []
    for profile in comparison.profiles:
        if profile.attacker == attacker.name:
            low, high = price_in(profile.state)
            only_for = attacker.resource.restricted_to(profile.state)
            priced.append(Cost(profile, low.usd, Status(low.status), low.reason, only_for, high.usd))
    return tuple(priced)


def prices_of(population: AnyPopulation, attacker: Attacker) -> Callable[[str], tuple[Amount, Amount]]:
    """Return what an attacker's resource costs at least and at most in a state: for its people and its counties."""
    counties, counted = population.counties_by_state(), cache(partial(list_records, population))
    return lambda state: attacker.resource.amounts_for(state, counted, counties.get(state))


def _counted(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"


# Curves: people g-distinct for every g.


@dataclass(frozen=True)
class CurveFigures:
    """People in groups of ``g`` or fewer, for each ``g`` in rising order: a column each."""

    g: Sequence[int]

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return one row of figures per unit; shape (units, sizes)."""
        swept = chances.g_distinct_sweep(groups, self.g[-1])
        return swept if len(self.g) == self.g[-1] else swept[:, np.array(self.g) - 1]


def round_sizes(g_max: int) -> tuple[int, ...]:
    """Return the sizes of a curve that a table shows: 1, 2, 5, 10, ... and ``g_max``."""
    steps = (step * 10**power for power in range(len(str(g_max))) for step in (1, 2, 5))
    return (*(g for g in steps if g < g_max), g_max)


def curves(cases: Cases, figures: CurveFigures) -> tuple[Curve, ...]:
    """Return the curve of every state, policy and attacker, as :func:`compare` does."""
    measured = cases.measure(figures, combinations=cases.has_ratios, between=True)
    inhabitants = cases.population.people_by_state()
    curve_list = []
    for case in cases:
        ends, everyone = ends_of(case, measured), float(inhabitants[case.state])
        everyone *= cases.share_in_file(everyone, case.state)
        low, high = (end / everyone for end in ends) if ends else (None, None)
        keys = case.combinations if cases.has_ratios else ()
        combinations = tuple(measured[key, case.state] / everyone for key in keys)
        curve_list.append(
            Curve(**cases.facts(case), low=low, high=high, g=figures.g, records=everyone, combinations=combinations)
        )
    return tuple(curve_list)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(OfCase):
    """People g-distinct for each ``g``, as shares (0..1) of the people released (``records``).

    ``low`` and ``high`` have a value for each ``g``, or are None where there is no list. ``combinations`` has one
    such array for every combination of the list's unknown fields, as :class:`RiskProfile` has figures. ``price_usd`` is
    what the attacker's list costs at least and at most; None where it has no list or no known price, and
    ``price_status`` says why. In the table ``usd_status`` is ``undefined`` where nobody is g-distinct.

    >>> share = np.array([0.0, 0.5])
    >>> curve = Curve("OH", "county", "general", "us", "", "birth=year", "ok", "", share, share, [1, 2], 100)
    >>> curve.low.tolist()
    [0.0, 0.5]
    """

    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None
    g: Sequence[int]
    records: float = 0.0
    combinations: tuple[NDArray[np.float64], ...] = ()
    price_usd: Bounds | None = None
    price_status: str | None = None

    @classmethod
    def table(cls, results: Iterable[Curve]) -> pd.DataFrame:
        """Return one row per state, policy, attacker and g; one without a g where there is no list."""
        parts = []
        for curve in results:
            low, high = ([pd.NA] if end is None else end for end in (curve.low, curve.high))
            sizes = [pd.NA] if curve.low is None else curve.g
            head = {"state": curve.state, "policy": curve.policy, "attacker": curve.attacker}
            tail = ("population", "linkage_key", "status", "reason", "lists")
            shares = {"share": pd.array(low, dtype="Float64"), "share_high": pd.array(high, dtype="Float64")}
            columns = head | {"g": pd.array(sizes, dtype="Int64")} | shares
            columns |= {name: str(getattr(curve, name)) for name in tail}
            parts.append(pd.DataFrame(columns | curve._dollars()))
        return with_place(pd.concat(parts, ignore_index=True))

    def _dollars(self) -> dict[str, Any]:
        """Return the price over the people of each share: the most dollars (unknown fields withheld), and the least."""
        price = self.price_usd
        sides: tuple[Any, ...] = ([pd.NA], [pd.NA])
        ends = (None, None) if price is None else (price.high, price.low)
        if self.low is not None and self.high is not None:
            sides = tuple(
                _over(usd, share * self.records) for usd, share in zip(ends, (self.low, self.high), strict=True)
            )
        names = ("usd_per_g_distinct", "usd_per_g_distinct_high")
        dollars = {name: pd.array(side, dtype="Float64") for name, side in zip(names, sides, strict=True)}
        status = pd.Series(self.price_status, index=range(len(sides[0])), dtype="string")
        if price is not None:
            status = status.mask(
                pd.Series(sides[0]).isna(), Status.UNDEFINED.value if self.each() else str(self.status)
            )
        return dollars | {"usd_status": status.array}

    def each(self) -> tuple[NDArray[np.float64], ...]:
        """Shares under every combination of unknown fields, for each ``g``; none without a list."""
        if self.low is None or self.high is None:
            return ()
        return self.combinations or ((self.low,) if self.status == "ok" else (self.low, self.high))


def _over(usd: float | None, people: NDArray[np.float64]) -> list[Any]:
    """Divide an amount by people; missing where it is unknown or where there is nobody."""
    return [pd.NA if usd is None or number < NOBODY else usd / number for number in people.tolist()]


_RATIOS = "state attacker g numerator_policy denominator_policy ratio ratio_high status population lists"


def trust_curve_frame(curves: Iterable[Curve], numerator: str, denominator: str) -> pd.DataFrame:
    """Return the trust differential at every g of one policy over another, for each state and attacker.

    ``ratio`` to ``ratio_high`` as in the table of :class:`TrustDifferential`. A ratio is missing, with status
    ``undefined``, where fewer than one person is expected below.
    """
    curves = tuple(curves)
    below = {(curve.state, curve.attacker): curve for curve in curves if curve.policy == denominator}
    parts = [
        _ratios(curve, below[curve.state, curve.attacker])
        for curve in curves
        if curve.policy == numerator and curve.each() and below[curve.state, curve.attacker].each()
    ]
    names = _RATIOS.split()
    return with_place(pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names))


def _ratios(above: Curve, below: Curve) -> pd.DataFrame:
    """The least and the greatest ratio at every g, over the combinations of unknown fields that have one."""
    a, b = (np.array(side) for side in zip(*paired(above.each(), below.each()), strict=True))
    low, high, defined_at = ratio_ends(a, b, below.records)
    status = "interval" if "interval" in (above.status, below.status) else "ok"
    row = {name: getattr(above, name) for name in ("state", "attacker", "population", "lists")}
    row |= {"numerator_policy": above.policy, "denominator_policy": below.policy}
    ratios = {"ratio": pd.Series(low, dtype="Float64"), "ratio_high": pd.Series(high, dtype="Float64")}
    row |= {name: ratio.where(defined_at) for name, ratio in ratios.items()}
    sizes = pd.Series(above.g, dtype="Int64")
    return pd.DataFrame(row | {"g": sizes, "status": np.where(defined_at, status, "undefined")})


def with_trust(curves: pd.DataFrame, trust: pd.DataFrame) -> pd.DataFrame:
    """Set each policy's trust differential next to its rows of the curves' table.

    New columns: ``ratio, ratio_high, ratio_status, denominator_policy``; missing for the denominator itself.
    """
    beside = trust.rename(columns={"numerator_policy": "policy", "status": "ratio_status"})
    columns = ["ratio", "ratio_high", "ratio_status", "denominator_policy"]
    keys = ["state", "policy", "attacker", "g"]
    return curves.merge(beside[[*keys, *columns]], how="left", on=keys)


# The same in two populations.


@dataclass(frozen=True, repr=False)
class RiskChange(Row):
    """One measure of one state, policy and attacker, in an earlier and a later population.

    These are two censuses, or one with and without the noise that its publisher added. Differences are of shares (0..1)
    of each population's own inhabitants, later minus earlier. Their ends are the unknown fields of the list withheld
    (``low``) and released (``high``) in both.
    """

    columns = (
        "state policy attacker measure g before after share_before share_after difference share_before_high "
        "share_after_high difference_high status reason"
    )
    before: RiskProfile
    after: RiskProfile
    measure: Measure

    def __post_init__(self) -> None:
        same, what = ("state", "policy", "attacker", "lists"), "a change compares two populations"
        refuse_different(self.before, self.after, same, what)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row: both shares and their difference."""
        row = {name: self.after.facts[name] for name in ("state", "policy", "attacker")}
        row |= self.measure.columns | {"status": self.status, "reason": self.reason}
        row |= {"before": self.before.population, "after": self.after.population}
        row |= ends_of_figure("share_before", self.before.share(self.measure))
        row |= ends_of_figure("share_after", self.after.share(self.measure))
        yield row | ends_of_figure("difference", self.difference)

    @property
    def status(self) -> Status:
        """``ok``, ``interval``, or why there is no figure."""
        return status_of_both(self.before, self.after, self.measure)

    @property
    def reason(self) -> str:
        """What the status rests on."""
        return self.before.reason or self.after.reason

    @property
    def difference(self) -> Bounds | None:
        """Later minus earlier share, or None where either has no figure; ends are not ordered."""
        early, late = self.before.share(self.measure), self.after.share(self.measure)
        if early is None or late is None:
            return None
        return Bounds(late.low - early.low, late.high - early.high)


def changes(before: Comparison, after: Comparison) -> tuple[RiskChange, ...]:
    """Pair the profiles of two comparisons, in the order of the later one.

    States that only one population has are left out; measures are those that both have.
    """
    if before.population.name == after.population.name:
        raise IncompatibleError(f"both populations are called {after.population.name}: rename one file.")
    early = {(p.state, p.policy, p.attacker): p for p in before.profiles}
    measures = [measure for measure in after.measures if measure in before.measures]
    risk_changes = tuple(
        RiskChange(early[key], profile, measure)
        for profile in after.profiles
        if (key := (profile.state, profile.policy, profile.attacker)) in early
        for measure in measures
    )
    if not risk_changes:
        raise IncompatibleError(
            f"populations {before.population.name} and {after.population.name} have no state, policy and "
            "attacker in common."
        )
    return risk_changes


# Linkage key, state and measure, to the relative error (>= 0) of a figure of a modeled population.
RelativeError: TypeAlias = Callable[[Granularities, str, Measure], float]
_SMALL = SMALL_FILE.share_of(1)


@dataclass(frozen=True)
class ProfileFigures:
    """The columns of a profile: total risk, g-distinct, claims, a small file, and variances where asked for.

    ``g``: group sizes of g-distinct. ``spread``: give total risk and g-distinct their variances too. ``model_error``:
    relative error of the population's fit, which enters the variances as one standard error; None: the population is
    taken as it is.
    """

    g: tuple[int, ...]
    spread: bool = False
    model_error: RelativeError | None = None

    @cached_property
    def risks(self) -> tuple[Measure, ...]:
        """Total risk, then g-distinct for each g: what is compared, and has variances."""
        return TOTAL_RISK, *(Measure("g-distinct", size) for size in self.g)

    @cached_property
    def counts(self) -> tuple[Measure, ...]:
        """Everything that counts people."""
        return *self.risks, CLAIMS, CORRECT_CLAIMS

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return one row of figures per unit: :attr:`counts`, the small file, variances."""
        distinct = chances.g_distinct(groups, self.g)  # first: the others are made of what it adds up
        columns = [chances.total_risk(groups), distinct, chances.claims(groups)]
        units = len(chances.listed)
        asked = np.ones(units) if chances.asked is None else chances.asked
        # a file that was asked for has its share in the other columns
        has_small = chances.in_file is None and bool(asked.any())
        small = replace(chances, in_file=np.where(asked, _SMALL, 0.0))
        columns.append(small.total_risk(groups) if has_small else np.zeros(units))
        if self.spread and asked.any():
            from policy_sim.formulas.group_variance import variances

            columns.append(variances(chances.candidates(groups), self.g, chances.linkable))
        return np.column_stack(columns)

    def profiles(self, cases: Cases, measured: Measured, *, ranges: bool = False) -> tuple[RiskProfile, ...]:
        """Return the profile of each case from the measured rows, as shares of the people or of the file.

        ``ranges``: whether the alternatives to what is assumed of a list were measured, and figures get ranges.
        """
        inhabitants = cases.population.people_by_state()
        profiles = (self._profile(cases, case, measured, inhabitants[case.state]) for case in cases)
        if not ranges:
            return tuple(profiles)
        pairs = zip(cases, profiles, strict=True)
        return tuple(self._with_range(profile, cases.assumed(case), measured) for case, profile in pairs)

    def _with_range(self, profile: RiskProfile, keys: Mapping[str, tuple[Key, Key]], measured: Measured) -> RiskProfile:
        """Return the profile with its figures under each alternative, unknown fields withheld and released."""
        ends = {name: [measured[key, profile.state].tolist() for key in pair] for name, pair in keys.items()}
        figures = dict(profile.figures)
        for place, measure in enumerate(self.counts if ends else ()):
            under = {name: Bounds(low[place], high[place]) for name, (low, high) in ends.items()}
            figures[measure] = figures[measure]._replace(assumed=under)
        return replace(profile, figures=figures)

    def _profile(self, cases: Cases, case: Case, measured: Measured, everyone: int) -> RiskProfile:
        share = cases.share_in_file(everyone, case.state)
        bare = RiskProfile(**cases.facts(case), inhabitants=everyone, in_file=share)
        ends = ends_of(case, measured)
        if ends is None:
            return bare
        combined = case.combinations if cases.has_ratios or case.listed_unknown else ()
        by_key = zip(*(measured[key, case.state].tolist() for key in combined), strict=True) if combined else repeat(())
        columns = [
            (Bounds(float(low), float(high)), of_each) for low, high, of_each in zip(*ends, by_key, strict=False)
        ]
        figures = {
            measure: Figure(people, combinations=of_each)
            for measure, (people, of_each) in zip(self.counts, columns, strict=False)
        }
        small, *spread = columns[len(self.counts) :] or (None,)
        keys = [key[0] for key in (case.keys[0], case.keys[-1], *combined)]
        for measure, (variance, of_each) in zip(self.risks, spread, strict=False):
            figure = figures[measure]
            people = figure.people.low, figure.people.high, *figure.combinations
            by_chance = variance.low, variance.high, *of_each
            low, high, *others = (
                scatter + (self._added(case, key, measure) * many) ** 2
                for scatter, key, many in zip(by_chance, keys, people, strict=True)
            )
            figures[measure] = figure._replace(variance=Bounds(low, high), combination_variances=tuple(others))
        small_file = None if cases.in_file or small is None else small[0].per(everyone * _SMALL)
        return replace(bare, figures=figures, small_file_share=small_file)

    def _added(self, case: Case, key: Granularities, measure: Measure) -> float:
        """Return the relative error of a figure by a key, 0 where none is asked for."""
        return 0.0 if self.model_error is None else self.model_error(key, case.state, measure)


@dataclass(frozen=True)
class OnlyTotal(ProfileFigures):
    """The total risk of a profile and nothing else, for maps and ranks of many states."""

    g: tuple[int, ...] = ()

    @cached_property
    def counts(self) -> tuple[Measure, ...]:
        """Total risk."""
        return (TOTAL_RISK,)

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return total risk, a column; shape (units, 1)."""
        return chances.total_risk(groups)[:, None]
