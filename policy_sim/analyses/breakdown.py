"""Who bears the risk: every measure broken down by race, age, sex, county or size of the county.

A group whose people are of several parts gives each part its share j/n of the group's risk, as a release
of those j would have (Benitez & Malin 2010, equations 3 and 4). The parts therefore add up to the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.analyses.cases import cases_of, ends_of, measure_cases
from policy_sim.analyses.comparison import DEFAULT_G
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.in_file import InFile
from policy_sim.groups import Chances, MeasuredGroups
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.partition import split_people
from policy_sim.population.population import Population
from policy_sim.population.zip_shares import PeopleByZip
from policy_sim.results import TOTAL_RISK, Bounds, Measure, Results, Shown, Status, group_sizes
from policy_sim.results.tidy_rows import kinds_of, tidy_rows

__all__ = ["Part", "Parts", "break_down", "breakdown_frame", "over_states"]

_KEYS = ["by", "value", "policy", "attacker", "measure", "g"]


@dataclass(frozen=True, repr=False)
class Part(Shown):
    """What one part of a state's people bears, by one policy, attacker and measure.

    ``people`` is the expected number at risk among the ``members``; ``share`` (0..1) is of the members,
    ``of_total`` of the state's people at risk by this measure. ``people`` is None where there is no
    list, ``of_total`` also where nobody is at risk. ``in_file`` is the share of the members in the file: 1 where
    everyone is released.
    """

    state: str
    by: str
    value: str
    policy: str
    attacker: str
    measure: Measure
    members: int
    member_share: float
    people: Bounds | None
    of_total: Bounds | None
    population: str
    linkage_key: str
    status: Status
    reason: str
    lists: str
    in_file: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`breakdown_frame`)."""
        return breakdown_frame([self])

    @property
    def share(self) -> Bounds | None:
        """People at risk as a share of the part's members who are released."""
        return None if self.people is None else self.people.per(self.members * self.in_file)


class Parts(Results[Part]):
    """Who bears the risk, one part of a state's people after the other; parts add up to the state."""

    __slots__ = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state, value, policy, attacker and measure (:func:`breakdown_frame`).

        Returns
        -------
        The rows; expected people, and shares (0..1).

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> sorted(set(study.break_down("sex", "county", "general", "DE", 1).to_frame()["value"]))
        ['F', 'M']
        """
        return breakdown_frame(self)

    def over_states(self) -> pd.DataFrame:
        """Return the parts added up over the states that have a figure (:func:`over_states`).

        Returns
        -------
        The rows, with the states added up.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> parts = study.break_down("sex", "county", "general", ["DE", "RI"], 1)
        >>> len(parts.over_states()) < len(parts.to_frame())
        True
        """
        return over_states(self.to_frame())


def break_down(
    population: Population | PeopleByZip,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    by: str,
    *,
    states: Sequence[str] | None = None,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
) -> Parts:
    """Break every measure of every state, policy and attacker down.

    Parameters
    ----------
    by : ``race``, ``age``, ``sex``, ``county`` or ``county-size``.
    population, policies, attackers, states, g, days_per_year, in_file : As for
        :func:`policy_sim.analyses.comparison.compare`.

    Returns
    -------
    One part for each value that has people in the state; people add up to the profile's.

    Raises
    ------
    InputError : g below 1; a name given twice; a population without the column.
    UnknownNameError : a state or breakdown that is not known.
    """
    g = group_sizes(g)
    measures = (TOTAL_RISK, *(Measure("g-distinct", size) for size in g))

    def figures(groups: MeasuredGroups, chances: Chances) -> FloatArray:
        return np.column_stack([chances.total_risk(groups), chances.g_distinct(groups, g)])

    cases = cases_of(population, policies, attackers, states)
    measured = measure_cases(population, cases, figures, days_per_year, by, between=True, in_file=in_file)
    counted = population.county_population if isinstance(population, PeopleByZip) else population
    values, members = _members(counted, by)
    parts: list[Part] = []
    for case in cases:
        state_people = int(members[case.state].sum())
        share = in_file.share_of(state_people, case.state) if in_file else 1.0
        facts = {**case.facts, "population": population.name, "by": by, "in_file": share}
        parts += _parts_of(facts, measures, ends_of(case, measured), values, members[case.state])
    return Parts(parts)


def _parts_of(
    facts: dict[str, Any],
    measures: Sequence[Measure],
    bounds: tuple[FloatArray, FloatArray] | None,
    values: Sequence[str],
    members: NDArray[np.int64],
) -> Iterator[Part]:
    """The parts of one case that have people, each under every measure."""
    for place in np.flatnonzero(members).tolist():
        for column, measure in enumerate(measures):
            people, of_total = _bounds(bounds, place, column)
            yield Part(
                **facts,
                value=values[place],
                measure=measure,
                members=int(members[place]),
                member_share=float(members[place] / members.sum()),
                people=people,
                of_total=of_total,
            )


def _bounds(ends: tuple[FloatArray, FloatArray] | None, place: int, column: int) -> tuple[Bounds | None, Bounds | None]:
    """One part's people at risk and its share of the state's; the second None where nobody is at risk."""
    if ends is None:
        return None, None
    low, high = (float(table[place, column]) for table in ends)
    totals = [float(table[:, column].sum()) for table in ends]
    of_total = Bounds(low / totals[0], high / totals[1]) if min(totals) > 0 else None
    return Bounds(low, high), of_total


def _members(population: Population, by: str) -> tuple[tuple[str, ...], dict[str, NDArray[np.int64]]]:
    """Names of the parts, and how many people each has in each state."""
    split = split_people(population, by)
    column = population.cells["state"].cat
    many = len(split.names)
    code = column.codes.to_numpy().astype(np.int64) * many + split.codes
    sums = np.bincount(code, weights=population.cells["people"].to_numpy(), minlength=many * len(column.categories))
    table = sums.astype(np.int64).reshape(-1, many)
    return split.names, {str(state): row for state, row in zip(column.categories, table, strict=True)}


def breakdown_frame(parts: Sequence[Part]) -> pd.DataFrame:
    """Return one row per state, value, policy, attacker and measure.

    ``members`` are the value's people and ``member_share`` their share of the state; ``people`` are those
    at risk among them, ``share`` the same of the members and ``of_total`` of the state's people at risk.
    Columns that end in ``_high`` have the unknown fields of a list released.
    """
    ends = ("people", "share", "of_total")
    names = [
        *("state", "by", "value", "policy", "attacker", "measure", "g", "members", "member_share", *ends),
        *(f"{name}_high" for name in ends),
        *("population", "linkage_key", "status", "reason", "lists", "in_file"),
    ]
    rows = [
        (
            *(part.state, part.by, part.value, part.policy, part.attacker, part.measure.name, part.measure.g),
            *(part.members, part.member_share),
            *(bounds.low if bounds else None for bounds in (part.people, part.share, part.of_total)),
            *(bounds.high if bounds else None for bounds in (part.people, part.share, part.of_total)),
            *(part.population, part.linkage_key, str(part.status), part.reason, part.lists or None, part.in_file),
        )
        for part in parts
    ]
    numbers = ("g", "members", "member_share", "in_file", *ends, *(f"{name}_high" for name in ends))
    text = [name for name in names if name not in numbers]
    return tidy_rows(rows, kinds_of(names, text=text, whole=("g", "members")))


def over_states(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the rows of :func:`breakdown_frame` up over the states that have a figure.

    Returns
    -------
    One row per value, policy, attacker and measure, with the columns ``states`` (how many were added up),
    ``members``, ``member_share``, ``people``, ``share`` and ``of_total``; the low ends of what is not
    known exactly.
    """
    with_figure = rows[rows["people"].notna()]
    with_figure = with_figure.assign(released=with_figure["members"] * with_figure["in_file"])
    sums = (
        with_figure.groupby(_KEYS, sort=False, dropna=False, observed=True)
        .agg(
            states=("state", "nunique"),
            members=("members", "sum"),
            people=("people", "sum"),
            released=("released", "sum"),
        )
        .reset_index()
    )
    whole = sums.groupby(["policy", "attacker", "measure", "g"], dropna=False)[["members", "people"]].transform("sum")
    sums["member_share"] = sums["members"] / whole["members"]
    sums["share"] = sums["people"] / sums.pop("released")
    sums["of_total"] = sums["people"] / whole["people"].mask(whole["people"] == 0)
    return sums
