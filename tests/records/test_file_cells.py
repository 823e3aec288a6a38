"""Every record has a cell or a reason."""

import datetime as dt

import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.records.census_groups import people_of_groups
from policy_sim.records.classes import Classes
from policy_sim.records.column_mapping import ColumnMapping, FieldColumn
from policy_sim.records.file_cells import file_cells

DAY = dt.date(2020, 4, 1)


def _cells(rows, fields, states=(), mapping=None):
    classes = Classes.of_rows(rows, fields)
    values = {name: sorted({row[i] for row in rows if row[i] is not None}) for i, name in enumerate(fields)}
    return file_cells(classes, values, mapping or ColumnMapping(), states, DAY)


def test_the_state_comes_from_the_county():
    cells = _cells([("39001", "30")], ("county", "age"))
    assert cells.rows.loc[0, ["state", "county", "age", "records"]].tolist() == ["OH", "39001", 30, 1]
    assert cells.outside.tolist() == [""]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("39001", "OH", None), "age is missing"),
        (("39001", "OH", "old"), "age is not understood"),
        (("99001", "OH", "30"), "the county is in no state"),
        (("21001", "OH", "30"), "the county lies in another state"),
        (("21001", "KY", "30"), "in another state than those named"),
        (("39001", "OH", "30"), ""),
    ],
)
def test_why_a_record_has_no_cell(row, reason):
    assert _cells([row], ("county", "state", "age"), states=("OH",)).outside.tolist() == [reason]


def test_without_a_place_one_state_must_be_named():
    assert _cells([("30",)], ("age",), states=("OH",)).rows["state"].tolist() == ["OH"]
    for states in ((), ("OH", "KY")):
        with pytest.raises(InputError, match="name one state"):
            _cells([("30",)], ("age",), states=states)


def test_the_mappings_day_goes_before_the_populations():
    mapping = ColumnMapping({"birth_date": FieldColumn("born")}, reference_date=dt.date(2030, 4, 1))
    assert _cells([("2000-01-01",)], ("birth_date",), ("OH",), mapping).rows["age"].tolist() == [30]


def test_ages_above_the_top_are_in_its_class():
    mapping = ColumnMapping({"age": FieldColumn("age", top=90)})
    cells = _cells([("90+",), ("95",), ("89",)], ("age",), ("OH",), mapping)
    assert (sorted(cells.rows["age"]), cells.top) == ([89, 90, 90], 90)


@pytest.mark.parametrize("value", [None, "old"])
def test_an_age_that_is_not_known_stays_so_beside_a_top_class(value, small_population):
    mapping = ColumnMapping({"age": FieldColumn("age", top=90)})
    cells = _cells([("95",), (value,)], ("age",), ("OH",), mapping)
    assert sorted(cells.rows["age"], key=str) == [90, None]
    assert people_of_groups(cells, small_population(), Granularities(birth="year")).people.min() == 0
