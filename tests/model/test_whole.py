"""A file of several states: each state as by itself, the whole their sum, and merged where no state is shown."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim import Study
from policy_sim.attackers.in_file import Catchment, InFile
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS, PRECISION, TOTAL_RISK
from policy_sim.words.errors import InputError

BOTH = "OH: Lucas=60%, Wood=16%, Fulton=7%; MI: Monroe, Lenawee"
POLICIES = ("safe-harbor", "limited-dataset")


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def both(study):
    return study.compare(POLICIES, in_file=InFile.of(4200, BOTH), g=(1, 5))


def test_places_of_several_states_are_read_in_any_form():
    expected = (("OH: Lucas", 0.6), ("OH: Wood", None), ("MI: Monroe", None))
    for text in (
        "OH: Lucas=60%, Wood; MI: Monroe",
        "Ohio: Lucas=0.6,Wood;Michigan: Monroe",
        "Lucas, OH=60%, Wood, OH, Monroe, MI",
        ["Lucas, OH=60%", "OH: Wood", "Monroe (Michigan)"],
        {"Lucas, OH": 0.6, "Wood, OH": None, "MI: Monroe": None},
    ):
        assert Catchment.of(text).places == expected
    places = Catchment.of(expected and dict(expected))
    assert [(place.name, place.share) for place in places.by_state(None)["OH"]] == [("39095", 0.6), ("39173", None)]
    assert list(places.by_state(["MI"])) == ["MI", "OH"]  # the state that is asked about comes first
    assert list(Catchment.of("26115,39095").by_state(None)) == ["MI", "OH"]


@pytest.mark.parametrize(
    ("places", "states", "message"),
    [
        ("Lucas,Wood", None, "name the state"),
        ("Lucas,Monroe", ["OH", "MI"], "Monroe is a county of Ohio and Michigan"),
        ("Lucas,Nowhere", ["OH", "MI"], "Nowhere is no county of Ohio and Michigan"),
        ("Lucas", ["OH", "MI"], "no place is in Michigan"),
        ("OH: Lucas; ZZ: Monroe", None, "state 'ZZ' is not known"),
        ("OH: Lucas; MI:", None, "name counties"),
        ("OH: Lucas=60%; MI: Monroe=30%", None, "add up to 90%"),
    ],
)
def test_places_that_leave_the_state_open_are_one_line(places, states, message):
    with pytest.raises(InputError, match=message):
        Catchment.of(places).by_state(states)


def test_a_name_that_a_bordering_state_shares_is_said():
    said = Catchment.of("Lucas,Monroe").shared_names(["OH"])
    assert said.startswith("Monroe is Ohio's")
    assert all(state in said for state in ("Indiana", "Kentucky", "Michigan", "Pennsylvania", "West Virginia"))
    assert "IN: Monroe" in said
    assert not Catchment.of("OH: Lucas, Monroe").shared_names(["OH"])


def test_each_state_has_the_figures_that_it_has_by_itself(study, both):
    people = {state: both.profile(state, "safe-harbor", "voter").records for state in ("OH", "MI")}
    assert people["OH"] == pytest.approx(0.83 * 4200)
    for state, places in (("OH", {"Lucas": 60 / 83, "Wood": 16 / 83, "Fulton": 7 / 83}), ("MI", "Monroe,Lenawee")):
        alone = study.compare(POLICIES, states=state, in_file=InFile.of(round(people[state]), places), g=(1, 5))
        for profile in alone:
            mine = both.profile(state, profile.policy, profile.attacker)
            for measure in (TOTAL_RISK, CLAIMS, CORRECT_CLAIMS):
                assert mine.people(measure).low == pytest.approx(profile.people(measure).low, rel=1e-3)


def test_the_whole_is_the_sum_of_the_states_and_precision_the_ratio_of_sums(both):
    for policy in POLICIES:
        for attacker in ("general", "voter"):
            ohio, michigan, whole = (both.profile(state, policy, attacker) for state in ("OH", "MI", "OH+MI"))
            assert whole.records == pytest.approx(4200)
            for measure in (TOTAL_RISK, CLAIMS, CORRECT_CLAIMS):
                parts = ohio.people(measure).low + michigan.people(measure).low
                assert whole.people(measure).low == pytest.approx(parts, rel=1e-12)
            if attacker == "voter":
                right, claims = whole.people(CORRECT_CLAIMS).low, whole.people(CLAIMS).low
                assert whole.share(PRECISION).low == pytest.approx(right / claims)
    rows = both.to_frame()
    assert rows.loc[rows["state"] == "OH+MI", "state_name"].unique().tolist() == ["Ohio and Michigan"]


def test_the_prices_of_the_lists_add_up(study):
    places = InFile.of(5000, "OH: Lucas; IN: Allen; WA: King")
    costs = study.cost("limited-dataset", in_file=places)
    by_state = {cost.profile.state: cost for cost in costs}
    prices = [by_state[state].price_usd for state in ("OH", "IN", "WA")]
    assert by_state["OH+IN+WA"].price_usd == (None if None in prices else sum(prices))


def test_an_attack_and_a_curve_have_a_row_of_the_whole(study):
    places = InFile.of(4200, BOTH)
    plans = study.attack(policies="limited-dataset", in_file=places).to_frame().set_index("state")
    for column in ("records", "attacked", "matched", "profit_before_price_usd"):
        assert plans.at["OH+MI", column] == pytest.approx(plans.at["OH", column] + plans.at["MI", column])
    assert plans.at["OH+MI", "precision"] == pytest.approx(plans.at["OH+MI", "matched"] / plans.at["OH+MI", "attacked"])
    rows = study.curves(None, "safe-harbor", "general", 5, in_file=places).to_frame()
    shares = {state: own["share"].to_numpy(float) for state, own in rows.groupby("state")}
    np.testing.assert_allclose(shares["OH+MI"], 0.83 * shares["OH"] + 0.17 * shares["MI"], rtol=1e-9)
    with pytest.raises(InputError, match="one state"):
        study.curves(None, "safe-harbor", "general", 5)


def test_a_policy_without_the_state_merges_the_states(study):
    """Without a field but the sex, the whole file has two groups, whoever lives in which state."""
    places = InFile.of(40, "OH: Lucas; MI: Monroe")
    whole = study.compare("gender+geography=nation", "general", in_file=places, g=(1, 30))
    assert whole.profile("OH+MI", "gender", "general").people(TOTAL_RISK).low == pytest.approx(2, 1e-6)
    by_state = [whole.profile(state, "gender", "general").people(TOTAL_RISK).low for state in ("OH", "MI")]
    residents = study.people.cells.groupby(study.people.cells["county"].astype(str))["people"].sum()
    assert by_state[0] / by_state[1] == pytest.approx(residents["39095"] / residents["26115"], rel=0.01)
    apart = study.compare("gender+geography=state", "general", in_file=places, g=1)
    assert apart.profile("OH+MI", "gender+geography=state", "general").people(TOTAL_RISK).low == pytest.approx(
        4, rel=0.1
    )


def test_a_question_of_one_state_refuses_a_file_of_several(study):
    with pytest.raises(InputError, match="one state at a time"):
        study.explore(states=["OH", "MI"], in_file=InFile.of(4200, BOTH))
