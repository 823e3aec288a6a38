"""Rates of counts: crude and age-adjusted, with gamma intervals, and what a rule hides or marks as unreliable."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import gamma

from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.people.names import county_code
from policy_sim.people.population import Population
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.files import CountFile
from policy_sim.tables.table import Key, Relation, named
from policy_sim.words.arguments import choice, number, short
from policy_sim.words.errors import InputError, SourceError, UnknownNameError
from policy_sim.words.states import find_state
from policy_sim.words.status import Status

WEIGHTS = ("people", "million")
_FILE = "age_standards.toml"
_CENSUS_COLUMNS = ("county", "sex", "race")
_HIDDEN = {"count": "so small a count", "rate": "a rate from so few counts"}
_OLDEST = 130  # years; more is no age
_WIDEST = 10  # years of a class that sums those of a standard
_MOST = 1e12  # of a count or a population
_SPAN = re.compile(r"0*(\d{1,3})(?:-0*(\d{1,3}))?")
_OPEN = re.compile(r"0*(\d{1,3})(?:\+| and (?:over|older|up))")
_DATE = re.compile(r"(?i)\d{1,2}-[a-z]{3}|[a-z]{3}-\d{2}")
_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_AMOUNT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")


class Rate(NamedTuple):
    """A rate and the ends of its interval."""

    rate: float
    lower: float
    upper: float


def adjusted_rate(
    counts: npt.ArrayLike, people: npt.ArrayLike, weights: npt.ArrayLike, per: float = 100_000, confidence: float = 0.95
) -> Rate:
    """Return the directly standardized rate of counts by class, with the gamma interval of Fay and Feuer.

    Parameters
    ----------
    counts : Events of each class, 0 or more, taken as independent Poisson counts; shape (classes,).
    people : Denominator of each class, above 0.
    weights : Standard population of each class, above 0; only their shares matter.
    per : People whom the rate is for.
    confidence : Of the interval, between 0 and 1.

    Returns
    -------
    The rate and both ends. With one class, or people in proportion to the weights, the rate is the crude one, and the
    interval is the exact one of a Poisson count.

    Examples
    --------
    >>> [round(end, 2) for end in adjusted_rate([0], [1000], [1], per=1000)]  # 3.69: the upper end of a Poisson 0
    [0.0, 0.0, 3.69]

    References
    ----------
    M. P. Fay and E. J. Feuer (1997), Confidence intervals for directly standardized rates: a method based on the gamma
    distribution, Statistics in Medicine 16(7). The upper end takes the largest weight of a single event.
    """
    events, share = np.asarray(counts, np.float64), np.asarray(weights, np.float64)
    weight = share / share.sum() / np.asarray(people, np.float64)  # what one event of a class adds to the rate
    rate, variance, largest = float(weight @ events), float(weight**2 @ events), float(weight.max())
    tail = (1 - confidence) / 2
    lower = float(gamma.ppf(tail, rate**2 / variance, scale=variance / rate)) if rate > 0 else 0.0
    above, spread = rate + largest, variance + largest**2
    upper = float(gamma.ppf(1 - tail, above**2 / spread, scale=spread / above))
    return Rate(per * rate, per * lower, per * upper)


class AgeClass(NamedTuple):
    """Ages from ``least`` to below ``beyond``, which is infinite for the oldest."""

    least: int
    beyond: float

    @classmethod
    def of(cls, text: str) -> AgeClass | None:
        """Read a class such as ``0-4``, ``<1``, ``00``, ``5 to 9`` or ``85+``; None where a text is none.

        >>> [str(AgeClass.of(text)) for text in ("05-09 years", "<1", "85 and over", "all ages")]
        ['5-9', '0', '85+', 'None']
        """
        plain = re.sub(r"\b(?:years?|yrs?)(?: old)?\b", "", text.casefold().replace("–", "-").replace("_", "-")).strip()
        plain = re.sub(r" *(?:-|\bto\b) *", "-", " ".join(plain.split()))
        if plain in ("<1", "< 1", "under 1"):
            return cls(0, 1)
        if match := _OPEN.fullmatch(plain):
            return cls(int(match[1]), math.inf) if int(match[1]) < _OLDEST else None
        match = _SPAN.fullmatch(plain) if plain.isascii() else None
        last = int(match[2] or match[1]) if match else -1
        return cls(int(match[1]), last + 1) if match and int(match[1]) <= last < _OLDEST else None

    def __str__(self) -> str:
        if self.beyond == math.inf:
            return f"{self.least}+"
        return f"{self.least}" if self.beyond == self.least + 1 else f"{self.least}-{self.beyond - 1:.0f}"


@dataclass(frozen=True)
class Standard:
    """A standard population by age; ``people_in_thousands`` where its people are rounded to whole thousands."""

    name: str
    ages: tuple[AgeClass, ...]
    people: tuple[int, ...]
    million: tuple[int, ...]
    people_in_thousands: bool = False

    def describe(self, weights: str) -> str:
        """Say which standard and which of its two sets of weights."""
        unit = "people in whole thousands" if self.people_in_thousands else "unrounded people"
        unit = "standard million" if weights == "million" else unit
        return f"{self.name}, 2000 U.S. standard population, {len(self.ages)} age classes, weights: {unit}"

    def class_of(self, age: AgeClass) -> int | None:
        """Return the place of the class that holds all of an age class."""
        places = (at for at, own in enumerate(self.ages) if own.least <= age.least and age.beyond <= own.beyond)
        return next(places, None)

    def added_up(self, ages: Sequence[AgeClass]) -> Standard | None:
        """Return the standard by classes of up to ten years that are sums of its own; the ends stay as they are."""
        wide = replace(self, name=f"{self.name} added up", ages=tuple(ages))
        places = [at for age in self.ages if (at := wide.class_of(age)) is not None]
        ends = (ages[0], ages[-1]) == (self.ages[0], self.ages[-1])
        if not ends or len(places) < len(self.ages) or any(age.beyond - age.least > _WIDEST for age in ages[:-1]):
            return None
        sums = (np.bincount(places, own).astype(int).tolist() for own in (self.people, self.million))
        return replace(wide, people=tuple(next(sums)), million=tuple(next(sums)))


@cache
def standards() -> tuple[Standard, ...]:
    """Return the standard populations that ship, the finest first."""
    with damaged_if_wrong(Path(_FILE)):
        return tuple(
            Standard(
                entry["name"],
                tuple(age for text in entry["ages"] if (age := AgeClass.of(text))),
                tuple(entry["people"]),
                tuple(entry["million"]),
                entry.get("people_in_thousands", False),
            )
            for entry in shipped_table(_FILE)["standard"]
        )


def standard_for(ages: Iterable[AgeClass], where: str, name: str = "") -> Standard:
    """Return the named standard, or the finest, whose classes the ages fill: each class of the file lies in one."""
    choices = [standard for standard in standards() if name in ("", standard.name)]
    if not choices:
        raise UnknownNameError("standard", name, [standard.name for standard in standards()])
    ordered = sorted(set(ages))
    for before, after in zip([AgeClass(0, 0), *ordered], [*ordered, AgeClass(_OLDEST, 0)], strict=True):
        if after.least < before.beyond < math.inf or (before.beyond == math.inf and after.least < _OLDEST):
            raise InputError(f"{where}: age classes {before} and {after} overlap. Give each age once.")
        if before.beyond < after.least:
            ages_left = AgeClass(int(before.beyond), math.inf if after.least == _OLDEST else after.least)
            raise InputError(f"{where}: ages {ages_left} have no class. A standard needs all ages, from 0 to 85+.")
    for standard in choices:
        if all(standard.class_of(age) is not None for age in ordered):
            return standard
    for standard in choices:
        if added := standard.added_up(ordered):
            return added
    last = choices[-1]
    wrong = next(age for age in ordered if last.class_of(age) is None)
    allowed = ", ".join(map(str, last.ages))
    raise InputError(f"{where}: age class {wrong} fits no class of {last.name}. Give these or finer ones: {allowed}.")


class CountRow(NamedTuple):
    """One line of a file of counts; a count or a denominator that is blank is None."""

    line: int
    group: tuple[str, ...]
    age: AgeClass
    events: int | None
    people: float | None


def read_count_rows(path: Path, age: str, count: str, people: str, by: Sequence[str]) -> list[CountRow]:
    """Read counts and denominators by age class and group from CSV; what is wrong is one line with its place.

    Without a column of ``people`` no denominator is read: see :func:`with_census_people`.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(cells)]
    except (OSError, ValueError, csv.Error) as error:
        raise SourceError(f"{path}: cannot be read as CSV ({type(error).__name__}).") from None
    header = lines[0][1] if lines else []
    folded = [name.casefold() for name in header]
    names = [name.casefold() for name in (age, count, people, *by)]
    for name, own in zip((age, count, people, *by), names, strict=True):
        if name and (folded.count(own) != 1 or names.count(own) != 1):
            how = "named twice" if own in folded else "missing"
            raise InputError(f"{path}: column {name!r} is {how}. Its columns: {', '.join(header) or 'none'}.")
    places = [folded.index(own) if own else -1 for own in names]
    if not lines[1:]:
        raise InputError(f"{path}: there are no rows below the header.")
    return [_count_row(f"{path}, line {line}", line, cells, len(header), places) for line, cells in lines[1:]]


def _count_row(where: str, line: int, cells: list[str], width: int, places: list[int]) -> CountRow:
    if len(cells) != width:
        raise InputError(f"{where}: {len(cells)} values, but the header has {width}. Quote values with a comma.")
    age_text, count_text, people_text, *group = (cells[at] if at >= 0 else "" for at in places)
    age = AgeClass.of(age_text)
    if age is None:
        hint = "A spreadsheet made a date: format as text" if _DATE.fullmatch(age_text) else "Give 0-4, 85+, no totals"
        raise InputError(f"{where}: {short(age_text)} is no age class. {hint}.")
    counts = _amount(count_text, _COUNT, f"{where}: count", "a whole number of 0 or more, or nothing if not known")
    people = _amount(people_text, _AMOUNT, f"{where}: population", "a number of 0 or more, or nothing if not known")
    if people == 0 and counts:
        raise InputError(f"{where}: {counts:,.0f} counts in a population of 0. Correct one of the two.")
    return CountRow(line, tuple(group), age, None if counts is None else int(counts), people)


def _named(group: tuple[str, ...]) -> str:
    return ", ".join(group) or "the file"


def _amount(text: str, pattern: re.Pattern[str], where: str, allowed: str) -> float | None:
    if not text:
        return None
    amount = float(text.replace(",", "")) if text.isascii() and pattern.fullmatch(text) else math.inf
    if amount > _MOST:
        raise InputError(f"{where} {short(text)}: give {allowed}.")
    return amount


@dataclass(frozen=True)
class CensusPeople:
    """The people of some states in a population, as denominators by county, sex, race and age."""

    population: Population
    states: tuple[str, ...]

    @cached_property
    def _cells(self) -> pd.DataFrame:
        return self.population.in_states(self.states).cells

    @cached_property
    def _parts(self) -> dict[tuple[str, ...], dict[object, tuple[npt.NDArray[np.int64], ...]]]:
        return {}

    def columns(self, names: Iterable[str]) -> list[str]:
        """Return which of its columns have these names; one that it lacks is an InputError."""
        columns = [name.casefold() for name in names]
        for name in columns:
            choice("column of groups", name, [name for name in _CENSUS_COLUMNS if name in self._cells])
        return columns

    def value(self, column: str, text: str) -> str:
        """Return how the population writes a county, sex or race."""
        if column == "county" and not text.isdigit():
            codes = {code for state in self.states if (code := county_code(state, text))}
            return codes.pop() if len(codes) == 1 else text
        return _census_value(column, text)

    def of(self, labels: Mapping[str, str], age: AgeClass | None, where: str) -> int:
        """Return the people with these labels in an age class, or of all ages; nobody of that name is an InputError."""
        columns = tuple(labels)
        if columns not in self._parts:
            groups = self._cells.groupby([*columns] or (lambda _: ""), observed=True)
            names = ("age", "age_width", "people")
            self._parts[columns] = {group: tuple(part[name].to_numpy() for name in names) for group, part in groups}
        texts = tuple(self.value(column, text) for column, text in labels.items())
        part = self._parts[columns].get(texts if columns else "")
        if part is None:
            raise InputError(
                f"{where}: {self.population.name} has no {_named(tuple(labels.values()))} in {', '.join(self.states)}. "
                "Give counties as FIPS codes, sex as M or F, race as one of "
                + ", ".join(sorted(set(self._cells["race"])))
                + "."
            )
        least, width, people = part
        if age is None:
            return int(people.sum())
        inside = (least >= age.least) & (least + width <= age.beyond)
        if (people[~inside & (least < age.beyond) & (least + width > age.least)] > 0).any():
            raise InputError(f"{where}: {self.population.name} does not divide age class {age}.")
        return int(people[inside].sum())

    def add_to(self, path: Path, file: CountFile) -> CountFile:
        """Return a table of counts with the people whom each count is of; the total of some counties is of theirs."""
        if file.populations:
            raise InputError(f"{path}: the population is a column already. Name a state, or the column.")
        columns = {at: column for at in range(len(file.keys)) if (column := self._column(file, at))}
        if not columns:
            raise InputError(f"{path}: no column of counties, sexes, races or ages, so nobody knows whom it counts.")
        places = [at for at, column in columns.items() if column == "county"]
        codes = {self.value("county", key[at])[:2] for key in file.cells for at in places}
        unused = [state for state in self.states if places and find_state(state).fips not in codes]
        if unused:
            raise InputError(f"{path}: no row is of a county in {unused[0]}. Leave the state out.")
        sums: dict[Key, list[Relation]] = {}
        for relation in file.relations:
            sums.setdefault(relation.total, []).append(relation)
        people = {key: self._people(path, file, columns, sums, key) for key in file.cells}
        note = (
            f"Denominators: {self.population.provenance.describe(list(self.states))}; by {', '.join(columns.values())}."
        )
        return replace(file, populations=people, notes=(*file.notes, note))

    def _column(self, file: CountFile, at: int) -> str:
        """Return which column of the population a column of labels is; empty for none."""
        labels = {key[at] for key in file.cells if not file.layout.is_total(key[at])}
        name = file.keys[at].casefold()
        if name in _CENSUS_COLUMNS:
            return name
        if labels and all(map(AgeClass.of, labels)) and (name.startswith("age") or name == "column"):
            return "age"
        return "sex" if labels and {self.value("sex", label) for label in labels} <= {"F", "M"} else ""

    def _people(
        self, path: Path, file: CountFile, columns: Mapping[int, str], sums: Mapping[Key, list[Relation]], key: Key
    ) -> int:
        totals = {at for at in columns if file.layout.is_total(key[at])}
        for relation in sums.get(key, ()) if totals else ():
            if {at for at, label in enumerate(relation.parts[0]) if label != key[at]} <= totals:
                return sum(self._people(path, file, columns, sums, part) for part in relation.parts)
        labels = {column: key[at] for at, column in columns.items() if at not in totals}
        age = AgeClass.of(labels.pop("age")) if "age" in labels else None
        return self.of(labels, age, f"{path}: {named(key)}")


def with_census_people(rows: Sequence[CountRow], by: Sequence[str], people: CensusPeople, where: str) -> list[CountRow]:
    """Return the rows with the people of some states as denominators; groups are by county, sex and race."""
    columns, filled = people.columns(by), []
    for row in rows:
        line = f"{where}, line {row.line}"
        number_of_people = people.of(dict(zip(columns, row.group, strict=True)), row.age, line)
        if row.events and not number_of_people:
            raise InputError(f"{line}: {row.events:,} counts, but {people.population.name} has nobody there.")
        filled.append(row._replace(people=float(number_of_people)))
    return filled


def _census_value(column: str, text: str) -> str:
    if column == "county":
        return text.zfill(5)
    return {"female": "F", "male": "M"}.get(text.casefold(), text.upper()) if column == "sex" else text.casefold()


def rates(
    rows: Sequence[CountRow],
    by: Sequence[str],
    standard: Standard,
    rule: DisclosureRule,
    where: str,
    weights: str = "people",
    per: float = 100_000,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return one row per group: count, people, crude and adjusted rate with their intervals, and how far to trust them.

    ``status`` is ``ok``; ``hidden`` where the rule hides the rate, or the count and the rate;
    ``unknown`` where a count or a denominator is missing, or nobody lives in an age class. ``mark`` is ``unreliable``
    where the rule says so.
    """
    weights, confidence = choice("weights", weights, WEIGHTS), number("confidence", confidence, 0.5, 0.9999)
    per = number("per", per, 1, 1e9)
    if rule.rates.hides is None and rule.rates.marks is None:
        raise InputError(f"rule {rule.id} says nothing of rates. Choose one that does, such as wonder-20 or uscs-16.")
    groups: dict[tuple[str, ...], dict[AgeClass, CountRow]] = {}
    for row in rows:
        before = groups.setdefault(row.group, {}).setdefault(row.age, row)
        if before is not row:
            raise InputError(
                f"{where}, line {row.line}: age class {row.age} of {_named(row.group)} is on line {before.line} too. "
                "Add the two up, or name the column that tells them apart."
            )
    ages = sorted({row.age for row in rows})
    options: dict[str, object] = {"per": per, "confidence": confidence, "standard": standard.name}
    options |= {"weights": weights, "rule": rule.id}
    rate = partial(adjusted_rate, per=per, confidence=confidence)
    table = []
    for group, by_age in groups.items():
        lacking = [str(age) for age in ages if age not in by_age]
        if lacking:
            raise InputError(f"{where}: {_named(group)} has no row for age class {lacking[0]}. A count of 0 is a row.")
        judged = _judged(list(by_age.values()), standard, weights, rule, rate)
        table.append(dict(zip(by, group, strict=True)) | judged | options)
    numbers = ["people", *(f"{kind}{end}" for kind in ("crude", "adjusted") for end in ("", "_lower", "_upper"))]
    return pd.DataFrame(table).astype({"count": "Int64"} | dict.fromkeys(numbers, "Float64"))


def _judged(
    rows: list[CountRow], standard: Standard, weights: str, rule: DisclosureRule, rate: Callable[..., Rate]
) -> dict[str, object]:
    """Return the figures of one group, its mark, status and reason."""
    events, people = np.zeros(len(standard.ages)), np.zeros(len(standard.ages))
    for row in rows:
        at = standard.class_of(row.age)
        events[at] += row.events or 0
        people[at] += row.people or 0
    lacking = [f"no count of age {row.age}" for row in rows if row.events is None]
    lacking += [f"no population of age {row.age}" for row in rows if row.people is None]
    nobody = [f"nobody lives in age class {standard.ages[at]}" for at in np.flatnonzero(people == 0)]
    count = None if any(row.events is None for row in rows) else int(events.sum())
    whole = None if any(row.people is None for row in rows) else float(people.sum())
    crude = rate([count], [whole], [1]) if whole and count is not None else None
    adjusted = None if lacking or nobody else rate(events, people, getattr(standard, weights))
    reason = [*lacking, *nobody, ""][0]
    status = Status.UNKNOWN.value if reason else Status.OK.value
    marked = count is not None and rule.rates.marks is not None and count <= rule.rates.marks
    hidden = "" if count is None else _hidden(rule, count, whole)
    if hidden:
        crude, adjusted, marked, status, reason = None, None, False, "hidden", f"{rule.id} hides {_HIDDEN[hidden]}"
        count = count if hidden == "rate" else None
    figures: dict[str, object] = {"count": count, "people": whole}
    for kind, ends in (("crude", crude), ("adjusted", adjusted)):
        figures |= dict(zip((kind, f"{kind}_lower", f"{kind}_upper"), ends or (None, None, None), strict=True))
    return figures | {"mark": "unreliable" if marked else "", "status": status, "reason": reason}


def _hidden(rule: DisclosureRule, count: int, people: float | None) -> str:
    """Return what the rule hides, ``count`` or only ``rate``; a rate of 0 too, unless the rule says that 0 is shown."""
    if rule.judges_counts and rule.why_hidden(count, None if people is None else round(people)):
        return "count"
    least = 1 if rule.zeros == "shown" else 0
    return "rate" if rule.rates.hides is not None and least <= count <= rule.rates.hides else ""
