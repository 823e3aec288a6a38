"""A change of the law on a voter list, in the words of a hearing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from policy_sim.briefing.sentences import and_words, buyers_sentence
from policy_sim.render.numbers import dollars

__all__ = ["law_words"]

_FIELDS = {"gender": "sex", "race": "race", "zip": "the ZIP code", "party": "the party", "address": "the address"}
_BIRTHS = {
    "date": "shows the date of birth",
    "included": "shows the date of birth",
    "month": "shows the month and year of birth and not the day",
    "year": "shows only the year of birth",
    "withheld": "shows no birth date or year",
    "none": "shows no birth date or year",
}
_PLACES = {
    "withheld": "shows no place",
    "nation": "shows no place",
    "state": "shows no place smaller than the state",
    "county": "shows the county",
    "zip5": "shows the ZIP code",
    "zip3": "shows three digits of the ZIP code",
    "county_zip3": "shows the county and three digits of the ZIP code",
    "county_zip5": "shows the county and the ZIP code",
}
_STATUSES = {
    "available": "the state sells a list",
    "not_sold": "nobody may have the list",
    "county_only": "only counties or towns sell their lists",
}
_PRICES = {"not_sold": "the list is not sold", "unknown": "the price of the list is unknown"}
_HIDDEN = ("withheld", "none")


def law_words(changes: Mapping[str, str]) -> str:
    """Return what a bill sets, as a clause.

    Parameters
    ----------
    changes : Items of the list and what becomes of them, as ``lists what-if`` takes them.

    Examples
    --------
    >>> law_words({"birth": "year"})
    'the list shows only the year of birth'
    >>> law_words({"birth": "year", "gender": "withheld", "price": "500", "buyers": "party"})
    'the list shows only the year of birth and does not show sex; it costs $500; only parties may have it'
    >>> law_words({"status": "not_sold"})
    'nobody may have the list'
    """
    clauses = list(_clauses(changes))
    first, *more = clauses
    return "; ".join([first, *(clause.replace("the list", "it", 1) for clause in more)])


def _clauses(changes: Mapping[str, str]) -> Iterator[str]:
    if "status" in changes:
        yield _STATUSES.get(changes["status"], f"the status of the list is {changes['status']}")
    fields = list(_fields(changes))
    if fields:
        yield f"the list {and_words(fields)}"
    if "price" in changes:
        price = changes["price"]
        yield _PRICES.get(price) or (f"the list costs {dollars(float(price))}" if float(price) else "the list is free")
    if "buyers" in changes:
        sentence = buyers_sentence(_names(changes["buyers"]), _names(changes.get("uses", "any")))
        sentence = sentence.removesuffix(".").removesuffix(", for any use" if "uses" not in changes else "")
        yield f"{sentence[0].lower()}{sentence[1:]}".replace("have it", "have the list")
    elif "uses" in changes:
        names = _names(changes["uses"])
        yield "the list has no known limit of uses" if names is None else f"the list is for {_uses(names)}"


def _fields(changes: Mapping[str, str]) -> Iterator[str]:
    if "birth" in changes:
        birth = changes["birth"]
        yield _unknown("the birth date", birth) or _BIRTHS.get(birth, f"shows births by {_plain(birth)}")
    if "geography" in changes:
        place = changes["geography"]
        yield _unknown("the place", place) or _PLACES.get(place, f"shows the place by {_plain(place)}")
    for item, words in _FIELDS.items():
        if item in changes:
            fact = f"does not show {words}" if changes[item] in _HIDDEN else f"shows {words}"
            yield _unknown(words, changes[item]) or fact


def _unknown(words: str, value: str) -> str:
    return f"may or may not show {words}" if value == "unknown" else ""


def _plain(value: str) -> str:
    return value.replace("_", " ")


def _names(value: str) -> tuple[str, ...] | None:
    """Return classes of buyers or uses; None where no source says."""
    if value == "unknown":
        return None
    return () if value == "nobody" else tuple(part.strip() for part in value.split(","))


def _uses(names: tuple[str, ...]) -> str:
    words = and_words([name.replace("_", "-") for name in names])
    return "any use" if "any" in names else f"{words} uses only" if names else "no use"
