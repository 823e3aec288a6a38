"""Policies with free age classes: never worse than the lattice, and measured as any policy is."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.lattice_search import (
    FieldWeights,
    Needs,
    explore,
    free_age_rows,
    judged,
    lattice_of,
    measured_alone,
)
from policy_sim.analyses.lattice_search.free_ages import FREE
from policy_sim.errors import InputError
from policy_sim.granularity import Field
from policy_sim.groups import Groups, g_distinct, total_risk
from policy_sim.policies.lattice import policy_from_text
from policy_sim.population.cells import RACES, check_cells
from policy_sim.population.population import Population, Provenance

PROVENANCE = Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0)
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
WHOLE = ("none", "twenty_years", "fifteen_years", "decade", "five_years", "four_years", "three_years", "two_years")
THAN = policy_from_text("gender+race+birth=two_years+geography=state")


def _people(*, overlapping: bool = False) -> Population:
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
    return Population(check_cells(pd.DataFrame(rows, columns=COLUMNS), "made"), PROVENANCE)


PEOPLE = _people()


def _free(**options):
    baseline = measured_alone(PEOPLE, THAN, ["OH", "WV"])
    if "weights" in options:
        baseline["utility_bits"] = options["weights"].bits_of(PEOPLE, [THAN], ["OH", "WV"])[0]
    return free_age_rows(PEOPLE, lattice_of(PEOPLE), baseline, **options), baseline


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


def test_weights_choose_other_policies():
    """Where only race counts, a policy without race is never better."""
    race = FieldWeights({Field.GENDER: 0, Field.RACE: 1, Field.BIRTH: 0.01, Field.GEOGRAPHY: 0})
    found, baseline = _free(weights=race)
    assert (found["race"] == "value").all()
    searched = explore(PEOPLE, ["OH", "WV"]).weighted(PEOPLE, race, 365.0).with_rows(found)
    verdict = judged(searched, PEOPLE, THAN, alone=baseline)
    assert verdict.rows.loc[verdict.rows["birth"] == FREE, "better"].all()
    assert (verdict.rows["utility"] <= 1 + 1e-12).all()
    assert verdict.best()["status"].eq("ok").all()


def test_ages_that_overlap_are_refused():
    people = _people(overlapping=True)
    baseline = measured_alone(people, THAN, ["OH"])
    with pytest.raises(InputError, match="ages of population made overlap"):
        free_age_rows(people, lattice_of(people), baseline)
