from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers.coverage import Coverage, listed_shares, people_of
from policy_sim.attackers.joint_coverage import OVERLAPS, joint_coverage
from policy_sim.errors import InputError
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance

ROWS = [("OH", 10, 40), ("OH", 30, 100), ("OH", 70, 60), ("KY", 30, 50)]
CELLS = pd.DataFrame(ROWS, columns=["state", "age", "people"]).assign(age_width=1)
PEOPLE = Population(check_cells(CELLS, "made"), Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))
VOTERS = Coverage("registered", "registered voters", {"OH": 120, "KY": 45})
BIRTHS = Coverage("births", "births", least_age=0, most_age=50, least_share=0.5, most_share=0.7)


def _shares(coverage, states=("OH", "KY")):
    return listed_shares(people_of(PEOPLE, coverage), coverage, states, PEOPLE)


def test_the_share_lies_between_the_frechet_bounds():
    both = joint_coverage([VOTERS, BIRTHS])
    least, most = both.ends
    # Voters are 120 of Ohio's 160 adults and 45 of Kentucky's 50; of the births half to seven in ten.
    np.testing.assert_allclose(_shares(least), [0.75 + 0.5 - 1, 0.9 + 0.5 - 1])
    np.testing.assert_allclose(_shares(most), [0.7, 0.7])
    assert (both.is_known, least.is_known, least.ends) == (False, True, (least, least))


def test_two_that_may_share_nobody_have_no_least():
    few = [Coverage(name, name, least_age=0, least_share=0.3, most_share=0.3) for name in "ab"]
    least, most = joint_coverage(few).ends
    assert (_shares(least).tolist(), _shares(most).tolist()) == ([0, 0], [0.3, 0.3])


def test_only_ages_that_every_resource_may_hold():
    both = joint_coverage([VOTERS, BIRTHS])
    assert both.ages_in(PEOPLE) == (18, 50)
    assert people_of(PEOPLE, both).people_by_state() == {"KY": 50, "OH": 100}


def test_a_state_is_known_where_every_part_knows_it():
    both = joint_coverage([VOTERS, BIRTHS])
    assert (both.knows("OH"), both.knows("WY")) == (True, False)


@pytest.mark.parametrize(("coverages", "expected"), [([None, None], None), ([None, VOTERS], VOTERS), ([], None)])
def test_everyone_adds_nothing(coverages, expected):
    assert joint_coverage(coverages) is expected


def test_an_overlap_that_is_assumed_is_one_share():
    known = replace(BIRTHS, least_share=0.5, most_share=0.5)
    shares = {overlap: _shares(joint_coverage([VOTERS, known], overlap)).tolist() for overlap in OVERLAPS}
    assert shares["least"] == pytest.approx([0.25, 0.4])
    assert shares["independent"] == pytest.approx([0.375, 0.45])
    assert shares["most"] == pytest.approx([0.5, 0.5])
    assert joint_coverage([VOTERS, known], "independent").is_known


def test_shares_between_the_ends_lie_between_them():
    both = joint_coverage([VOTERS, BIRTHS])
    least, most = (_shares(end)[0] for end in both.ends)
    inner = [_shares(coverage)[0] for coverage in both.between]
    assert inner == sorted(inner, reverse=True)
    assert least < inner[-1] < inner[0] == pytest.approx((least + most) / 2)


def test_an_overlap_is_one_of_three_and_of_known_shares():
    with pytest.raises(InputError, match="least, independent, most"):
        joint_coverage([VOTERS, VOTERS], "some")
    with pytest.raises(InputError, match="settle each of them first"):
        joint_coverage([VOTERS, BIRTHS], "independent")
