from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from policy_sim.people.census.tables import SexByAge, Shape
from policy_sim.people.facts import Published, audit
from policy_sim.words.errors import SchemaError

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
    assert "races add up to PCT12 in every place, sex and age" in said
    assert "2 state totals equal the published ones" in said
    assert "all 3 counties expected are here and no other" in said


@pytest.mark.parametrize(
    ("letter", "place", "columns", "said"),
    [
        ("C", 1, [0, 1, 2], "A to G do not add up to PCT12 in 3 cells in DE 10003"),
        ("A", 0, [2], "PCT12A: ages do not add up to all males in DE 10001"),
        ("", 2, [0], "PCT12: males and females do not add up to the total in PR 72001"),
    ],
)
def test_one_person_too_many_is_found(letter, place, columns, said, counts):
    counts[letter][place, columns] += 1
    with pytest.raises(SchemaError, match=said):
        _audit(counts)


def test_a_state_that_differs_from_print_is_named(counts):
    people = {**_published(counts).people, "DE": 999}
    with pytest.raises(SchemaError, match=r"DE adds up to \d+; the 2010 census counted 999"):
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


def test_zip_areas_may_miss_some_people_but_not_exceed_the_state(counts):
    places = pd.DataFrame({"state": ["DE", "DE", "PR"], "zip5": ["19701", "19702", "00601"]})
    published = _published(counts)
    assert any("do not exceed" in line for line in _audit(counts, published, places=places))
    for people in (published.people["DE"] - 1, published.people["DE"] * 2):
        with pytest.raises(SchemaError, match="DE adds up to"):
            _audit(counts, replace(published, people={"DE": people, "PR": 10**6}), places=places)


def test_every_problem_at_once(counts):
    counts["A"][0, 2] += 1
    with pytest.raises(SchemaError) as caught:
        _audit(counts, expected=COUNTIES | {"10005"})
    assert len(caught.value.problems) == 3  # ages, races, counties


def test_the_first_places_are_listed_and_the_rest_counted():
    many = pd.DataFrame({"state": "DE", "county": [f"10{n:03d}" for n in range(12)]})
    counts = {letter: _whole(np.ones((12, 4), dtype=int)) for letter in "ABCDEFG"}
    counts["A"][:, 2] += 1
    with pytest.raises(SchemaError, match=r"DE 10000; DE 10001; .* and 7 more"):
        audit(
            SexByAge(SHAPE, many, counts),
            Published(2010, {}, frozenset(many["county"])),
            frozenset(many["county"]),
            where="test",
        )


def _county_races(counts):
    return pd.DataFrame({letter: counts[letter][:2, 0] for letter in "ABCDEFG"}, index=["10001", "10003"])


def test_a_race_of_plausible_zeros_is_found_even_where_counties_were_left_out(counts):
    facts = _published(counts, county_races=_county_races(counts))
    part = {letter: table[:1].copy() for letter, table in counts.items() if letter}
    assert "every race adds up to what was counted in 1 counties" in _audit(
        part, facts, places=PLACES.iloc[:1], partial=True
    )
    part["D"][:] = 0
    with pytest.raises(SchemaError, match="PCT12D is not what was counted in 1 counties: 10001 0 against"):
        _audit(part, facts, places=PLACES.iloc[:1], partial=True)


def test_other_races_are_held_against_everyone_of_the_county(counts):
    facts = _published(counts, county_races=_county_races(counts))
    origins = {letter: counts[other] for letter, other in zip("HIJKLMN", "ABCDEFG", strict=True)}
    origins["O"] = np.zeros_like(counts["A"])
    assert "everyone adds up to what was counted in 2 counties" in _audit(origins, facts)
    origins["J"] = np.zeros_like(counts["A"])
    with pytest.raises(SchemaError, match="everyone is not what was counted in 2 counties: 10001"):
        _audit(origins, facts)
