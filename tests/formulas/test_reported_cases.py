"""Cases in small groups: printed figures, enumeration of every draw, and the lists of a published search."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from scipy.stats import hypergeom

from policy_sim.formulas import reported_cases
from policy_sim.formulas.reported_cases import (
    allowed_exposed,
    cases_needed,
    chance_of_few,
    expected_small_share,
    percentile_holds,
    percentile_verdicts,
)

GROUPS = np.array([5923, 6085, 6314, 6122])
SHARED = Path(__file__).resolve().parents[3] / "shared/rules/cases"


@pytest.mark.parametrize(("cases", "share"), [(16, 0.999192), (27, 0.908574), (43, 0.370963), (50, 0.183805)])
def test_the_mean_is_that_of_the_paper_made_exact(cases, share):
    assert float(expected_small_share(GROUPS, cases)) == pytest.approx(share, abs=5e-7)


def _exposed(groups, cases, k):
    """Count the exposed cases of every possible draw."""
    persons = [at for at, number in enumerate(groups) for _ in range(number)]
    for draw in itertools.combinations(persons, cases):
        counts = np.bincount(draw, minlength=len(groups))
        yield int(counts[counts < k].sum())


@pytest.mark.parametrize("groups", [(2, 2), (1, 3, 4), (5, 1, 1, 2), (8, 2), (3, 3, 3)])
@pytest.mark.parametrize("k", [2, 3])
def test_mean_chance_and_percentile_are_those_of_all_draws(groups, k):
    people = np.array(groups)
    for cases in range(1, sum(groups) + 1):
        exposed = np.array(list(_exposed(groups, cases, k)))
        assert float(expected_small_share(people, cases, k)) == pytest.approx(exposed.mean() / cases, abs=1e-9)
        for most in range(cases + 1):
            assert chance_of_few(people, cases, most, k) == pytest.approx((exposed <= most).mean(), abs=1e-9)
        least = next(most for most in range(cases + 1) if (exposed <= most).mean() >= 0.975)
        held = [percentile_holds(people, cases, k, most / cases) for most in range(cases + 1)]
        assert held == [most >= least for most in range(cases + 1)]


def test_the_mean_lets_more_through_than_the_percentile():
    by_mean, by_percentile = cases_needed(GROUPS)
    assert by_mean < by_percentile
    assert percentile_holds(GROUPS, by_percentile)
    assert not percentile_holds(GROUPS, by_percentile - 1)
    assert float(expected_small_share(GROUPS, by_mean - 1)) > 0.01


@pytest.mark.parametrize("k", [50, 200])
def test_the_mean_of_a_large_k_is_the_hypergeometric_one(k):
    people = np.array([3_000, 9_000, 20_000])
    for cases in (500, 2_000, 9_000):
        below = hypergeom.cdf(k - 2, people.sum() - 1, people - 1, cases - 1)
        expected = (people / people.sum()) @ below
        assert float(expected_small_share(people, cases, k)) == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_the_normal_limit_is_near_the_exact_chance(monkeypatch):
    people = np.tile([40, 90, 200, 600], 30)
    for cases, most in ((6_000, 90), (6_500, 100), (7_000, 110)):
        exact = chance_of_few(people, cases, most)
        with monkeypatch.context() as patch:
            patch.setattr(reported_cases, "LEAST_FOR_LIMIT", 1)
            patch.setattr(reported_cases, "_WORK", 0)
            assert chance_of_few(people, cases, most) == pytest.approx(exact, abs=0.005)


def test_verdicts_of_many_places_are_those_of_the_exact_percentile():
    """On a grid of counts on both sides of the edge, with few and many exposed cases allowed."""
    rng = np.random.default_rng(5)
    places = [np.full(40, 900), rng.lognormal(6, 1.5, 60).astype(int), np.array([3, 9, 40, 400, 9000, 30000])]
    seen = set()
    for people, k, at_most in itertools.product(places, (3, 11), (0.01, 0.05)):
        cases = np.unique(np.geomspace(10, people.sum() / 3, 10).astype(int))
        groups = np.tile(people[:, None], len(cases))
        verdicts = percentile_verdicts(groups, cases, expected_small_share(groups, cases, k), k, at_most)
        exact = [chance_of_few(people, n, allowed_exposed(n, at_most), k) >= 0.975 for n in cases.tolist()]
        assert verdicts.tolist() == exact
        seen |= set(exact)
    assert seen == {True, False}


def test_from_the_least_count_on_every_larger_one_holds():
    people = np.array([30, 60, 90, 200])
    _, least = cases_needed(people, k=3, at_most=0.05)
    assert [n for n in range(least, people.sum() + 1) if not percentile_holds(people, n, 3, 0.05)] == []


def test_people_who_are_fewer_than_k_can_keep_records_back_forever():
    assert cases_needed(np.array([900, 10, 5])) == (None, None)


def _people(policy, cells):
    age, race, sex, ethnicity = policy
    width = {"4": 60, "3": 30, "2": 15, "1": 5}
    ages = cells["age"].clip(upper=90)
    keys = [cells["fips"] * 0]
    if age != "*":
        keys.append(ages if age == "0" else (ages >= 60) * 1 if age == "4" else ages // width[age])
    together = {"C": {"b": "w"} | dict.fromkeys(("ai_an", "a", "nh_pi", "other", "mixed"), "o")}
    together["B"] = dict.fromkeys(("ai_an", "nh_pi", "other", "mixed"), "o")
    if race != "*":
        keys.append(cells["race"].replace(together.get(race, {})))
    keys += [cells["sex"]] if sex == "s" else []
    keys += [cells["ethnicity"]] if ethnicity == "e" else []
    return cells["counts"].groupby([key.rename(f"k{at}") for at, key in enumerate(keys)]).sum().to_numpy()


# On the edge: the least exact chance is 0.97708 and 0.97607, and 1,000 draws of the paper fell below 0.975.
EDGE = {("small", 500, "1**e"), ("small", 750, "4Ase")}


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the example of Brown et al. is not here")
def test_the_percentile_gives_the_published_lists():
    cells = pd.read_csv(SHARED / "brown_example_census.csv.gz")
    search = json.loads((SHARED / "brown_policy_search.json").read_text())
    policies = ["".join(each) for each in itertools.product("*43210", "*CBA", "*s", "*e")]
    counties = dict(zip(("small", "large"), search["counties"].values(), strict=True))
    for size, lists in search["new_policies"].items():
        held = {
            policy: [_people(policy, cells[cells["fips"] == county]) for county in counties[size]]
            for policy in pinned(policies[::3], policies)
        }
        allowed: set[str] = set()
        for cases, added in lists.items():
            allowed |= set(added)
            for policy, by_county in held.items():
                ours = all(percentile_holds(people, int(cases)) for people in by_county)
                if (size, int(cases), policy) not in EDGE:
                    assert ours == (policy in allowed), (size, cases, policy)
