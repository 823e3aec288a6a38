"""The Poisson-gamma model: class rates follow one gamma distribution over all classes of the population.

J. Bethlehem, W. Keller and J. Pannekoek (1990), JASA 85:38-45; Y. Rinott (2003), ECE/Eurostat;
Dankar and El Emam (2010), section 2.4.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from policy_sim.errors import NotEstimableError
from policy_sim.estimators.base import Answer
from policy_sim.estimators.inverse import gamma_rate_inverse
from policy_sim.estimators.number_of_classes import ClassCountEstimator, number_of_classes
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["NegativeBinomial", "gamma_moments", "negative_binomial"]


def gamma_moments(sample: SizeHistogram, number_of_cells: float) -> tuple[float, float]:
    """Return shape and scale of the gamma distribution with the sample's mean and variance over all cells.

    Raises
    ------
    NotEstimableError : class sizes vary no more than by chance alone.
    """
    mean = sample.records / number_of_cells
    size = sample.size.astype(float)
    variance = float(size**2 @ sample.classes) / number_of_cells - mean**2
    if variance <= mean:
        raise NotEstimableError(
            f"class sizes over {number_of_cells:,.0f} classes vary no more than chance (variance "
            f"{variance:.4g}, mean {mean:.4g}): no gamma law fits"
        )
    shape = mean**2 / (variance - mean)
    return shape, 1 / (shape * number_of_cells)


@dataclass(frozen=True)
class NegativeBinomial(ClassCountEstimator):
    """Marketer risk and uniques by the Poisson-gamma model."""

    name: ClassVar[str] = "negative_binomial"

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        return negative_binomial(sample, people, number_of_classes(sample, people, self.classes))


def negative_binomial(sample: SizeHistogram, people: int, cells: float) -> Answer:
    """Estimate with a given number of classes in the population.

    F - f given f is negative binomial with ``p = (n + 1/scale) / (N + 1/scale)``; population uniques
    are ``N (1 + N scale)**-(1 + shape)``.
    """
    shape, scale = gamma_moments(sample, cells)
    probability = (sample.records + 1 / scale) / (people + 1 / scale)
    inverse = gamma_rate_inverse(sample.size, probability, shape)
    return Answer(
        uniques=people * (1 + people * scale) ** -(1 + shape),
        marketer_risk=float((sample.size * sample.classes) @ inverse) / sample.records,
        parameters={"cells": cells, "shape": shape, "scale": scale, "probability": probability},
    )
