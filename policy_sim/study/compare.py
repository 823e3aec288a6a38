"""The answer to a comparison: risk profiles with their provenance, costs, ratios and figures."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from policy_sim.attackers import VOTER
from policy_sim.model.compare import Comparison, costs
from policy_sim.model.measure import TOTAL_RISK, Measure
from policy_sim.model.profile import RiskProfile
from policy_sim.policies.files import in_rules
from policy_sim.study.answers import CostAnswer, TrustAnswer, one_of
from policy_sim.words.errors import InputError, PolicySimError

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.people.population import AnyPopulation
    from policy_sim.study.provenance import AnswerProvenance

__all__ = ["ComparisonAnswer", "costs_of", "with_provenance"]


@dataclass(frozen=True, repr=False)
class ComparisonAnswer(Comparison):
    """Risk profiles of every state, policy and attacker, with their provenance, costs and figures.

    Under the paper's rules, ``safe-harbor`` also finds ``safe-harbor-paper``, as the tables name it; where the
    population has no ZIP codes, ``safe-harbor-without-zip``.

    Examples
    --------
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

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        policy, attacker : Names, as they were compared.

        Returns
        -------
        The risk profile.

        Raises
        ------
        UnknownNameError : not a state, or the comparison has no such profile.
        InputError : another kind of value.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> answer.profile("Delaware", "safe-harbor", "general").state
        'DE'
        """
        return super().profile(state, self._compared(policy), attacker)

    def costs(self) -> CostAnswer:
        """Return the costs for every attacker of the comparison who holds voter lists.

        Returns
        -------
        One cost per state, policy and attacker, in US dollars.

        Raises
        ------
        InputError : no attacker of the comparison holds a voter list.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> answer.costs().to_frame()["attacker"].unique().tolist()
        ['voter']
        """
        return costs_of(self, self.provenance.study.counted, self.provenance)

    def trust(self, numerator: str, denominator: str) -> TrustAnswer:
        """Return the trust differentials of one policy over another, by state, attacker and measure.

        Parameters
        ----------
        numerator, denominator : Names of two policies of the comparison.

        Returns
        -------
        One ratio per state, attacker and measure.

        Raises
        ------
        UnknownNameError : the comparison has no such policy.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> len(answer.trust("limited-dataset", "safe-harbor"))
        4
        """
        ratios = super().trust(self._compared(numerator), self._compared(denominator))
        return TrustAnswer(ratios, provenance=self.provenance)

    def ranking(
        self, policy: str | None = None, attacker: str | None = None, measure: str | Measure = TOTAL_RISK
    ) -> pd.DataFrame:
        """Return the states in the order of a measure, the largest share first.

        Parameters
        ----------
        policy, attacker : One of the comparison; the last by default.
        measure : A Measure or its name, such as ``5-distinct``.

        Returns
        -------
        One row per state: ``rank``, ``share`` and ``share_high``, ``status`` and ``reason``. States whose share is a
        range follow those with one figure, by the middle of the range, and then those without a figure; neither
        has a rank, because its place is not known.

        Raises
        ------
        UnknownNameError : the comparison has no such policy, attacker or measure.

        Examples
        --------
        >>> from policy_sim import Study
        >>> answer = Study("us-2020", 2026).compare("safe-harbor", "general", ["DE", "OH", "WY"], 1)
        >>> answer.ranking()[["rank", "state"]].to_numpy().tolist()
        [[1, 'WY'], [2, 'DE'], [3, 'OH']]
        """
        import pandas as pd

        named = None if policy is None else self._compared(policy)
        release = one_of("policy", named, [profile.policy for profile in self])
        who = one_of("attacker", attacker, [profile.attacker for profile in self])
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

        Examples
        --------
        >>> from policy_sim import Study
        >>> places = Study("us-2020", 2026).compare("county", "general", ["DE", "RI"], 1).to_geo_frame()
        >>> risk = places[places["measure"] == "total-risk"]
        >>> sorted(risk["state"]), round(risk.area.sum() / 1e6, -3)
        (['DE', 'RI'], np.float64(8000.0))
        """
        from policy_sim.files.boundaries import with_shapes

        return with_shapes(self.to_frame(), "state", "state")

    def map(self, policy: str | None = None, attacker: str | None = None) -> Figure:
        """Draw total risk as a share of each state's people.

        Parameters
        ----------
        policy, attacker : One of the comparison; the last by default.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Raises
        ------
        UnknownNameError : the comparison has no such policy or attacker.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> type(answer.map()).__name__
        'ShownFigure'
        """
        from policy_sim.show.maps.state_map import total_risk_map

        named = None if policy is None else self._compared(policy)
        release = one_of("policy", named, [profile.policy for profile in self])
        who = one_of("attacker", attacker, [profile.attacker for profile in self])
        return total_risk_map(self.to_frame(), release, who, self.provenance.figure_notes)

    def plot(self) -> Figure:
        """Draw the distribution of g-distinct over the states.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> type(answer.plot()).__name__
        'ShownFigure'
        """
        from policy_sim.show.distribution import distribution_figure

        return distribution_figure(self.to_frame(), self.provenance.figure_notes)

    def _compared(self, policy: str) -> str:
        """The name under which a policy was compared: under the paper's rules that of the paper's form."""
        policies = {profile.policy for profile in self.profiles}
        if isinstance(policy, str) and policy not in policies:
            if f"{policy}-without-zip" in policies:
                return f"{policy}-without-zip"
            with suppress(PolicySimError):
                return in_rules(policy, self.provenance.question.rules)
        return policy


def costs_of(comparison: Comparison, population: AnyPopulation, origin: AnswerProvenance) -> CostAnswer:
    """Return the costs of a comparison for every attacker in it that holds a list or another file.

    ``origin``: where the answer comes from.
    """
    holders = [attacker for attacker in comparison.attackers if attacker.holds_file]
    if not holders:
        names = ", ".join(attacker.name for attacker in comparison.attackers) or "none"
        raise InputError(
            f"a cost needs an attacker that holds a voter list or another file, and the comparison's attackers "
            f"({names}) hold none: compare with attacker {VOTER!r} too."
        )
    priced = (cost for holder in holders for cost in costs(comparison, population, holder))
    return CostAnswer(priced, provenance=origin)


def with_provenance(comparison: Comparison, provenance: AnswerProvenance) -> ComparisonAnswer:
    """Return a comparison that knows where it comes from."""
    held = {entry.name: getattr(comparison, entry.name) for entry in fields(comparison)}
    return ComparisonAnswer(**held, provenance=provenance)
