"""Which numbers a column of states has: those of FIPS, or those of the Social Security Administration (SSA).

Both have two digits. 22 is Louisiana by FIPS and Massachusetts by SSA, so a person has to say which one a file has
where its name, its other columns or its numbers leave that open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from policy_sim.records.vocabularies import name_words
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS, POSTAL_OF_SSA, state_named

SSA, FIPS = "ssa", "fips"
ASK = "ssa or fips"
MEDICARE_COLUMN = "bene_id"  # that only files of Medicare have
_NUMBER = re.compile(r"\s*(\d{1,2})(?:[.,]0+)?\s*")
_ENOUGH_STATES = 25  # a file of so many states has Arizona, Connecticut or Illinois, 03, 07 and 14 by SSA
_MEDICARE = re.compile(r"\b(bene|medicare|ssa|desy|clm|hicn?|mbi)\b")
_COUNTY = re.compile(r"\b(county|cnty)\b")
_CODE = re.compile(r"\b(cd|codes?)\b")


def state_numbers(name: str, texts: Sequence[str], beside: Sequence[str] = ()) -> str:
    """Return how a column's numbers are read: :data:`FIPS`, :data:`SSA` or :data:`ASK`; empty where it has none.

    ``beside`` are the names of the file's other columns: those of Medicare's files, and a code of a county next to a
    code of a state, leave it open.

    >>> state_numbers("state", ["39"]), state_numbers("state_cd", ["22"], ["bene_id"]), state_numbers("st", ["OH"])
    ('fips', 'ssa or fips', '')
    >>> state_numbers("state", ["03", "39"]), state_numbers("ssa_state", ["22"]), state_numbers("state_fips", ["22"])
    ('ssa or fips', 'ssa', 'fips')
    """
    numbers = {match[1].zfill(2) for text in texts if (match := _NUMBER.fullmatch(text))}
    known_by_one = {number for number in numbers if number in POSTAL_OF_FIPS or number in POSTAL_OF_SSA}
    if not known_by_one:
        return ""
    words = name_words(name)
    if "fips" in words or "statefp" in words:
        return FIPS
    if re.search(r"\bssa\b", words):
        return SSA
    if known_by_one - POSTAL_OF_FIPS.keys():
        return ASK
    if len(known_by_one) >= _ENOUGH_STATES:
        return FIPS
    return ASK if leave_open(name, beside) else FIPS


def leave_open(name: str, beside: Sequence[str]) -> bool:
    """Tell whether the names of a file leave open which numbers its column of states has."""
    words, others = name_words(name), [name_words(other) for other in beside if other != name]
    county_code = _CODE.search(words) and any(_COUNTY.search(other) and "fips" not in other for other in others)
    return any(_MEDICARE.search(other) for other in [words, *others]) or bool(county_code)


def state_of(text: str, form: str = "") -> str | None:
    """Return the postal code of a state by its name, its postal code or its number; None if there is none.

    ``form``: :data:`SSA` for the numbers of the Social Security Administration; otherwise they are those of FIPS.
    """
    number = _NUMBER.fullmatch(text)
    if number and form == SSA:
        return POSTAL_OF_SSA.get(number[1].zfill(2))
    state = state_named(number[1].zfill(2) if number else text)
    return None if state is None else state.postal


QUESTION = "numbers of states that may be FIPS or SSA codes: 22 is Louisiana by FIPS, Massachusetts by SSA"
REMEDY = 'write format = "ssa" or format = "fips" for the column'


def refuse_open_question(name: str, numbers: str) -> None:
    """Refuse to read numbers of states that a person has to name first."""
    if numbers == ASK:
        raise InputError(
            f'{name}: {QUESTION}. Write format = "ssa" or format = "fips" for the column, in its mapping or in the '
            "release project. Files of Medicare have SSA codes."
        )


def numbers_note(name: str, form: str) -> str:
    """Say how the numbers of a column were read."""
    if form == SSA:
        return f"{name}: numbers are read as SSA codes of states, such as 36 for Ohio"
    return f"{name}: numbers are read as FIPS codes of states, such as 39 for Ohio"
