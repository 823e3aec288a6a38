"""A policy in one line, as :func:`~policy_sim.policies.lattice.policy_of` names the points of the lattice."""

from __future__ import annotations

import re

from policy_sim.errors import InputError
from policy_sim.fields import GRANULARITIES, Field, Granularities, is_coarser_or_equal
from policy_sim.policies.conditions import Conditions, SmallPlaces
from policy_sim.policies.lattice import BirthView, PlaceView, policy_of
from policy_sim.policies.policy import Policy

__all__ = ["policy_from_text"]

_EXAMPLE = "such as 'gender+birth=month+geography=county (age<90+county>20000)'"
_WHOLE = re.compile(r"(?P<fields>[a-z0-9_=+]+)(?: \((?P<conditions>[a-z0-9_<>+]+)\))?")
_TOP_AGE = re.compile(r"age<(\d{1,3})")
_SMALL = re.compile(r"([a-z0-9_]+)>(\d{1,9})")


def policy_from_text(text: str) -> Policy:
    """Return the policy that a line such as a row of ``explore`` names.

    Parameters
    ----------
    text : Fields with their granularity, joined by ``+`` (a field alone is shown by value), and in
        brackets the age from which all are one class and the size that a place must exceed.

    Raises
    ------
    InputError : the text is no such line, or has a condition on a field that it does not release.
    UnknownNameError : no such field or granularity.

    Examples
    --------
    >>> policy_from_text("birth=month+geography=state (age<90)").conditions.top_age
    90
    """
    found = _WHOLE.fullmatch(text.strip())
    if found is None:
        raise InputError(f"policy {text!r} is not fields with granularities and conditions, {_EXAMPLE}.")
    named = [part.partition("=") for part in found["fields"].split("+")]
    fields = {field: granularity or "value" for field, _, granularity in named}
    if len(fields) < len(named):
        raise InputError(f"policy {text!r} names a field twice: name each once.")
    shown = Granularities(fields)
    conditions = _conditions(text, found["conditions"] or "")
    small = conditions.small_places
    nested = small is None or is_coarser_or_equal(Field.GEOGRAPHY, small.place, shown[Field.GEOGRAPHY])
    if not nested or conditions.on(shown) != conditions:
        raise InputError(f"policy {text!r} has a condition on what it does not release: release it or drop that.")
    if shown == Granularities():
        raise InputError(f"policy {text!r} releases nothing: give at least one of {', '.join(GRANULARITIES)}.")
    birth, place = BirthView(shown[Field.BIRTH], conditions.top_age), PlaceView(shown[Field.GEOGRAPHY], small)
    return policy_of(shown[Field.GENDER], shown[Field.RACE], birth, place)


def _conditions(text: str, words: str) -> Conditions:
    top_age, small = None, None
    for word in filter(None, words.split("+")):
        if (age := _TOP_AGE.fullmatch(word)) and top_age is None:
            top_age = int(age[1])
        elif (place := _SMALL.fullmatch(word)) and small is None:
            small = SmallPlaces(place[1], int(place[2]))
        else:
            raise InputError(f"policy {text!r}: {word!r} is not a condition, or stands twice, {_EXAMPLE}.")
    return Conditions(top_age, small)
