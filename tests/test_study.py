"""States x policies x attackers, by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers import GENERAL, VoterList, voter
from policy_sim.attackers.price import Price
from policy_sim.attackers.voter_list import ListField
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.fields import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import Population, Provenance, check_cells
from policy_sim.profile import Bounds, Measure
from policy_sim.study import compare, costs, curves

SAFE = Policy("safe", "t", Granularities(gender="value", race="value", birth="year", geography="state"), "c")
LIMITED = Policy("limited", "t", Granularities(gender="value", race="value", birth="date", geography="county"), "c")
PLACE = Policy("place", "t", Granularities(geography="county"), "c")
ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 3),
    ("OH", "39001", "F", 30, 1, "white", 1),
    ("OH", "39003", "F", 30, 1, "white", 1),
    ("OH", "39003", "F", 31, 1, "black", 2),
    ("WV", "54001", "M", 40, 1, "white", 5),
    ("WV", "54003", "M", 41, 1, "white", 2),
]
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"), Provenance("made", "made", "", "", "", 1, 0, 0)
)


def listed(state: str, price: Price, **fields: str) -> VoterList:
    facts = {
        name: ListField(*({"no": ("withheld",), "unknown": ("unknown",)}.get(text, ("included", text))))
        for name, text in fields.items()
    }
    return VoterList(state, "2026", "available", fields=facts, price=price)


NO = dict.fromkeys(("gender", "race", "birth", "geography", "zip", "party"), "no")
LISTS = {
    "OH": listed("OH", Price("flat", base_usd=30), **NO | {"birth": "year", "race": "unknown"}),
    "WV": listed("WV", Price("schedule", usd_per_county=8, usd_per_record=1), **NO | {"geography": "county"}),
}
TOTAL = Measure("total-risk")


def test_by_hand():
    study = compare(PEOPLE, [SAFE, LIMITED], [GENERAL, voter(LISTS)], g=[1, 2])
    ohio = study.profile("OH", "safe", "general")
    # Groups of the state: white men of 30 (3), white women of 30 (2), black women of 31 (2).
    assert ohio.people(TOTAL) == Bounds(3, 3)
    assert ohio.people(Measure("g-distinct", 1)) == Bounds(0, 0)
    assert ohio.people(Measure("g-distinct", 2)) == Bounds(4, 4)
    assert ohio.share(Measure("g-distinct", 2)) == Bounds(4 / 7, 4 / 7)
    # By date, three men share a birthday group of 365 bins.
    men = 365 * (1 - (364 / 365) ** 3)
    women = 365 * (1 - (364 / 365) ** 2)
    assert study.profile("OH", "limited", "general").people(TOTAL).low == pytest.approx(men + 1 + 1 + women, rel=1e-12)


def test_an_unknown_field_gives_both_ends():
    study = compare(PEOPLE, [SAFE, LIMITED], [voter(LISTS)], g=[2])
    ohio = study.profile("OH", "safe", "voter")
    assert (ohio.status, ohio.linkage_key) == ("interval", "birth=year+geography=state[+race]")
    # Born in 30: five people; in 31: two. With race: the same two groups.
    assert ohio.people(TOTAL) == Bounds(2, 2)
    assert "race" in ohio.reason


def test_county_lists_put_one_person_a_county_at_risk():
    study = compare(PEOPLE, [SAFE, PLACE], [voter(LISTS)], states=["WV"])
    assert study.profile("WV", "place", "voter").people(TOTAL) == Bounds(2, 2)
    assert study.profile("WV", "safe", "voter").people(TOTAL) == Bounds(1, 1)


def test_a_schedule_is_worked_out_for_the_analysed_people():
    study = compare(PEOPLE, [PLACE], [voter(LISTS)])
    cost = {c.profile.state: c for c in costs(study, PEOPLE, voter(LISTS))}
    assert cost["WV"].price_usd == 2 * 8 + 7
    assert cost["WV"].usd_per_reidentification == Bounds(23 / 2, 23 / 2)
    assert cost["OH"].usd_per_reidentification == Bounds(30, 30)


def test_no_list_is_a_status_and_no_figure():
    study = compare(PEOPLE, [SAFE], [voter({"OH": VoterList("OH", "2008", "county_only")}, "2008")])
    for state, status in (("OH", "county_only"), ("WV", "unknown")):
        profile = study.profile(state, "safe", "voter")
        assert (profile.status, dict(profile.values)) == (status, {})
        assert profile.reason
    frame = study.to_frame()
    assert frame["people"].isna().all()
    assert frame["share_high"].isna().all()


def test_trust_is_undefined_where_nobody_is_at_risk_below():
    study = compare(PEOPLE, [SAFE, LIMITED], [GENERAL], states=["WV"], g=[1, 5])
    ratios = {str(trust.measure): trust for trust in study.trust("limited", "safe")}
    assert ratios["1-distinct"].status == "undefined"
    assert ratios["1-distinct"].ratio is None
    assert "division by 0" in ratios["1-distinct"].reason
    assert ratios["5-distinct"].ratio == Bounds(1, 1)
    assert ratios["total-risk"].ratio.low == pytest.approx(
        365 * (2 - (364 / 365) ** 5 - (364 / 365) ** 2) / 2, rel=1e-12
    )


def test_a_curve_is_the_comparison_at_every_g():
    attackers = [GENERAL, voter(LISTS)]
    study = compare(PEOPLE, [SAFE, LIMITED], attackers, g=range(1, 8))
    for curve in curves(PEOPLE, [SAFE, LIMITED], attackers, g_max=7):
        profile = study.profile(curve.state, curve.policy, curve.attacker)
        expected = [profile.share(Measure("g-distinct", g)).low for g in range(1, 8)]
        np.testing.assert_allclose(curve.low, expected, rtol=1e-11)


def test_states_studied_alone_or_together_get_the_same_figures():
    attackers = [GENERAL, voter(LISTS)]
    together = compare(PEOPLE, [SAFE, LIMITED], attackers)
    for state in ("OH", "WV"):
        alone = compare(PEOPLE, [SAFE, LIMITED], attackers, states=[state])
        assert alone.profiles == tuple(p for p in together if p.state == state)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"g": [0]}, InputError, "1 or more"),
        ({"g": []}, InputError, "1 or more"),
        ({"states": ["ZZ"]}, UnknownNameError, "'ZZ'"),
    ],
)
def test_wrong_questions_are_told_what_was_allowed(options, error, text):
    with pytest.raises(error, match=text):
        compare(PEOPLE, [SAFE], [GENERAL], **options)


def test_a_policy_named_twice_is_refused():
    with pytest.raises(InputError, match="given twice"):
        compare(PEOPLE, [SAFE, SAFE], [GENERAL])
