from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from small_people import cells, people_of, population_of

from policy_sim.model.explore.axes import Needs, axis_of, births_of
from policy_sim.model.explore.search import Figures, StateTables, explore, lattice_of, merge_down
from policy_sim.policies.policy import BirthView, lattice_for, policy_from_text
from policy_sim.words.errors import InputError, UnknownNameError


def people(*without):
    shown = cells().drop(columns=list(without))
    keys = [name for name in shown.columns if name != "people"]
    return people_of(shown.groupby(keys, as_index=False, sort=False)["people"].sum(), "2020-04-01")


def test_the_finest_table_of_a_state_holds_its_people_once():
    whole = people()
    tables = StateTables(whole, lattice_of(whole), 365)
    for state, expected in whole.cells.groupby("state", observed=True)["people"].sum().items():
        table, (gender, race, place) = tables.of(state)
        assert table.sum() == expected
        assert table.shape[:3] == tuple(axis.partitions[0].size for axis in (gender, race, place))
        assert np.count_nonzero(table) == (whole.cells["state"] == state).sum()


@pytest.mark.parametrize("without", [("race",), ("sex",), ("county",)])
def test_a_field_that_the_population_lacks_is_shown_by_no_policy(without):
    name = {"sex": "gender", "county": "geography"}.get(*without, *without)
    shown = explore(people(*without), ["WY"], g=[1]).rows[name].unique()
    assert set(shown) <= {"none", "nation", "state"}


def test_rows_of_other_policies_count_for_the_most_utility():
    found = explore(people(), ["WY"], g=[1])
    assert found.with_rows(found.rows.head(0)) is found
    richer = found.rows.head(1).assign(policy="mine", utility_bits=2 * found.rows["utility_bits"].max())
    both = found.with_rows(richer.drop(columns="utility"))
    assert len(both.rows) == len(found.rows) + 1
    assert both.rows["utility"].max() == both.rows["utility"].iloc[-1] == 1
    assert both.rows["utility"].iloc[:-1].max() == pytest.approx(0.5)


def test_places_that_only_one_view_distinguishes_stay_apart():
    """Two views, of which neither is finer: by the one 1 and 2 are alike, by the other 1 and 3."""
    rows = [
        ("OH", county, zip3, "F", 30, 1, 1)
        for county, zip3 in (("39001", "430"), ("39001", "431"), ("39003", "430"), ("39003", "431"))
    ]
    columns = ["state", "county", "zip3", "sex", "age", "age_width", "people"]
    whole = population_of(rows, columns, "2020-04-01")
    tables = StateTables(whole, lattice_of(whole), 365)
    table, _ = tables.of("OH")
    assert table.shape[2] == 4
    assert sorted(table[table > 0].tolist()) == [1, 1, 1, 1]


VIEWS = {
    BirthView("none"): ([0, 0, 0, 0], [1.0] * 4),
    BirthView("year"): ([0, 1, 2, 3], [1.0] * 4),
    BirthView("date"): ([0, 1, 2, 3], [365.0] * 4),
    BirthView("decade"): ([0, 0, 2, 2], [10.0] * 4),
    BirthView("twenty_years"): ([0, 1, 0, 1], [20.0] * 4),  # no runs of ages
}
G = (1, 3, 2000)
FIGURES = Figures(births_of({view: (np.array(lower), np.array(bins)) for view, (lower, bins) in VIEWS.items()}), G)


def by_hand(people, lower, bins):
    """Total risk, g-distinct and the sum of n log2(b/n) of each class by itself."""
    figures = np.zeros(2 + len(G))
    for row in people.reshape(-1, len(lower)):
        for first in set(lower):
            members = [age for age, start in enumerate(lower) if start == first]
            n, b = int(row[members].sum()), bins[members[0]]
            if n:
                occupied = b * (1 - (1 - 1 / b) ** n)
                distinct = [n * stats.binom.cdf(g - 1, n - 1, 1 / b) for g in G]
                figures += [occupied, *distinct, n * np.log2(b / n)]
    return figures


@pytest.mark.parametrize("most", [1, 3, 40, 5_000])
def test_every_figure_of_every_view_class_by_class(most):
    people = np.random.default_rng(most).integers(0, most, (2, 3, 4))
    expected = [by_hand(people, lower, bins) for lower, bins in VIEWS.values()]
    np.testing.assert_allclose(FIGURES.of(people), expected, rtol=1e-9, atol=1e-9)


# What a study needs released, and which policies release it.


@pytest.mark.parametrize(
    ("needed", "policy", "met"),
    [
        (["sex", "race"], "gender+race+birth=year+geography=state", True),
        (["sex", "race"], "gender+race=broad+geography=state", False),
        (["race=broad"], "race+geography=county", True),
        (["gender"], "race+geography=county", False),
        (["birth=five_years"], "birth=decade+geography=state", False),
        (["birth=five_years"], "birth=month+geography=state (age<90)", True),
        (["birth=five_years"], "birth=month+geography=state (age<85)", False),
        (["sex"], "gender+birth=year+geography=state (age<80)", True),
        (["geography=county"], "geography=county_zip5", True),
        (["geography=county"], "geography=county (county>20000)", False),
        ([], "birth=year+geography=state", True),
    ],
)
def test_met_or_not(needed, policy, met):
    assert Needs.of(needed).met_by(policy_from_text(policy)) is met


@pytest.mark.parametrize(
    "needed", [["sex"], ["race=broad"], ["sex", "race"], ["race_ethnicity"], ["ethnicity", "birth=year"], []]
)
def test_the_part_of_the_lattice_that_is_measured_holds_every_policy_that_meets_the_needs(needed):
    whole, needs = lattice_for(["sex", "race", "ethnicity", "county"], ("county",), ethnicity=True), Needs.of(needed)
    met = [{p.name for _, p in lattice.points() if needs.met_by(p)} for lattice in (whole, needs.within(whole))]
    assert met[0] == met[1] != set()
    assert len(needs.within(whole)) < len(whole) or not needs.any


def test_a_need_that_no_policy_of_the_lattice_meets_leaves_none():
    lattice = lattice_for(["sex", "race"], ())
    assert not any(
        Needs.of(["ethnicity"]).met_by(policy) for _, policy in Needs.of(["ethnicity"]).within(lattice).points()
    )


def test_classes_may_not_reach_over_what_is_needed():
    lower, width = np.array([*range(100), 100, 105, 110]), np.array([1] * 100 + [5, 5, 1])
    allowed = Needs.of("birth=five_years").classes(lower, width)
    assert allowed[0, 5], "0 to 4 is a class of five years"
    assert not allowed[0, 6]
    assert not allowed[3, 7], "3 to 6 lies in two of them"
    assert allowed[90, 103], "90 and over may be one class"
    assert not allowed[89, 91]
    assert Needs.of(["sex"]).classes(lower, width).all()
    assert not Needs.of("birth=month").classes(lower, width).any(), "a class of years tells no month"


@pytest.mark.parametrize("word", ["birth", "geography"])
def test_a_field_of_several_granularities_needs_one(word):
    with pytest.raises(InputError, match=rf"^How finely do you need {word}\? Write {word}= and one of "):
        Needs.of([word])


def test_what_is_refused():
    with pytest.raises(InputError, match="appears twice"):
        Needs.of(["sex", "gender"])
    with pytest.raises(UnknownNameError):
        Needs.of(["income"])
    with pytest.raises(UnknownNameError):
        Needs.of(["race=full"])


FIRST = axis_of((str(codes), np.array(codes)) for codes in ([0, 1, 2], [0, 1, 0], [0, 0, 0]))
SECOND = axis_of((str(codes), np.array(codes)) for codes in ([0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]))
PEOPLE = np.random.default_rng(3).integers(0, 9, (3, 4, 5))


def test_every_combination_once_and_each_as_from_the_finest_table():
    found = dict(merge_down(PEOPLE, (FIRST, SECOND)))
    assert len(found) == len(FIRST) * len(SECOND) == 12
    for (i, j), table in found.items():
        expected = np.zeros((FIRST.partitions[i].size, SECOND.partitions[j].size, 5), dtype=np.int64)
        for (a, b, c), people in np.ndenumerate(PEOPLE):
            expected[FIRST.partitions[i].codes[a], SECOND.partitions[j].codes[b], c] += people
        np.testing.assert_array_equal(table, expected)
