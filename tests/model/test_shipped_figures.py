"""Figures that ship: found for exactly what they were computed from, and what is computed today."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pinned import pinned

from policy_sim import Study
from policy_sim.attackers import GENERAL
from policy_sim.attackers.in_file import InFile
from policy_sim.building.make_figures import curves_of, national_questions, table_of
from policy_sim.files.paths import data_dir
from policy_sim.model.cases import FILE, PER_PERSON, SWEPT, digest_of, shipped_rows
from policy_sim.model.compare import CurveFigures, PageCurve, ProfileFigures, round_sizes
from policy_sim.people.population import Population
from policy_sim.people.zips import PeopleByZip
from policy_sim.study.question import Question
from policy_sim.voter_lists.registration import Registration
from policy_sim.words.states import STATES

AGAIN = "python -m policy_sim.building.make_figures"


@pytest.fixture(scope="module")
def cases():
    return Study()._cases(Question.of())


def _rows(cases, population=None, **other):
    figures = ProfileFigures(tuple(other.pop("g", cases.g)), **other)
    key = next(iter(cases)).keys[0]
    return shipped_rows(population or cases.population, key, figures, cases.days_per_year)


def test_every_key_of_the_national_comparison_ships(cases):
    figures = ProfileFigures(tuple(cases.g))
    for case in cases:
        for key in case.keys:
            rows = shipped_rows(cases.population, key, figures, cases.days_per_year)
            assert case.state in rows, f"the figures were computed from other facts: run {AGAIN}"


def test_other_people_figures_and_years_are_computed(cases):
    people = cases.population.county_population
    assert _rows(cases)
    assert not _rows(cases, people), "without ZIP codes"
    assert not _rows(cases, PeopleByZip(people, cases.population.zips)), "the same note, perhaps other people"
    assert not _rows(cases, people.in_states(["OH"]))
    assert not _rows(cases, Population(people.cells, people.provenance))
    assert not _rows(cases, g=(1,))
    assert not _rows(cases, spread=True)
    assert not shipped_rows(
        cases.population, next(iter(cases)).keys[0], ProfileFigures(tuple(cases.g)), cases.days_per_year + 0.25
    )


def test_lists_filled_in_another_way_are_not_found(cases):
    key = next(case.keys[0] for case in cases if case.keys and case.keys[0][2] is not None)
    view, conditions, coverage = key
    figures = ProfileFigures(tuple(cases.g))

    def digest(other):
        return digest_of(cases.population, (view, conditions, other), figures, cases.days_per_year)

    others = [digest(coverage.survey), *map(digest, coverage.others), digest(None)]
    assert digest(coverage) is not None
    assert digest(coverage) not in others
    assert digest(coverage.survey) is None, "nothing ships of a survey's rates"
    assert len({found for found in others if found}) == len(others) - 1


def test_what_ships_is_what_is_computed():
    """Of some states, which stand for themselves: a state's figures are the same whatever others are asked about."""
    shipped = pd.read_csv(data_dir() / FILE, index_col=["digest", "linkage_key", "state"])
    states = pinned(["DE", "ND", "WY"], sorted(STATES))
    shipped = shipped[shipped.index.get_level_values("state").isin(states)]
    computed = table_of(replace(cases, states=states) for cases in national_questions())
    assert list(shipped.index) == list(computed.index), f"the facts are not those of the figures: run {AGAIN}"
    # the last digits depend on the machine's order of sums
    np.testing.assert_allclose(
        shipped.to_numpy(), computed.to_numpy(), rtol=1e-9, atol=1e-9, err_msg=f"raise FIGURES and run {AGAIN}"
    )


def test_other_records_on_the_lists_give_other_figures_than_those_that_ship(cases, monkeypatch):
    """What reads the records is code, which the key of the figures does not have: computing tells."""
    wyoming = replace(cases, states=["WY"], attackers=[who for who in cases.attackers if who is not GENERAL])
    figures = ProfileFigures(tuple(cases.g))
    usable = Registration.usable

    def halved(self, year):
        rows = usable(self, year)
        return rows.assign(records=rows["records"] // 2, active=rows["active"] // 2)

    monkeypatch.setattr(Registration, "usable", halved)
    own = replace(wyoming, population=PeopleByZip(cases.population.county_population, cases.population.zips))
    shipped, computed = wyoming.measure(figures), own.measure(figures)
    assert shipped.keys() == computed.keys()
    assert not any(np.allclose(row, computed[at], rtol=1e-3) for at, row in shipped.items())


def test_the_curve_of_every_page_ships(cases):
    everyone = replace(cases, attackers=[GENERAL])
    assert everyone.ships(PageCurve()), f"the curves were computed from other facts: run {AGAIN}"
    assert not everyone.ships(PageCurve(range(1, 2_001)))
    assert not replace(everyone, in_file=InFile(share=0.01)).ships(PageCurve())
    assert not cases.ships(PageCurve()), "of nobody with a list"


def test_the_round_sizes_of_every_curve_ship(cases):
    assert cases.ships(CurveFigures(round_sizes(SWEPT))), f"the curves were computed from other facts: run {AGAIN}"
    assert not cases.ships(CurveFigures(round_sizes(SWEPT + 1)))


def test_round_sizes_are_those_of_the_whole_curve():
    study = Study()
    whole, few = (study.curves("DE", g_max=60, round_sizes=alone).to_frame() for alone in (False, True))
    assert sorted(few["g"].unique()) == [1, 2, 5, 10, 20, 50, 60]
    pd.testing.assert_frame_equal(few, whole[whole["g"].isin(few["g"])].reset_index(drop=True))


@pytest.mark.slow
def test_a_curve_that_ships_is_the_computed_one(cases):
    states = pinned(["DE", "LA", "WY"], sorted(STATES))
    some_states = replace(cases, states=states, attackers=[GENERAL])
    made = curves_of(some_states)
    assert len(made.columns) == 2 * len(states)
    shipped = some_states.measure(PageCurve())
    for (key, state), row in shipped.items():
        digest = digest_of(cases.population, key, PageCurve(), cases.days_per_year)
        np.testing.assert_allclose(row, made[f"{digest} {state}"] / PER_PERSON, atol=1.5 / PER_PERSON)


@pytest.mark.slow
def test_an_answer_with_shipped_figures_is_the_computed_one(cases):
    some_states = replace(cases, states=["DE", "GA", "KY", "ND"])
    people = PeopleByZip(cases.population.county_population, cases.population.zips)
    figures = ProfileFigures(tuple(cases.g))
    shipped, computed = (
        figures.profiles(question, question.measure(figures, combinations=True, between=True))
        for question in (some_states, replace(some_states, population=people))
    )
    for one, other in zip(shipped, computed, strict=True):
        assert one.measures == other.measures
        for measure in one.measures:
            bounds, ends = one.people(measure), other.people(measure)
            assert (bounds.low, bounds.high) == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-9)
