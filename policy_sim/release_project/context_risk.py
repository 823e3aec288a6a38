"""How likely it is that somebody tries: the attacks T1 to T4, by release model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.errors import InputError, UnknownNameError

__all__ = ["ATTEMPT", "Attack", "acquaintance_chance", "attacks_on"]

_LEVELS = ("low", "medium", "high")
# Probability of an attempt by privacy and security controls, then by motives and capacity.
ATTEMPT: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "high": {"low": 0.05, "medium": 0.1, "high": 0.2},
        "medium": {"low": 0.2, "medium": 0.3, "high": 0.4},
        "low": {"low": 0.4, "medium": 0.5, "high": 0.6},
    }
)
_CITED = "IPC 2016, step 5; El Emam (2013), Guide to the De-identification of Personal Health Information, p. 208"


@dataclass(frozen=True)
class Attack:
    """One attack.

    Parameters
    ----------
    name : ``T1`` to ``T4``.
    title : Who does what.
    probability : That it happens, 0 to 1.
    why : How the probability comes about.
    citation : Where the rule comes from.
    """

    name: str
    title: str
    probability: float
    why: str
    citation: str


def acquaintance_chance(prevalence: float, acquaintances: float, *, one_sex: bool = False) -> float:
    """Return the chance that somebody knows a person of the data: ``1 - (1 - p)^m``.

    Parameters
    ----------
    prevalence : Share of the population that has the condition, 0 to 1.
    acquaintances : People that one knows, above 0.
    one_sex : The condition affects one sex only; half of one's acquaintances count.

    Raises
    ------
    InputError : a share out of range, or no acquaintance.

    Examples
    --------
    One person in a thousand, 150 acquaintances, and half of them for a condition of women:

    >>> round(acquaintance_chance(0.001, 150), 4), round(acquaintance_chance(0.001, 150, one_sex=True), 4)
    (0.1394, 0.0723)

    References
    ----------
    El Emam and Arbuckle (2013), chapter 2, attack T2.
    """
    if not 0 <= prevalence <= 1:
        raise InputError(f"prevalence = {prevalence} is not a share from 0 to 1.")
    if not acquaintances > 0:
        raise InputError(f"acquaintances = {acquaintances} must be above 0.")
    return float(1 - (1 - prevalence) ** (acquaintances / 2 if one_sex else acquaintances))


def attacks_on(
    model: str,
    *,
    controls: str = "",
    motives: str = "",
    prevalence: float = 0.0,
    acquaintances: float = 150,
    one_sex: bool = False,
    breach: float = 0.0,
) -> tuple[Attack, ...]:
    """Return the attacks on a release, each with its probability; the largest counts.

    Parameters
    ----------
    model : ``public``, ``semi-public``, ``non-public`` or ``non-public-internal``.
    controls, motives : ``low``, ``medium`` or ``high``, of a non-public release. A semi-public release has low
        controls and high motives.
    prevalence, acquaintances, one_sex : As for :func:`acquaintance_chance`.
    breach : Share of organizations like the recipient with a breach in a year.

    Raises
    ------
    UnknownNameError : no such model or level.
    InputError : a share out of range.

    Examples
    --------
    >>> [attack.probability for attack in attacks_on("public")]
    [1.0]
    >>> [a.probability for a in attacks_on("non-public", controls="medium", motives="medium", breach=0.27)]
    [0.3, 0.0, 0.27]
    """
    if model == "public":
        why = "the data are open to everyone, so somebody will try it for publicity"
        return (Attack("T4", "a demonstration attack", 1.0, why, "IPC 2016, step 5, public data releases"),)
    if model not in ("semi-public", "non-public", "non-public-internal"):
        raise UnknownNameError("release model", model, ("public", "semi-public", "non-public", "non-public-internal"))
    if model == "semi-public":
        controls, motives = "low", "high"
    for name, level in (("controls", controls), ("motives", motives)):
        if level not in _LEVELS:
            raise UnknownNameError(f"level of {name}", level, _LEVELS)
    if not 0 <= breach <= 1:
        raise InputError(f"breach = {breach} is not a share from 0 to 1.")
    half = ", half of them for a condition of one sex" if one_sex else ""
    return (
        Attack(
            "T1",
            "the recipient or its staff try on purpose",
            ATTEMPT[controls][motives],
            f"{controls} controls, {motives} motives and capacity",
            _CITED,
        ),
        Attack(
            "T2",
            "somebody who works with the data knows a person in them",
            acquaintance_chance(prevalence, acquaintances, one_sex=one_sex),
            f"{prevalence:g} of the population have the condition; one knows {acquaintances:g} people{half}",
            "IPC 2016, step 5, attack 2; El Emam and Arbuckle 2013, attack T2",
        ),
        Attack(
            "T3",
            "the recipient loses the data in a breach",
            breach,
            f"{breach:g} of such organizations have a breach in a year",
            "IPC 2016, step 5, attack 3",
        ),
    )
