"""One assumption at a time: what moves, by how much, and in which order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pinned import pinned

from policy_sim.attackers import ADULTS, GENERAL, VoterList, covered, voter
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import Measure
from policy_sim.model.sensitivity import Assumptions, MeasuredError, sensitivity, sensitivity_frame
from policy_sim.people.by_name import load_population
from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.list_field import ListField
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES

SAFE = Policy("safe", "t", Granularities(gender="value", birth="year", geography="state"), "c")
LIMITED = Policy("limited", "t", Granularities(gender="value", birth="date", geography="county"), "c")
TOTAL = Measure("total-risk")
LISTS = voter(
    {"OH": VoterList("OH", "x", "available", fields={"birth": ListField("included", "year"), "gender": ListField()})},
    "x",
)


def population(name: str, scale: int = 1) -> Population:
    rng = np.random.default_rng(9)
    rows = [
        ("OH", county, sex, age, 1, int(n) * scale)
        for county in ("39001", "39003")
        for sex in "MF"
        for age, n in zip(range(100), rng.integers(1, 40, 100), strict=True)
    ]
    columns = ["state", "county", "sex", "age", "age_width", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), "made")
    return Population(cells, Provenance(name, "made", "", "", "", 1, 0, 0))


PEOPLE = population("made")
FIT = MeasuredError("fit", "made", LIMITED.releases, "total-risk", -0.02, 0.02)
KNOWN = Assumptions(
    np.full(366, 1 / 366),
    np.full(12, 1 / 12),
    0.25,
    {"twice": population("twice", 2)},
    {"voter": [covered(LISTS, ADULTS)]},
    [FIT],
)


@pytest.fixture(scope="module")
def swings():
    return sensitivity(Cases(PEOPLE, [SAFE, LIMITED], [GENERAL, LISTS], states=["OH"], g=[1]), KNOWN)


def of(swings, policy, attacker, measure=TOTAL):
    return {s.assumption: s for s in swings if (s.policy, s.attacker, s.measure) == (policy, attacker, measure)}


@pytest.mark.slow
def test_each_change_is_the_study_made_again(swings):
    base = compare(Cases(PEOPLE, [LIMITED], [GENERAL], g=[1])).profile("OH", "limited", "general")
    found = of(swings, "limited", "general")
    assert found["leap-days"].base == pytest.approx(base.share(TOTAL).low, rel=1e-12)
    again = compare(Cases(PEOPLE, [LIMITED], [GENERAL], g=[1], days_per_year=365.25)).profile(
        "OH", "limited", "general"
    )
    assert found["leap-days"].low == found["leap-days"].high == pytest.approx(again.share(TOTAL).low, rel=1e-12)
    twice = compare(Cases(KNOWN.populations["twice"], [LIMITED], [GENERAL], g=[1])).profile("OH", "limited", "general")
    assert found["census-twice"].low == pytest.approx(twice.share(TOTAL).low, rel=1e-12)
    even = compare(Cases(PEOPLE, [LIMITED], [GENERAL], g=[1], days_per_year=366)).profile("OH", "limited", "general")
    assert found["birthdays"].low == pytest.approx(even.share(TOTAL).low, rel=1e-9)


def test_the_oldest_share_one_class(swings):
    found = of(swings, "safe", "general")["oldest"]
    # ages 0 to 89 and one class, by sex, all held
    assert found.low * PEOPLE.people == pytest.approx(2 * 91)
    assert found.base * PEOPLE.people == pytest.approx(2 * 100)


def test_whom_the_list_holds_and_what_is_not_known_of_it(swings):
    found = of(swings, "safe", "voter")
    name = next(name for name in found if name.startswith("listed-"))
    # an unknown gender is withheld at the base: ages of 18 to 99 against 0 to 99
    assert found[name].low * PEOPLE.people == pytest.approx(82)
    assert (found["unknown-fields"].low, found["unknown-fields"].high) == (
        pytest.approx(100 / PEOPLE.people),
        pytest.approx(200 / PEOPLE.people),
    )
    assert not any(name.startswith("listed-") for name in of(swings, "safe", "general"))


def test_measured_errors_apply_to_their_key_and_measure_alone(swings):
    found = of(swings, "limited", "general")["fit"]
    assert (found.low, found.high) == (pytest.approx(0.98 * found.base), pytest.approx(1.02 * found.base))
    assert "fit" not in of(swings, "safe", "general")
    assert "fit" not in of(swings, "limited", "general", Measure("g-distinct", 1))


def test_what_moves_nothing_is_left_out_and_the_rest_is_ranked(swings):
    assert "birthdays" not in of(swings, "safe", "general")
    # single years: who is alone is not left to chance, whom the attacker picks is
    assert "chance" not in of(swings, "safe", "general", Measure("g-distinct", 1))
    assert "chance" in of(swings, "safe", "general")
    assert "birth-years" not in of(swings, "limited", "general")
    frame = sensitivity_frame(swings)
    known = frame[frame["share"] > 0]
    assert known[["change_low", "change_high"]].notna().all(axis=None)
    assert frame[frame["share"] == 0]["change_low"].isna().all()
    for _, part in known.groupby(["policy", "attacker", "measure", "g"], dropna=False):
        furthest = part[["change_low", "change_high"]].abs().max(axis=1).to_numpy(dtype=float)
        assert (np.diff(furthest) <= 1e-12).all()
        assert part["rank"].tolist() == list(range(1, len(part) + 1))


@pytest.mark.slow
def test_states_at_once_have_the_swings_of_each_and_say_how_far_they_are():
    """All states at once, with ZIP codes: every state as when it is asked about alone; a word after each change."""
    from policy_sim.study.study import Study

    states = pinned(["DE", "WY"], [*STATES])
    study, told = Study(load_population("us-2010").in_states(states), 2026), []
    nation = study.sensitivity(None, g=1, tell=told.append).to_frame()
    assert told == list(range(1, len(told) + 1))
    assert len(told) >= 6
    assert nation["state"].nunique() == len(states)
    for state in pinned(["DE"], ["DE", "IL"]):
        alone = study.sensitivity(state, g=1).to_frame()
        here = nation[nation["state"] == state].reset_index(drop=True)
        pd.testing.assert_frame_equal(here, alone, rtol=1e-9)
    written = nation[nation["policy"] == "limited-dataset"]
    assert {"rules-paper", "in-file", "leap-days", "oldest", "chance", "fit"} <= set(written["assumption"])
    safe = nation[nation["policy"] == "safe-harbor"]
    assert not {"leap-days", "oldest"} & set(safe["assumption"]), "years of birth, and a class from 90 on, already"
