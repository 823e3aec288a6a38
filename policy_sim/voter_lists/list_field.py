"""A field of a list: whether a buyer gets it and how finely, and what a buyer may see where that is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from policy_sim.granularity import Granularities
from policy_sim.voter_lists.evidence import NO_EVIDENCE, Evidence
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS

__all__ = ["AVAILABILITIES", "ListField", "views_of"]

AVAILABILITIES = ("included", "withheld", "unknown")


@dataclass(frozen=True)
class ListField:
    """Whether a buyer gets a field, and how finely.

    ``granularity`` is one of :data:`policy_sim.granularity.GRANULARITIES` where the field is included and
    empty elsewhere. ``wording`` keeps what the list itself says where that differs: an ``age`` is
    held as birth ``year``.
    """

    availability: str = "unknown"
    granularity: str = ""
    wording: str = ""
    evidence: Evidence = NO_EVIDENCE


def views_of(fields: Mapping[str, ListField], place: str = "state") -> tuple[Granularities, ...]:
    """Return a view for each combination of how the unknown fields may be held, the least first.

    Sex, race, county and ZIP code withheld or released; birth withheld, by year or by date.

    Parameters
    ----------
    fields : One entry for each of :data:`~policy_sim.voter_lists.recorded_fields.LIST_FIELDS`.
    place : What the list tells of where its people live besides its fields: a state's list always tells the state.

    Examples
    --------
    >>> from policy_sim.voter_lists.recorded_fields import LIST_FIELDS
    >>> births = dict.fromkeys(LIST_FIELDS, ListField("withheld")) | {"birth": ListField("included", "date")}
    >>> [str(view) for view in views_of(births)], [str(view) for view in views_of(births, "nation")]
    (['birth=date+geography=state'], ['birth=date'])
    """
    linked = [name for name, field in RECORDED_FIELDS.items() if field.linked_as]
    held = (_possible(name, fields[name]) for name in linked)
    return tuple(_view(dict(zip(linked, choice, strict=True)), place) for choice in product(*held))


def _possible(name: str, fact: ListField) -> tuple[str, ...]:
    if fact.availability == "unknown":
        return ("", *RECORDED_FIELDS[name].linked_as)
    return (fact.granularity or "included",) if fact.availability == "included" else ("",)


def _view(held: Mapping[str, str], default_place: str) -> Granularities:
    place = held["geography"] or default_place
    if held["zip"]:
        place = {"nation": "zip5", "state": "zip5", "county": "county_zip5"}.get(place, place)
    granularities = {name: granularity for name, granularity in held.items() if granularity and name != "zip"}
    return Granularities(granularities | {"geography": place})
