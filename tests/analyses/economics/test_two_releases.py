"""Two files about the same people: by hand, at its limits, and against files made person by person."""

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.analyses.attack.paired_files import COUNTED, simulate_paired_files
from policy_sim.analyses.economics.two_releases import FileShares, two_releases
from policy_sim.attackers import GENERAL
from policy_sim.errors import InputError, NotEstimableError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance

# Inpatients by sex, year of birth and county; emergency by sex, race and date of birth, without a place.
FIRST = Policy("inpatients", "t", Granularities(gender="value", birth="year", geography="county"), "c")
SECOND = Policy("emergency", "t", Granularities(gender="value", race="value", birth="date", geography="state"), "c")
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]


def made(*rows):
    cells = check_cells(pd.DataFrame(rows, columns=COLUMNS), "made")
    return Population(cells, Provenance("made", "made", "", "", "", 1, 0, 0))


def test_by_hand():
    """Two people who differ by county alone, both files of everyone: each pair is unclear, and the list names both."""
    people = made(("DE", "10001", "F", 30, 1, "white", 1), ("DE", "10003", "F", 30, 1, "white", 1))
    sure = two_releases(people, FIRST, SECOND, GENERAL, "DE", FileShares(1, 1, 1))
    assert (sure.people_in_both, sure.right_pairs, sure.wrong_pairs) == (2, 0, 0)
    assert (sure.alone_first, sure.named) == (2, 0)
    half = two_releases(people, FIRST, SECOND, GENERAL, "DE", FileShares(0.5, 0.5, 0.5))
    assert half.right_pairs == half.named == pytest.approx(0.5), "one of them is in the files: 2 x 0.5 x 0.5"


def test_a_file_beside_itself_adds_nothing():
    people = made(("DE", "10001", "F", 30, 1, "white", 40), ("DE", "10001", "M", 30, 1, "white", 1))
    found = two_releases(people, SECOND, SECOND, GENERAL, "DE", FileShares(0.3, 0.3, 0.3))
    assert found.named == pytest.approx(found.alone_first)
    assert found.alone_first == found.alone_second


def test_keys():
    study = Study("us-2020", 2026)
    found = two_releases(study.people, FIRST, SECOND, study.voter, "DE", FileShares(0.05, 0.05, 0.01))
    assert str(found.shared) == "gender+birth=year+geography=state"
    assert str(found.joined) == "gender+race+birth=date+geography=county"
    assert found.to_frame()["figure"].tolist() == list(COUNTED)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shares", [FileShares(0.002, 0.002, 0.001), FileShares(0.0005, 0.001, 0.0005, 0.65), FileShares(0.01, 0.002, 0.001)]
)
def test_simulated_files_agree(shares):
    """On Delaware, each figure within the 99 % interval of 30 runs. Shares and seed fixed before looking."""
    people = Study("us-2020").people
    found = two_releases(people, FIRST, SECOND, GENERAL, "DE", shares)
    linked = (found.linked, FIRST.releases, SECOND.releases)
    counted = simulate_paired_files(people, found.shared, linked, "DE", shares, runs=30, seed=7)
    for figure in COUNTED:
        low, high = counted.interval(figure)
        slack = 1e-9 + (5.0 / 30 if high < 1 else 0.0)  # a count that hardly ever occurs says no more
        assert low - slack <= getattr(found, figure) <= high + slack, figure


def test_shares_must_hold_together():
    for wrong in ((0.1, 0.1, 0.2), (0.9, 0.9, 0.1), (0.0, 0.1, 0.1)):
        with pytest.raises(InputError):
            FileShares(*wrong)


def test_no_list_is_said():
    study = Study("us-2020", 2026)
    with pytest.raises(NotEstimableError, match="no list to link with in HI"):
        two_releases(study.people, FIRST, SECOND, study.voter, "HI", FileShares(0.1, 0.1, 0.1))
