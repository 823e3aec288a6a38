"""Every estimator on the same sample, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from policy_sim.estimators.base import Estimate, Sample, Tell, quiet
from policy_sim.estimators.bootstrap import Bootstrap, Interval
from policy_sim.estimators.registry import ESTIMATORS, known_estimators

__all__ = ["estimate_all", "model_spread"]


def estimate_all(
    sizes: Sample | Mapping[int, int],
    population_size: int,
    *,
    models: Iterable[str] | None = None,
    bootstrap: Bootstrap | None = None,
    tell: Tell = quiet,
) -> list[Estimate]:
    """Estimate by every model; a model that cannot answer says why in its row.

    Parameters
    ----------
    sizes : The sample: {class size: number of classes}, a :class:`SizeHistogram`, or a :class:`ClassTable`, which
        some models need.
    population_size : People that the sample was drawn from, N >= n.
    models : Names of estimators; by default all.
    bootstrap : How to compute intervals of the sampling error, which takes ``replicates`` times as long; None leaves
        them out.
    tell : Called with each step.

    Returns
    -------
    One estimate per model, in the order of ``models``.

    Raises
    ------
    InputError : a population smaller than the sample.
    UnknownNameError : a model that does not exist.

    Examples
    --------
    >>> rows = estimate_all({1: 60, 2: 20, 3: 9}, 900, models=["zayatz", "argus"])
    >>> [(row.model, row.status) for row in rows]
    [('zayatz', 'ok'), ('argus', 'ok')]
    """
    estimates = []
    for name in known_estimators(tuple(ESTIMATORS) if models is None else models):
        tell(f"fitting {name}")
        estimates.append(ESTIMATORS[name]().estimate(sizes, population_size, bootstrap=bootstrap, tell=tell))
    return estimates


def model_spread(estimates: Iterable[Estimate], measure: str) -> Interval | None:
    """Return the smallest and the largest figure over the models; None if no model has one.

    Parameters
    ----------
    estimates : One per model.
    measure : ``"uniqueness"`` or ``"marketer_risk"``.

    Examples
    --------
    >>> model_spread([Estimate("a", "ok", uniqueness=0.2), Estimate("b", "ok", uniqueness=0.1)], "uniqueness")
    (0.1, 0.2)
    """
    numbers = [value for estimate in estimates if (value := getattr(estimate, measure)) is not None]
    return (min(numbers), max(numbers)) if numbers else None
