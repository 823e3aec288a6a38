"""Two files that show ZIP codes: by hand, without ZIP codes, and against files made person by person."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.attack.paired_files import COUNTED, simulate_paired_files
from policy_sim.analyses.economics.two_releases import FileShares, two_releases
from policy_sim.analyses.economics.two_releases_by_zip import PairKeys, pair_figures_by_zip
from policy_sim.attackers import GENERAL
from policy_sim.granularity import Granularities
from policy_sim.io.policy_files import load_policy
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.populations.zip_population import with_zip_codes
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.population.zip_shares import PeopleByZip, ZipShares

COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]


def _made(*rows):
    cells = check_cells(pd.DataFrame(rows, columns=COLUMNS), "made")
    return Population(cells, Provenance("made", "made", "", "", "", 1, 0, 0))


def _by_zip(people, *parts):
    return PeopleByZip(people, ZipShares.of(people, pd.DataFrame(parts, columns=["county", "zip5", "people"])))


def _policy(name, **shown):
    return Policy(name, "t", Granularities(shown), "c")


def test_by_hand():
    """Two people of one county in two ZIP codes, a half each: apart in half of the cases.

    Both files hold both of them. By ZIP code they are paired and named where they live apart; of either file alone as
    well. Of one with the other by state nothing is told.
    """
    people = _made(("DE", "10001", "F", 30, 1, "white", 2))
    by_zip = _by_zip(people, ("10001", "19701", 500), ("10001", "19801", 500))
    shown = _policy("zip", birth="year", geography="zip5")
    found = two_releases(by_zip, shown, shown, GENERAL, "DE", FileShares(1, 1, 1))
    assert (found.right_pairs, found.alone_first, found.alone_second, found.named) == pytest.approx((1, 1, 1, 1))
    state = _policy("state", birth="year", geography="state")
    found = two_releases(by_zip, shown, state, GENERAL, "DE", FileShares(1, 1, 1))
    assert (found.right_pairs, found.alone_first, found.alone_second, found.named) == pytest.approx((0, 1, 0, 0))


def test_a_wrong_pair_by_hand():
    """One in each file alone with 1/4, two of a county in one of two ZIP codes: together in half of the cases.

    A record of the first person in the first file and of the second in the second, or the other way round.
    """
    people = _made(("DE", "10001", "F", 30, 1, "white", 2))
    by_zip = _by_zip(people, ("10001", "19701", 500), ("10001", "19801", 500))
    shown = _policy("zip", birth="year", geography="zip5")
    found = two_releases(by_zip, shown, shown, GENERAL, "DE", FileShares(0.5, 0.5, 0.25))
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
    found = pair_figures_by_zip(people, "DE", keys, (0.03, 0.02, 0.01, 0.7), 365.0)
    np.testing.assert_allclose(found, [getattr(counted, name) for name in COUNTED], rtol=1e-9)


SAFE = load_policy("safe-harbor")
LIMITED = load_policy("limited-dataset")
DATE = _policy("dates", birth="date", geography="zip3")


@pytest.mark.parametrize(
    ("first", "second", "shares"),
    [
        (LIMITED, SAFE, FileShares(0.002, 0.002, 0.001)),
        (SAFE, DATE, FileShares(0.01, 0.02, 0.005, 0.65)),
        (LIMITED, LIMITED, FileShares(0.01, 0.02, 0.005, 0.65)),
    ],
    ids=["limited and safe harbor", "safe harbor and dates", "limited twice"],
)
def test_simulated_files_agree(first, second, shares):
    """Delaware, with homes drawn anew in each of 12 runs: each figure within the 99 % interval. Seed fixed before."""
    people = with_zip_codes(load_population("us-2020"))
    found = two_releases(people, first, second, GENERAL, "DE", shares)
    conditions = {"safe-harbor": SAFE.conditions}
    one, two = (conditions.get(each.name, NO_CONDITIONS) for each in (first, second))
    shared = SAFE.conditions if SAFE in (first, second) else NO_CONDITIONS
    keys = (found.linked, first.releases, second.releases)
    linked = (NO_CONDITIONS, one, two)
    felt = [shared.on(found.shared), *(each.on(key) for key, each in zip(keys, linked, strict=True))]
    counted = simulate_paired_files(people, found.shared, keys, "DE", shares, runs=12, seed=7, conditions=felt)
    for figure in COUNTED:
        low, high = counted.interval(figure)
        slack = 1e-9 + (5.0 / 12 if high < 1 else 0.0)  # a count that hardly ever occurs says no more
        assert low - slack <= getattr(found, figure) <= high + slack, figure
