"""A study of three small states, computed once."""

import datetime as dt

import pytest

from policy_sim import Study
from policy_sim.briefs.evidence import Evidence

DAY = dt.date(2026, 11, 22)


@pytest.fixture(scope="session")
def small_study():
    people = Study("us-2020").people.in_states(("DE", "RI", "VT"))
    return Study(people, lists=2026)


@pytest.fixture(scope="session")
def evidence(small_study):
    return Evidence.of(small_study, "DE", 1000, date=DAY)
