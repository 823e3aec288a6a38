"""What Benitez & Malin 2010 state about the voter lists of 2008, in words or by what their tables leave out.

A statement holds (1), does not hold (0), or cannot be decided because a list or its price is not known. The
figures that their tables print are questions of :mod:`policy_sim.analyses.reproduction.benitez_malin`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from policy_sim.analyses.reproduction.printed_figure import Answer, Ask
from policy_sim.results import Cost, RiskProfile, Status

__all__ = ["ListStatements"]


@dataclass(frozen=True)
class ListStatements:
    """The statements, decided by what the study's VOTER links with.

    Parameters
    ----------
    profiles : By state: the limited data set, linked with the state's list. Its linkage key is what the list shows of
        the fields that the policy releases.
    trusts : Trust differentials of VOTER that are one number, by state.
    costs : One per state.

    Examples
    --------
    >>> where = ("limited-dataset-paper", "voter", "us-2000", "2008")
    >>> ohio = RiskProfile("OH", *where, "birth=year+geography=county", Status.OK, "", 11_353_140)
    >>> statements = ListStatements({"OH": ohio}, {}, ())
    >>> statements.answer({"says": "shows", "state": "OH", "key": "birth=year+geography=county"})
    Answer(value=1.0, reason='the list shows birth=year+geography=county')
    """

    profiles: Mapping[str, RiskProfile]
    trusts: Mapping[str, float]
    costs: Sequence[Cost]

    def answer(self, ask: Ask) -> Answer:
        """Decide one statement; ``says`` names it."""
        statements: dict[str, Callable[[Ask], Answer]] = {
            "shows": self._shows,
            "shows-any": self._shows_any,
            "status": self._status,
            "none-above": self._none_above,
            "none-free": self._none_free,
        }
        return statements[ask["says"]](ask)

    def _shows(self, ask: Ask) -> Answer:
        """Whether the list shows exactly these fields of what the policy releases."""
        return self._by_key(ask, lambda key: key == ask["key"])

    def _shows_any(self, ask: Ask) -> Answer:
        """Whether the list shows one of these fields at least."""
        return self._by_key(ask, lambda key: any(part.split("=")[0] in ask["fields"] for part in key.split("+")))

    def _by_key(self, ask: Ask, holds: Callable[[str], bool]) -> Answer:
        profile = self.profiles[ask["state"]]
        if profile.status is not Status.OK:
            return Answer(None, f"{ask['state']}: {profile.reason or profile.status}.")
        return _decided(holds(profile.linkage_key), f"the list shows {profile.linkage_key}")

    def _status(self, ask: Ask) -> Answer:
        profile = self.profiles[ask["state"]]
        return _decided(profile.status == ask["status"], profile.reason or profile.status)

    def _none_above(self, ask: Ask) -> Answer:
        """Whether no state has a larger trust differential than the one named ``than``."""
        limit = self.trusts[ask["than"]]
        above = [state for state in ask["states"] if self.trusts.get(state, 0.0) > limit]
        unknown = [state for state in ask["states"] if state not in self.trusts]
        return _none(above, unknown, f"above {ask['than']}")

    def _none_free(self, ask: Ask) -> Answer:
        prices = {cost.profile.state: cost.price_status for cost in self.costs}
        free = [state for state in ask["states"] if prices[state] is Status.FREE]
        unknown = [state for state in ask["states"] if prices[state] is Status.UNKNOWN]
        return _none(free, unknown, "free")


def _none(matches: Sequence[str], unknown: Sequence[str], what: str) -> Answer:
    """None of the states: decided where one is there, or where all are known."""
    if unknown and not matches:
        return Answer(None, f"No list that is known is {what}; not known: {', '.join(unknown)}.")
    return _decided(not matches, f"{what}: {', '.join(matches) or 'none'}")


def _decided(holds: bool, reason: str) -> Answer:
    return Answer(float(holds), reason)
