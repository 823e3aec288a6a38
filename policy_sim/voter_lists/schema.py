"""The schema of a voter list. Files, spreadsheets, JSON and the database all follow from it.

A key of a file is a field here, with what is allowed as its description. :func:`as_table` writes what
:func:`parse_voter_lists` reads. The fields of a list come from
:data:`policy_sim.voter_lists.list_field.RECORDED_FIELDS`: a new one is one line there.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from policy_sim.files.schema import (
    Citations,
    CitingTable,
    Confidence,
    DateText,
    Flag,
    MaybeUsd,
    StrictTable,
    Text,
    Texts,
    Usd,
    evidence_of,
    lines_error,
    one_of,
    word,
)
from policy_sim.voter_lists.changes import CARRIABLE
from policy_sim.voter_lists.list_field import (
    AVAILABILITIES,
    BUYERS,
    LIST_FIELDS,
    RECORDED_FIELDS,
    USES,
    Allowed,
    ListField,
    RecordedField,
)
from policy_sim.voter_lists.price import PRICE_KINDS
from policy_sim.voter_lists.voter_list import LIST_STATUSES, PREEMPTABLE, PREEMPTED_BY

OPENNESS = ("open", "mixed", "restricted", "by_buyer", "by_use", "by_buyer_and_use")
SCHEDULE_ONLY = (
    *("usd_per_record", "usd_per_county", "usd_per_town", "min_usd"),
    *("free_records", "max_usd", "quoted_usd"),
)
_ABOUT = ("fields", *(f"fields.{name}" for name in LIST_FIELDS), "price", "buyers", "uses", "status")
_AGE = ' For a list with the age, write granularity = "year" and wording = "age".'
_UNKNOWN = ' Write "unknown" if no source says.'


_Day = Annotated[dt.date, Field(description="a date such as 2008-09-01, without quotes")]
_MaybeDay = Annotated[dt.date | None, Field(description="a date such as 2008-09-01, without quotes")]
_Carried = Annotated[str, AfterValidator(one_of(CARRIABLE))]
_Buyer: Any = word(BUYERS)


class FieldTable(CitingTable):
    """``[2026.fields] zip``: whether a buyer gets the field."""

    availability: word(AVAILABILITIES, _UNKNOWN)  # type: ignore[valid-type]
    wording: Text = ""


class _AskedFieldTable(FieldTable):
    """``[2026.fields] race``: whether a buyer gets the field, and how it is asked."""

    @model_validator(mode="after")
    def _granularity_if_included(self) -> _AskedFieldTable:
        granularity = getattr(self, "granularity")  # noqa: B009  made with the model of each field
        if granularity and self.availability != "included":
            raise lines_error([f"granularity is given, but the field is {self.availability}; remove it."])
        return self


class _GradedFieldTable(_AskedFieldTable):
    """``[2026.fields] birth``: whether a buyer gets the field, and how finely."""

    @model_validator(mode="after")
    def _granularity_is_given(self) -> _GradedFieldTable:
        granularity = getattr(self, "granularity")  # noqa: B009  made with the model of each field
        if not granularity and self.availability == "included":
            words = type(self).model_fields["granularity"].description
            raise lines_error([f"granularity is missing; give {words}."])
        return self


def _field_table(field: RecordedField) -> type[FieldTable]:
    if not field.granularities:
        return FieldTable
    words = word(field.granularities, _AGE if field.name == "birth" else "")
    base = _GradedFieldTable if field.graded else _AskedFieldTable
    return create_model(f"{field.name}_table", __base__=base, granularity=(words, ""))


FIELD_TABLES: Mapping[str, type[FieldTable]] = {name: _field_table(field) for name, field in RECORDED_FIELDS.items()}
_UNKNOWN_FIELD = {"availability": "unknown"}
_FieldsTable: Any = create_model(  # a field left out is unknown
    "_FieldsTable",
    __base__=StrictTable,
    **{name: (table, table.model_validate(_UNKNOWN_FIELD)) for name, table in FIELD_TABLES.items()},  # type: ignore[call-overload]
)


def _names_or_unknown(words: tuple[str, ...]) -> Any:
    """Return the type of a list of words, or the word unknown, which becomes None."""

    def read(value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("names", "an empty list is not allowed")
        return None if value == "unknown" else value

    return Annotated[
        list[Annotated[str, AfterValidator(one_of(words))]] | None,
        BeforeValidator(read),
        Field(description='a list of words, or "unknown" if no source says'),
    ]


class AllowedTable(CitingTable):
    """``buyers`` and ``uses``: a list of words, empty where nobody is allowed."""

    allowed: list[str] | None


class BuyersTable(AllowedTable):
    """``buyers``: who may have the list."""

    allowed: _names_or_unknown(BUYERS)  # type: ignore[valid-type]


class UsesTable(AllowedTable):
    """``uses``: what the list may be used for."""

    allowed: _names_or_unknown(USES)  # type: ignore[valid-type]


class PriceTable(CitingTable):
    """``[2026.price]``: what the whole state's list costs."""

    kind: word(PRICE_KINDS)  # type: ignore[valid-type]
    base_usd: Usd = Field(0.0, alias="usd")
    usd_per_record: Usd = 0.0
    free_records: Annotated[Usd, AfterValidator(int)] = 0
    usd_per_county: Usd = 0.0
    usd_per_town: Usd = 0.0
    min_usd: Usd = 0.0
    max_usd: MaybeUsd = None
    quoted_usd: MaybeUsd = None
    usd_by_buyer: dict[_Buyer, Usd] = Field(default_factory=dict)
    date: DateText = ""
    note: Text = ""

    @model_validator(mode="after")
    def _amounts_fit_the_kind(self) -> PriceTable:
        problems = []
        if self.kind in ("flat", "at_least") and not self.base_usd:
            problems.append(f'usd is missing or 0, but kind = "{self.kind}" needs an amount; or write kind = "free".')
        if self.kind in ("free", "not_sold", "unknown") and "base_usd" in self.model_fields_set:
            problems.append(f'usd is given, but kind = "{self.kind}" has no amount; remove it or write kind = "flat".')
        problems += [
            f'{key} is given, but kind = "{self.kind}"; it belongs to kind = "schedule".'
            for key in SCHEDULE_ONLY
            if key in self.model_fields_set and self.kind != "schedule"
        ]
        if problems:
            raise lines_error(problems)
        return self


def _known_source(name: str, info: ValidationInfo) -> str:
    if info.context is not None:
        one_of(list(info.context["sources"]))(name)
    return name


_SourceName = Annotated[str, AfterValidator(_known_source), Field(description="the id of a [[source]]")]


class QuoteTable(StrictTable):
    """``quotes``: what a table of prices prints for the list."""

    source: _SourceName
    usd: MaybeUsd = None
    words: Text = ""
    openness: word(OPENNESS) = ""  # type: ignore[valid-type]


class MirrorTable(StrictTable):
    """``[[2026.mirror]]``: a copy on a private site, with the site's own price."""

    source: _SourceName
    usd: Usd = 0.0
    covers: Text = "whole file"


class ConflictTable(StrictTable):
    """``[[2026.conflict]]``: where sources disagree."""

    about: word(_ABOUT)  # type: ignore[valid-type]
    chosen: Text
    other: Text
    why: Text
    resolved: Flag = False
    sources: Citations = Field(default_factory=list)


class PreemptionTable(CitingTable):
    """``[[2026.preempted]]``: a rule of the state that a court or another law sets aside."""

    rule: word(PREEMPTABLE)  # type: ignore[valid-type]
    since: _Day
    by: word(PREEMPTED_BY)  # type: ignore[valid-type]
    written: _names_or_unknown((*BUYERS, *USES))  # type: ignore[valid-type]
    allowed: _names_or_unknown((*BUYERS, *USES))  # type: ignore[valid-type]
    note: Text = ""


class ListTable(StrictTable):
    """``[2026]``: one list."""

    valid_from: _Day
    valid_until: _MaybeDay = None
    status: word(list(LIST_STATUSES))  # type: ignore[valid-type]
    status_reason: Text = Field("", alias="reason")
    buyers: BuyersTable
    uses: UsesTable
    fields: _FieldsTable = Field(default_factory=_FieldsTable)
    price: PriceTable
    quotes: list[QuoteTable] = Field(default_factory=list)
    notes: Texts = Field(default_factory=list)
    mirrors: list[MirrorTable] = Field(default_factory=list, alias="mirror")
    preemptions: list[PreemptionTable] = Field(default_factory=list, alias="preempted")
    conflicts: list[ConflictTable] = Field(default_factory=list, alias="conflict")


class ScenarioTable(StrictTable):
    """``[scenario.2008-filled]``: one year's list with values of another, or with changes of its own."""

    base: Text
    from_: Text = Field("", alias="from")
    carried: Annotated[list[_Carried], Field(description="a list of texts")] = Field(default_factory=list)
    changes: Annotated[dict[str, str], Field(description='a table of changes, such as { birth = "date" }')] = Field(
        default_factory=dict
    )
    confidence: Confidence = ""
    sources: Citations = Field(default_factory=list)
    notes: Texts = Field(default_factory=list)


# From the checked tables of a file to nouns: fields and rules.


def evidence_last(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """Return the fields of a table in the order of a file: what it says first, then on what it rests."""
    return sorted(model.model_fields.items(), key=lambda item: item[0] in ("confidence", "sources"))


def allowed_of(table: AllowedTable) -> Allowed:
    """Return who or what a table allows."""
    return Allowed(None if table.allowed is None else tuple(table.allowed), evidence_of(table))


def field_of(name: str, table: Any) -> ListField:
    """Return whether a list shows the field of that name, and how finely."""
    field = RECORDED_FIELDS[name]
    availability = table.availability
    granularity = getattr(table, "granularity", "")
    if availability == "included" and field.graded and not granularity:
        availability = "unknown"  # the value was refused
    elif availability == "included":
        granularity = granularity or field.finest
    return ListField(availability, granularity, table.wording, evidence_of(table))
