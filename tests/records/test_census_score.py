from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from policy_sim.attackers import GENERAL
from policy_sim.errors import InputError
from policy_sim.records.census_score import date_of_ages, outside_notes, score_against_census
from policy_sim.records.column_mapping import ColumnMapping

FIELDS = ("state", "county", "sex", "race", "age")


@dataclass
class InMemory:
    """Classes that need no engine; their records stand in the order of the classes."""

    found: object
    texts: dict
    name: str = "file"
    steps: list = field(default_factory=list)

    def __post_init__(self):
        self.fields, self.values = self.found.fields, self.found.values
        self.progress = self.steps.append

    def classes(self, most):
        return self.found

    def values_of(self, name):
        return self.texts[name]

    def class_of_rows(self, classes):
        return np.repeat(np.arange(classes.number), classes.sizes)


def test_a_file_of_everyone_has_a_cell_for_everyone(small_population, everyone_as_a_file):
    people = small_population()
    file = InMemory(*everyone_as_a_file(people, FIELDS))
    scored = score_against_census(file, ColumnMapping(), people, [GENERAL], (), most=10**6, list_records=True)
    assert scored.outside == ()
    assert len(scored.rows) == people.people
    assert len(scored.record_frame()) == people.people
    assert "records outside the population's cells: none" in scored.notes
    assert len(file.steps) == 2


def test_the_day_of_ages_is_the_mappings_or_the_populations(small_population):
    people = small_population()
    assert date_of_ages(people, FIELDS, dt.date(2011, 5, 6)) == dt.date(2011, 5, 6)
    assert date_of_ages(people, FIELDS, None) == dt.date(2020, 4, 1)
    undated = replace(people, provenance=replace(people.provenance, date=""))
    assert date_of_ages(undated, FIELDS, None) == dt.date.min
    with pytest.raises(InputError, match="no date"):
        date_of_ages(undated, ("birth_date",), None)


def test_outside_records_are_counted_by_reason_and_named_by_row():
    notes = outside_notes({"few": 2, "many": 10}, [(row, "many") for row in range(1, 13)])
    assert notes[0].endswith("12")
    assert notes[1:3] == ["  10: many", "  2: few"]
    assert notes[3].endswith("9, 10, ...")
