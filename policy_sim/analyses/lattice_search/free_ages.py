"""Policies with free age classes: for each way to show sex, race and place the best way to show ages.

The lattice shows ages in equal classes. Here they are cut anywhere (:mod:`.age_classes`), so that no policy of the
lattice that shows birth by whole years, and sex, race and place in the same way, tells more at no more risk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from policy_sim.analyses.lattice_search.age_classes import AgeClasses, best_classes, choices_of
from policy_sim.analyses.lattice_search.cube import merge_down
from policy_sim.analyses.lattice_search.field_weights import FieldWeights
from policy_sim.analyses.lattice_search.needs import Needs
from policy_sim.analyses.lattice_search.search import StateTables
from policy_sim.analyses.lattice_search.shown_ages import written
from policy_sim.analyses.policy_tables import policy_columns
from policy_sim.analyses.release_entropy import entropy_bits
from policy_sim.arrays import IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import Field
from policy_sim.groups import Groups, g_distinct, total_risk
from policy_sim.policies.lattice import BirthView, Lattice, PlaceView, policy_of
from policy_sim.policies.policy import Policy
from policy_sim.population.population import Population
from policy_sim.population.visible_ages import values_in_a_year

__all__ = ["FREE", "free_age_rows"]

FREE = "age_classes"  # what the column ``birth`` says of a policy with free age classes


@dataclass(frozen=True)
class _Shown:
    """How sex, race and place are shown: a policy without birth."""

    policy: Policy

    @property
    def name(self) -> str:
        text = str(self.policy.releases).split("+")
        before = [part for part in text if not part.startswith("geography")]
        after = [part for part in text if part.startswith("geography")]
        conditions = f" ({self.policy.conditions})" if str(self.policy.conditions) else ""
        return "+".join([*before, f"birth={FREE}", *after]) + conditions


def free_age_rows(
    population: Population,
    lattice: Lattice,
    baseline: pd.DataFrame,
    *,
    risk: str = "total_risk",
    g: Sequence[int] = (1, 3, 5, 10),
    needs: Needs | None = None,
    weights: FieldWeights | None = None,
    days_per_year: float = 365.0,
) -> pd.DataFrame:
    """Return rows as those of an exploration: policies with free age classes that do better than a policy.

    Parameters
    ----------
    population, lattice, g, days_per_year : As for :func:`~.search.explore`.
    baseline : One row per state, with ``utility_bits`` and the column ``risk``: no more risk, and more utility.
    risk : ``total_risk`` or ``distinct_<g>``.
    needs : What must be released; nothing by default.
    weights : What a bit of each field is worth; the entropy of the release by default.

    Returns
    -------
    For each state and each way to show sex, race and place, the policy of most utility, if one is better than the
    baseline. Beside the columns of an exploration, ``age_classes`` writes the classes.

    Raises
    ------
    InputError : ages of the population overlap.
    """
    tables, needed = StateTables(population, lattice, days_per_year), needs or Needs()
    if (tables.lower[1:] < (tables.lower + tables.years)[:-1]).any():
        raise InputError(
            f"ages of population {population.name} overlap. Free age classes need ages that do not overlap."
        )
    rows = [
        row
        for state, most, least in baseline[["state", risk, "utility_bits"]].itertuples(index=False)
        for row in _of_state(tables, state, float(most), float(least), risk, tuple(g), needed, weights)
    ]
    return pd.DataFrame(rows)


def _of_state(
    tables: StateTables,
    state: str,
    most: float,
    least: float,
    risk: str,
    g: tuple[int, ...],
    needs: Needs,
    weights: FieldWeights | None,
) -> Iterator[dict[str, object]]:
    finest, (genders, races, places) = tables.of(state)
    inhabitants, by_age = int(finest.sum()), finest.reshape(-1, finest.shape[-1]).sum(axis=0)
    birth = None if weights is None else weights.worth[Field.BIRTH]
    allowed = needs.classes(tables.lower, tables.years)
    size = None if risk == "total_risk" else int(risk.removeprefix("distinct_"))
    for (i, j, k), table in merge_down(finest, (genders, races, places)):
        simplest = _simplest(genders.views[i], races.views[j], places.views[k], needs)
        if simplest is None:
            continue
        people = table.reshape(-1, table.shape[-1])
        # what is released besides the ages does not depend on how they are cut
        besides, worth = np.log2(inhabitants), 1.0
        if weights is not None and birth is not None:
            other_bits = weights.bits_of(tables.population, [simplest.policy], [state], tables.days_per_year).item()
            besides, worth = other_bits + birth * np.log2(inhabitants), birth
        choices = choices_of(
            people,
            tables.years,
            g=size,
            information_of=None if weights is None else by_age[None],
            allowed=allowed,
            days_per_year=tables.days_per_year,
        )
        floor = (least - besides) * inhabitants / worth if worth else np.inf
        classes = best_classes(choices, most, floor)
        if classes is not None:
            bits = besides + worth * classes.information / inhabitants
            yield _row(state, simplest, classes, people, tables, g, inhabitants, None if weights is None else bits)


def _simplest(genders: Sequence[str], races: Sequence[str], places: Sequence[PlaceView], needs: Needs) -> _Shown | None:
    """Return the simplest of the ways that show the same and meet the needs, or None where no way does."""
    ways = [
        policy_of(gender, race, BirthView(needs.releases[Field.BIRTH]), place)
        for gender in genders
        for race in races
        for place in places
    ]
    met = [policy for policy in ways if needs.met_by(policy)]
    if not met:
        return None
    simplest = min(met, key=lambda policy: len(policy.name))
    granularities = simplest.releases.replace(birth="none")
    return _Shown(
        policy_of(granularities[Field.GENDER], granularities[Field.RACE], BirthView("none"), _place(simplest))
    )


def _place(policy: Policy) -> PlaceView:
    return PlaceView(policy.releases[Field.GEOGRAPHY], policy.conditions.small_places)


def _row(
    state: str,
    policy: _Shown,
    ages: AgeClasses,
    people: IntArray,
    tables: StateTables,
    g: tuple[int, ...],
    inhabitants: int,
    bits: float | None,
) -> dict[str, object]:
    """Measure the policy found, class by class."""
    counts, bins = [], []
    for age_class in ages.classes:
        n = people[:, age_class.first : age_class.end].sum(axis=1)
        years = {"class": 0.0, "year": 1.0}.get(age_class.granularity)
        within = values_in_a_year(age_class.granularity, tables.days_per_year) if years is None else years
        counts.append(n)
        bins.append(np.full(len(n), max(within * float(tables.years[age_class.first]), 1.0)))
    groups = Groups.of(np.concatenate(counts), np.concatenate(bins))
    figures = np.concatenate([total_risk(groups), g_distinct(groups, g)[0]])
    lower, years_of = tables.lower.tolist(), tables.years.tolist()
    row = {"state": state, **policy_columns(policy.policy), "policy": policy.name, "birth": FREE}
    for name, figure in zip(("total_risk", *(f"distinct_{size}" for size in g)), figures.tolist(), strict=True):
        row |= {name: figure, f"{name}_share": figure / inhabitants}
    row["utility_bits"] = float(entropy_bits(groups)[0]) if bits is None else bits
    row["age_classes"] = written(ages.classes, lower, years_of)
    return row
