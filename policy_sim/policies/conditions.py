"""Conditions of a policy: values too revealing to be shown as they are.

A granularity says how finely a field is seen; a condition makes exceptions by value. Two are enough
for the HIPAA rules: the oldest people share one class of age, and the people of small places share
one value in place of the place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.fields import GRANULARITIES, Field, Granularities

__all__ = ["NO_CONDITIONS", "Conditions", "SmallPlaces"]

_PLACES = tuple(name for name in GRANULARITIES[Field.GEOGRAPHY] if name not in ("nation", "state"))


@dataclass(frozen=True)
class SmallPlaces:
    """Places whose people share one value within their state, as ``000`` for three-digit ZIP codes.

    Parameters
    ----------
    place : The kind of place, a granularity of geography finer than the state.
    most : A place of this many people or fewer is small; one person more and it is shown.
    listed : The small places where a list names them; ``None``: those found by counting the
        population that is studied.

    Raises
    ------
    UnknownNameError : ``place`` is no such granularity.
    InputError : ``most`` below 0.
    """

    place: str
    most: int
    listed: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.place not in _PLACES:
            raise UnknownNameError("place of a condition", self.place, _PLACES)
        if self.most < 0:
            raise InputError(f"most = {self.most} people must be 0 or more.")


@dataclass(frozen=True)
class Conditions:
    """What a policy shows less finely than its granularities say.

    ``top_age`` puts everyone of that age and older into one class, of which no year, month or day of
    birth is seen either. ``small_places`` hides places by size.
    """

    top_age: int | None = None
    small_places: SmallPlaces | None = None

    def __post_init__(self) -> None:
        if self.top_age is not None and self.top_age < 1:
            raise InputError(f"top_age = {self.top_age} years must be 1 or more.")

    def on(self, key: Granularities) -> Conditions:
        """Return the conditions that change anything on a linkage key.

        >>> Conditions(top_age=90).on(Granularities(geography="county")) == NO_CONDITIONS
        True
        """
        return replace(
            self,
            top_age=None if key[Field.BIRTH] == "none" else self.top_age,
            small_places=self.small_places if key[Field.GEOGRAPHY] in _PLACES else None,
        )

    def __str__(self) -> str:
        parts = [] if self.top_age is None else [f"age<{self.top_age}"]
        if self.small_places is not None:
            parts.append(f"{self.small_places.place}>{self.small_places.most}")
        return "+".join(parts)


NO_CONDITIONS = Conditions()
