"""Files of people with several rows: nobody is among fewer people by any part of their rows, in any order of rows."""

from __future__ import annotations

import pytest
from coded import coded
from pinned import pinned

from benchmarks.longitudinal import smallest_by_hand, tried, write_rows
from policy_sim.records.formats import column_values
from policy_sim.release.linkable import person_column


@pytest.mark.slow
@pytest.mark.parametrize("seed", pinned(range(0, 300, 30), range(300)))
def test_every_part_of_a_persons_rows_is_of_as_many_people(seed):
    assert tried(seed)[1] == []


def test_the_recount_finds_who_is_alone_by_two_rows(tmp_path):
    """Each row is of two people; both rows of the first are of nobody else."""
    rows = [("a", "30"), ("a", "40"), ("b", "30"), ("b", "50"), ("c", "40"), ("c", "50"), ("d", "30"), ("d", "50")]
    write_rows(tmp_path / "f.csv", [[who, age, "F", "441", "2020"] for who, age in rows])
    assert [smallest_by_hand(tmp_path / "f.csv", known) for known in ("1", "2", "all")] == [2, 1, 1]


# Which column says whose rows are whose.

_PEOPLE = range(90)
_WHOSE = [person for person in _PEOPLE for _ in range(person % 3 + 1)]
_NAMES = [
    f"{last}, {first}" for last in ("Baker", "Carter", "Dawson") for first in ("Ann", "Bob", "Cleo", "Dan", "Eve")
]
_ROWS = {
    "sex": ["FM"[(person * 7 // 3) % 2] for person in _WHOSE],
    "birth_date": [f"{1940 + person % 60}-{person % 12 + 1:02}-{person % 28 + 1:02}" for person in _WHOSE],
    "name": [_NAMES[person % len(_NAMES)] for person in _WHOSE],
    "number": [f"{7_301_115 + 13 * person}" for person in _WHOSE],
    "row": [f"{9_100_207 + 31 * at}" for at in range(len(_WHOSE))],
    "visit": [f"{at % 40 + 1}" for at in range(len(_WHOSE))],
    "one name each": [f"{first}{chr(97 + person)} Lee" for person in _WHOSE for first in ("Mo",)],
}


@pytest.mark.parametrize(
    ("names", "person"),
    [
        ({"patient name": "name", "MRN": "number"}, "MRN"),
        ({"patient name": "name", "Med Rec #": "number"}, "Med Rec #"),
        ({"patient name": "name", "MRN": "row"}, ""),  # by its number each row is a person
        ({"patient name": "name"}, "patient name"),
        ({"patient name": "one name each", "study_no": "number"}, "study_no"),
        ({"pt": "number"}, "pt"),
        ({"Subject": "number", "patient name": "name"}, "Subject"),
        ({"pt": "visit"}, ""),  # prothrombin time, say: it goes with no one's sex and birth
        ({"PT": "row"}, ""),
    ],
)
def test_a_number_says_whose_rows_are_whose_before_a_name(names, person):
    table = coded({"sex": _ROWS["sex"], "birth_date": _ROWS["birth_date"]} | {n: _ROWS[of] for n, of in names.items()})
    assert person_column({name: column_values(name, table[name]) for name in table.names}, table) == person
