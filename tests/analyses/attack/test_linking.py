"""The simulated attack counts what the formulas expect, without using the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.attack import make_people, simulate
from policy_sim.analyses.attack.made_up_people import shown_key
from policy_sim.analyses.comparison import compare
from policy_sim.attackers import GENERAL, Attacker, Coverage, covered, joined, voter
from policy_sim.attackers.identified_file import IdentifiedFile
from policy_sim.attackers.in_file import InFile
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.io.policy_files import load_policy
from policy_sim.io.populations.by_name import load_population
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy, SmallPlaces
from policy_sim.population.cells import check_cells
from policy_sim.population.merge import people_of_age
from policy_sim.population.population import Population, Provenance
from policy_sim.results import PRECISION, TOTAL_RISK
from policy_sim.study import Study
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList

ROWS = [
    ("OH", county, sex, age, width, race, people)
    for county, share in (("39001", 3), ("39003", 1))
    for sex in "MF"
    for age, width in ((20, 1), (21, 1), (100, 5))
    for race, people in (("white", 40 * share), ("asian", 3 * share))
]
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=COLUMNS), "made"), Provenance("made", "t", "", "", "", 1, 0, 0)
)


LISTED = VoterList(
    "OH",
    "x",
    "available",
    fields={
        name: ListField("included", value)
        for name, value in (("gender", "value"), ("race", "value"), ("birth", "date"), ("geography", "county"))
    },
)


def policy(conditions: Conditions = NO_CONDITIONS, **releases: str) -> Policy:
    return Policy("p", "t", Granularities(releases), "c", conditions)


POLICIES = {
    "date": policy(gender="value", race="value", birth="date", geography="county"),
    "month": policy(race="broad", birth="month", geography="state"),
    "decade": policy(gender="value", birth="decade", geography="county"),
    "top": policy(Conditions(top_age=100), gender="value", birth="year", geography="county"),
    "small": policy(Conditions(small_places=SmallPlaces("county", 300)), birth="date", geography="county"),
    "nothing": policy(geography="state"),
}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("release", [1.0, 0.3])
def test_counts_agree_with_the_formulas(name, release):
    for attack in simulate(PEOPLE, [POLICIES[name]], [GENERAL], "OH", runs=60, release=release, seed=3):
        # 24 comparisons of 60 runs each: at 4.5 standard errors one in 6,000 such tests fails by luck.
        error = attack.spread / np.sqrt(len(attack.counts))
        assert abs(attack.mean - attack.expected) <= 4.5 * error + 1e-9, (attack.measure, attack.mean, attack.expected)


@pytest.mark.parametrize("name", ["date", "month", "nothing"])
def test_counts_scatter_as_the_interval_says(name):
    """Seeded; 400 runs estimate a variance to about 7 %: four times that is allowed.

    Without the attacker's luck the variance of the links is too small by more than half.
    """
    attacks = simulate(PEOPLE, [POLICIES[name]], [GENERAL], "OH", runs=400, seed=5)
    profile = compare(PEOPLE, [POLICIES[name]], [GENERAL], g=[1], spread=True).profile("OH", "p", GENERAL.name)
    for attack in attacks:
        said = profile.variances[attack.measure].low
        assert attack.spread**2 == pytest.approx(said, rel=4 * np.sqrt(2 / 399), abs=1e-9), attack.measure


def test_a_wrong_formula_would_be_noticed():
    """Expected figures moved by 3 % fall outside the interval: the test above can fail."""
    attack = simulate(PEOPLE, [POLICIES["date"]], [GENERAL], "OH", runs=60, seed=3)[0]
    half = attack.interval.high - attack.mean
    assert half < 0.03 * attack.expected


def test_the_same_seed_gives_the_same_counts():
    counts = [
        [attack.counts.tolist() for attack in simulate(PEOPLE, [POLICIES["date"]], [GENERAL], "OH", runs=3, seed=seed)]
        for seed in (1, 1, 2)
    ]
    assert counts[0] == counts[1] != counts[2]


@pytest.mark.parametrize("in_file", [None, InFile.of(0.3), InFile.of(60)])
@pytest.mark.parametrize("name", ["date", "decade", "top"])
def test_a_list_of_some_of_the_people_and_a_file_of_known_people(name, in_file):
    """With 0.65 of the adults listed; four standard errors, as above."""
    some = covered(voter({"OH": LISTED}, "x"), Coverage("registered", "0.65 of them", {"OH": 0.65 * PEOPLE.people}))
    attacks = simulate(PEOPLE, [POLICIES[name]], [some, GENERAL], "OH", runs=60, seed=3, in_file=in_file)
    measures = {str(attack.measure) for attack in attacks if attack.case.attacker is some}
    assert {"total-risk", "1-distinct"} <= measures
    for attack in attacks:
        error = max(attack.spread, np.sqrt(attack.expected)) / np.sqrt(len(attack.counts))
        assert abs(attack.mean - attack.expected) <= 4.5 * error + 1e-9, (attack.measure, attack.mean, attack.expected)


@pytest.mark.parametrize("share", [None, 0.1, 0.01])
def test_delaware_lies_in_the_interval_for_claims_and_precision(share):
    """A list with sex, race, date of birth and county that holds 0.65 of the adults; 99 % intervals, seeded."""
    people = load_population("us-2020").in_states(["DE"])
    adults = people_of_age(people, 18).people_by_state()["DE"]
    listed = replace(LISTED, state="DE")
    some = covered(voter({"DE": listed}, "x"), Coverage("registered", "0.65 of them", {"DE": round(0.65 * adults)}))
    limited = load_policy("limited-dataset-paper")
    attacks = simulate(people, [limited], [some, GENERAL], "DE", runs=6, seed=4, in_file=InFile.of(share))
    found = {(attack.case.attacker.name, str(attack.measure)): attack for attack in attacks}
    assert {"claims", "correct-claims", "precision"} <= {measure for _, measure in found}
    assert all(attack.agrees for attack in attacks), attacks.to_frame()
    if share is None:
        assert found["voter-registered", "precision"].expected < 0.9  # a third of the adults is not on the list


def test_everyone_is_made_and_shows_their_own_cell():
    people = make_people(PEOPLE, np.random.default_rng(0))
    assert len(people) == PEOPLE.people
    assert people.day.max() == 364
    assert set(people.age) == {20, 21, 100, 101, 102, 103, 104}
    view = Granularities(gender="value", race="value", birth="none", geography="county")
    sizes = np.unique(shown_key(people, view, NO_CONDITIONS), return_counts=True)[1]
    expected = PEOPLE.cells.groupby(["county", "sex", "race"], observed=True)["people"].sum()
    assert sorted(sizes) == sorted(expected)


@pytest.mark.parametrize("options", [{"runs": 1}, {"release": 0.0}, {"release": 1.5}, {"days_per_year": 365.25}])
def test_wrong_options_are_told(options):
    with pytest.raises(InputError, match=r"must be"):
        simulate(PEOPLE, [POLICIES["date"]], [GENERAL], "OH", **options)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ([0, 0], 0.0, 5.2983 / 2),  # -log 0.005
        ([2, 3, 1, 2], 2.5711 / 4, 18.5782 / 4),  # half the 0.005 and 0.995 quantiles of chi-square 16 and 18
    ],
)
def test_few_people_counted_have_the_interval_of_a_poisson_count(counts, low, high):
    attack = simulate(PEOPLE, [POLICIES["date"]], [GENERAL], "OH", runs=2, seed=3)[0]
    few = replace(attack, counts=np.array(counts, dtype=float))
    assert (few.interval.low, few.interval.high) == pytest.approx((low, high), abs=1e-4)


def births(share: tuple[float, float]) -> IdentifiedFile:
    """A birth index of Delaware: sex and date of birth of those born from 1930 to 2015."""
    held = Coverage("births", "born there", least_age=0, born=(1930, 2015), least_share=share[0], most_share=share[1])
    shows = {"gender": "value", "birth": "date"}
    fields = {
        name: ListField("included", shows[name]) if name in shows else ListField("withheld")
        for name in ("gender", "race", "birth", "geography", "zip")
    }
    return IdentifiedFile("births", "births of Delaware", "birth index", held, fields=fields, states=("DE",))


@pytest.mark.parametrize("file", [None, 0.05])
@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_a_voter_list_joined_with_a_birth_index_in_delaware(file, rules):
    """The closed form lies in the 99 % interval of each assumption, and the bounds hold all of them.

    Delaware's voter list has the year of birth and the county, the index sex and date of birth: the attacker links
    the two by name, and a release with what both show. The seed is part of the statement.
    """
    study = Study("us-2020", 2026)
    attacker = joined([study.voter, Attacker("births", "holds births", (births((0.6, 0.6)),))])
    shown = {"policies": "limited-dataset", "attackers": attacker, "rules": rules, "in_file": file}
    attacks = study.simulate("DE", **shown, runs=6, seed=3)
    assert {attack.assumption for attack in attacks} == {"least overlap", "independent", "most overlap"}
    assert all(attack.agrees for attack in attacks), attacks.to_frame()
    bounds = study.compare(states="DE", **shown).profiles[0]
    for attack in attacks:
        figure = bounds.share(attack.measure) if attack.measure == PRECISION else bounds.people(attack.measure)
        assert attack.interval.high >= figure.low
        assert attack.interval.low <= figure.high
    risk = [attack.mean for attack in attacks if attack.measure == TOTAL_RISK]
    assert risk == sorted(risk), "the more people are on both lists, the more are matched"


def test_a_file_of_which_nobody_knows_how_many_it_holds():
    """The fewest and the most people of a birth index, each against its own closed form."""
    study = Study("us-2020", 2026)
    attacker = Attacker("births", "holds births", (births((0.2, 0.9)),))
    attacks = study.simulate("DE", "limited-dataset", attacker, rules="paper", runs=6, seed=3)
    assert {attack.assumption for attack in attacks} == {"fewest people", "most people"}
    assert all(attack.agrees for attack in attacks), attacks.to_frame()
