"""What the model answers to the figures of Benitez & Malin 2010."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np
from numpy.typing import NDArray

from policy_sim.analyses.comparison import TOTAL_RISK, Comparison
from policy_sim.analyses.reproduction.list_statements import ListStatements
from policy_sim.analyses.reproduction.printed_figure import Answer, Ask
from policy_sim.attackers import GENERAL, VOTER
from policy_sim.binning import bins_up_to, people_g_distinct
from policy_sim.results import Bounds, Cost, Curve, Measure, RiskProfile
from policy_sim.states import STATES

__all__ = ["BenitezMalin"]

_BELOW, _ABOVE = "safe-harbor-paper", "limited-dataset-paper"
_STATES = 50  # the paper leaves the District of Columbia out
_TAKE: Mapping[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "median": median}


@dataclass(frozen=True)
class BenitezMalin:
    """The study of the paper: Census 2000, the lists of 2008, both policies and both attackers.

    Parameters
    ----------
    comparison, costs : Every state, g = 1 and 10 at least.
    curves : Ohio over g = 1 to 20,000.
    counties : Counties of the population.
    """

    comparison: Comparison
    costs: Sequence[Cost]
    curves: Sequence[Curve]
    counties: int

    def answer(self, ask: Ask) -> Answer:
        """Answer one question; its ``kind`` names the method."""
        method: Callable[[Ask], Answer] = getattr(self, "_" + str(ask["kind"]).replace("-", "_"))
        return method(ask)

    @cached_property
    def _profiles(self) -> dict[tuple[str, str, str], RiskProfile]:
        return {(p.state, p.policy, p.attacker): p for p in self.comparison if p.state != "DC"}

    def _profile(self, ask: Ask) -> Answer:
        """A share, or people where the question is asked of a count."""
        profile = self._profiles[ask["state"], ask["policy"], ask["attacker"]]
        measure = _measure(ask)
        counted = ask.get("count", False)
        return _one(profile, profile.people(measure) if counted else profile.share(measure))

    def _same(self, ask: Ask) -> Answer:
        """VOTER over GENERAL."""
        voter, general = (self._profiles[ask["state"], ask["policy"], who] for who in (VOTER, GENERAL.name))
        a, b = voter.people(TOTAL_RISK), general.people(TOTAL_RISK)
        if a is None or b is None:
            return Answer(None, voter.reason)
        return _one(voter, Bounds(a.low / b.low, a.high / b.high))

    def _trust(self, ask: Ask) -> Answer:
        ratios = self._trusts(ask["attacker"])
        if ask["state"] in ratios:
            return Answer(ratios[ask["state"]])
        return _one(self._profiles[ask["state"], _ABOVE, ask["attacker"]], None)

    def _trusts(self, attacker: str) -> dict[str, float]:
        """Trust differentials of total risk that are one number, by state."""
        ratios = {}
        for trust in self.comparison.trust(_ABOVE, _BELOW):
            is_match = trust.numerator.attacker == attacker and trust.measure == TOTAL_RISK
            if is_match and trust.status == "ok" and trust.ratio is not None and trust.numerator.state != "DC":
                ratios[trust.numerator.state] = trust.ratio.low
        return ratios

    def _trust_rank(self, ask: Ask) -> Answer:
        return _ranked(self._trusts(ask["attacker"]), ask["state"], "differential")

    def _rank(self, ask: Ask) -> Answer:
        return _ranked(self._shares(ask), ask["state"], "list")

    def _shares(self, ask: Ask) -> dict[str, float]:
        """Shares that are one number, by state."""
        shares = {}
        for (state, policy, attacker), profile in self._profiles.items():
            share = profile.share(_measure(ask))
            if (policy, attacker) == (ask["policy"], ask["attacker"]) and share is not None and profile.status == "ok":
                shares[state] = share.low
        return shares

    def _states(self, ask: Ask) -> Answer:
        shares = self._shares(ask)
        take = _TAKE[ask["take"]](list(shares.values()))
        if len(shares) == _STATES:
            return Answer(take)
        return Answer(None, f"Needs the lists of {_STATES} states; {len(shares)} are known, which give {take:.3g}.")

    def _priced(self, policy: str) -> dict[str, tuple[float, float]]:
        """Dollars per re-identification, then minus the re-identifications, by state."""
        prices = {}
        for cost in self.costs:
            risk, usd = cost.total_risk, cost.usd_per_reidentification
            if cost.profile.policy == policy and cost.status in ("ok", "free") and risk and usd:
                prices[cost.profile.state] = (usd.low, -risk.low)
        return prices

    def _cost(self, ask: Ask) -> Answer:
        prices = self._priced(ask["policy"])
        return Answer(prices[ask["state"]][0]) if ask["state"] in prices else Answer(None, "No known price.")

    def _cost_rank(self, ask: Ask) -> Answer:
        """The dearest is first; of free lists the one with most re-identifications is last."""
        prices = self._priced(ask["policy"])
        order = sorted(prices, key=lambda state: prices[state], reverse=True)
        if ask["state"] not in order or len(order) < _STATES:
            place = order.index(ask["state"]) + 1 if ask["state"] in order else None
            rank_text = f": place {place} from the dearest, {len(order) - place + 1} from the cheapest" if place else ""
            return Answer(None, f"Needs the prices of {_STATES} lists; {len(order)} are known{rank_text}.")
        return Answer(order.index(ask["state"]) + 1)

    def _cost_range(self, ask: Ask) -> Answer:
        costs = [dollars for policy in (_BELOW, _ABOVE) for dollars, _ in self._priced(policy).values()]
        return Answer(_TAKE[ask["take"]](costs), f"Of the {len(self._priced(_ABOVE))} lists with a known price.")

    def _curve(self, ask: Ask) -> Answer:
        shares = self._curve_of(ask["policy"], ask["attacker"])
        at = float(shares[ask["g"] - 1])
        return Answer(1 - at if ask.get("take") == "rest" else at)

    def _trust_curve(self, ask: Ask) -> Answer:
        above, below = (self._curve_of(policy, ask["attacker"]) for policy in (_ABOVE, _BELOW))
        ratios = above[below > 0] / below[below > 0]
        return Answer(float(_TAKE[ask["take"]](ratios.tolist())))

    def _curve_of(self, policy: str, attacker: str) -> NDArray[np.float64]:
        curve = next(c.low for c in self.curves if (c.policy, c.attacker) == (policy, attacker))
        if curve is None:
            msg = f"the curve of {policy} and {attacker} has no list"
            raise ValueError(msg)
        return curve

    def _formula(self, ask: Ask) -> Answer:
        n, b, g = ask["people"], ask["bins"], ask["g"]
        people = float(people_g_distinct(n, b, g))
        by_name = {
            "people": people,
            "share": people / n,
            "released": ask.get("released", 0) * people / n,
            "printed-equation-2": float(bins_up_to(n, b, g)),
        }
        return Answer(by_name[ask["name"]])

    def _list_statement(self, ask: Ask) -> Answer:
        """What the paper states of the lists themselves."""
        linked = {
            state: profile
            for (state, policy, who), profile in self._profiles.items()
            if (policy, who) == (_ABOVE, ask["attacker"])
        }
        costs = [cost for cost in self.costs if cost.profile.policy == _ABOVE]
        return ListStatements(linked, self._trusts(ask["attacker"]), costs).answer(ask)

    def _counties(self, _: Ask) -> Answer:
        return Answer(float(self.counties))


def _measure(ask: Ask) -> Measure:
    return Measure("g-distinct", ask["g"]) if ask["measure"] == "g-distinct" else TOTAL_RISK


def _one(profile: RiskProfile, figure: Bounds | None) -> Answer:
    """One number, or why there is none; both ends where a field of the list is not known."""
    if figure is None or profile.status != "ok":
        name = STATES[profile.state].name
        return Answer(None, f"{name}'s list of 2008: {profile.reason or profile.status}.")
    return Answer(figure.low)


def _ranked(values: Mapping[str, float], state: str, what: str) -> Answer:
    """Place by value, the largest first, where every state has one."""
    order = sorted(values, key=lambda name: -values[name])
    if len(order) == _STATES:
        return Answer(order.index(state) + 1)
    rank_text = f", among which it has place {order.index(state) + 1}" if state in order else ""
    return Answer(None, f"Needs the {what} of {_STATES} states; {len(order)} are known{rank_text}.")
