"""Values that differ between a release and a list: rates, records kept, and an attack made person by person."""

from __future__ import annotations

import numpy as np
import pytest
from small_people import population_of

from policy_sim import Study
from policy_sim.attackers.agreement import agreement
from policy_sim.attackers.county_coverage import RegisteredCoverage, load_coverage
from policy_sim.words.fields import Granularities

_SEX, _BIRTH, _RACE = 0.9989, 0.9989, 0.901


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ({"geography": "nation"}, 1.0),
        ({"gender": "value", "geography": "state"}, _SEX * 0.984),
        ({"gender": "value", "birth": "year", "geography": "county"}, _SEX * _BIRTH * 0.965),
        ({"race": "value", "birth": "date", "geography": "county_zip5"}, _RACE * _BIRTH * 0.916),
        ({"race": "value", "ethnicity": "value", "geography": "nation"}, _RACE),
        ({"geography": "area:20000"}, 0.916),
        ({"geography": "zip3"}, 0.965),
    ],
)
def test_the_rate_of_a_key_is_the_product_over_its_fields(view, expected):
    assert agreement(Granularities(**view)) == pytest.approx(expected, rel=1e-12)


def test_no_record_is_lost_or_made():
    """What is not found joins the records in the way: in every county the list is as long as before."""
    people = Study("us-2020").people.in_states(["DE", "WY"])
    coverage = load_coverage("registered-with-errors", "2026")
    assert isinstance(coverage, RegisteredCoverage)
    plain, erring = (
        coverage.listing(people),
        coverage.on_key(Granularities(birth="date", geography="zip5")).listing(people),
    )
    assert plain is not None
    assert erring is not None
    records = plain.chance * (1 + plain.stale[:, None])
    np.testing.assert_allclose(erring.chance * (1 + erring.stale[:, None]), records, rtol=1e-12)
    np.testing.assert_allclose(erring.chance, 0.9989 * 0.916 * plain.chance, rtol=1e-12)
    assert coverage.on_key(Granularities()).listing(people) is plain


def test_an_attack_made_person_by_person_finds_the_figure():
    """Adults of one county by month of birth, listed by chance, with values changed in the list by chance.

    Chosen before looking: the mean of 400 attacks is within 3.5 of its standard errors of the formula, or within 0.5%.
    """
    ages, per_age = np.arange(20, 80), 40
    rows = [("OH", "39001", "F", int(age), 1, per_age) for age in ages]
    people = population_of(rows, date="2020-04-01")
    coverage = load_coverage("registered-with-errors", "2026")
    view = Granularities(birth="month", geography="county")
    listing = coverage.listing(people)
    assert listing is not None
    study = Study(people, lists=2026, coverage="registered-with-errors")
    frame = study.compare("birth=month+geography=county", "voter", "OH").to_frame()
    formula = float(frame.loc[frame["measure"] == "total-risk", "people"].iloc[0])
    rng, runs = np.random.default_rng(19), []
    age = np.repeat(ages, per_age)
    chance, left = listing.chance[0, age], float(listing.stale[0])
    for _ in range(400):
        month = rng.integers(12, size=len(age))
        on = np.flatnonzero(rng.random(len(age)) < chance)
        listed = np.stack([age[on], month[on]])
        own = _changed(listed, rng)
        strangers = listed[:, rng.integers(len(on), size=rng.poisson(len(on) * left))]
        code = _code(np.concatenate([own, strangers], axis=1))
        crowd = np.bincount(code, minlength=120 * 12)
        same = code[: len(on)] == _code(listed)
        runs.append((same / crowd[code[: len(on)]]).sum())
    mean, error = np.mean(runs), np.std(runs, ddof=1) / np.sqrt(len(runs))
    assert agreement(view) < 0.97
    assert formula == pytest.approx(mean, abs=max(3.5 * error, 0.005 * mean))
    plain = Study(people, lists=2026).compare("birth=month+geography=county", "voter", "OH").to_frame()
    before = float(plain.loc[plain["measure"] == "total-risk", "people"].iloc[0])
    assert before - formula > 3 * abs(mean - formula), "the attack tells the two apart"


def _changed(listed, rng):
    """Give some people the month and year of birth of others, as typing errors and moves do."""
    own = listed.copy()
    for rate in (_BIRTH, 0.965):
        others = np.flatnonzero(rng.random(own.shape[1]) > rate)
        own[0, others] = listed[0, rng.integers(own.shape[1], size=len(others))]
        own[1, others] = rng.integers(12, size=len(others))
    return own


def _code(values):
    return values[0] * 12 + values[1]
