"""The simulated attack counts what the formulas expect, without using the formulas."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pinned import pinned
from small_people import file_of, list_of, population_of

from benchmarks.listed_people import BIRTH, MEASURES, STATES, check, effect, nation
from policy_sim.attackers import GENERAL, Attacker, Coverage, covered, joined, voter
from policy_sim.attackers.attacker import Joined
from policy_sim.attackers.in_file import InFile
from policy_sim.attackers.resource import IdentifiedFile
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import PRECISION, TOTAL_RISK
from policy_sim.model.simulation.linking import Listed, Sides, draw_lists, joined_keys, link, sides_of, simulate
from policy_sim.model.simulation.people import make_people, shown_key
from policy_sim.people.county_tables import Listing
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy, SmallPlaces
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

ROWS = [
    ("OH", county, sex, age, width, race, people)
    for county, share in (("39001", 3), ("39003", 1))
    for sex in "MF"
    for age, width in ((20, 1), (21, 1), (100, 5))
    for race, people in (("white", 40 * share), ("asian", 3 * share))
]
PEOPLE = population_of(ROWS)


LISTED = list_of("OH", gender="value", race="value", birth="date", geography="county")


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


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("release", [1.0, 0.3])
def test_counts_agree_with_the_formulas(name, release):
    for attack in simulate(Cases(PEOPLE, [POLICIES[name]], [GENERAL], states=["OH"]), runs=60, release=release, seed=3):
        # 24 comparisons of 60 runs each: at 4.5 standard errors one in 6,000 such tests fails by luck.
        error = attack.spread / np.sqrt(len(attack.counts))
        assert abs(attack.mean - attack.expected) <= 4.5 * error + 1e-9, (attack.measure, attack.mean, attack.expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["date", "month", "nothing"])
def test_counts_scatter_as_the_interval_says(name):
    """Seeded; 400 runs estimate a variance to about 7 %: four times that is allowed.

    Without the attacker's luck the variance of the links is too small by more than half.
    """
    attacks = simulate(Cases(PEOPLE, [POLICIES[name]], [GENERAL], states=["OH"]), runs=400, seed=5)
    profile = compare(Cases(PEOPLE, [POLICIES[name]], [GENERAL], g=[1]), spread=True).profile("OH", "p", GENERAL.name)
    for attack in attacks:
        said = profile.figures[attack.measure].variance.low
        assert attack.spread**2 == pytest.approx(said, rel=4 * np.sqrt(2 / 399), abs=1e-9), attack.measure


def test_a_wrong_formula_would_be_noticed():
    """Expected figures moved by 3 % fall outside the interval: the test above can fail."""
    attack = simulate(Cases(PEOPLE, [POLICIES["date"]], [GENERAL], states=["OH"]), runs=60, seed=3)[0]
    half = attack.interval.high - attack.mean
    assert half < 0.03 * attack.expected


def test_the_same_seed_gives_the_same_counts():
    counts = [
        [
            attack.counts.tolist()
            for attack in simulate(Cases(PEOPLE, [POLICIES["date"]], [GENERAL], states=["OH"]), runs=3, seed=seed)
        ]
        for seed in (1, 1, 2)
    ]
    assert counts[0] == counts[1] != counts[2]


@pytest.mark.slow
@pytest.mark.parametrize("in_file", [None, InFile.of(0.3), InFile.of(60)])
@pytest.mark.parametrize("name", ["date", "decade", "top"])
def test_a_list_of_some_of_the_people_and_a_file_of_known_people(name, in_file):
    """With 0.65 of the adults listed; four standard errors, as above."""
    some = covered(voter({"OH": LISTED}, "x"), Coverage("registered", "0.65 of them", {"OH": 0.65 * PEOPLE.people}))
    attacks = simulate(
        Cases(PEOPLE, [POLICIES[name]], [some, GENERAL], states=["OH"], in_file=in_file), runs=60, seed=3
    )
    measures = {str(attack.measure) for attack in attacks if attack.case.attacker is some}
    assert {"total-risk", "1-distinct"} <= measures
    for attack in attacks:
        error = max(attack.spread, np.sqrt(attack.expected)) / np.sqrt(len(attack.counts))
        assert abs(attack.mean - attack.expected) <= 4.5 * error + 1e-9, (attack.measure, attack.mean, attack.expected)


@pytest.mark.parametrize(
    ("options", "days"), [({"runs": 1}, 365), ({"release": 0.0}, 365), ({"release": 1.5}, 365), ({}, 365.25)]
)
def test_wrong_options_are_told(options, days):
    with pytest.raises(InputError, match=r"must be"):
        simulate(Cases(PEOPLE, [POLICIES["date"]], [GENERAL], ["OH"], days_per_year=days), **options)


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ([0, 0], 0.0, 5.2983 / 2),  # -log 0.005
        ([2, 3, 1, 2], 2.5711 / 4, 18.5782 / 4),  # half the 0.005 and 0.995 quantiles of chi-square 16 and 18
    ],
)
def test_few_people_counted_have_the_interval_of_a_poisson_count(counts, low, high):
    attack = simulate(Cases(PEOPLE, [POLICIES["date"]], [GENERAL], states=["OH"]), runs=2, seed=3)[0]
    few = replace(attack, counts=np.array(counts, dtype=float))
    assert (few.interval.low, few.interval.high) == pytest.approx((low, high), abs=1e-4)


def births(share: tuple[float, float]) -> IdentifiedFile:
    """A birth index of Delaware: sex and date of birth of those born from 1930 to 2015."""
    held = Coverage("births", "born there", least_age=0, born=(1930, 2015), least_share=share[0], most_share=share[1])
    return file_of("births", held, states=("DE",), gender="value", birth="date")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "file"),
    pinned([("paper", None), ("regulation", 0.05)], [*product(("paper", "regulation"), (None, 0.05))]),
)
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


@pytest.mark.slow
def test_a_file_of_which_nobody_knows_how_many_it_holds():
    """The fewest and the most people of a birth index, each against its own closed form."""
    study = Study("us-2020", 2026)
    attacker = Attacker("births", "holds births", (births((0.2, 0.9)),))
    attacks = study.simulate("DE", "limited-dataset", attacker, rules="paper", runs=6, seed=3)
    assert {attack.assumption for attack in attacks} == {"fewest people", "most people"}
    assert all(attack.agrees for attack in attacks), attacks.to_frame()


# Links drawn at random: by hand.


KEY = np.array([7, 5, 5, 9])


def test_two_people_alone_in_their_bins_are_always_found_and_of_a_pair_one_on_average():
    everyone = np.arange(4)
    linked = [link(KEY, Sides(everyone, everyone), np.random.default_rng(seed)) for seed in range(400)]
    assert {counts[1:] for counts in linked} == {(2, 2)}
    assert np.mean([right for right, _, _ in linked]) == pytest.approx(3, abs=5 * np.sqrt(0.5 / 400))


@pytest.mark.parametrize(
    ("key", "records", "listed", "counts"),
    [
        # person 1 is listed, person 2 shows the same; nobody with key 9 is listed
        (KEY, 4, [0, 1], (2, 3, 2)),
        (KEY, 4, [], (0, 0, 0)),
        # person 0 is not listed and shows 7, as does the entry of someone who left: claimed, and wrongly
        (np.array([7, 5, 7]), 2, [1, 2], (1, 2, 1)),
    ],
)
def test_a_record_is_claimed_for_whoever_is_listed_and_looks_the_same(key, records, listed, counts):
    sides = Sides(np.arange(records), np.array(listed, dtype=int))
    assert link(key, sides, np.random.default_rng(1)) == counts


def test_records_of_those_who_can_be_on_no_list_are_left_alone():
    lists = Listed(possible=np.array([False, True, True, False]), listed=np.array([False, True, False, False]))
    sides = sides_of(lists, np.arange(4), 4, is_file=False)
    assert sides.records.tolist() == [1, 2]
    assert sides.people.tolist() == [1]


def test_in_a_file_only_its_own_people_are_candidates():
    file = np.array([1, 3])
    assert sides_of(None, file, 4, is_file=True).people.tolist() == [1, 3]
    assert sides_of(None, file, 4, is_file=False).people.tolist() == [0, 1, 2, 3]
    lists = Listed(possible=np.full(4, True), listed=np.array([True, True, False, False]))
    assert sides_of(lists, file, 4, is_file=True).people.tolist() == [1]
    assert sides_of(lists, file, 4, is_file=False).people.tolist() == [0, 1]


# Who is on the attacker's lists: by hand, and against the shares that overlaps are defined by.


CROWD_ROWS = [
    ("OH", county, sex, age, 1, 20_000) for county in ("39001", "39003") for sex in "MF" for age in (10, 30, 70)
]
CROWD = population_of(CROWD_ROWS, date="2020-04-01")


def file(name, share, *, most_age=None, **fields):
    held = Coverage(name, name, least_age=0, most_age=most_age, least_share=share, most_share=share)
    return file_of(name, held, **fields)


def made(seed=1):
    return make_people(CROWD, np.random.default_rng(seed))


def drawn(overlap, *files):
    resource = Joined(files, overlap) if len(files) > 1 else files[0]
    return draw_lists(made(), Attacker("a", "a", (resource,)), "OH", np.random.default_rng(2))


@pytest.mark.parametrize(
    ("overlap", "shares", "expected"),
    [
        ("independent", (0.7, 0.6), 0.42),
        ("most", (0.7, 0.6), 0.6),
        ("least", (0.7, 0.6), 0.3),
        ("least", (0.3, 0.6), 0.0),
        ("least", (0.9, 0.8, 0.9), 0.6),
        ("most", (0.9, 0.8, 0.9), 0.8),
        ("", (0.7,), 0.7),
    ],
)
def test_the_overlap_is_the_one_that_is_assumed(overlap, shares, expected):
    lists = drawn(overlap, *(file(f"f{place}", share, birth="date") for place, share in enumerate(shares)))
    many = len(lists.listed)
    assert lists.possible.all()
    assert lists.listed.mean() == pytest.approx(expected, abs=5 * np.sqrt(0.25 / many))


def test_only_people_whom_every_list_may_hold():
    lists = drawn("most", file("a", 1.0, most_age=50), file("b", 1.0))
    age = made().age
    assert lists.possible.tolist() == (age <= 50).tolist()
    assert lists.listed.tolist() == lists.possible.tolist()


def test_a_voter_list_has_no_children_and_the_share_of_the_registered():
    listed = list_of("OH", birth="date")
    half = Coverage("registered", "half", {"OH": 80_000})
    lists = draw_lists(made(), covered(voter({"OH": listed}), half), "OH", np.random.default_rng(1))
    assert not lists.possible[made().age < 18].any()
    assert lists.listed.sum() == pytest.approx(80_000, abs=5 * 200)


def by_county_and_age(people, chance, stale):
    """A list of which ages 30 and 70 of two counties are known, with stale records for each listed resident."""
    by_age = np.zeros((2, 120))
    by_age[:, 30], by_age[:, 70] = chance

    class Known(Coverage):
        def listing(self, population):
            return Listing(("39001", "39003"), by_age, np.array(stale))

    listed = list_of("OH", birth="date")
    attacker = covered(voter({"OH": listed}, "x"), Known("registered", "known"))
    return draw_lists(people, attacker, "OH", np.random.default_rng(3))


def test_each_county_and_age_has_its_own_chance_and_its_own_records_of_people_who_left():
    people, chance = made(), np.array([[0.2, 0.9], [1.0, 0.6]])
    lists = by_county_and_age(people, chance, [0.5, 0.1])
    county = people.population.cells["county"].cat.codes.to_numpy()
    sex = (people.population.cells["sex"] == "F").to_numpy()
    of_left = county[lists.left.cell]
    assert np.bincount(of_left).tolist() == [round(0.5 * 40_000 * 1.2), round(0.1 * 40_000 * 1.5)]
    assert not lists.listed[people.age == 10].any()
    for place in (0, 1):
        share = chance[:, place] / chance[:, place].sum()
        left = lists.left.age[of_left == place]
        for row, age in enumerate((30, 70)):
            on_list = lists.listed[(county[people.cell] == place) & (people.age == age)]
            assert on_list.mean() == pytest.approx(chance[row, place], abs=5 * np.sqrt(0.25 / len(on_list)))
            assert (left == age).mean() == pytest.approx(share[row], abs=5 * np.sqrt(0.25 / len(left)))
        women = sex[lists.left.cell][of_left == place]
        assert women.mean() == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / len(women)))
    assert lists.left.day.mean() == pytest.approx(182, abs=5 * 365 / np.sqrt(12 * len(of_left)))


def test_records_of_people_who_left_are_candidates_unless_it_is_known_who_is_in_the_file():
    lists = by_county_and_age(made(), np.full((2, 2), 0.5), [1.0, 1.0])
    everyone = np.arange(len(lists.listed))
    linked = sides_of(lists, everyone, len(everyone), is_file=False).people
    assert len(linked) == lists.listed.sum() + len(lists.left)
    assert linked.max() == len(everyone) + len(lists.left) - 1
    assert (
        sides_of(lists, everyone, len(everyone), is_file=True).people.tolist() == np.flatnonzero(lists.listed).tolist()
    )


def test_everyone_is_drawn_for_nobody():
    assert draw_lists(made(), GENERAL, "OH", np.random.default_rng(1)) is None


@pytest.mark.slow
def test_lists_together_tell_apart_what_their_join_does():
    """One list has sex and county, the other the date of birth: the pair of both is the join."""
    policy = Policy("p", "t", Granularities(gender="value", birth="month", geography="county"), "c")
    both = Joined((file("a", 1.0, gender="value", geography="county"), file("b", 1.0, birth="date")), "most")
    people = made()
    (comparison,) = joined_keys(people, policy, Attacker("a", "a", (both,)), "OH", released=False)
    joined = shown_key(people, policy.releases, NO_CONDITIONS)
    pairs = np.unique(np.stack([comparison.key, joined]), axis=1).shape[1]
    assert pairs == len(np.unique(comparison.key)) == len(np.unique(joined))


# Lists with residents by county and age and with stale records, next to lists drawn person by person.
#
# The whole is ``python -m benchmarks.listed_people``, 200 runs of three states; this is a pinned tenth.


@pytest.mark.slow
@pytest.mark.parametrize("state", pinned(STATES[-1:], STATES))
def test_the_formulas_lie_in_the_intervals_of_simulated_lists(state):
    attacks = check(state, pinned(10, 200))
    assert {attack.case.policy.name for attack in attacks} == set(BIRTH)
    assert {attack.measure for attack in attacks} == set(MEASURES)
    assert [attack.to_frame() for attack in attacks if not attack.agrees] == []


@pytest.mark.slow
def test_the_page_has_the_tables():
    page = (Path(__file__).resolve().parents[3] / "docs" / "listed-people.md").read_text(encoding="utf-8")
    assert nation().strip() in page
    for line in effect(("WY",)).splitlines():
        assert line in page
