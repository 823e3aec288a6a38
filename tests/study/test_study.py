"""The door of Python: every call either works or says in one of our own errors what is allowed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hostile_doors import study
from small_people import small

from policy_sim import PolicySimError, Study
from policy_sim.attackers import GENERAL
from policy_sim.model.measure import Measure
from policy_sim.words.states import STATES

# Arguments as a reader may write them; each question with arguments that work is a door of hostile_doors.
COMPARED = {
    "states": [
        *("OH", ["OH"], "oh", ["Ohio", "wyoming"], "39", STATES["OH"], {"OH"}, ["OH", "ohio"], pd.Series(["OH"])),
        (state for state in ["OH"]),
    ],
    "policies": ["safe-harbor", "birth=year+geography=state"],
    "attackers": ["voter", ["VOTER", "General"], GENERAL],
    "g": [5, np.int64(5), np.array([1, 5]), range(1, 4)],
}
MADE_OF = [
    *({"lists": 2026}, {"lists": "2008"}, {"days_per_year": 365}, {"adversary": "academic"}, {"as_of": "2009-01-01"}),
    *({"as_of": dt.date(2009, 1, 1)}, {"as_of": dt.datetime(2009, 1, 1, 12)}),
]
BAD = {
    "explore than two": lambda s: s.explore("OH", than=["safe-harbor", "limited-dataset"]),
    "explore than nothing known": lambda s: s.explore("OH", than="nope"),
    "a state that is none": lambda s: s.compare(states="Atlantis"),
    "a state that is not here": lambda s: s.compare(states="TX"),
    "a policy that is none": lambda s: s.compare(policies="safe-harbour"),
    "a policy file that is none": lambda s: s.compare(policies=Path("nowhere.toml")),
    "an attacker that is none": lambda s: s.compare(attackers="journalist"),
    "a form of the rules that is none": lambda s: s.compare(rules="strict"),
    "trust of an unknown policy": lambda s: s.compare(states="OH").trust("a", "safe-harbor"),
    "profile of an unknown state": lambda s: s.compare(states="OH").profile("ZZ", "safe-harbor", "voter"),
    "map of an unknown policy": lambda s: s.compare(states="OH").map("nope"),
    "changes of an unknown item": lambda s: s.what_if("OH", {"hair": "brown"}),
    "changes to an unknown value": lambda s: s.what_if("OH", {"birth": "hour"}),
    "county costs nowhere": lambda s: s.county_costs("ZZ"),
    "effects of two policies": lambda s: s.marginal_effects(["safe-harbor", "limited-dataset"]),
    "a census day too early": lambda s: s.synthesize("OH", census_day="0001-01-01"),
    "population unknown": lambda _: Study("us-1800").compare(),
    "lists unknown number": lambda _: Study(small(), lists=1999),
    "adversary unknown": lambda _: Study(small(), adversary="villain").compare(states="OH"),
    "engine unknown": lambda _: Study("nowhere.parquet", engine="abacus").compare(),
    "a measure that is none": lambda _: Measure("risk"),
    "a measure without g": lambda _: Measure("g-distinct"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [(name, value) for name in COMPARED for value in COMPARED[name]])
def test_a_comparison_takes_what_reads_naturally(name, value):
    assert len(study().compare(**{name: value}))


@pytest.mark.parametrize("made_of", MADE_OF, ids=str)
def test_a_study_is_made_of_what_reads_naturally(made_of):
    assert len(Study(small(), **made_of).compare("safe-harbor", "voter", "ohio", 1))


@pytest.mark.parametrize("call", BAD.values(), ids=BAD)
def test_what_cannot_work_is_one_of_our_errors(call):
    with pytest.raises(PolicySimError) as caught:
        call(study())
    message = str(caught.value)
    assert message
    assert "--" not in message, "an option of the command line does not exist in Python"
    assert "\n" not in message
    assert len(message) < 1_500


def test_one_value_and_a_list_of_it_ask_the_same():
    one, many = (
        study().compare("safe-harbor", "voter", "ohio", 5),
        study().compare(["safe-harbor"], ["voter"], ["OH"], [5]),
    )
    pd.testing.assert_frame_equal(one.to_frame(), many.to_frame())
