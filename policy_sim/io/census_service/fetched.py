"""A whole population from the census service: request, join, audit, save."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from zlib import crc32

from policy_sim.errors import SchemaError, SourceError
from policy_sim.io.census_service.answers import Answers
from policy_sim.io.census_service.client import DEFAULT_URL, TableClient
from policy_sim.io.census_service.editions import Edition, find_edition, find_geography
from policy_sim.io.census_service.fetch import assemble, fetch_answers, plan
from policy_sim.io.census_service.session import Patience
from policy_sim.io.population_store.cache import Entry, PopulationCache
from policy_sim.io.population_store.keep import keep
from policy_sim.population.census_tables import SINGLE_YEARS
from policy_sim.states import STATES, State, find_states

__all__ = ["fetch_population", "keep_answers", "population_name"]

_MOST_NAMED = 10  # states spelled out in a name
_AGAIN = "The answers were deleted. Fetch again to request all of them."


def population_name(edition: str, geography: str, states: Sequence[State]) -> str:
    """Return the name under which a fetched population is saved.

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
    """Fetch a population from the census service, audit it and save it.

    Parameters
    ----------
    edition_name, geography_name : A key of ``EDITIONS`` and of ``GEOGRAPHIES``.
    key : The user's key.
    states : Postal codes, FIPS codes or names; all, with Puerto Rico, by default.
    url : The service's address; ``POLICY_SIM_CENSUS_URL`` or the Bureau's by default.
    progress : Called with the number of answers saved and the number needed.

    Raises
    ------
    SourceError : the service fails; the answers that arrived are saved, and not requested again.
    SchemaError : the tables do not add up; the answers are deleted, so that the next fetch requests them again.
    """
    edition, geography = find_edition(edition_name), find_geography(geography_name)
    named, shape = find_states(states), edition.shape(geography_name)
    name = population_name(edition_name, geography_name, named)
    address = url or os.environ.get("POLICY_SIM_CENSUS_URL") or DEFAULT_URL
    client = TableClient(key, edition, url=address, patience=patience)
    questions = plan(edition, geography, shape, named)
    answers = Answers(cache.work_folder(name), client.address)
    answered = 0

    def count() -> None:
        nonlocal answered
        answered += 1
        progress(answered, len(questions))

    fetch_answers(client, questions, answers, count)
    try:
        return keep_answers(name, edition, geography_name, named, client.address, cache)
    except SchemaError as error:
        answers.forget()
        raise SchemaError(error.where, [*error.problems, _AGAIN]) from None
    except SourceError as error:
        answers.forget()
        raise SourceError(f"{error} {_AGAIN}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        answers.forget()
        raise SourceError(
            f"{client.address}: the answers do not form tables ({type(error).__name__}). {_AGAIN}"
        ) from None


def keep_answers(
    name: str,
    edition: Edition,
    geography_name: str,
    states: Sequence[State],
    address: str,
    cache: PopulationCache,
) -> Entry:
    """Create and save a population from saved answers; the parameters are those of :func:`fetch_population`.

    Raises
    ------
    SourceError : an answer from ``address`` is missing or damaged.
    SchemaError : the tables do not add up.
    """
    geography, shape = find_geography(geography_name), edition.shape(geography_name)
    questions = plan(edition, geography, shape, states)
    answers = Answers(cache.work_folder(name), address)
    tables = assemble(questions, answers, geography, shape)
    notes = list(edition.notes)
    if shape is not SINGLE_YEARS:
        notes.append(
            "Ages are in the 23 classes of P12A to P12G: single years are not requested for this geography. "
            "People are assumed to be spread evenly over the years of a class; those aged 85 and over, up to 110."
        )
    return keep(
        tables,
        cache,
        edition.year,
        tuple(state.postal for state in states),
        name=name,
        title=f"{edition.title}, by {geography_name}",
        how="fetched from the census service and checked against published totals",
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
