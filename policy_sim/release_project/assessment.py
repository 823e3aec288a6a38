"""The threshold, the measure that the release model asks for, and the verdict: risk in the data times risk in context.

Largest risks are compared as class sizes, because the sources round one eleventh to 0.09 and one third to 0.33. Means
are compared as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from policy_sim.deidentify.recount import ReleaseRisk
from policy_sim.deidentify.risk_targets import RiskTarget
from policy_sim.errors import UnknownNameError
from policy_sim.records.prosecutor import Threshold
from policy_sim.release_project.context_risk import Attack

__all__ = ["THRESHOLDS", "Assessment", "Verdict"]

# Largest acceptable risk by invasion of privacy: for public data, and for all other.
THRESHOLDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"low": ("0.09", "0.1"), "medium": ("0.075", "0.075"), "high": ("0.05", "0.05")}
)
_MAXIMUM = ("public", "semi-public")


@dataclass(frozen=True)
class Verdict:
    """Whether a file may be released as it stands.

    Parameters
    ----------
    data_risk : By the measure of the release model, 0 to 1; None for a file without records.
    context_risk : The largest probability of an attack.
    overall : Their product.
    smallest : Fewest records, or people, in a class.
    needed : Fewest that the target allows.
    passes : Whether the target is met.
    why : One sentence.
    """

    data_risk: float | None
    context_risk: float
    overall: float | None
    smallest: int | None
    needed: int
    passes: bool
    why: str


@dataclass(frozen=True)
class Assessment:
    """What a release has to meet.

    Parameters
    ----------
    model : The release model.
    invasion : ``low``, ``medium`` or ``high``.
    attacks : The attacks, with their probabilities.
    cutoff : Of the strict average, for a non-public release.
    sizes : What people hide among: the ``file`` (prosecutor) or the ``population`` (journalist).

    Examples
    --------
    >>> from policy_sim.release_project.context_risk import attacks_on
    >>> Assessment("public", "low", attacks_on("public")).target.describe()
    'no class of fewer than 11 records of the file'
    >>> attacks = attacks_on("non-public", controls="medium", motives="medium")
    >>> Assessment("non-public", "low", attacks).target.describe()
    'mean risk at most 0.333333, and no class of fewer than 3 records of the file'
    """

    model: str
    invasion: str
    attacks: Sequence[Attack]
    cutoff: str = "0.33"
    sizes: str = "file"

    def __post_init__(self) -> None:
        if self.invasion not in THRESHOLDS:
            raise UnknownNameError("invasion of privacy", self.invasion, THRESHOLDS)

    @property
    def threshold(self) -> Threshold:
        """The largest acceptable overall risk."""
        return Threshold.parse(THRESHOLDS[self.invasion][0 if self.model == "public" else 1])

    @property
    def context(self) -> float:
        """The largest probability of an attack."""
        return max(attack.probability for attack in self.attacks)

    @property
    def measure(self) -> str:
        """The measure of risk in the data that the release model asks for."""
        return "maximum" if self.model in _MAXIMUM else "strict-average"

    @property
    def target(self) -> RiskTarget:
        """What the data have to meet, so that data times context is not above the threshold."""
        if self.measure == "maximum":
            return RiskTarget("maximum", Threshold.parse(f"k={self._least_class()}"), sizes=self.sizes)
        most = min(Fraction(self.threshold.text) / self._context(), Fraction(1)) if self.context else Fraction(1)
        return RiskTarget(
            "strict-average",
            Threshold(f"{float(most):.6g}", float(most), math.ceil(1 / most)),
            Threshold.parse(self.cutoff),
            self.sizes,
        )

    def _context(self) -> Fraction:
        return Fraction(repr(self.context))  # 0.3 as three tenths

    def _least_class(self) -> int:
        if self.context == 1:
            return self.threshold.k
        return max(math.ceil(self._context() / Fraction(self.threshold.text)), 1)

    def verdict(self, risk: ReleaseRisk) -> Verdict:
        """Judge a file by its classes."""
        target = self.target
        data = risk.risk(target)
        size = target.size_of(risk.sizes, risk.people)
        smallest = int(size.min()) if len(size) else None
        overall = None if data is None else data * self.context
        passes = risk.meets(target)
        if data is None or overall is None:
            why = "no record is left"
        else:
            sign = "meets" if passes else "does not meet"
            why = (
                f"risk in the data {data:.4g} times context {self.context:.4g} is {overall:.4g}, with "
                f"{smallest:,} in the smallest class; that {sign} the threshold {self.threshold.text}, which asks for "
                f"{target.describe()}"
            )
        return Verdict(data, self.context, overall, smallest, target.least, passes, why)
