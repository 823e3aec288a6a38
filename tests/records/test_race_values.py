"""What files say of race and Hispanic origin: words and codes, whole columns, and 12 people by hand."""

from __future__ import annotations

import datetime as dt

import pytest
from said import numbers
from small_people import file_of, population_of

from policy_sim.attackers import Attacker
from policy_sim.records.census_groups import PlacedFile, file_cells, people_of_groups
from policy_sim.records.census_values import (
    ColumnMapping,
    FieldColumn,
    file_granularities,
    race_column,
    seen_fields,
)
from policy_sim.records.classes import Classes
from policy_sim.records.covered_values import READERS
from policy_sim.records.race_texts import race_text
from policy_sim.records.score import attackers_scores
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

# By text: the races that it may mean, and whether it is Hispanic.
SAID = {
    "White": ("white", None),
    "BLACK OR AFRICAN AMERICAN": ("black", None),
    "American Indian/Alaska Native": ("aian", None),  # REDCap
    "Native Hawaiian or Other Pacific Islander": ("nhpi", None),
    "Asian/Pacific Islander": ("asian nhpi", None),
    "other or multiple": ("other multiple", None),
    "More Than One Race": ("multiple", None),
    "White; Asian": ("multiple", None),  # boxes that one person ticked
    "White; White": ("white", None),
    "White; Unknown": ("white", None),
    "Hispanic": ("", True),
    "Hispanic or Latino (of any race)": ("", True),
    "NOT Hispanic or Latino": ("", False),
    "No, not of Hispanic, Latino, or Spanish origin": ("", False),
    "Non-Hispanic White": ("white", False),
    "NH Black": ("black", False),
    "White, non-Hispanic": ("white", False),
    "Asian, Not Hispanic or Latino": ("asian", False),
    "Two or more races, non-Hispanic": ("multiple", False),
    "Black Hispanic": ("black", True),
    "Hispanic or Latino; White": ("white", True),
    "2054-5": ("black", None),  # the CDC's code set
    "2135-2": ("", True),
    "2186-5": ("", False),
}


@pytest.mark.parametrize(("text", "races", "hispanic"), [(text, *said) for text, said in SAID.items()])
def test_words_of_health_files(text, races, hispanic):
    said = race_text(text)
    assert (said.races, said.hispanic) == (frozenset(races.split()), hispanic)
    assert READERS["race_ethnicity"](text), "what is read is known to be a race and no name"


@pytest.mark.parametrize("text", ["3", "W", "Klingon", "Black/White", "Hispanic, not Hispanic", "asian or unknown", ""])
def test_what_may_mean_anything_is_not_read(text):
    assert race_text(text) is None


def _read(field, *texts, coded=()):
    read = race_column("x", field, texts, coded)
    return read.field, read.meanings


def test_hispanic_among_the_races_makes_them_those_of_the_others():
    assert _read("race", "White", "Black") == ("race", ("white", "black"))
    assert _read("race", "White", "Hispanic") == ("race_ethnicity", ("white", "hispanic"))
    assert _read("ethnicity", "White", "Hispanic") == ("race_ethnicity", ("white", "hispanic"))
    assert _read("race", "NH White", "NH Asian") == ("race_ethnicity", ("white", "asian"))
    assert "x is read as race_ethnicity" in race_column("x", "race", ["White", "Hispanic"]).notes[0]
    assert race_column("x", "race_ethnicity", ["White", "Hispanic"]).notes == ()


def test_a_code_that_no_record_has_still_tells_what_the_column_is():
    assert _read("race", "White", coded=["White", "Hispanic"]) == ("race_ethnicity", ("white",))


def test_an_origin_alone():
    assert _read("ethnicity", "Yes", "n", "Cuban") == ("ethnicity", ("hispanic", "not_hispanic", "hispanic"))
    assert _read("race", "Yes") == ("race", (None,))


@pytest.mark.parametrize(
    ("field", "texts", "says"),
    [
        ("race", ["White", "Black Hispanic"], "the race of Hispanic people"),
        ("race", ["White", "White, non-Hispanic", "Hispanic"], "with and without non-Hispanic"),
        ("race", ["Hispanic", "Not Hispanic"], "name the field ethnicity"),
        ("ethnicity", ["White", "Black"], "name the field race"),
    ],
)
def test_what_cannot_be_decided_is_asked(field, texts, says):
    with pytest.raises(InputError, match=f"^x: .*{says}"):
        race_column("x", field, texts)


def test_a_column_that_is_named_race_ethnicity_is_read_so_whatever_it_holds():
    texts = ["White", "White, non-Hispanic", "Black Hispanic", "Asian"]
    assert _read("race_ethnicity", *texts) == ("race_ethnicity", ("white", "white", "hispanic", "asian"))
    (note,) = race_column("x", "race_ethnicity", texts).notes
    assert numbers(note) == ["1"]  # a value with the race of Hispanic people


def test_the_seven_answers_of_2024_in_one_question():
    """Statistical Policy Directive 15 of March 28, 2024; the census counts people of the Middle East as White."""
    answers = {
        "American Indian or Alaska Native": "aian",
        "Asian": "asian",
        "Black or African American": "black",
        "Hispanic or Latino": "hispanic",
        "Middle Eastern or North African": "white",
        "Native Hawaiian or Pacific Islander": "nhpi",
        "White": "white",
        "White; Middle Eastern or North African": "white",
        "White; Asian": "multiple",
    }
    read = race_column("x", "race", list(answers))
    assert (read.field, read.meanings) == ("race_ethnicity", tuple(answers.values()))
    assert "Middle East" in read.notes[1]
    assert numbers(read.notes[1]) == ["2"]


def test_unknown_and_declined_are_missing_and_counted():
    read = race_column("x", "race", ["White", "Unknown / Not Reported", "Patient declined", "purple"])
    assert read.meanings == ("white", None, None, None)
    assert read.unknown == (False, True, True, False)
    (note,) = read.notes
    assert numbers(note) == ["2"]


def test_what_is_finer_than_the_census_is_counted():
    read = race_column("x", "race", ["Korean", "Mexican", "White"])
    assert read.meanings == ("asian", "hispanic", "white")
    assert "Korean" in read.notes[1]
    assert numbers(read.notes[1]) == ["2"]


# 12 people of one age, and the same people written in three ways.


PEOPLE = [
    ("white", "not_hispanic", 4),
    ("white", "hispanic", 2),
    ("black", "not_hispanic", 2),
    ("black", "hispanic", 1),
    ("asian", "not_hispanic", 1),
    ("nhpi", "not_hispanic", 1),
    ("other", "hispanic", 1),
]
COLUMNS = ["state", "age", "age_width", "race", "ethnicity", "people"]
TWELVE = population_of([("OH", 30, 1, *cell) for cell in PEOPLE], COLUMNS, date="2020-04-01")
PERSONS = [(race, ethnicity) for race, ethnicity, people in PEOPLE for _ in range(people)]

HCUP = {"1": "white", "2": "black", "3": "hispanic", "4": "asian or nhpi", "5": "aian", "6": "other or multiple"}
NUMBER = {"white": "1", "black": "2", "asian": "4", "nhpi": "4", "aian": "5", "other": "6", "multiple": "6"}
TEXTS = {"white": "White, non-Hispanic", "black": "NH Black", "asian": "Asian/PI", "nhpi": "Asian/PI"}
ORIGIN = {"hispanic": "Hispanic or Latino", "not_hispanic": "Not Hispanic or Latino"}
RACE = {"white": "White", "black": "Black or African American", "asian": "Asian", "other": "Other"}
RACE |= {"nhpi": "Native Hawaiian or Other Pacific Islander"}
ISLANDERS = dict.fromkeys((RACE["asian"], RACE["nhpi"]), "asian or nhpi")

# By way of writing: the fields, the mapping, and each person.
WAYS = {
    "hcup": (
        ("race",),
        {"race": FieldColumn("RACE", HCUP)},
        [("3" if ethnicity == "hispanic" else NUMBER[race],) for race, ethnicity in PERSONS],
    ),
    "omb": (
        ("race", "ethnicity"),
        {"race": FieldColumn("race", ISLANDERS)},
        [(RACE[race], ORIGIN[ethnicity]) for race, ethnicity in PERSONS],
    ),
    "free text": (
        ("race",),
        {},
        [("Hispanic" if ethnicity == "hispanic" else TEXTS[race],) for race, ethnicity in PERSONS],
    ),
}


def _placed(fields, entries, persons, population=TWELVE):
    mapping = ColumnMapping(entries)
    values = {name: sorted({person[at] for person in persons if person[at]}) for at, name in enumerate(fields)}
    shown = file_granularities(seen_fields(fields, mapping, values.get), mapping.fields, has_state=True)
    classes = Classes.of_rows(persons, fields)
    cells = file_cells(classes, values, mapping, ("OH",), dt.date(2020, 4, 1))
    return PlacedFile.of(cells, population, shown), shown


def _expected(way, key=None):
    placed, shown = _placed(*WAYS[way])
    groups = people_of_groups(placed.cells, TWELVE, Granularities.parse(key) if key else shown)
    assert (placed.cells.outside == "").all()
    return float(placed.cells.rows["records"].to_numpy() @ groups.chance)


def test_twelve_people_written_in_three_ways_are_the_same():
    """Hispanic 4, White 4, Black 2, Asian or Pacific Islander 2: one match per class."""
    assert [_expected(way, "race_ethnicity+geography=state") for way in WAYS] == pytest.approx([4, 4, 4])
    assert _expected("hcup") == _expected("free text") == pytest.approx(4)


def test_two_columns_as_they_are_tell_the_races_of_hispanics_apart():
    assert _expected("omb") == pytest.approx(6), "White 4 and 2, Black 2 and 1, Asian or Pacific Islander 2, other 1"


def test_a_value_of_several_races_is_in_the_group_of_all_of_them():
    placed, _ = _placed(*WAYS["hcup"])
    of_race = dict(zip(placed.cells.rows["race_ethnicity"], placed.groups.people, strict=True))
    assert of_race == {"white": 4, "black": 2, "asian or nhpi": 2, "hispanic": 4}


def test_a_value_of_several_races_next_to_one_of_them_is_outside():
    placed, _ = _placed(("race",), {}, [("Asian or Pacific Islander",), ("Asian",), ("White",)])
    ((reason, records),) = placed.records_by_reason.items()
    assert records == 1
    assert "that other values distinguish" in reason


def _holder(**fields):
    return Attacker("holder", "t", (file_of("holder", states=None, **fields),))


def _matches(way, holder):
    placed, _ = _placed(*WAYS[way])
    (score,) = attackers_scores(placed, [holder])
    return score.expected


def test_a_list_with_race_alone_finds_a_person_who_is_not_hispanic_among_all_of_the_race():
    """White 4 of 6, Black 2 of 3, 2 Asians or Pacific Islanders among themselves, 4 Hispanics among all 12."""
    matches = _matches("hcup", _holder(race="value"))
    assert matches.low == matches.high == pytest.approx(4 / 6 + 2 / 3 + 1 + 4 / 12)
    apart = _matches("omb", _holder(race="value"))
    assert apart.low == apart.high == pytest.approx(4)


def test_who_is_missing_from_the_population_has_no_group():
    placed, _ = _placed(("race",), {}, [("Alaska Native",), ("White",), ("Unknown",)])
    reasons = dict(placed.records_by_reason)
    assert reasons.pop("race is missing") == 1
    ((reason, records),) = reasons.items()
    assert records == 1
    assert reason.startswith("nobody in the population")


def test_hispanic_origin_told_twice_is_refused():
    persons = [("White", "Not Hispanic"), ("Hispanic", "Hispanic")]
    with pytest.raises(InputError, match="two fields show who is Hispanic"):
        _placed(("race", "ethnicity"), {}, persons)
