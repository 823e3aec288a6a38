"""Scores of files by ZIP code against people drawn from the fitted parts, one by one.

::

    python -m benchmarks.zip_scores          # 200 files, us-2020-zcta
    python -m benchmarks.zip_scores 20

The people of a state are drawn with a home, a birthday and whether they are on the voter list; records of people who
left are drawn too. Each file has 4,000 of the people. The attacker guesses among all entries with the values of a
record. The score expects a number of right guesses, whose standard error is that of independent guesses. Prints the
files that are more than 3 standard errors off.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import Coverage
from policy_sim.model.simulation.people import People, born, deal_homes, shown_key
from policy_sim.people.by_name import load_population
from policy_sim.people.composition import class_of
from policy_sim.people.zips import PeopleByZip, with_zip_codes
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.records.census_groups import PlacedFile, file_cells
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Classes
from policy_sim.words.fields import Granularities

STATES = ("AK", "DC", "DE", "MT", "NH", "RI", "SD", "VT", "WY")
# what the file shows, and what the attacker links on: the same, or what a voter list has too
KEYS = (
    ("gender=value+race=race_ethnicity+birth=date+geography=zip5", None),
    ("gender=value+race=value+birth=year+geography=zip5", None),
    ("gender=value+birth=date+geography=zip3", None),
    ("gender=value+race=race_ethnicity+birth=year+geography=zip3", None),
    ("gender=value+race=value+birth=date+geography=zip5", "birth=date+geography=zip5"),
    ("gender=value+race=value+birth=date+geography=zip5", "gender=value+birth=year+geography=zip5"),
    ("race=race_ethnicity+birth=year+geography=zip3", "race=race_ethnicity+birth=year+geography=zip3"),
)
RECORDS, DAY, YEAR, ADULT = 4_000, dt.date(2020, 4, 1), 365, 18


class Scored(NamedTuple):
    """A file: what it is, the right guesses that are expected and made, and how many standard errors lie between."""

    title: str
    expected: float
    made: int
    off: float


@dataclass(frozen=True, eq=False)
class Drawn:
    """The people of a state, then the records of those who left; ``is_listed``: who of them is on the list."""

    people: PeopleByZip
    everyone: int
    entries: People
    is_listed: np.ndarray
    coverage: Coverage

    @classmethod
    def of(cls, people: PeopleByZip, rng: np.random.Generator) -> Drawn:
        """Draw them."""
        held, coverage = people.with_ethnicity, load_coverage("registered", "2026")
        assert coverage is not None
        cells = held.county_population.cells
        listing = coverage.listing(people)
        assert listing is not None
        chance, stale = listing.of_cells(cells)
        chance = np.where(cells["age"] >= ADULT, chance, 0.0)
        cell = np.repeat(np.arange(len(cells)), cells["people"])
        left = np.repeat(cell, rng.poisson((chance * stale)[cell]))
        county, of_class = cells["county"].cat.codes.to_numpy().astype(np.int64), class_of(cells)

        def at_home(cell: np.ndarray) -> People:
            homes = deal_homes(county[cell], held.zips, rng, of_class[cell])
            return replace(born(held.county_population, cell, rng, YEAR), homes=homes)

        is_listed = rng.random(len(cell)) < chance[cell]
        entries = at_home(cell)
        if len(left):
            entries = entries.with_others(at_home(left))
        return cls(people, len(cell), entries, np.append(is_listed, np.ones(len(left), dtype=bool)), coverage)

    def file(self, view: Granularities, rng: np.random.Generator) -> tuple[np.ndarray, PlacedFile]:
        """Return who is in a file, and the file in the census."""
        chosen = rng.choice(self.everyone, RECORDS, replace=False)
        homes, cells = self.entries.homes, self.entries.population.cells.iloc[self.entries.cell[chosen]]
        assert homes is not None
        hispanic = np.where(cells["ethnicity"] == "hispanic", "hispanic", cells["race"].astype(str))
        columns = {
            "zip5": homes.zips.zip5[homes.part[chosen]],
            "age": self.entries.age[chosen].astype(str),
            "sex": cells["sex"].astype(str).to_numpy(),
            "race": cells["race"].astype(str).to_numpy(),
            "race_ethnicity": hispanic,
        }
        del columns["race" if view["race"] == "race_ethnicity" else "race_ethnicity"]
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        values = {name: sorted(set(column.tolist())) for name, column in columns.items()}
        classes = Classes.of_rows(rows, tuple(columns))
        cells_of_file = file_cells(classes, values, ColumnMapping(), self.people.states, DAY)
        return chosen, PlacedFile.of(cells_of_file, self.people, view)

    def score(self, view: str, on_list: str | None, rng: np.random.Generator) -> Scored:
        """Score a file, and guess."""
        seen = Granularities.parse(view)
        chosen, placed = self.file(seen, rng)
        key = seen if on_list is None else Granularities.parse(on_list)
        chance = placed.on(key, None if on_list is None else self.coverage).chance
        records = placed.cells.rows["records"].to_numpy()
        expected, variance = float(records @ chance), float(records @ (chance * (1 - chance)))
        value = np.unique(shown_key(self.entries, key, NO_CONDITIONS), return_inverse=True)[1]
        held = self.is_listed if on_list is not None else np.arange(len(value)) < self.everyone
        alike = np.bincount(value[held], minlength=int(value.max()) + 1)[value[chosen]]
        made = int((held[chosen] & (rng.random(RECORDS) * alike < 1)).sum())
        return Scored(f"{self.people.states[0]} {key}", expected, made, (made - expected) / variance**0.5)


def run(files: int) -> Iterator[Scored]:
    """Yield one file after the other: keys in turn, the people of a state drawn once."""
    for number, state in enumerate(STATES):
        people = with_zip_codes(load_population("us-2020-zcta").in_states([state]))
        assert isinstance(people, PeopleByZip)
        rng = np.random.default_rng([48, number])
        drawn = Drawn.of(people, rng)
        for file in range(number, files, len(STATES)):
            yield drawn.score(*KEYS[file % len(KEYS)], rng)


def main() -> None:
    """Print the files that are far off, and how far all are."""
    files, off = int(sys.argv[1]) if len(sys.argv) > 1 else 200, []
    for scored in run(files):
        off.append(scored.off)
        if abs(scored.off) > 3 or files <= 2 * len(STATES):
            print(f"{scored.title}: expected {scored.expected:.1f}, made {scored.made}: {scored.off:+.2f}", flush=True)
        if len(off) % 20 == 0:
            print(f"{len(off)} files: farthest {np.abs(off).max():.2f}, spread {np.std(off):.2f}", flush=True)
    far = int((np.abs(off) > 3).sum())
    print(f"{files} files, {far} outside 3 standard errors, farthest {np.abs(off).max():.2f}; mean {np.mean(off):+.3f}")


if __name__ == "__main__":
    main()
