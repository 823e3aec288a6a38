"""A field of a list: whether a buyer gets it and how finely, and what a buyer may see where that is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

from policy_sim.files.evidence import NO_EVIDENCE, Evidence
from policy_sim.words.fields import GRANULARITIES, Field, Granularities

# The fields that a voter list is recorded for. A new field is one line in :data:`RECORDED_FIELDS`.
#
# State files, CSV, JSON, spreadsheets, the database, what-if changes and the page of all lists read the
# fields from here. A file that does not mention a field leaves it ``unknown``.


@dataclass(frozen=True)
class RecordedField:
    """One field of a voter list, by its key in files, tables and changes, with a ``heading`` where that is another.

    A file must say how finely the list shows a ``graded`` field. ``finest`` is the granularity where a source or a
    change says only "included"; empty for a field that plays no part in the model. ``linked_as`` are the ways, coarsest
    first, in which a list may show the field for a linkage; none for a field that is recorded and never linked on.
    ``asked_as`` is what a file may say of how the field is asked, where it need not.
    """

    name: str
    heading: str = ""
    graded: bool = False
    finest: str = ""
    linked_as: tuple[str, ...] = ()
    asked_as: tuple[str, ...] = ()

    @property
    def granularities(self) -> tuple[str, ...]:
        """What a file may say about how finely the field is shown; empty where it says nothing."""
        return tuple(GRANULARITIES[Field(self.name)])[1:] if self.graded else self.asked_as


# Race in one question and ethnicity in another. A list that has no race is taken to have no ethnicity either.
RACE_AND_ETHNICITY = "race_and_ethnicity"

RECORDED_FIELDS: Mapping[str, RecordedField] = MappingProxyType(
    {
        field.name: field
        for field in (
            RecordedField("gender", heading="sex", finest="value", linked_as=("value",)),
            RecordedField(
                "race",
                finest="value",
                linked_as=("value", RACE_AND_ETHNICITY),
                asked_as=(*tuple(GRANULARITIES[Field.RACE])[1:], RACE_AND_ETHNICITY),
            ),
            RecordedField("birth", graded=True, finest="date", linked_as=("year", "date")),
            RecordedField("geography", heading="place", graded=True, finest="county", linked_as=("county",)),
            RecordedField("zip", heading="ZIP", linked_as=("included",)),
            RecordedField("party"),
            RecordedField("address"),
        )
    }
)

LIST_FIELDS = tuple(RECORDED_FIELDS)
LIST_ITEMS = ("status", *LIST_FIELDS, "price", "buyers", "uses")  # each a fact of a list
LINKED_FIELDS = tuple(name for name, field in RECORDED_FIELDS.items() if field.linked_as)  # what an attacker links on


AVAILABILITIES = ("included", "withheld", "unknown")


@dataclass(frozen=True)
class ListField:
    """Whether a buyer gets a field, and how finely.

    ``granularity`` is one of :data:`policy_sim.words.fields.GRANULARITIES` where the field is included and
    empty elsewhere. ``wording`` keeps what the list itself says where that differs: an ``age`` is
    held as birth ``year``.
    """

    availability: str = "unknown"
    granularity: str = ""
    wording: str = ""
    evidence: Evidence = NO_EVIDENCE


def views_of(fields: Mapping[str, ListField], place: str = "state") -> tuple[Granularities, ...]:
    """Return a view for each combination of how the unknown fields may be held, the least first.

    Sex, county and ZIP code withheld or released; race withheld, by itself or beside ethnicity; birth withheld, by year
    or by date. ``place`` is what the list
    tells of where its people live besides its fields: a state's list always tells the state.
    """
    held = (_possible(name, fields[name]) for name in LINKED_FIELDS)
    return tuple(_view(dict(zip(LINKED_FIELDS, choice, strict=True)), place) for choice in product(*held))


def _possible(name: str, fact: ListField) -> tuple[str, ...]:
    if fact.availability == "unknown":
        return ("", *RECORDED_FIELDS[name].linked_as)
    return (fact.granularity or "included",) if fact.availability == "included" else ("",)


def _view(held: Mapping[str, str], default_place: str) -> Granularities:
    place = held["geography"] or default_place
    if held["zip"]:
        place = {"nation": "zip5", "state": "zip5", "county": "county_zip5"}.get(place, place)
    granularities = {name: granularity for name, granularity in held.items() if granularity and name != "zip"}
    if held["race"] == RACE_AND_ETHNICITY:
        granularities |= {"race": "value", "ethnicity": "value"}
    return Granularities(granularities | {"geography": place})


# Who may have a file, and for what: classes of buyers and uses.


# Who may have a list. "public" is anyone, and so every other class too.
BUYERS = ("public", "resident", "voter", "candidate", "party", "scholar", "journalist", "commercial")

# For what a list may be used. "any" includes commerce.
USES = ("any", "non_commercial", "political", "scholarly", "journalistic")


@dataclass(frozen=True)
class Allowed:
    """Which buyers, or which uses, the state allows.

    ``names`` is None where no source says, and empty where nobody is allowed.
    """

    names: tuple[str, ...] | None = None
    evidence: Evidence = NO_EVIDENCE


NO_RULE = Allowed()  # no source says
