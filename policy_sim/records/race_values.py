"""What texts of health files say of race and Hispanic origin, in the words of the census.

A text may say a race (``Black or African American``), an origin (``Not Hispanic``), or both (``NH Black``). What a
column says follows from all of its values: where Hispanic is among the races, ``White`` is that of everyone else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from policy_sim.people.population import RACES
from policy_sim.records.covered_values import plain, words
from policy_sim.words.errors import InputError

HISPANIC, NOT_HISPANIC = "hispanic", "not_hispanic"
RACE_FIELDS = ("race", "ethnicity", "race_ethnicity")
_OR = " or "  # between the races of a value that may mean several
_SHORT = {"nhw": "white", "nhb": "black", "nha": "asian"}
_YES_NO = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}
_BETWEEN = re.compile(r"[;|,+&\n]|\band\b", re.IGNORECASE)
_ANY_RACE = ("", "any race", "of any race")


@dataclass(frozen=True)
class RaceText:
    """What a text says of a person: the races that it may mean, none if it says no race; and whether it is Hispanic.

    ``unknown``: it says that nobody knows. ``middle_eastern``: the census counts these people as White. ``finer``: it
    tells more than the census counts, as ``Korean`` does.
    """

    races: frozenset[str] = frozenset()
    hispanic: bool | None = None
    unknown: bool = False
    middle_eastern: bool = False
    finer: bool = False


@cache
def race_text(text: str) -> RaceText | None:
    """Return what a text says of race and Hispanic origin; None where it is not understood.

    >>> black = race_text("NH Black")
    >>> set(black.races), black.hispanic, race_text("Hispanic").hispanic, race_text("3")
    ({'black'}, False, True, None)
    """
    phrase = plain(text)
    return _phrases().get(phrase) or _origin_and_race(phrase) or _several(text) or _one_of(phrase)


@cache
def _phrases() -> dict[str, RaceText]:
    """Return what whole phrases say."""
    says: dict[str, RaceText] = {}
    for name in (*RACES, "asian_or_nhpi"):
        race = RaceText(frozenset(name.split("_or_")))
        says |= dict.fromkeys(words("census", name), race)
        says |= dict.fromkeys(words("census", f"finer_{name}"), replace(race, finer=True))
    says |= dict.fromkeys(words("census", "middle_eastern"), RaceText(frozenset({"white"}), middle_eastern=True))
    says |= {phrase: RaceText(frozenset({race}), hispanic=False) for phrase, race in _SHORT.items()}
    says |= dict.fromkeys(words("census", "unknown"), RaceText(unknown=True))
    return says | dict(_origins())


@cache
def _origins() -> tuple[tuple[str, RaceText], ...]:
    """Return the phrases for an origin: those that deny it first, and of each kind the longest first."""
    named, finer = words("census", "hispanic"), words("census", "finer_hispanic")
    denied = {f"{no}{name}" for name in named for no in ("not ", "non ", "non", "not of ", "no not of ")}
    kinds = (
        (denied | words("census", "not_hispanic"), RaceText(hispanic=False)),
        (named | {f"{of}{name}" for name in named for of in ("of ", "yes ")}, RaceText(hispanic=True)),
        (finer | {f"yes {name}" for name in finer}, RaceText(hispanic=True, finer=True)),
    )
    return tuple(
        (phrase, says) for phrases, says in kinds for phrase in sorted(phrases, key=lambda text: (-len(text), text))
    )


def _origin_and_race(phrase: str) -> RaceText | None:
    """Read an origin before or after a race: ``non hispanic white``, ``white hispanic``, ``hispanic of any race``."""
    for origin, says in _origins():
        if phrase.startswith(f"{origin} "):
            rest = phrase.removeprefix(origin).strip()
        elif phrase.endswith(f" {origin}"):
            rest = phrase.removesuffix(origin).strip()
        else:
            continue
        if says.hispanic and rest in _ANY_RACE:
            return says
        race = _phrases().get(rest)
        named = race is not None and race.races and race.hispanic is None
        return replace(race, hispanic=says.hispanic, finer=race.finer or says.finer) if race and named else None
    return None


def _several(text: str) -> RaceText | None:
    """Read several boxes that one person ticked: ``White; Asian`` is of more than one race."""
    parts = [plain(part) for part in _BETWEEN.split(text)]
    read = [_phrases().get(part) or _origin_and_race(part) for part in parts if part]
    boxes = [box for box in read if box is not None]
    if len(boxes) < 2 or len(boxes) < len(read):
        return None
    origins = {box.hispanic for box in boxes} - {None}
    races = {box.races for box in boxes if box.races}
    if len(origins) > 1:
        return None
    return RaceText(
        next(iter(races)) if len(races) == 1 else frozenset({"multiple"} if races else ()),
        origins.pop() if origins else None,
        unknown=all(box.unknown for box in boxes),
        middle_eastern=len(races) == 1 and any(box.middle_eastern for box in boxes),
        finer=any(box.finer for box in boxes),
    )


def _one_of(phrase: str) -> RaceText | None:
    """Read one of several races, as codes of a mapping may write it: ``other or multiple``."""
    for at in re.finditer(_OR, phrase):
        first, rest = _phrases().get(phrase[: at.start()]), phrase[at.end() :]
        others = _phrases().get(rest) or _one_of(rest)
        if first and others and first.races and others.races and first.hispanic is others.hispanic is None:
            return RaceText(first.races | others.races)
    return None


# What a column says follows from all of its values.


@dataclass(frozen=True)
class RaceColumn:
    """What a column of race or Hispanic origin says.

    Parameters
    ----------
    field : ``race``, ``ethnicity``, or ``race_ethnicity`` where Hispanic is among the races.
    meanings : The class of each value: of race_ethnicity ``hispanic`` or a race of the others. Several races that a
        value may mean stand with " or " between them. None where the value says nothing of the field.
    unknown : Which values say that nobody knows.
    notes : What was decided, and how many values it concerns.
    """

    field: str
    meanings: tuple[str | None, ...]
    unknown: tuple[bool, ...]
    notes: tuple[str, ...]


def race_column(name: str, field: str, texts: Sequence[str], coded: Iterable[str] = ()) -> RaceColumn:
    """Read the distinct values of a column that is called race, ethnicity or race_ethnicity.

    ``coded``: what else the codes of its mapping mean, which tells of the column though no record has it.

    Raises
    ------
    InputError : the values do not decide which of the three it is.
    """
    understood, possible = ([_said(field, text) for text in values] for values in (texts, coded))
    seen = _field(name, field, [*understood, *possible])
    meanings = tuple(_meaning(seen, text) for text in understood)
    counted = {
        "with the race of Hispanic people, which is not used": [
            seen == "race_ethnicity" and bool(text.hispanic and text.races) for text in understood
        ],
        "for the Middle East or North Africa, read as white because the census counts them so": [
            text.middle_eastern and meaning == "white" for text, meaning in zip(understood, meanings, strict=True)
        ],
        "that tell more than the census counts, such as Korean, read as its race or origin": [
            text.finer and meaning is not None for text, meaning in zip(understood, meanings, strict=True)
        ],
        "such as Unknown or Declined, which are missing": [text.unknown for text in understood],
    }
    notes = [f"{name}: values {which}: {sum(holds):,}" for which, holds in counted.items() if any(holds)]
    if seen != field:
        notes.insert(0, f"{name} is read as race_ethnicity, because its values have Hispanic among the races")
    return RaceColumn(seen, meanings, tuple(text.unknown for text in understood), tuple(notes))


def tells_origin(texts: Iterable[str]) -> bool:
    """Tell whether some of the texts say that a person is Hispanic, some that not, and none a race.

    >>> tells_origin(["Hispanic", "Not Hispanic", "Unknown"]), tells_origin(["Hispanic", "White"])
    (True, False)
    """
    read = [race_text(text) or RaceText() for text in texts]
    return {True, False} <= {text.hispanic for text in read} and not any(text.races for text in read)


def _said(field: str, text: str) -> RaceText:
    """Return what a value says; a yes is an origin only where the field is that."""
    answer = _YES_NO.get(plain(text)) if field == "ethnicity" else None
    return RaceText(hispanic=answer) if answer is not None else race_text(text) or RaceText()


def _field(name: str, field: str, values: Sequence[RaceText]) -> str:
    """Return which of the three fields the values tell."""
    if field == "race_ethnicity":
        return field
    races, origins = any(text.races for text in values), any(text.hispanic is not None for text in values)
    if not (races and origins):
        if field == "race" and origins:
            raise InputError(f"{name}: its values say who is Hispanic and no race: name the field ethnicity.")
        if field == "ethnicity" and races:
            raise InputError(f"{name}: its values are races and none says who is Hispanic: name the field race.")
        return field
    how = "name the field race_ethnicity to count Hispanic people of any race as one class."
    if any(text.hispanic and text.races for text in values):
        raise InputError(f"{name}: some of its values tell the race of Hispanic people: {how}")
    others = {text.races for text in values if text.hispanic is False}
    if others & {text.races for text in values if text.races and text.hispanic is None}:
        raise InputError(f"{name}: a race stands both with and without non-Hispanic: {how}")
    return "race_ethnicity"


def _meaning(field: str, text: RaceText) -> str | None:
    """Return the class of what a text says; None where it says nothing of the field."""
    if field == "ethnicity":
        return None if text.hispanic is None else HISPANIC if text.hispanic else NOT_HISPANIC
    if field == "race_ethnicity" and text.hispanic:
        return HISPANIC
    return _OR.join(race for race in RACES if race in text.races) or None


def classes_of(meaning: str) -> tuple[str, ...]:
    """Return the classes of the census that a meaning stands for.

    >>> classes_of("asian or nhpi")
    ('asian', 'nhpi')
    """
    return tuple(meaning.split(_OR))


def possible_people(values: Mapping[Any, object], races: Sequence[str]) -> list[tuple[str, str]]:
    """Return the race and the ethnicity of whom a record with these values may be; Hispanics are of any of ``races``.

    >>> possible_people({"race_ethnicity": "asian or nhpi"}, RACES)
    [('asian', 'not_hispanic'), ('nhpi', 'not_hispanic')]
    >>> possible_people({"race": "asian", "ethnicity": "hispanic"}, RACES)
    [('asian', 'hispanic')]
    """
    if "race_ethnicity" not in values:
        return [(race, str(values.get("ethnicity"))) for race in classes_of(str(values.get("race")))]
    classes = classes_of(str(values["race_ethnicity"]))
    others = [(race, NOT_HISPANIC) for race in classes if race != HISPANIC]
    return [*others, *((race, HISPANIC) for race in races if HISPANIC in classes)]


def overlapping(meanings: Sequence[str | None]) -> frozenset[str]:
    """Return the meanings of several classes of which another meaning tells some apart.

    >>> overlapping(["asian or nhpi", "asian", "other or multiple", None])
    frozenset({'asian or nhpi'})
    """
    held = {meaning: frozenset(classes_of(meaning)) for meaning in meanings if meaning is not None}
    return frozenset(
        meaning
        for meaning, classes in held.items()
        if len(classes) > 1 and any(classes & others for other, others in held.items() if other != meaning)
    )
