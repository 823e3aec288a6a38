"""The risk of a file under each attacker: expected re-identifications, riskiest groups, price per re-identification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.granularity import Granularities
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import Population
from policy_sim.records.census_groups import FileCells, GroupedPeople, people_of_groups
from policy_sim.records.groups_by_key import GroupsByKey, OutsideCells
from policy_sim.results import Bounds
from policy_sim.voter_lists.price import Amount

__all__ = ["FileScore", "OutsideCells", "attackers_scores", "outside_cells", "riskiest_groups"]

_NOBODY = "nobody in the population has these values together"


@dataclass(frozen=True)
class FileScore:
    """The risk of the file's records in one state under one attacker.

    Parameters
    ----------
    records : Records of the state in cells of the population.
    expected : Expected correct matches, or None if there is no list; for ``low`` the list withholds every unknown
        field, for ``high`` it shows them.
    largest : Largest chance of a correct match of a record.
    surplus : Records in excess of the people of their group: some of the file is not from this population. They add
        nothing to ``expected``.
    price, price_high : Price of the list, and its upper end if sources give a range; None for an attacker that needs
        no list.
    chances : Chance (0..1) of a correct match for a record of each of the file's classes in this state, with both
        ends as in ``expected`` and NaN for classes elsewhere; None if there is no list.
    """

    attacker: str
    state: str
    linkage_key: str
    status: str
    reason: str
    records: int
    expected: Bounds | None = None
    largest: Bounds | None = None
    surplus: int = 0
    price: Amount | None = None
    price_high: Amount | None = None
    chances: tuple[FloatArray, FloatArray] | None = field(default=None, compare=False, repr=False)

    @property
    def share(self) -> Bounds | None:
        """Expected share (0..1) of the records: marketer risk."""
        return self.expected.per(self.records) if self.expected and self.records else None

    @property
    def usd_per_reidentification(self) -> Bounds | None:
        """Price divided by expected re-identifications; None if either is unknown or the expected number is 0."""
        if self.price is None or self.price.usd is None or self.expected is None or not self.expected.low:
            return None
        most = self.price.usd if self.price_high is None else self.price_high.usd
        return None if most is None else Bounds(most / self.expected.low, self.price.usd / self.expected.high)


def outside_cells(
    cells: FileCells, population: Population, granularities: Granularities, days_per_year: float = DAYS_PER_YEAR
) -> OutsideCells:
    """Mark the classes with a combination of values that nobody in the population has.

    Parameters
    ----------
    granularities : How finely the file shows each field.
    """
    groups = people_of_groups(cells, population, granularities, days_per_year)
    outside = cells.outside.copy()
    outside[(groups.people == 0) & (outside == "")] = _NOBODY
    records = pd.Series(cells.rows["records"].to_numpy()).groupby(outside).sum()
    reasons = {str(reason): int(number) for reason, number in records.items() if reason}
    return OutsideCells(replace(cells, outside=outside), reasons, groups)


def attackers_scores(
    placed: OutsideCells,
    population: Population,
    granularities: Granularities,
    attackers: Sequence[Attacker],
    *,
    buyer: str | None = None,
    days_per_year: float = DAYS_PER_YEAR,
    whole: Population | None = None,
) -> list[FileScore]:
    """Score the file under each attacker, state by state.

    Parameters
    ----------
    placed : The file in the cells of the population, as :func:`outside_cells` returns it with these birthdays.
    granularities : How finely the file shows each field: its policy.
    buyer : Class of buyer whose price applies.
    whole : The people to search if the resource does not show the state; by default the population.
    """
    cells = placed.cells
    inside = cells.outside == ""
    states = sorted(set(cells.rows["state"][inside]))
    counties = population.counties_by_state()
    groups = GroupsByKey(placed, population, granularities, days_per_year, whole or population)
    scores = []
    for attacker in attackers:
        for state in states:
            linkage = attacker.linkage(granularities, state)
            in_state = inside & (cells.rows["state"] == state).to_numpy()
            records = int(cells.rows["records"][in_state].sum())
            facts = (attacker.name, state, linkage.label(), linkage.status, linkage.reason, records)
            if linkage.low is None or linkage.high is None:
                scores.append(FileScore(*facts))
                continue
            coverage = attacker.resource.coverage_in(state)
            coverages = (None, None) if coverage is None else coverage.ends
            grouped = [groups.of(*end) for end in zip((linkage.low, linkage.high), coverages, strict=True)]
            ends = [_measure(groups_at_end, cells, in_state) for groups_at_end in grouped]
            prices: tuple[Amount | None, Amount | None] = (None, None)
            if attacker.holds_file:
                prices = attacker.resource.amounts_for(state, groups.counted, counties.get(state), buyer)
            expected, largest = (Bounds(ends[0][i], ends[1][i]) for i in (0, 1))
            low, high = (np.where(in_state, groups_at_end.chance, np.nan) for groups_at_end in grouped)
            scores.append(FileScore(*facts, expected, largest, int(ends[1][2]), *prices, (low, high)))
    return scores


def _measure(groups: GroupedPeople, cells: FileCells, selection: np.ndarray) -> tuple[float, float, float]:
    """Return the expected matches, the largest chance, and the records in excess of the people of their group.

    In a group with more records than people, at most as many records as people can be matched.
    """
    selection = selection & (groups.group >= 0)
    records, chance = cells.rows["records"].to_numpy()[selection], groups.chance[selection]
    in_group = np.bincount(groups.group[selection], weights=records)
    group, first = np.unique(groups.group[selection], return_index=True)
    surplus = np.maximum(in_group[group] - groups.people[selection][first], 0)
    expected = float(records @ chance) - float(surplus @ chance[first])
    return expected, float(chance.max(initial=0.0)), float(surplus.sum())


def riskiest_groups(groups: GroupedPeople, cells: FileCells, most: int, *, names: bool = False) -> pd.DataFrame:
    """Return the groups with the largest chance of a correct match, the largest first.

    Parameters
    ----------
    names : Also return the cell of each group, which shows values of the file's records.

    Returns
    -------
    One row per group: ``group`` (1, 2, ...), ``records``, ``people``, ``bins``, ``chance`` (0..1) of each
    record, ``expected`` matches, at most the total risk of the group's people.
    """
    inside = np.flatnonzero(groups.group >= 0)
    table = cells.rows.iloc[inside].assign(
        group=groups.group[inside],
        people=groups.people[inside],
        bins=groups.bins[inside],
        chance=groups.chance[inside],
    )
    columns = [name for name in cells.rows if name != "records"] if names else []
    by_group = table.groupby("group", sort=False)
    merged = by_group[["people", "bins", "chance", *columns]].first()
    merged["records"] = by_group["records"].sum()
    merged["expected"] = np.minimum(merged["records"], merged["people"]) * merged["chance"]
    ranked = merged.sort_values(["chance", "records"], ascending=[False, False], kind="stable").head(most)
    ranked = ranked.reset_index(drop=True)
    ranked.insert(0, "group", np.arange(1, len(ranked) + 1))
    return ranked[["group", *columns, "records", "people", "bins", "chance", "expected"]]
