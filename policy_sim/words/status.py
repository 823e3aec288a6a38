"""Whether there is a figure, and if not, why: one closed set of statuses for every result."""

from __future__ import annotations

from enum import StrEnum

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

    OK = "ok"
    FREE = "free"
    AT_LEAST = "at_least"
    INTERVAL = "interval"
    AVAILABLE = "available"
    COUNTY_ONLY = "county_only"
    NOT_SOLD = "not_sold"
    NOT_MODELED = "not_modeled"
    NOT_COVERED = "not_covered"
    NOT_TO_THIS_BUYER = "not_to_this_buyer"
    OUT_OF_REACH = "out_of_reach"
    FEW_CLAIMS = "few_claims"
    UNDEFINED = "undefined"
    UNKNOWN = "unknown"

    @classmethod
    def _missing_(cls, value: object) -> Status:
        raise UnknownNameError("status", str(value), [status.value for status in cls])

    @property
    def has_figure(self) -> bool:
        """Whether a result with this status has a figure: a number, or two ends."""
        return self in (Status.OK, Status.FREE, Status.AT_LEAST, Status.INTERVAL)

    @property
    def meaning(self) -> str:
        """The status in plain words."""
        return _MEANINGS[self]


_MEANINGS = {
    Status.OK: "the figure is known",
    Status.FREE: "the list costs nothing",
    Status.AT_LEAST: "the price is this many dollars or more",
    Status.INTERVAL: "a field of the list, or the number of people on it, is unknown: the figure is a range",
    Status.AVAILABLE: "some buyers at least can get a statewide list",
    Status.COUNTY_ONLY: "there is no statewide list; only counties or towns sell their own",
    Status.NOT_SOLD: "nobody sells a statewide list",
    Status.NOT_MODELED: "it is an assumption that nobody sells: its price is not modeled",
    Status.NOT_COVERED: "the file has nobody from this state",
    Status.NOT_TO_THIS_BUYER: "there is a list, but this attacker may not buy it",
    Status.OUT_OF_REACH: "there is a list, but its price or rules stop this attacker",
    Status.FEW_CLAIMS: "fewer than ten claims are expected: too few for a share that is right, or dollars for each",
    Status.UNDEFINED: "the denominator is 0 or less than one person: there is no ratio",
    Status.UNKNOWN: "no source says",
}
