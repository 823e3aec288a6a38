"""The schema of the files in ``data/releases``: what each key may hold, and everything that is wrong at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, create_model

from policy_sim.io.document_problems import one_of
from policy_sim.io.schema_values import CitingTable, Flag, MaybeUsd, StrictTable, Text, Texts, word
from policy_sim.state_releases.release_elements import RELEASE_ELEMENTS
from policy_sim.state_releases.state_release import RELEASE_PRICE_KINDS, SETTINGS
from policy_sim.state_releases.year_ranges import YEARS_WORDS, years_of
from policy_sim.voter_lists.buyers import BUYERS

__all__ = ["ALL_YEARS", "FindingTable", "ProgramTable", "ReleaseTable", "element_years"]

ALL_YEARS = "all"


def _years(text: str) -> str:
    years_of(text)
    return text


def _years_or_all(text: str) -> str:
    if text != ALL_YEARS:
        years_of(text)
    return text


def _program(name: str, info: ValidationInfo) -> str:
    if info.context is not None:
        one_of(list(info.context["programs"]))(name)
    return name


_Whole = Annotated[int, Field(description="a whole number, without quotes")]
_Years = Annotated[str, AfterValidator(_years), Field(description=YEARS_WORDS)]
_YearsOrAll = Annotated[str, AfterValidator(_years_or_all), Field(description=f'"all", or {YEARS_WORDS}')]
_Buyers = Annotated[list[Annotated[str, AfterValidator(one_of(BUYERS))]] | None, Field(description="a list of words")]


class AgreementTable(CitingTable):
    """``[program.agreement]``: what a recipient must sign; leave ``required`` out where no source says."""

    name: Text = ""
    required: Flag | None = None
    forbids: Text = ""
    citation: Text = ""


class ReleasePriceTable(CitingTable):
    """``[program.price]``: what a file costs."""

    kind: word(RELEASE_PRICE_KINDS)  # type: ignore[valid-type]
    usd: MaybeUsd = None
    per: Text = ""
    date: Text = ""
    note: Text = ""


class ProgramTable(CitingTable):
    """``[[program]]``: who releases a file, to whom, and on what terms."""

    id: Text
    title: Text
    holder: Text
    setting: word(SETTINGS)  # type: ignore[valid-type]
    buyers: _Buyers = None
    agreement: AgreementTable = AgreementTable()
    price: ReleasePriceTable = ReleasePriceTable(kind="unknown")
    caveats: Texts = Field(default_factory=list)


_ElementYears: Any = create_model(
    "_ElementYears",
    __base__=StrictTable,
    **dict.fromkeys(RELEASE_ELEMENTS, (_YearsOrAll, "")),  # type: ignore[call-overload]
)


class ReleaseTable(CitingTable):
    """``[[release]]``: a file of the state, its years, and the years in which it shows each element."""

    id: Text
    program: Annotated[str, AfterValidator(_program), Field(description="the id of a [[program]]")]
    years: _Years
    two_files: Annotated[str, AfterValidator(lambda text: text and _years(text)), Field(description=YEARS_WORDS)] = ""
    complete: Flag = True
    shows: _ElementYears = Field(default_factory=_ElementYears)
    withholds: _ElementYears = Field(default_factory=_ElementYears)
    unknown: _ElementYears = Field(default_factory=_ElementYears)
    caveats: Texts = Field(default_factory=list)


class FindingTable(CitingTable):
    """``[[finding]]``: what a survey counts."""

    id: Text
    year: _Whole
    says: Text
    counted: _Whole | None = None


def element_years(table: Any, years: frozenset[int]) -> Mapping[str, frozenset[int]]:
    """Return the years per element of a table such as ``[release.shows]``."""
    texts = {name: getattr(table, name) for name in RELEASE_ELEMENTS}
    return {name: years if text == ALL_YEARS else years_of(text) for name, text in texts.items() if text}
