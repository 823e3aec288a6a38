"""How old is the fact that decides a linkage: the oldest of those that the linkage key rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from policy_sim.voter_lists.facts import newest_date
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["DecidingFact", "deciding_fact"]


@dataclass(frozen=True)
class DecidingFact:
    """The oldest fact that a linkage rests on.

    Parameters
    ----------
    item : The field.
    date : The newest date of its sources (``2017-07-05``, ``2017``), ``undated``, or empty where it has none.
    source : The title of the source with that date; empty without sources.
    unknown : Fields of the linkage that no source mentions.
    """

    item: str
    date: str
    source: str
    unknown: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the fact as words for a reader."""
        missing = f"; no source mentions {', '.join(self.unknown)}" if self.unknown else ""
        if not self.item:
            return f"no fact is known{missing}"
        return f"{self.item}, {self.date or 'no date'}, {self.source or 'no source'}{missing}"


def deciding_fact(listed: VoterList, linked: Iterable[str]) -> DecidingFact:
    """Return the oldest fact of a list among the fields of a linkage key.

    Parameters
    ----------
    listed : The list.
    linked : Names of the fields that the linkage uses, such as ``birth`` and ``geography``. Fields that
        are not recorded, or that the model does not link on, are passed over.

    Returns
    -------
    A fact without a date counts as older than any with one. ``item`` is empty where nothing is known.

    Examples
    --------
    >>> from policy_sim.voter_lists.evidence import Evidence, Source
    >>> from policy_sim.voter_lists.voter_list import ListField
    >>> sources = {"a": Source("a", "Order form", date="2017"), "b": Source("b", "Law", date="2026")}
    >>> fields = {
    ...     "birth": ListField("included", "date", "", Evidence("high", ("a",))),
    ...     "race": ListField("withheld", "", "", Evidence("high", ("b",))),
    ... }
    >>> listed = VoterList("XX", "2026", "available", fields=fields, sources=sources)
    >>> deciding_fact(listed, ["birth", "race"]).describe()
    'birth, 2017, Order form'
    """
    names = [name for name in linked if name in RECORDED_FIELDS and RECORDED_FIELDS[name].linked_as]
    unknown = tuple(name for name in names if listed.fields[name].availability == "unknown")
    dated = [(*_newest(listed, name), name) for name in names if name not in unknown]
    if not dated:
        return DecidingFact("", "", "", unknown)
    date, title, item = min(dated, key=lambda each: "" if each[0] == "undated" else each[0])
    return DecidingFact(item, date, title, unknown)


def _newest(listed: VoterList, name: str) -> tuple[str, str]:
    """Return the newest date of a field's sources and the title of the source that has it."""
    sources = [listed.sources[key] for key in listed.fields[name].evidence.sources if key in listed.sources]
    date = newest_date(sources)
    return date, next((source.title for source in sources if source.date == date), "")
