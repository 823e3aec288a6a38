"""Files about attackers: adversaries, amounts of money, and resources (identified files besides voter lists).

Fields, prices, buyers, uses and sources of a resource are written as in the files of voter lists. A key of the file is
a field here, with what is allowed as its description; what is left out is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import pandas as pd
from pydantic import AfterValidator, BeforeValidator, Field, RootModel, model_validator
from pydantic_core import PydanticCustomError

from policy_sim.attackers.adversary import AMOUNT_KINDS, PURPOSES, READINGS, Constraints, DollarAmount
from policy_sim.attackers.attacker import GENERAL, Attacker
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import Coverage, share_words
from policy_sim.attackers.resource import EVERYONE, NO_PRICE, IdentifiedFile, InState, Resource
from policy_sim.files.evidence import NO_EVIDENCE, Evidence
from policy_sim.files.paths import data_dir, kind_of
from policy_sim.files.schema import (
    CitingTable,
    DateText,
    Flag,
    MaybeNumber,
    SourceTable,
    StrictTable,
    Text,
    Texts,
    checked,
    evidence_of,
    lines_error,
    noun_of,
    one_of,
    read_document,
    read_sources,
    table_of,
    word,
    words_of,
)
from policy_sim.files.toml import read_toml_file, shipped_files, shipped_table
from policy_sim.voter_lists.facts import allowed_words, cite, field_words, newest_date
from policy_sim.voter_lists.list_field import AVAILABILITIES, BUYERS, LIST_FIELDS, RECORDED_FIELDS
from policy_sim.voter_lists.schema import (
    BuyersTable,
    PriceTable,
    UsesTable,
    allowed_of,
    fields_of,
    fields_table,
)
from policy_sim.words.arguments import number
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError
from policy_sim.words.fields import field_word
from policy_sim.words.states import STATES

# Adversary profiles from TOML: those that ship, and the user's own files.


def list_adversaries() -> dict[str, Path]:
    """Return the profiles that ship: name to file."""
    return shipped_files("adversaries")


def load_adversary(name_or_path: str) -> Constraints:
    """Return an adversary by the name it ships under, or from a TOML file."""
    shipped = list_adversaries()
    if name_or_path not in shipped and not name_or_path.endswith(".toml"):
        raise UnknownNameError("adversary", name_or_path, shipped)
    path = shipped.get(name_or_path, Path(name_or_path))
    table = checked(_AdversaryTable, read_toml_file(path, name_or_path), name_or_path)
    return noun_of(Constraints, table, name=path.stem)


def _someone(buyers: tuple[str, ...]) -> tuple[str, ...]:
    if not buyers:
        raise ValueError(f"is missing; name at least one of {', '.join(BUYERS)}.")
    return buyers


_Buyers: Any = words_of(BUYERS)


_AdversaryTable: Any = table_of(
    Constraints,
    without=("name",),
    title=(Text, ...),
    buyer=(Annotated[_Buyers, AfterValidator(_someone)], Field((), validate_default=True)),
    purpose=word(PURPOSES),
    money_usd=MaybeNumber,
    days=MaybeNumber,
)


# Gains, costs and penalties of attacks, from ``data/economics``.


_MOST_USD = 1e12
_AmountBase: Any = table_of(
    DollarAmount,
    without=("name", "kind"),
    usd_low=(MaybeNumber, None),
    usd_high=(MaybeNumber, None),
    cap_usd=(MaybeNumber, None),
    address=(Text, ""),
    note=(Text, ""),
    read=word(READINGS),
)


class _AmountTable(_AmountBase):  # type: ignore[misc]
    @model_validator(mode="after")
    def _ends_in_order(self) -> _AmountTable:
        low, high = self.usd_low, self.usd_high
        if (low is None) != (high is None) or (low is not None and high is not None and low > high):
            raise lines_error(["usd_low and usd_high must both be present, in order, or both be absent."])
        return self


@cache
def load_amounts() -> Mapping[str, DollarAmount]:
    """Return every amount that ships, by name, in the order of the files."""
    amounts: dict[str, DollarAmount] = {}
    for kind in AMOUNT_KINDS:
        where = f"economics/{kind}.toml"
        tables = checked(RootModel[dict[str, _AmountTable]], shipped_table(where), f"data/{where}").root
        if twice := amounts.keys() & tables:
            lines = [f"{name} is in two files. Give each amount its own name." for name in sorted(twice)]
            raise SchemaError(f"data/{where}", lines)
        amounts |= {name: noun_of(DollarAmount, table, name=name, kind=kind) for name, table in tables.items()}
    return MappingProxyType(amounts)


def amount_of(usd_or_name: str | float, kind: str) -> tuple[float, str]:
    """Return dollars and where they come from, of a number or the name of a shipped amount (its higher end).

    >>> amount_of(300, "gains"), amount_of("ransom-2009", "gains")[0]
    ((300.0, 'assumed: $300'), 1.2)
    """
    if isinstance(usd_or_name, bool) or not isinstance(usd_or_name, str | int | float):
        raise InputError(
            f"an amount of {kind} is a number of US dollars or the name of an amount, "
            f"not a {type(usd_or_name).__name__}."
        )
    if isinstance(usd_or_name, int | float):
        usd_or_name = number(f"an amount of {kind}", usd_or_name, 0, _MOST_USD)
        return float(usd_or_name), f"assumed: ${usd_or_name:,.10g}"
    try:
        return amount_of(float(usd_or_name), kind)
    except ValueError:
        pass
    names = [name for name, amount in load_amounts().items() if amount.kind == kind]
    if usd_or_name not in names:
        raise UnknownNameError(f"amount of {kind}", usd_or_name, names)
    amount = load_amounts()[usd_or_name]
    if amount.usd_high is None:
        raise InputError(f"no source gives the amount of {usd_or_name}: give a number of dollars.")
    return amount.usd_high, amount.cite()


# The schema of a resource: an identified file besides voter lists, described in one TOML document.


PLACES = ("state", "nation")
STATUSES = ("available", "not_sold", "unknown")
STATUSES_IN_STATES = ("available", "not_covered", "unknown")
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
    voters: Flag = False
    note: Text = ""

    @model_validator(mode="after")
    def _voters_are_counted_elsewhere(self) -> PeopleTable:
        if self.voters and self.model_fields_set & {"ages", "born", "share"}:
            raise lines_error(["voters = true takes the people of the voter lists: leave out ages, born and share."])
        return self


def _spelled_out(value: Any) -> Any:
    """Write ``birth = "date"`` as the table that it stands for, so that both are checked alike."""
    if not isinstance(value, Mapping):
        return value
    fields = {}
    for name, fact in value.items():
        graded = name in RECORDED_FIELDS and RECORDED_FIELDS[name].granularities
        if isinstance(fact, str):
            short = fact in AVAILABILITIES or not graded
            fields[name] = {"availability": fact} if short else {"availability": "included", "granularity": fact}
        else:
            fields[name] = fact
    return fields


_FieldsTable: Any = fields_table(__validators__={"spelled_out": model_validator(mode="before")(_spelled_out)})


class InStatesTable(CitingTable):
    """``[[in_states]]``: what the file is in some states, where it is not the same everywhere."""

    states: list[_State]
    status: word(STATUSES_IN_STATES) = "available"  # type: ignore[valid-type]
    reason: Text = ""
    date: DateText = ""
    fields: _FieldsTable = Field(default_factory=_FieldsTable)

    @model_validator(mode="after")
    def _says_why(self) -> InStatesTable:
        if self.status != "available" and not self.reason:
            raise lines_error([f'reason is missing; say why the status is "{self.status}".'])
        return self


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
    in_states: list[InStatesTable] = Field(default_factory=list)
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
        described = [state for part in self.in_states for state in part.states]
        problems += [f"in_states has {state} twice." for state in STATES if described.count(state) > 1]
        if problems:
            raise lines_error(problems)
        return self


# Resources from TOML: those that ship, and the user's own files.


def list_resources() -> dict[str, Path]:
    """Return the resources that ship: name to file."""
    return shipped_files("resources")


def resource_template() -> str:
    """Return a resource file to start from, with every key explained."""
    return (data_dir() / "resources" / "_template.txt").read_text(encoding="utf-8")


def load_resource(name_or_path: str | Path) -> IdentifiedFile:
    """Return a resource by the name it ships under, or from a TOML file."""
    name, shipped = str(name_or_path), list_resources()
    if name in shipped:
        return _shipped(name)
    if name.endswith(".toml"):
        return _read(Path(name), name)
    if kind_of(Path(name)) == "file":
        raise InputError(f"{name}: the name of a resource file must end in .toml.")
    raise UnknownNameError("resource", name, shipped)


def resource_holder(resource: IdentifiedFile) -> Attacker:
    """Return the attacker who holds a resource, by the resource's name."""
    return Attacker(resource.name, f"holds {resource.title}", (resource,))


@cache
def _shipped(name: str) -> IdentifiedFile:
    return _read(list_resources()[name], f"resource {name}")


def _read(path: Path, where: str) -> IdentifiedFile:
    raw = read_toml_file(path, where)
    problems: list[str] = []
    resource = _parse(raw, problems)
    if problems or resource is None:
        raise SchemaError(where, list(dict.fromkeys(problems)))
    return resource


def _parse(raw: Mapping[str, Any], problems: list[str]) -> IdentifiedFile | None:
    sources = read_sources(raw, problems)
    rest = {key: value for key, value in raw.items() if key != "source"}
    table = read_document(ResourceTable, rest, problems, context={"sources": sources})
    if table is None or problems:
        return None
    return noun_of(
        IdentifiedFile,
        table,
        coverage=_coverage(table),
        fields=fields_of(table.fields),
        buyers=allowed_of(table.buyers),
        uses=allowed_of(table.uses),
        vintage=table.described,
        sources=sources,
        by_state={state: _in_state(part) for part in table.in_states for state in part.states},
        holds_voters=table.people.voters,
        evidence=evidence_of(table.people),
    )


def _in_state(part: InStatesTable) -> InState:
    return noun_of(InState, part, fields=fields_of(part.fields, part.fields.model_fields_set))


def _coverage(table: ResourceTable) -> Coverage | None:
    """Return who is in the file; None where that is everyone."""
    people = table.people
    if people.voters:
        return load_coverage("registered", table.described[:4])
    if people.ages is None and people.born is None and people.share == (1.0, 1.0):
        return None
    least, most = people.ages or (0, None)
    # Of people whose share no source gives, no more are listed than the file has records.
    counted = (
        table.records if people.share == (0.0, 1.0) and set(table.states or STATES) <= set(table.records) else None
    )
    return Coverage(table.name, people.title, counted, least, most, people.born, *people.share)


# Resources side by side and fact by fact: what each holds, of whom, at what price, and how that is known.

# What attackers hold without a file of resources, for below the table of files.
BUILT_IN = (
    f"general: {EVERYONE.title}, the worst case. It is an assumption, not something for sale: its price is not modeled",
    "voter: each state's voter list, which has its own fields, price and buyers in every state",
)

_FACTS = ("name", "item", "value", "date", "confidence", "sources", "note")


def resources_frame(files: Iterable[IdentifiedFile]) -> pd.DataFrame:
    """Return one row per resource; ``least_share`` and ``most_share`` are of the ``people`` (0..1) whom it may hold."""
    rows = [
        {
            "name": file.name,
            "title": file.title,
            "kind": file.kind,
            "states": _states_of(file),
            "status": file.status,
            "described": file.vintage,
            "people": _who(file.coverage),
            "least_share": 1.0 if file.coverage is None else file.coverage.least_share,
            "most_share": 1.0 if file.coverage is None else file.coverage.most_share,
            **{name: field_words(file.fields[name]) for name in LIST_FIELDS},
            "price": price_words(file),
            "buyers": allowed_words(file.buyers),
            "uses": allowed_words(file.uses),
        }
        for file in files
    ]
    table = pd.DataFrame(rows)
    shares = dict.fromkeys(("least_share", "most_share"), "Float64")
    return table.astype({name: shares.get(name, "string") for name in table.columns})


def resource_facts_frame(file: IdentifiedFile) -> pd.DataFrame:
    """Return one row per fact of a resource, with the newest date of its sources, and their titles and addresses."""

    def fact(item: str, value: str, evidence: Evidence = NO_EVIDENCE, date: str = "", note: str = "") -> list[str]:
        cited = [file.sources[name] for name in evidence.sources if name in file.sources]
        dated = date or newest_date(cited)
        return [file.name, item, value, dated, evidence.confidence, " | ".join(map(cite, cited)), note]

    price = file.price
    rows = [
        fact("title", file.title),
        fact("kind", file.kind),
        fact("states", _states_of(file)),
        fact("status", file.status, note=file.status_reason),
        *(
            fact(f"status in {state}", own.status, own.evidence, own.date, own.reason)
            for state, own in sorted(file.by_state.items())
        ),
        *(fact(name, field_words(file.fields[name]), file.fields[name].evidence) for name in LIST_FIELDS),
        *(
            fact(f"{field_word(name)} in {state}", field_words(own.fields[name]), own.fields[name].evidence)
            for state, own in sorted(file.by_state.items())
            for name in own.fields
        ),
        fact("people", _who(file.coverage), file.evidence),
        fact("share", share_words(file.coverage), file.evidence),
        *(fact(f"records in {state}", f"{number:,}", file.evidence) for state, number in file.records.items()),
        fact("price", price_words(file), price.evidence, price.date, price.note),
        fact("buyers", allowed_words(file.buyers), file.buyers.evidence),
        fact("uses", allowed_words(file.uses), file.uses.evidence),
        *([fact("legality", file.legality)] if file.legality else []),
        *(fact("note", note) for note in file.notes),
    ]
    return pd.DataFrame(rows, columns=_FACTS, dtype="string")


def everyone_facts_frame() -> pd.DataFrame:
    """Return the facts of what GENERAL holds, in the columns of :func:`resource_facts_frame`."""
    facts = {
        "title": EVERYONE.title,
        "kind": "assumption",
        "states": "all",
        **dict.fromkeys(LIST_FIELDS, "as released"),
        "people": "everyone",
        "share": share_words(None),
        "price": NO_PRICE.status.replace("_", " "),
        "buyers": "nobody",
    }
    notes = {"price": NO_PRICE.reason}
    rows = [(GENERAL.name, item, value, "", "", "", notes.get(item, "")) for item, value in facts.items()]
    return pd.DataFrame(rows, columns=_FACTS, dtype="string")


def resource_citation(resource: Resource) -> list[str]:
    """Return what a file besides voter lists shows and costs, and its sources; nothing for other resources."""
    if not isinstance(resource, IdentifiedFile):
        return []
    included_fields = ", ".join(name for name, fact in resource.fields.items() if fact.availability == "included")
    return [
        f"{resource.name}: {resource.describe()}; shows {included_fields or '-'}; {price_words(resource)}.",
        *(
            f"  {source.title} ({source.date}){f', {source.url}' if source.url else ''}"
            for source in resource.sources.values()
        ),
    ]


def price_words(file: IdentifiedFile) -> str:
    """Say what a file costs; from the least to the most where sources give a range."""
    least = file.price.describe()
    return least if file.price_high is None else f"{least} to {file.price_high.describe()}"


def _who(coverage: Coverage | None) -> str:
    return "everyone" if coverage is None else coverage.title


def _states_of(file: IdentifiedFile) -> str:
    if file.by_state:
        return " ".join(state for state in sorted(file.by_state) if file.status_in(state)[0] == "available")
    return "all" if file.states is None else " ".join(file.states)
