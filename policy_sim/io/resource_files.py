"""Resources from TOML: those that ship, and the user's own files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.identified_file import IdentifiedFile
from policy_sim.errors import InputError, SchemaError, UnknownNameError
from policy_sim.files.paths import data_dir, kind_of
from policy_sim.io.document_problems import read_document
from policy_sim.io.resource_schema import ResourceTable
from policy_sim.io.toml_files import read_toml_file, shipped_files
from policy_sim.io.voter_lists.document import parse_sources
from policy_sim.io.voter_lists.from_tables import allowed_of, evidence_of, field_of, noun_of
from policy_sim.states import STATES
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS

__all__ = ["list_resources", "load_resource", "resource_holder", "resource_template"]


def list_resources() -> dict[str, Path]:
    """Return the resources that ship: name to file."""
    return shipped_files("resources")


def resource_template() -> str:
    """Return a resource file to start from, with every key explained."""
    return (data_dir() / "resources" / "_template.txt").read_text(encoding="utf-8")


def load_resource(name_or_path: str | Path) -> IdentifiedFile:
    """Return a resource by the name it ships under, or from a TOML file.

    Raises
    ------
    UnknownNameError : no shipped resource has that name.
    InputError : the name of the file does not end in ``.toml``.
    SchemaError : the file is not a resource; every problem at once.

    Examples
    --------
    >>> load_resource("texas-birth-index").states
    ('TX',)
    """
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
    sources = parse_sources(raw, problems)
    rest = {key: value for key, value in raw.items() if key != "source"}
    table = read_document(ResourceTable, rest, problems, context={"sources": sources})
    if table is None or problems:
        return None
    return noun_of(
        IdentifiedFile,
        table,
        coverage=_coverage(table),
        fields={name: field_of(name, getattr(table.fields, name)) for name in RECORDED_FIELDS},
        price=_price(table.price),
        price_high=None if table.price_high is None else _price(table.price_high),
        buyers=allowed_of(table.buyers),
        uses=allowed_of(table.uses),
        vintage=table.described,
        sources=sources,
        evidence=evidence_of(table.people),
    )


def _coverage(table: ResourceTable) -> Coverage | None:
    """Return who is in the file; None where that is everyone."""
    people = table.people
    if people.ages is None and people.born is None and people.share == (1.0, 1.0):
        return None
    least, most = people.ages or (0, None)
    # Of people whose share no source gives, no more are listed than the file has records.
    counted = (
        table.records if people.share == (0.0, 1.0) and set(table.states or STATES) <= set(table.records) else None
    )
    return Coverage(table.name, people.title, counted, least, most, people.born, *people.share)


def _price(table: Any) -> Price:
    return noun_of(Price, table, free_records=int(table.free_records))
