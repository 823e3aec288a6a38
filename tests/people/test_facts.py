from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest
from official_tables import official
from small_people import people_of

from policy_sim.attackers import GENERAL
from policy_sim.model.cases import Cases
from policy_sim.model.compare import changes, compare
from policy_sim.people.facts import (
    facts_of_population,
    noise_effects,
    noise_of,
    population_frame,
    populations_frame,
    published,
)
from policy_sim.people.merge import OPEN_ENDED_WIDTH
from policy_sim.people.population import Provenance
from policy_sim.policies.policy import Policy
from policy_sim.words.errors import UnknownNameError
from policy_sim.words.states import STATES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("year", "nation", "puerto_rico"),
    [(2000, 281_421_906, 3_808_610), (2010, 308_745_538, 3_725_789), (2020, 331_449_281, 3_285_874)],
)
def test_totals_are_those_the_bureau_printed(year, nation, puerto_rico):
    people = published(year).people
    assert set(people) == set(STATES)
    assert people["PR"] == puerto_rico
    assert sum(people.values()) - puerto_rico == nation


@pytest.mark.parametrize("year", [2000, 2010])
def test_races_add_up_to_the_nation(year):
    facts = published(year)
    assert sum(facts.races.values()) == sum(facts.people.values()) - facts.people["PR"]
    assert "".join(facts.races) == "ABCDEFG"
    assert not published(2020).races


@pytest.mark.parametrize("year", [2000, 2010, 2020])
def test_state_totals_equal_the_sums_of_the_official_counties(year):
    counted = official("counties").set_index("county_fips")[f"population-{year}"].dropna().astype(int)
    sums = counted.groupby(counted.index.str[:2]).sum()
    assert {state.fips: published(year).people[state.postal] for state in STATES.values()} == sums.to_dict()


def test_counties_of_some_states():
    assert published(2010).counties_of(("DE",)) == {"10001", "10003", "10005"}
    counted = published(2000)
    assert len(counted.counties_of(counted.people)) == 3219


def test_other_years_are_not_known():
    with pytest.raises(UnknownNameError, match="'1990' is not known"):
        published(1990)


# The shipped effects of noise, recomputed from the Bureau's two versions of Kentucky.


@pytest.fixture(scope="module")
def kentucky(shared):
    rows = pd.read_parquet(shared / "census" / "county_2010_sf1_p12a_i_kentucky.parquet")
    return rows[rows["in_partition"]]


def _population(rows, column):
    cells = pd.DataFrame(
        {
            "state": "KY",
            "county": rows["county_fips"],
            "sex": rows["sex"],
            "age": rows["age"],
            "age_width": rows["age_width"].replace(999, OPEN_ENDED_WIDTH),
            "race": rows["race"],
            "people": rows[column],
        }
    )
    return people_of(cells, "2010-04-01", column)


@pytest.fixture(scope="module")
def measured(kentucky):
    keys = dict.fromkeys(effect.key for effect in noise_effects())
    policies = [Policy(key, key, next(e.releases for e in noise_effects() if e.key == key), "none") for key in keys]
    before, after = (
        compare(Cases(_population(kentucky, column), policies, [GENERAL])) for column in ("population", "population_dp")
    )
    return {(c.after.policy, str(c.measure)): c for c in changes(before, after)}


def test_every_measure_of_every_key_is_shipped(measured):
    assert {(effect.key, effect.measure) for effect in noise_effects()} == set(measured)


def test_shipped_effects_are_those_measured(measured):
    # Shares are written with ten digits: rounding is the only difference allowed.
    for effect in noise_effects():
        change = measured[effect.key, effect.measure]
        assert effect.counted == pytest.approx(change.before.share(change.measure).low, abs=1e-9)
        assert effect.noised == pytest.approx(change.after.share(change.measure).low, abs=1e-9)


def test_noise_moves_people_between_cells_but_not_out_of_the_state(kentucky):
    assert kentucky["population"].sum() == kentucky["population_dp"].sum() == 4_339_367


def test_documented_damage_to_the_cells(kentucky):
    counted, noised = kentucky["population"], kentucky["population_dp"]
    assert round((counted != noised).mean(), 2) == 0.65
    assert ((counted == 1).sum(), round((noised[counted == 1] == 0).mean(), 2)) == (5_058, 0.81)
    assert ((counted > 0).sum(), (noised > 0).sum(), len(kentucky)) == (24_660, 15_854, 38_640)


def test_documented_figures_are_the_shipped_ones(root):
    from policy_sim.show.numbers import percent

    text = (root / "docs" / "census.md").read_text(encoding="utf-8")
    for effect in noise_effects():
        relative = effect.noised / effect.counted - 1 if effect.counted else math.nan
        row = f"| {effect.measure} | {percent(effect.counted)} | {percent(effect.noised)} |"
        assert row in text, row
        assert f"{relative:+.2%}".replace("-", "−") in text


def test_a_table_of_2020_says_by_how_much_its_unique_people_are_undercounted():
    table = Provenance("mine", "", "", "2020-04-01", "", 1.0, 0.0, 0.0)
    note = noise_of(table)
    assert "unique people are undercounted" in note
    assert "from 0.45% to 0.22%" in note
    assert "20,139" in note
    assert noise_of(replace(table, date="2010-04-01")) == ""


def test_a_fitted_2020_says_that_its_counts_carry_noise():
    from policy_sim.people.by_name import load_population

    assert "contain the noise of Census 2020" in noise_of(load_population("us-2020").provenance)
    assert noise_of(load_population("us-2022").provenance) == ""


def test_a_population_by_zip_code_has_the_people_of_its_counties_and_no_cells_yet():
    frame = populations_frame().set_index("population")
    made = [name for name in frame.index if name.endswith("-zip")]
    assert made
    for name in made:
        assert frame["people"][name] == frame["people"][name.removesuffix("-zip")]
    assert frame["cells"].isna().tolist() == [name in made for name in frame.index]


def test_one_population_in_rows_says_every_fact():
    facts, rows = facts_of_population("us-2010"), population_frame("us-2010")
    items = rows.groupby("item", sort=False)["value"].agg(list)
    assert items["people"] == ["308745538"]
    assert items["sources"] == facts["sources"]
    assert len(items["counted_by_state"]) == len(facts["counted_by_state"])
    rows = population_frame("us-2020")
    assert "Counted for all people: county, race and under 18" in " ".join(rows.loc[rows["item"] == "notes", "value"])
    with pytest.raises(UnknownNameError, match="us-2010-zip"):
        facts_of_population("us-1990")
