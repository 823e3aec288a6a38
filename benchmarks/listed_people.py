"""Lists with residents by county and age and with stale records, drawn person by person, next to the formulas.

    python -m benchmarks.listed_people --runs 200

Everyone of a state is born again in each run, put on the list with the chance of their county and age, and the stale
records of each county are given a sex, an age and a birthday. The attacker links on county and sex with the date or
the year of birth, and guesses among the entries of the list that are alike. Nothing of that shares code with the
formulas (:mod:`policy_sim.formulas.mixed_lists`), which get people, chances and stale records by group. The table of
docs/listed-people.md is what this prints.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from policy_sim.attackers.county_coverage import CountyCoverage, county_coverage, surveyed
from policy_sim.formulas.mixed_lists import MixedGroups, precision
from policy_sim.model.simulation.people import make_people
from policy_sim.people.population import Population
from policy_sim.people.store import load_shipped
from policy_sim.show.list_text import markdown_table
from policy_sim.voter_lists.registration import load_age_shape

STATES = ("DE", "VT", "WY")
DAYS = 365
MEASURES = ("total risk", "claims", "correct claims", "precision")


@dataclass(frozen=True)
class Checked:
    """One measure: the formula's figure, and the mean over the runs with the half width of its 99% interval."""

    state: str
    key: str
    measure: str
    formula: float
    mean: float
    half: float

    @property
    def agrees(self) -> bool:
        """Whether the formula's figure lies in the interval."""
        return abs(self.mean - self.formula) <= self.half


def merged(adults: Population, coverage: CountyCoverage) -> tuple[np.ndarray, ...]:
    """Return the groups that county, sex and age tell apart: county, sex, least age, years in it, and people."""
    cells = adults.cells
    sums = cells.groupby([cells["county"].astype(str), cells["sex"].astype(str), "age", "age_width"])["people"].sum()
    county, sex, age, width = (np.asarray(sums.index.get_level_values(level)) for level in range(4))
    place = np.searchsorted(np.array(coverage.county), county)
    return place, (sex == "M").astype(int), age, width, sums.to_numpy()


def groups_of(adults: Population, coverage: CountyCoverage, days: int) -> MixedGroups:
    """Return what the formulas are asked: stale records of a county fall on its groups as its listed residents do."""
    place, _, age, width, people = merged(adults, coverage)
    chance = coverage.chance[place, coverage.shape.class_of(age)]
    share = people * chance / coverage.listed[place]
    return MixedGroups.of(
        people[:, None], chance[:, None], width * days, coverage.stale[place][:, None], share[:, None]
    )


def counted(adults: Population, coverage: CountyCoverage, days: int, rng: np.random.Generator) -> np.ndarray:
    """Return the correct matches, claims and correct claims of one list and one attack."""
    people = make_people(adults, rng, DAYS)
    cells = adults.cells
    county = np.searchsorted(np.array(coverage.county), cells["county"].cat.categories.astype(str))
    home = county[cells["county"].cat.codes.to_numpy()[people.cell]]
    male = (cells["sex"].astype(str) == "M").to_numpy(int)[people.cell]
    chance = coverage.chance[home, coverage.shape.class_of(people.age)]
    listed = rng.random(len(people)) < chance
    key = _key(home, male, people.age, people.day * days // DAYS, days)
    return _linked(key, listed, _stale(adults, coverage, days, rng), rng)


def _stale(adults: Population, coverage: CountyCoverage, days: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the stale records of every county, one by one: sex and age of a listed resident, and a birthday."""
    place, male, age, width, people = merged(adults, coverage)
    weight = people * coverage.chance[place, coverage.shape.class_of(age)]
    keys = []
    for home, records in enumerate(coverage.stale.tolist()):
        rows = np.flatnonzero(place == home)
        drawn = rows[rng.choice(len(rows), records, p=weight[rows] / weight[rows].sum())]
        years = age[drawn] + rng.integers(0, width[drawn])
        keys.append(_key(home, male[drawn], years, rng.integers(0, days, records), days))
    return np.concatenate(keys)


def _key(home: np.ndarray | int, male: np.ndarray, age: np.ndarray, day: np.ndarray, days: int) -> np.ndarray:
    return ((home * 2 + male) * 200 + age) * days + day


def _linked(key: np.ndarray, listed: np.ndarray, stale: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    entries = np.bincount(np.concatenate([key[listed], stale]), minlength=int(key.max()) + 1)[key]
    right = listed & (rng.random(len(key)) * entries < 1)
    return np.array([right.sum(), (entries == 1).sum(), (listed & (entries == 1)).sum()])


def check(state: str, days: int, runs: int, year: int = 2024, seed: int = 24) -> list[Checked]:
    """Compare the formulas with simulated lists of one state; ``days``: 365 for the date of birth, 1 for the year."""
    adults = load_shipped("us-2020").in_states([state]).of_age(18)
    coverage = county_coverage(adults, year)
    groups = groups_of(adults, coverage, days)
    claims, correct = groups.claims().sum(), groups.correct_claims().sum()
    counts = np.array([counted(adults, coverage, days, rng) for rng in np.random.default_rng(seed).spawn(runs)])
    width = stdtrit(runs - 1, 0.995) / runs**0.5
    key = f"county, sex, {'date' if days > 1 else 'year'} of birth"
    formula = (groups.total_risk().sum(), claims, correct)
    rows = [
        Checked(state, key, name, float(one), float(column.mean()), float(width * column.std(ddof=1)))
        for name, one, column in zip(MEASURES[:3], formula, counts.T, strict=True)
    ]
    if counts[:, 1].sum():  # the ratio of two sums: by the deviations from the line through it
        mean = counts.mean(axis=0)
        apart = counts[:, 2] - mean[2] / mean[1] * counts[:, 1]
        half = width * apart.std(ddof=1) / mean[1]
        rows.append(Checked(state, key, MEASURES[3], precision(groups), float(mean[2] / mean[1]), float(half)))
    return rows


def tables() -> str:
    """Return the tables of docs/listed-people.md on all states: listed residents and records, and by age."""
    from policy_sim.study.study import Study

    study = Study("us-2020", lists=2026)
    states = study.listed_by("state").to_frame()
    numbers = states[["adults", "active", "listed", "stale", "records", "survey"]]
    whole = pd.concat([numbers.sum().to_frame().T, numbers], ignore_index=True).astype("Int64")
    rows = []
    for name, row in zip(["US", *states["state"]], whole.itertuples(index=False), strict=True):
        share, times = row.listed / row.adults, row.records / row.survey
        cells = ["-" if pd.isna(number) else f"{number:,}" for number in row]
        rows.append((name, *cells[:3], f"{share:.0%}", *cells[3:], f"{times:.2f}"))
    head = ("state", "adults", "active", "listed", "of adults", "stale", "records", "survey", "records / survey")
    rows_by_age = study.listed_by("age-class").to_frame()
    by_age = rows_by_age.pivot_table(index="state", columns="ages", values=["listed", "people"])
    ages = list(load_age_shape().names)
    sums = pd.concat([by_age.sum().to_frame("US").T, by_age])
    shares = sums["listed"][ages] / sums["people"][ages]
    aged = [(str(name), *(f"{share:.0%}" for share in row)) for name, *row in shares.itertuples()]
    return "\n".join([markdown_table(head, rows), markdown_table(("state", *ages), aged)])


def effect(states: tuple[str, ...] = ("OH", "NC", "FL", "NY", "WY")) -> str:
    """Return the table of what changes: the survey's one chance, chances by county and age, stale records too."""
    says, rows = surveyed(2024), []
    for state in states:
        adults = load_shipped("us-2020").in_states([state]).of_age(18)
        mixed = groups_of(adults, county_coverage(adults, 2024), DAYS)
        by_survey = MixedGroups.of(mixed.people, min(1.0, says[state] / adults.people), mixed.bins[:, 0])
        lists = {"survey": by_survey, "county and age": replace(mixed, stale=0 * mixed.stale), "with stale": mixed}
        for name, groups in lists.items():
            sums = (groups.total_risk().sum(), groups.claims().sum(), groups.correct_claims().sum())
            rows.append((state, name, *(f"{number:,.0f}" for number in sums), f"{precision(groups):.1%}"))
    return markdown_table(("state", "list", *MEASURES), rows)


def main() -> None:
    """Print the table of simulated lists, or those of all states."""
    parser = argparse.ArgumentParser(description="Simulated lists next to the formulas.")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--tables", action="store_true", help="the tables of states instead")
    options = parser.parse_args()
    if options.tables:
        print(tables(), effect(), sep="\n")
        return
    runs = options.runs
    print("| state | linked on | measure | formula | mean of the runs | 99% interval | inside |")
    print("|---|---|---|---:|---:|---:|---|")
    for state in STATES:
        for days in (DAYS, 1):
            for row in check(state, days, runs):
                digits = ".5f" if row.measure == "precision" else ",.1f" if row.formula > 1000 else ",.3f"
                numbers = f"{row.formula:{digits}} | {row.mean:{digits}} | ± {row.half:{digits}}"
                print(
                    f"| {state} | {row.key} | {row.measure} | {numbers} | {'yes' if row.agrees else 'no'} |", flush=True
                )


if __name__ == "__main__":
    main()
