"""What the model answers to the figures of Benitez & Malin 2010."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import factorial, prod
from statistics import median

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.formulas.bins import bins_up_to, people_g_distinct
from policy_sim.formulas.groups import Groups, g_distinct, total_risk
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.model.compare import Comparison, Curve
from policy_sim.model.measure import TOTAL_RISK, Bounds, Measure
from policy_sim.model.profile import Cost, RiskProfile
from policy_sim.papers.printed_figure import Answer, Answers, Ask, ListStatements
from policy_sim.people.merging import merge
from policy_sim.people.places import has_place
from policy_sim.people.population import Population
from policy_sim.records.classes import Classes
from policy_sim.records.sampling_study import simulate
from policy_sim.voter_lists.price import Amount
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES

_BELOW, _ABOVE = "safe-harbor-paper", "limited-dataset-paper"
_STATES = 50  # the paper leaves the District of Columbia out
_TAKE: Mapping[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "median": median}


@dataclass(frozen=True)
class BenitezMalin(Answers):
    """The study of the paper: Census 2000, the lists of 2008, both policies and both attackers.

    ``comparison``, ``costs``: every state, g = 1 and 10 at least. ``curves``: Ohio over g = 1 to 20,000. ``counties``:
    counties of the population.
    """

    comparison: Comparison
    costs: Sequence[Cost]
    curves: Sequence[Curve]
    counties: int

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
        return {
            trust.numerator.state: trust.ratio.low
            for trust in self.comparison.trust(_ABOVE, _BELOW)
            if (trust.numerator.attacker, trust.measure, trust.status) == (attacker, TOTAL_RISK, "ok")
            if trust.ratio is not None and trust.numerator.state != "DC"
        }

    def _trust_rank(self, ask: Ask) -> Answer:
        return _ranked(self._trusts(ask["attacker"]), ask["state"], "differential")

    def _rank(self, ask: Ask) -> Answer:
        return _ranked(self._shares(ask), ask["state"], "list")

    def _shares(self, ask: Ask) -> dict[str, float]:
        """Shares that are one number, by state."""
        return {
            state: share.low
            for (state, *of), profile in self._profiles.items()
            if of == [ask["policy"], ask["attacker"]] and profile.status == "ok"
            if (share := profile.share(_measure(ask))) is not None
        }

    def _states(self, ask: Ask) -> Answer:
        shares = self._shares(ask)
        take = _TAKE[ask["take"]](list(shares.values()))
        if len(shares) == _STATES:
            return Answer(take)
        return Answer(None, f"Needs the lists of {_STATES} states; {len(shares)} are known, which give {take:.3g}.")

    def _priced(self, policy: str) -> dict[str, tuple[float, float]]:
        """Dollars per re-identification, then minus the re-identifications, by state."""
        return {
            cost.profile.state: (usd.low, -risk.low)
            for cost in self.costs
            if cost.profile.policy == policy and cost.status in ("ok", "free")
            if (risk := cost.total_risk) and (usd := cost.usd_per_reidentification)
        }

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
            raise ValueError(f"the curve of {policy} and {attacker} has no list")
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


# What the model answers to the figures of Dankar & El Emam 2010.


# What the paper calls the key fields of Adult, and what columns may be called.
ADULT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "age": ("age",),
    "education": ("education",),
    "race": ("race",),
    "gender": ("sex", "gender"),
}


@dataclass(frozen=True)
class Dankar2010(Answers):
    """Marketer risk: worked examples, and the data set Adult where the user has the file.

    ``adult``: its classes by the fields of :data:`ADULT_FIELDS`, in that order; none: not available.
    """

    adult: Classes | None = None

    def _one_to_one(self, ask: Ask) -> Answer:
        """Expected correct matches of one class in a random one-to-one matching (their section 2.3)."""
        n = ask["people"]
        chances = [sum((-1) ** v / factorial(v) for v in range(n - r + 1)) / factorial(r) for r in range(n + 1)]
        return Answer(sum(r * chance for r, chance in enumerate(chances)))

    def _example(self, ask: Ask) -> Answer:
        """Marketer risk (their equation 1) over journalist risk, one over the smallest class."""
        people, released = ask["people"], ask["released"]
        marketer = float(total_risk(Groups.of(people, released=released))[0]) / sum(released)
        return Answer(marketer * min(people))

    def _file(self, ask: Ask) -> Answer:
        if ask["file"] != "adult":
            return Answer(None, "The file is not public, or not in the form the paper used.")
        if self.adult is None:
            return Answer(None, "Needs the file adult.csv, which does not come with the program. Give its location.")
        figures: dict[str, float] = {
            "records": self.adult.records,
            "values": dict(zip(ADULT_FIELDS, self.adult.values, strict=True)).get(ask.get("field", ""), 0),
            "marketer": self.adult.number / self.adult.records,
        }
        return Answer(figures[ask["take"]])


# What the model answers to the figures of Dankar et al. 2012.


_RULE, _PITMAN = "decision_rule", "pitman"
_MODELS = (_RULE, _PITMAN, "slide_negative_binomial", "zayatz")
_LOW = 0.1  # the paper's border of a low sampling fraction
_RUNS, _SEED = 50, 1


def median_errors(files: Mapping[str, SizeHistogram]) -> dict[str, pd.DataFrame]:
    """Run the paper's simulation on each file: its estimators and its decision rule at its seven fractions.

    Returns by file, the median relative error of uniqueness: one row per sampling fraction, one column per model.
    """
    tables = {}
    for name, sizes in files.items():
        study = simulate(np.repeat(sizes.size, sizes.classes), runs=_RUNS, seed=_SEED, models=_MODELS)
        errors = study.errors[study.errors["measure"] == "uniqueness"]
        tables[name] = errors.pivot_table(index="fraction", columns="model", values="relative_error", aggfunc="median")
    return tables


@dataclass(frozen=True)
class Dankar2012(Answers):
    """Uniqueness: worked examples, the decision rule, and the prices quoted from Benitez & Malin 2010.

    ``prices``: price of each state's list of 2008. ``pitman_up_to``: largest sampling fraction at which the decision
    rule takes Pitman's estimator. ``errors``: median errors of the estimators on public files, see
    :func:`median_errors`.
    """

    prices: Mapping[str, Amount]
    pitman_up_to: float
    errors: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def _example(self, ask: Ask) -> Answer:
        """Shares of unique records (their equations 1 to 3)."""
        ratios = {
            "sample-uniqueness": (ask["sample_uniques"], ask["sample"]),
            "share": (ask.get("of", 0), ask["sample"]),
            "lambda1": (ask["both"], ask["sample_uniques"]),
            "lambda2": (ask["both"], ask["sample"]),
            "lambda3": (ask["population_uniques"], ask["population"]),
        }
        above, below = ratios[ask["take"]]
        return Answer(above / below)

    def _relative_bias(self, ask: Ask) -> Answer:
        return Answer(ask["bias"] / ask["at"])

    def _product(self, ask: Ask) -> Answer:
        return Answer(float(prod(ask["of"])))

    def _rule(self, _: Ask) -> Answer:
        return Answer(self.pitman_up_to)

    def _file(self, ask: Ask) -> Answer:
        return Answer(None, f"Needs the file: {ask['file']}.")

    def _adult(self, _: Ask) -> Answer:
        return Answer(None, "The paper's key fields are in a table that is not available here.")

    def _price(self, ask: Ask) -> Answer:
        amount = self.prices[ask["state"]]
        return Answer(amount.usd, amount.reason)

    def _simulated(self, ask: Ask) -> Answer:
        """At how many fractions one model is the closest, on a public file."""
        if ask["file"] not in self.errors:
            return Answer(None, f"Needs the class sizes of {ask['file']}.")
        size = self.errors[ask["file"]].abs()
        rows = size[size.index <= _LOW] if ask["at"] == "low" else size
        others = rows.drop(columns=[ask["model"], *([] if ask["model"] == _RULE else [_RULE])])
        # the rule takes one of the others at each sample, so that it can be as close as the closest
        closest = rows[ask["model"]].to_numpy() <= others.to_numpy().min(axis=1)
        return Answer(float(np.count_nonzero(closest)))

    def _tree(self, ask: Ask) -> Answer:
        """Mean error of a node of the paper's tree: of a confidential file, so only a public one can be told."""
        branches = []
        for name, table in self.errors.items():
            rows = table[table.index > _LOW] if ask["at"] == "high" else table[table.index <= _LOW][[_PITMAN]]
            branches.append(f"{name} {float(rows.to_numpy().mean()):+.3f}")
        beside = f" Mean of the median errors on public files: {', '.join(branches)}." if branches else ""
        return Answer(None, f"Needs the confidential file of the emergency department.{beside}")


# What the model answers to the figures of Golle 2006: unique people by sex, place and birth.


@dataclass(frozen=True)
class Golle:
    """The people of the paper's census, and others to fall back on for what the census lacks.

    ``population``: Census 2000. ``others``: populations of another census, whose figures are shown but not judged.
    """

    population: Population
    others: Sequence[Population] = ()

    def answer(self, ask: Ask) -> Answer:
        """Return the share (0..1) of the nation's people who are unique by sex, place and birth."""
        key = Granularities(gender="value", birth=ask["birth"], geography=ask["place"])
        if has_place(self.population, ask["place"]):
            return Answer(_unique(self.population, key))
        shares = [f"{p.name} gives {_unique(p, key):.2%}" for p in self.others if has_place(p, ask["place"])]
        remark = f" Another census: {', '.join(shares)}." if shares else ""
        return Answer(None, f"Needs people by ZIP code of Census 2000, which are not shipped.{remark}")


def _unique(population: Population, key: Granularities) -> float:
    return float(g_distinct(merge(population, key), [1]).sum() / population.people)
