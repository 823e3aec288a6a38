"""The best classes of ages: against every way to show a dozen ages, by hand, and where none does."""

from __future__ import annotations

import re
from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import population_of

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.groups import Groups, g_distinct, total_risk
from policy_sim.model.explore.age_classes import FREE, best_classes, choices_of, free_age_rows
from policy_sim.model.explore.axes import FieldWeights, Needs
from policy_sim.model.explore.search import best_of, explore, lattice_of, measured_alone
from policy_sim.people.population import RACES, Population
from policy_sim.policies.policy import policy_from_text
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field

AGES = pinned(10, 12)
YEARS = np.array([1] * (AGES - 2) + [5, 5])
BINS = {"class": 0, "year": 1, "quarter": 4, "month": 12}


def _people(seed, ages=AGES):
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.5, 6, (9, ages)))


def _cuts(ages):
    for size in range(ages):
        for cuts in combinations(range(1, ages), size):
            yield (0, *cuts, ages)


def _measured(people, way, years, g):
    """Risk and information of one way, straight from the people."""
    risk = information = 0.0
    for first, end, shown in way:
        n = people[:, first:end].sum(axis=1)
        n, b = n[n > 0], max(BINS[shown] * years[first], 1)
        risk += (occupied_bins(n, b) if g is None else people_g_distinct(n, b, g)).sum()
        information += (n * np.log2(b / n)).sum()
    return risk, information


def _every_way(ages, years, within):
    for cuts in _cuts(ages):
        runs = list(pairwise(cuts))
        ways = [["class", *(["year"] if years[a] > 1 else []), *within] if b - a == 1 else ["class"] for a, b in runs]
        for shown in product(*ways):
            yield [(a, b, how) for (a, b), how in zip(runs, shown, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "years", "within", "g"),
    [
        *((seed, YEARS, (), g) for seed in pinned([1], range(3)) for g in (None, 3)),
        (5, np.ones(6, dtype=int), ("quarter", "month"), None),
    ],
)
def test_brute_force_over_every_way_to_cut_the_ages(seed, years, within, g):
    """All 512 ways to cut 10 ages, 2,048 of 12, with two of five years shown as a class or by year; of 6 by month."""
    ages = len(years)
    people = _people(seed, ages)
    ways = [_measured(people, way, years, g) for way in _every_way(ages, years, within)]
    assert len(ways) > 1000 or not within
    choices = choices_of(people, years, g=g, within=within)
    for most in np.quantile([risk for risk, _ in ways], [0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1]):
        truth = max(bits for risk, bits in ways if risk <= most + 1e-9)
        found = best_classes(choices, most + 1e-9)
        assert found.information == pytest.approx(truth, rel=1e-12)
        again = [(one.first, one.end, one.granularity) for one in found.classes]
        assert _measured(people, again, years, g) == pytest.approx((found.risk, found.information), rel=1e-12)
    assert best_classes(choices, min(risk for risk, _ in ways) - 1e-6) is None


@pytest.mark.slow
def test_only_allowed_classes_are_used():
    """Cuts at 4 and 8 must stand: brute force over the ways that have both."""
    people, years = _people(7), np.ones(AGES, dtype=int)
    allowed = np.array([[first // 4 == (end - 1) // 4 for end in range(AGES + 1)] for first in range(AGES)])
    ways = [
        _measured(people, way, years, None) for way in _every_way(AGES, years, ()) if {4, 8} <= {a for a, *_ in way}
    ]
    most = np.median([risk for risk, _ in ways])
    found = best_classes(choices_of(people, years, within=(), allowed=allowed), most)
    assert found.information == pytest.approx(max(bits for risk, bits in ways if risk <= most), rel=1e-12)
    assert {4, 8} <= {one.first for one in found.classes}


def test_information_of_other_groups_than_those_at_risk():
    """With everyone's age alone told, classes of equally many people tell most, whoever is at risk."""
    people = np.array([[9, 1, 1, 9], [0, 4, 4, 0]])
    choices = choices_of(people, np.ones(4, dtype=int), within=(), information_of=people.sum(axis=0)[None])
    found = best_classes(choices, 4)
    assert [(one.first, one.end) for one in found.classes] == [(0, 1), (1, 3), (3, 4)]
    assert found.information == pytest.approx(-2 * 9 * np.log2(9) - 10 * np.log2(10))


def test_nothing_that_tells_more_than_is_known():
    choices = choices_of(np.array([[2, 2, 2]]), np.ones(3, dtype=int), within=())
    best = best_classes(choices, 3)
    assert (best.risk, best.information) == (3, -6.0)
    assert best_classes(choices, 3, least=-6.0) is None
    assert best_classes(choices, 3, least=-6.1).information == -6.0


def test_no_class_may_be_used():
    choices = choices_of(np.array([[2, 2]]), np.ones(2, dtype=int), allowed=np.zeros((2, 3), dtype=bool))
    assert best_classes(choices, 10) is None


# Policies with free age classes: never worse than the lattice, and measured as any policy is.


WHOLE = ("none", "twenty_years", "fifteen_years", "decade", "five_years", "four_years", "three_years", "two_years")
THAN = policy_from_text("gender+race+birth=two_years+geography=state")


def _free_ages_people(*, overlapping: bool = False) -> Population:
    rng = np.random.default_rng(2)
    ages = [*((age, 1) for age in range(60, 100)), (100, 5), (105, 5), (110, 1)]
    rows = [
        (state, county, sex, age, width, race, int(people))
        for state, county, scale in (("OH", "39001", 6), ("OH", "39003", 0.5), ("WV", "54001", 2))
        for sex in "MF"
        for age, width in ages
        for race in RACES[:3]
        if (people := rng.poisson(scale * (5 if race == "white" else 1) * 0.9 ** (age - 60) + 0.02))
    ]
    if overlapping:
        rows.append(("OH", "39001", "M", 62, 5, "white", 7))
    return population_of(rows, date="2010-04-01")


PEOPLE = _free_ages_people()


def _free(**options):
    baseline = measured_alone(PEOPLE, THAN, ["OH", "WV"])
    if "weights" in options:
        baseline["utility_bits"] = options["weights"].bits_of(PEOPLE, [THAN], ["OH", "WV"])[0]
    return free_age_rows(PEOPLE, lattice_of(PEOPLE), baseline, **options), baseline


@pytest.mark.slow
@pytest.mark.parametrize("risk", ["total_risk", "distinct_3"])
def test_never_worse_than_the_lattice(risk):
    """With sex, race and place shown alike, no policy of whole years tells more at no more risk."""
    found, baseline = _free(risk=risk)
    rows = explore(PEOPLE, ["OH", "WV"]).rows
    limit = rows["state"].map(baseline.set_index("state")[risk])
    fits = rows[(rows[risk] <= limit) & rows["birth"].isin(WHOLE)]
    least = baseline.set_index("state")["utility_bits"]
    assert len(found) > 3
    for (state, name), some in found.groupby(["state", "policy"]):
        one = some.iloc[0]
        assert one[risk] <= baseline.set_index("state").loc[state, risk]
        assert one["utility_bits"] > least[state]
        shown = fits[fits["state"] == state]
        for field in ("gender", "race", "geography"):
            shown = shown[shown[field] == one[field]]
        shown = shown[shown["place_above"].isna() == pd.isna(one["place_above"])]
        assert shown["utility_bits"].max() <= one["utility_bits"] * (1 + 1e-12), name
    best = rows[(rows[risk] <= limit) & rows["birth"].isin(WHOLE)].groupby("state")["utility_bits"].max()
    ours = found.groupby("state")["utility_bits"].max()
    assert (ours >= best * (1 - 1e-12)).all()


def _read(text: str, age: int) -> tuple[str, float]:
    """The class of an age as a reader of the text finds it, and the values in it."""
    for part in text.split(", "):
        match = re.fullmatch(r"(\d+)(?: to (\d+)|-(\d+)|(\+))?(?: by (year|quarter|month|date))?", part)
        low, to, last, more, by = match.groups()
        high = 999 if more else int(to or last or low)
        if int(low) <= age <= high:
            bins = {None: 0, "year": 1, "quarter": 4, "month": 12, "date": 365}[by]
            return (f"{age}" if to else part), bins
    raise AssertionError(age)


def test_figures_follow_from_the_classes_as_they_are_written():
    """Read the text, put every cell into its class, and measure: nothing of the search is used."""
    found, _ = _free(needs=Needs.of(["sex", "race"]))
    one = found[(found["state"] == "OH") & (found["geography"] == "state")].iloc[0]
    cells = PEOPLE.cells[PEOPLE.cells["state"] == "OH"]
    shown = [_read(one["age_classes"], age) for age in cells["age"]]
    key = [cells["sex"].astype(str), cells["race"].astype(str), pd.Series([text for text, _ in shown], cells.index)]
    values = [max(bins * years, 1) for (_, bins), years in zip(shown, cells["age_width"], strict=True)]
    merged = cells.assign(values=values).groupby(key).agg(people=("people", "sum"), values=("values", "first"))
    groups = Groups.of(merged["people"].to_numpy(), merged["values"].to_numpy(float))
    assert total_risk(groups)[0] == pytest.approx(one["total_risk"], rel=1e-12)
    assert g_distinct(groups, [1, 5])[0].tolist() == pytest.approx([one["distinct_1"], one["distinct_5"]], rel=1e-12)
    whole = merged["people"].sum()
    bits = np.log2(whole) + (merged["people"] * np.log2(merged["values"] / merged["people"])).sum() / whole
    assert bits == pytest.approx(one["utility_bits"], rel=1e-12)


def test_needs_are_met():
    found, _ = _free(needs=Needs.of(["sex", "race=broad", "birth=twenty_years"]))
    assert set(found["gender"]) == {"value"}
    assert set(found["race"]) <= {"broad", "value"}
    assert set(found["birth"]) == {FREE}
    for text in found["age_classes"]:
        assert _read(text, 79) != _read(text, 80)
        assert _read(text, 89) != _read(text, 90)
    assert _free(needs=Needs.of("birth=month"))[0].empty


@pytest.mark.slow
def test_weights_choose_other_policies():
    """Where only race counts, a policy without race is never better."""
    race = FieldWeights({Field.GENDER: 0, Field.RACE: 1, Field.BIRTH: 0.01, Field.GEOGRAPHY: 0})
    found, baseline = _free(weights=race)
    assert (found["race"] == "value").all()
    searched = explore(PEOPLE, ["OH", "WV"]).weighted(PEOPLE, race, 365.0).with_rows(found)
    rows, beside = searched.judged(baseline)
    assert rows.loc[rows["birth"] == FREE, "better"].all()
    assert (rows["utility"] <= 1 + 1e-12).all()
    assert best_of(rows, beside)["status"].eq("ok").all()


def test_ages_that_overlap_are_refused():
    people = _free_ages_people(overlapping=True)
    baseline = measured_alone(people, THAN, ["OH"])
    with pytest.raises(InputError, match="ages of population made overlap"):
        free_age_rows(people, lattice_of(people), baseline)
