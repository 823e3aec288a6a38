"""What is known of each population: tables add up to what was counted, and a file says where it comes from."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from official_tables import official
from said import numbers
from small_people import people_of

from policy_sim.attackers import GENERAL
from policy_sim.model.cases import Cases
from policy_sim.model.compare import changes, compare
from policy_sim.people.census.tables import SexByAge, Shape
from policy_sim.people.facts import (
    Published,
    audit,
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
from policy_sim.words.errors import SchemaError, UnknownNameError
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
    assert "for all people: county, race and under 18" in " ".join(rows.loc[rows["item"] == "notes", "value"])
    with pytest.raises(UnknownNameError, match="us-2010-zip"):
        facts_of_population("us-1990")


# Tables of sex by age have to add up, and to agree with printed figures.


SHAPE = Shape("PCT12", ((0, 1), (1, 1)))
PLACES = pd.DataFrame({"state": ["DE", "DE", "PR"], "county": ["10001", "10003", "72001"]})
COUNTIES = frozenset(PLACES["county"])


def _whole(ages):
    """Total, males, their ages, females, their ages."""
    m0, m1, f0, f1 = np.asarray(ages).T
    return np.column_stack([m0 + m1 + f0 + f1, m0 + m1, m0, m1, f0 + f1, f0, f1])


@pytest.fixture
def counts():
    rng = np.random.default_rng(3)
    tables = {letter: _whole(rng.poisson(5, (3, 4))) for letter in "ABCDEFG"}
    return {"": sum(tables.values()), **tables}


def _published(counts, **changes):
    everyone = counts[""][:, 0]
    facts = Published(2010, {"DE": int(everyone[:2].sum()), "PR": int(everyone[2])}, COUNTIES)
    return replace(facts, **changes)


def _audit(counts, published=None, expected=COUNTIES, places=PLACES, **options):
    tables = SexByAge(SHAPE, places, counts)
    return audit(tables, published or _published(counts), expected, where="test", **options)


def test_sound_tables_pass_and_say_what_was_checked(counts):
    said = _audit(counts)
    assert any(line.startswith("races add up to PCT12 ") for line in said)
    counted = {word: numbers(line) for line in said for word in ("state totals", "counties expected") if word in line}
    assert counted == {"state totals": ["2"], "counties expected": ["3"]}


@pytest.mark.parametrize(
    ("letter", "place", "columns", "said"),
    [
        ("C", 1, [0, 1, 2], "A to G .* PCT12 in 3 cells in DE 10003"),
        ("A", 0, [2], "PCT12A: ages .* all males in DE 10001"),
        ("", 2, [0], "PCT12: males and females .* in PR 72001"),
    ],
)
def test_one_person_too_many_is_found(letter, place, columns, said, counts):
    counts[letter][place, columns] += 1
    with pytest.raises(SchemaError, match=said):
        _audit(counts)


def test_a_state_that_differs_from_print_is_named(counts):
    people = {**_published(counts).people, "DE": 999}
    with pytest.raises(SchemaError, match=r"DE adds up to \d+; .* 2010 .* 999"):
        _audit(counts, _published(counts, people=people))


def test_plausible_zeros_do_not_pass(counts):
    published = _published(counts)
    zeros = {letter: np.zeros_like(table) for letter, table in counts.items()}
    with pytest.raises(SchemaError) as caught:
        _audit(zeros, published, partial=True)
    assert "counties without people: 10001, 10003, 72001" in str(caught.value)
    assert "DE adds up to 0" in str(caught.value)


def test_counties_missing_and_strange_are_named(counts):
    with pytest.raises(SchemaError) as caught:
        _audit(counts, expected=frozenset({"10001", "10005", "72001"}))
    assert "counties not of this vintage: 10003." in str(caught.value)
    assert "counties are missing: 10005." in str(caught.value)


def test_a_partial_load_checks_only_whole_states(counts):
    published = _published(counts)
    half = {letter: table[[0, 2]] for letter, table in counts.items()}
    said = _audit(half, published, places=PLACES.iloc[[0, 2]].reset_index(drop=True), partial=True)
    assert "partial: 2 of 3 counties are here" in said
    assert "1 state totals equal the published ones" in said


def test_races_of_the_nation_are_held_against_print(counts):
    races = {letter: int(counts[letter][:2, 0].sum()) for letter in "ABCDEFG"}
    assert "each race adds up" in _audit(counts, _published(counts, races=races))[-1]
    # Swapping two races breaks no sum inside the tables: only the printed figures notice.
    swapped = {**counts, "A": counts["B"], "B": counts["A"]}
    with pytest.raises(SchemaError, match="PCT12A adds up to"):
        _audit(swapped, _published(counts, races=races))


def test_zip_areas_may_miss_some_people_and_exceed_the_state_by_few(counts):
    """An area across a state line counts in the state of most of its people."""
    places = pd.DataFrame({"state": ["DE", "DE", "PR"], "zip5": ["19701", "19702", "00601"]})
    published = _published(counts)
    assert any("and exceed them by" in line for line in _audit(counts, published, places=places))
    for people in (int(published.people["DE"] / 1.005) - 1, published.people["DE"] * 2):  # half a percent, as measured
        with pytest.raises(SchemaError, match="DE adds up to"):
            _audit(counts, replace(published, people={"DE": people, "PR": 10**6}), places=places)


def test_every_problem_at_once_with_the_first_places_and_the_number_of_the_rest():
    many = pd.DataFrame({"state": "DE", "county": [f"10{n:03d}" for n in range(12)]})
    counts = {letter: _whole(np.ones((12, 4), dtype=int)) for letter in "ABCDEFG"}
    counts[""] = 7 * counts["A"]
    counts["A"][:, 2] += 1
    counties = frozenset(many["county"])
    with pytest.raises(SchemaError, match=r"DE 10000; DE 10001; .* 7 more") as caught:
        _audit(counts, Published(2010, {}, counties), counties | {"10099"}, many)
    assert len(caught.value.problems) == 3  # ages, races, counties


def _county_races(counts):
    return pd.DataFrame({letter: counts[letter][:2, 0] for letter in "ABCDEFG"}, index=["10001", "10003"])


def test_a_race_of_plausible_zeros_is_found_even_where_counties_were_left_out(counts):
    facts = _published(counts, county_races=_county_races(counts))
    part = {letter: table[:1].copy() for letter, table in counts.items() if letter}
    said = _audit(part, facts, places=PLACES.iloc[:1], partial=True)
    assert any(re.match("every race adds up .* 1 counties", line) for line in said)
    part["D"][:] = 0
    with pytest.raises(SchemaError, match=r"PCT12D is not .* 1 counties: 10001 0 against"):
        _audit(part, facts, places=PLACES.iloc[:1], partial=True)


def test_other_races_are_held_against_everyone_of_the_county(counts):
    facts = _published(counts, county_races=_county_races(counts))
    origins = {letter: counts[other] for letter, other in zip("HIJKLMN", "ABCDEFG", strict=True)}
    origins["O"] = np.zeros_like(counts["A"])
    assert any(re.match("everyone adds up .* 2 counties", line) for line in _audit(origins, facts))
    origins["J"] = np.zeros_like(counts["A"])
    with pytest.raises(SchemaError, match=r"everyone is not .* 2 counties: 10001"):
        _audit(origins, facts)
