"""Population uniques and marketer risk, estimated from a sample of the population.

Every estimator is a frozen dataclass of its options, with one method:

>>> from policy_sim.estimators import Pitman
>>> one = Pitman(form="exact").estimate({1: 865, 2: 295, 3: 165}, population_size=30_162)
>>> one.status, 0 < one.uniqueness < 1
('ok', True)
"""

from policy_sim.estimators.base import Bootstrap, ClassTable, Estimate, Estimator
from policy_sim.estimators.first import first_estimate
from policy_sim.estimators.log_linear import PoissonLogLinear
from policy_sim.estimators.negative_binomial import NegativeBinomial, SlideNegativeBinomial
from policy_sim.estimators.number_of_classes import CLASS_COUNTS, FiniteClasses, number_of_classes
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.registry import ESTIMATORS, DecisionRule, estimate_all, estimator_names, model_spread
from policy_sim.estimators.zayatz import Argus, Zayatz
from policy_sim.formulas.histogram import SizeHistogram

__all__ = [
    "CLASS_COUNTS",
    "ESTIMATORS",
    "Argus",
    "Bootstrap",
    "ClassTable",
    "DecisionRule",
    "Estimate",
    "Estimator",
    "FiniteClasses",
    "NegativeBinomial",
    "Pitman",
    "PoissonLogLinear",
    "SizeHistogram",
    "SlideNegativeBinomial",
    "Zayatz",
    "estimate_all",
    "estimator_names",
    "first_estimate",
    "model_spread",
    "number_of_classes",
]
