"""The schema of a resource: an identified file besides voter lists, described in one TOML document.

Fields, prices, buyers, uses and sources are written as in the files of voter lists. A key of the file is a
field here, with what is allowed as its description; what is left out is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from policy_sim.io.document_problems import lines_error, one_of
from policy_sim.io.schema_values import CitingTable, SourceTable, StrictTable, Text, Texts, word
from policy_sim.io.voter_lists.schema import FIELD_TABLES, BuyersTable, PriceTable, UsesTable
from policy_sim.states import STATES
from policy_sim.voter_lists.list_field import AVAILABILITIES
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS

__all__ = ["PLACES", "STATUSES", "PeopleTable", "ResourceTable"]

PLACES = ("state", "nation")
STATUSES = ("available", "not_sold", "unknown")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NOT_SAID = {"allowed": "unknown"}
_OLDEST = 120
_YEARS = (1800, 2200)
_MOST = 10**10


def _named(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise PydanticCustomError("name", "not a name")
    return text


def _states(value: Any) -> Any:
    """Read postal codes, or ``all``, which becomes None."""
    if value == "all":
        return None
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise PydanticCustomError("states", "no states")
    return value


def _share(value: Any) -> tuple[float, float]:
    """Read a share, two of them, or ``unknown``, which may be any share."""
    if value == "unknown":
        return 0.0, 1.0
    ends = value if isinstance(value, list) else [value, value]
    numbers = [end for end in ends if isinstance(end, int | float) and not isinstance(end, bool)]
    if len(numbers) != len(ends) or len(ends) != 2 or not 0 <= numbers[0] <= numbers[1] <= 1:
        raise PydanticCustomError("share", "not a share")
    return float(numbers[0]), float(numbers[1])


def _records(value: Any) -> Any:
    counts = value.items() if isinstance(value, Mapping) else [("", None)]
    if not all(state in STATES and type(number) is int and 0 <= number <= _MOST for state, number in counts):
        raise PydanticCustomError("records", "not records by state")
    return value


def _two(least: int, most: int) -> Any:
    def read(value: Any) -> Any:
        whole = isinstance(value, list) and [number for number in value if type(number) is int]
        if not whole or len(value) != 2 or len(whole) != 2 or not least <= whole[0] <= whole[1] <= most:
            raise PydanticCustomError("two", "not two numbers")
        return tuple(whole)

    return BeforeValidator(read)


_Name = Annotated[
    str, AfterValidator(_named), Field(description='small letters, digits and hyphens such as "birth-index"')
]
_State = Annotated[str, AfterValidator(one_of(tuple(STATES)))]
_States = Annotated[
    list[_State] | None,
    BeforeValidator(_states),
    Field(description='a list of postal codes such as ["TX"], or "all"'),
]
_Share = Annotated[
    tuple[float, float],
    BeforeValidator(_share),
    Field(description='a share such as 0.6, the least and the most such as [0.3, 0.7], or "unknown"'),
]
_Ages = Annotated[
    tuple[int, int] | None,
    _two(0, _OLDEST),
    Field(description=f"the least and the greatest age such as [18, {_OLDEST}]"),
]
_Born = Annotated[
    tuple[int, int] | None,
    _two(*_YEARS),
    Field(description="the first and the last year of birth such as [1903, 2010]"),
]
_Records = Annotated[
    dict[str, int],
    BeforeValidator(_records),
    Field(description="whole numbers of records by postal code, such as { TX = 15000000 }"),
]


class PeopleTable(CitingTable):
    """``[people]``: who is in the file."""

    title: Text = "people"
    ages: _Ages = None
    born: _Born = None
    share: _Share = (0.0, 1.0)
    note: Text = ""


def _spelled_out(value: Any) -> Any:
    """Write ``birth = "date"`` as the table that it stands for, so that both are checked alike."""
    if not isinstance(value, Mapping):
        return value
    fields = {}
    for name, fact in value.items():
        graded = name in RECORDED_FIELDS and RECORDED_FIELDS[name].graded
        if isinstance(fact, str):
            short = fact in AVAILABILITIES or not graded
            fields[name] = {"availability": fact} if short else {"availability": "included", "granularity": fact}
        else:
            fields[name] = fact
    return fields


_FieldsTable: Any = create_model(
    "_FieldsTable",
    __base__=StrictTable,
    __validators__={"spelled_out": model_validator(mode="before")(_spelled_out)},
    **{name: (table, table.model_validate({"availability": "unknown"})) for name, table in FIELD_TABLES.items()},  # type: ignore[call-overload]
)


class ResourceTable(StrictTable):
    """The whole document."""

    name: _Name
    title: Text
    kind: Text
    states: _States
    described: Text = ""
    place: word(PLACES) = "state"  # type: ignore[valid-type]
    status: word(STATUSES) = "available"  # type: ignore[valid-type]
    status_reason: Text = Field("", alias="reason")
    legality: Text = ""
    notes: Texts = Field(default_factory=list)
    fields: _FieldsTable = Field(default_factory=_FieldsTable)
    people: PeopleTable = PeopleTable()
    price: PriceTable = PriceTable.model_validate({"kind": "unknown", "note": "the description gives no price"})
    price_high: PriceTable | None = None
    records: _Records = Field(default_factory=dict)
    buyers: BuyersTable = BuyersTable.model_validate(_NOT_SAID)
    uses: UsesTable = UsesTable.model_validate(_NOT_SAID)
    sources: list[SourceTable] = Field(default_factory=list, alias="source")

    @model_validator(mode="after")
    def _facts_go_together(self) -> ResourceTable:
        problems = []
        if self.status != "available" and not self.status_reason:
            problems.append(f'reason is missing; say why the status is "{self.status}".')
        if self.price.kind == "unknown" and not self.price.note:
            problems.append("price.note is missing; say why the price is unknown.")
        if self.price_high is not None and self.price_high.kind != self.price.kind:
            problems.append(f'price_high.kind = "{self.price_high.kind}", but price.kind = "{self.price.kind}".')
        if problems:
            raise lines_error(problems)
        return self
