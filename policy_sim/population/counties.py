"""Counties change: which stood at a date, and how counts move from one vintage to another.

Two answers, for two uses. *Common areas* are the smallest unions of counties that exist at both dates:
comparing them moves nobody and needs no assumption. *Carrying* moves counts onto the counties of
another date by the people of the parts, an estimate, and says what it could not carry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from policy_sim.errors import InputError

__all__ = ["Carried", "CountyChange", "CountyHistory", "Part", "census_day"]


def census_day(year: int) -> date:
    """The day of a decennial census: April 1."""
    return date(year, 4, 1)


@dataclass(frozen=True)
class Part:
    """People who lived in county ``old`` before a change and in ``new`` after it.

    ``people`` is None where nobody printed how many.
    """

    old: str
    new: str
    people: int | None = None


@dataclass(frozen=True)
class CountyChange:
    """One change: from a day on, the counties of the parts' old codes are those of their new codes."""

    day: date
    what: str
    parts: tuple[Part, ...]

    @property
    def old(self) -> frozenset[str]:
        """Counties before."""
        return frozenset(part.old for part in self.parts)

    @property
    def new(self) -> frozenset[str]:
        """Counties after."""
        return frozenset(part.new for part in self.parts)

    def shares(self, *, forward: bool) -> dict[str, dict[str, float]] | None:
        """Where each county's people go: shares 0 to 1 that add up to 1, or None if unknown.

        A county that goes to one place only needs no figure.
        """
        ends = [(p.old, p.new, p.people) if forward else (p.new, p.old, p.people) for p in self.parts]
        shares: dict[str, dict[str, float]] = {}
        for start in {start for start, _, _ in ends}:
            successors = [(end, people) for source, end, people in ends if source == start]
            if len(successors) == 1:
                shares[start] = {successors[0][0]: 1.0}
                continue
            counted_people = [people for _, people in successors if people is not None]
            if len(counted_people) < len(successors):
                return None
            shares[start] = {end: people / sum(counted_people) for end, people in successors if people is not None}
        return shares


@dataclass(frozen=True)
class Carried:
    """Counts moved onto another date's counties.

    ``estimated`` are the counties of the new date whose count rests on shares, not on whole counties;
    ``unmatched`` the counties that could not be moved, with the reason. ``left_out`` is what was counted
    there: with ``counts`` it adds up to everything given.
    """

    counts: Mapping[str, float]
    estimated: tuple[str, ...]
    unmatched: Mapping[str, str]
    left_out: float


@dataclass(frozen=True)
class CountyHistory:
    """The counties of one day and every change around it, in order of time."""

    day: date
    base: frozenset[str]
    changes: tuple[CountyChange, ...]

    def __post_init__(self) -> None:
        if any(a.day > b.day for a, b in pairwise(self.changes)):
            raise InputError("county changes must stand in order of time.")

    def counties(self, day: date) -> frozenset[str]:
        """Every county that stood on a day."""
        codes = set(self.base)
        for change in self.changes:
            if self.day < change.day <= day:
                codes = (codes - change.old) | change.new
        for change in reversed(self.changes):
            if day < change.day <= self.day:
                codes = (codes - change.new) | change.old
        return frozenset(codes)

    def between(self, start: date, end: date) -> tuple[CountyChange, ...]:
        """Changes between two days, in the order in which they are met from ``start``."""
        if start <= end:
            return tuple(change for change in self.changes if start < change.day <= end)
        return tuple(change for change in reversed(self.changes) if end < change.day <= start)

    def common_areas(self, days: Sequence[date]) -> dict[str, str]:
        """Map every county of these days to an area that has the same borders on each of them.

        An area is named by its smallest county code. Counts summed by area can be compared between
        the days without an assumption.
        """
        area: dict[str, str] = {}

        def root(code: str) -> str:
            while area.setdefault(code, code) != code:
                code = area[code]
            return code

        for change in self.between(min(days), max(days)):
            codes = sorted(change.old | change.new)
            for code in codes[1:]:
                first, other = sorted((root(codes[0]), root(code)))
                area[other] = first
        counties = frozenset().union(*(self.counties(day) for day in days))
        return {county: root(county) for county in sorted(counties)}

    def carry(self, counts: Mapping[str, float], start: date, end: date) -> Carried:
        """Move counts by county from the counties of one day onto those of another.

        Parameters
        ----------
        counts : People (or any count) by county code.
        start, end : The days whose counties the counts have, and shall have.

        Returns
        -------
        The moved counts; with those left out they add up to what was given.
        """
        moved = {county: float(count) for county, count in counts.items()}
        unmatched: dict[str, str] = {}
        estimated: set[str] = set()
        left_out = 0.0
        standing = self.counties(start)
        for county in sorted(set(moved) - standing):
            unmatched[county] = f"not a county on {start.isoformat()}"
            left_out += moved.pop(county)
        for change in self.between(start, end):
            shares = change.shares(forward=start <= end)
            changed_codes = (change.old if start <= end else change.new) & set(moved)
            if shares is None:
                for county in sorted(changed_codes):
                    unmatched[county] = f"no source gives the number of people who moved when {change.what}"
                    left_out += moved.pop(county)
                continue
            taken = {county: moved.pop(county) for county in changed_codes}
            for county, count in taken.items():
                whole = len(shares[county]) == 1 and county not in estimated
                for target, share in shares[county].items():
                    moved[target] = moved.get(target, 0.0) + count * share
                    if not whole:
                        estimated.add(target)
        return Carried(moved, tuple(sorted(estimated & set(moved))), unmatched, left_out)
