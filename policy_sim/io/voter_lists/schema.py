"""The schema of a voter list. Files, spreadsheets, JSON and the database all follow from it.

A key of a file is a field here, with what is allowed as its description. :func:`as_table` writes what
:func:`parse_voter_lists` reads. The fields of a list come from
:data:`policy_sim.voter_lists.recorded_fields.RECORDED_FIELDS`: a new one is one line there.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from policy_sim.io.document_problems import lines_error, one_of
from policy_sim.io.toml_table import shortened
from policy_sim.voter_lists.evidence import CONFIDENCES
from policy_sim.voter_lists.outside_rules import PREEMPTABLE, PREEMPTED_BY
from policy_sim.voter_lists.price import PRICE_KINDS
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS, RecordedField
from policy_sim.voter_lists.scenario import CARRIABLE
from policy_sim.voter_lists.voter_list import AVAILABILITIES, BUYERS, LIST_FIELDS, LIST_STATUSES, USES

__all__ = [
    "FIELD_TABLES",
    "OPENNESS",
    "SCHEDULE_ONLY",
    "AllowedTable",
    "ConflictTable",
    "ListTable",
    "MirrorTable",
    "PreemptionTable",
    "PriceTable",
    "QuoteTable",
    "ScenarioTable",
    "SourceTable",
]

OPENNESS = ("open", "mixed", "restricted", "by_buyer", "by_use", "by_buyer_and_use")
SCHEDULE_ONLY = (
    *("usd_per_record", "usd_per_county", "usd_per_town", "min_usd"),
    *("free_records", "max_usd", "quoted_usd"),
)
_ABOUT = ("fields", *(f"fields.{name}" for name in LIST_FIELDS), "price", "buyers", "uses", "status")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?|undated")
_AGE = ' For a list with the age, write granularity = "year" and wording = "age".'
_UNKNOWN = ' Write "unknown" if no source says.'


def _word(words: tuple[str, ...] | list[str], hint: str = "") -> Any:
    """Return the type of a text that is one of the words."""
    return Annotated[
        str,
        AfterValidator(one_of(words, hint)),
        Field(description=f"one of {', '.join(words)}", json_schema_extra={"hint": hint, "words": [*words]}),
    ]


def _cited(name: str, info: ValidationInfo) -> str:
    if info.context is not None and name not in info.context["sources"]:
        raise ValueError(
            f"cites {shortened(name)!r}, which no [[source]] of this file or of _sources.toml defines. "
            "Add it there or correct the id."
        )
    return name


def _dated(text: str) -> str:
    if not _DATE.fullmatch(text):
        raise PydanticCustomError("date_text", "not a date")
    return text


def _number(value: Any) -> Any:
    """Refuse what Python takes for a number and a file does not: true and integers of hundreds of digits."""
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) > 10**300):
        raise PydanticCustomError("number", "not a number")
    return value


_Text = Annotated[str, Field(description="a text in quotes")]
_Texts = Annotated[list[str], Field(description='a list of texts such as ["a", "b"]')]
_DateText = Annotated[str, AfterValidator(_dated), Field(description='"2026", "2026-05", "2026-05-19" or "undated"')]
_Day = Annotated[dt.date, Field(description="a date such as 2008-09-01, without quotes")]
_Usd = Annotated[
    float,
    BeforeValidator(_number),
    Field(ge=0, allow_inf_nan=False, description="a number of 0 or more, written without quotes such as 2500"),
]
_MaybeDay = Annotated[dt.date | None, Field(description="a date such as 2008-09-01, without quotes")]
_MaybeUsd = Annotated[
    Annotated[float, Field(ge=0, allow_inf_nan=False)] | None,
    BeforeValidator(_number),
    Field(description="a number of 0 or more, written without quotes such as 2500"),
]
_Flag = Annotated[bool, Field(description="true or false; write it without quotes")]
_Citation = Annotated[str, AfterValidator(_cited)]
_Citations = Annotated[list[_Citation], Field(description='a list of texts such as ["a", "b"]')]
_Carried = Annotated[str, AfterValidator(one_of(CARRIABLE))]
_Confidence: Any = _word(CONFIDENCES)
_Buyer: Any = _word(BUYERS)


class _Table(BaseModel):
    """A table that knows its keys: any other key is a problem, and no value changes its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _CitingTable(_Table):
    """A table whose values rest on sources."""

    confidence: _Confidence = ""
    sources: _Citations = []


class FieldTable(_CitingTable):
    """``[2026.fields] zip``: whether a buyer gets the field."""

    availability: _word(AVAILABILITIES, _UNKNOWN)  # type: ignore[valid-type]
    wording: _Text = ""


class _GradedFieldTable(FieldTable):
    """``[2026.fields] birth``: whether a buyer gets the field, and how finely."""

    @model_validator(mode="after")
    def _granularity_if_included(self) -> _GradedFieldTable:
        granularity = getattr(self, "granularity")  # noqa: B009  made with the model of each field
        if granularity and self.availability != "included":
            raise lines_error([f"granularity is given, but the field is {self.availability}; remove it."])
        if not granularity and self.availability == "included":
            words = type(self).model_fields["granularity"].description
            raise lines_error([f"granularity is missing; give {words}."])
        return self


def _field_table(field: RecordedField) -> type[FieldTable]:
    if not field.graded:
        return FieldTable
    words = _word(field.granularities, _AGE if field.name == "birth" else "")
    return create_model(f"{field.name}_table", __base__=_GradedFieldTable, granularity=(words, ""))


FIELD_TABLES: Mapping[str, type[FieldTable]] = {name: _field_table(field) for name, field in RECORDED_FIELDS.items()}
_UNKNOWN_FIELD = {"availability": "unknown"}
_FieldsTable: Any = create_model(  # a field left out is unknown
    "_FieldsTable",
    __base__=_Table,
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


class AllowedTable(_CitingTable):
    """``buyers`` and ``uses``: a list of words, empty where nobody is allowed."""

    allowed: list[str] | None


class BuyersTable(AllowedTable):
    """``buyers``: who may have the list."""

    allowed: _names_or_unknown(BUYERS)  # type: ignore[valid-type]


class UsesTable(AllowedTable):
    """``uses``: what the list may be used for."""

    allowed: _names_or_unknown(USES)  # type: ignore[valid-type]


class PriceTable(_CitingTable):
    """``[2026.price]``: what the whole state's list costs."""

    kind: _word(PRICE_KINDS)  # type: ignore[valid-type]
    base_usd: _Usd = Field(0.0, alias="usd")
    usd_per_record: _Usd = 0.0
    free_records: _Usd = 0.0
    usd_per_county: _Usd = 0.0
    usd_per_town: _Usd = 0.0
    min_usd: _Usd = 0.0
    max_usd: _MaybeUsd = None
    quoted_usd: _MaybeUsd = None
    usd_by_buyer: dict[_Buyer, _Usd] = {}
    date: _DateText = ""
    note: _Text = ""

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


class QuoteTable(_Table):
    """``quotes``: what a table of prices prints for the list."""

    source: _SourceName
    usd: _MaybeUsd = None
    words: _Text = ""
    openness: _word(OPENNESS) = ""  # type: ignore[valid-type]


class MirrorTable(_Table):
    """``[[2026.mirror]]``: a copy on a private site, with the site's own price."""

    source: _SourceName
    usd: _Usd = 0.0
    covers: _Text = "whole file"


class ConflictTable(_Table):
    """``[[2026.conflict]]``: where sources disagree."""

    about: _word(_ABOUT)  # type: ignore[valid-type]
    chosen: _Text
    other: _Text
    why: _Text
    resolved: _Flag = False
    sources: _Citations = []


class PreemptionTable(_CitingTable):
    """``[[2026.preempted]]``: a rule of the state that a court or another law sets aside."""

    rule: _word(PREEMPTABLE)  # type: ignore[valid-type]
    since: _Day
    by: _word(PREEMPTED_BY)  # type: ignore[valid-type]
    written: _names_or_unknown((*BUYERS, *USES))  # type: ignore[valid-type]
    allowed: _names_or_unknown((*BUYERS, *USES))  # type: ignore[valid-type]
    note: _Text = ""


class ListTable(_Table):
    """``[2026]``: one list."""

    valid_from: _Day
    valid_until: _MaybeDay = None
    status: _word(list(LIST_STATUSES))  # type: ignore[valid-type]
    status_reason: _Text = Field("", alias="reason")
    buyers: BuyersTable
    uses: UsesTable
    fields: _FieldsTable = Field(default_factory=_FieldsTable)
    price: PriceTable
    quotes: list[QuoteTable] = []
    notes: _Texts = []
    mirrors: list[MirrorTable] = Field([], alias="mirror")
    preemptions: list[PreemptionTable] = Field([], alias="preempted")
    conflicts: list[ConflictTable] = Field([], alias="conflict")


class SourceTable(_Table):
    """``[[source]]``: a document."""

    id: _Text
    title: _Text
    date: _DateText = "undated"
    url: _Text = ""
    also: _Texts = []
    note: _Text = ""


class ScenarioTable(_Table):
    """``[scenario.2008-filled]``: one year's list with values of another, or with changes of its own."""

    base: _Text
    from_: _Text = Field("", alias="from")
    carried: Annotated[list[_Carried], Field(description="a list of texts")] = []
    changes: Annotated[dict[str, str], Field(description='a table of changes, such as { birth = "date" }')] = {}
    confidence: _Confidence = ""
    sources: _Citations = []
    notes: _Texts = []
