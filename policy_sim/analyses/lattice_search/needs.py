"""What a study needs released: fields, and how finely at least."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from policy_sim.arrays import BoolArray, IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import GRANULARITIES, Field, Granularities, is_coarser_or_equal
from policy_sim.policies.policy import Policy
from policy_sim.population.visible_ages import age_classes

__all__ = ["OLDEST", "Needs"]

OLDEST = 90  # years: the class that 45 CFR 164.514(b)(2)(i)(C) asks for meets a need of any age
_WORDS = {"sex": Field.GENDER}


@dataclass(frozen=True)
class Needs:
    """Fields that a policy must release at least this finely.

    A need of a place is not met where small places are hidden; a need of an age is met where people of 90 and over are
    in one class, as the regulation asks.

    Attributes
    ----------
    releases : The coarsest granularity of each field that will do.

    Examples
    --------
    >>> str(Needs.of(["sex", "race=broad"]).releases)
    'gender+race=broad+geography=state'
    """

    releases: Granularities = field(default_factory=lambda: Granularities(geography="state"))

    @classmethod
    def of(cls, needs: str | Iterable[str]) -> Needs:
        """Return the needs that texts name: ``sex``, ``race``, ``race=broad``, ``birth=year``, ``geography=county``.

        A field alone is needed by its value; birth and geography have several, so one must be named.

        Raises
        ------
        InputError : a field given twice, or without the granularity that it needs.
        UnknownNameError : no such field or granularity.
        """
        needed: dict[str, str] = {}
        for text in (needs,) if isinstance(needs, str) else needs:
            word, _, granularity = str(text).strip().partition("=")
            name = str(_WORDS.get(word, word))
            if name in (Field.BIRTH, Field.GEOGRAPHY) and not granularity:
                views = ", ".join(view for view in GRANULARITIES[Field(name)] if view not in ("none", "nation"))
                raise InputError(f"How finely do you need {word}? Write {word}= and one of {views}.")
            if name in needed:
                raise InputError(f"{word} is named twice. Name each field once.")
            needed[name] = granularity or "value"
        return cls(Granularities({"geography": "state", **needed}))

    @property
    def any(self) -> bool:
        """Whether anything is needed besides the state."""
        return self.releases != Needs().releases

    def met_by(self, policy: Policy) -> bool:
        """Tell whether a policy releases what is needed."""
        top, small = policy.conditions.top_age, policy.conditions.small_places
        if top is not None and top < OLDEST and self.releases[Field.BIRTH] != "none":
            return False
        if small is not None and self.releases[Field.GEOGRAPHY] not in ("nation", "state"):
            return False
        return self.releases.is_coarser_or_equal(policy.releases)

    def classes(self, lower: IntArray, width: IntArray) -> BoolArray:
        """Return which runs of ages may be one class; shape (ages, ages + 1).

        A run may not reach over a class of the granularity that is needed, below :data:`OLDEST`.
        """
        granularity = self.releases[Field.BIRTH]
        ages = len(lower)
        if granularity == "none":
            return np.ones((ages, ages + 1), dtype=bool)
        if not is_coarser_or_equal(Field.BIRTH, granularity, "year"):
            return np.zeros((ages, ages + 1), dtype=bool)  # a class of whole years tells too little
        class_of_age, _ = age_classes(lower, width, granularity, top_age=OLDEST)
        last = np.concatenate([class_of_age[:1], class_of_age])  # of the runs that end before each age
        same: BoolArray = class_of_age[:, None] == last[None]
        return same
