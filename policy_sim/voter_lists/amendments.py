"""What if a state changed its law: the list with the change applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.voter_lists.buyers import BUYERS, NO_RULE, USES, Allowed
from policy_sim.voter_lists.list_field import AVAILABILITIES, ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS, RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["CHANGEABLE", "change_list", "changed_facts", "marginal_changes", "parse_changes"]

CHANGEABLE = (*LIST_FIELDS, "price", "buyers", "uses", "status")


def parse_changes(texts: Iterable[str]) -> dict[str, str]:
    """Read ``birth=date`` and similar.

    Raises
    ------
    InputError : no ``=``, or an item given twice.
    """
    changes: dict[str, str] = {}
    for text in texts:
        item, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value:
            raise InputError(f"change {text!r} is not of the form item=value, such as birth=date or price=0.")
        if item in changes:
            raise InputError(f"{item} is changed twice. Give each item once.")
        changes[item] = value
    return changes


def change_list(listed: VoterList, changes: Mapping[str, str]) -> VoterList:
    """Return the list with some items changed.

    Parameters
    ----------
    listed : The list as it is.
    changes : By item: for a field a granularity (``birth=date``, ``geography=county``,
        ``gender=value``), ``included``, ``withheld`` or ``unknown``; ``price=0`` or another number of
        dollars, ``not_sold`` or ``unknown``; ``buyers`` and ``uses`` words with commas.

    Raises
    ------
    UnknownNameError : an item or a word that is not known.

    Examples
    --------
    >>> changed = change_list(VoterList("OH", "2026", "available"), {"birth": "year", "price": "0"})
    >>> changed.fields["birth"].granularity, changed.price.kind
    ('year', 'free')
    """
    return replace(listed, **changed_facts(listed.fields, changes))


def changed_facts(fields: Mapping[str, ListField], changes: Mapping[str, str]) -> dict[str, Any]:
    """Return what becomes of the facts of a list or another file, by the name of the fact.

    Parameters
    ----------
    fields : What it holds as it is.
    changes : As for :func:`change_list`.

    Raises
    ------
    UnknownNameError : an item or a word that is not known.
    """
    facts: dict[str, Any] = {}
    for item, value in changes.items():
        if item in LIST_FIELDS:
            facts["fields"] = {**facts.get("fields", fields), item: _field(item, value)}
        elif item == "price":
            facts["price"] = _price(value)
        elif item == "buyers":
            facts["buyers"] = _allowed("buyer", value, BUYERS)
        elif item == "uses":
            facts["uses"] = _allowed("use", value, USES)
        elif item == "status":
            facts["status"] = _word("status", value, ("available", "not_sold", "county_only"))
        else:
            raise UnknownNameError("item of a voter list", item, CHANGEABLE)
    return facts


def marginal_changes(listed: VoterList) -> Iterator[tuple[str, str]]:
    """Yield each single change of one linked field: withhold it, show it at its finest, or show birth by year."""
    for name in Field:
        fact = listed.fields[name.value]
        finest = RECORDED_FIELDS[name.value].finest
        if fact.availability == "included":
            yield name.value, "withheld"
        if fact.availability != "included" or fact.granularity != finest:
            yield name.value, finest
        if name is Field.BIRTH and fact.granularity != "year":
            yield name.value, "year"


def _field(name: str, value: str) -> ListField:
    if value in ("withheld", "unknown"):
        return ListField(value)
    finest = RECORDED_FIELDS[name].finest
    if not finest:
        _word(f"value of {name}", value, AVAILABILITIES)
        return ListField("included")
    if value == "included":
        return ListField("included", finest)
    granularities = list(GRANULARITIES[Field(name)])
    if value == granularities[0]:
        return ListField("withheld")
    return ListField("included", _word(f"value of {name}", value, [*granularities, *AVAILABILITIES]))


def _price(value: str) -> Price:
    if value in ("not_sold", "unknown"):
        return Price(value)
    try:
        usd = float(value)
    except ValueError:
        usd = -1.0
    if not 0 <= usd < float("inf"):
        raise InputError(f"price={value} is not a number of dollars of 0 or more, not_sold or unknown.")
    return Price("flat", base_usd=usd) if usd else Price("free")


def _allowed(kind: str, value: str, vocabulary: Iterable[str]) -> Allowed:
    if value == "unknown":
        return NO_RULE
    names = tuple(part.strip() for part in value.split(",")) if value != "nobody" else ()
    return Allowed(tuple(_word(kind, name, tuple(vocabulary)) for name in names))


def _word(kind: str, value: str, vocabulary: Iterable[str]) -> str:
    if value not in vocabulary:
        raise UnknownNameError(kind, value, vocabulary)
    return value
