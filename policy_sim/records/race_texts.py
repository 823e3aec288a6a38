"""What a text says of race and Hispanic origin, in the words of the census, and its one spelling.

The question of 2024 (Statistical Policy Directive No. 15 of the Office of Management and Budget) asks for both at once,
with as many marks as fit, and with Middle Eastern or North African as an answer of its own. The populations count as
the census of 2020 does: these people as White, and several marks as more than one race.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from policy_sim.records.vocabularies import plain, words

OR = " or "  # between the races of a value that may mean several
_SHORT = {"nhw": "white", "nhb": "black", "nha": "asian"}
_NON = "Non-Hispanic "
# The one spelling of each race, in the words of the Office of Management and Budget.
_LABELS = {
    "white": "White",
    "black": "Black or African American",
    "aian": "American Indian or Alaska Native",
    "asian": "Asian",
    "nhpi": "Native Hawaiian or Other Pacific Islander",
    "other": "Other",
    "multiple": "Two or more races",
    "asian_or_nhpi": "Asian or Pacific Islander",
}
RACE_LABELS = tuple(_LABELS.values())
_BETWEEN = re.compile(r"[;|,+&\n]|\band\b", re.IGNORECASE)
_GROUPS = (re.compile(r"(.+?)\s+-\s+(.+)"), re.compile(r"([^/]+)/([^/]+)"))  # behind a dash, behind a slash
_ANY_RACE = ("", "any race", "of any race")


@dataclass(frozen=True)
class RaceText:
    """What a text says of a person: the races that it may mean, none if it says no race; and whether it is Hispanic.

    ``unknown``: it says that nobody knows. ``middle_eastern``: the census counts these people as White. ``finer``: it
    tells more than the census counts, as ``Korean`` does. ``label`` is the one spelling of all that it says.
    """

    races: frozenset[str] = frozenset()
    hispanic: bool | None = None
    unknown: bool = False
    middle_eastern: bool = False
    finer: bool = False
    label: str = field(default="", compare=False)


@cache
def race_text(text: str) -> RaceText | None:
    """Return what a text says of race and Hispanic origin; None where it is not understood.

    >>> black = race_text("NH Black")
    >>> set(black.races), black.hispanic, race_text("Hispanic").hispanic, race_text("3")
    ({'black'}, False, True, None)
    """
    phrase = plain(text)
    return _phrases().get(phrase) or _origin_and_race(phrase) or _several(text) or _one_of(phrase) or _group_of(text)


@cache
def _phrases() -> dict[str, RaceText]:
    """Return what whole phrases say."""
    says: dict[str, RaceText] = {}
    for name, label in _LABELS.items():
        race = RaceText(frozenset(name.split("_or_")), label=label)
        says |= dict.fromkeys(words("census", name), race)
        finer = words("census", f"finer_{name}")
        says |= {phrase: replace(race, finer=True, label=_titled(phrase)) for phrase in finer}
    middle_eastern = RaceText(frozenset({"white"}), middle_eastern=True, label="Middle Eastern or North African")
    says |= dict.fromkeys(words("census", "middle_eastern"), middle_eastern)
    finer = words("census", "finer_middle_eastern")
    says |= {phrase: replace(middle_eastern, finer=True, label=_titled(phrase)) for phrase in finer}
    short = {phrase: RaceText(frozenset({race}), hispanic=False) for phrase, race in _SHORT.items()}
    says |= {phrase: replace(race, label=f"{_NON}{_LABELS[min(race.races)]}") for phrase, race in short.items()}
    says |= dict.fromkeys(words("census", "unknown"), RaceText(unknown=True, label="Unknown"))
    return says | dict(_origins())


def _titled(phrase: str) -> str:
    return " ".join(word if word in ("or", "and") else word.capitalize() for word in phrase.split())


@cache
def _origins() -> tuple[tuple[str, RaceText], ...]:
    """Return the phrases for an origin: those that deny it first, and of each kind the longest first."""
    named, finer = words("census", "hispanic"), words("census", "finer_hispanic")
    denied = {f"{no}{name}" for name in named for no in ("not ", "non ", "non", "not of ", "no not of ")}
    kinds = (
        (denied | words("census", "not_hispanic"), RaceText(hispanic=False, label="Not Hispanic or Latino")),
        (
            named | {f"{of}{name}" for name in named for of in ("of ", "yes ")},
            RaceText(hispanic=True, label="Hispanic or Latino"),
        ),
        (finer | {f"yes {name}" for name in finer}, RaceText(hispanic=True, finer=True)),
    )
    return tuple(
        (phrase, says if says.label else replace(says, label=_titled(phrase.removeprefix("yes "))))
        for phrases, says in kinds
        for phrase in sorted(phrases, key=lambda text: (-len(text), text))
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
        if race is None or not named:
            return None
        origin_label = says.label if says.finer else "Hispanic" if says.hispanic else _NON.strip()
        label = f"{origin_label}{'; ' if says.finer else ' '}{race.label}"
        return replace(race, hispanic=says.hispanic, finer=race.finer or says.finer, label=label)
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
        label="; ".join(
            dict.fromkeys(box.label for box in sorted(boxes, key=lambda box: (bool(box.races), box.label)))
        ),
    )


def _group_of(text: str) -> RaceText | None:
    """Read a race or origin with a group of it behind a dash or slash, as hospitals write them: ``WHITE - RUSSIAN``.

    A group behind a dash may be any, and is not spelled; one behind a slash has to be a known group of the race.
    """
    for form in _GROUPS:
        match = form.fullmatch(text.strip())
        whole, group = (race_text(match[1]), race_text(match[2])) if match else (None, None)
        if whole is None or whole.unknown:
            continue
        if group is not None and (group.races, bool(group.hispanic)) == (whole.races, bool(whole.hispanic)):
            return group
        if form is _GROUPS[0] and group is None:
            return replace(whole, finer=True)
    return None


def _one_of(phrase: str) -> RaceText | None:
    """Read one of several races, as codes of a mapping may write it: ``other or multiple``."""
    for at in re.finditer(OR, phrase):
        first, rest = _phrases().get(phrase[: at.start()]), phrase[at.end() :]
        others = _phrases().get(rest) or _one_of(rest)
        if first and others and first.races and others.races and first.hispanic is others.hispanic is None:
            return RaceText(first.races | others.races, label=f"{first.label}{OR}{others.label}")
    return None
