"""One assumption at a time: what moves, by how much, and in which order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import list_of, population_of, small

from policy_sim import Study
from policy_sim.attackers import ADULTS, GENERAL, covered, voter
from policy_sim.attackers.county_coverage import ASSUMED
from policy_sim.formulas.groups import Groups, g_distinct, total_risk
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import Measure
from policy_sim.model.sensitivity import (
    Assumptions,
    MeasuredError,
    Swing,
    by_year_of_birth,
    load_assumptions,
    sensitivity,
    with_uneven_birthdays,
    year_chances,
    years_of_birth,
)
from policy_sim.people.by_name import load_population
from policy_sim.people.merging import merge
from policy_sim.people.names import LEAP_DAY, load_birthdays
from policy_sim.people.population import Population
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy, SmallPlaces
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES

SAFE = Policy("safe", "t", Granularities(gender="value", birth="year", geography="state"), "c")
LIMITED = Policy("limited", "t", Granularities(gender="value", birth="date", geography="county"), "c")
TOTAL = Measure("total-risk")
LISTS = voter({"OH": list_of(rest="withheld", birth="year", gender="unknown", vintage="x")}, "x")


def population(name: str, scale: int = 1, counties: Mapping[str, int] = {"39001": 1, "39003": 1}) -> Population:
    rng = np.random.default_rng(9)
    rows = [
        ("OH", county, sex, age, 1, int(n) * scale * times)
        for county, times in counties.items()
        for sex in "MF"
        for age, n in zip(range(100), rng.integers(1, 40, 100), strict=True)
    ]
    return population_of(rows, name=name)


PEOPLE = population("made")
FIT = MeasuredError("fit", "made", LIMITED.releases, "total-risk", 0.02)
KNOWN = Assumptions(
    np.full(366, 1 / 366),
    np.full(12, 1 / 12),
    0.25,
    {"twice": population("twice", 2)},
    {"voter": [covered(LISTS, ADULTS)]},
    [FIT],
)


@pytest.fixture(scope="module")
def swings():
    return sensitivity(Cases(PEOPLE, [SAFE, LIMITED], [GENERAL, LISTS], states=["OH"], g=[1]), KNOWN)


def of(swings, policy, attacker, measure=TOTAL):
    return {s.assumption: s for s in swings if (s.policy, s.attacker, s.measure) == (policy, attacker, measure)}


@pytest.mark.slow
def test_each_change_is_the_study_made_again(swings):
    base = compare(Cases(PEOPLE, [LIMITED], [GENERAL], g=[1])).profile("OH", "limited", "general")
    found = of(swings, "limited", "general")
    assert found["leap-days"].base == pytest.approx(base.share(TOTAL).low, rel=1e-12)
    again = compare(Cases(PEOPLE, [LIMITED], [GENERAL], g=[1], days_per_year=365.25)).profile(
        "OH", "limited", "general"
    )
    assert found["leap-days"].low == found["leap-days"].high == pytest.approx(again.share(TOTAL).low, rel=1e-12)
    twice = compare(Cases(KNOWN.populations["twice"], [LIMITED], [GENERAL], g=[1])).profile("OH", "limited", "general")
    assert found["census-twice"].low == pytest.approx(twice.share(TOTAL).low, rel=1e-12)
    even = compare(Cases(PEOPLE, [LIMITED], [GENERAL], g=[1], days_per_year=366)).profile("OH", "limited", "general")
    assert found["birthdays"].low == pytest.approx(even.share(TOTAL).low, rel=1e-9)


def test_the_oldest_share_one_class(swings):
    found = of(swings, "safe", "general")["oldest"]
    # ages 0 to 89 and one class, by sex, all held
    assert found.low * PEOPLE.people == pytest.approx(2 * 91)
    assert found.base * PEOPLE.people == pytest.approx(2 * 100)


def test_whom_the_list_holds_and_what_is_not_known_of_it(swings):
    found = of(swings, "safe", "voter")
    name = next(name for name in found if name.startswith("listed-"))
    # an unknown gender is withheld at the base: ages of 18 to 99 against 0 to 99
    assert found[name].low * PEOPLE.people == pytest.approx(82)
    assert (found["unknown-fields"].low, found["unknown-fields"].high) == (
        pytest.approx(100 / PEOPLE.people),
        pytest.approx(200 / PEOPLE.people),
    )
    assert not any(name.startswith("listed-") for name in of(swings, "safe", "general"))


def test_measured_errors_apply_to_their_key_and_measure_alone(swings):
    found = of(swings, "limited", "general")["fit"]
    assert (found.low, found.high) == (pytest.approx(0.98 * found.base), pytest.approx(1.02 * found.base))
    assert "fit" not in of(swings, "safe", "general")
    assert "fit" not in of(swings, "limited", "general", Measure("g-distinct", 1))


def test_what_moves_nothing_is_left_out_and_the_rest_is_ranked(swings):
    assert "birthdays" not in of(swings, "safe", "general")
    # single years: who is alone is not left to chance, whom the attacker picks is
    assert "chance" not in of(swings, "safe", "general", Measure("g-distinct", 1))
    assert "chance" in of(swings, "safe", "general")
    assert "birth-years" not in of(swings, "limited", "general")
    frame = Swing.table(swings)
    known = frame[frame["share"] > 0]
    assert known[["change_low", "change_high"]].notna().all(axis=None)
    assert frame[frame["share"] == 0]["change_low"].isna().all()
    for _, part in known.groupby(["policy", "attacker", "measure", "g"], dropna=False):
        furthest = part[["change_low", "change_high"]].abs().max(axis=1).to_numpy(dtype=float)
        assert (np.diff(furthest) <= 1e-12).all()
        assert part["rank"].tolist() == list(range(1, len(part) + 1))


@pytest.mark.slow
def test_states_at_once_have_the_swings_of_each_and_say_how_far_they_are():
    """All states at once, with ZIP codes: every state as when it is asked about alone; a word after each change."""
    states = pinned(["DE", "WY"], [*STATES])
    study, told = Study(load_population("us-2010").in_states(states), 2026), []
    nation = study.sensitivity(None, g=1, tell=told.append).to_frame()
    assert told == list(range(1, len(told) + 1))
    assert len(told) >= 6
    assert nation["state"].nunique() == len(states)
    for state in pinned(["DE"], ["DE", "IL"]):
        alone = study.sensitivity(state, g=1).to_frame()
        here = nation[nation["state"] == state].reset_index(drop=True)
        pd.testing.assert_frame_equal(here, alone, rtol=1e-9)
    written = nation[nation["policy"] == "limited-dataset"]
    assert {"rules-paper", "in-file", "leap-days", "oldest", "chance", "fit"} <= set(written["assumption"])
    safe = nation[nation["policy"] == "safe-harbor"]
    assert not {"leap-days", "oldest"} & set(safe["assumption"]), "years of birth, and a class from 90 on, already"


# What the shipped facts say of the assumptions: each has a source, and none is the study's own.


@pytest.fixture(scope="module")
def holder():
    return Study(small(), 2026).voter


@pytest.mark.slow
def test_other_censuses_are_those_that_the_study_does_not_use(holder):
    assert set(load_assumptions(small(), [holder]).populations) == {"us-2000", "us-2010", "us-2020"}
    assert set(load_assumptions(load_population("us-2010"), [holder]).populations) == {"us-2000", "us-2020"}


def test_lists_can_hold_others_than_they_do(holder):
    listed = load_assumptions(small(), [holder]).listed["voter"]
    assert holder.coverage.name == "registered"
    others = {f"registered-{name}" for name in (*ASSUMED, 2022, "with-errors")}
    assert {attacker.coverage and attacker.coverage.name for attacker in listed} == {"adults", "survey", None} | others
    assert load_assumptions(small(), [GENERAL]).listed == {}


@pytest.mark.slow
def test_errors_are_of_the_population_and_noise_of_the_census_of_2020(holder):
    measured = {error.name for error in load_assumptions(load_population("us-2020"), [holder]).errors}
    assert "noise" in measured
    of_2010 = {error.name for error in load_assumptions(load_population("us-2010"), [holder]).errors}
    assert "noise" not in of_2010


# Shipped studies with one assumption changed: the form of the rules, the list, the file; for several states at once.


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def shipped_swings(study):
    return study.sensitivity(["DE", "WY"], g=1)


def of_state(swings, state: str, policy: str, attacker: str) -> dict:
    total = [s for s in swings if str(s.measure) == "total-risk"]
    return {s.assumption: s for s in total if (s.state, s.policy, s.attacker) == (state, policy, attacker)}


@pytest.mark.slow
@pytest.mark.parametrize("state", ["DE", "WY"])
def test_each_change_is_the_comparison_made_so(study, shipped_swings, state):
    found = of_state(shipped_swings, state, "limited-dataset", "voter")
    asked = {"policies": "limited-dataset", "attackers": "voter", "states": state, "g": 1}
    made = {
        "rules-paper": study.compare(**asked, rules="paper"),
        "in-file": study.compare(**asked, in_file=0.01),
        "listed-voter-everyone": Study("us-2020", 2026, coverage="everyone").compare(**asked),
        "listed-voter-adults": Study("us-2020", 2026, coverage="adults").compare(**asked),
        "listed-voter-survey": Study("us-2020", 2026, coverage="survey").compare(**asked),
    }
    base = study.compare(**asked)[0].share("total-risk").low
    for name, comparison in made.items():
        assert found[name].base == pytest.approx(base, rel=1e-12)
        assert found[name].low == pytest.approx(comparison[0].share("total-risk").low, rel=1e-9), name
    assert "listed-voter-registered" not in found
    if state == "WY":
        assert "listed-voter-registered-no-stale" not in found, "it reported no inactive records"
    else:
        assert found["listed-voter-registered-no-stale"].low > base
        assert {"listed-voter-registered-ages-nj", "listed-voter-registered-ages-pa"} <= set(found)


@pytest.mark.slow
def test_from_the_paper_form_the_other_is_the_regulation(study):
    found = study.sensitivity("DE", "limited-dataset", "general", 1, rules="paper")
    (swing,) = (s for s in found if s.assumption == "rules-regulation" and str(s.measure) == "total-risk")
    written = study.compare("limited-dataset", "general", "DE", 1)[0].share("total-risk").low
    assert swing.low == pytest.approx(written, rel=1e-12)
    assert swing.low > swing.base


def test_in_a_file_what_was_measured_of_everyone_is_left_out(study):
    found = {s.assumption for s in study.sensitivity("DE", "limited-dataset", "general", 1, rules="paper", in_file=500)}
    assert "in-file" in found  # everyone, in place of the file
    assert not found & {"birthdays", "birth-years", "fit", "noise"}


# Years of birth made of ages: by hand, against people born one by one, and conserved.


def test_years_of_birth_by_hand():
    """Two people of 30, one of 31: 1970 holds who of 30 is born early, 1969 the late of 30 and the early of 31."""
    chances = year_chances(np.array([30, 31]), np.array([1, 1]), 0.25)
    assert chances[:, 30:].tolist() == [[0.25, 0.75, 0.0], [0.0, 0.25, 0.75]]
    total, alone = years_of_birth(np.array([[2, 1]]), chances, [1])
    held = (1 - 0.75**2) + (1 - 0.25**2 * 0.75) + 0.75
    assert total == pytest.approx(held, rel=1e-12)
    one = 2 * 0.25 * 0.75 + (2 * 0.75 * 0.25 * 0.75 + 0.25**2 * 0.25) + 0.75
    assert alone == pytest.approx(one, rel=1e-12)


def test_everyone_is_born_once():
    chances = year_chances(np.array([0, 5, 100]), np.array([1, 1, 5]), 0.3)
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-12)
    people = np.array([[3, 8, 2], [0, 1, 40]])
    assert years_of_birth(people, chances, [1000])[1] == pytest.approx(people.sum(), rel=1e-9)


@pytest.mark.slow
def test_against_people_born_one_by_one():
    """Seeded; 6,000 rounds, four standard errors are allowed."""
    rng, rounds = np.random.default_rng(4), 6000
    people = np.array([[2, 3, 1, 5], [1, 0, 4, 2]])
    ages, widths = np.array([20, 21, 22, 100]), np.array([1, 1, 1, 5])
    seen = np.zeros((rounds, 3))
    for turn in range(rounds):
        sizes = []
        for group in people:
            age = np.repeat(ages, group) + np.floor(rng.random(group.sum()) * np.repeat(widths, group))
            sizes += np.unique(age + (rng.random(group.sum()) >= 0.25), return_counts=True)[1].tolist()
        held = np.array(sizes)
        seen[turn] = len(held), (held == 1).sum(), held[held <= 2].sum()
    error = seen.std(axis=0) / np.sqrt(rounds)
    ours = years_of_birth(people, year_chances(ages, widths, 0.25), [1, 2])
    assert (np.abs(ours - seen.mean(axis=0)) < 4 * error).all()


@pytest.mark.parametrize(
    ("key", "conditions"),
    [
        ("birth=year+geography=state", NO_CONDITIONS),
        ("sex+birth=year+geography=county", NO_CONDITIONS),
        ("birth=year+geography=county", Conditions(top_age=90, small_places=SmallPlaces("county", most=10_000))),
    ],
)
def test_ages_as_they_are_where_everyone_is_born_late(key, conditions):
    """With nobody born before census day every age is one year of birth: the merge's own figures."""
    key, made = Granularities.parse(key), population("made", counties={"39001": 1, "39003": 1, "39005": 20})
    groups = merge(made, key, conditions=conditions)
    plain = np.r_[total_risk(groups), g_distinct(groups, [1, 50])[0]]
    ours = by_year_of_birth(made, key, "OH", 1e-12, [1, 50], conditions)
    np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-9)
    if conditions != NO_CONDITIONS:
        assert plain[0] == 2 * 91  # two counties under one value, one shown


def test_keys_that_feel_nothing_or_cannot():
    made = population_of([("OH", "39001", "M", 30, 1, 5)])
    assert by_year_of_birth(made, Granularities(birth="date", geography="state"), "OH", 0.25, [1]) is None
    with pytest.raises(InputError, match="state by state"):
        by_year_of_birth(made, Granularities(birth="year"), "OH", 0.25, [1])


# Birthdays as they are: by hand, and against people thrown one by one.


def test_even_shares_change_nothing():
    groups = Groups.of([1, 30, 30, 5000, 7], [365, 365, 1825, 365, 1], unit=[0, 0, 1, 1, 1])
    ours = with_uneven_birthdays(groups, np.full(365, 1 / 365), [1, 5])
    even = np.column_stack([total_risk(groups), g_distinct(groups, [1, 5])])
    np.testing.assert_allclose(ours, even, rtol=1e-10)


@pytest.mark.slow
def test_uneven_birthdays_against_people_thrown_one_by_one():
    """Seeded; 4,000 rounds of 300 people in one year of age and 90 in five: four standard errors are allowed."""
    rng, rounds, shares = np.random.default_rng(12), 4000, load_birthdays().shares
    groups = Groups.of([300, 90], [365, 1825])
    seen = np.zeros((rounds, 3))
    for turn in range(rounds):
        day = np.concatenate(
            [rng.choice(366, 300, p=shares), 366 + 366 * rng.integers(0, 5, 90) + rng.choice(366, 90, p=shares)]
        )
        sizes = np.bincount(np.unique(day, return_counts=True)[1], minlength=4)
        seen[turn] = sizes[1:].sum(), sizes[1], (sizes[1:4] * (1, 2, 3)).sum()
    error = seen.std(axis=0) / np.sqrt(rounds)
    ours = with_uneven_birthdays(groups, shares, [1, 3])[0]
    assert (np.abs(ours - seen.mean(axis=0)) < 4 * error).all()


def test_months_and_released_parts_are_weighted():
    shares = np.array([0.2] + [0.8 / 11] * 11)
    half = with_uneven_birthdays(Groups.of([10], [12], released=[5]), shares, [2], per_year=12)
    whole = with_uneven_birthdays(Groups.of([10], [12]), shares, [2], per_year=12)
    np.testing.assert_allclose(half, whole / 2, rtol=1e-12)
    assert whole[0, 0] < total_risk(Groups.of([10], [12]))[0]


def test_the_shipped_birthdays():
    days = load_birthdays()
    assert (len(days.rate), days.shares.sum(), days.monthly.sum()) == (366, pytest.approx(1), pytest.approx(1))
    assert LEAP_DAY == 59
    # the mean rate of the 365 other days is near 1, and a leap day is born on a quarter as often as its neighbors
    assert np.delete(days.rate, LEAP_DAY).mean() == pytest.approx(1, abs=0.001)
    assert days.shares[LEAP_DAY] == pytest.approx(days.shares[[58, 60]].mean() / 4, rel=0.1)
    assert int(days.rate.argmin()) == 359  # 25 December
    assert days.until(12, 31) == pytest.approx(1)
    assert days.until(4, 1) == pytest.approx(91.25 / 365.25, abs=0.01)
