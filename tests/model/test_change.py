from __future__ import annotations

import pandas as pd
import pytest
from placed_people import placed

from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.groups import Groups
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.model.breakdown import area_change_frame
from policy_sim.model.compare import Comparison, RiskChange, changes
from policy_sim.model.explore.axes import entropy_bits
from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Figure, RiskProfile
from policy_sim.people.population import Provenance
from policy_sim.rules.release_check import Checked
from policy_sim.words.errors import IncompatibleError

TOTAL = Measure("total-risk")


def _profile(population, people=None, inhabitants=100, status="ok", state="DE", **facts):
    figures = {} if people is None else {TOTAL: Figure(people)}
    named = {"policy": "p", "attacker": "voter", "lists": "2026", "linkage_key": "k", "reason": "", **facts}
    return RiskProfile(
        state=state, population=population, inhabitants=inhabitants, status=status, figures=figures, **named
    )


def _comparison(population, *profiles):
    provenance = Provenance(population, "t", "p", "2000", "h", 1.0, 0.0, 0.0)
    return Comparison(provenance, (), profiles)


def test_shares_are_of_each_population_s_own_people():
    before = _profile("us-2000", Bounds.exactly(10.0), inhabitants=100)
    after = _profile("us-2010", Bounds.exactly(30.0), inhabitants=200)
    change = RiskChange(before, after, TOTAL)
    assert change.difference == Bounds.exactly(pytest.approx(0.05))
    assert change.status == "ok"


def test_unknown_fields_are_withheld_or_released_in_both():
    before = _profile("a", Bounds(10.0, 50.0), status="interval", reason="sex is not known")
    after = _profile("b", Bounds(20.0, 55.0), status="interval", reason="sex is not known")
    change = RiskChange(before, after, TOTAL)
    assert change.difference == Bounds(pytest.approx(0.10), pytest.approx(0.05))
    assert (change.status, change.reason) == ("interval", "sex is not known")


def test_no_list_is_no_figure_and_not_zero():
    before = _profile("a", status="not_sold", reason="nobody sells one")
    change = RiskChange(before, _profile("b", Bounds.exactly(1.0)), TOTAL)
    assert change.difference is None
    row = change.to_frame().iloc[0]
    assert row["difference"] is pd.NA
    assert (row["status"], row["reason"]) == ("not_sold", "nobody sells one")


@pytest.mark.parametrize("fact", ["state", "policy", "attacker", "lists"])
def test_what_differs_otherwise_is_not_compared(fact):
    before, after = _profile("a", Bounds.exactly(1.0)), _profile("b", Bounds.exactly(1.0), **{fact: "other"})
    with pytest.raises(IncompatibleError, match=f"same {fact}"):
        RiskChange(before, after, TOTAL)


def test_pairs_follow_the_later_comparison_and_skip_what_one_lacks():
    early = _comparison("a", *(_profile("a", Bounds.exactly(1.0), state=state) for state in ("DE", "OH")))
    late = _comparison("b", *(_profile("b", Bounds.exactly(2.0), state=state) for state in ("PR", "OH", "DE")))
    frame = RiskChange.table(changes(early, late))
    assert list(frame["state"]) == ["OH", "DE"]
    assert set(frame["before"]) == {"a"}
    assert set(frame["after"]) == {"b"}
    assert (frame["difference"] == 0.01).all()


def test_nothing_in_common_is_an_error():
    with pytest.raises(IncompatibleError, match="no state, policy and attacker in common"):
        changes(
            _comparison("a", _profile("a", Bounds.exactly(1.0), state="DE")),
            _comparison("b", _profile("b", Bounds.exactly(1.0), state="OH")),
        )


def test_two_populations_of_one_name_are_not_compared():
    here = _comparison("people", _profile("people", Bounds.exactly(1.0)))
    with pytest.raises(IncompatibleError, match="both populations are called people"):
        changes(here, here)


def _rows(population, **counties):
    """Rows of a breakdown by county: (members, people at risk, the same with unknown fields released)."""
    rows = [
        ("VA", county[1:], "p", "voter", "total-risk", pd.NA, members, people, high, population, status, pd.NA)
        for county, (members, people, high, status) in counties.items()
    ]
    names = ["state", "value", "policy", "attacker", "measure", "g", "members", "people", "people_high"]
    table = pd.DataFrame(rows, columns=[*names, "population", "status", "reason"])
    return table.astype({"g": "Int64", "members": "Int64", "people": "Float64", "people_high": "Float64"})


def test_counties_are_added_up_to_areas_of_the_same_borders():
    # 51560 became part of 51005: 10 of 100 and 2 of 20 people at risk, then 30 of 150.
    before = _rows("a", c51005=(100, 10, 10, "ok"), c51560=(20, 2, 2, "ok"), c51001=(50, 5, 5, "ok"))
    after = _rows("b", c51005=(150, 30, 30, "ok"), c51001=(50, 10, 20, "interval"), c51003=(9, 9, 9, "ok"))
    found = area_change_frame(before, after, {"51560": "51005", "51005": "51005"}).set_index("area")
    assert set(found.index) == {"51005", "51001"}  # 51003 is in one population only
    joined = found.loc["51005"]
    assert joined["counties"] == "51005 51560"
    assert (joined["members_before"], joined["members_after"]) == (120, 150)
    assert joined["difference"] == pytest.approx(30 / 150 - 12 / 120)
    assert (joined["before"], joined["after"]) == ("a", "b")
    assert found.loc["51001", "difference_high"] == pytest.approx(20 / 50 - 5 / 50)
    assert found.loc["51001", "status"] == "interval"


def test_an_area_without_a_list_has_no_figure_and_is_not_zero():
    before = _rows("a", c51001=(50, pd.NA, pd.NA, "not_sold"))
    after = _rows("b", c51001=(50, pd.NA, pd.NA, "not_sold"))
    found = area_change_frame(before, after, {})
    assert found["difference"].isna().all()
    assert found["status"].tolist() == ["not_sold"]


def test_populations_without_a_county_in_common_are_refused():
    with pytest.raises(IncompatibleError, match="no county"):
        area_change_frame(_rows("a", c51001=(1, 1, 1, "ok")), _rows("b", c51003=(1, 1, 1, "ok")), {})


# Entropy of a release, counted and placed by chance.


def test_by_hand():
    assert entropy_bits(Groups.of([1, 1, 2])).tolist() == [1.5]
    assert entropy_bits(Groups.of([8], [4])).tolist() == [2.0]


def test_a_place_by_chance_adds_its_own_entropy():
    alone = entropy_bits(Groups.of([6, 2]))[0]
    for kind in (CountyPartGroups, PlacedGroups):
        assert entropy_bits(placed(kind, [6, 2], [0.5, 0.5]))[0] == pytest.approx(alone + 1.0)


def test_two_parts_of_one_place_are_one_place():
    one = placed(PlacedGroups, [6, 2], [0.5, 0.5], place=[0, 0])
    assert entropy_bits(one)[0] == pytest.approx(entropy_bits(Groups.of([6, 2]))[0])


def test_shares_are_of_all_cells_and_of_all_people():
    (row,) = Checked("OH", "at least 11", 40.0, 10.0, 400, 20.0).to_frame().to_dict("records")
    assert (row["cells_withheld_share"], row["people_withheld_share"], row["passes"]) == (0.25, 0.05, False)
