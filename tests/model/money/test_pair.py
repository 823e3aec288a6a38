"""Two files about the same people: by hand, at its limits, and against files made person by person."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from paired_files import COUNTED, simulate_paired_files
from pinned import pinned
from small_people import population_of

from policy_sim import Study
from policy_sim.attackers import GENERAL
from policy_sim.model.money.pair import FileShares, PairKeys, pair_figures_by_zip, two_releases
from policy_sim.people.by_name import load_population
from policy_sim.people.zips import PeopleByZip, ZipShares, with_zip_codes
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.fields import Granularities

# Inpatients by sex, year of birth and county; emergency by sex, race and date of birth, without a place.
FIRST = Policy("inpatients", "t", Granularities(gender="value", birth="year", geography="county"), "c")
SECOND = Policy("emergency", "t", Granularities(gender="value", race="value", birth="date", geography="state"), "c")
RUNS, ANEW = 30, pinned(5, 12)


def made(*rows):
    return population_of(rows)


def _agrees(found, counted, runs):
    for figure in COUNTED:
        low, high = counted.interval(figure)
        slack = 1e-9 + (5.0 / runs if high < 1 else 0.0)  # a count that hardly ever occurs says no more
        assert low - slack <= getattr(found, figure) <= high + slack, figure


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
    "shares",
    pinned(
        [FileShares(0.0005, 0.001, 0.0005, 0.65)],
        [FileShares(0.002, 0.002, 0.001), FileShares(0.0005, 0.001, 0.0005, 0.65), FileShares(0.01, 0.002, 0.001)],
    ),
)
def test_simulated_files_agree(shares):
    """On Delaware, each figure within the 99 % interval of some runs. Shares and seed fixed before looking."""
    people = Study("us-2020").people
    found = two_releases(people, FIRST, SECOND, GENERAL, "DE", shares)
    linked = (found.linked, FIRST.releases, SECOND.releases)
    counted = simulate_paired_files(people, found.shared, linked, "DE", shares, runs=RUNS, seed=7)
    _agrees(found, counted, RUNS)


def test_shares_must_hold_together():
    for wrong in ((0.1, 0.1, 0.2), (0.9, 0.9, 0.1), (0.0, 0.1, 0.1)):
        with pytest.raises(InputError):
            FileShares(*wrong)


def test_no_list_is_said():
    study = Study("us-2020", 2026)
    with pytest.raises(NotEstimableError, match="no list to link with in HI"):
        two_releases(study.people, FIRST, SECOND, study.voter, "HI", FileShares(0.1, 0.1, 0.1))


# Two files that show ZIP codes: by hand, without ZIP codes, and against files made person by person.


def _policy(name, **shown):
    return Policy(name, "t", Granularities(shown), "c")


# Two people of one county in two ZIP codes, a half each.
PARTS = pd.DataFrame({"county": "10001", "zip5": ["19701", "19801"], "people": 500})
TWO = made(("DE", "10001", "F", 30, 1, "white", 2))
BY_ZIP, SHOWN = PeopleByZip(TWO, ZipShares.of(TWO, PARTS)), _policy("zip", birth="year", geography="zip5")


def test_two_releases_by_zip_by_hand():
    """Both files hold both people, who live apart in half of the cases.

    By ZIP code they are paired and named where they live apart; of either file alone as
    well. Of one with the other by state nothing is told.
    """
    found = two_releases(BY_ZIP, SHOWN, SHOWN, GENERAL, "DE", FileShares(1, 1, 1))
    assert (found.right_pairs, found.alone_first, found.alone_second, found.named) == pytest.approx((1, 1, 1, 1))
    state = _policy("state", birth="year", geography="state")
    found = two_releases(BY_ZIP, SHOWN, state, GENERAL, "DE", FileShares(1, 1, 1))
    assert (found.right_pairs, found.alone_first, found.alone_second, found.named) == pytest.approx((0, 1, 0, 0))


def test_a_wrong_pair_by_hand():
    """One in each file alone with 1/4, together in one of two ZIP codes in half of the cases.

    A record of the first person in the first file and of the second in the second, or the other way round.
    """
    found = two_releases(BY_ZIP, SHOWN, SHOWN, GENERAL, "DE", FileShares(0.5, 0.5, 0.25))
    assert found.wrong_pairs == pytest.approx(2 * 0.25 * 0.25 * 0.5)
    assert found.right_pairs == pytest.approx(2 * 0.25 * (0.5 + 0.5 * 0.25))


@pytest.mark.parametrize("top", [None, 60])
def test_keys_without_zip_codes_give_the_same_as_counted_cells(top):
    """Delaware, county and state keys: the same figures by counting cells and by way of the parts."""
    people = with_zip_codes(load_population("us-2010"))
    conditions = Conditions(top_age=top)
    first = Policy("a", "t", Granularities(gender="value", birth="year", geography="county"), "c", conditions)
    second = Policy("b", "t", Granularities(race="value", birth="date", geography="state"), "c")
    shares = FileShares(0.03, 0.02, 0.01, 0.7)
    counted = two_releases(people, first, second, GENERAL, "DE", shares)
    joined = first.releases.join(second.releases)
    shared = first.releases.meet(second.releases)
    keys = PairKeys(
        (shared, conditions),
        (joined, NO_CONDITIONS),
        (joined, NO_CONDITIONS),
        (first.releases, conditions),
        (second.releases, NO_CONDITIONS),
    )
    found = pair_figures_by_zip(people, "DE", keys, FileShares(0.03, 0.02, 0.01, 0.7), 365.0)
    np.testing.assert_allclose(found, [getattr(counted, name) for name in COUNTED], rtol=1e-9)


SAFE = load_policy("safe-harbor")
LIMITED = load_policy("limited-dataset")
DATE = _policy("dates", birth="date", geography="zip3")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "shares"),
    pinned(
        [(SAFE, DATE, FileShares(0.01, 0.02, 0.005, 0.65))],
        [
            (SAFE, DATE, FileShares(0.01, 0.02, 0.005, 0.65)),
            (LIMITED, SAFE, FileShares(0.002, 0.002, 0.001)),
            (LIMITED, LIMITED, FileShares(0.01, 0.02, 0.005, 0.65)),
        ],
    ),
)
def test_two_releases_by_zip_simulated_files_agree(first, second, shares):
    """Delaware, with homes drawn anew in each of some runs: each figure within the 99 % interval. Seed fixed before."""
    people = with_zip_codes(load_population("us-2020")).with_ethnicity
    found = two_releases(people, first, second, GENERAL, "DE", shares)
    conditions = {"safe-harbor": SAFE.conditions}
    one, two = (conditions.get(each.name, NO_CONDITIONS) for each in (first, second))
    shared = SAFE.conditions if SAFE in (first, second) else NO_CONDITIONS
    keys = (found.linked, first.releases, second.releases)
    linked = (NO_CONDITIONS, one, two)
    felt = [shared.on(found.shared), *(each.on(key) for key, each in zip(keys, linked, strict=True))]
    counted = simulate_paired_files(people, found.shared, keys, "DE", shares, runs=ANEW, seed=7, conditions=felt)
    _agrees(found, counted, ANEW)
