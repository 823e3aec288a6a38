"""What if a state changed its law: the list with the change applied."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from policy_sim.files.evidence import Evidence
from policy_sim.voter_lists.list_field import (
    AVAILABILITIES,
    BUYERS,
    LIST_FIELDS,
    NO_RULE,
    RECORDED_FIELDS,
    USES,
    Allowed,
    ListField,
)
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import GRANULARITIES, Field, field_word

CHANGEABLE = (*LIST_FIELDS, "price", "buyers", "uses", "status")


def parse_changes(texts: Iterable[str]) -> dict[str, str]:
    """Read ``birth=date`` and similar; ``sex`` is the field ``gender``."""
    changes: dict[str, str] = {}
    for text in texts:
        item, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value:
            raise InputError(f"change {text!r} is not of the form item=value, such as birth=date or price=0.")
        item = Field.GENDER.value if item == field_word(Field.GENDER) else item
        if item in changes:
            raise InputError(f"{item} is changed twice. Give each item once.")
        changes[item] = value
    return changes


def change_list(listed: VoterList, changes: Mapping[str, str]) -> VoterList:
    """Return the list with some items changed.

    A field becomes a granularity (``birth=date``), ``included``, ``withheld`` or ``unknown``; the price a number of
    dollars, ``not_sold`` or ``unknown``; buyers and uses are words with commas.
    """
    return replace(listed, **changed_facts(listed.fields, changes))


def changed_facts(fields: Mapping[str, ListField], changes: Mapping[str, str]) -> dict[str, Any]:
    """Return what becomes of the facts of a list or another file, by the name of the fact."""
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
    for name in (field.value for field in Field if field.value in RECORDED_FIELDS):
        fact = listed.fields[name]
        finest = RECORDED_FIELDS[name].finest
        if fact.availability == "included":
            yield name, "withheld"
        if fact.availability != "included" or fact.granularity != finest:
            yield name, finest
        if name == Field.BIRTH and fact.granularity != "year":
            yield name, "year"


def _field(name: str, value: str) -> ListField:
    if value in ("withheld", "unknown"):
        return ListField(value)
    finest, asked_as = RECORDED_FIELDS[name].finest, RECORDED_FIELDS[name].asked_as
    if not finest:
        _word(f"value of {name}", value, AVAILABILITIES)
        return ListField("included")
    if value == "included":
        return ListField("included", finest)
    granularities = list(GRANULARITIES[Field(name)])
    if value == granularities[0]:
        return ListField("withheld")
    return ListField("included", _word(f"value of {name}", value, [*(asked_as or granularities), *AVAILABILITIES]))


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


# Why two vintages of a state's list differ: the list changed, or a later source tells more of it.


CAUSES = ("law", "source")


@dataclass(frozen=True)
class RecordedCause:
    """Why some ``fields`` of a state's list, or its ``status``, differ between two vintages: one of :data:`CAUSES`.

    ``since`` is when the state changed it, in words; empty where no source says.
    """

    state: str
    before: str
    after: str
    fields: tuple[str, ...]
    cause: str
    why: str
    since: str = ""


def causes_of(before: VoterList, after: VoterList, recorded: Sequence[RecordedCause] = ()) -> Mapping[str, str]:
    """Return the cause of each difference between two vintages of one state's list, by field or ``status``.

    It is ``source`` where a value was or became unknown: the sources tell more or less, and nobody knows whether the
    list changed. It is ``law`` where both values are known: the state changed what its list shows or who sells it, by
    law, rule or practice. What is recorded comes first.
    """
    by_item = recorded_by_item(before, after, recorded)
    causes = {}
    for name in ("status", *LIST_FIELDS):
        old, new = _value(before, name), _value(after, name)
        if old != new:
            unknown = "unknown" in (old[0], new[0])
            causes[name] = "source" if unknown else by_item[name].cause if name in by_item else "law"
    return causes


def recorded_by_item(
    before: VoterList, after: VoterList, recorded: Sequence[RecordedCause]
) -> Mapping[str, RecordedCause]:
    """Return what is recorded of why two vintages of one state's list differ, by field or ``status``."""
    return {
        name: entry
        for entry in recorded
        if entry.state == before.state and before.vintage <= entry.before and entry.after <= after.vintage
        for name in entry.fields
    }


def with_changes(before: VoterList, after: VoterList, names: Iterable[str]) -> VoterList:
    """Return a list with some fields, or its ``status``, as at a later time."""
    changed = set(names)
    fields = {name: (after if name in changed else before).fields[name] for name in LIST_FIELDS}
    status = after if "status" in changed else before
    return replace(before, fields=fields, status=status.status, status_reason=status.status_reason)


def difference_words(before: VoterList, after: VoterList, names: Iterable[str]) -> str:
    """Say in what fields, or in the ``status``, two vintages differ: ``birth: year to date``."""
    return "; ".join(f"{name}: {_words(before, name)} to {_words(after, name)}" for name in names)


def _value(listed: VoterList, name: str) -> tuple[str, str]:
    if name == "status":
        return listed.status, ""
    field = listed.fields[name]
    return field.availability, field.granularity


def _words(listed: VoterList, name: str) -> str:
    value, granularity = _value(listed, name)
    return (granularity if granularity not in ("", "value") else value).replace("_", " ")


# Scenarios: a list with values of another vintage, or with changes, each marked with what it rests on.


# What a scenario may take from another vintage.
CARRIABLE = ("status", *(f"fields.{name}" for name in LIST_FIELDS), "price", "buyers", "uses")


def carry_back(
    base: VoterList, origin: VoterList, name: str, carried: Collection[str], notes: tuple[str, ...] = ()
) -> VoterList:
    """Return ``base`` under the scenario's name (``2008-filled``) with the ``carried`` values of ``origin``."""
    copied = replace(base, vintage=name, notes=base.notes + notes)
    for item in (path.removeprefix("fields.") for path in carried):
        if item == "status":
            copied = replace(copied, status=origin.status, status_reason=origin.status_reason)
        else:
            fact = _fact(origin, item)
            marked = replace(fact.evidence, carried_from=origin.vintage)
            copied = _with_fact(copied, item, replace(fact, evidence=marked))
    return copied.citing({**origin.sources, **base.sources})


def amend(listed: VoterList, changed: Iterable[str], evidence: Evidence) -> VoterList:
    """Return the list with the evidence of a scenario on every changed item."""
    for item in changed:
        if item != "status":
            listed = _with_fact(listed, item, replace(_fact(listed, item), evidence=evidence))
    return listed


def _fact(listed: VoterList, item: str) -> Any:
    return listed.fields[item] if item in listed.fields else getattr(listed, item)


def _with_fact(listed: VoterList, item: str, fact: Any) -> VoterList:
    if item in listed.fields:
        return replace(listed, fields={**listed.fields, item: fact})
    return replace(listed, **{item: fact})
