"""Total risk, g-distinct and entropy of a state's table under every view of birth, in a few passes.

Every figure depends on a class only through its people n and the bins b hidden in it. Classes are
counted by (kind, n) where n is small, and a figure is then one product of counts with a table of the
formula; the few large classes are measured one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import GENERAL
from policy_sim.attackers.in_file import InFile
from policy_sim.files.area_tables import SHIPPED_SIZES
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.histogram import different, number_combinations
from policy_sim.formulas.listed_groups import GroupsInFile, sums_in_file
from policy_sim.model.cases import DEFAULT_G, Cases
from policy_sim.model.explore.axes import (
    Axis,
    Births,
    FieldWeights,
    Needs,
    axis_of,
    births_of,
    entropy_bits,
    first_numbered,
)
from policy_sim.people.file_chances import FileChances
from policy_sim.people.merge import DAYS_PER_YEAR, age_classes
from policy_sim.people.places import able_to_show, has_place, place_codes, seen_codes, visible_places
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.policies.policy import Lattice, PlaceView, Point, Policy, lattice_for, policy_columns, shown_together
from policy_sim.words.arguments import short
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, census_views

_SMALL = 1024  # people below which classes are counted


class Figures:
    """Measures tables under all views of birth; remembers each formula by (n, b) once it is known.

    ``in_file``: chance that a person is in the file, where the attacker knows it; 1 for everyone.
    """

    def __init__(self, births: Births, g: Sequence[int], in_file: float = 1.0) -> None:
        self.births, self.g, self.in_file = births, np.asarray(g, dtype=np.int64), in_file
        self._figures_by_bins: dict[float, FloatArray] = {}
        small = np.arange(_SMALL)
        self._small = {job.bins: self._by_size(small, job.bins) for job in births.jobs}

    def of(self, people: IntArray) -> FloatArray:
        """Return the figures of a table with ages as its last dimension.

        Returns total risk, g-distinct for each g, and the sum of ``n log2(b/n)``; shape (views, 2 + len(g)).
        """
        births = self.births
        classes = births.merge(people)
        large, kind = _take_large(classes, births.kind)
        classes += births.kind * _SMALL
        counts = np.bincount(classes.ravel(), minlength=births.kinds * _SMALL).reshape(-1, _SMALL).astype(np.float64)
        counts[:, 0] = 0.0
        sums = np.zeros((len(births.views), 2 + len(self.g)))
        for job in births.jobs:
            figures = counts[job.kind] @ self._small[job.bins]
            np.add.at(sums, job.view, figures + self._large(large, kind, job.bins, job.kind)[job.kind])
        return sums

    def _large(self, sizes: IntArray, kind: IntArray, bins: float, kinds_needed: IntArray) -> FloatArray:
        """Figures of the large classes of the wanted kinds, all hiding ``bins`` bins; kinds ascend."""
        summed = np.zeros((self.births.kinds, 2 + len(self.g)))
        is_wanted = np.zeros(self.births.kinds, dtype=bool)
        is_wanted[kinds_needed] = True
        held = is_wanted[kind].nonzero()[0]
        if len(held):
            present, start = np.unique(kind[held], return_index=True)
            summed[present] = np.add.reduceat(self._by_size(sizes[held], bins), start, axis=0)
        return summed

    def _by_size(self, sizes: IntArray, bins: float) -> FloatArray:
        """The figures of one class of each size."""
        n = sizes.astype(np.float64)
        table = np.zeros((len(sizes), 2 + len(self.g)))
        table[:, 0] = occupied_bins(sizes, bins, self.in_file)
        if len(self.g):
            table[:, 1:-1] = self._distinct_by_size(sizes, bins)
        table[:, -1] = n * (np.log2(bins) - np.log2(np.maximum(n, 1.0)))
        return table

    def _distinct_by_size(self, sizes: IntArray, bins: float) -> FloatArray:
        """People g-distinct of one class of each size."""
        if self.in_file < 1:
            return people_g_distinct(sizes[:, None], bins, self.g, self.in_file)
        if bins == 1.0:
            return np.where(sizes[:, None] <= self.g, sizes[:, None], 0.0)
        # With 50 + 10 g people per bin and more, fewer than 1e-15 are expected in bins of g or fewer.
        crowded = int(bins * (50 + 10 * int(self.g.max())))
        table, near = np.zeros((len(sizes), len(self.g))), (sizes <= crowded).nonzero()[0]
        if len(near):
            table[near] = self._distinct(bins, int(sizes[near].max()), crowded)[sizes[near]]
        return table

    def _distinct(self, bins: float, largest: int, crowded: int) -> FloatArray:
        """People g-distinct of groups of 0, 1, ... people; made longer when a larger group comes."""
        table = self._figures_by_bins.get(bins, np.zeros((0, len(self.g))))
        if len(table) <= largest:
            more = np.arange(len(table), min(max(largest, 2 * len(table)), crowded) + 1)
            table = np.vstack([table, people_g_distinct(more[:, None], bins, self.g)])
            self._figures_by_bins[bins] = table
        return table


class FiguresByPlace:
    """Measures tables whose places have chances of their own to be in the file, under all views of birth."""

    def __init__(self, births: Births, g: Sequence[int]) -> None:
        self.births, self.g = births, tuple(g)
        self._columns = {job.bins: np.flatnonzero(np.isin(births.kind, job.kind)) for job in births.jobs}
        self._by_chance: dict[float, Figures] = {}

    def of_places(self, people: IntArray, chance: FloatArray, seen: IntArray) -> FloatArray:
        """Return the figures as :meth:`of`, the faster way for places that are seen by themselves."""
        by_itself = np.bincount(seen)[seen] == 1
        sums = np.zeros((len(self.births.views), 2 + len(self.g)))
        for value in np.unique(chance[by_itself]).tolist():
            if value not in self._by_chance:
                self._by_chance[value] = Figures(self.births, self.g, value)
            sums += self._by_chance[value].of(people[..., by_itself & (chance == value), :])
        rest = ~by_itself
        return sums + self.of(people[..., rest, :], chance[rest], first_numbered(seen[rest])) if rest.any() else sums

    def of(self, people: IntArray, chance: FloatArray, seen: IntArray) -> FloatArray:
        """Return the figures of :meth:`Figures.of`; ``chance`` and what is ``seen`` of each place, the last but one.

        Places that are seen alike are one group of parts.
        """
        births, sums = self.births, np.zeros((len(self.births.views), 2 + len(self.g)))
        classes = births.merge(people).reshape(-1, len(chance), len(births.kind))
        together = (seen == np.arange(seen.max() + 1)[:, None]).astype(np.float64)
        for job in births.jobs:
            columns = self._columns[job.bins]
            n, bins = classes[:, :, columns].astype(np.float64), np.full(1, job.bins)
            of_person = np.column_stack([np.ones(len(chance)), sums_in_file(np.ones(1), chance, bins)])
            # what adds up over the places that are seen alike, of each class: shape (sums, kinds, seen, columns)
            added = np.einsum("qp,ps,kpc->skqc", together, of_person, n)
            held = added[0] > 0
            unit = np.broadcast_to(births.kind[columns], held.shape)[held]
            of_groups = [values[held] for values in added]
            whole, *rest = of_groups
            groups = GroupsInFile.of(unit, np.full(len(unit), job.bins), whole, rest, rest, births.kinds)
            bits = np.bincount(unit, whole * (np.log2(job.bins) - np.log2(whole)), births.kinds)
            distinct = [groups.g_distinct(self.g)] if self.g else []
            by_kind = np.column_stack([groups.total_risk(), *distinct, bits])
            np.add.at(sums, job.view, by_kind[job.kind])
        return sums


def _take_large(classes: IntArray, kind: IntArray) -> tuple[IntArray, IntArray]:
    """Take the large classes out (leaving 0) and return them with their kinds, sorted by kind."""
    row, column = (classes >= _SMALL).nonzero()
    sizes, kinds = classes[row, column], kind[column]
    classes[row, column] = 0
    order = np.argsort(kinds, kind="stable")
    return sizes[order], kinds[order]


# A state's people as a dense table, merged down the lattice of partitions.
#
# Every combination of partitions is computed once, from the smallest table already there that differs in
# one field only and is finer in it: never from the cells again.


# The partition of each field: places among those of its axis.
Node = tuple[int, ...]


def merge_down(people: IntArray, axes: Sequence[Axis[Any]]) -> Iterator[tuple[Node, IntArray]]:
    """Yield every combination of partitions of the fields (``axes``, one per dimension) with its people."""
    tables: dict[Node, IntArray] = {}
    for node in product(*(range(len(axis)) for axis in axes)):
        tables[node] = _from_parent(node, tables, axes) if any(node) else people
        yield node, tables[node]


def _from_parent(node: Node, tables: dict[Node, IntArray], axes: Sequence[Axis[Any]]) -> IntArray:
    """Merge the smallest table that is finer in one field and the same in the others."""
    ways = (
        (tables[(*node[:dimension], finer, *node[dimension + 1 :])], step, dimension)
        for dimension, axis in enumerate(axes)
        for finer, step in axis.steps[node[dimension]]
    )
    table, step, dimension = min(ways, key=lambda way: way[0].size)  # the first partition is finer than every other
    return step.merge(table, dimension)


_PLACES = (
    *(name for name in GRANULARITIES[Field.GEOGRAPHY] if name not in ("nation", "state")),
    *(f"area:{size}" for size in SHIPPED_SIZES),
)


@dataclass(frozen=True)
class Exploration:
    """Every policy of a lattice in every state asked for.

    ``rows`` has one row per state and policy: what the policy shows, ``total_risk`` and ``distinct_<g>`` in people and
    as ``_share`` of the state, ``utility_bits`` (entropy of what is released) and ``utility`` (as a share of the finest
    policy's). ``policies`` maps the column ``policy`` to the policy itself.
    """

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

    def judged(self, alone: pd.DataFrame, risk: str = "total_risk") -> tuple[pd.DataFrame, pd.DataFrame]:
        """Judge every row against one policy.

        ``alone``: the policy measured in each state, as :func:`measured_alone` does. ``risk``: ``total_risk``, or
        ``distinct_<g>`` with a g of the exploration. Returns the rows with two columns more, ``frontier`` (no policy of
        the state keeps more at no more risk) and ``better`` (keeps more than the one, at no more risk); and one row per
        state for the one.
        """
        baseline = self.beside(alone)
        frontier, better = on_frontier(self.rows, risk), better_than(self.rows, baseline, risk)
        return self.rows.assign(frontier=frontier, better=better), baseline

    def beside(self, alone: pd.DataFrame) -> pd.DataFrame:
        """Return rows of :func:`measured_alone` with ``utility``, as a share of the finest policy's here."""
        finest = self.rows.groupby("state", observed=True)["utility_bits"].max()
        return alone.assign(utility=alone["utility_bits"] / alone["state"].map(finest))


def _with_utility(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ``utility``, the bits as a share of the most of the state."""
    most = rows.groupby("state", observed=True)["utility_bits"].transform("max")
    return rows.assign(utility=rows["utility_bits"] / np.maximum(most, np.finfo(float).tiny))


def lattice_of(
    population: Population,
    small_zip3: frozenset[str] | None = None,
    *,
    ethnicity: bool = False,
    shifts: Sequence[int] = (),
) -> Lattice:
    """Return the lattice of all policies that the population can be measured under.

    Also by ``ethnicity`` if asked, and with dates of birth shifted by each of ``shifts`` days.
    """
    places = tuple(place for place in _PLACES if has_place(population, place))
    return lattice_for(population.columns, places, small_zip3, ethnicity=ethnicity, shifts=shifts)


def explore(
    population: Population,
    states: Sequence[str] | None = None,
    *,
    g: Sequence[int] = DEFAULT_G,
    lattice: Lattice | None = None,
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
) -> Exploration:
    """Measure every policy of the lattice for an attacker who holds everyone.

    ``states``: postal codes; all by default. ``g``: group sizes of g-distinct, each >= 1; none: total risk alone.
    ``lattice``: policies to measure; every combination that the population allows by default. ``in_file``: how many are
    in the file, where the attacker knows who; None: everyone is released.
    """
    if min(g, default=1) < 1:
        raise InputError(f"g = {list(g)} must be whole numbers of 1 or more.")
    chosen, cases = lattice or lattice_of(population), Cases(population, (), (GENERAL,), states, g, in_file=in_file)
    state_names, chances = tuple(cases.states or population.states), cases.chances
    if states is not None and not has_place(population, "zip3"):
        population = population.in_states(states)  # who lives elsewhere decides which ZIP codes are small, and no more
    if chances is not None:
        population = in_memory(chances.living_there(population))
    inhabitants = population.people_by_state()
    shares = [cases.share_in_file(inhabitants[state], state) for state in state_names]
    tables = StateTables(population, chosen, days_per_year)
    if chances is not None and chances.one_chance is None:
        parts = [_explore_places(tables, state_names[0], chances, g)]
    else:
        figures = {share: Figures(tables.births, g, share) for share in dict.fromkeys(shares)}
        with ThreadPoolExecutor(max_workers=2) as pool:
            jobs = zip(state_names, shares, strict=True)
            parts = list(pool.map(lambda job: _explore_state(tables, job[0], figures[job[1]]), jobs))
    policies = dict(chosen.points())
    rows = _rows(policies, state_names, parts, tuple(g), shares)
    return Exploration(rows, {policy.name: policy for policy in policies.values()})


class StateTables:
    """Makes the tables of states; what all states share is worked out once."""

    def __init__(self, population: Population, lattice: Lattice, days_per_year: float) -> None:
        population = able_to_show(population, (view for views in lattice.people for view in views))
        cells = population.cells
        self.population, self.days_per_year = population, days_per_year
        self.state, self.names = cells["state"].cat.codes.to_numpy(), list(cells["state"].cat.categories)
        self.people = cells["people"].to_numpy(np.int64)
        age, width = (cells[name].to_numpy(np.int64) for name in ("age", "age_width"))
        widest = int(width.max(initial=0)) + 1
        kinds, self.age = different(age * widest + width)
        self.lower, self.years = np.divmod(kinds, widest)
        self.births = births_of(
            {
                view: age_classes(
                    self.lower, self.years, view.granularity, days_per_year, view.top_age, view.shift_days
                )
                for view in lattice.birth
            }
        )
        self.kind_of, self.kinds = zip(*(_people_axis(cells, views) for views in lattice.people), strict=True)
        self.places = [(view, _seen(population, view)) for view in lattice.place]
        self.apart = np.zeros(len(cells), dtype=np.int64)  # places of two kinds are never added up

    def keep_apart(self, chances: FileChances) -> FloatArray:
        """Keep places apart whose people have different chances to be in the file; return the different chances."""
        codes, names = place_codes(self.population, chances.place)
        by_name = dict(zip(chances.codes, chances.chance.tolist(), strict=True))
        different, kind = np.unique([by_name.get(str(name), 0.0) for name in names], return_inverse=True)
        self.apart = kind.reshape(-1)[codes]
        return np.asarray(different, dtype=np.float64)

    def of(self, state: str) -> tuple[IntArray, tuple[Axis[Any], ...]]:
        """Return the people of one state by kind of person, place and age, each at its finest; and the axes.

        The axes are those of the lattice's fields of people, and the place as the last.
        """
        return self.of_places(state)[:2]

    def of_places(self, state: str) -> tuple[IntArray, tuple[Axis[Any], ...], IntArray, Mapping[PlaceView, IntArray]]:
        """Return :meth:`of`, and for each finest place whom it is kept apart from and what every view shows of it.

        States are measured in several threads, so that nothing of one state is kept here.
        """
        selection = np.flatnonzero(self.state == self.names.index(state))
        finest = np.zeros(len(selection), dtype=np.int64)
        codes, apart = [code[selection] for _, code in self.places], self.apart[selection]
        for code in (*codes, apart):  # the finest view distinguishes whatever any view does
            finest = different(finest * (int(code.max(initial=0)) + 1) + code)[1]
        cell = np.zeros(int(finest.max(initial=-1)) + 1, dtype=np.int64)  # one of each place
        cell[finest] = np.arange(len(finest))
        kind_of_place = apart[cell]
        seen = {view: code[cell] for (view, _), code in zip(self.places, codes, strict=True)}
        many = int(apart.max(initial=0)) + 1
        place = axis_of((view, code * many + kind_of_place) for view, code in seen.items())
        shape = (*(axis.partitions[0].size for axis in self.kinds), len(cell), self.births.ages)
        kinds = (codes[selection] for codes in self.kind_of)
        at = np.ravel_multi_index((*kinds, finest, self.age[selection]), shape)
        people = np.bincount(at, weights=self.people[selection], minlength=int(np.prod(shape))).astype(np.int64)
        return people.reshape(shape), (*self.kinds, place), kind_of_place, seen


def _seen(population: Population, view: PlaceView) -> IntArray:
    if view.granularity == "state":
        return np.zeros(len(population.cells), dtype=np.int64)
    return visible_places(population, view.granularity, view.small)


def _people_axis(cells: pd.DataFrame, views: Sequence[Granularities]) -> tuple[IntArray, Axis[Granularities]]:
    """Return the kind of each cell's people, as far as any of the views shows it, and the axis of the views."""
    columns = list(
        dict.fromkeys(name for view in views for seen in census_views(view).values() for name in seen.columns)
    )
    values = [cells[name].cat.categories for name in columns]
    shape = tuple(map(len, values)) or (1,)
    places = np.unravel_index(np.arange(math.prod(shape)), shape)
    kinds = pd.DataFrame(
        {
            name: pd.Categorical.from_codes(place, held)
            for name, held, place in zip(columns, values, places, strict=False)
        }
    )

    def classes(view: Granularities) -> IntArray:
        codes = seen_codes(kinds, view)
        return number_combinations(codes) if codes else np.zeros(math.prod(shape), dtype=np.int64)

    codes = [cells[name].cat.codes.to_numpy() for name in columns] or [np.zeros(len(cells), dtype=np.int64)]
    return np.ravel_multi_index(codes, shape), axis_of((view, classes(view)) for view in views)


def _explore_state(tables: StateTables, state: str, figures: Figures) -> tuple[int, dict[Point, FloatArray]]:
    """Return the state's people, and the figures of every combination of views."""
    finest, axes = tables.of(state)
    figures_at: dict[Point, FloatArray] = {}
    births = tables.births.views
    for node, people in merge_down(finest, axes):
        points = list(product(*(axis.views[at] for axis, at in zip(axes, node, strict=True))))
        if points:
            table = figures.of(people)
            for *views, place in points:
                kind = shown_together(views)
                figures_at.update({(kind, birth, place): row for birth, row in zip(births, table, strict=True)})
    return int(finest.sum()), figures_at


def _explore_places(
    tables: StateTables, state: str, chances: FileChances, g: Sequence[int]
) -> tuple[int, dict[Point, FloatArray]]:
    """Return the same where the people of each place have a chance of their own to be in the file."""
    different = tables.keep_apart(chances)
    finest, axes, kind_of_place, seen_by_view = tables.of_places(state)
    chance, figures = different[kind_of_place], FiguresByPlace(tables.births, g)
    figures_at: dict[Point, FloatArray] = {}
    for node, people in merge_down(finest, axes):
        partition = axes[-1].partitions[node[-1]]
        for place in axes[-1].views[node[-1]]:
            of_class, seen = np.zeros(partition.size), np.zeros(partition.size, dtype=np.int64)
            of_class[partition.codes], seen[partition.codes] = chance, first_numbered(seen_by_view[place])
            table = figures.of_places(people, of_class, seen)
            for views in product(*(axis.views[at] for axis, at in zip(axes[:-1], node[:-1], strict=True))):
                kind, births = shown_together(views), tables.births.views
                figures_at.update({(kind, birth, place): row for birth, row in zip(births, table, strict=True)})
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
        part = columns.assign(**risk_columns(table[:, :-1], g, inhabitants * share))
        part.insert(0, "state", state)
        bits = np.log2(inhabitants) + table[:, -1] / inhabitants
        part["utility_bits"] = np.maximum(bits, 0.0)
        part["utility"] = part["utility_bits"] / max(float(bits.max()), np.finfo(float).tiny)
        frames.append(part)
    return pd.concat(frames, ignore_index=True)


def risk_columns(people: FloatArray, g: Sequence[int], released: FloatArray | float) -> dict[str, FloatArray]:
    """Return total risk and g-distinct as columns, each with its share of the people released beside it."""
    columns: dict[str, FloatArray] = {}
    for name, figures in zip(("total_risk", *(f"distinct_{size}" for size in g)), people.T, strict=True):
        columns |= {name: figures, f"{name}_share": figures / released}
    return columns


# One policy measured from the cells: for policies that are no point of the lattice, and as a check on it.


def measured_alone(
    population: AnyPopulation,
    policy: Policy,
    states: Sequence[str],
    *,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
) -> pd.DataFrame:
    """Return the columns of an exploration for one policy, but ``utility``: one row per state."""
    cases = Cases(population, [policy], [GENERAL], states, g, days_per_year, in_file)
    # what a release shows of a person is that of everyone where the file comes from
    living_there = population if cases.chances is None else cases.chances.living_there(population)
    everyone = replace(cases, population=living_there, in_file=None)
    risks = cases.measure(
        lambda groups, chances: np.column_stack([chances.total_risk(groups), chances.g_distinct(groups, g)])
    )
    bits = everyone.measure(lambda groups, _: entropy_bits(groups)[:, None])
    inhabitants = population.people_by_state()
    released = np.array([inhabitants[state] * cases.share_in_file(inhabitants[state], state) for state in states])
    rows = pd.DataFrame([{"state": state, **policy_columns(policy)} for state in states])
    at = [(case.keys[0], case.state) for case in cases]
    return rows.assign(
        **risk_columns(np.array([risks[place] for place in at]), g, released),
        utility_bits=[float(bits[place][0]) for place in at],
    )


# An exploration next to one policy: what is on the frontier, what does better, what is best.


_SAME = 1e-12  # as a share: the same information, added up in another order


def best_of(rows: pd.DataFrame, baseline: pd.DataFrame, risk: str = "total_risk") -> pd.DataFrame:
    """Return one row per state: of the better policies that of most utility, then least risk, then simplest.

    ``rows``, ``baseline``: as :meth:`Exploration.judged` returns them. A state without a better policy has none
    (missing columns) and ``status`` ``none better``.
    """
    named = rows[rows["better"]].assign(words=lambda rows: rows["policy"].str.len())
    order = named.sort_values(["utility", risk, "words"], ascending=[False, True, True], kind="stable")
    first = order.drop_duplicates("state").drop(columns=["frontier", "better", "words"])
    beside = baseline[["state", risk, f"{risk}_share", "utility"]]
    beside = beside.rename(columns={name: f"than_{name}" for name in beside.columns if name != "state"})
    number = rows.groupby("state", observed=True)["better"].sum().rename("better_policies").reset_index()
    merged = beside.merge(number, on="state", how="left").merge(first, on="state", how="left")
    merged["better_policies"] = merged["better_policies"].fillna(0).astype("int64")
    merged["status"] = merged["policy"].notna().map({True: "ok", False: "none better"})
    return merged.sort_values("state", ignore_index=True)


def on_frontier(rows: pd.DataFrame, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether no other of its state has more utility at no more risk, or less risk at no less.

    Rows that are equal in both are on the frontier together.

    ``rows``: one row per policy and state, with ``state``, ``utility`` and the column ``risk``.
    """
    frontier = pd.Series(data=False, index=rows.index)
    for _, part in rows.groupby("state", sort=False, observed=True):
        ordered = part.sort_values([risk, "utility"], ascending=[True, False], kind="stable")
        best = ordered["utility"].cummax()
        before = best.shift(fill_value=-np.inf)
        reached = ordered["utility"] > before
        # equal in both to the one that reached it
        same = (ordered["utility"] == best) & (ordered[risk] == ordered[risk].where(reached).ffill())
        frontier.loc[ordered.index] = reached | same
    return frontier


def better_than(rows: pd.DataFrame, baseline: pd.DataFrame, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether it has more utility than the baseline of its state, at no more risk.

    ``rows``: one row per policy and state. ``baseline``: one row per state, with the same columns.
    """
    if baseline["state"].duplicated().any() or set(rows["state"]) - set(baseline["state"]):
        raise InputError("a comparison needs one baseline row for each state.")
    below = baseline.set_index("state")
    limit, least = rows["state"].map(below[risk]), rows["state"].map(below["utility"])
    return (rows[risk] <= limit) & (rows["utility"] > least * (1 + _SAME))


def between(rows: pd.DataFrame, low: float, high: float, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether its risk, as a share of the state, lies from ``low`` to ``high``.

    Benitez & Malin 2010 (Discussion) let a policy maker set such a range of identifiability.
    """
    ends: tuple[Any, Any] = (low, high)
    numbers = all(isinstance(end, Real) and not isinstance(end, bool) for end in ends)
    if not numbers or not 0 <= low <= high <= 1:
        raise InputError(
            f"{ask('risk_between')}: {short(low)} and {short(high)} are not two shares of the state's people from 0 to "
            "1, the lower one first, such as 0.01 and 0.05."
        )
    return rows[f"{risk}_share"].between(low, high)
