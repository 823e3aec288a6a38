"""Whom to notify after a breach of records without names: everyone, those a linking finds, or all possible people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from policy_sim.model.measure import Row
from policy_sim.words.arguments import number, whole_number
from policy_sim.words.errors import InputError

MOST_PEOPLE = 1_000_000_000
_MOST_USD = 1e12
# Of individuals, from which on the Secretary of HHS is notified at once (45 CFR 164.408(b)); of residents of one state,
# above which the media are notified too (45 CFR 164.406).
NOTIFY_AT_ONCE = 500
LAW = "45 CFR 164.404 to 164.408"


@dataclass(frozen=True)
class NoticeCosts:
    """US dollars of a letter, and of a linking: once, and for each exposed record."""

    letter: float
    linking: float = 0.0
    per_record: float = 0.0

    def __post_init__(self) -> None:
        for name in ("letter", "linking", "per_record"):
            object.__setattr__(self, name, number(name, getattr(self, name), 0, _MOST_USD))


@dataclass(frozen=True, repr=False)
class Notice(Row):
    """One way to notify: how many letters, whom they reach, and what it costs.

    ``reached``: expected share (0..1) of the people of the exposed records who get a letter. ``needless``: expected
    letters to others. ``choice`` is True for the cheapest way that reaches enough.
    """

    columns = "notify letters reached missed needless usd choice"
    notify: str
    letters: int
    reached: float
    missed: float
    needless: float
    usd: float
    choice: bool = False

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row."""
        yield {name: getattr(self, name) for name in self.columns.split()}


@dataclass(frozen=True)
class BreachDecision:
    """The ways to notify after a breach, and which is the cheapest that reaches enough.

    ``linking_pays_up_to``: dollars that linking may cost in all, so that letters to the linked cost no more than
    letters to everyone.
    """

    exposed: int
    people: int
    match_rate: float
    reach: float
    notices: tuple[Notice, ...]
    linking_pays_up_to: float

    @property
    def choice(self) -> Notice:
        """The cheapest way that reaches enough."""
        return next(notice for notice in self.notices if notice.choice)

    @property
    def verdict(self) -> str:
        """What to do, in one sentence."""
        if self.choice.notify == "everyone" and self.match_rate < self.reach:
            return (
                f"Notify everyone: linking would find {self.match_rate:.1%} of the people, and at least "
                f"{self.reach:.1%} are wanted"
            )
        return {
            "everyone": "Notify everyone: it is the cheapest way",
            "linked": f"Link the records and notify those found, {self.match_rate:.1%} of the people",
            "candidates": "Link the records and notify all people with the values of an exposed record",
        }[self.choice.notify]

    @property
    def duties(self) -> tuple[str, ...]:
        """What the number of people asks for by the HIPAA rule, if what was exposed is protected health information."""
        at_once = self.exposed >= NOTIFY_AT_ONCE
        secretary = (
            f"{NOTIFY_AT_ONCE} people or more: notify the Secretary of HHS when you notify the people, within 60 days "
            "(45 CFR 164.408(b))"
            if at_once
            else f"fewer than {NOTIFY_AT_ONCE} people: report to the Secretary of HHS within 60 days after the end of "
            "the year (45 CFR 164.408(c))"
        )
        media = (
            f"more than {NOTIFY_AT_ONCE} residents of one state: notify prominent media there too (45 CFR 164.406)"
            if self.exposed > NOTIFY_AT_ONCE
            else f"no notice to media, which more than {NOTIFY_AT_ONCE} residents of one state need (45 CFR 164.406)"
        )
        return secretary, media


def breach_decision(
    exposed: int,
    people: int,
    match_rate: float,
    costs: NoticeCosts,
    *,
    candidates: int | None = None,
    reach: float = 0.95,
) -> BreachDecision:
    """Compare letters to everyone with linking the exposed records first.

    Parameters
    ----------
    exposed : Records that got out, one of a person each.
    people : Those in the file with names from which they come, at least ``exposed``.
    match_rate : Expected share (0..1) of the records that a linking matches to the right person: marketer risk.
    costs : Of a letter and of the linking.
    candidates : People who share the values of an exposed record; a letter to each of them reaches everyone. None: not
        known, so that this way is left out.
    reach : Share (0..1) of the people of the exposed records that letters have to reach.

    Raises
    ------
    InputError : numbers outside their range, or fewer people than records.

    Examples
    --------
    1,000 of 10,000 records got out, and linking finds 97% of them for $2,000.

    >>> found = breach_decision(1_000, 10_000, 0.97, NoticeCosts(letter=1.5, linking=2_000))
    >>> [(notice.notify, notice.usd) for notice in found.notices], found.choice.notify
    ([('everyone', 15000.0), ('linked', 3500.0)], 'linked')
    >>> breach_decision(1_000, 10_000, 0.6, NoticeCosts(letter=1.5, linking=2_000)).choice.notify
    'everyone'

    References
    ----------
    Dankar and El Emam (2010), section 4.4, third scenario.
    """
    people = whole_number("people", people, 1, MOST_PEOPLE)
    exposed = whole_number("exposed", exposed, 1, MOST_PEOPLE)
    if exposed > people:
        raise InputError(f"exposed = {exposed:,} is more than the {people:,} people of the file that they come from.")
    rate, least = number("match_rate", match_rate, 0, 1), number("reach", reach, 0, 1)
    if not isinstance(costs, NoticeCosts):
        raise InputError("costs: give NoticeCosts(letter=...), in US dollars.")
    linking = costs.linking + costs.per_record * exposed
    ways = [
        _notice("everyone", people, 1.0, exposed, people * costs.letter),
        _notice("linked", exposed, rate, exposed, linking + exposed * costs.letter),
    ]
    if candidates is not None:
        many = whole_number("candidates", candidates, exposed, people)
        ways.append(_notice("candidates", many, 1.0, exposed, linking + many * costs.letter))
    best = min((way for way in ways if way.reached >= least), key=lambda way: (way.usd, -way.reached))
    notices = tuple(Notice(**{**vars(way), "choice": way is best}) for way in ways)
    return BreachDecision(exposed, people, rate, least, notices, (people - exposed) * costs.letter)


def _notice(notify: str, letters: int, reached: float, exposed: int, usd: float) -> Notice:
    return Notice(notify, letters, reached, (1 - reached) * exposed, letters - reached * exposed, usd)
