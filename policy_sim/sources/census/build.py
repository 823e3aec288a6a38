"""From tables to a kept population: audit, cells, manifest; and the same again when a file is damaged."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from policy_sim.errors import SourceError
from policy_sim.population.audit import audit
from policy_sim.population.sex_by_age import SINGLE_YEARS, SexByAge, to_cells
from policy_sim.sources.census.answers import Answers
from policy_sim.sources.census.cache import Entry, PopulationCache
from policy_sim.sources.census.client import DEFAULT_URL, TableClient
from policy_sim.sources.census.editions import Edition, find_edition, find_geography
from policy_sim.sources.census.facts import expected_counties, published
from policy_sim.sources.census.fetch import assemble, fetch_answers, plan
from policy_sim.sources.census.session import Patience
from policy_sim.states import STATES, State, find_states

__all__ = ["PUBLISHER", "fetch_population", "keep", "nation", "population_name", "rebuild"]

_MOST_NAMED = 10  # states spelled out in a name
PUBLISHER = "US Census Bureau"
_UNIVERSE = "total population (every table of a race: people of that race alone, or of two or more races)"


def population_name(edition: str, geography: str, states: Sequence[State]) -> str:
    """Return the name under which a fetched population is kept.

    >>> from policy_sim.states import find_states
    >>> population_name("sf1-2010", "tract", find_states(["OH", "DE"]))
    'sf1-2010-tract-de-oh'
    """
    parts = [edition, *([] if geography == "county" else [geography])]
    named = sorted(state.postal.lower() for state in states)
    if named == sorted(postal.lower() for postal in STATES if postal != "PR"):
        named = ["us"]
    elif len(named) > _MOST_NAMED:  # a name of bounded length that tells one choice from another
        named = [f"{len(named)}-states", f"{crc32(' '.join(named).encode()):08x}"]
    return "-".join([*parts, *named])


def fetch_population(
    edition_name: str,
    key: str,
    *,
    cache: PopulationCache,
    states: Sequence[str] = (),
    geography_name: str = "county",
    url: str = "",
    patience: Patience | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Entry:
    """Fetch a population from the census service, audit it and keep it.

    Parameters
    ----------
    edition_name, geography_name : A key of ``EDITIONS`` and of ``GEOGRAPHIES``.
    key : The user's key.
    states : Postal codes, FIPS codes or names; all, with Puerto Rico, by default.
    url : The service's address; ``POLICY_SIM_CENSUS_URL`` or the Bureau's by default.
    progress : Called with the answers at hand and the answers needed.

    Raises
    ------
    SourceError : the service fails; answers that came are kept, and asked again by nobody.
    SchemaError : the tables do not add up; nothing is kept under the population's name.
    """
    edition, geography = find_edition(edition_name), find_geography(geography_name)
    named, shape = find_states(states), edition.shape(geography_name)
    name = population_name(edition_name, geography_name, named)
    address = url or os.environ.get("POLICY_SIM_CENSUS_URL") or DEFAULT_URL
    client = TableClient(key, edition, url=address, patience=patience)
    questions = plan(edition, geography, shape, named)
    answers = Answers(cache.work_folder(name))
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(done, len(questions))

    fetch_answers(client, questions, answers, count)
    return _keep_answers(name, edition, geography_name, named, client.address, cache)


def _keep_answers(
    name: str,
    edition: Edition,
    geography_name: str,
    states: Sequence[State],
    address: str,
    cache: PopulationCache,
) -> Entry:
    geography, shape = find_geography(geography_name), edition.shape(geography_name)
    questions = plan(edition, geography, shape, states)
    answers = Answers(cache.work_folder(name))
    tables = assemble(questions, answers, geography, shape)
    notes = list(edition.notes)
    if shape is not SINGLE_YEARS:
        notes.append(
            "Ages stand in the 23 classes of P12A to P12G: single years are not asked for this geography. "
            "People are taken as spread evenly over the years of a class, those of 85 and over up to 110."
        )
    return keep(
        tables,
        cache,
        edition.year,
        tuple(state.postal for state in states),
        name=name,
        title=f"{edition.title}, by {geography_name}",
        how="fetched from the census service and held against published totals",
        geography=geography_name,
        retrieved=answers.retrieved(questions),
        addresses=(address,),
        notes=tuple(notes),
        origin={
            "kind": "answers",
            "edition": edition.name,
            "geography": geography_name,
            "states": [state.postal for state in states],
        },
    )


def keep(
    tables: SexByAge,
    cache: PopulationCache,
    year: int,
    states: tuple[str, ...],
    *,
    partial: bool = False,
    **facts: Any,
) -> Entry:
    """Audit decennial tables, turn them into cells and keep them; ``facts`` are those of an entry.

    Raises
    ------
    SchemaError : the tables do not add up; nothing is kept.
    """
    in_counties = "county" in tables.places.columns
    checks = audit(
        tables,
        published(year),
        expected_counties(year, states or nation(tables)) if in_counties else frozenset(),
        where=facts["name"],
        partial=partial,
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


def nation(tables: SexByAge) -> tuple[str, ...]:
    """The states that a load of everything must have; Puerto Rico stands apart and may be missing."""
    here = set(tables.places["state"])
    return tuple(state for state in STATES if state != "PR" or state in here)


def rebuild(cache: PopulationCache, entry: Entry) -> Entry:
    """Make a population again from what is still at hand.

    Raises
    ------
    SourceError : nothing is.
    """
    origin = entry.origin
    try:
        if origin["kind"] == "answers":
            return _keep_answers(
                entry.name,
                find_edition(origin["edition"]),
                origin["geography"],
                find_states(origin["states"]),
                entry.addresses[0],
                cache,
            )
        from policy_sim.sources.census.load import load_files

        return load_files(cache=cache, name=entry.name, **origin["options"])
    except (KeyError, SourceError) as error:
        raise SourceError(
            f"{cache.folder / entry.file}: damaged, and what it was made from is gone. "
            f"Fetch or load {entry.name} again."
        ) from error
