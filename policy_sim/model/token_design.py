"""What a token is made of, and what is shown in the clear next to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from policy_sim.files.toml import shipped_table
from policy_sim.people.name_classes import FIRST_FORMS, LAST_FORMS, NOBODY_APART, NameClasses, name_classes
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities

_OTHERS: Final = ("sex", "birth", "birth=year", "zip3")
TOKEN_FIELDS: Final = (*LAST_FORMS, *FIRST_FORMS, *_OTHERS)
CLEAR_PLACES: Final = ("nation", "state", "county", "zip3", "zip5")
CLEAR_BIRTHS: Final = ("none", *YEARS_IN_A_CLASS)
DEFAULT_CLEAR: Final = "zip3,sex,birth=year"
_PLACE_WORDS: Final = ("zip3", "zip5", "county", "state")


@dataclass(frozen=True)
class TokenDesign:
    """The fields of a person that a token is made of.

    ``last``, ``first``: the form of each name, or empty. ``birth``: ``date``, ``year`` or empty. ``source``: where the
    design is published; empty for one of the reader's.
    """

    name: str
    title: str
    fields: str
    last: str
    first: str
    sex: bool
    birth: str
    zip3: bool
    source: str = ""

    @classmethod
    def parse(cls, fields: str, name: str = "", title: str = "", source: str = "") -> TokenDesign:
        """Read fields such as ``last,first-initial,sex,birth``.

        >>> TokenDesign.parse("last,first-initial,sex,birth").birth
        'date'
        """
        parts = [part.strip().casefold() for part in fields.split(",")]
        for part in parts:
            if part not in TOKEN_FIELDS:
                raise UnknownNameError("field of a token", part, TOKEN_FIELDS)
        for kind, forms in (("last name", LAST_FORMS), ("first name", FIRST_FORMS), ("birth", ("birth", "birth=year"))):
            if sum(parts.count(form) for form in forms) > 1:
                raise InputError(f"{fields}: a token has one form of the {kind}. Ask for each token alone.")
        last, first = (next((part for part in parts if part in forms), "") for forms in (LAST_FORMS, FIRST_FORMS))
        sex = "sex" in parts
        if not (last or first):
            raise InputError(f"{fields}: name a last or a first name: tokens without one are not modeled.")
        if first == "first-initial" and not sex:
            raise InputError(f"{fields}: a token of an initial without sex is not modeled. Add sex, or take first.")
        birth = {"birth": "date", "birth=year": "year"}.get(next((part for part in parts if "birth" in part), ""), "")
        return cls(
            name or ",".join(parts),
            title or ", ".join(parts),
            ",".join(parts),
            last,
            first,
            sex,
            birth,
            "zip3" in parts,
            source,
        )

    @property
    def decides_sex(self) -> bool:
        """Whether all people with one token are of one sex: it has the sex, or a first name that one sex has."""
        return self.sex or bool(self.first)

    def names(self, sex: str) -> NameClasses:
        """Return how often the names of a token are, of the people of one sex."""
        return _pairs(self.last, self.first, sex if self.first else "")

    def needs(self) -> Granularities:
        """Return what a roster must have besides names: a birth date. It has addresses, and first names tell sex."""
        return Granularities({"birth": self.birth or "none"})


@cache
def _pairs(last: str, first: str, sex: str) -> NameClasses:
    last_names = name_classes(last) if last else NOBODY_APART
    return last_names.times(name_classes(first, sex)) if first else last_names.grouped()


@cache
def token_designs() -> Mapping[str, TokenDesign]:
    """Return the designs in use, by name.

    >>> list(token_designs())
    ['initial', 'soundex', 'full', 'zip3', 'letters']
    """
    rows = shipped_table("token_designs.toml")["design"]
    return {row["name"]: TokenDesign.parse(row["fields"], row["name"], row["title"], row["source"]) for row in rows}


def find_design(text: str) -> TokenDesign:
    """Return a design by its name or its fields."""
    designs = token_designs()
    if text.strip().casefold() in designs:
        return designs[text.strip().casefold()]
    if "," not in text and text.strip().casefold() not in TOKEN_FIELDS:
        raise UnknownNameError("design or field of a token", text, (*designs, *TOKEN_FIELDS))
    return TokenDesign.parse(text)


def clear_fields(text: str) -> Granularities:
    """Read what is shown in the clear, such as ``zip3,sex,birth=year``.

    >>> str(clear_fields("zip3,sex,birth=year"))
    'gender+birth=year+geography=zip3'
    """
    parts = [part.strip().casefold() for part in text.split(",") if part.strip()]
    if not parts:
        raise InputError(f"{ask('clear')}: name what is shown next to a token, such as zip3,sex,birth=year.")
    named = [f"geography={part}" if part in _PLACE_WORDS else part for part in parts]
    clear = Granularities.parse("+".join(named))
    if clear[Field.ETHNICITY] != "none" or clear[Field.RACE] not in ("none", "value"):
        raise InputError(f"{text}: in the clear next to a token, show race as the census counts it, or no race.")
    for field, allowed in ((Field.GEOGRAPHY, CLEAR_PLACES), (Field.BIRTH, CLEAR_BIRTHS)):
        if clear[field] not in allowed:
            raise InputError(
                f"{text}: {field}={clear[field]} in the clear next to a token is not modeled. Allowed: "
                f"{', '.join(allowed)}."
            )
    return clear
