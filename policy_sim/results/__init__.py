"""Results: risk profiles and what follows from them; each is a table and shows itself."""

from policy_sim.results.collections_of_results import Costs, Curves, TrustDifferentials
from policy_sim.results.curve import Curve
from policy_sim.results.list_cost import Cost
from policy_sim.results.measure import (
    CLAIMS,
    CORRECT_CLAIMS,
    LEVEL,
    MOST_G,
    PRECISION,
    TOTAL_RISK,
    Bounds,
    Measure,
    group_sizes,
    reach,
)
from policy_sim.results.risk_profile import RiskProfile, paired
from policy_sim.results.shown import Results, Rows, Shown
from policy_sim.results.trust_differential import ONE_PERSON, TrustDifferential
from policy_sim.status import Status

__all__ = [
    "CLAIMS",
    "CORRECT_CLAIMS",
    "LEVEL",
    "MOST_G",
    "ONE_PERSON",
    "PRECISION",
    "TOTAL_RISK",
    "Bounds",
    "Cost",
    "Costs",
    "Curve",
    "Curves",
    "Measure",
    "Results",
    "RiskProfile",
    "Rows",
    "Shown",
    "Status",
    "TrustDifferential",
    "TrustDifferentials",
    "group_sizes",
    "paired",
    "reach",
]
