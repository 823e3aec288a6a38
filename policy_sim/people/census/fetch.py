"""A population from the census service: its requests, a few at a time, and the tables made from the answers."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import pandas as pd

from policy_sim.people.census.client import (
    DEFAULT_URL,
    MAX_VARIABLES,
    Answers,
    Patience,
    Question,
    TableClient,
)
from policy_sim.people.census.keep import keep
from policy_sim.people.census.tables import (
    EDITIONS,
    GEOGRAPHIES,
    LETTERS,
    LETTERS_BY_ETHNICITY,
    SINGLE_YEARS,
    Edition,
    Geography,
    SexByAge,
    Shape,
)
from policy_sim.people.store import Entry, PopulationCache
from policy_sim.people.zip_areas import state_of_areas
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES, State, find_states

_Job = TypeVar("_Job")

# A few jobs at a time, in threads that an interrupted program does not wait for.


def do_at_once(work: Callable[[_Job], object], jobs: Sequence[_Job], most: int) -> Iterator[None]:
    """Do every job, at most ``most`` at a time; yield once for each finished job.

    When a job fails, no new one starts, those that run finish, and its exception is raised. An
    interruption (Ctrl-C) waits for nothing: a pool of the standard library would first wait for every
    time-out of the service.
    """
    waiting: SimpleQueue[_Job] = SimpleQueue()
    results: SimpleQueue[BaseException | None] = SimpleQueue()
    stop = Event()
    for job in jobs:
        waiting.put(job)

    def run() -> None:
        while not stop.is_set():
            try:
                job = waiting.get_nowait()
            except Empty:
                return
            try:
                work(job)
            except BaseException as failure:
                stop.set()
                results.put(failure)
            else:
                results.put(None)

    workers = [Thread(target=run, daemon=True) for _ in range(min(most, len(jobs)))]
    for worker in workers:
        worker.start()
    try:
        for _ in jobs:
            failure = results.get()
            if failure is not None:
                for worker in workers:
                    worker.join()
                raise failure
            yield
    finally:
        stop.set()


# The requests of a population, and its tables.


AT_ONCE = 4  # requests at the same time; the service is shared


@dataclass(frozen=True)
class Order:
    """A population to fetch: a file of the service, its places in some or all states, and whether by ethnicity."""

    edition: Edition
    geography: Geography
    states: tuple[State, ...] = ()
    ethnicity: bool = False

    @classmethod
    def of(cls, edition: str, geography: str, states: Sequence[str], *, ethnicity: bool) -> Order:
        """Return the order of a key of ``EDITIONS`` and one of ``GEOGRAPHIES``, or refuse what there is not."""
        if edition not in EDITIONS:
            raise UnknownNameError("census file", edition, EDITIONS)
        if geography not in GEOGRAPHIES:
            raise InputError(f"geography {geography!r} is not one of {', '.join(GEOGRAPHIES)}.")
        if not EDITIONS[edition].has(geography):
            others = ", ".join(name for name, file in EDITIONS.items() if file.has(geography))
            raise InputError(f"geography {geography!r} is not requested of {edition}; it is of {others}.")
        return cls(EDITIONS[edition], GEOGRAPHIES[geography], find_states(states), ethnicity)

    @property
    def shape(self) -> Shape:
        """The columns of the tables."""
        return self.edition.shape(self.geography.name)

    @property
    def name(self) -> str:
        """The name under which the population is saved.

        >>> Order.of("sf1-2010", "tract", ["OH", "DE"], ethnicity=False).name
        'sf1-2010-tract-de-oh'
        >>> Order.of("sf1-2010", "county", ["DE"], ethnicity=True).name
        'sf1-2010-ethnicity-de'
        """
        place = self.geography.name
        parts = [self.edition.name, *([] if place == "county" else [place]), *(["ethnicity"] if self.ethnicity else [])]
        named = sorted(state.postal.lower() for state in self.states)
        if named == sorted(postal.lower() for postal in STATES if postal != "PR"):
            named = ["us"]
        elif len(named) > _MOST_NAMED:  # a name of bounded length that tells one choice from another
            named = [f"{len(named)}-states", f"{crc32(' '.join(named).encode()):08x}"]
        return "-".join([*parts, *named])

    @property
    def place_of_nation(self) -> str:
        """The service's name of the places where one request has those of the whole nation; empty where it has not."""
        return "" if self.states else self.edition.nation.get(self.geography.name, "")

    @property
    def questions(self) -> tuple[Question, ...]:
        """Every request that the population needs: at most 50 columns each.

        Counties come for all states in one request, and so do the ZIP code areas of the nation where the service has
        them in no state; other finer places come one state at a time.
        """
        shape, fips = self.shape, sorted(state.fips for state in self.states or STATES.values())
        if self.place_of_nation:
            within = [""]
        elif self.geography.by_state:
            within = [f"state:{code}{self.geography.within}" for code in fips]
        else:
            within = [f"state:{','.join(fips) if self.states else '*'}"]
        return tuple(
            Question(
                f"{shape.name}{letter}",
                part,
                tuple(self.edition.variable(shape, letter, column) for column in columns),
                self.place_of_nation or self.geography.place,
                where,
            )
            for letter in (LETTERS_BY_ETHNICITY if self.ethnicity else LETTERS)
            for where in within
            for part, columns in enumerate(_chunks(shape.columns), start=1)
        )


def _chunks(columns: int) -> Iterator[range]:
    for start in range(1, columns + 1, MAX_VARIABLES):
        yield range(start, min(start + MAX_VARIABLES, columns + 1))


def assemble(order: Order, answers: Answers) -> SexByAge:
    """Join the saved answers into tables over the same places."""
    shape, tables = order.shape, {}
    for name in dict.fromkeys(question.table for question in order.questions):
        questions = [question for question in order.questions if question.table == name]
        tables[name.removeprefix(shape.name)] = _table(questions, answers, order.geography)
    index = tables[LETTERS[0]].index
    for letter, table in tables.items():
        if not table.index.equals(index):
            raise SourceError(f"tables {shape.name} and {shape.name}{letter} have different places. Fetch again.")
    places = index.to_frame(index=False).astype(str)
    counts = {letter: np.ascontiguousarray(table.to_numpy(np.int64)) for letter, table in tables.items()}
    return SexByAge(shape, places, counts)


def _table(questions: Sequence[Question], answers: Answers, geography: Geography) -> pd.DataFrame:
    by_part: dict[int, list[pd.DataFrame]] = {}
    for question in questions:
        rows = answers.get(question)
        if rows is None:
            raise SourceError(f"{answers.folder}: the answer {question.name} is missing or damaged. Fetch again.")
        by_part.setdefault(question.part, []).append(_columns(rows, question.variables, geography))
    parts = [pd.concat(frames).sort_index() for frames in by_part.values()]
    for number, part in enumerate(parts, start=1):
        if part.index.has_duplicates:
            raise SourceError(f"{questions[0].table}, part {number}: a place appears twice. Fetch again.")
        if not part.index.equals(parts[0].index):
            raise SourceError(f"parts of table {questions[0].table} have different places. Fetch again.")
    return pd.concat(parts, axis=1)


def _columns(rows: Sequence[dict[str, Any]], variables: Sequence[str], geography: Geography) -> pd.DataFrame:
    frame = pd.DataFrame.from_records(rows)
    if "state" in frame:
        places = {"state": frame["state"].map(POSTAL_OF_FIPS)}
    else:
        (area,) = set(frame) - set(variables)
        frame = frame.rename(columns=dict.fromkeys([area], geography.place))
        places = {"state": state_of_areas(frame[geography.place])}
    for ours, theirs in geography.codes.items():
        codes = [frame[name].str.ljust(6, "0") if name == "tract" else frame[name] for name in theirs]
        places[ours] = reduce(operator.add, codes)
    in_states = places["state"].notna()  # island areas are not in this project's list
    counts = frame.loc[in_states, list(variables)].astype(np.int64)
    counts.index = pd.MultiIndex.from_frame(pd.DataFrame(places)[in_states])
    return counts


# A whole population from the census service: request, join, audit, save.


_MOST_NAMED = 10  # states spelled out in a name
_AGAIN = "The answers were deleted. Fetch again to request all of them."


def fetch_population(
    edition_name: str,
    key: str | Callable[[], str],
    *,
    cache: PopulationCache,
    states: Sequence[str] = (),
    geography_name: str = "county",
    ethnicity: bool = False,
    url: str = "",
    patience: Patience | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Entry:
    """Fetch a population from the census service, audit it and save it.

    ``key``: of the service, or what asks for it once everything else is in order. ``states``: postal codes, FIPS codes
    or names; all, with Puerto Rico, by default. ``ethnicity``: whether to fetch the tables by Hispanic origin too,
    which are as many again. ``url``: the service's address; ``POLICY_SIM_CENSUS_URL`` or the Bureau's by default.
    """
    order = Order.of(edition_name, geography_name, states, ethnicity=ethnicity)
    address = url or os.environ.get("POLICY_SIM_CENSUS_URL") or DEFAULT_URL
    client = TableClient(key if isinstance(key, str) else key(), order.edition, url=address, patience=patience)
    questions, answers = order.questions, Answers(cache.work_folder(order.name), client.address)

    def ask(question: Question) -> None:
        if answers.get(question) is None:
            answers.put(question, client.rows(question.variables, question.geography))

    for answered, _ in enumerate(do_at_once(ask, questions, AT_ONCE), start=1):
        progress(answered, len(questions))
    try:
        return keep_answers(order, client.address, cache)
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


def keep_answers(order: Order, address: str, cache: PopulationCache) -> Entry:
    """Create and save a population from saved answers of an address."""
    edition, place = order.edition, order.geography.name
    answers = Answers(cache.work_folder(order.name), address)
    tables = assemble(order, answers)
    notes = list(edition.notes)
    if order.shape is not SINGLE_YEARS:
        notes.append(
            "Ages are in the 23 classes of P12A to P12G: single years are not requested for this geography. "
            "People are assumed to be spread evenly over the years of a class; those aged 85 and over, up to 110."
        )
    if "zip5" in tables.places:
        notes.append("People who live in no ZIP code area are not in these tables.")
    if order.place_of_nation:
        notes.append("The service gives these ZIP code areas in no state: each is in the state of most of its people.")
    states = tuple(state.postal for state in order.states)
    return keep(
        tables,
        cache,
        edition.year,
        states,
        name=order.name,
        title=f"{edition.title}, by {place}{' and ethnicity' if order.ethnicity else ''}",
        how="fetched from the census service and checked against published totals",
        geography=place,
        retrieved=answers.retrieved(order.questions),
        addresses=(address,),
        notes=tuple(notes),
        origin={
            "kind": "answers",
            "edition": edition.name,
            "geography": place,
            "states": list(states),
            "ethnicity": order.ethnicity,
        },
    )
