"""Every estimator by name, in the order in which tables list them.

To add one: write its module, import its class here, and put it into the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators.argus import Argus
from policy_sim.estimators.base import Estimator
from policy_sim.estimators.decision_rule import DecisionRule
from policy_sim.estimators.log_linear import PoissonLogLinear
from policy_sim.estimators.negative_binomial import NegativeBinomial
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.slide_negative_binomial import SlideNegativeBinomial
from policy_sim.estimators.zayatz import Zayatz

__all__ = ["ESTIMATORS", "estimator_names", "known_estimators"]

_LISTED: tuple[type[Estimator], ...] = (
    DecisionRule,
    Pitman,
    SlideNegativeBinomial,
    Zayatz,
    NegativeBinomial,
    Argus,
    PoissonLogLinear,
)

ESTIMATORS: Mapping[str, type[Estimator]] = MappingProxyType({model.name: model for model in _LISTED})


def estimator_names(*, classes: bool = True) -> tuple[str, ...]:
    """Return the names of all estimators.

    Parameters
    ----------
    classes : Include the estimators that need the values of each class.

    Examples
    --------
    >>> set(estimator_names()) - set(estimator_names(classes=False))
    {'poisson_log_linear'}
    """
    return tuple(name for name, model in ESTIMATORS.items() if classes or not model.needs_classes)


def known_estimators(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without repeats.

    Raises
    ------
    InputError : a single text instead of several names, or no name.
    UnknownNameError : a name that no estimator has.
    """
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise InputError("models must be a list of names, such as ['zayatz'].")
    requested = list(names)
    if not requested:
        raise InputError("models must name at least one estimator.")
    for name in requested:
        if not isinstance(name, str) or name not in ESTIMATORS:
            raise UnknownNameError("estimator", str(name), ESTIMATORS)
    return tuple(dict.fromkeys(requested))
