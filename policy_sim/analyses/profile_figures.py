"""What a risk profile holds: the figures of every group, side by side, and what each column is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from policy_sim.analyses.cases import Case, Key, Measured, ends_of
from policy_sim.analyses.uncertainty import variances
from policy_sim.arrays import FloatArray
from policy_sim.attackers.in_file import SMALL_FILE, InFile
from policy_sim.groups import AnyGroups, Chances
from policy_sim.population.population import AnyPopulation
from policy_sim.results import CLAIMS, CORRECT_CLAIMS, TOTAL_RISK, Bounds, Measure, RiskProfile

__all__ = ["ProfileFigures"]

_SMALL = SMALL_FILE.share_of(1)


@dataclass(frozen=True)
class ProfileFigures:
    """The columns of a profile: total risk, g-distinct, claims, a small file, and variances where asked for.

    Parameters
    ----------
    g : Group sizes of g-distinct.
    spread : Give total risk and g-distinct their variances too.
    """

    g: tuple[int, ...]
    spread: bool = False

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
        return np.column_stack([*columns, variances(groups, self.g, chances.known)] if self.spread else columns)

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
                case, measured, case.combinations if combinations else (), population.name, inhabitants, in_file
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
        each = list(zip(*(measured[key, case.state].tolist() for key in combined), strict=True))
        many, scattered = len(self.counts), len(self.counts) + 1
        return replace(
            bare,
            values=dict(zip(self.counts, pairs[:many], strict=True)),
            small_file_share=None if in_file else pairs[many].per(everyone * _SMALL),
            variances=dict(zip(self.risks, pairs[scattered:], strict=False)),
            combinations=dict(zip(self.counts, each[:many], strict=False)),
            combination_variances=dict(zip(self.risks, each[scattered:], strict=False)),
        )
