"""A policy written in one line, in the words of a sentence."""

from __future__ import annotations

import re

from policy_sim.granularity import field_word

__all__ = ["shown_words"]

_YEARS = {"two": "two", "three": "three", "four": "four", "five": "five", "decade": "ten", "fifteen": "fifteen"} | {
    "twenty": "twenty"
}
_PLACES = {
    "tract": "census tract",
    "zip3": "three-digit ZIP code",
    "zip5": "ZIP code",
    "county_zip3": "county, three-digit ZIP code",
    "county_zip5": "county, ZIP code",
}
_SMALL_PLACES = _PLACES | {
    "county_zip3": "part of a county in one three-digit ZIP code",
    "county_zip5": "part of a county in one ZIP code",
}
_LINE = re.compile(r"(?P<fields>[a-z0-9_=+]+?)(?: \((?P<conditions>[^)]*)\))?")


def shown_words(policy: str) -> tuple[str, ...]:
    """Return what a policy of one line shows, thing by thing; nothing where the name is not such a line.

    Examples
    --------
    >>> shown_words("gender+birth=year+geography=county (age<90)")
    ('sex', 'year of birth', 'ages of 90 and over as one class', 'county')
    >>> shown_words("ours")
    ()
    """
    match = _LINE.fullmatch(policy)
    if match is None or not {"+", "="} & set(match["fields"]):
        return ()
    conditions = [condition for condition in (match["conditions"] or "").split("+") if condition]
    words = []
    for part in match["fields"].split("+"):
        field, _, granularity = part.partition("=")
        words.append(_field(field, granularity))
        if field == "birth":
            words += [f"ages of {age} and over as one class" for age in _values(conditions, "age<")]
    for condition in conditions:
        place, sign, most = condition.partition(">")
        if sign:
            words.append(f"no {_SMALL_PLACES.get(place, place)} of {int(most):,} people or fewer")
    return tuple(words)


def _field(field: str, granularity: str) -> str:
    if field == "geography":
        return _PLACES.get(granularity, granularity)
    if field == "birth":
        years = _YEARS.get(granularity.removesuffix("_years"), "")
        return f"age in classes of {years} years" if years else f"{granularity} of birth"
    return f"{field_word(field)} in broad classes" if granularity == "broad" else field_word(field)


def _values(conditions: list[str], head: str) -> list[str]:
    return [condition.removeprefix(head) for condition in conditions if condition.startswith(head)]
