"""Who bears the risk: by hand, by brute force over made people, and conserved on the shipped census."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers import ADULTS, GENERAL, VoterList, covered, voter
from policy_sim.formulas.groups import g_distinct, total_risk
from policy_sim.model.breakdown import (
    break_down,
    breakdown_frame,
    by_year_of_birth,
    over_states,
    year_chances,
    years_of_birth,
)
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import Measure
from policy_sim.people.by_name import load_population
from policy_sim.people.merge import merge
from policy_sim.people.places import SPLITS
from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.voter_lists.list_field import ListField
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

SAFE = Policy("safe", "t", Granularities(gender="value", race="value", birth="year", geography="state"), "c")
LIMITED = Policy("limited", "t", Granularities(gender="value", race="value", birth="date", geography="county"), "c")
NATION = Policy("nation", "t", Granularities(birth="year"), "c")
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
ROWS = [
    ("OH", "39001", "M", 17, 1, "white", 3),
    ("OH", "39001", "F", 17, 1, "white", 1),
    ("OH", "39003", "F", 17, 1, "white", 1),
    ("OH", "39003", "F", 18, 1, "black", 2),
    ("WV", "54001", "M", 90, 1, "white", 5),
    ("WV", "54003", "M", 17, 1, "white", 2),
]


def population(rows) -> Population:
    cells = check_cells(pd.DataFrame(rows, columns=COLUMNS), "made")
    return Population(cells, Provenance("made", "made", "", "", "", 1, 0, 0))


def rows_of(people, policies, attackers, by, **options):
    return breakdown_frame(break_down(Cases(people, policies, attackers, **options), by))


def at_risk(frame, measure="total-risk"):
    return frame[frame["measure"] == measure].set_index(["state", "value"])["people"]


def test_a_group_of_two_counties_is_shared_out_by_heads():
    # Safe Harbor sees three groups in Ohio: boys of 17 (3), girls of 17 (1 + 1), women of 18 (2).
    frame = rows_of(population(ROWS), [SAFE], [GENERAL], "county", states=["OH"], g=[2])
    total = at_risk(frame)
    assert total["OH", "39001"] == pytest.approx(1 + 1 / 2, rel=1e-15)
    assert total["OH", "39003"] == pytest.approx(1 / 2 + 1, rel=1e-15)
    two = at_risk(frame, "g-distinct")
    assert two["OH", "39001"] == 1
    assert two["OH", "39003"] == 3
    first = frame.iloc[0]
    assert (first["members"], first["member_share"], first["share"]) == (4, 4 / 7, 1.5 / 4)
    assert first["of_total"] == pytest.approx(0.5, rel=1e-15)


def test_a_key_without_the_state_shares_the_nation_out():
    # Born in the same year anywhere: 7 of 17 (OH 5, WV 2), 2 of 18, 5 of 90.
    total = at_risk(rows_of(population(ROWS), [NATION], [GENERAL], "age", g=[1]))
    assert total["OH", "0-17"] == pytest.approx(5 / 7, rel=1e-15)
    assert total["WV", "0-17"] == pytest.approx(2 / 7, rel=1e-15)
    assert total["OH", "18-24"] == 1
    assert total["WV", "85 and over"] == 1


def test_against_people_thrown_one_by_one():
    """Seeded; who shares a key is counted person by person. 3,000 rounds: four standard errors are allowed."""
    rng = np.random.default_rng(8)
    rows = [
        ("OH", county, sex, 30, 1, race, int(rng.integers(1, 6)))
        for county in ("39001", "39003")
        for sex in "MF"
        for race in ("white", "black", "asian")
    ]
    key = Policy("k", "t", Granularities(gender="value", birth="month", geography="state"), "c")
    frame = rows_of(population(rows), [key], [GENERAL], "race", g=[2])
    table = np.repeat(np.array([(r[2] == "M", r[5]) for r in rows], dtype=object), [r[6] for r in rows], axis=0)
    sex, race = table[:, 0].astype(int), table[:, 1].astype(str)
    rounds = 3000
    seen = {value: np.zeros((rounds, 2)) for value in ("white", "black", "asian")}
    for turn in range(rounds):
        bin_of = sex * 12 + rng.integers(0, 12, len(sex))
        size = np.bincount(bin_of, minlength=24)[bin_of]
        for value, found in seen.items():
            here = race == value
            found[turn] = (1 / size[here]).sum(), (size[here] <= 2).sum()
    for value, found in seen.items():
        for measure, column in (("total-risk", 0), ("g-distinct", 1)):
            error = found[:, column].std() / np.sqrt(rounds)
            assert at_risk(frame, measure)["OH", value] == pytest.approx(found[:, column].mean(), abs=4 * error)


@pytest.mark.slow
@pytest.mark.parametrize("by", sorted(SPLITS))
def test_parts_add_up_to_every_figure_of_the_shipped_census(by):
    """Three states, both ends of an interval, adults: people and shares, to 1e-9 relative."""
    people = load_population("us-2010").in_states(["DE", "WY", "HI"])
    unknown = VoterList("WY", "x", "available", fields={"birth": ListField("included", "year")})
    known = VoterList(
        "DE",
        "x",
        "available",
        fields={n: ListField("included", v) for n, v in (("birth", "date"), ("geography", "county"))},
    )
    lists = voter({"WY": unknown, "DE": known}, "x")
    policies = [load_policy("safe-harbor-paper"), load_policy("limited-dataset-paper")]
    attackers = [GENERAL, lists, covered(lists, ADULTS)]
    keys = ["state", "policy", "attacker", "measure", "g"]
    frame = rows_of(people, policies, attackers, by, g=[1, 5])
    figures = compare(Cases(people, policies, attackers, g=[1, 5])).to_frame()
    whole = figures[figures["measure"].isin(["total-risk", "g-distinct"])].set_index(keys).sort_index()
    sums = frame.groupby(keys, dropna=False)[["people", "people_high"]].sum(min_count=1).sort_index()
    for name in ("people", "people_high"):
        np.testing.assert_allclose(
            sums[name].to_numpy(float, na_value=-1), whole[name].to_numpy(float, na_value=-1), rtol=1e-9, atol=1e-12
        )
    one = frame[
        (frame["measure"] == "total-risk") & (frame["policy"] == "safe-harbor-paper") & (frame["attacker"] == "general")
    ]
    assert one.groupby("state")["members"].sum().to_dict() == people.people_by_state()
    for name in ("member_share", "of_total"):
        np.testing.assert_allclose(one.groupby("state")[name].sum().to_numpy(float), 1, rtol=1e-9)


def test_states_add_up_and_those_without_a_list_stay_out():
    made = population(ROWS)
    lists = voter({"OH": VoterList("OH", "x", "available", fields={"birth": ListField("included", "year")})}, "x")
    frame = rows_of(made, [SAFE], [GENERAL, lists], "sex", g=[1])
    none = frame[(frame["state"] == "WV") & (frame["attacker"] == "voter")]
    assert none["people"].isna().all()
    assert set(none["status"]) == {"unknown"}
    sums = over_states(frame)
    women = sums[(sums["value"] == "F") & (sums["measure"] == "total-risk")].set_index("attacker")
    assert (women.loc["general", "states"], women.loc["general", "members"]) == (1, 4)  # no women in West Virginia
    general = sums[(sums["attacker"] == "general") & (sums["measure"] == "total-risk")]
    assert general["people"].sum() == pytest.approx(5, rel=1e-12)
    assert general["of_total"].sum() == pytest.approx(1, rel=1e-12)


def test_sizes_of_counties_are_those_of_everyone_even_where_adults_are_listed():
    rows = [("OH", "39001", "M", 10, 1, "white", 4_000), ("OH", "39001", "M", 40, 1, "white", 2_000)]
    lists = voter({"OH": VoterList("OH", "x", "available", fields={"birth": ListField("included", "year")})}, "x")
    frame = rows_of(population(rows), [SAFE], [covered(lists, ADULTS)], "county-size", g=[1])
    assert set(frame["value"]) == {"5,000 to 9,999"}
    assert at_risk(frame).sum() == pytest.approx(1)


def test_what_cannot_be_asked_is_refused_in_one_line():
    with pytest.raises(UnknownNameError, match="breakdown"):
        break_down(Cases(population(ROWS), [SAFE], [GENERAL]), "shoe-size")
    with pytest.raises(InputError, match="whole numbers from 1 to"):
        break_down(Cases(population(ROWS), [SAFE], [GENERAL], g=[0]), "sex")
    without = Population(population(ROWS).cells.drop(columns="race"), Provenance("made", "", "", "", "", 1, 0, 0))
    with pytest.raises(InputError, match="has no race"):
        break_down(Cases(without, [NATION], [GENERAL]), "race")


def test_measure_names_are_those_of_the_study():
    measures = {part.measure for part in break_down(Cases(population(ROWS), [SAFE], [GENERAL], g=[3]), "sex")}
    assert measures == {Measure("total-risk"), Measure("g-distinct", 3)}


# Years of birth made of ages: by hand, against people born one by one, and conserved.


def birth_years_population(rows) -> Population:
    columns = ["state", "county", "sex", "age", "age_width", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), "made")
    return Population(cells, Provenance("made", "made", "", "", "", 1, 0, 0))


def test_by_hand():
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


def test_ages_as_they_are_where_everyone_is_born_late():
    """With nobody born before census day every age is one year of birth: the merge's own figures."""
    rng = np.random.default_rng(2)
    rows = [
        ("OH", county, sex, age, 1, int(n))
        for county in ("39001", "39003")
        for sex in "MF"
        for age, n in enumerate(rng.integers(1, 9, 90))
    ]
    made = birth_years_population(rows)
    for key in (
        Granularities(birth="year", geography="state"),
        Granularities(gender="value", birth="year", geography="county"),
    ):
        groups = merge(made, key)
        plain = np.r_[total_risk(groups), g_distinct(groups, [1, 5])[0]]
        ours = by_year_of_birth(made, key, "OH", 1e-12, [1, 5])
        np.testing.assert_allclose(ours, plain, rtol=1e-6, atol=1e-9)


def test_keys_that_feel_nothing_or_cannot():
    made = birth_years_population([("OH", "39001", "M", 30, 1, 5)])
    assert by_year_of_birth(made, Granularities(birth="date", geography="state"), "OH", 0.25, [1]) is None
    with pytest.raises(InputError, match="state by state"):
        by_year_of_birth(made, Granularities(birth="year"), "OH", 0.25, [1])


def test_the_oldest_and_small_places_share_what_the_policy_shows():
    """Everyone born late: the merge with the same conditions gives the same figures."""
    rng = np.random.default_rng(7)
    rows = [
        ("OH", county, "F", age, 1, int(n) * many)
        for county, many in (("39001", 1), ("39003", 1), ("39005", 20))
        for age, n in enumerate(rng.integers(1, 5, 100))
    ]
    made = birth_years_population(rows)
    key = Granularities(birth="year", geography="county")
    conditions = Conditions(top_age=90, small_places=SmallPlaces("county", most=1000))
    groups = merge(made, key, conditions=conditions)
    plain = np.r_[total_risk(groups), g_distinct(groups, [1, 5])[0]]
    assert plain[0] == 2 * 91  # two counties under one value, one shown
    np.testing.assert_allclose(
        by_year_of_birth(made, key, "OH", 1e-12, [1, 5], conditions), plain, rtol=1e-6, atol=1e-9
    )
