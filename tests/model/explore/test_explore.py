"""The lattice against each policy from the cells, against entropy by hand, and what must be conserved."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from small_people import cells, population_of, small

from policy_sim import Study
from policy_sim.model.explore.axes import Needs
from policy_sim.model.explore.search import explore, lattice_of, measured_alone
from policy_sim.people.population import RACES, Population
from policy_sim.policies.policy import BirthView, Conditions, Lattice, PlaceView, Policy, SmallPlaces, policy_from_text
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

COLUMNS = ["state", "county", "zip5", "sex", "age", "age_width", "race", "people"]


def _random_people(seed: int = 0, *, odd_ages: bool = False) -> Population:
    """Two states, some places over 20,000 and 100,000 people, ages to 110 as the census counts them."""
    rng = np.random.default_rng(seed)
    rows = []
    for state, county, zip5, scale in (
        ("OH", "39001", "44101", 3),
        ("OH", "39001", "44201", 40),
        ("OH", "39003", "44101", 0.4),
        ("OH", "39005", "45101", 90),
        ("WV", "54001", "25101", 2),
        ("WV", "54003", "25101", 60),
    ):
        for sex in "MF":
            for age, width in [*((a, 1) for a in range(0, 100, 1)), (100, 5), (105, 5), (110, 1)]:
                for race in RACES[:4]:
                    people = rng.poisson(scale * (1.0 if race == "white" else 0.2) * (1 if age < 90 else 0.1))
                    if people:
                        rows.append((state, county, zip5, sex, age, width, race, int(people)))
        if odd_ages:  # a class of five years beside single years, so that wider classes are no runs of ages
            rows.append((state, county, zip5, "M", 81, 5, "white", 7))
    return population_of(rows, COLUMNS, "2010-04-01")


PEOPLE = _random_people()


@pytest.mark.slow
@pytest.mark.parametrize("people", [PEOPLE, _random_people(1, odd_ages=True)], ids=["runs", "odd ages"])
def test_every_policy_is_what_it_is_from_the_cells(people):
    found = explore(people, g=[1, 4])
    names = list(found.policies)
    for name in names[:: max(1, len(names) // 150)] + names[-3:]:
        alone = found.beside(measured_alone(people, found.policies[name], people.states, g=[1, 4]))
        here = found.rows[found.rows["policy"] == name].reset_index(drop=True)
        for column in ("total_risk", "distinct_1", "distinct_4", "distinct_4_share", "utility_bits", "utility"):
            # sums of the same figures in another order
            np.testing.assert_allclose(here[column], alone[column], rtol=1e-11, atol=1e-12, err_msg=f"{name} {column}")


def test_no_policy_is_left_out_and_none_stands_twice():
    lattice = lattice_of(PEOPLE)
    found = explore(PEOPLE, ["OH"])
    assert len(found.rows) == len(lattice) == len(found.policies)
    assert found.rows["policy"].is_unique
    # gender 2, race 3, birth 1 + 11 x 4 (nothing; each granularity under each top age), places 1 + 3 + 2 + 2 + 1 + 1
    # and the two sizes of areas that ship
    assert len(lattice) == 2 * 3 * 45 * 12


def test_areas_are_searched_where_there_are_zip_codes():
    """Codes 44201 and 45101 of Ohio are in two areas, and 44101 is in none: three places."""
    rows = explore(PEOPLE, ["OH"], g=[]).rows.set_index("policy")
    sizes = PEOPLE.cells[PEOPLE.cells["state"] == "OH"].groupby("zip5", observed=True)["people"].sum()
    sizes = sizes[sizes > 0] / sizes.sum()
    shown = rows.loc["geography=area:20000", "utility_bits"]
    assert shown == pytest.approx(-(sizes * np.log2(sizes)).sum())
    assert rows.loc["geography=area:20000", "total_risk"] == pytest.approx(3)


def test_shifted_dates_are_searched_where_asked_and_measured_as_alone():
    """Every shifted policy of the search has the figures of the same policy measured from the cells."""
    lattice = lattice_of(PEOPLE, shifts=(30, 90))
    assert len(lattice) - len(lattice_of(PEOPLE)) == 2 * 3 * 8 * 12
    kept = Lattice(lattice.people, tuple(view for view in lattice.birth if view.shift_days), lattice.place[:2])
    found = explore(PEOPLE, ["OH"], lattice=kept)
    assert set(found.rows["birth"]) == {"shift:30", "shift:90"}
    for name, policy in list(found.policies.items())[::7]:
        assert policy_from_text(name).conditions == policy.conditions
        alone = measured_alone(PEOPLE, policy, ["OH"]).iloc[0]
        row = found.rows[found.rows["policy"] == name].iloc[0]
        for column in ("total_risk", "distinct_1", "utility_bits"):
            assert row[column] == pytest.approx(alone[column], rel=1e-11, abs=1e-12), (name, column)
    assert not any(map(Needs.of("birth=year").met_by, found.policies.values()))
    assert any(map(Needs.of("sex").met_by, found.policies.values()))


def test_a_shifted_date_has_the_bits_of_its_windows():
    """A year has 365 / 61 windows of 61 days: less than a month has, more than a year alone."""
    people = population_of([("OH", "1", "1", "M", 30, 1, "white", 8)], COLUMNS, "2010-04-01")
    births = (BirthView("year"), BirthView("date", None, 30), BirthView("month"))
    rows = explore(people, lattice=Lattice(((Granularities(),),), births, (PlaceView("state"),))).rows
    assert rows["utility_bits"].tolist() == pytest.approx([0.0, math.log2(365 / 61), math.log2(12)], rel=1e-12)


def test_a_population_by_county_has_at_least_300_policies():
    by_county = Population(
        PEOPLE.cells.drop(columns="zip5").groupby(COLUMNS[:2] + COLUMNS[3:-1], observed=True).sum().reset_index(),
        PEOPLE.provenance,
    )
    assert len(lattice_of(by_county)) == 2 * 3 * 45 * 4


def test_entropy_by_hand():
    """Men 6, women 2; under a date each hides 365 equally likely days in one year of age."""
    rows = [("OH", "1", "1", "M", 30, 1, "white", 6), ("OH", "1", "1", "F", 30, 1, "white", 2)]
    people = population_of(rows, COLUMNS, "2010-04-01")
    sexes = (Granularities(), Granularities(gender="value"))
    lattice = Lattice((sexes,), (BirthView("none"), BirthView("date")), (PlaceView("state"),))
    rows = explore(people, lattice=lattice).rows.set_index("policy")
    sex = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    day = math.log2(365)
    expected = {
        "geography=state": 0.0,
        "birth=date+geography=state": day,
        "gender+geography=state": sex,
        "gender+birth=date+geography=state": sex + day,
    }
    assert rows["utility_bits"].to_dict() == pytest.approx(expected, rel=1e-12)
    assert rows["utility"].to_dict() == pytest.approx({k: v / (sex + day) for k, v in expected.items()}, rel=1e-12)


@pytest.mark.slow
def test_a_state_alone_is_as_among_others():
    alone = explore(PEOPLE, ["WV"]).rows
    among = explore(PEOPLE, ["OH", "WV"]).rows
    pd.testing.assert_frame_equal(alone, among[among["state"] == "WV"].reset_index(drop=True))


def test_small_zip3_of_a_list():
    lattice = lattice_of(PEOPLE, frozenset({"441"}))
    found = explore(PEOPLE, ["OH"], lattice=lattice)
    listed = [
        p for p in found.policies.values() if p.conditions.small_places and p.conditions.small_places.place == "zip3"
    ]
    assert {p.conditions.small_places.listed for p in listed} == {frozenset({"441"})}


@pytest.mark.slow
def test_a_policy_that_is_no_point_of_the_lattice():
    odd = Policy(
        "odd", "t", Granularities(birth="year", geography="county"), "c", Conditions(70, SmallPlaces("county", 5000))
    )
    found = explore(PEOPLE)
    row = found.beside(measured_alone(PEOPLE, odd, ["OH"])).iloc[0]
    assert 0 < row["utility"] < 1
    assert (row["top_age"], row["place_above"]) == (70, 5000)


def test_wrong_questions():
    with pytest.raises(InputError, match="1 or more"):
        explore(PEOPLE, g=[0])
    with pytest.raises(UnknownNameError, match="TX"):
        explore(PEOPLE, ["TX"])


# One policy measured from the cells.


@pytest.mark.parametrize(
    ("shown", "columns"),
    [
        (Granularities(birth="year", gender="value", geography="county"), ["age", "sex", "county"]),
        (Granularities(birth="year", race="value", geography="state"), ["age", "race"]),
        (Granularities(gender="value", geography="state"), ["sex"]),
        (Granularities(geography="state"), ["state"]),
    ],
)
def test_figures_are_those_of_the_groups_counted_by_hand(shown, columns):
    """By year of birth no bin is hidden: a group is one value, and total risk the number of groups."""
    found = measured_alone(small(), Policy("mine", "t", shown, "c"), ["OH", "WY"], g=[1, 4]).set_index("state")
    for state, row in found.iterrows():
        part = cells()[cells()["state"] == state]
        sizes = part.groupby(columns, observed=True)["people"].sum().to_numpy()
        whole = sizes.sum()
        assert row["total_risk"] == pytest.approx(len(sizes))
        assert row["total_risk_share"] == pytest.approx(len(sizes) / whole)
        for g in (1, 4):
            assert row[f"distinct_{g}"] == pytest.approx(sizes[sizes <= g].sum())
        assert row["utility_bits"] == pytest.approx(-np.sum(sizes / whole * np.log2(sizes / whole)))


def test_without_sizes_the_columns_are_those_of_an_exploration():
    found = measured_alone(small(), Policy("state", "t", Granularities(geography="state"), "c"), ["OH"])
    assert set(found) == set(explore(small(), ["OH"]).rows) - {"utility"}


# A file whose people are known: the same figures as a comparison has.


MEASURES = {"total_risk": "total-risk", "distinct_1": "1-distinct", "distinct_3": "3-distinct"}


@pytest.mark.slow
@pytest.mark.parametrize("in_file", [0.01, 9000])
def test_a_policy_of_the_lattice_has_the_figures_of_a_comparison(in_file):
    study = Study("us-2020", 2026)
    answer = study.explore("DE", g=[1, 3], in_file=in_file)
    rows = answer.to_frame().set_index("policy")
    lines = [line for line in rows.index if line in ("gender+race+birth=year+geography=state", "birth=date")]
    lines += [line for line in rows.index if line.startswith("gender+race+birth=date")][:2]
    assert len(lines) >= 3
    for line in lines:
        (profile,) = study.compare(line, "general", "DE", [1, 3], in_file=in_file)
        for column, measure in MEASURES.items():
            assert rows.loc[line, column] == pytest.approx(profile.people(measure).low, rel=1e-9)
            assert rows.loc[line, f"{column}_share"] == pytest.approx(profile.share(measure).low, rel=1e-9)
    baseline = answer.baseline.iloc[0]
    safe = study.compare("safe-harbor", "general", "DE", 1, in_file=in_file)[0]
    assert baseline["total_risk"] == pytest.approx(safe.people("total-risk").low, rel=1e-9)
    assert any(note.startswith("in the file: ") for note in answer.provenance.notes)


@pytest.mark.slow
def test_a_file_of_everyone_changes_nothing():
    study = Study("us-2020", 2026)
    with_file, without = (study.explore("DE", g=1, in_file=h).to_frame() for h in (1, None))
    assert with_file["total_risk"].to_numpy() == pytest.approx(without["total_risk"].to_numpy(), rel=1e-12)


def test_ages_are_cut_anywhere_for_everyone_only():
    with pytest.raises(InputError, match="release of everyone"):
        Study("us-2020", 2026).explore("DE", age_classes=True, in_file=0.01)
