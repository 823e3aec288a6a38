"""Tables given to the attacker: which counts it must not learn, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from policy_sim.records.published import Knowledge, Place
from policy_sim.tables.attack import Report, attack
from policy_sim.tables.files import CountFile
from policy_sim.tables.link import MAY_BE_ZERO
from policy_sim.tables.table import Key
from policy_sim.tables.verdict import Promise, Verdict, judged
from policy_sim.tables.written import places


@dataclass(frozen=True)
class Target:
    """Published files with how each of their cells is called among all (``keys``), and what each must keep.

    ``reader_sees_zeros``: hidden counts are 1 or more, except in tables that hide zeros too.
    """

    contents: Mapping[str, bytes]
    files: Mapping[str, CountFile]
    keys: Sequence[Mapping[Key, Key]]
    promises: Mapping[Key, Promise]
    reader_sees_zeros: bool
    coincidences: Sequence[str] = ()
    unsure: Sequence[str] = ()  # equations that hold in what is shown only, not in the counts behind it
    stating: Sequence[str] = ()  # labels whose numbers are counts

    @cached_property
    def places(self) -> dict[Place, Key]:
        """Which cell stands in each place."""
        pairs = zip(self.files.items(), self.keys, strict=True)
        return {place: keys[key] for (name, file), keys in pairs for place, key in places(name, file).items()}

    @property
    def adding(self) -> frozenset[str]:
        """The labels of all files that may name a rate, but whose counts add up to totals."""
        return frozenset(label for file in self.files.values() for label in file.adding)

    def knowledge(self) -> Knowledge:
        """Return what the reader knows beside the files."""
        marks = {mark: meaning for file in self.files.values() for mark, meaning in file.layout.marks.items()}
        totals = {word for file in self.files.values() for word in file.layout.totals}
        zeros = {
            name for name, file in self.files.items() if any(own.mark == MAY_BE_ZERO for own in file.cells.values())
        }
        least = 1 if self.reader_sees_zeros else 0
        return Knowledge(
            marks,
            sorted(totals),
            (*self.coincidences, *self.unsure),
            least,
            frozenset(zeros),
            self.stating,
            self.adding,
            frozenset(name for file in self.files.values() for name in file.derived),
        )

    def report(self, tables: Iterable[Mapping[Key, int]], seconds: float) -> Report:
        """Attack; ``tables`` may be whole tables that fit, which the attacker checks."""
        of = self.places
        targets = {place: _ends(self.promises[key]) for place, key in of.items() if key in self.promises}
        hints = [{place: table[key] for place, key in of.items() if key in table} for table in tables]
        return attack(self.contents, self.knowledge(), targets, hints, seconds)

    def judged(self, report: Report, safe: str, *, whole: bool) -> Verdict:
        """Return the verdict on the report."""
        of = self.places
        derived = {item.place for item in report.derived}
        seen = {of[place] for place in derived if place in of}
        by_place = {
            place: self.promises[key]
            for place, key in of.items()
            if key in self.promises and (place in derived or key not in seen)
        }
        return judged(_without(report, self.unsure), by_place, safe=safe, whole=whole)


def attacked(
    target: Target, counts: Mapping[Key, int], tables: Sequence[Mapping[Key, int]], seconds: float
) -> tuple[Target, Report]:
    """Attack tables whose counts are known: an equation that the hidden counts belie gives nothing away.

    Such equations are named in the target that comes back, with the report of an attacker who does not use them.
    """
    report, of = target.report(tables, seconds), target.places
    belied = dict[str, None]()
    for terms, words in report.equations:
        settled = [sign * counts[of[place]] for sign, place in terms if place in of and of[place] in counts]
        if len(settled) == len(terms) and sum(settled) != 0:
            belied[words] = None
    if not belied:
        return target, report
    target = replace(target, unsure=(*target.unsure, *belied))
    return target, target.report(tables, seconds)


def _without(report: Report, words: Sequence[str]) -> Report:
    return (
        replace(report, findings=tuple(item for item in report.findings if item.words not in words))
        if words
        else report
    )


def _ends(promise: Promise) -> tuple[int, int] | None:
    if promise.least is None or promise.greatest is None:
        return None
    return promise.least, promise.greatest
