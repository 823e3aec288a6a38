"""mu-Argus: every member of the population was sampled with the same chance, and nothing else is known.

F given f is negative binomial. R. Benedetti and L. Franconi (1998), NTTS; Dankar and El Emam (2010),
section 2.4.1.
"""

from __future__ import annotations

from typing import ClassVar

from policy_sim.estimators.base import Answer, SizeEstimator
from policy_sim.estimators.inverse import constant_rate_inverse
from policy_sim.sizes import SizeHistogram

__all__ = ["Argus"]


class Argus(SizeEstimator):
    """Marketer risk by mu-Argus.

    Its uniques are the model's ``P(F = 1 | f = 1) = n/N`` scaled up to the population, which comes to
    the number of the sample's uniques. That reading is ours: Dankar et al. (2012) compare a mu-Argus
    estimator of uniqueness whose definition we have not seen.

    Examples
    --------
    >>> round(Argus().fit({1: 2, 2: 1}, population_size=8).marketer_risk_, 6)
    0.5
    """

    name: ClassVar[str] = "argus"

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        fraction = sample.records / people
        inverse = constant_rate_inverse(sample.size, fraction)
        marketer = float((sample.size * sample.classes) @ inverse) / sample.records
        return Answer(uniques=float(sample.uniques), marketer_risk=marketer, parameters={"probability": fraction})
