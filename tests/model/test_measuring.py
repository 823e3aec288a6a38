"""The steps from a key to figures, each by hand on a few people."""

from __future__ import annotations

import pytest
from small_people import small

from policy_sim.attackers import Coverage
from policy_sim.attackers.in_file import InFile
from policy_sim.model.measuring import Job, Measuring
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.words.fields import Granularities

VIEW = Granularities(gender="value", birth="year", geography="county")
HALF_THE_ADULTS = Coverage("list", "half of the adults", least_share=0.5, most_share=0.5)
STATES = ("OH", "WY")


@pytest.fixture(scope="module")
def people():
    return small()


def steps(people, by="", in_file=None):
    return Measuring(people, lambda groups, chances: chances.total_risk(groups), by, 365.0, in_file)


def job(coverage=None):
    return Job((VIEW, NO_CONDITIONS, coverage), STATES, None)


def test_without_a_list_and_a_file_everyone_is_asked_and_listed(people):
    steps_of = steps(people)
    asked = steps_of.told_of_file(steps_of.on_list(steps_of.asked_people(job())))
    assert asked.people is people
    assert asked.split is asked.listing is asked.in_file is None
    assert asked.listed.tolist() == [1, 1]


def test_a_list_leaves_those_of_its_ages(people):
    steps_of = steps(people, by="sex")
    asked = steps_of.on_list(steps_of.asked_people(job(HALF_THE_ADULTS)))
    adults = people.cells[people.cells["age"] >= 18]
    assert asked.people.cells["people"].sum() == adults["people"].sum()
    assert asked.listed.tolist() == [0.5, 0.5]
    assert len(asked.split.codes) == len(adults)


def test_a_file_is_a_share_of_the_people(people):
    steps_of = steps(people, in_file=InFile(share=0.25))
    asked = steps_of.told_of_file(steps_of.asked_people(job()))
    assert asked.in_file.tolist() == [0.25, 0.25]
    assert asked.people is people


def test_groups_are_the_people_merged_and_figures_one_row_a_state(people):
    steps_of = steps(people)
    asked = steps_of.asked_people(job())
    groups = steps_of.groups(asked)
    cells = people.cells.groupby(["state", "county", "sex", "age"], observed=True)["people"].sum()
    assert sorted(groups.people) == sorted(cells)
    rows = steps_of.rows(job())
    counted = cells.groupby("state").size()
    assert {state: row for (_, state), row in rows.items()} == pytest.approx(counted[list(STATES)].to_dict())


def test_parts_of_the_people_are_columns_of_a_state_and_add_up(people):
    whole, parted = (steps(people, by).rows(job()) for by in ("", "sex"))
    for at, row in parted.items():
        assert row.shape == (2,)
        assert row.sum() == pytest.approx(whole[at])
