"""Rates of counts: crude and age-adjusted, with gamma intervals, and what a rule hides or marks as unreliable."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import gamma

from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.people.names import county_in_text
from policy_sim.people.population import Population
from policy_sim.records.column_kinds import field_by_name
from policy_sim.records.vocabularies import name_words
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.files import CountFile, Layout, read_cells
from policy_sim.tables.table import Key, Relation, named
from policy_sim.words.arguments import choice, number, short
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES, find_state, state_named
from policy_sim.words.status import Status

WEIGHTS = ("people", "million")
_FILE = "age_standards.toml"
_CENSUS_COLUMNS = ("state", "county", "sex", "race")
_HIDDEN = {"count": "so small a count", "rate": "a rate from so few counts"}
_OLDEST = 130  # years; more is no age
_AGES = re.compile(r"0*(\d{1,3})(?:-0*(\d{1,3})|(\+| and (?:over|older|up)))?", re.A)
_DATE = re.compile(r"(?i)\d{1,2}-[a-z]{3}|[a-z]{3}-\d{2}")
_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")  # of a name such as CaseCounts or case_counts


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
        match = _AGES.fullmatch("0" if plain in ("<1", "< 1", "under 1") else plain)
        least, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        return cls(least, math.inf if match[3] else last + 1) if match and least <= last < _OLDEST else None

    def __str__(self) -> str:
        if self.beyond == math.inf:
            return f"{self.least}+"
        return f"{self.least}" if self.beyond == self.least + 1 else f"{self.least}-{int(self.beyond) - 1}"


@dataclass(frozen=True)
class Standard:
    """A standard population by age; ``people_in_thousands`` where its people are rounded to whole thousands."""

    name: str
    ages: tuple[AgeClass, ...]
    people: Sequence[int]
    million: Sequence[int]
    people_in_thousands: bool = False
    added_up: bool = False  # to wider classes

    def describe(self, weights: str) -> str:
        """Say which standard and which of its two sets of weights."""
        unit = "people in whole thousands" if self.people_in_thousands else "unrounded people"
        unit = "standard million" if weights == "million" else unit
        classes = f"{'added up to ' * self.added_up}{len(self.ages)} age classes"
        return f"{self.name}, 2000 U.S. standard population, {classes}, weights: {unit}"

    def added_up_to(self, ages: Collection[AgeClass]) -> Standard | None:
        """Return the standard in wider classes where ages need them; None where an age cuts one of its classes.

        The people of a wider class are the sum of those of its classes, and so is its part of the million.
        """
        parts = dict[AgeClass, list[int]]()
        for age in sorted(ages):
            at = self.class_of(age)
            inside = [own for own, of in enumerate(self.ages) if age.least <= of.least and of.beyond <= age.beyond]
            wider = AgeClass(self.ages[inside[0]].least, self.ages[inside[-1]].beyond) if inside else None
            if at is None and wider != age:
                return None
            parts[age if at is None else self.ages[at]] = inside if at is None else [at]
        if len(parts) == len(self.ages):
            return self
        people, million = ([sum(of[at] for at in own) for own in parts.values()] for of in (self.people, self.million))
        return replace(self, ages=tuple(parts), people=people, million=million, added_up=True)

    def class_of(self, age: AgeClass) -> int | None:
        """Return the place of the class that holds all of an age class."""
        places = (at for at, own in enumerate(self.ages) if own.least <= age.least and age.beyond <= own.beyond)
        return next(places, None)


@cache
def standards() -> tuple[Standard, ...]:
    """Return the standard populations that ship, the finest first."""
    with damaged_if_wrong(Path(_FILE)):
        entries = shipped_table(_FILE)["standard"]
        ages = [tuple(filter(None, map(AgeClass.of, entry["ages"]))) for entry in entries]
        return tuple(Standard(**entry | {"ages": of}) for entry, of in zip(entries, ages, strict=True))


def standard_for(ages: Iterable[AgeClass], where: str, name: str = "") -> Standard:
    """Return the named standard, or the finest, whose classes the ages fill: each class of the file lies in one.

    Where the file has wider classes, those of the finest standard are added up to them.
    """
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
        if wider := standard.added_up_to(ordered):
            return wider
    first = choices[0]
    wrong = next(age for age in ordered if first.added_up_to([age]) is None)
    allowed = ", ".join(map(str, first.ages))
    raise InputError(f"{where}: age class {wrong} cuts a class of {first.name}. Give these or whole sums: {allowed}.")


def read_rate_counts(path: Path, age: str, count: str, people: str, by: Sequence[str]) -> CountFile:
    """Read counts, and denominators where a column of ``people`` is named, by group and age class.

    A county is of its state: a column ``state`` is one of the groups where counties are.
    """
    named_by = {name.casefold() for name in by}
    if "county" in named_by and "state" not in named_by:
        with suppress(UnknownNameError):
            return read_rate_counts(path, age, count, people, ("state", *by))
    try:
        cells = read_cells(path, Layout(count, (*by, age), population=people))
    except UnknownNameError as error:
        argument = {age: "age", count: "count", people: "population"}.get(error.text, "")
        if not argument:
            raise
        ages = [name for name in error.choices if field_by_name(name_words(name)) == "age"]
        if argument == "age" == age and len(ages) == 1:
            cells = read_rate_counts(path, ages[0], count, people, by)
            return replace(cells, notes=(*cells.notes, f"Read as ages: {ages[0]}."))
        alike = [name for name in error.choices if _sounds_like(name, error.text.casefold())]
        name = alike[0] if alike else "NAME"
        of_people = ask("population", name, option="--population-column")
        adds = of_people if argument == "population" else ask(argument, name)
        known = "" if alike else f" The columns are {', '.join(error.choices)}."
        raise InputError(f"{path}: no column is called {error.text!r}. Add {adds}.{known}") from None
    return replace(cells, keys=(*by, "age"))


def _sounds_like(name: str, asked: str) -> bool:
    """Tell whether a word of a column's name is the one asked for or its beginning: County has no word count.

    >>> [_sounds_like(*pair) for pair in (("CaseCounts", "count"), ("County", "count"), ("Pop", "population"))]
    [True, False, True]
    """
    words = [word.casefold() for word in _WORDS.findall(name)]
    return any(word in (asked, f"{asked}s") or (len(word) > 2 and asked.startswith(word)) for word in words)


def ages_of(file: CountFile) -> dict[Key, AgeClass]:
    """Return the age class of each cell, its last label; what is none is an InputError."""
    ages = {}
    for key in file.cells:
        age = AgeClass.of(key[-1])
        if age is None:
            hint = (
                "A spreadsheet made a date: format as text" if _DATE.fullmatch(key[-1]) else "Give 0-4, 85+, no totals"
            )
            raise InputError(f"{named(key)}: {short(key[-1])} is not an age class. {hint}.")
        ages[key] = age
    return ages


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

    def value(self, column: str, text: str, stated: str = "") -> str:
        """Return how the population writes a state, county, sex or race.

        A county is of the state ``stated`` beside it; else one that two of the states have is refused.
        """
        if column == "state":
            return state.postal if (state := state_named(text)) else text
        if column == "county":
            reach = (stated,) if stated else self.states
            codes = sorted({code for state in reach if (code := county_in_text(text, state))})
            if len(codes) > 1:
                states = [POSTAL_OF_FIPS[code[:2]] for code in codes]
                raise InputError(
                    f"{short(text)} is a county of {' and of '.join(states)}: write its five-digit code, or its state "
                    f"too, such as {text}, {states[0]}."
                )
            return codes[0] if codes else text
        return {"female": "F", "male": "M"}.get(text.casefold(), text.upper()) if column == "sex" else text.casefold()

    def of(self, labels: Mapping[str, str], age: AgeClass | None, where: str) -> int:
        """Return the people with these labels in an age class, or of all ages; nobody of that name is an InputError."""
        columns = tuple(labels)
        if columns not in self._parts:
            groups = self._cells.groupby([*columns] or (lambda _: ""), observed=True)
            names = ("age", "age_width", "people")
            self._parts[columns] = {group: tuple(part[name].to_numpy() for name in names) for group, part in groups}
        stated = self.value("state", labels.get("state", ""))
        texts = tuple(self.value(column, text, stated) for column, text in labels.items())
        self._refuse_elsewhere(texts, labels, where)
        part = self._parts[columns].get(texts if columns else "")
        if part is None:
            who, races = named(tuple(labels.values())), ", ".join(sorted(set(self._cells["race"])))
            raise InputError(
                f"{where}: {self.population.name} has no {who} in {', '.join(self.states)}. Give counties as FIPS "
                f"codes, sex as M or F, race as one of {races}."
            )
        least, width, people = part
        if age is None:
            return int(people.sum())
        inside = (least >= age.least) & (least + width <= age.beyond)
        if (people[~inside & (least < age.beyond) & (least + width > age.least)] > 0).any():
            raise InputError(f"{where}: {self.population.name} does not divide age class {age}.")
        return int(people[inside].sum())

    def _refuse_elsewhere(self, texts: Sequence[str], labels: Mapping[str, str], where: str) -> None:
        """Refuse a row of a state that is not one of these: its county is no county of theirs."""
        values = dict(zip(labels, texts, strict=True))
        own = POSTAL_OF_FIPS.get(values.get("county", "")[:2], values.get("state", self.states[0]))
        if own in STATES and own not in self.states:
            named_states = " and ".join(STATES[state].name for state in self.states)
            raise InputError(
                f"{where} is in {STATES[own].name}, and the people are those of {named_states}. Name that state too, "
                "or leave its rows out."
            )

    def add_to(self, path: Path, file: CountFile, every: bool = False) -> CountFile:
        """Return a table of counts with the people whom each count is of; the total of some counties is of theirs.

        ``every``: each column of labels has to divide the people, so that none of them is counted twice.
        """
        if file.populations:
            raise InputError(f"{path}: the population is a column already. Name a state, or the column.")
        columns = {at: column for at in range(len(file.keys)) if (column := self._column(file, at))}
        others = [name for at, name in enumerate(file.keys) if at not in columns]
        if not columns or (every and others):
            what = f"{others[0]!r} is no column" if every else "no column"
            raise InputError(
                f"{path}: {what} of counties, sexes, races or ages, so it is unknown which people it counts."
            )
        places = [at for at, column in columns.items() if column == "county"]
        codes = {self.value("county", key[at], self._stated(columns, key))[:2] for key in file.cells for at in places}
        unused = [state for state in self.states if places and find_state(state).fips not in codes]
        if unused:
            raise InputError(f"{path}: no row is of a county in {unused[0]}. Leave the state out.")
        sums: dict[Key, list[Relation]] = {}
        for relation in file.relations:
            sums.setdefault(relation.total, []).append(relation)
        open_labels = set() if every else self._no_places(file, columns)
        people = dict[Key, int]()
        for key in file.cells:
            count = self._people(path, file, columns, sums, key, open_labels)
            people |= {} if count is None else {key: count}
        origin = self.population.provenance.describe(list(self.states))
        note = f"Denominators: {origin}; by {', '.join(columns.values())}."
        notes = [note]
        if open_labels:
            labels = ", ".join(sorted(open_labels))
            notes.append(
                f"No denominator: {labels}. Counts there are judged by their size alone; totals leave them out."
            )
        return replace(file, populations=people, notes=(*file.notes, *notes))

    def _no_places(self, file: CountFile, columns: Mapping[int, str]) -> set[str]:
        """Return the labels of counties that are none, such as Unassigned, where the others are counties."""
        lacking = set[str]()
        for at in (at for at, column in columns.items() if column == "county"):
            own = {(key[at], self._stated(columns, key)) for key in file.cells if not file.layout.is_total(key[at])}
            labels = {label for label, _ in own}
            none = {label for label, stated in own if self._unknown_county(label, stated)}
            lacking |= none if len(none) < len(labels) / 2 else set()
        return lacking

    def _stated(self, columns: Mapping[int, str], key: Key) -> str:
        """Return the postal code of the state that a row names; empty if it names none."""
        texts = [key[at] for at, column in columns.items() if column == "state"]
        state = state_named(texts[0]) if texts else None
        return state.postal if state else ""

    def _unknown_county(self, label: str, stated: str) -> bool:
        try:
            self.of({"county": label} | ({"state": stated} if stated else {}), None, label)
        except InputError:
            return True
        return False

    def _column(self, file: CountFile, at: int) -> str:
        """Return which column of the population a column of labels is; empty for none."""
        labels = {key[at] for key in file.cells if not file.layout.is_total(key[at])}
        name = file.keys[at].casefold()
        if name == "state" and not all(map(state_named, labels)):
            return ""
        if name in _CENSUS_COLUMNS:
            return choice("column of groups", name, [own for own in _CENSUS_COLUMNS if own in self._cells])
        if labels and all(map(AgeClass.of, labels)) and (name.startswith("age") or name == "column"):
            return "age"
        return "sex" if labels and {self.value("sex", label) for label in labels} <= {"F", "M"} else ""

    def _people(
        self,
        path: Path,
        file: CountFile,
        columns: Mapping[int, str],
        sums: Mapping[Key, list[Relation]],
        key: Key,
        open_labels: Collection[str],
    ) -> int | None:
        if open_labels and any(label in open_labels for label in key):
            return None
        totals = {at for at in columns if file.layout.is_total(key[at])}
        for relation in sums.get(key, ()) if totals else ():
            if {at for at, label in enumerate(relation.parts[0]) if label != key[at]} <= totals:
                parts = (self._people(path, file, columns, sums, part, open_labels) for part in relation.parts)
                return sum(people or 0 for people in parts)
        labels = {column: key[at] for at, column in columns.items() if at not in totals}
        age = AgeClass.of(labels.pop("age")) if "age" in labels else None
        return self.of(labels, age, f"{path}: {named(key)}")


def rates(
    file: CountFile,
    standard: Standard,
    rule: DisclosureRule,
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
        raise InputError(f"rule {rule.id} does not cover rates. Choose one that does, such as wonder-20 or uscs-16.")
    options: dict[str, object] = {"per": per, "confidence": confidence, "standard": standard.name}
    options |= {"weights": weights, "rule": rule.id}
    groups: dict[Key, dict[AgeClass, Key]] = {}
    for key, age in ages_of(file).items():
        if groups.setdefault(key[:-1], {}).setdefault(age, key) != key:
            raise InputError(f"{named(key)}: another row has age class {age} too. Add the two up.")
    ages = sorted({age for by_age in groups.values() for age in by_age})
    rate = partial(adjusted_rate, per=per, confidence=confidence)
    table = []
    for group, by_age in groups.items():
        lacking = [age for age in ages if age not in by_age]
        if lacking:
            raise InputError(f"{', '.join(group)} has no row for age class {lacking[0]}. A count of 0 is a row.")
        judged = _judged(file, by_age, standard, weights, rule, rate)
        table.append(dict(zip(file.keys, group, strict=False)) | judged | options)
    numbers = ["people", *(f"{kind}{end}" for kind in ("crude", "adjusted") for end in ("", "_lower", "_upper"))]
    return pd.DataFrame(table).astype({"count": "Int64"} | dict.fromkeys(numbers, "Float64"))


def _judged(
    file: CountFile,
    by_age: Mapping[AgeClass, Key],
    standard: Standard,
    weights: str,
    rule: DisclosureRule,
    rate: Callable[..., Rate],
) -> dict[str, object]:
    """Return the figures of one group, its mark, status and reason."""
    counts = {age: file.cells[key].value for age, key in by_age.items()}
    persons = {age: file.populations.get(key) for age, key in by_age.items()}
    events, people = np.zeros(len(standard.ages)), np.zeros(len(standard.ages))
    for age, key in by_age.items():
        events[standard.class_of(age)] += counts[age] or 0
        people[standard.class_of(age)] += persons[age] or 0
        if counts[age] and persons[age] == 0:
            raise InputError(f"{named(key)}: {counts[age]:,} counts in a population of 0. Correct one of the two.")
    lacking = [f"no count of age {age}" for age, value in counts.items() if value is None]
    lacking += [f"no population of age {age}" for age, value in persons.items() if value is None]
    nobody = [f"nobody lives in age class {standard.ages[at]}" for at in np.flatnonzero(people == 0)]
    count = None if None in counts.values() else int(events.sum())
    whole = None if None in persons.values() else float(people.sum())
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
