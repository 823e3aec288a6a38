"""Population uniques and marketer risk, estimated from a sample of the population.

Every estimator is a frozen dataclass of its options, with one method:

>>> from policy_sim.estimators import Pitman
>>> one = Pitman(form="exact").estimate({1: 865, 2: 295, 3: 165}, population_size=30_162)
>>> one.status, 0 < one.uniqueness < 1
('ok', True)
"""

from policy_sim.estimators.argus import Argus
from policy_sim.estimators.base import Estimate, Estimator
from policy_sim.estimators.bootstrap import Bootstrap
from policy_sim.estimators.class_table import ClassTable
from policy_sim.estimators.decision_rule import DecisionRule
from policy_sim.estimators.finite_classes import FiniteClasses
from policy_sim.estimators.first import first_estimate
from policy_sim.estimators.log_linear import PoissonLogLinear
from policy_sim.estimators.negative_binomial import NegativeBinomial
from policy_sim.estimators.number_of_classes import CLASS_COUNTS, number_of_classes
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.registry import ESTIMATORS, estimator_names
from policy_sim.estimators.side_by_side import estimate_all, model_spread
from policy_sim.estimators.slide_negative_binomial import SlideNegativeBinomial
from policy_sim.estimators.zayatz import Zayatz
from policy_sim.groups.size_histogram import SizeHistogram

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
