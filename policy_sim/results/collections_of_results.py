"""Collections of each kind of result: tuples that are tables too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policy_sim.results.curve import Curve
from policy_sim.results.list_cost import Cost
from policy_sim.results.shown import Results
from policy_sim.results.trust_differential import TrustDifferential

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Costs", "Curves", "TrustDifferentials"]


class Costs(Results[Cost]):
    """Costs by state and policy; ``to_frame()`` has one row per cost, in US dollars."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state, policy and attacker (:func:`~policy_sim.results.result_tables.cost_frame`).

        Returns
        -------
        The rows; US dollars.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> answer.costs().to_frame()["state"].tolist()
        ['DE', 'DE']
        """
        from policy_sim.results.result_tables import cost_frame

        return cost_frame(self)


class Curves(Results[Curve]):
    """Curves of the share g-distinct; ``to_frame()`` has one row per g."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state, policy, attacker and g (:func:`~policy_sim.results.result_tables.curve_frame`).

        Returns
        -------
        The rows; shares (0..1) of the people released.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> study.curves("DE", "county", "general", 3).to_frame()["g"].tolist()
        [1, 2, 3]
        """
        from policy_sim.results.result_tables import curve_frame

        return curve_frame(self)

    def trust(self, numerator: str, denominator: str) -> pd.DataFrame:
        """Return the trust differential of one policy over another at every g.

        Parameters
        ----------
        numerator, denominator : Names of two policies of the curves.

        Returns
        -------
        One row per state, attacker and g (:func:`~policy_sim.results.result_tables.trust_curve_frame`).

        Raises
        ------
        UnknownNameError : the curves have no such policy.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> curves = study.curves("DE", ["county", "state-only"], "general", 3)
        >>> len(curves.trust("county", "state-only"))
        3
        """
        from policy_sim.errors import UnknownNameError
        from policy_sim.results.result_tables import trust_curve_frame

        policies = {curve.policy for curve in self}
        for name in (numerator, denominator):
            if not isinstance(name, str) or name not in policies:
                raise UnknownNameError("policy of these curves", str(name), policies)
        return trust_curve_frame(self, numerator, denominator)


class TrustDifferentials(Results[TrustDifferential]):
    """Ratios of two policies; ``to_frame()`` has one row per state, attacker and measure."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per ratio (:func:`~policy_sim.results.result_tables.trust_frame`).

        Returns
        -------
        The rows; ratios have no unit.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> answer.trust("limited-dataset", "safe-harbor").to_frame()["measure"].unique().tolist()
        ['total-risk', 'g-distinct']
        """
        from policy_sim.results.result_tables import trust_frame

        return trust_frame(self)
