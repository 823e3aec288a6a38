"""Whether there is a figure, and if not, why: one closed set of statuses for every result."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from policy_sim.words.errors import UnknownNameError


class Status(StrEnum):
    """What stands behind a figure, or why there is none.

    Linkages, profiles, trust differentials, costs, prices and voter lists all use these. A status is
    its own text, so that it compares with and prints as ``"ok"`` or ``"not_sold"``.

    >>> Status("not_sold") is Status.NOT_SOLD, Status.OK == "ok", f"{Status.OK}"
    (True, True, 'ok')
    >>> Status.NOT_SOLD.meaning
    'nobody sells a statewide list'
    >>> tuple(status.value for status in Status if status.has_figure)
    ('ok', 'free', 'at_least', 'interval')
    """

    meaning: str
    """The status in plain words."""

    def __new__(cls, text: str, meaning: str = "") -> Self:
        """Make a status of its text and its meaning."""
        status = str.__new__(cls, text)
        status._value_, status.meaning = text, meaning
        return status

    OK = "ok", "the figure is known"
    FREE = "free", "the list costs nothing"
    AT_LEAST = "at_least", "the price is this many dollars or more"
    INTERVAL = "interval", "a field of the list, or the number of people on it, is unknown: the figure is a range"
    AVAILABLE = "available", "some buyers at least can get a statewide list"
    COUNTY_ONLY = "county_only", "there is no statewide list; only counties or towns sell their own"
    NOT_SOLD = "not_sold", "nobody sells a statewide list"
    NOT_MODELED = "not_modeled", "it is an assumption, not something for sale: its price is not modeled"
    NOT_COVERED = "not_covered", "the file has nobody from this state"
    NOT_TO_THIS_BUYER = "not_to_this_buyer", "there is a list, but this attacker may not buy it"
    OUT_OF_REACH = "out_of_reach", "there is a list, but its price or rules stop this attacker"
    FEW_CLAIMS = (
        "few_claims",
        "fewer than ten claims are expected: too few for a share that is right, or dollars for each",
    )
    NO_FIELD = "no_field", "the list lacks a field that the token is made of"
    UNDEFINED = "undefined", "the denominator is 0 or less than one person: there is no ratio"
    UNKNOWN = "unknown", "no source says"

    @classmethod
    def _missing_(cls, value: object) -> Status:
        raise UnknownNameError("status", str(value), [status.value for status in cls])

    @property
    def has_figure(self) -> bool:
        """Whether a result with this status has a figure: a number, or two ends."""
        return self in (Status.OK, Status.FREE, Status.AT_LEAST, Status.INTERVAL)
