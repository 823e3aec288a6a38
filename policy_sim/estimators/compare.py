"""Every estimator on the same sample, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from policy_sim.errors import IncompatibleError
from policy_sim.estimators.argus import Argus
from policy_sim.estimators.base import Estimate, Estimator, SizeEstimator, check_population
from policy_sim.estimators.class_table import ClassTable
from policy_sim.estimators.decision_rule import DecisionRule
from policy_sim.estimators.log_linear import PoissonLogLinear
from policy_sim.estimators.negative_binomial import NegativeBinomial
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.slide_negative_binomial import SlideNegativeBinomial
from policy_sim.estimators.zayatz import Zayatz
from policy_sim.sizes import SizeHistogram

__all__ = ["SIZE_ESTIMATORS", "estimate_all"]

SIZE_ESTIMATORS: Mapping[str, type[SizeEstimator]] = MappingProxyType(
    {model.name: model for model in (DecisionRule, Pitman, SlideNegativeBinomial, Zayatz, NegativeBinomial, Argus)}
)


def estimate_all(
    sizes: SizeHistogram | Mapping[int, int],
    population_size: int,
    table: ClassTable | None = None,
    *,
    intervals: bool = False,
    replicates: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> list[Estimate]:
    """Estimate by every model; a model that cannot answer says why in its row.

    Parameters
    ----------
    sizes : {class size: number of the sample's classes}, or a :class:`SizeHistogram`.
    population_size : People the sample was drawn from, N >= n.
    table : What the sample's classes hold; the log-linear model needs it.
    intervals : Compute bootstrap intervals too, which takes ``replicates`` times as long.
    replicates, level, seed : See :class:`SizeEstimator`.

    Raises
    ------
    InputError : a population smaller than the sample.
    IncompatibleError : ``table`` and ``sizes`` are not of the same sample.
    """
    sample = SizeHistogram.of(sizes)
    people = check_population(sample.records, population_size)
    options = {"replicates": replicates, "level": level, "seed": seed}
    fitted: list[Estimator] = [
        model(**options).fit(sample, population_size=people)  # type: ignore[arg-type]
        for model in SIZE_ESTIMATORS.values()
    ]
    log_linear = PoissonLogLinear(**options)  # type: ignore[arg-type]
    if table is None:
        rows = [estimator.estimate(intervals) for estimator in fitted]
        reason = "needs what each class holds, not class sizes alone"
        return [*rows, Estimate(log_linear.name, reason, None, None, None, None, None)]
    if table.sizes != sample:
        raise IncompatibleError("the class table and the class sizes are not of the same sample.")
    fitted.append(log_linear.fit(table, population_size=people))
    return [estimator.estimate(intervals) for estimator in fitted]
