"""What an attack is worth to whoever runs it: gain, costs, penalty."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.errors import InputError

__all__ = ["WAN_2015", "Stakes"]


@dataclass(frozen=True)
class Stakes:
    """Dollars that an attacker gains and pays, besides the price of its list.

    Parameters
    ----------
    gain_usd : For each record matched correctly.
    cost_per_attempt_usd : For each record attacked, right or wrong: checking, contact.
    loss_per_wrong_usd : For each record matched to a wrong person: what a wrong name costs.
    penalty_usd : Fine for each person named, where the attacker is caught.
    penalty_cap_usd : The most that all fines together come to; none: no limit.
    chance_caught : Chance (0..1) of being caught and fined.
    source : Where the amounts come from.

    Raises
    ------
    InputError : an amount that is not a number of 0 or more; a chance outside 0 to 1.

    Examples
    --------
    With the amounts of Wan et al. 2015, no record pays whose chance of a correct match is 4/300 or less:

    >>> WAN_2015.break_even_chance == 4 / 300
    True
    """

    gain_usd: float
    cost_per_attempt_usd: float = 0.0
    loss_per_wrong_usd: float = 0.0
    penalty_usd: float = 0.0
    penalty_cap_usd: float | None = None
    chance_caught: float = 0.0
    source: str = "assumed"

    def __post_init__(self) -> None:
        for name in ("gain_usd", "cost_per_attempt_usd", "loss_per_wrong_usd", "penalty_usd", "penalty_cap_usd"):
            amount = getattr(self, name)
            if amount is not None and not (isfinite(amount) and amount >= 0):
                raise InputError(f"{name} = {amount} must be a number of dollars of 0 or more.")
        if not 0 <= self.chance_caught <= 1:
            raise InputError(f"chance_caught = {self.chance_caught} must be a chance from 0 to 1.")

    @property
    def amounts(self) -> dict[str, float | None]:
        """The dollars and the chance by name, for a manifest: notes say where each comes from."""
        return {name: amount for name, amount in asdict(self).items() if name != "source"}

    @property
    def break_even_chance(self) -> float | None:
        """The chance of a correct match at which a record pays for its own attempt, without the capped part of a fine.

        None where no chance does: a gain of 0 with costs above 0, or a fine that takes the whole gain.
        """
        gain = self.gain_usd + self.loss_per_wrong_usd - self.chance_caught * self.penalty_usd
        cost = self.cost_per_attempt_usd + self.loss_per_wrong_usd
        if cost == 0:
            return 0.0 if gain >= 0 else None
        return cost / gain if gain > 0 and cost <= gain else None

    def profit(self, attacked: FloatArray, matched: FloatArray) -> FloatArray:
        """Return the dollars left before the price of the list.

        Parameters
        ----------
        attacked, matched : Records attacked, and correct matches among them; aligned.

        Returns
        -------
        ``gain m - cost n - loss (n - m) - caught min(cap, fine m)`` for ``n`` attacked and ``m`` matched.
        """
        fines = self.penalty_usd * matched
        fines = fines if self.penalty_cap_usd is None else np.minimum(fines, self.penalty_cap_usd)
        spent = self.cost_per_attempt_usd * attacked + self.loss_per_wrong_usd * (attacked - matched)
        left: FloatArray = self.gain_usd * matched - spent - self.chance_caught * fines
        return left


WAN_2015 = Stakes(300.0, 4.0, source="Wan et al. 2015 (PLoS ONE 10(3): e0120592)")
