"""People whose chance to live in a ZIP code area depends on who they are: by hand, by brute force, by conservation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from policy_sim.attackers import GENERAL
from policy_sim.building.zip_composition import AreaCounts
from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.classed_groups import ClassedGroups
from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.group_variance import variances
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.explanation import explain_groups
from policy_sim.model.explore.axes import entropy_bits
from policy_sim.model.money.pair import FileShares, two_releases
from policy_sim.model.simulation.people import make_people
from policy_sim.people.by_name import load_population
from policy_sim.people.composition import ADULT_AGES, AGE_STARTS, CLASSES, GROUPS, class_of
from policy_sim.people.county_tables import Listing
from policy_sim.people.merge import CLASS_STARTS, MergeKey, OtherList
from policy_sim.people.merging import merge, merge_by_zip, merge_parted
from policy_sim.people.places import split_people
from policy_sim.people.population import Population, check_cells
from policy_sim.people.zips import PeopleByZip, ZipShares, with_zip_codes
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import NO_CONDITIONS, Policy
from policy_sim.words.fields import Granularities

KEYS = [
    {"gender": "value", "race": "race_ethnicity", "birth": "date", "geography": "county_zip5"},
    {"gender": "value", "race": "value", "birth": "year", "geography": "county_zip5"},
    {"gender": "value", "birth": "date", "geography": "county_zip5"},
    {"gender": "value", "race": "race_ethnicity", "birth": "year", "geography": "zip3"},
    {"race": "hcup", "birth": "five_years", "geography": "zip5"},
]
G = [1, 2, 5, 10]


def key_of(state, **seen):
    return MergeKey(Granularities(**seen), (state,))


def figures(groups, coverage=1.0):
    return np.r_[groups.total_risk(coverage), groups.g_distinct(G, coverage)[0], groups.claims(coverage)]


def two_areas(chance_of, people):
    """People of one county, by race and ethnicity, of whom those of each class live in the first of two areas."""
    rows = [("OH", "39001", "F", age, 1, race, ethnicity, many) for age, race, ethnicity, many in people]
    columns = ["state", "county", "sex", "age", "age_width", "race", "ethnicity", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), "here")
    population = Population(cells, load_population("us-2020").provenance)
    first = np.full(CLASSES, 0.5)
    for (age, race, ethnicity), chance in chance_of.items():
        kind = pd.DataFrame({"age": [age], "race": [race], "ethnicity": [ethnicity]})
        first[class_of(kind)] = chance
    everyone = float(cells["people"].sum())
    zips = ZipShares(
        np.zeros(2, dtype=np.int64),
        np.array(["43001", "43002"]),
        np.full(2, 0.5),
        np.array([everyone]),
        {},
        np.stack([first, 1 - first]),
    )
    return PeopleByZip(population, zips)


# By hand.


def test_people_of_two_groups_who_live_apart():
    people = two_areas(
        {(30, "white", "hispanic"): 1.0, (30, "white", "not_hispanic"): 0.0},
        [(30, "white", "hispanic", 1), (30, "white", "not_hispanic", 1)],
    )
    groups = merge_by_zip(people, key_of("OH", birth="year", geography="county_zip5"))
    # each is alone in an area of its own; by the county's mix they would share one in half of the cases
    assert figures(groups)[:2].tolist() == pytest.approx([2.0, 2.0])
    by_mix = replace(people.zips, composition=None, residents=np.array([np.inf]))
    plain = PeopleByZip(people.county_population, by_mix)
    assert figures(merge_by_zip(plain, key_of("OH", birth="year", geography="county_zip5")))[:2] == pytest.approx(
        [1.5, 1]
    )


def test_a_mixed_cell_is_a_sum_of_binomials():
    people = two_areas(
        {(30, "white", "hispanic"): 0.8, (30, "white", "not_hispanic"): 0.1},
        [(30, "white", "hispanic", 1), (30, "white", "not_hispanic", 1)],
    )
    groups = merge_by_zip(people, key_of("OH", birth="year", geography="county_zip5"))
    empty = [0.2 * 0.9, 0.8 * 0.1]
    alone = 0.8 * 0.9 + 0.2 * 0.1 + 0.2 * 0.1 + 0.8 * 0.9
    assert figures(groups)[:3].tolist() == pytest.approx([2 - sum(empty), alone, 2.0])


def test_classes_that_no_cell_holds_together_are_apart():
    people = two_areas(
        {}, [(30, "white", "hispanic", 5), (30, "white", "not_hispanic", 5), (70, "black", "hispanic", 5)]
    )

    def kinds_of(**seen):
        groups = merge_by_zip(people, key_of("OH", geography="county_zip5", **seen))
        return sorted((type(of).__name__, len(of.people)) for of in groups.classes)

    apart, mixed = CountyPartGroups.__name__, PlacedGroups.__name__
    assert kinds_of(race="race_ethnicity", birth="year") == [(apart, 1)] * 3
    assert kinds_of(birth="year") == [(apart, 1), (mixed, 2)]
    assert kinds_of(gender="value") == [(mixed, 3)]


def test_a_county_that_is_told_by_place_alone_has_its_counted_people():
    people = two_areas({(30, "white", "hispanic"): 1.0}, [(30, "white", "hispanic", 6)])
    groups = merge_by_zip(people, key_of("OH", geography="county_zip5"))
    assert groups.g_distinct([2, 3]).tolist() == [[0.0, 6.0]]


# By conservation: chances that are the shares of the county change nothing.


@pytest.fixture(scope="module")
def delaware():
    plain = with_zip_codes(load_population("us-2020").in_states(["DE"]))
    shares = np.repeat(plain.zips.share[:, None], CLASSES, axis=1)
    return plain, PeopleByZip(plain.county_population, replace(plain.zips, composition=shares))


@pytest.mark.parametrize("seen", KEYS)
def test_shares_of_the_county_give_its_figures(delaware, seen):
    plain, composed = delaware
    ours, theirs = (merge(people, Granularities(**seen), ["DE"]) for people in (composed, plain))
    assert isinstance(ours, AddedGroups)
    for coverage in (1.0, 0.6):
        assert figures(ours, coverage) == pytest.approx(figures(theirs, coverage), rel=1e-12)
    assert ours.g_distinct_sweep(30)[0] == pytest.approx(theirs.g_distinct_sweep(30)[0], rel=1e-9)
    assert entropy_bits(ours) == pytest.approx(entropy_bits(theirs), rel=1e-12)


@pytest.mark.parametrize("by", ["race", "county", "age"])
def test_parts_of_the_people_have_their_figures(delaware, by):
    key = key_of("DE", gender="value", birth="year", geography="county_zip5")
    ours, theirs = (
        merge_parted(people.with_ethnicity, key, split_people(people.county_population.with_ethnicity, by))
        for people in reversed(delaware)
    )
    assert ours.total_risk() == pytest.approx(theirs.total_risk(), rel=1e-9)
    assert ours.g_distinct([1, 5]) == pytest.approx(theirs.g_distinct([1, 5]), rel=1e-9, abs=1e-9)


def test_variances_of_different_people_add_up(delaware):
    groups = merge(delaware[1], Granularities(**KEYS[0]), ["DE"])
    parts = [variances(of, [1]) for of in groups.classes]
    assert variances(groups, [1]) == pytest.approx(np.sum(parts, axis=0))


# By brute force: Cook County, whose areas are counted by sex and 23 ages.


COOK = "17031"
BY_KEY = {  # fields, values in a year, the largest error of total risk
    "sex, race, birth date": (("sex", "group"), 365.0, 0.007),
    "sex, birth date": (("sex",), 365.0, 0.007),
    "birth date": ((), 365.0, 0.007),
    "sex, race, birth year": (("sex", "group"), 1.0, 0.04),
    "sex, birth year": (("sex",), 1.0, 0.04),
}


def kinds_of_cook(year):
    table = load_population(f"us-{year}").laid_out_by_origin
    kinds = table.kinds.cells[["sex", "age", "age_width", "race", "ethnicity"]].copy()
    kinds["people"] = table.people[:, list(table.counties).index(COOK)]
    kinds["class"] = class_of(kinds)
    kinds["group"] = np.where(kinds["ethnicity"] == "hispanic", "hispanic", kinds["race"].astype(str))
    return kinds[kinds["people"] > 0].reset_index(drop=True)


def fitted_to_counts(kinds, areas, year, shared):
    """Chances of each kind to live in each area, fitted to counts of sex and 23 ages and to those of groups by area."""
    counted = pd.read_parquet(shared / "census" / "zcta_2010_2020_cook_il_sex_age.parquet")
    counted = counted[(counted["year"] == year) & (counted["table"] == "P12") & counted["zcta"].isin(areas)]
    sex_age = np.zeros((len(areas), 2, len(CLASS_STARTS)))
    at = counted["zcta"].map({area: place for place, area in enumerate(areas)}), counted["sex"] == "F"
    age_of = np.searchsorted(CLASS_STARTS, counted["age"], side="right") - 1
    np.add.at(sex_age, (at[0].to_numpy(), at[1].to_numpy(int), age_of), counted["population_in_cook"].to_numpy())
    whole = counted.groupby("zcta")["population"].sum().reindex(areas).to_numpy(float)
    of_area = AreaCounts.read(shared / "census", year)
    row = pd.Index(of_area.zip5).get_indexer(areas)
    in_cook = (sex_age.sum((1, 2)) / whole)[:, None]
    adults = of_area.adults[row] * in_cook
    sex = (kinds["sex"] == "F").to_numpy(int)
    age = np.searchsorted(CLASS_STARTS, kinds["age"], side="right") - 1
    group = kinds["class"].to_numpy() % len(GROUPS)
    people = np.zeros((2, len(CLASS_STARTS), len(GROUPS)))
    np.add.at(people, (sex, age, group), kinds["people"].to_numpy())
    is_adult = AGE_STARTS[ADULT_AGES] <= CLASS_STARTS
    mix = adults / adults.sum(axis=1, keepdims=True) + 1e-4
    living = sex_age[..., None] * mix[:, None, None, :] * (people > 0)

    def ratio(target, sums):
        return np.divide(target, sums, out=np.zeros_like(target), where=sums > 0)

    for _ in range(60):
        living *= ratio(sex_age, living.sum(axis=3))[..., None]
        living[:, :, is_adult] *= ratio(adults, living[:, :, is_adult].sum((1, 2)))[:, None, None, :]
        if year == 2010:
            minors = of_area.minors[row] * in_cook
            sums = living[:, :, ~is_adult].sum((1, 2))
            six = np.column_stack([sums[:, :5], sums[:, 5:].sum(axis=1)])
            living[:, :, ~is_adult] *= ratio(minors, six)[:, [0, 1, 2, 3, 4, 5, 5]][:, None, None, :]
        living *= ratio(people, living.sum(axis=0))
    return living[:, sex, age, group] / people[sex, age, group]


def total_risk_by_force(kinds, chance, fields, values):
    """Occupied bins, area by area and cell by cell; ``chance``: shape (areas, kinds)."""
    cells = kinds.groupby(["age", "age_width", *fields], observed=True, sort=False).ngroup().to_numpy()
    width = np.zeros(cells.max() + 1)
    width[cells] = kinds["age_width"]
    bins = width * values
    log_empty = np.zeros((len(chance), len(bins)))
    missed = np.log1p(-np.minimum(chance / bins[cells], 1 - 1e-15)) * kinds["people"].to_numpy()
    for kind, cell in enumerate(cells.tolist()):
        log_empty[:, cell] += missed[:, kind]
    return float((bins * -np.expm1(log_empty)).sum())


@pytest.mark.parametrize("year", [2010, 2020])
def test_cook_county_is_near_what_its_areas_count(year, shared):
    kinds = kinds_of_cook(year)
    people = with_zip_codes(load_population(f"us-{year}-zcta").in_states(["IL"]))
    names = people.county_population.counties
    here = people.zips.county == list(names).index(COOK)
    areas = people.zips.zip5[here].tolist()
    ours = people.zips.composition[here][:, kinds["class"]]
    mix = np.repeat(people.zips.share[here][:, None], len(kinds), axis=1)
    reference = fitted_to_counts(kinds, areas, year, shared)
    for fields, values, most in BY_KEY.values():
        right, made, before = (total_risk_by_force(kinds, of, fields, values) for of in (reference, ours, mix))
        assert abs(made / right - 1) < most
        assert abs(made / right - 1) < abs(before / right - 1) + 0.001


def test_the_groups_of_a_state_are_those_by_force():
    people = with_zip_codes(load_population("us-2020-zcta").in_states(["DE"]))
    table = people.with_ethnicity.table
    of_kind, kinds = class_of(table.kinds.cells), table.kinds.cells.copy()
    expected = 0.0
    for county in range(table.people.shape[1]):
        here = kinds.assign(people=table.people[:, county])
        held = np.flatnonzero(here["people"] > 0)
        chance = people.zips.composition[people.zips.county == county][:, of_kind[held]]
        expected += total_risk_by_force(here.iloc[held].reset_index(drop=True), chance, ("sex",), 365.0)
    groups = merge_by_zip(people, key_of("DE", gender="value", birth="date", geography="county_zip5"))
    assert groups.total_risk() == pytest.approx([expected], rel=1e-10)


# People one by one, and what is refused.


def test_people_made_one_by_one_live_where_their_class_does():
    people = two_areas(
        {(30, "white", "hispanic"): 1.0, (30, "white", "not_hispanic"): 0.25},
        [(30, "white", "hispanic", 500), (30, "white", "not_hispanic", 4000)],
    )
    made = make_people(people.county_population, np.random.default_rng(3), zips=people.zips)
    hispanic = (made.population.cells["ethnicity"] == "hispanic").to_numpy()[made.cell]
    assert (made.homes.part[hispanic] == 0).all()
    # binomial: 1,000 of 4,000 in the first area, standard deviation 27; five of them
    assert abs(int((made.homes.part[~hispanic] == 0).sum()) - 1000) < 137


# One group, and two files: by hand, by conservation, and beside the comparison.

_TWO = [(30, "white", "hispanic", 1), (30, "white", "not_hispanic", 1)]
_BY_ZIP = Policy("zip", "t", Granularities(birth="year", geography="zip5"), "c")


def test_a_worked_group_has_the_chance_of_each_class():
    """Expected in the second area: 1.1 of the two, so the person in the middle lives there."""
    people = two_areas({(30, "white", "hispanic"): 0.8, (30, "white", "not_hispanic"): 0.1}, _TWO)
    counts, worked = explain_groups(people, "OH", (_BY_ZIP.releases, NO_CONDITIONS, None), 1)
    assert (counts.people, worked.values["place"]) == (2, "43002")
    assert (worked.people, worked.linked) == pytest.approx((1.1, 1))
    (part,) = worked.parts
    assert (part.people, part.share, part.classes) == pytest.approx((2, 0.55, 2))
    assert (worked.correct, worked.alone) == pytest.approx((1 - 0.8 * 0.1, 0.2 * 0.1 + 0.8 * 0.9))


def test_two_files_of_people_who_live_apart():
    """Both are in both files; where they live apart they are paired and named, else neither is."""
    people = two_areas({(30, "white", "hispanic"): 0.8, (30, "white", "not_hispanic"): 0.1}, _TWO)
    apart = 0.8 * 0.9 + 0.2 * 0.1
    found = two_releases(people, _BY_ZIP, _BY_ZIP, GENERAL, "OH", FileShares(1, 1, 1))
    assert (found.right_pairs, found.alone_first, found.named) == pytest.approx((2 * apart,) * 3)
    found = two_releases(people, _BY_ZIP, _BY_ZIP, GENERAL, "OH", FileShares(0.5, 0.5, 0.25))
    assert found.wrong_pairs == pytest.approx(2 * 0.25 * 0.25 * (1 - apart))
    assert found.right_pairs == pytest.approx(2 * 0.25 * (apart + (1 - apart) * 0.25))


@pytest.mark.parametrize("other", ["safe-harbor", "zip5"])
def test_two_files_where_classes_have_the_shares_of_the_county(delaware, other):
    shares = FileShares(0.3, 0.2, 0.1, 0.8)
    first, second = load_policy("limited-dataset"), load_policy(other)
    by_hand, found = (two_releases(people, first, second, GENERAL, "DE", shares) for people in delaware)
    for name in ("right_pairs", "wrong_pairs", "alone_first", "alone_second", "named"):
        assert getattr(found, name) == pytest.approx(getattr(by_hand, name), rel=1e-9), name


def test_whom_one_file_names_alone_is_whom_the_comparison_finds_alone():
    """Two files of everyone that are alike: who is alone in one is 1-distinct, of people who live by their class."""
    people = with_zip_codes(load_population("us-2020-zcta").in_states(["DE"]))
    policy = load_policy("limited-dataset")
    found = two_releases(people, policy, policy, GENERAL, "DE", FileShares(1, 1, 1))
    (profile,) = compare(Cases(people, [policy], [GENERAL], ["DE"], [1]))
    assert found.alone_first == pytest.approx(profile.people("1-distinct").low, rel=1e-9)


def test_connecticut_of_2022_has_factors():
    people = with_zip_codes(load_population("us-2022-zcta").in_states(["CT"]))
    assert people.zips.composition.shape == (len(people.zips.share), CLASSES)
    assert np.abs(people.zips.composition - people.zips.share[:, None]).max() > 0.05


# By the formulas of each set of classes: figures from sums of powers are theirs.


@pytest.mark.parametrize("seen", [*KEYS, {"gender": "value", "geography": "county_zip5"}])
@pytest.mark.parametrize("attacker", ["everyone", "list", "list of a file"])
def test_figures_are_those_of_the_sets_of_classes(seen, attacker):
    people = with_zip_codes(load_population("us-2020-zcta").in_states(["DE"]))
    rng = np.random.default_rng(1)
    counties = tuple(people.county_population.counties)
    chance = np.repeat(rng.uniform(0.2, 0.9, (len(counties), 12)), 10, axis=1)
    listing = Listing(counties, chance, rng.uniform(0, 0.3, len(counties)))
    if attacker == "list of a file":
        listing = replace(listing, stale=np.zeros(len(counties)), in_file={counties[0]: 0.5, counties[1]: 0.1})
    key = key_of("DE", **seen)._replace(listing=None if attacker == "everyone" else listing)
    groups = merge_by_zip(people, key)
    assert isinstance(groups, ClassedGroups)
    for coverage in (1.0, 0.6, 0.0):
        # where x is below 0.003, correct links beside stale records are right to 2e-7
        assert figures(groups, coverage) == pytest.approx(figures(AddedGroups(groups.classes), coverage), rel=1e-6)
    known = AddedGroups(groups.classes).without_stale()
    assert figures(groups.without_stale(), 0.01) == pytest.approx(figures(known, 0.01), rel=1e-9)


def drawn_list(counties, seed):
    rng = np.random.default_rng(seed)
    chance = np.repeat(rng.uniform(0.2, 0.9, (len(counties), 12)), 10, axis=1)
    return Listing(tuple(counties), chance, rng.uniform(0, 0.3, len(counties)))


@pytest.mark.parametrize("seen", [KEYS[0], KEYS[2], KEYS[3]])
def test_figures_on_several_lists_at_once_are_those_on_each_by_itself(seen):
    people = with_zip_codes(load_population("us-2020-zcta").in_states(["DE", "HI"]))
    first, second = (drawn_list(people.county_population.counties, seed) for seed in (1, 2))
    key = MergeKey(Granularities(**seen), ("DE", "HI"), listing=first)
    together = merge_by_zip(people, key._replace(others=(OtherList(second, ("HI",)),)))
    apart = [merge_by_zip(people, key), merge_by_zip(people, key._replace(states=("HI",), listing=second))]
    for ours, theirs in (
        (together, apart),
        (together.without_stale(), [groups.without_stale() for groups in apart]),
        (AddedGroups(together.classes), apart),
    ):
        for measured in (lambda of: of.total_risk(), lambda of: of.g_distinct(G), lambda of: of.claims()):
            expected = np.concatenate([measured(groups) for groups in theirs])
            assert measured(ours) == pytest.approx(expected, rel=1e-6 if ours is not together else 1e-12)
    asked = together.total_risk([0.5, 0, 0])
    assert asked[1:].tolist() == [0, 0]
    assert asked[0] == pytest.approx(apart[0].total_risk([0.5, 1])[0], rel=1e-12)


def test_a_state_without_people_of_a_kind_has_figures():
    people = two_areas({(30, "white", "hispanic"): 1.0}, [(30, "white", "hispanic", 3), (70, "black", "hispanic", 1)])
    groups = merge_by_zip(people, MergeKey(Granularities(**KEYS[0]), ("OH", "WY")))
    assert groups.total_risk()[1] == 0
    assert groups.total_risk()[0] == pytest.approx(365 * (1 - (1 - 1 / 365) ** 3) + 1)
