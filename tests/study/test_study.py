"""The door of Python: every call either works or says in one of our own errors what is allowed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hostile_doors import people, study

from policy_sim import Policy, PolicySimError, Price, Study
from policy_sim.attackers import GENERAL
from policy_sim.model.measure import Bounds, Measure
from policy_sim.words.states import STATES

# Each entry: a call on the study; whether it works. "?" leaves both open, as long as an error is ours.
FINE = {
    "states as one code": lambda s: s.compare(states="OH"),
    "states as a list": lambda s: s.compare(states=["OH"]),
    "states in small letters": lambda s: s.compare(states="oh"),
    "states by name": lambda s: s.compare(states=["Ohio", "wyoming"]),
    "states by FIPS code": lambda s: s.compare(states="39"),
    "states as State": lambda s: s.compare(states=STATES["OH"]),
    "states as a set": lambda s: s.compare(states={"OH"}),
    "states from a generator": lambda s: s.compare(states=(x for x in ["OH"])),
    "states twice": lambda s: s.compare(states=["OH", "ohio"]),
    "states as a Series": lambda s: s.compare(states=pd.Series(["OH"])),
    "policies as one name": lambda s: s.compare(policies="safe-harbor"),
    "policies as a line": lambda s: s.compare(policies="birth=year+geography=state"),
    "attackers as one name": lambda s: s.compare(attackers="voter"),
    "attackers in capitals": lambda s: s.compare(attackers=["VOTER", "General"]),
    "attackers as an attacker": lambda s: s.compare(attackers=GENERAL),
    "g as one number": lambda s: s.compare(g=5),
    "g as a numpy number": lambda s: s.compare(g=np.int64(5)),
    "g as an array": lambda s: s.compare(g=np.array([1, 5])),
    "g as a range": lambda s: s.compare(g=range(1, 4)),
    "cost of one state": lambda s: s.cost(states="OH"),
    "cost under one policy": lambda s: s.cost("safe-harbor", "OH"),
    "curves by name": lambda s: s.curves("ohio", g_max=3),
    "breakdown": lambda s: s.break_down("race", "safe-harbor", "general", "OH", 1),
    "explore one state": lambda s: s.explore("OH"),
    "explore by g": lambda s: s.explore("OH", risk="distinct_7"),
    "explore by a measure": lambda s: s.explore("OH", risk=Measure.distinct(7), g=7),
    "explore by its name": lambda s: s.explore("OH", risk="5-distinct"),
    "what if": lambda s: s.what_if("OH", {"birth": "year"}),
    "marginal effects of one state": lambda s: s.marginal_effects(states="OH"),
    "checks of one state": lambda s: s.check_release("safe-harbor", "OH"),
    "sensitivity of every state": lambda s: s.sensitivity(policies="safe-harbor", attackers="general", g=1),
    "sensitivity": lambda s: s.sensitivity("ohio", "safe-harbor", "general", 1),
    "simulate": lambda s: s.simulate("OH", "safe-harbor", "general", runs=2),
    "synthesize": lambda s: s.synthesize("OH", people=3, census_day="2020-04-01"),
    "profile by name": lambda s: s.compare(states="OH").profile("ohio", "safe-harbor", "voter"),
    "people by name": lambda s: s.compare(states="OH")[0].people("5-distinct"),
    "lists as a number": lambda _: Study(people(), lists=2026).voter,
    "lists as text": lambda _: Study(people(), lists="2008").voter,
    "as_of as text": lambda _: Study(people(), as_of="2009-01-01").voter,
    "as_of as a date": lambda _: Study(people(), as_of=dt.date(2009, 1, 1)).voter,
    "as_of as a moment": lambda _: Study(people(), as_of=dt.datetime(2009, 1, 1, 12)).voter,
    "days as a whole number": lambda _: Study(people(), days_per_year=365).compare(states="OH"),
    "an adversary by name": lambda _: Study(people(), adversary="academic").compare(states="OH"),
}
BAD = {
    "explore than two": lambda s: s.explore("OH", than=["safe-harbor", "limited-dataset"]),
    "explore than nothing known": lambda s: s.explore("OH", than="nope"),
    "a state that is none": lambda s: s.compare(states="Atlantis"),
    "a state that is not here": lambda s: s.compare(states="TX"),
    "a policy that is none": lambda s: s.compare(policies="safe-harbour"),
    "a policy file that is none": lambda s: s.compare(policies=Path("nowhere.toml")),
    "an attacker that is none": lambda s: s.compare(attackers="journalist"),
    "a policy twice": lambda s: s.compare(policies=["safe-harbor", "safe-harbor"]),
    "a form of the rules that is none": lambda s: s.compare(rules="strict"),
    "cost of nobody with a list": lambda s: s.cost_of(s.compare(attackers="general", states="OH")),
    "trust of an unknown policy": lambda s: s.compare(states="OH").trust("a", "safe-harbor"),
    "profile of an unknown state": lambda s: s.compare(states="OH").profile("ZZ", "safe-harbor", "voter"),
    "people of an unknown measure": lambda s: s.compare(states="OH")[0].people("total-riks"),
    "share of another g": lambda s: s.compare(states="OH", g=5)[0].share("7-distinct"),
    "map of an unknown policy": lambda s: s.compare(states="OH").map("nope"),
    "changes of an unknown item": lambda s: s.what_if("OH", {"hair": "brown"}),
    "changes to an unknown value": lambda s: s.what_if("OH", {"birth": "hour"}),
    "county costs nowhere": lambda s: s.county_costs("ZZ"),
    "effects of two policies": lambda s: s.marginal_effects(["safe-harbor", "limited-dataset"]),
    "a census day too early": lambda s: s.synthesize("OH", census_day="0001-01-01"),
    "population unknown": lambda _: Study("us-1800").compare(),
    "lists unknown": lambda _: Study(people(), lists="1999"),
    "lists unknown number": lambda _: Study(people(), lists=1999),
    "lists and as_of": lambda _: Study(people(), lists="2026", as_of="2020-01-01"),
    "coverage unknown": lambda _: Study(people(), coverage="children"),
    "adversary unknown": lambda _: Study(people(), adversary="villain").compare(states="OH"),
    "engine unknown": lambda _: Study("nowhere.parquet", engine="abacus").compare(),
    "a measure that is none": lambda _: Measure("risk"),
    "a measure without g": lambda _: Measure("g-distinct"),
    "a measure with a g too many": lambda _: Measure("total-risk", 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", FINE.values(), ids=FINE)
def test_what_reads_naturally_works(call):
    assert call(study()) is not None


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


def test_policies_and_prices_are_at_the_front_door():
    assert Policy.__name__ == "Policy"
    assert Price("free").usd().usd == 0
    assert Bounds.exactly(1.0).low == 1
