from __future__ import annotations

import tomllib

import pytest

from policy_sim.building.held_out_errors import HeldOutError, to_facts
from policy_sim.building.tables import JOINT_TABLES
from policy_sim.model.model_error import model_errors
from policy_sim.people.facts import populations_frame

ERRORS = [
    HeldOutError(("us-2000",), JOINT_TABLES[0], 0.0123456, {"birth=year": {"total-risk": -0.01, "1-distinct": 0.5}}),
    HeldOutError(("us-2020", "us-2022"), JOINT_TABLES[-1], 0.0, {"a+b": {"5-distinct": 1e-7}}, ", from a fit"),
]


def test_facts_are_read_back_as_they_were_measured():
    found = tomllib.loads(to_facts(ERRORS))["error"]
    assert len(found) == 2
    for read, error in zip(found, ERRORS, strict=True):
        assert tuple(read["populations"]) == error.populations
        assert read["measured"] == error.measured
        assert read["misplaced"] == pytest.approx(error.misplaced, abs=5e-7)
        assert set(read["relative"]) == set(error.relative)
        for key, measures in error.relative.items():
            assert read["relative"][key] == pytest.approx(measures, abs=5e-7)


def test_where_it_was_measured_names_state_census_and_what_else_differs():
    table = JOINT_TABLES[-1]
    assert ERRORS[1].measured == f"{table.name} {table.year}, fitted without its joint table, from a fit"


def test_every_shipped_error_names_a_table_that_can_be_held_out_and_populations_that_ship():
    places = tuple(f"{table.name} {table.year}, fitted without its joint table" for table in JOINT_TABLES)
    shipped = set(populations_frame()["population"])
    for error in model_errors():
        assert error.measured.startswith(places)
        assert set(error.populations) <= shipped
