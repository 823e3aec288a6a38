from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.cases import cases_of, ends_of, measure_cases
from policy_sim.attackers import GENERAL, Attacker, Coverage, IdentifiedFile
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

FINE = Policy("fine", "t", Granularities(gender="value", birth="year", geography="county"), "c")
SAME = Policy("same", "t", FINE.releases, "c")
COARSE = Policy("coarse", "t", Granularities(gender="value", geography="state"), "c")


@pytest.fixture(scope="module")
def people():
    rows = [
        (state, county, sex, age, 1, 1 + (age + len(sex)) % 4)
        for state, county in (("OH", "39001"), ("OH", "39003"), ("WY", "56001"))
        for sex in "MF"
        for age in range(0, 20, 3)
    ]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "people"])
    return Population(check_cells(cells, "made"), Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))


def total_risk(groups, chances):
    return chances.total_risk(groups)


def test_questions_stand_by_state_then_policy(people):
    cases = cases_of(people, [FINE, COARSE], [GENERAL], ["WY", "OH"])
    named = [f"{case.state} {case.policy.name}" for case in cases]
    assert named == ["WY fine", "WY coarse", "OH fine", "OH coarse"]
    assert len(cases_of(people, [FINE], [GENERAL], None)) == 2


def test_policies_with_one_key_are_merged_once_and_groups_counted_by_hand(people):
    cases, calls = cases_of(people, [FINE, SAME, COARSE], [GENERAL], None), []

    def measure(groups, chances):
        calls.append(groups)
        return total_risk(groups, chances)

    measured = measure_cases(people, cases, measure, 365)
    assert len(calls) == 2
    for case in cases:
        part = people.cells[people.cells["state"] == case.state]
        columns = ["sex"] if case.policy is COARSE else ["sex", "age", "county"]
        low, high = ends_of(case, measured)
        assert low == high == pytest.approx(part.groupby(columns, observed=True).ngroups)
        assert np.ndim(low) == 0


def test_what_is_asked_twice_or_not_there_is_refused(people):
    with pytest.raises(InputError, match="'fine' is named twice"):
        cases_of(people, [FINE, FINE], [GENERAL], None)
    with pytest.raises(UnknownNameError, match="TX"):
        cases_of(people, [FINE], [GENERAL], ["TX"])


def test_each_key_says_what_is_assumed_for_it(people):
    unknown = IdentifiedFile(
        "file", "a file", "k", Coverage("file", "people", least_age=0, least_share=0.2), states=("OH",)
    )
    known = Coverage("file", "people", least_age=0)
    fields = replace(unknown, coverage=known)
    listed = replace(fields, fields=dict.fromkeys(LIST_FIELDS, ListField("withheld")), coverage=unknown.coverage)
    names = [
        cases_of(people, [FINE], [Attacker("a", "a", (file,))], ["OH"])[0].end_names
        for file in (unknown, fields, listed)
    ]
    assert names == [
        ("withheld, fewest people", "released, most people"),
        ("withheld", "released"),
        ("fewest people", "most people"),
    ]
    assert cases_of(people, [FINE], [GENERAL], ["OH"])[0].end_names == ("", "")


def test_of_an_unknown_number_of_listed_people_the_first_key_has_the_fewest_and_the_last_the_most(people):
    file = IdentifiedFile(
        "file",
        "a file",
        "k",
        Coverage("file", "people", least_age=0, least_share=0.2),
        states=("OH",),
        fields=dict.fromkeys(LIST_FIELDS, ListField("withheld")),
    )
    (case,) = cases_of(people, [FINE], [Attacker("a", "a", (file,))], ["OH"])
    least, most = file.coverage.ends
    assert [coverage for _, _, coverage in case.keys] == [least, most]
    assert least not in file.coverage.between
