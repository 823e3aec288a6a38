"""Every policy of the lattice, and release checks of one, on people counted by hand."""

import pytest
from small_people import BY_COUNTY, BY_YEAR, small

from policy_sim import Measure, Study
from policy_sim.errors import InputError, UnknownNameError


@pytest.fixture(scope="module")
def study():
    return Study(small(), 2026)


def test_the_risk_of_a_policy_is_that_of_a_comparison(study):
    rows = study.explore("OH").to_frame().set_index("policy")
    for line in (BY_YEAR, BY_COUNTY):
        expected = study.compare(line, "general", "OH", 1).profiles[0].people("total-risk").low
        assert rows.loc[line, "total_risk"] == pytest.approx(expected)


def test_what_is_better_has_more_detail_at_no_more_risk(study):
    answer = study.explore("OH", than=BY_YEAR)
    rows, baseline = answer.to_frame(), answer.baseline.iloc[0]
    better = rows[rows["better"]]
    assert len(better)
    assert (better["total_risk"] <= baseline["total_risk"] + 1e-9).all()
    assert (better["utility"] > baseline["utility"]).all()


def test_each_way_to_name_a_measure_is_the_same(study):
    frames = [study.explore("OH", risk=risk).to_frame() for risk in ("distinct_7", "7-distinct", Measure.distinct(7))]
    assert all(frame.equals(frames[0]) for frame in frames[1:])


def test_needs_leave_policies_out(study):
    assert study.explore("OH", keep="sex").to_frame()["policy"].str.contains("gender").all()
    both = study.explore("OH", keep=["sex", "geography=county"]).to_frame()["policy"]
    assert both.str.contains("gender").all()
    assert both.str.contains("county").all()


def test_checks_are_named_and_withhold_no_more_than_there_are(study):
    rows = study.check_release(BY_COUNTY, "OH").to_frame()
    assert rows["check"].is_unique
    assert len(rows) >= 2


def test_what_cannot_be_asked_is_refused(study):
    with pytest.raises(UnknownNameError):
        study.explore("OH", risk="danger")
    with pytest.raises(InputError, match="one policy"):
        study.explore("OH", than=[BY_YEAR, BY_COUNTY])
    with pytest.raises(InputError):
        study.explore("OH", age_classes=True, in_file=0.01)
    with pytest.raises(UnknownNameError):
        study.explore("OH", keep="hair")
