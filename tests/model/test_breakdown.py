"""Who bears the risk: by hand, by brute force over made people, and conserved on the shipped census."""

from __future__ import annotations

import numpy as np
import pytest
from small_people import list_of, people_of, population_of

from policy_sim import Study
from policy_sim.attackers import ADULTS, GENERAL, covered, voter
from policy_sim.attackers.county_coverage import county_coverage
from policy_sim.model.breakdown import (
    Part,
    break_down,
    flagged_counties,
    listed_by_age,
    listed_by_age_class,
    listed_by_county,
    listed_by_state,
    over_states,
)
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.people.by_name import load_population
from policy_sim.people.places import SPLITS
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.registration import load_registration
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

SAFE = Policy("safe", "t", Granularities(gender="value", race="value", birth="year", geography="state"), "c")
NATION = Policy("nation", "t", Granularities(birth="year"), "c")
ROWS = [
    ("OH", "39001", "M", 17, 1, "white", 3),
    ("OH", "39001", "F", 17, 1, "white", 1),
    ("OH", "39003", "F", 17, 1, "white", 1),
    ("OH", "39003", "F", 18, 1, "black", 2),
    ("WV", "54001", "M", 90, 1, "white", 5),
    ("WV", "54003", "M", 17, 1, "white", 2),
]


def rows_of(people, policies, attackers, by, **options):
    return Part.table(break_down(Cases(people, policies, attackers, **options), by))


def at_risk(frame, measure="total-risk"):
    return frame[frame["measure"] == measure].set_index(["state", "value"])["people"]


def test_a_group_of_two_counties_is_shared_out_by_heads():
    # Safe Harbor sees three groups in Ohio: boys of 17 (3), girls of 17 (1 + 1), women of 18 (2).
    frame = rows_of(population_of(ROWS), [SAFE], [GENERAL], "county", states=["OH"], g=[2])
    total = at_risk(frame)
    assert total["OH", "39001"] == pytest.approx(1 + 1 / 2, rel=1e-15)
    assert total["OH", "39003"] == pytest.approx(1 / 2 + 1, rel=1e-15)
    two = at_risk(frame, "g-distinct")
    assert two["OH", "39001"] == 1
    assert two["OH", "39003"] == 3
    first = frame.iloc[0]
    assert (first["members"], first["member_share"], first["share"]) == (4, 4 / 7, 1.5 / 4)
    assert first["of_total"] == pytest.approx(0.5, rel=1e-15)


def test_the_95th_percentile_is_over_people_and_next_to_the_mean():
    """Boys of 17 (3), girls of 17 (2), women of 18 (2): in 39001 three people at 1/3 and one at 1/2."""
    frame = rows_of(population_of(ROWS), [SAFE], [GENERAL], "county", states=["OH"], g=[2])
    total = frame[frame["measure"] == "total-risk"].set_index("value")
    assert total.loc["39001", "percentile_95"] == 1 / 2
    assert total.loc["39001", "percentile_95_high"] == 1 / 2
    assert total.loc["39003", "percentile_95"] == 1 / 2
    assert frame[frame["measure"] == "g-distinct"]["percentile_95"].isna().all()


def test_those_who_are_on_no_list_count_with_the_chance_of_nothing():
    """Of 39 boys and one man of a county, a list of adults has the man alone: 1 of 40 people is less than 5%."""
    adults = covered(voter({"OH": list_of("OH", birth="year", gender="value")}, "x"), ADULTS)
    for boys, percentile in ((39, 0.0), (19, 1.0)):
        people = population_of([("OH", "39001", "M", 10, 1, "white", boys), ("OH", "39001", "M", 40, 1, "white", 1)])
        frame = rows_of(people, [SAFE], [adults], "sex", g=[1])
        assert frame[frame["measure"] == "total-risk"]["percentile_95"].tolist() == [percentile]
        assert frame[frame["measure"] == "total-risk"]["share"].tolist() == [pytest.approx(1 / (boys + 1))]


def test_percentiles_of_a_made_population_are_those_of_its_people_in_a_row():
    """Every person is listed with the size of their group; ages and sexes as random counts."""
    rng = np.random.default_rng(4)
    rows = [
        ("OH", county, sex, age, 1, race, int(rng.integers(1, 60)))
        for county in ("39001", "39003")
        for sex in "MF"
        for age in range(20, 26)
        for race in ("white", "black")
    ]
    frame = rows_of(population_of(rows), [SAFE], [GENERAL], "race", g=[1])
    groups = {}
    for _, _, sex, age, _, race, many in rows:
        groups[sex, age, race] = groups.get((sex, age, race), 0) + many
    for value in ("white", "black"):
        sizes = [groups[sex, age, race] for _, _, sex, age, _, race, many in rows if race == value for _ in range(many)]
        reached = sorted((1 / size for size in sizes), reverse=True)[-(-len(sizes) // 20) - 1]
        row = frame[(frame["value"] == value) & (frame["measure"] == "total-risk")].iloc[0]
        assert row["percentile_95"] == reached
        assert row["share"] == pytest.approx(np.mean([1 / size for size in sizes]))


def test_a_breakdown_without_sizes_has_the_rows_of_total_risk():
    cases = Cases(population_of(ROWS), [SAFE], [GENERAL], states=["OH"], g=[2])
    every = Part.table(break_down(cases, "county"))
    rows = Part.table(break_down(cases, "county", distinct=False))
    assert rows.equals(every[every["measure"] == "total-risk"].reset_index(drop=True))


def test_a_key_without_the_state_shares_the_nation_out():
    # Born in the same year anywhere: 7 of 17 (OH 5, WV 2), 2 of 18, 5 of 90.
    total = at_risk(rows_of(population_of(ROWS), [NATION], [GENERAL], "age", g=[1]))
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
    frame = rows_of(population_of(rows), [key], [GENERAL], "race", g=[2])
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
    unknown = list_of("WY", birth="year")
    known = list_of("DE", birth="date", geography="county")
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
    made = population_of(ROWS)
    lists = voter({"OH": list_of("OH", birth="year")}, "x")
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
    lists = voter({"OH": list_of("OH", birth="year")}, "x")
    frame = rows_of(population_of(rows), [SAFE], [covered(lists, ADULTS)], "county-size", g=[1])
    assert set(frame["value"]) == {"5,000 to 9,999"}
    assert at_risk(frame).sum() == pytest.approx(1)


def test_what_cannot_be_asked_is_refused_in_one_line():
    with pytest.raises(UnknownNameError, match="breakdown"):
        break_down(Cases(population_of(ROWS), [SAFE], [GENERAL]), "shoe-size")
    with pytest.raises(InputError, match="whole numbers from 1 to"):
        break_down(Cases(population_of(ROWS), [SAFE], [GENERAL], g=[0]), "sex")
    without = people_of(population_of(ROWS).cells.drop(columns="race"))
    with pytest.raises(InputError, match="has no race"):
        break_down(Cases(without, [NATION], [GENERAL]), "race")


# Who is on the list.


@pytest.fixture(scope="module")
def study():
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def ohio(study):
    return county_coverage(study.people.in_states(["OH"]), 2024)


@pytest.fixture(scope="module")
def nation(study):
    return county_coverage(study.people, 2024)


def test_ages_add_up_to_counties(ohio):
    ages, counties = listed_by_age(ohio), listed_by_county(ohio)
    assert ages["age"].tolist() == list(range(18, 120))
    for name in ("listed", "stale"):
        assert ages[name].sum() == counties[name].sum()
    assert ages["people"].sum() == counties["adults"].sum()
    assert (ages["records"] == ages["listed"] + ages["stale"]).all()
    assert (ages["listed"] <= ages["people"]).all()
    assert (ages[["people", "listed", "stale"]] >= 0).all(axis=None)
    assert all(dtype.kind == "i" for dtype in ages.dtypes)


def test_classes_of_ages_are_the_ages_together(ohio):
    classes, ages = listed_by_age_class(ohio), listed_by_age(ohio)
    assert classes[["people", "listed", "stale", "records"]].sum().tolist() == ages.drop(columns="age").sum().tolist()
    young = ages[ages["age"].isin([18, 19])]
    assert classes.loc[0, ["state", "ages"]].tolist() == ["OH", "18-19"]
    assert classes.loc[0, "listed_share"] == young["listed"].sum() / young["people"].sum()


def test_states_add_up_to_the_nation(nation):
    states, counties = listed_by_state(nation), listed_by_county(nation)
    assert len(states) == 51
    assert (states["registered"].sum(), states["active"].sum()) == (232_361_684, 209_026_966)
    assert states["listed"].sum() == counties["listed"].sum() == listed_by_age(nation)["listed"].sum()
    assert (states["records"] == states["listed"] + states["stale"]).all()
    north_dakota = states.set_index("state").loc["ND"]
    assert north_dakota.isna()["registered"]
    assert north_dakota["stale"] == 0
    assert states.set_index("state").loc["WY", "per_surveyed"] == pytest.approx(296_960 / 307_000)


def test_what_a_county_reported_stands_beside_what_is_made_of_it(nation):
    row = listed_by_county(nation).set_index("county").loc["17021"]
    assert (row["registered"], row["flag"]) == (10_767, "outlier")
    assert row["listed"] + row["stale"] == load_registration().usable(2024).loc["17021", "records"]
    assert row.isna()["active"]


def test_every_particular_county_is_shown(nation):
    rows, every = flagged_counties(nation), listed_by_county(nation)
    assert set(rows["county"]) == set(every[(every["flag"] != "") | (every["note"] != "")]["county"])
    capped = every[every["listed"] == every["adults"]]
    assert set(capped["county"]) >= set(rows[rows["flag"].str.contains("capped")]["county"])
    words = {word for flag in rows["flag"] for word in flag.split("+")} - {""}
    assert words == {"capped", "high", "low", "none", "outlier", "parts", "state", "survey"}


def test_the_election_is_the_one_nearest_to_the_lists(study):
    assert "November 2024" in "".join(study.listed_by("state", "DE").provenance.notes)
    assert "November 2010" in "".join(Study("us-2020", 2008).listed_by("state", "DE").provenance.notes)
    assert study.listed_by("state", "DE", year=2018).coverage.year == 2018
    assert study.listed_by_age("Delaware").to_frame().equals(study.listed_by("age", ["DE"]).to_frame())


def test_the_manifest_names_the_counts(study):
    manifest = study.listed_by("county", "DE").provenance.manifest()
    files = {"by_county.parquet", "registration.toml", "registered_voters.toml"}
    assert files | {"population us-2020"} == set(manifest["inputs"])
    assert manifest["options"]["year"] == 2024


def test_what_cannot_be_asked(study):
    with pytest.raises(UnknownNameError, match="'sex' is not known"):
        study.listed_by("sex")
    with pytest.raises(InputError, match="year = 2023"):
        study.listed_by("age", "DE", year=2023)
    with pytest.raises(InputError, match=r"by age has a curve"):
        study.listed_by("state", "DE").plot()
    with pytest.raises(InputError, match="by county or state has a map"):
        study.listed_by("age", "DE").map()
