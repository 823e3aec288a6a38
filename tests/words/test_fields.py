"""Fields and the meet."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.people.places import compared_kinds
from policy_sim.people.population import ETHNICITIES, RACES
from policy_sim.words.errors import IncompatibleError, InputError, UnknownNameError
from policy_sim.words.fields import (
    COMPARED,
    GRANULARITIES,
    Field,
    Granularities,
    census_views,
    is_coarser_or_equal,
    listed_view,
    meet,
    race_comparison,
    shows_ethnicity,
)

PAIRS = [(field, a, b) for field in Field for a, b in product(GRANULARITIES[field], repeat=2)]
VIEWS = st.builds(
    Granularities,
    st.fixed_dictionaries({field.value: st.sampled_from(sorted(GRANULARITIES[field])) for field in Field}),
)


@pytest.mark.parametrize(("field", "a", "b"), PAIRS)
def test_meet_is_the_greatest_of_all_that_both_can_produce(field, a, b):
    found = meet(field, a, b)
    for name in GRANULARITIES[field]:
        both = is_coarser_or_equal(field, name, a) and is_coarser_or_equal(field, name, b)
        assert both == is_coarser_or_equal(field, name, found)
    assert found == meet(field, b, a)


def test_county_and_zip_do_not_nest():
    assert meet(Field.GEOGRAPHY, "county", "zip5") == "state"
    assert not is_coarser_or_equal(Field.GEOGRAPHY, "zip3", "county")
    assert not is_coarser_or_equal(Field.GEOGRAPHY, "county", "zip3")


@given(VIEWS, VIEWS)
def test_a_view_can_produce_its_meet_with_any_other_and_comes_back_from_its_text(a, b):
    assert a.meet(b).is_coarser_or_equal(a)
    assert a.meet(b).is_coarser_or_equal(b)
    assert a.meet(a) == a == Granularities.parse(str(a))
    assert hash(Granularities.parse(str(a))) == hash(a)


def test_ohio_of_the_paper():
    limited = Granularities(gender="value", race="value", birth="date", geography="county")
    safe = Granularities(gender="value", race="value", birth="year", geography="state")
    ohio = Granularities(birth="year", geography="county")
    assert str(limited.meet(ohio)) == "birth=year+geography=county"
    assert str(safe.meet(ohio)) == "birth=year+geography=state"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("gender+gender", InputError, "twice"),
        ("race_ethnicity+race", InputError, "twice"),
        ("brith=year", UnknownNameError, "Known: "),
        ("birth=yaer", UnknownNameError, "Known: "),
        ("race_ethnicity=value", InputError, "race_ethnicity"),
        ("ethnicity=broad", InputError, "broad"),
    ],
)
def test_a_wrong_view_says_what_was_allowed(text, error, says):
    with pytest.raises(error, match=says):
        Granularities.parse(text)


@pytest.mark.parametrize(("field", "a", "b"), PAIRS)
def test_join_is_the_least_of_all_from_which_both_follow(field, a, b):
    above = [
        name
        for name in GRANULARITIES[field]
        if is_coarser_or_equal(field, a, name) and is_coarser_or_equal(field, b, name)
    ]
    views = Granularities({field: a}), Granularities({field: b})
    if not above and field is not Field.RACE:
        with pytest.raises(IncompatibleError, match="finer than any"):
            views[0].join(views[1])
        return
    both = views[0].join(views[1])
    if not above:  # race alone, and race with Hispanic as an answer
        assert both[Field.ETHNICITY] == "value"
        return
    found = both[field]
    assert found in above
    assert all(is_coarser_or_equal(field, found, other) for other in above)
    assert found == Granularities({field: b}).join(Granularities({field: a}))[field]


def test_two_views_joined_hold_what_each_holds():
    a, b = Granularities(birth="year", geography="county"), Granularities(gender="value", geography="zip3")
    both = a.join(b)
    assert both == Granularities(gender="value", birth="year", geography="county_zip3")
    assert a.is_coarser_or_equal(both)
    assert b.is_coarser_or_equal(both)


# Race and ethnicity, by hand and by the classes that each pair of views makes of the 14 kinds of people.

KINDS = [(race, ethnicity) for race in RACES for ethnicity in ETHNICITIES]
TOLD = [
    Granularities(race=race, ethnicity=ethnicity)
    for race, ethnicity in product(GRANULARITIES[Field.RACE], GRANULARITIES[Field.ETHNICITY])
]
TWO = list(product(TOLD, repeat=2))


def class_of(view, race, ethnicity):
    """What a view tells of a person, written out by hand."""
    broad = race if race in ("white", "black") else "other"
    five = {"white": 1, "black": 2, "asian": 4, "nhpi": 4, "aian": 5, "other": 6, "multiple": 6}[race]  # HCUP's codes
    shown = {
        "none": "",
        "broad": broad,
        "five_races": five,
        "value": race,
        "hcup": 3 if ethnicity == "hispanic" else five,
        "broad_race_ethnicity": "hispanic" if ethnicity == "hispanic" else broad,
        "race_ethnicity": "hispanic" if ethnicity == "hispanic" else race,
    }[view[Field.RACE]]
    return shown, ethnicity if view[Field.ETHNICITY] == "value" else ""


def classes(view):
    made = {}
    for kind in KINDS:
        made.setdefault(class_of(view, *kind), set()).add(kind)
    return {frozenset(members) for members in made.values()}


def common(a, b):
    """The finest classes of which the classes of both are parts: those that overlap are put together."""
    whole = [set(members) for members in (*a, *b)]
    merged = []
    for members in whole:
        apart = [other for other in merged if not other & members]
        members = members.union(*(other for other in merged if other & members))
        merged = [*apart, members]
    return {frozenset(members) for members in merged}


def test_race_with_hispanic_among_its_answers_has_8_classes_and_beside_ethnicity_14():
    assert len(classes(Granularities(race="race_ethnicity"))) == 8
    assert len(classes(Granularities(race="value", ethnicity="value"))) == 14
    assert len(classes(Granularities(race="broad_race_ethnicity"))) == 4
    assert len(classes(Granularities(race="five_races"))) == 5
    assert len(classes(Granularities(race="hcup"))) == 6, "HCUP's codes 1 to 6"


def test_a_race_that_tells_the_ethnicity_has_one_form():
    one = Granularities(race="race_ethnicity", ethnicity="value")
    assert one == Granularities(race="race_ethnicity") == Granularities.parse("race_ethnicity")
    assert str(one) == "race=race_ethnicity"
    assert len(set(TOLD)) == 11


@pytest.mark.parametrize(("a", "b"), TWO)
def test_what_two_views_share_is_the_finest_partition_that_both_can_produce_and_together_they_tell_no_more(a, b):
    assert classes(a.meet(b)) == common(classes(a), classes(b))
    assert a.is_coarser_or_equal(b) == all(any(part <= whole for whole in classes(a)) for part in classes(b))
    both = a.join(b)
    for view in TOLD:
        assert (a.is_coarser_or_equal(view) and b.is_coarser_or_equal(view)) == both.is_coarser_or_equal(view)


@pytest.mark.parametrize(("record", "listed"), TWO)
def test_a_record_may_be_everyone_whose_listed_values_are_those_of_someone_with_its_values(record, listed):
    """Each of the 14 kinds: one class of the key, or where race is asked in two ways the candidates of its class."""
    key = record.compared(listed)
    comparison = race_comparison(key)
    for person in KINDS:
        alike = [kind for kind in KINDS if class_of(record, *kind) == class_of(record, *person)]
        values = {class_of(listed, *kind) for kind in alike}
        possible = {kind for kind in KINDS if class_of(listed, *kind) in values}
        if comparison is None:
            found = {kind for kind in KINDS if class_of(key, *kind) == class_of(key, *person)}
        else:
            (found,) = (
                set(kinds.candidates) for kinds in compared_kinds(RACES, comparison) if person in kinds.released
            )
        assert found == possible


def test_only_race_alone_and_race_with_hispanic_are_compared_record_by_record():
    unsure = {(str(a), str(b)) for a, b in TWO if race_comparison(a.compared(b))}
    alone = ("race=broad", "race=five_races", "race")
    combined = ("race=broad_race_ethnicity", "race=hcup", "race=race_ethnicity")
    assert unsure == {*product(alone, combined), *product(combined, alone)}
    assert {a.compared(b)[Field.RACE] for a, b in TWO} - set(GRANULARITIES[Field.RACE]) == set(COMPARED)


def test_a_comparison_of_races_is_of_a_linkage_key_alone():
    """No policy, no list and nobody who reads a key can name it; what has classes is refused where a key has none."""
    key = Granularities.parse("race+birth=year").compared(Granularities.parse("race_ethnicity+birth=date"))
    assert key[Field.RACE] == "race_to_race_ethnicity"
    assert str(key.replace(birth="none", geography="zip3")) == "race=race_to_race_ethnicity+geography=zip3"
    assert key.replace(race="none") == Granularities(birth="year")
    assert str(listed_view(key)) == "race=race_ethnicity+birth=year"
    assert shows_ethnicity(key)
    for name in COMPARED:
        with pytest.raises(UnknownNameError, match="granularity of race"):
            Granularities(race=name)
        with pytest.raises(UnknownNameError, match="granularity of race"):
            Granularities.parse(f"race={name}")
    for refused in (census_views, key.meet, key.join, key.is_coarser_or_equal, Granularities().meet):
        with pytest.raises(IncompatibleError, match="do not fall into classes by race"):
            refused(key)
