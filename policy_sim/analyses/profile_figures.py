"""What a risk profile holds: the figures of every group, side by side, and what each column is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from policy_sim.analyses.cases import Case, Key, Measured, ends_of
from policy_sim.analyses.uncertainty import variances
from policy_sim.arrays import FloatArray
from policy_sim.attackers.in_file import SMALL_FILE, InFile
from policy_sim.granularity import Granularities
from policy_sim.groups import AnyGroups, Chances
from policy_sim.population.population import AnyPopulation
from policy_sim.results import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, Bounds, Measure, RiskProfile

__all__ = ["ProfileFigures", "RelativeError"]

# Linkage key, state and measure, to the relative error (>= 0) of a figure of a modeled population.
RelativeError: TypeAlias = Callable[[Granularities, str, Measure], float]
_SMALL = SMALL_FILE.share_of(1)


@dataclass(frozen=True)
class ProfileFigures:
    """The columns of a profile: total risk, g-distinct, claims, a small file, and variances where asked for.

    Parameters
    ----------
    g : Group sizes of g-distinct.
    spread : Give total risk and g-distinct their variances too.
    model_error : Relative error of the population's fit, which enters the variances as one standard error; None:
        the population is taken as it is.
    """

    g: tuple[int, ...]
    spread: bool = False
    model_error: RelativeError | None = None

    @property
    def risks(self) -> tuple[Measure, ...]:
        """Total risk, then g-distinct for each g: what is compared, and has variances."""
        return TOTAL_RISK, *(Measure("g-distinct", size) for size in self.g)

    @property
    def counts(self) -> tuple[Measure, ...]:
        """Everything that counts people."""
        return *self.risks, CLAIMS, CORRECT_CLAIMS

    def __call__(self, groups: AnyGroups, chances: Chances) -> FloatArray:
        """Return one row of figures per unit: :attr:`counts`, the small file, variances."""
        columns = [chances.total_risk(groups), chances.g_distinct(groups, self.g), chances.claims(groups)]
        units = len(chances.listed)
        small = replace(chances, in_file=np.full(units, _SMALL))
        # a file that was asked for has its share in the other columns
        columns.append(small.total_risk(groups) if chances.in_file is None else np.zeros(units))
        return np.column_stack([*columns, variances(groups, self.g, chances.linkable)] if self.spread else columns)

    def profiles(
        self,
        population: AnyPopulation,
        cases: Sequence[Case],
        measured: Measured,
        in_file: InFile | None,
        *,
        combinations: bool,
    ) -> tuple[RiskProfile, ...]:
        """Return the profile of each case from the measured rows.

        Parameters
        ----------
        population : Whose inhabitants the shares are of.
        cases, measured : The questions, and the rows of figures by key and state.
        in_file : The file that was measured; None: everyone is released.
        combinations : Whether every combination of unknown fields was measured.
        """
        inhabitants = population.people_by_state()
        return tuple(
            self._profile(
                case,
                measured,
                case.combinations if combinations or case.listed_unknown else (),
                population.name,
                inhabitants,
                in_file,
            )
            for case in cases
        )

    def _profile(
        self,
        case: Case,
        measured: Measured,
        combined: Sequence[Key],
        population: str,
        inhabitants: dict[str, int],
        in_file: InFile | None,
    ) -> RiskProfile:
        everyone = inhabitants[case.state]
        share = in_file.share_of(everyone, case.state) if in_file else 1.0
        ends = ends_of(case, measured)
        bare = RiskProfile(**case.facts, population=population, inhabitants=everyone, in_file=share)
        if ends is None:
            return bare
        pairs = [Bounds(float(low), float(high)) for low, high in zip(*ends, strict=True)]
        combinations = list(zip(*(measured[key, case.state].tolist() for key in combined), strict=True))
        many, scattered = len(self.counts), len(self.counts) + 1
        values = dict(zip(self.counts, pairs[:many], strict=True))
        together = dict(zip(self.counts, combinations[:many], strict=False))
        spread = dict(zip(self.risks, pairs[scattered:], strict=False))
        spread_together = dict(zip(self.risks, combinations[scattered:], strict=False))
        for measure in spread:
            low, high = (self._added(case, view[0], measure) for view in (case.keys[0], case.keys[-1]))
            at, chance = values[measure], spread[measure]
            spread[measure] = Bounds(chance.low + (low * at.low) ** 2, chance.high + (high * at.high) ** 2)
        for measure, chances in spread_together.items():
            spread_together[measure] = tuple(
                chance + (self._added(case, key[0], measure) * people) ** 2
                for chance, people, key in zip(chances, together[measure], combined, strict=True)
            )
        return replace(
            bare,
            values=values,
            small_file_share=None if in_file else pairs[many].per(everyone * _SMALL),
            variances=spread,
            combinations=together,
            combination_variances=spread_together,
        )

    def _added(self, case: Case, key: Granularities, measure: Measure) -> float:
        """Return the relative error of a figure by a key, 0 where none is asked for."""
        return 0.0 if self.model_error is None else self.model_error(key, case.state, measure)
