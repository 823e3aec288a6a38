"""From how many cases on a county's records may go out, and which fields its cases of a week allow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array

from policy_sim.formulas.reported_cases import cases_needed, expected_small_share, percentile_verdicts
from policy_sim.people.county_tables import CountyTable, county_table
from policy_sim.people.names import county_in_text, county_names
from policy_sim.people.population import Population
from policy_sim.tables.files import CountFile, Layout, read_cells
from policy_sim.words.arguments import choice, number, switch, whole_number
from policy_sim.words.arguments import text as plain_text
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, state_named

_OLDEST = 90  # everyone from here on is in one class, as in the paper
# The ways of showing each field, the coarsest first: years in a class of age, races in a class.
AGES: Mapping[str, int | None] = {"": None, "age60": 60, "age30": 30, "age15": 15, "age5": 5, "age": 1}
_BROAD2, _BROAD4 = {"white", "black"}, {"white", "black", "asian"}
RACES = ("", "race2", "race4", "race")


@dataclass(frozen=True)
class ReleasedFields:
    """What records of cases show of a person besides the county: one way of each field, or none of it.

    ``age60`` is under 60 or not, ``race2`` White or Black, or another race, ``race4`` White, Black, Asian or another.
    """

    age: str = ""
    race: str = ""
    sex: bool = False
    ethnicity: bool = False

    def __post_init__(self) -> None:
        choice("age", self.age, AGES)
        choice("race", self.race, RACES)
        switch("sex", self.sex)
        switch("ethnicity", self.ethnicity)

    @classmethod
    def of(cls, text: str) -> ReleasedFields:
        """Read ``age5,sex``: fields separated by commas; an empty text shows the county alone.

        >>> str(ReleasedFields.of("sex, age5"))
        'age5,sex'
        """
        names = [name.strip().casefold() for name in plain_text("fields", text).split(",") if name.strip()]
        allowed_names = [*filter(None, AGES), *filter(None, RACES), "sex", "ethnicity"]
        for name in names:
            if name not in allowed_names:
                raise UnknownNameError("field", name, allowed_names)
        ages, races = [n for n in names if n in AGES], [n for n in names if n in RACES]
        if len(ages) > 1 or len(races) > 1 or len(set(names)) < len(names):
            raise InputError(f"fields {text!r} name age, race or another field twice: keep the finer of the two.")
        return cls((ages or [""])[0], (races or [""])[0], "sex" in names, "ethnicity" in names)

    @classmethod
    def every(cls) -> tuple[ReleasedFields, ...]:
        """Return the 96 ways that Brown et al. (2022) search, the coarser before the finer."""
        return tuple(cls(*ways) for ways in itertools.product(AGES, RACES, (False, True), (False, True)))

    def __str__(self) -> str:
        parts = [self.age, self.race, "sex" * self.sex, "ethnicity" * self.ethnicity]
        return ",".join(filter(None, parts)) or "county only"

    @property
    def coarser(self) -> tuple[ReleasedFields, ...]:
        """The ways that show one field one step less: each group of theirs is made of whole groups of these."""
        steps = list(AGES)
        # thirds of 30 years are not halves of 60: 60 and over, and under 60, are made of classes of 30, 15, 5 and 1
        ages = [replace(self, age=steps[steps.index(self.age) - 1])] * bool(self.age)
        races = [replace(self, race=RACES[RACES.index(self.race) - 1])] * bool(self.race)
        sexes, origins = [replace(self, sex=False)] * self.sex, [replace(self, ethnicity=False)] * self.ethnicity
        return (*ages, *races, *sexes, *origins)

    def groups(self, cells: pd.DataFrame, people: FloatArray) -> IntArray:
        """Return the people of each group in each county; ``people`` by kind (a row of ``cells``) and county."""
        keys: list[IntArray] = [np.zeros(len(cells), dtype=np.int64)]
        if (width := AGES[self.age]) is not None:
            ages = np.minimum(cells["age"].to_numpy(), _OLDEST)
            keys.append((ages >= width).astype(np.int64) if width == 60 else ages // width)
        if self.race:
            names = cells["race"].astype(str)
            if self.race != "race":
                names = names.where(names.isin(_BROAD2 if self.race == "race2" else _BROAD4), "others")
                names = names.replace("black", "white") if self.race == "race2" else names
            keys.append(pd.factorize(names)[0].astype(np.int64))
        others = [name for name in ("sex", "ethnicity") if getattr(self, name)]
        keys += [cells[name].cat.codes.to_numpy().astype(np.int64) for name in others]
        _, group = np.unique(np.stack(keys), axis=1, return_inverse=True)
        places = (group.reshape(-1), np.arange(len(cells)))
        of_group = csr_array(coo_array((np.ones(len(cells)), places), shape=(int(group.max()) + 1, len(cells))))
        counts: IntArray = (of_group @ people).astype(np.int64)
        return counts


def _laid_out(population: Population, state: str | None, ethnicity: bool) -> tuple[CountyTable, list[str], list[int]]:
    """Return people by kind and county, the counties' codes, and the columns of the counties that have people."""
    people = population.in_states([state]) if state else population
    people = people.with_ethnicity if ethnicity else people
    missing = [name for name in ("county", "sex", "race", *["ethnicity"] * ethnicity) if name not in people.columns]
    table = None if missing else county_table(people)
    if table is None:
        what = ", ".join(missing) or "cells by county"
        raise InputError(f"population {population.name} has no {what}: choose one that has, such as us-2020.")
    codes = table.kinds.cells["county"].cat.categories.astype(str).tolist()
    return table, codes, [at for at in range(len(codes)) if table.people[:, at].any()]


def plan(
    population: Population, state: str, fields: str | ReleasedFields, k: int = 11, at_most: float = 0.01
) -> pd.DataFrame:
    """Return one row per county: how many cases it needs before records with these fields may go out.

    ``k`` is the smallest group of cases that exposes nobody, ``at_most`` the share (0..1) of the cases that may be in
    smaller groups. ``cases_by_mean`` and ``cases_by_percentile`` are missing where no number of cases is enough.
    """
    k, at_most = whole_number("k", k, 2, 200), number("at_most", at_most, 0, 1)
    released = fields if isinstance(fields, ReleasedFields) else ReleasedFields.of(fields)
    table, codes, columns = _laid_out(population, state, released.ethnicity)
    rows = []
    for at, numbers in zip(columns, released.groups(table.kinds.cells, table.in_counties(columns)).T, strict=True):
        people = numbers[numbers > 0]
        by_mean, by_percentile = cases_needed(people, k, at_most)
        never = "" if by_percentile else f"too many people are in groups of fewer than {k}"
        name = county_names(state).get(codes[at], codes[at])
        row: dict[str, object] = {"state": state, "county": codes[at], "name": name}
        row |= {"people": int(people.sum()), "groups": len(people), "smallest_group": int(people.min())}
        row |= {"cases_by_mean": by_mean, "cases_by_percentile": by_percentile}
        rows.append(row | {"status": "never" if never else "ok", "reason": never})
    return pd.DataFrame(rows).astype({"cases_by_mean": "Int64", "cases_by_percentile": "Int64"})


def allowed_fields(
    population: Population, counts: Mapping[str, int], state: str | None = None, k: int = 11, at_most: float = 0.01
) -> pd.DataFrame:
    """Return for each county with a count and each of the 96 ways whether its cases allow it, by percentile and mean.

    A county without a count from 1 to its people has no row. A way is not computed where the percentile refuses a
    coarser one: finer groups are never larger.
    """
    k, at_most = whole_number("k", k, 2, 200), number("at_most", at_most, 0, 1)
    table, codes, columns = _laid_out(population, state, ethnicity=True)
    totals = table.people.sum(axis=0)
    held = np.array([at for at in columns if 0 < counts.get(codes[at], 0) <= totals[at]], dtype=np.int64)
    if not len(held):
        raise InputError("no county here has a count from 1 to its people: give counts of counties by five-digit code.")
    cases = np.array([counts[codes[at]] for at in held], dtype=np.int64)
    people, passes = np.ascontiguousarray(table.in_counties(held)), dict[ReleasedFields, BoolArray]()
    named = [codes[at] for at in held]
    whose = pd.DataFrame({"state": [POSTAL_OF_FIPS.get(code[:2], "") for code in named], "county": named})
    whose, rows = whose.assign(people=totals[held].astype(np.int64), cases=cases), list[pd.DataFrame]()
    for released in ReleasedFields.every():
        groups = released.groups(table.kinds.cells, people)
        open_to = np.ones(len(held), dtype=bool)
        for coarser in released.coarser:
            open_to &= passes[coarser]
        mean = expected_small_share(groups, cases, k)
        passes[released] = percentile_verdicts(groups, cases, mean, k, at_most, open_to)
        rows.append(whose.assign(fields=str(released), allowed=passes[released], mean_share=mean))
    return pd.concat(rows, ignore_index=True).assign(allowed_by_mean=lambda frame: frame["mean_share"] <= at_most)


def finest_allowed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per county of :func:`allowed_fields`: how many of the 96 ways, and the finest of them.

    ``finest``: the allowed ways of which no allowed one is a finer version; the others are coarser versions of these.
    """
    of_name = {str(released): released for released in ReleasedFields.every()}
    table = []
    for (state, county, people, cases), part in rows.groupby(["state", "county", "people", "cases"], sort=False):
        allowed = [of_name[name] for name in part.loc[part["allowed"], "fields"]]
        below = {coarser for released in allowed for coarser in released.coarser}
        finest = "; ".join(str(released) for released in allowed if released not in below)
        names = (state, county, county_names(str(state)).get(str(county), str(county)))
        table.append((*names, people, cases, len(allowed), int(part["allowed_by_mean"].sum()), finest))
    columns = ["state", "county", "name", "people", "cases", "ways", "ways_by_mean", "finest"]
    return pd.DataFrame(table, columns=columns)


def read_county_counts(path: Path) -> CountFile:
    """Read the columns ``county`` and ``cases``, and ``state`` before them where the file has it."""
    with suppress(UnknownNameError):
        return read_cells(path, Layout("cases", ("state", "county")))
    return read_cells(path, Layout("cases", ("county",)))


def county_counts(file: CountFile, state: str = "") -> dict[str, int]:
    """Return cases by five-digit county code, a county of ``state`` also by its name; a county twice is refused.

    A name is of the state in the column before it, where the file has one (:func:`read_county_counts`).
    """
    counts: dict[str, int | None] = {}
    for (*stated, text), cell in file.cells.items():
        own = state_named(stated[0]) if stated else None
        code = county_in_text(text, own.postal if own else state)
        if code is None:
            other = f", and no county of {state}" if state else ""
            raise InputError(f"{text!r} is not a county code of five digits, such as 53033{other}.")
        if code in counts:
            raise InputError(f"county {code} appears twice. Add its cases up.")
        counts[code] = cell.value
    return {code: value for code, value in counts.items() if value is not None}
