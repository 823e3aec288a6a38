"""From tables to a saved population: audit, cells, manifest."""

from __future__ import annotations

from typing import Any

from policy_sim.people.census.tables import SexByAge, to_cells
from policy_sim.people.facts import audit, published
from policy_sim.people.store import Entry, PopulationCache
from policy_sim.words.states import STATES

PUBLISHER = "US Census Bureau"
_UNIVERSE = "total population (every table of a race: people of that race alone, or of two or more races)"


def keep(
    tables: SexByAge,
    cache: PopulationCache,
    year: int,
    states: tuple[str, ...],
    *,
    partial: bool = False,
    hint: str = "",
    **facts: Any,
) -> Entry:
    """Audit decennial tables, turn them into cells and save them; ``facts`` are those of an entry."""
    counted = published(year)
    checks = audit(
        tables,
        counted,
        counted.counties_of(states or _nation(tables)) if tables.has_counties else frozenset(),
        where=facts["name"],
        partial=partial,
        hint=hint,
    )
    first, last = next(iter(tables.partition)), list(tables.partition)[-1]
    entry = Entry(
        publisher=PUBLISHER,
        date=f"{year}-04-01",
        universe=_UNIVERSE,
        ages=f"{tables.name(first)} to {tables.name(last)}",
        counted=1.0,
        estimated=0.0,
        checks=checks,
        **facts,
    )
    return cache.put(entry, to_cells(tables))


def _nation(tables: SexByAge) -> tuple[str, ...]:
    """The states that a load of everything must have; Puerto Rico may be missing."""
    in_tables = set(tables.places["state"])
    return tuple(state for state in STATES if state != "PR" or state in in_tables)
