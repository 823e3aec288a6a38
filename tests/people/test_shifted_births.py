"""Shifted dates of birth as a granularity of a policy: windows of days instead of days."""

from __future__ import annotations

import pytest
from small_people import small

from policy_sim import Study
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.policies.files import load_policy, new_policy_file
from policy_sim.policies.policy import policy_from_text
from policy_sim.words.errors import InputError


def _risk(policy: str, **settings: float) -> float:
    compared = Study(small(), lists=2026, **settings).compare(policy, "general", "OH", 1, rules="paper")
    return compared.profiles[0].share(TOTAL_RISK).low


@pytest.mark.parametrize("days", [1, 30, 182])
def test_a_shift_is_a_year_of_fewer_days(days: int) -> None:
    """The people of a year are in 365 / (2 days + 1) windows: the same as a calendar with so many birthdays."""
    shifted = _risk(f"sex+birth=shift:{days}+geography=county")
    assert shifted == pytest.approx(_risk("sex+birth=date+geography=county", days_per_year=365 / (2 * days + 1)))


def test_risk_falls_with_the_shift_from_dates_to_years() -> None:
    births = ("date", "shift:1", "shift:7", "shift:30", "shift:90", "shift:182", "year")
    risks = [_risk(f"sex+birth={birth}+geography=county") for birth in births]
    assert risks == sorted(risks, reverse=True)
    assert risks[-2] == pytest.approx(risks[-1])


def test_a_list_of_months_or_years_gains_nothing_from_a_shifted_date() -> None:
    """A window wider than a month is a window for a list of months too; a list of years sees years."""
    text = "sex+birth=shift:30+geography=county"
    conditions = policy_from_text(text).conditions
    assert conditions.on(policy_from_text("birth=month+geography=county").releases) == conditions
    assert conditions.on(policy_from_text("birth=year+geography=county").releases).shift_days is None


def test_a_shift_is_written_and_read_again(tmp_path) -> None:
    policy = policy_from_text("sex+birth=shift:30+geography=zip3 (age<90)")
    assert policy_from_text(policy.name) == policy
    path = tmp_path / "ours.toml"
    new_policy_file(path, policy)
    read = load_policy(str(path))
    assert (read.releases, read.conditions) == (policy.releases, policy.conditions)


@pytest.mark.parametrize(
    "text", ["birth=shift:0", "birth=shift:183", "birth=shift:x", "birth=year (shift30)", "birth=shift:3 (shift3)"]
)
def test_other_shifts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        policy_from_text(text)
