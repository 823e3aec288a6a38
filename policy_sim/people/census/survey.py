"""People by sex, age and race of the American Community Survey, five years together: estimates with margins of error.

Tables B01001A to B01001G split the people by race; each has 14 classes of ages for either sex, fewer than a census. The
service gives an estimate (``E``) and a margin of error (``M``) of each column.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.people.census.client import DEFAULT_URL, Answers, Patience, Question, TableClient
from policy_sim.people.census.fetch import AT_ONCE, do_at_once
from policy_sim.people.census.keep import PUBLISHER
from policy_sim.people.census.tables import MOST_PEOPLE, RACE_TABLES, Edition, SexByAge, Shape, few, to_cells
from policy_sim.people.merge import OPEN_ENDED_WIDTH
from policy_sim.people.store import Entry, PopulationCache
from policy_sim.people.zip_areas import state_of_areas
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError, SourceError
from policy_sim.words.states import POSTAL_OF_FIPS, find_states

_STARTS = (0, 5, 10, 15, 18, 20, 25, 30, 35, 45, 55, 65, 75, 85)
_ENDS = (*_STARTS[1:], _STARTS[-1] + OPEN_ENDED_WIDTH)
SHAPE = Shape("B01001", tuple((low, high - low) for low, high in zip(_STARTS, _ENDS, strict=True)))
SURVEYS = ("acs5-2020", "acs5-2021", "acs5-2022", "acs5-2023")  # by their last year; ZIP code areas are those of 2020
PLACES = {"county": "county", "zcta": "zip code tabulation area"}
_ESTIMATE, _MARGIN = "E", "M"
_YEARS = 5
_NAME = re.compile(r"acs5-(\d{4})")


def fetch_survey(
    name: str,
    key: str | Callable[[], str],
    *,
    cache: PopulationCache,
    states: Sequence[str] = (),
    geography: str = "county",
    url: str = "",
    patience: Patience | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Entry:
    """Fetch a population of the survey, check that its tables add up, and save it.

    ``name``: one of :data:`SURVEYS`. ``geography``: one of :data:`PLACES`. The other arguments are those of
    :func:`~policy_sim.people.census.fetch.fetch_population`.
    """
    if geography not in PLACES:
        raise InputError(f"geography {geography!r} is not requested of {name}; choose one of {', '.join(PLACES)}.")
    found = [state.postal for state in find_states(states)]
    address = url or os.environ.get("POLICY_SIM_CENSUS_URL") or DEFAULT_URL
    client = TableClient(key if isinstance(key, str) else key(), _edition(name), url=address, patience=patience)
    answers = Answers(cache.work_folder(_saved_name(name, geography, found)), client.address)
    questions = _questions(geography, found)

    def ask(question: Question) -> None:
        if answers.get(question) is None:
            answers.put(question, client.rows(question.variables, question.geography))

    for answered, _ in enumerate(do_at_once(ask, questions, AT_ONCE), start=1):
        progress(answered, len(questions))
    try:
        return keep_survey(name, geography, found, client.address, cache)
    except SourceError as error:
        answers.forget()
        raise SourceError(f"{error} The answers were deleted. Fetch again to request all of them.") from None


def keep_survey(name: str, geography: str, states: Sequence[str], address: str, cache: PopulationCache) -> Entry:
    """Create and save a population of the survey from saved answers of an address."""
    saved_as, last = _saved_name(name, geography, states), _edition(name).year
    answers, questions = Answers(cache.work_folder(saved_as), address), _questions(geography, states)
    estimates, margins = (_tables(questions, answers, geography, states, kind) for kind in (_ESTIMATE, _MARGIN))
    _check(estimates)
    entry = Entry(
        name=saved_as,
        title=f"American Community Survey {last - _YEARS + 1} to {last}, by {geography}",
        publisher=PUBLISHER,
        date=f"{last - _YEARS // 2}-07-01",
        how="fetched from the census service; tables B01001A to B01001G add up to B01001",
        universe="total population (every table of a race: people of that race alone, or of two or more races)",
        geography=geography,
        ages="B01001A to B01001G, 14 classes",
        counted=0.0,
        estimated=1.0,
        retrieved=answers.retrieved(questions),
        addresses=(address,),
        notes=(_NOTE.format(first=last - _YEARS + 1, last=last), margin_note(estimates, margins)),
        checks=(f"sexes, ages and races add up in {len(estimates.places):,} places",),
        origin={"kind": "survey", "survey": name, "geography": geography, "states": list(states)},
    )
    return cache.put(entry, to_cells(estimates))


def margin_note(estimates: SexByAge, margins: SexByAge) -> str:
    """Say how large the margins of error are where most people are.

    The Bureau's margins are those of 90% intervals of one cell (place, sex, class of ages, race) by itself.
    """
    size, error = (_cells(tables).ravel() for tables in (estimates, margins))
    known = (error < MOST_PEOPLE) & (size > 0)
    if not known.any():
        return "The service gives no margins of error for these places."
    relative, weight = error[known] / size[known], size[known].astype(np.float64)
    order = np.argsort(relative)
    middle = float(relative[order][np.searchsorted(weight[order].cumsum(), weight.sum() / 2)])
    unknown = int(((error >= MOST_PEOPLE) & (size > 0)).sum())
    without = f" {unknown:,} cells have no margin." if unknown else ""
    return (
        "Margins of error (90%, in the saved answers): half of the people are in cells of place, sex, age and race "
        f"whose margin is {100 * middle:.0f}% of the estimate or more.{without} Figures do not take them into account."
    )


def _edition(name: str) -> Edition:
    found = _NAME.fullmatch(name)
    if name not in SURVEYS or not found:
        raise InputError(f"survey {name!r} is not one of {', '.join(SURVEYS)}.")
    return Edition(name, int(found[1]), "acs/acs5", "American Community Survey", "", frozenset())


def _saved_name(name: str, geography: str, states: Sequence[str]) -> str:
    places = sorted(state.lower() for state in states)
    named = places if len(places) <= _YEARS * 2 else [f"{len(places)}-states", *places[:1]]
    return "-".join([name, *([] if geography == "county" else [geography]), *named])


def _questions(geography: str, states: Sequence[str]) -> tuple[Question, ...]:
    """Every request: of each table its estimates and its margins, and everyone; ZIP code areas come for the nation."""
    fips = {postal: code for code, postal in POSTAL_OF_FIPS.items()}
    codes = ",".join(sorted(fips[state] for state in states)) or "*"
    within = f"state:{codes}" if geography == "county" else ""
    return tuple(
        Question(
            f"{SHAPE.name}{letter}",
            part,
            tuple(f"{SHAPE.name}{letter}_{column:03d}{kind}" for column in (_columns() if letter else (1,))),
            PLACES[geography],
            within,
        )
        for letter in ("", *RACE_TABLES)
        for part, kind in enumerate((_ESTIMATE, _MARGIN), start=1)
    )


def _columns() -> range:
    return range(1, SHAPE.columns + 1)


def _tables(
    questions: Sequence[Question], answers: Answers, geography: str, states: Sequence[str], kind: str
) -> SexByAge:
    """Join the answers of one kind into tables over the same places; everyone is in the first column."""
    by_letter: dict[str, pd.DataFrame] = {}
    for question in (each for each in questions if each.variables[0].endswith(kind)):
        rows = answers.get(question)
        if rows is None:
            raise SourceError(f"{answers.folder}: the answer {question.name} is missing or damaged.")
        by_letter[question.table.removeprefix(SHAPE.name)] = _placed(
            pd.DataFrame.from_records(rows), question, geography
        )
    first = by_letter[""]
    held = first.index[first.index.get_level_values("state").isin(states or set(POSTAL_OF_FIPS.values()))]
    for letter, table in by_letter.items():
        if table.index.has_duplicates or not table.index.equals(first.index):
            raise SourceError(f"tables {SHAPE.name} and {SHAPE.name}{letter} have different places, or one twice.")
    counts: dict[str, IntArray] = {
        letter: np.ascontiguousarray(by_letter[letter].loc[held].to_numpy(np.int64)) for letter in RACE_TABLES
    }
    everyone = np.zeros_like(counts["A"])
    everyone[:, 0] = by_letter[""].loc[held].to_numpy(np.int64)[:, 0]
    return SexByAge(SHAPE, held.to_frame(index=False).astype(str), {"": everyone} | counts)


def _placed(rows: pd.DataFrame, question: Question, geography: str) -> pd.DataFrame:
    if geography == "county":
        places = {"state": rows["state"].map(POSTAL_OF_FIPS), "county": rows["state"] + rows["county"]}
    else:
        area = rows[PLACES[geography]]
        places = {"state": state_of_areas(area), "zip5": area}
    known = places["state"].notna()
    counts = rows.loc[known, list(question.variables)].astype(np.int64)
    counts.index = pd.MultiIndex.from_frame(pd.DataFrame(places)[known])
    return counts.sort_index()


def _cells(tables: SexByAge) -> IntArray:
    """Return the counts of every race, sex and class of ages; shape (races, places, columns)."""
    ages = [column for sex in (0, 1) for column in range(tables.shape.columns)[tables.shape.ages_of(sex)]]
    cells: IntArray = np.stack([tables.counts[letter][:, ages] for letter in RACE_TABLES])
    return cells


def _check(tables: SexByAge) -> None:
    """Refuse tables in which sexes, ages or races do not add up."""
    if not len(tables.places):
        raise SourceError("the census service gives none of these places.")
    wrong = list(_wrong(tables))
    if wrong:
        raise SourceError(f"{wrong[0]}.")


def _wrong(tables: SexByAge) -> Iterator[str]:
    males, females = tables.shape.sex_totals
    for letter in RACE_TABLES:
        table = tables.counts[letter]
        sums: list[tuple[str, Any, Any]] = [("sexes", table[:, 0], table[:, males] + table[:, females])]
        sums += [
            ("ages", table[:, total], table[:, tables.shape.ages_of(sex)].sum(axis=1))
            for sex, total in enumerate((males, females))
        ]
        for what, whole, parts in sums:
            if (off := np.flatnonzero(whole != parts)).size:
                yield f"table {tables.name(letter)}: {what} do not add up in {few(map(tables.place, off.tolist()))}"
    races: FloatArray = np.sum([tables.people(letter) for letter in RACE_TABLES], axis=0)
    if (off := np.flatnonzero(races != tables.people(""))).size:
        yield f"races do not add up to {SHAPE.name} in {few(map(tables.place, off.tolist()))}"


_NOTE = (
    "Estimates of a sample, {first} to {last} together, with 14 classes of ages: people are assumed to be spread "
    "evenly over the years of a class. The date is the middle of the five years."
)
