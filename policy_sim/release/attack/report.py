"""What a release claims of its file, what an attack on the file found, and the verdict that follows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from policy_sim.words.errors import InputError

MET, NOT_MET, NOT_TESTED = "MET", "NOT MET", "NOT TESTED"
EXIT_STATUS = {MET: 0, NOT_MET: 1, NOT_TESTED: 3}
DATES = ("none", "year", "month", "day")
"""The finest part of a date that a release may show, from nothing to the day."""
_NAMED = 3  # findings that the verdict spells out


@dataclass(frozen=True)
class Word:
    """What a person said of a column: who, what its values look like and are not, and the youngest age at its dates.

    ``guess`` is the role that the program guessed from the values, where the person gave the column a weaker one.
    """

    by: str
    may_be: tuple[str, ...] = ()
    youngest: int | None = None
    guess: str = ""


@dataclass(frozen=True)
class Claim:
    """What a release says of its file: a rule, or classes of a size, and which columns a person answers for.

    Parameters
    ----------
    rule : The policy's name; empty where only a size of the classes is claimed.
    dates : The finest part of a date that may show, one of :data:`DATES`.
    places : Kinds of places that may show: ``state``, ``zip3``, ``zip5``, ``county``, ``town``; None for every kind.
    letters : Paragraphs of 45 CFR 164.514(b)(2)(i) whose identifiers must not show.
    oldest : Ages of this many years and more are one class; None without such a rule.
    day : The day on which ages are taken.
    small : Three-digit ZIP codes that must show as 000.
    k : The smallest class by the columns ``keys``; None without such a claim.
    known_rows : How many rows of a person an attacker knows: ``1``, ``2`` or ``all``.
    pseudonyms : Columns of keyed pseudonyms.
    shifted : Columns of dates that are shifted by person.
    person : The column whose value is alike in all rows of a person; empty where each row is a person.
    uncounted : What of the claim no file can show, such as the people of a population.
    words : What persons said, by column.
    coined : By column, texts that the release made and no record had, such as the name of a class.
    areas : Names of areas, made of ZIP codes, that may show.
    sets : By column, texts that name several values, such as ``cook or nurse``, with these values.
    """

    rule: str = ""
    dates: str = "day"
    places: tuple[str, ...] | None = None
    letters: str = "ABCDEFGHIJKLMNOPQR"
    oldest: int | None = None
    day: dt.date | None = None
    small: tuple[str, ...] = ()
    k: int | None = None
    keys: tuple[str, ...] = ()
    known_rows: str = "1"
    pseudonyms: tuple[str, ...] = ()
    shifted: tuple[str, ...] = ()
    person: str = ""
    uncounted: tuple[str, ...] = ()
    words: Mapping[str, Word] = field(default_factory=dict)
    coined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    areas: tuple[str, ...] = ()
    sets: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.dates not in DATES:
            raise InputError(f"dates = {self.dates!r} is not one of {', '.join(DATES)}.")

    @property
    def oldest_year(self) -> int | None:
        """The last year in which somebody of the class of the oldest may have been born; None without the class."""
        return None if self.oldest is None or self.day is None else self.day.year - self.oldest

    def but(self, **changes: Any) -> Self:
        """Return the claim with some parts changed."""
        return replace(self, **changes)

    def guessed(self, guesses: Mapping[str, str]) -> Self:
        """Return the claim with guesses of columns for which it has a word and no guess.

        Those that compare with the original file are kept so: a later look at the released file alone cannot make them.
        """
        return self.but(
            words={name: replace(word, guess=word.guess or guesses.get(name, "")) for name, word in self.words.items()}
        )

    def as_json(self) -> dict[str, Any]:
        """Return the claim as ``release.json`` holds it."""
        return asdict(self) | {"day": self.day and self.day.isoformat()}

    @classmethod
    def of_json(cls, held: Mapping[str, Any]) -> Self:
        """Read a claim from ``release.json``."""
        lists: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in held.items()}
        people_said = {name: Word(**{**word, "may_be": tuple(word["may_be"])}) for name, word in held["words"].items()}
        coined = {name: tuple(texts) for name, texts in held["coined"].items()}
        day = dt.date.fromisoformat(held["day"]) if held["day"] else None
        return cls(**{**lists, "words": people_said, "coined": coined, "sets": sets_of_json(held), "day": day})


def sets_of_json(claim: Mapping[str, Any]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Read the sets of a claim from ``release.json``; a release of an older version has none."""
    fields = claim.get("sets", {}).items()
    return {name: {text: tuple(values) for text, values in texts.items()} for name, texts in fields}


@dataclass(frozen=True)
class Finding:
    """What an attack found in one column or in several together, and what to do about it; never a value."""

    columns: tuple[str, ...]
    what: str
    do: str

    def __str__(self) -> str:
        """Say it in one sentence or two."""
        return f"{' and '.join(self.columns)}: {self.what}. {self.do}" if self.columns else f"{self.what}. {self.do}"


@dataclass(frozen=True)
class AttackReport:
    """What an attack on a written file tried and found.

    Parameters
    ----------
    columns : Every column of the file, in its order.
    explained : What each column was recognized as by a closed list, a form or its classes, where it was.
    tried : The attacks that ran to their end.
    findings : What they found.
    not_tried : What was not tried, with the reason.
    words : The person on whose word each column rests that nothing explains, or that the program takes for another.
    against : Of those columns, the role that the program guessed, with what the values are, such as ``key: zip5``.
    as_keys : What the classes are with these columns as key fields too; empty where there is no such column.
    by_rows : That the rows of a person were counted one by one, and what was tried to join them; empty elsewhere.
    of_people : What speaks against the claim's count of people: columns that join rows of one.
    doubts : What columns may hold, even where a person said that they do not, and what their names may tell.
    broken : Why the attack did not run to its end; empty if it did.
    """

    columns: tuple[str, ...] = ()
    explained: Mapping[str, str] = field(default_factory=dict)
    tried: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_tried: tuple[tuple[str, str], ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    against: Mapping[str, str] = field(default_factory=dict)
    as_keys: str = ""
    by_rows: str = ""
    of_people: tuple[str, ...] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)
    broken: str = ""

    def with_findings(self, more: Sequence[Finding]) -> AttackReport:
        """Return the report with what else was found."""
        return replace(self, findings=(*self.findings, *more))


@dataclass(frozen=True)
class Verdict:
    """What may be said of a release, from the report of an attack on its written file and from nothing else.

    Examples
    --------
    >>> report = AttackReport(("sex", "los"), {"sex": "sex"}, ("values",), words={"los": "A. Officer"})
    >>> print(Verdict(report))
    MET for 1; 1 on A. Officer's word
    >>> print(Verdict(AttackReport(broken="the file cannot be read")))
    NOT TESTED: the file cannot be read
    """

    report: AttackReport

    def __post_init__(self) -> None:
        if not isinstance(self.report, AttackReport):
            raise InputError("a verdict is made from the report of an attack on the written file.")

    @property
    def outcome(self) -> str:
        """``MET``, ``NOT MET`` or ``NOT TESTED``."""
        if self.report.findings:
            return NOT_MET
        return MET if self.report.tried and self.report.columns and not self.report.broken else NOT_TESTED

    @property
    def is_met(self) -> bool:
        """Whether the attack ran to its end and found nothing."""
        return self.outcome == MET

    @property
    def exit_status(self) -> int:
        """0 for met, 1 for not met, 3 for not tested."""
        return EXIT_STATUS[self.outcome]

    def __str__(self) -> str:
        """Say the verdict in one line."""
        report, columns = self.report, len(self.report.columns)
        if report.findings:
            more = f"; and {len(report.findings) - _NAMED:,} more" if len(report.findings) > _NAMED else ""
            return f"{NOT_MET}: {'; '.join(map(str, report.findings[:_NAMED]))}{more}"
        if not self.is_met:
            return f"{NOT_TESTED}: {report.broken or 'no attack on the written file was made'}"
        what = f"{MET} for {columns - len(report.words):,}" if report.words else f"{MET}: {columns:,} of {columns:,}"
        return "; ".join([what if report.words else f"{what} columns attacked", *self.conditions])

    @property
    def conditions(self) -> tuple[str, ...]:
        """On what a met verdict rests besides the attack: words, rows one by one, the program's guesses, and doubts."""
        people = " and ".join(dict.fromkeys(f"{who}'s" for who in self.report.words.values()))
        words = f"{len(self.report.words):,} on {people} word" if people else ""
        return (*filter(None, (words, self.report.by_rows)), *self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against a met verdict: the program's guesses, and what columns may hold."""
        report, said = self.report, []
        if report.against:
            guesses = ", ".join(f"{name} ({guess})" for name, guess in report.against.items())
            said.append(f"against the program's guess: {guesses}")
            said += [report.as_keys] if report.as_keys else []
        said += report.of_people
        return (*said, *(f"{name} may contain {what}" for name, what in report.doubts.items()))

    def as_json(self) -> dict[str, Any]:
        """Return ``verdict``, ``conditions``, ``tried``, ``found`` and ``not_tried`` as a program reads them."""
        report = self.report
        columns = [
            {
                "column": name,
                "recognized_as": report.explained.get(name, ""),
                "on_word_of": report.words.get(name, ""),
                "guess": report.against.get(name, ""),
                "may_contain": report.doubts.get(name, ""),
            }
            for name in report.columns
        ]
        return {
            "verdict": str(self),
            "conditions": list(self.conditions),
            "tried": [{"attack": attack, "columns": columns} for attack in report.tried],
            "found": [{"columns": list(x.columns), "what": x.what, "do": x.do} for x in report.findings],
            "not_tried": [{"what": what, "why": why} for what, why in report.not_tried],
        }
