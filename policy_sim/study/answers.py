"""What a study answers: rows, the results behind them, where they come from, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from policy_sim.attackers import VOTER
from policy_sim.attackers.adversary import Stakes
from policy_sim.model.compare import Comparison, Curve, costs, trust_curve_frame
from policy_sim.model.measure import TOTAL_RISK, Measure, Shown, group_sizes
from policy_sim.model.money.group_cost import GroupCost, group_costs
from policy_sim.model.profile import Cost, RiskProfile, TrustDifferential
from policy_sim.model.whole import whole_cost
from policy_sim.policies.files import in_rules
from policy_sim.show.numbers import given_amount
from policy_sim.words.arguments import whole_number
from policy_sim.words.errors import InputError, PolicySimError, UnknownNameError
from policy_sim.words.states import is_whole

if TYPE_CHECKING:
    from typing import Self

    import geopandas as gpd
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.attackers import Attacker
    from policy_sim.attackers.county_coverage import CountyCoverage
    from policy_sim.model.money.budget import Purchase
    from policy_sim.people.population import AnyPopulation
    from policy_sim.study.provenance import AnswerProvenance
    from policy_sim.study.question import GroupSizes


_Result = TypeVar("_Result")
_MOST_POINTS = 1_000_000


@dataclass(frozen=True, repr=False, eq=False)
class Answer(Sequence[_Result], Shown):
    """An answer: its rows (or what makes them of the results), a title, results, and where they come from.

    Iterates, indexes and counts its results; a slice is an answer again. The results of an answer that is a table and
    nothing else are its rows.

    >>> from policy_sim import Study
    >>> effects = Study("us-2010", 2026).marginal_effects("county", "DE")
    >>> effects.title, len(effects) == len(effects.to_frame())
    ('Effects of single fields', True)
    """

    rows: pd.DataFrame | Callable[[tuple[_Result, ...]], pd.DataFrame]
    title: str
    results: tuple[_Result, ...] = ()
    provenance: AnswerProvenance = field(kw_only=True)

    def to_frame(self) -> pd.DataFrame:
        """Return every row: tidy, with a missing figure next to its status.

        >>> from policy_sim import Study
        >>> Study("us-2010", 2026).cost("limited-dataset", "DE", rules="paper").to_frame()["price_usd"].tolist()
        [25.0]
        """
        return self.rows(self.results) if callable(self.rows) else self.rows

    def __iter__(self) -> Iterator[_Result]:
        return (self[place] for place in range(len(self)))

    def __len__(self) -> int:
        return len(self.results) if callable(self.rows) else len(self.rows)

    @overload
    def __getitem__(self, place: SupportsIndex) -> _Result: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: SupportsIndex | slice) -> _Result | Self:
        """Return one result, or the answer with the results of a slice."""
        if not callable(self.rows):
            rows: Any = self.rows.iloc
            return replace(self, rows=rows[place]) if isinstance(place, slice) else rows[place]
        if isinstance(place, slice):
            return replace(self, results=self.results[place])
        return self.results[place]

    def _headline(self) -> str:
        rows = len(self.to_frame())
        return f"{self.title}: {rows:,} row{'s' if rows != 1 else ''}"


@dataclass(frozen=True, repr=False)
class ComparisonAnswer(Comparison):
    """Risk profiles of every state, policy and attacker, with their provenance, costs and figures.

    Under the paper's rules, ``safe-harbor`` also finds ``safe-harbor-paper``, as the tables name it; where the
    population has no ZIP codes, ``safe-harbor-without-zip``.

    >>> from policy_sim import Study
    >>> answer = Study("us-2010", 2026).compare("safe-harbor", "general", "OH", g=5)
    >>> answer.profile("Ohio", "safe-harbor", "general").policy
    'safe-harbor'
    >>> answer.to_frame()["measure"].tolist()
    ['total-risk', 'g-distinct', 'claims', 'correct-claims', 'precision']
    """

    provenance: AnswerProvenance = field(kw_only=True, compare=False)

    def __str__(self) -> str:
        """One state in sentences, as the command line prints them below its table; otherwise the first rows."""
        from policy_sim.show.text_table import match_sentences

        frame = self.to_frame()
        sentences = match_sentences(frame) if len(set(frame["state"])) == 1 else []
        return "\n".join([self._headline(), *sentences]) if sentences else repr(self)

    def profile(self, state: str, policy: str, attacker: str) -> RiskProfile:
        """Return one profile, as :meth:`~policy_sim.model.compare.Comparison.profile` does.

        ``state``: postal code, FIPS code or name. ``policy``, ``attacker``: names, as they were compared.
        """
        return super().profile(state, self._compared(policy), attacker)

    def costs(self) -> CostAnswer:
        """Return the costs for every attacker who holds a list or a file: by state, policy and attacker, in dollars."""
        return costs_of(self, self.provenance.study.counted, self.provenance)

    def trust(self, numerator: str, denominator: str) -> TrustAnswer:
        """Return the trust differentials of one policy over another, by state, attacker and measure.

        ``numerator``, ``denominator``: names of two policies of the comparison.
        """
        ratios = tuple(super().trust(self._compared(numerator), self._compared(denominator)))
        return TrustAnswer(TrustDifferential.table, "Trust differentials", ratios, provenance=self.provenance)

    def ranking(
        self, policy: str | None = None, attacker: str | None = None, measure: str | Measure = TOTAL_RISK
    ) -> pd.DataFrame:
        """Return the states in the order of a measure, the largest share first.

        ``policy``, ``attacker``: one of the comparison; the last by default. ``measure``: a Measure or its name, such
        as ``5-distinct``. Returns one row per state: ``rank``, ``share`` and ``share_high``, ``status`` and ``reason``.
        States whose share is a range follow those with one figure, by the middle of the range, and then those without a
        figure; neither has a rank, because its place is not known.

        >>> from policy_sim import Study
        >>> answer = Study("us-2020", 2026).compare("safe-harbor", "general", ["DE", "OH", "WY"], 1)
        >>> answer.ranking()[["rank", "state"]].to_numpy().tolist()
        [[1, 'WY'], [2, 'DE'], [3, 'OH']]
        """
        import pandas as pd

        release, who = self._one_of_each(policy, attacker)
        rows = []
        for profile in self:
            if (profile.policy, profile.attacker) == (release, who):
                share = profile.share(measure)
                ends = (None, None) if share is None else (share.low, share.high)
                rows.append((profile.state, *ends, str(profile.status), profile.reason))
        frame = pd.DataFrame(rows, columns=["state", "share", "share_high", "status", "reason"])
        frame = frame.astype({"share": "Float64", "share_high": "Float64"})
        exact = (frame["share"] == frame["share_high"]).fillna(value=False).astype(bool)
        frame.insert(0, "rank", frame["share"].where(exact).rank(ascending=False, method="min").astype("Int64"))
        middle = (frame["share"] + frame["share_high"]) / 2
        order = pd.DataFrame({"kind": (~exact).astype(int) + frame["share"].isna(), "share": -middle})
        return frame.loc[order.sort_values(["kind", "share"], kind="stable").index].reset_index(drop=True)

    def to_geo_frame(self) -> gpd.GeoDataFrame:
        """Return :meth:`to_frame` with the shape of each state, for maps of your own.

        The shapes are those of 2010 in EPSG:5070; Alaska, Hawaii and Puerto Rico are moved in next to the 48 states.

        >>> from policy_sim import Study
        >>> places = Study("us-2020", 2026).compare("county", "general", ["DE", "RI"], 1).to_geo_frame()
        >>> risk = places[places["measure"] == "total-risk"]
        >>> sorted(risk["state"]), round(risk.area.sum() / 1e6, -3)
        (['DE', 'RI'], np.float64(8000.0))
        """
        from policy_sim.files.boundaries import with_shapes

        return with_shapes(self.to_frame(), "state", "state")

    def map(self, policy: str | None = None, attacker: str | None = None) -> Figure:
        """Draw total risk as a share of each state's people, of one policy and attacker; of the last by default."""
        from policy_sim.show.maps.figure import total_risk_map

        release, who = self._one_of_each(policy, attacker)
        return total_risk_map(self.to_frame(), release, who, self.provenance.figure_notes)

    def plot(self) -> Figure:
        """Draw the distribution of g-distinct over the states."""
        from policy_sim.show.distribution import distribution_figure

        return distribution_figure(self.to_frame(), self.provenance.figure_notes)

    def _one_of_each(self, policy: str | None, attacker: str | None) -> tuple[str, str]:
        """Return a policy and an attacker of the comparison; of each the last by default."""
        named = None if policy is None else self._compared(policy)
        who = one_of("attacker", attacker, [profile.attacker for profile in self])
        return one_of("policy", named, [profile.policy for profile in self]), who

    def _compared(self, policy: str) -> str:
        """The name under which a policy was compared: under the paper's rules that of the paper's form."""
        policies = {profile.policy for profile in self.profiles}
        if isinstance(policy, str) and policy not in policies:
            if f"{policy}-without-zip" in policies:
                return f"{policy}-without-zip"
            with suppress(PolicySimError):
                return in_rules(policy, self.provenance.question.rules)
        return policy


class CostAnswer(Answer[Cost]):
    """What each re-identification costs whoever buys the list, in US dollars, by state and policy."""

    def map(self, policy: str | None = None) -> Figure:
        """Draw the cost per re-identification of every state under one policy; under the last by default."""
        from policy_sim.show.maps.figure import cost_map

        name = one_of("policy", policy, [cost.profile.policy for cost in self])
        provenance = self.provenance
        rows = self.to_frame()
        who = str(rows["attacker"].iloc[0])
        restricted = provenance.restricted_states if provenance.question.has_lists else ()
        return cost_map(rows, name, provenance.figure_notes, restricted=restricted, attacker=who)

    def per_distinct(self, g: GroupSizes) -> Answer[GroupCost]:
        """Return the price over the people who share their values with fewer than ``g`` others, in US dollars each.

        ``g``: one group size or several, all of which were compared. One result per cost and size.

        >>> from policy_sim import Study
        >>> costs = Study("us-2010", 2026).cost("limited-dataset", "DE", 5, rules="paper")
        >>> row = costs.per_distinct(5).to_frame().iloc[0]
        >>> bool(row["usd_per_g_distinct"] == row["price_usd"] / row["g_distinct"])
        True
        """
        found = group_costs(self.results, group_sizes(g))
        return Answer(GroupCost.table, "Costs per g-distinct person", found, provenance=self.provenance)


class TrustAnswer(Answer[TrustDifferential]):
    """How much more one policy gives away than another, by state, attacker and measure."""

    def map(self, attacker: str | None = None) -> Figure:
        """Draw the trust differential of total risk of every state, for one attacker; for the last by default."""
        from policy_sim.show.maps.figure import trust_map

        name = one_of("attacker", attacker, [trust.numerator.attacker for trust in self])
        return trust_map(self.to_frame(), name, self.provenance.figure_notes)


class CurveAnswer(Answer[Curve]):
    """The share of people g-distinct for every g in one state."""

    def plot(self) -> Figure:
        """Draw the curves of every policy and attacker over g."""
        from policy_sim.show.curves import curve_figure

        return curve_figure(self.to_frame(), self.provenance.figure_notes)

    def trust(self, numerator: str, denominator: str) -> pd.DataFrame:
        """Return the trust differential of one policy over another: one row per state, attacker and g."""
        policies = {curve.policy for curve in self}
        for name in (numerator, denominator):
            if not isinstance(name, str) or name not in policies:
                raise UnknownNameError("policy of these curves", str(name), policies)
        return trust_curve_frame(self.results, numerator, denominator)


class BreakdownAnswer(Answer[Any]):
    """Who bears the risk: every measure by race, ethnicity, age, sex, county or size of the county."""

    def over_states(self) -> pd.DataFrame:
        """Return the parts added up over the states that have a figure (:func:`~.breakdown.over_states`)."""
        from policy_sim.model.breakdown import over_states

        return over_states(self.to_frame())

    def together(self) -> pd.DataFrame:
        """Return the rows of one state, or by county, as they are; those of several states added up."""
        rows = self.to_frame()
        return rows if (rows["by"] == "county").all() or len(rows["state"].unique()) == 1 else self.over_states()

    def to_geo_frame(self) -> gpd.GeoDataFrame:
        """Return :meth:`to_frame` of a breakdown by county with the shape of each county, for maps of your own.

        The shapes are those of 2010 in EPSG:5070; Alaska, Hawaii and Puerto Rico are moved in next to the 48 states.
        A county that the boundaries of 2010 lack has none.
        """
        from policy_sim.files.boundaries import with_shapes

        rows = self.to_frame()
        if set(rows["by"]) != {"county"}:
            raise InputError("only a breakdown by county has shapes: break_down('county', ...).")
        return with_shapes(rows, "county", "value")

    def figures(self) -> dict[str, Figure]:
        """Draw the breakdown: maps of counties, or bars; by name. Several states are added up."""
        from policy_sim.show.change_figure import breakdown_figures

        return dict(breakdown_figures(self.together(), self.provenance.figure_notes))

    def plot(self) -> Figure:
        """Draw the first of :meth:`figures`."""
        for figure in self.figures().values():
            return figure
        raise InputError("the breakdown has no figures to draw, because no attacker has a list in these states.")


class SensitivityAnswer(Answer[Any]):
    """What each assumption is worth in one state."""

    def plot(self) -> Figure:
        """Draw the changes as a tornado: the largest on top."""
        from policy_sim.show.change_figure import tornado_figure

        return tornado_figure(self.to_frame(), self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class ListedAnswer(Answer[Any]):
    """Who is on the voter lists; ``coverage`` has it by county and age."""

    coverage: CountyCoverage = field(kw_only=True)

    def plot(self) -> Figure:
        """Draw listed residents and all records per resident by age."""
        from policy_sim.show.curves import listed_figure
        from policy_sim.show.theme import state_title

        if "age" not in self.to_frame():
            raise InputError("only an answer by age has a curve: listed_by('age', ...).")
        states = set(self.coverage.state)
        where = state_title(min(states)) if len(states) == 1 else f"{len(states)} states"
        return listed_figure(self.to_frame(), where, self.provenance.figure_notes)

    def map(self) -> Figure:
        """Draw listed residents per adult of every county or state."""
        from policy_sim.show.curves import listed_map

        rows = self.to_frame()
        if "coverage" not in rows or rows.empty:
            raise InputError("only an answer by county or state has a map: listed_by('county', ...).")
        return listed_map(rows, self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class AttackPlanAnswer(Answer[Any]):
    """Attacks of a rational buyer: one row per attack, and their curves."""

    def curves(self, points: int = 200) -> pd.DataFrame:
        """Return the yield, precision and profit of each attack over the number of records attacked.

        ``points``: about how many rows per attack, 2 to 1,000,000; records, shares (0..1) and US dollars.
        """
        from policy_sim.model.money.attack_plan import attack_curve_frame

        return attack_curve_frame(self.results, whole_number("points", points, 2, _MOST_POINTS))

    def plot(self) -> Figure:
        """Draw the curves of every attack."""
        from policy_sim.show.money import attack_figure

        stakes = self[0].stakes if len(self) else Stakes(0)
        gain, cost = given_amount(stakes.gain_usd), given_amount(stakes.cost_per_attempt_usd)
        words = f"A match brings {gain}, an attempt costs {cost}"
        return attack_figure(self.curves(), words, self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class TrendAnswer(Answer[Any]):
    """Risk, price and profit over time; ``changes`` has the effects of people, law, sources and price."""

    changes: pd.DataFrame = field(kw_only=True)

    def plot(self) -> Figure:
        """Draw the largest changes and what they come from."""
        from policy_sim.show.curves import trend_figure

        return trend_figure(self.changes, self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class GameAnswer(Answer[Any]):
    """The publisher's game: one row per state and penalty. ``moves`` has every policy."""

    moves: pd.DataFrame = field(kw_only=True)

    def map(self) -> Figure:
        """Draw the best policy of every state, without a penalty."""
        from policy_sim.show.money import game_map

        return game_map(self.to_frame(), self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class BudgetAnswer(Answer[Any]):
    """Lists to buy: one row per list, and the totals."""

    purchase: Purchase = field(kw_only=True)


def costs_of(comparison: Comparison, population: AnyPopulation, origin: AnswerProvenance) -> CostAnswer:
    """Return the costs of a comparison for every attacker in it that holds a list or another file."""
    holders = [attacker for attacker in comparison.attackers if attacker.holds_file]
    if not holders:
        names = ", ".join(attacker.name for attacker in comparison.attackers) or "none"
        raise InputError(
            f"a cost needs an attacker that has a voter list or another file, and the comparison's attackers "
            f"({names}) have none: compare with attacker {VOTER!r} too."
        )
    priced = tuple(cost for holder in holders for cost in _priced(comparison, population, holder))
    return CostAnswer(Cost.table, "Costs", priced, provenance=origin)


def _priced(comparison: Comparison, population: AnyPopulation, holder: Attacker) -> Iterator[Cost]:
    """Yield the costs by state, then those of a file of several states as a whole."""
    of_states = replace(comparison, profiles=tuple(own for own in comparison if not is_whole(own.state)))
    by_state = costs(of_states, population, holder)
    yield from by_state
    for profile in comparison:
        if is_whole(profile.state) and profile.attacker == holder.name:
            yield whole_cost(profile, [cost for cost in by_state if cost.profile.policy == profile.policy])


def one_of(kind: str, name: str | None, choices: list[str]) -> str:
    """Return a name of the answer; the last by default."""
    names = list(dict.fromkeys(choices))
    if not names:
        raise InputError("the answer is empty: there is nothing to draw.")
    if name is None:
        return names[-1]
    if not isinstance(name, str) or name not in names:
        raise UnknownNameError(f"{kind} of this answer", str(name), names)
    return name
