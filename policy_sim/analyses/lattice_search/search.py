"""Risk and utility of every policy of the lattice, state by state."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pandas as pd

from policy_sim.analyses.lattice_search.axes import Axis, axis_of
from policy_sim.analyses.lattice_search.births import births_of
from policy_sim.analyses.lattice_search.cube import merge_down
from policy_sim.analyses.lattice_search.field_weights import FieldWeights
from policy_sim.analyses.lattice_search.lattice_figures import Figures
from policy_sim.analyses.lattice_search.needs import Needs
from policy_sim.analyses.policy_tables import policy_columns
from policy_sim.arrays import FloatArray, IntArray
from policy_sim.attackers.in_file import InFile
from policy_sim.errors import InputError
from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.policies.lattice import Lattice, PlaceView, Point, lattice_for
from policy_sim.policies.policy import Policy
from policy_sim.population.places import broad_race, has_place, visible_places
from policy_sim.population.population import Population, Provenance
from policy_sim.population.visible_ages import DAYS_PER_YEAR, age_classes
from policy_sim.states import unknown_state

__all__ = ["Exploration", "StateTables", "explore", "lattice_of"]


_PLACES = tuple(name for name in GRANULARITIES[Field.GEOGRAPHY] if name not in ("nation", "state"))


@dataclass(frozen=True)
class Exploration:
    """Every policy of a lattice in every state asked for.

    ``rows`` has one row per state and policy: what the policy shows (``gender``, ``race``, ``birth``,
    ``top_age``, ``geography``, ``place_above``), ``total_risk`` and ``distinct_<g>`` in people and as
    ``_share`` of the state, ``utility_bits`` (entropy of what is released) and ``utility`` (as a share
    of the finest policy's). ``policies`` maps the column ``policy`` to the policy itself.
    """

    population: Provenance
    g: tuple[int, ...]
    rows: pd.DataFrame = field(repr=False)
    policies: dict[str, Policy] = field(repr=False)

    def with_rows(self, more: pd.DataFrame) -> Exploration:
        """Return the exploration with the rows of policies that are no point of the lattice."""
        if more.empty:
            return self
        rows = pd.concat([self.rows, more], ignore_index=True)
        kinds = {name: self.rows[name].dtype for name in self.rows if name != "utility"}
        return replace(self, rows=_with_utility(rows.astype(kinds)))

    def weighted(self, population: Population, weights: FieldWeights, days_per_year: float) -> Exploration:
        """Return the exploration with ``utility_bits`` as the weighted bits of the fields."""
        states = list(dict.fromkeys(self.rows["state"]))
        bits = weights.bits_of(population, list(self.policies.values()), states, days_per_year)
        policy, state = pd.Index(self.policies), pd.Index(states)
        at = policy.get_indexer(pd.Index(self.rows["policy"])), state.get_indexer(pd.Index(self.rows["state"]))
        return replace(self, rows=_with_utility(self.rows.assign(utility_bits=bits[at])))

    def meeting(self, needs: Needs) -> Exploration:
        """Return the part of the policies that release what is needed; utility stays as it is."""
        met = {name for name, policy in self.policies.items() if needs.met_by(policy)}
        rows = self.rows[self.rows["policy"].isin(met)].reset_index(drop=True)
        return replace(self, rows=rows, policies={name: self.policies[name] for name in self.policies if name in met})

    def beside(self, alone: pd.DataFrame) -> pd.DataFrame:
        """Return rows of :func:`measured_alone` with ``utility``, as a share of the finest policy's here."""
        finest = self.rows.groupby("state", observed=True)["utility_bits"].max()
        return alone.assign(utility=alone["utility_bits"] / alone["state"].map(finest))


def _with_utility(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ``utility``, the bits as a share of the most of the state."""
    most = rows.groupby("state", observed=True)["utility_bits"].transform("max")
    return rows.assign(utility=rows["utility_bits"] / np.maximum(most, np.finfo(float).tiny))


def lattice_of(population: Population, small_zip3: frozenset[str] | None = None) -> Lattice:
    """Return the lattice of all policies that the population can be measured under."""
    columns = population.cells.columns
    places = tuple(place for place in _PLACES if has_place(population, place))
    return lattice_for(sex="sex" in columns, race="race" in columns, places=places, small_zip3=small_zip3)


def explore(
    population: Population,
    states: Sequence[str] | None = None,
    *,
    g: Sequence[int] = (1, 3, 5, 10),
    lattice: Lattice | None = None,
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
    threads: int = 2,
) -> Exploration:
    """Measure every policy of the lattice for an attacker who holds everyone.

    Parameters
    ----------
    population : Whose census.
    states : Postal codes; all by default.
    g : Group sizes of g-distinct, each >= 1.
    lattice : Policies to measure; every combination that the population allows by default.
    days_per_year : Number of equally likely birthdays in a year.
    in_file : How many are in the file, where the attacker knows who; None: everyone is released.
    threads : States worked on at once.

    Raises
    ------
    InputError : g below 1.
    UnknownNameError : a state without people in this population.
    """
    if not g or min(g) < 1:
        raise InputError(f"g = {list(g)} must be whole numbers of 1 or more.")
    state_names = tuple(states) if states is not None else population.states
    for state in state_names:
        if state not in population.states:
            raise unknown_state(f"state in population {population.name}:", state, population.states)
    chosen = lattice or lattice_of(population)
    tables = StateTables(population, chosen, days_per_year)
    shares = [1.0] * len(state_names)
    if in_file is not None:
        inhabitants = population.people_by_state()
        shares = [in_file.share_of(inhabitants[state], state) for state in state_names]
    figures = {share: Figures(tables.births, g, share) for share in dict.fromkeys(shares)}
    with ThreadPoolExecutor(max_workers=threads) as pool:
        jobs = zip(state_names, shares, strict=True)
        parts = list(pool.map(lambda job: _explore_state(tables, job[0], figures[job[1]]), jobs))
    policies = dict(chosen.points())
    rows = _rows(policies, state_names, parts, tuple(g), shares)
    return Exploration(population.provenance, tuple(g), rows, {policy.name: policy for policy in policies.values()})


class StateTables:
    """Makes the tables of states; what all states share is worked out once."""

    def __init__(self, population: Population, lattice: Lattice, days_per_year: float) -> None:
        cells = population.cells
        self.population, self.days_per_year = population, days_per_year
        self.state, self.names = cells["state"].cat.codes.to_numpy(), list(cells["state"].cat.categories)
        self.people = cells["people"].to_numpy(np.int64)
        age, width = (cells[name].to_numpy(np.int64) for name in ("age", "age_width"))
        widest = int(width.max(initial=0)) + 1
        kinds, self.age = np.unique(age * widest + width, return_inverse=True)
        self.lower, self.years = np.divmod(kinds, widest)
        self.births = births_of(
            {
                view: age_classes(self.lower, self.years, view.granularity, days_per_year, view.top_age)
                for view in lattice.birth
            }
        )
        self.sex = cells["sex"].cat.codes.to_numpy() if "sex" in cells else np.zeros(len(age), dtype=np.int8)
        self.gender = axis_of((name, np.arange(2) * (name == "value")) for name in lattice.gender)
        self.race, self.races = _races(population, lattice)
        self.places = [(view, _seen(population, view)) for view in lattice.place]

    def of(self, state: str) -> tuple[IntArray, tuple[Axis[str], Axis[str], Axis[PlaceView]]]:
        """Return the people of one state by sex, race, place and age, each at its finest; and the axes."""
        selection = np.flatnonzero(self.state == self.names.index(state))
        finest = np.zeros(len(selection), dtype=np.int64)
        codes = [code[selection] for _, code in self.places]
        for code in codes:  # the finest view distinguishes whatever any view does
            finest = np.unique(finest * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1]
        first = np.unique(finest, return_index=True)[1]
        place = axis_of((view, code[first]) for (view, _), code in zip(self.places, codes, strict=True))
        shape = (2, self.races.partitions[0].size, len(first), self.births.ages)
        at = np.ravel_multi_index((self.sex[selection], self.race[selection], finest, self.age[selection]), shape)
        people = np.bincount(at, weights=self.people[selection], minlength=int(np.prod(shape))).astype(np.int64)
        return people.reshape(shape), (self.gender, self.races, place)


def _seen(population: Population, view: PlaceView) -> IntArray:
    if view.granularity == "state":
        return np.zeros(len(population.cells), dtype=np.int64)
    return visible_places(population, view.granularity, view.small)


def _races(population: Population, lattice: Lattice) -> tuple[IntArray, Axis[str]]:
    """Each cell's race as a code, and the axis of races."""
    cells = population.cells
    if "race" not in cells:
        return np.zeros(len(cells), dtype=np.int64), axis_of([("none", np.zeros(1, dtype=np.int64))])
    column = cells["race"]
    names = pd.Series(pd.Categorical(column.cat.categories, categories=column.cat.categories))
    by_view = {"value": np.arange(len(names)), "broad": broad_race(names), "none": np.zeros(len(names), np.int64)}
    return column.cat.codes.to_numpy().astype(np.int64), axis_of((name, by_view[name]) for name in lattice.race)


def _explore_state(tables: StateTables, state: str, figures: Figures) -> tuple[int, dict[Point, FloatArray]]:
    """Return the state's people, and the figures of every combination of views."""
    finest, (genders, races, places) = tables.of(state)
    figures_at: dict[Point, FloatArray] = {}
    births = tables.births.views
    for (i, j, k), people in merge_down(finest, (genders, races, places)):
        points = list(product(genders.views[i], races.views[j], places.views[k]))
        if points:
            table = figures.of(people)
            for gender, race, place in points:
                figures_at.update({(gender, race, birth, place): row for birth, row in zip(births, table, strict=True)})
    return int(finest.sum()), figures_at


def _rows(
    policies: dict[Point, Policy],
    states: Sequence[str],
    parts: Sequence[tuple[int, dict[Point, FloatArray]]],
    g: tuple[int, ...],
    shares: Sequence[float],
) -> pd.DataFrame:
    """Put the figures of all states under each other, policies in the order of the lattice."""
    columns = pd.DataFrame([policy_columns(policy) for policy in policies.values()])
    frames = []
    for state, (inhabitants, figures), share in zip(states, parts, shares, strict=True):
        table = np.array([figures[point] for point in policies])
        part = columns.copy()
        part.insert(0, "state", state)
        for number, name in enumerate(("total_risk", *(f"distinct_{size}" for size in g))):
            part[name] = table[:, number]
            part[f"{name}_share"] = table[:, number] / (inhabitants * share)
        bits = np.log2(inhabitants) + table[:, -1] / inhabitants
        part["utility_bits"] = np.maximum(bits, 0.0)
        part["utility"] = part["utility_bits"] / max(float(bits.max()), np.finfo(float).tiny)
        frames.append(part)
    return pd.concat(frames, ignore_index=True)
