"""A population from the census service: its requests, a few at a time, and the tables made from the answers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.arrays import IntArray
from policy_sim.errors import SourceError
from policy_sim.io.census_service.answers import Answers, Question
from policy_sim.io.census_service.at_once import do_at_once
from policy_sim.io.census_service.client import MAX_VARIABLES, TableClient
from policy_sim.io.census_service.editions import LETTERS, Edition, Geography
from policy_sim.io.census_service.session import hide_in_logs
from policy_sim.population.census_tables import SexByAge, Shape
from policy_sim.states import POSTAL_OF_FIPS, STATES, State

__all__ = ["assemble", "fetch_answers", "plan"]

AT_ONCE = 4  # requests at the same time; the service is shared


def plan(edition: Edition, geography: Geography, shape: Shape, states: Sequence[State] = ()) -> tuple[Question, ...]:
    """Return every request that a population needs: at most 50 columns each.

    Counties come for all states in one request; finer places one state at a time.
    """
    fips = sorted(state.fips for state in states or STATES.values())
    if geography.by_state:
        within = [f"state:{code}{geography.within}" for code in fips]
    else:
        within = [f"state:{','.join(fips) if states else '*'}"]
    return tuple(
        Question(
            f"{shape.name}{letter}",
            part,
            tuple(edition.variable(shape, letter, column) for column in columns),
            geography.place,
            where,
        )
        for letter in LETTERS
        for where in within
        for part, columns in enumerate(_chunks(shape.columns), start=1)
    )


def _chunks(columns: int) -> Iterator[range]:
    for start in range(1, columns + 1, MAX_VARIABLES):
        yield range(start, min(start + MAX_VARIABLES, columns + 1))


def fetch_answers(
    client: TableClient,
    questions: Sequence[Question],
    answers: Answers,
    progress: Callable[[], None] = lambda: None,
) -> None:
    """Request what is not saved yet, a few requests at a time, and save each answer as it arrives.

    Raises
    ------
    SourceError : a request failed after all retries; earlier answers are saved and not requested again.
    """

    def ask(question: Question) -> None:
        if answers.get(question) is None:
            answers.put(question, client.rows(question.variables, question.geography))

    hide_in_logs(client._key)
    for _ in do_at_once(ask, questions, AT_ONCE):
        progress()


def assemble(questions: Sequence[Question], answers: Answers, geography: Geography, shape: Shape) -> SexByAge:
    """Join the saved answers into tables over the same places.

    Raises
    ------
    SourceError : an answer is missing or damaged, or the tables have different places.
    """
    tables: dict[str, pd.DataFrame] = {}
    for letter in LETTERS:
        name = f"{shape.name}{letter}"
        tables[letter] = _table([q for q in questions if q.table == name], answers, geography)
    index = tables[LETTERS[0]].index
    for letter, table in tables.items():
        if not table.index.equals(index):
            raise SourceError(f"tables {shape.name} and {shape.name}{letter} have different places. Fetch again.")
    places = index.to_frame(index=False).astype(str)
    return SexByAge(shape, places, {letter: _counts(table) for letter, table in tables.items()})


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
    places = {"state": frame["state"].map(POSTAL_OF_FIPS)}
    for ours, theirs in geography.codes.items():
        codes = [frame[name].str.ljust(6, "0") if name == "tract" else frame[name] for name in theirs]
        places[ours] = reduce(operator.add, codes)
    in_states = places["state"].notna()  # island areas are not in this project's list
    counts = frame.loc[in_states, list(variables)].astype(np.int64)
    counts.index = pd.MultiIndex.from_frame(pd.DataFrame(places)[in_states])
    return counts


def _counts(table: pd.DataFrame) -> IntArray:
    return np.ascontiguousarray(table.to_numpy(np.int64))
