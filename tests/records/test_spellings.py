"""Each value has one spelling, which says what was read and nothing else that a cell can carry."""

import itertools

import pytest

from policy_sim.records.covered_values import reads
from policy_sim.records.race_texts import race_text
from policy_sim.records.spellings import spelled, visible
from policy_sim.records.vocabularies import words

INVISIBLE = [
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u2060",
    "\u00ad",
    "\u034f",
    "\ufe0f",
    "\U000e0041",
    "\u3164",
    "\u202e",
    "\x00",
]


def test_what_nobody_sees_is_not_written():
    """Every cell that carries two of the invisible characters around a letter is that letter."""
    cells = {f"{first}F{last}" for first, last in itertools.product(["", *INVISIBLE], repeat=2)}
    assert len(cells) == 144
    assert {visible(cell) for cell in cells} == {"F"}
    assert visible("\uff10\uff13\uff16\uff10\uff11") == "03601"
    assert visible(" S\u00e3o\u00a0 Paulo\n") == visible("Sa\u0303o Paulo") == "S\u00e3o Paulo"
    assert visible("\u200b") == ""


def test_sexes():
    texts = ["M", "male", " Male.", "MAN", "F  ..", "female", "Woman", "unk", "Unknown", "1", "1.0", "x"]
    assert spelled("sex", texts) == [*"MMMM", *"FFF", "Unknown", "Unknown", "1", "1", "X"]
    assert spelled("sex", ["1", "2"], {"1": "male", "2": "F"}) == ["M", "F"]


def test_races_say_what_was_understood():
    texts = [
        "caucasian",
        "WHITE - alone",
        "NH black",
        "white; asian",
        "Asian, White",
        "latinx",
        "korean",
        "W-----",
        "5",
    ]
    assert spelled("race", texts) == [
        "White", "White", "Non-Hispanic Black or African American", "Asian; White", "Asian; White",
        "Hispanic or Latino", "Korean", "W", "5",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["sex", "race"])
def test_a_spelling_is_read_as_the_same_and_spelled_as_itself(kind):
    phrases = words("values", kind) | words("values", "unknown")
    if kind == "race":
        phrases |= {phrase for table in ("white", "finer_asian", "finer_hispanic", "middle_eastern", "hispanic")
                    for phrase in words("census", table)}  # fmt: skip
        phrases |= {"mexican white", "White; Hispanic or Latino", "not hispanic; korean", "other or multiple"}
    written = spelled(kind, sorted(phrases))
    assert spelled(kind, written) == written
    assert all(reads(kind, written))
    if kind == "race":
        assert [race_text(text) for text in written] == [
            race_text(text) for text in map(race_text_or_own, sorted(phrases))
        ]


def race_text_or_own(phrase):
    """The phrase where the census understands it; else its spelling, which is a code such as W."""
    return phrase if race_text(phrase) else spelled("race", [phrase])[0]


def test_states_and_places():
    assert spelled("state", ["ohio", "OH ", "39", "39.0", "guam", "unk"]) == ["OH", "OH", "OH", "OH", "GU", "Unknown"]
    assert spelled("county", ["1001", "06037", "MCLEAN county", "st. louis, mo"]) == [
        "01001", "06037", "McLean County", "St. Louis, MO",
    ]  # fmt: skip


def test_numbers_are_short_where_all_are_numbers():
    assert spelled("number", ["+3", "3.0", "3.10", "-0.0", "1e3", "NA"]) == ["3", "3", "3.1", "0", "1000", "NA"]
    assert spelled("number", ["007", "7"]) == ["007", "7"]  # codes
    assert spelled("code", ["A", "a", "1.50"]) == ["A", "a", "1.50"]


def test_clinical_codes_have_the_dot_of_most():
    assert spelled("clinical", ["e11.9", "E119", "I10", "s72.001a"]) == ["E11.9", "E11.9", "I10", "S72.001A"]
    assert spelled("clinical", ["e119", "I10", "j4520"]) == ["E119", "I10", "J4520"]
    assert spelled("clinical", ["27447", "j1234"]) == ["27447", "J1234"]
