"""The kinds of values that files of facts hold, and tables that know their keys.

The schemas of voter lists, of other identified files and of states' releases are written with these. What a
kind allows is its description: a problem of a file quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from policy_sim.io.document_problems import one_of
from policy_sim.io.toml_table import shortened
from policy_sim.voter_lists.evidence import CONFIDENCES

__all__ = [
    "Citations",
    "CitingTable",
    "Confidence",
    "DateText",
    "Flag",
    "MaybeUsd",
    "SourceTable",
    "StrictTable",
    "Text",
    "Texts",
    "Usd",
    "word",
]

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?|undated")
_USD = "a number of 0 or more, written without quotes such as 2500"


def word(words: Collection[str], hint: str = "") -> Any:
    """Return the kind of a text that is one of the words; ``hint`` ends the problem of another."""
    names = tuple(words)
    return Annotated[
        str,
        AfterValidator(one_of(names, hint)),
        Field(description=f"one of {', '.join(names)}", json_schema_extra={"hint": hint, "words": [*names]}),
    ]


def _cited(name: str, info: ValidationInfo) -> str:
    """Refuse a source that is not defined; the context may name the file that states share (``shared``)."""
    if info.context is not None and name not in info.context["sources"]:
        shared = info.context.get("shared")
        places, where = ("this file", "it") if not shared else (f"this file or of {shared}", "it there")
        raise ValueError(
            f"cites {shortened(name)!r}, which no [[source]] of {places} defines. Add {where} or correct the id."
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


Text = Annotated[str, Field(description="a text in quotes")]
Texts = Annotated[list[str], Field(description='a list of texts such as ["a", "b"]')]
Flag = Annotated[bool, Field(description="true or false; write it without quotes")]
DateText = Annotated[str, AfterValidator(_dated), Field(description='"2026", "2026-05", "2026-05-19" or "undated"')]
Usd = Annotated[float, BeforeValidator(_number), Field(ge=0, allow_inf_nan=False, description=_USD)]
MaybeUsd = Annotated[
    Annotated[float, Field(ge=0, allow_inf_nan=False)] | None, BeforeValidator(_number), Field(description=_USD)
]
Citations = Annotated[
    list[Annotated[str, AfterValidator(_cited)]], Field(description='a list of texts such as ["a", "b"]')
]
Confidence: Any = word(CONFIDENCES)


class StrictTable(BaseModel):
    """A table that knows its keys: any other key is a problem, and no value changes its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CitingTable(StrictTable):
    """A table whose values rest on sources."""

    confidence: Confidence = ""
    sources: Citations = []


class SourceTable(StrictTable):
    """``[[source]]``: a document."""

    id: Text
    title: Text
    date: DateText = "undated"
    url: Text = ""
    also: Texts = []
    note: Text = ""
