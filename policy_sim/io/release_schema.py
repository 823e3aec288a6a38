"""The schema of the files in ``data/releases``: what each key may hold, and everything that is wrong at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, create_model
from pydantic_core import PydanticCustomError

from policy_sim.io.document_problems import one_of
from policy_sim.io.toml_table import shortened
from policy_sim.io.voter_lists.schema import SourceTable
from policy_sim.state_releases.release import RELEASE_PRICE_KINDS, SETTINGS
from policy_sim.state_releases.release_elements import RELEASE_ELEMENTS
from policy_sim.state_releases.year_ranges import YEARS_WORDS, years_of
from policy_sim.voter_lists.evidence import CONFIDENCES
from policy_sim.voter_lists.voter_list import BUYERS

__all__ = ["ALL_YEARS", "FindingTable", "ProgramTable", "ReleaseTable", "SourceTable", "element_years"]

ALL_YEARS = "all"


def _word(words: tuple[str, ...]) -> Any:
    return Annotated[str, AfterValidator(one_of(words)), Field(description=f"one of {', '.join(words)}")]


def _years(text: str) -> str:
    years_of(text)
    return text


def _years_or_all(text: str) -> str:
    if text != ALL_YEARS:
        years_of(text)
    return text


def _cited(name: str, info: ValidationInfo) -> str:
    if info.context is not None and name not in info.context["sources"]:
        raise ValueError(
            f"cites {shortened(name)!r}, which no [[source]] of this file or of _programs.toml defines. "
            "Add it there or correct the id."
        )
    return name


def _program(name: str, info: ValidationInfo) -> str:
    if info.context is not None:
        one_of(list(info.context["programs"]))(name)
    return name


def _usd(value: Any) -> Any:
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) > 10**300):
        raise PydanticCustomError("number", "not a number")
    return value


_Text = Annotated[str, Field(description="a text in quotes")]
_Texts = Annotated[list[str], Field(description='a list of texts such as ["a", "b"]')]
_Flag = Annotated[bool, Field(description="true or false; write it without quotes")]
_Whole = Annotated[int, Field(description="a whole number, without quotes")]
_Years = Annotated[str, AfterValidator(_years), Field(description=YEARS_WORDS)]
_YearsOrAll = Annotated[str, AfterValidator(_years_or_all), Field(description=f'"all", or {YEARS_WORDS}')]
_Usd = Annotated[
    Annotated[float, Field(ge=0, allow_inf_nan=False)] | None,
    BeforeValidator(_usd),
    Field(description="a number of 0 or more, written without quotes such as 50"),
]
_Citations = Annotated[
    list[Annotated[str, AfterValidator(_cited)]], Field(description='a list of texts such as ["a", "b"]')
]
_Buyers = Annotated[list[Annotated[str, AfterValidator(one_of(BUYERS))]] | None, Field(description="a list of words")]
_Confidence: Any = _word(CONFIDENCES)


class _Table(BaseModel):
    """A table that knows its keys: any other key is a problem, and no value changes its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _CitingTable(_Table):
    confidence: _Confidence = ""
    sources: _Citations = []


class AgreementTable(_CitingTable):
    """``[program.agreement]``: what a recipient must sign; leave ``required`` out where no source says."""

    name: _Text = ""
    required: _Flag | None = None
    forbids: _Text = ""
    citation: _Text = ""


class ReleasePriceTable(_CitingTable):
    """``[program.price]``: what a file costs."""

    kind: _word(RELEASE_PRICE_KINDS)  # type: ignore[valid-type]
    usd: _Usd = None
    per: _Text = ""
    date: _Text = ""
    note: _Text = ""


class ProgramTable(_CitingTable):
    """``[[program]]``: who hands a file out, to whom, and on what terms."""

    id: _Text
    title: _Text
    holder: _Text
    setting: _word(SETTINGS)  # type: ignore[valid-type]
    buyers: _Buyers = None
    agreement: AgreementTable = AgreementTable()
    price: ReleasePriceTable = ReleasePriceTable(kind="unknown")
    caveats: _Texts = []


_ElementYears: Any = create_model(
    "_ElementYears",
    __base__=_Table,
    **dict.fromkeys(RELEASE_ELEMENTS, (_YearsOrAll, "")),  # type: ignore[call-overload]
)


class ReleaseTable(_CitingTable):
    """``[[release]]``: a file of the state, its years, and the years in which it shows each element."""

    id: _Text
    program: Annotated[str, AfterValidator(_program), Field(description="the id of a [[program]]")]
    years: _Years
    two_files: Annotated[str, AfterValidator(lambda text: text and _years(text)), Field(description=YEARS_WORDS)] = ""
    complete: _Flag = True
    shows: _ElementYears = Field(default_factory=_ElementYears)
    withholds: _ElementYears = Field(default_factory=_ElementYears)
    unknown: _ElementYears = Field(default_factory=_ElementYears)
    caveats: _Texts = []


class FindingTable(_CitingTable):
    """``[[finding]]``: what a survey counts."""

    id: _Text
    year: _Whole
    says: _Text
    counted: _Whole | None = None


def element_years(table: Any, years: frozenset[int]) -> Mapping[str, frozenset[int]]:
    """Return the years per element of a table such as ``[release.shows]``."""
    texts = {name: getattr(table, name) for name in RELEASE_ELEMENTS}
    return {name: years if text == ALL_YEARS else years_of(text) for name, text in texts.items() if text}
