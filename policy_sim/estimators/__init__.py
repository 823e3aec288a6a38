"""What a sample says of the population it was drawn from: uniques and marketer risk.

The same words for every model, in scikit-learn's manner::

    from policy_sim.estimators import Pitman

    pitman = Pitman(form="exact").fit({1: 865, 2: 295, 3: 165}, population_size=30_162)
    pitman.uniqueness_, pitman.interval_, pitman.status_
"""

from policy_sim.estimators.argus import Argus
from policy_sim.estimators.base import Estimate, Estimator
from policy_sim.estimators.class_table import ClassTable
from policy_sim.estimators.compare import SIZE_ESTIMATORS, estimate_all
from policy_sim.estimators.decision_rule import DecisionRule
from policy_sim.estimators.log_linear import PoissonLogLinear
from policy_sim.estimators.negative_binomial import NegativeBinomial
from policy_sim.estimators.number_of_classes import CLASS_COUNTS, number_of_classes
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.slide_negative_binomial import SlideNegativeBinomial
from policy_sim.estimators.zayatz import Zayatz
from policy_sim.sizes import SizeHistogram

__all__ = [
    "CLASS_COUNTS",
    "SIZE_ESTIMATORS",
    "Argus",
    "ClassTable",
    "DecisionRule",
    "Estimate",
    "Estimator",
    "NegativeBinomial",
    "Pitman",
    "PoissonLogLinear",
    "SizeHistogram",
    "SlideNegativeBinomial",
    "Zayatz",
    "estimate_all",
    "number_of_classes",
]
