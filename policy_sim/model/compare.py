"""The study: states × policies × attackers, each a risk profile.

Every (policy, attacker, state) has a linkage key; states that share a key are merged and measured
together, and no key is merged twice. Merge, count distinct (people, bins) pairs, apply the formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import VOTER, Attacker
from policy_sim.attackers.coverage import list_records
from policy_sim.attackers.in_file import InFile
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.model.cases import Cases, ends_of
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, PRECISION, Measure, Shown, group_sizes
from policy_sim.model.profile import Cost, Curve, RiskProfile, TrustDifferential
from policy_sim.model.profile_figures import ProfileFigures, RelativeError
from policy_sim.model.shipped_figures import CURVE_MOST
from policy_sim.model.tables import profile_frame
from policy_sim.people.population import AnyPopulation, Provenance
from policy_sim.words.arguments import name_of, one_place
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import UnknownNameError
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

        The columns are those of :func:`~policy_sim.model.tables.profile_frame`.
        """
        return profile_frame(self.profiles, (*self.measures, CLAIMS, CORRECT_CLAIMS, PRECISION))

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


def compare(cases: Cases, *, spread: bool = False, model_error: RelativeError | None = None) -> Comparison:
    """Measure every state under every policy and attacker.

    ``spread``: give every figure its variance. ``model_error``: relative error of the population's fit by linkage key,
    state and measure, which enters the variances; None: the population is taken as it is.
    """
    figures = ProfileFigures(group_sizes(cases.g), spread, model_error)
    measured = cases.measure(figures, combinations=cases.has_ratios, between=True)
    profiles = figures.profiles(cases, measured)
    return Comparison(cases.population.provenance, figures.g, profiles, tuple(cases.attackers), cases.in_file)


def costs(comparison: Comparison, population: AnyPopulation, attacker: Attacker) -> tuple[Cost, ...]:
    """Price each state's list for the analyzed population: its people and its counties."""
    counties, counted = population.counties_by_state(), cache(partial(list_records, population))
    resource, priced = attacker.resource, []
    for profile in comparison.profiles:
        if profile.attacker == attacker.name:
            low, high = resource.amounts_for(profile.state, counted, counties.get(profile.state))
            only_for = resource.restricted_to(profile.state)
            priced.append(Cost(profile, low.usd, Status(low.status), low.reason, only_for, high.usd))
    return tuple(priced)


@dataclass(frozen=True)
class CurveFigures:
    """People in groups of ``g`` or fewer, for each ``g`` in rising order: a column each."""

    g: Sequence[int]

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return one row of figures per unit; shape (units, sizes)."""
        swept = chances.g_distinct_sweep(groups, self.g[-1])
        return swept if len(self.g) == self.g[-1] else swept[:, np.array(self.g) - 1]


@dataclass(frozen=True)
class PageCurve(CurveFigures):
    """The curve of a page, which ships in thousandths of a person, enough to draw it."""

    g: Sequence[int] = range(1, CURVE_MOST + 1)


def round_sizes(g_max: int) -> tuple[int, ...]:
    """Return the sizes of a curve that a table shows: 1, 2, 5, 10, ... and ``g_max``."""
    steps = (step * 10**power for power in range(len(str(g_max))) for step in (1, 2, 5))
    return (*(g for g in steps if g < g_max), g_max)


def curves(cases: Cases, figures: CurveFigures) -> tuple[Curve, ...]:
    """Return the curve of every state, policy and attacker, as :func:`compare` does."""
    measured = cases.measure(figures, combinations=cases.has_ratios, between=True)
    population, in_file = cases.population, cases.in_file
    inhabitants = population.people_by_state()
    curve_list = []
    for case in cases:
        ends, everyone = ends_of(case, measured), float(inhabitants[case.state])
        everyone *= in_file.share_of(everyone, case.state) if in_file else 1.0
        low, high = (end / everyone for end in ends) if ends else (None, None)
        keys = case.combinations if cases.has_ratios else ()
        combinations = tuple(measured[key, case.state] / everyone for key in keys)
        facts = {**case.facts, "population": population.name}
        curve_list.append(Curve(**facts, low=low, high=high, g=figures.g, records=everyone, combinations=combinations))
    return tuple(curve_list)


def _counted(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"
