"""Registered voters by state and survey, and the coverage of the lists that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from policy_sim.attackers.coverage import ADULTS, COVERAGES, Coverage
from policy_sim.errors import SchemaError, UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.toml_files import shipped_table
from policy_sim.io.toml_table import TomlTable
from policy_sim.states import STATES

__all__ = ["RegisteredVoters", "load_coverage", "load_registered_voters"]


@dataclass(frozen=True)
class RegisteredVoters:
    """One survey's count of registered voters by state (postal code).

    ``used_for`` names the vintages of lists for which the survey is taken.
    """

    name: str
    title: str
    publisher: str
    read_at: str
    year: int
    note: str
    used_for: tuple[str, ...]
    by_state: Mapping[str, int]


@cache
def load_registered_voters() -> Mapping[str, RegisteredVoters]:
    """Return the surveys that ship, by name.

    Raises
    ------
    SchemaError : the file is damaged; every problem at once.
    """
    where = data_dir() / "registered_voters.toml"
    problems: list[str] = []
    top = TomlTable(shipped_table(where), problems)
    surveys = {name: _survey(top.table(name), name) for name in top.raw}
    if problems:
        raise SchemaError(f"data/{where.name}", problems)
    return MappingProxyType(surveys)


def load_coverage(name: str, vintage: str) -> Coverage | None:
    """Return who is on the lists of a vintage; none for ``everyone``.

    Parameters
    ----------
    name : One of :data:`~policy_sim.attackers.coverage.COVERAGES`.
    vintage : Of the lists; decides the survey. One for which no survey is named takes the newest.

    Raises
    ------
    UnknownNameError : a coverage that is not known.
    """
    if name not in COVERAGES:
        raise UnknownNameError("coverage", name, COVERAGES)
    if name == "everyone":
        return None
    if name == "adults":
        return ADULTS
    surveys = load_registered_voters().values()
    newest = max(surveys, key=lambda survey: survey.year)
    survey = next((candidate for candidate in surveys if vintage in candidate.used_for), newest)
    return Coverage(
        "registered", f"registered voters ({survey.title})", survey.by_state, note=survey.note, year=survey.year
    )


def _survey(table: TomlTable, name: str) -> RegisteredVoters:
    counts = table.table("registered", required=True)
    by_state = {state: int(counts.number(state)) for state in counts.raw if state in STATES}
    counts.done(also=tuple(STATES))
    survey = RegisteredVoters(
        name,
        table.text("title", required=True),
        table.text("publisher", required=True),
        table.text("read_at"),
        int(table.number("year")),
        table.text("note"),
        table.texts("used_for"),
        MappingProxyType(by_state),
    )
    table.done()
    return survey
