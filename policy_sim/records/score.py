"""The risk of a file under each attacker: expected re-identifications, riskiest groups, price per re-identification."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.attacker import Attacker
from policy_sim.model.measure import Bounds
from policy_sim.people.composed import people_of_areas
from policy_sim.people.merge import DAYS_PER_YEAR
from policy_sim.people.places import has_place, is_by_zip
from policy_sim.people.population import Population
from policy_sim.people.zips import PeopleByZip
from policy_sim.records.census_groups import (
    FileCells,
    GroupedPeople,
    PlacedFile,
    file_cells,
)
from policy_sim.records.census_values import ColumnMapping, file_granularities, known_field, seen_fields
from policy_sim.records.classes import Classes, agreeing
from policy_sim.records.mapping import looks_missing
from policy_sim.records.person_classes import PersonClasses
from policy_sim.records.person_rows import PersonRows, described
from policy_sim.records.profile import FileProfile
from policy_sim.voter_lists.price import Amount
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, fields_title

if TYPE_CHECKING:
    from policy_sim.records.engines.engine import Grouped


class OwnChances(NamedTuple):
    """People of the file in each class, in this state, and their own chance (0..1) of a correct match.

    In a group with more records than people the chance is smaller: at most as many records as people are matched.
    """

    people: FloatArray
    chance: FloatArray


@dataclass(frozen=True)
class FileScore:
    """The risk of the file's records in one state, in cells of the population, under one attacker.

    ``expected`` matches are None if there is no list; for their low end the list withholds every unknown field, for
    the high end it shows them. ``largest`` is the largest chance of a record. ``surplus`` records are in excess of the
    people of their group, so that some of the file is not from this population; they add nothing to ``expected``.
    ``price`` is that of the list, ``price_high`` its upper end if sources give a range; None for an attacker that needs
    no list. ``chances`` (0..1), at both ends, are those of a record of each of the file's classes in this state, NaN
    for classes elsewhere; ``own`` has who of the file has which chance, at both ends.
    """

    attacker: str
    state: str
    linkage_key: str
    status: str
    reason: str
    records: int
    expected: Bounds | None = None
    largest: Bounds | None = None
    surplus: int = 0
    price: Amount | None = None
    price_high: Amount | None = None
    chances: tuple[FloatArray, FloatArray] | None = field(default=None, compare=False, repr=False)
    own: tuple[OwnChances, OwnChances] | None = field(default=None, compare=False, repr=False)

    @property
    def share(self) -> Bounds | None:
        """Expected share (0..1) of the records: marketer risk."""
        return self.expected.per(self.records) if self.expected and self.records else None

    @property
    def usd_per_reidentification(self) -> Bounds | None:
        """Price divided by expected re-identifications; None if either is unknown or the expected number is 0."""
        if self.price is None or self.price.usd is None or self.expected is None or not self.expected.low:
            return None
        most = self.price.usd if self.price_high is None else self.price_high.usd
        return None if most is None else Bounds(most / self.expected.low, self.price.usd / self.expected.high)


def attackers_scores(
    placed: PlacedFile, attackers: Sequence[Attacker], *, buyer: str | None = None, people: PersonRows | None = None
) -> list[FileScore]:
    """Score the file under each attacker, state by state; ``people`` where a person has several rows."""
    cells = placed.cells
    inside = cells.outside == ""
    states = sorted(set(cells.rows["state"][inside & (cells.rows["records"] > 0).to_numpy()]))
    counties = placed.population.counties_by_state()
    scores = []
    for attacker in attackers:
        for state in states:
            linkage = attacker.linkage(placed.view, state)
            in_state = inside & (cells.rows["state"] == state).to_numpy()
            records = int(cells.rows["records"][in_state].sum())
            facts = (attacker.name, state, linkage.label(), linkage.status, linkage.reason, records)
            if linkage.low is None or linkage.high is None:
                scores.append(FileScore(*facts))
                continue
            coverage = attacker.resource.coverage_in(state)
            coverages = (None, None) if coverage is None else coverage.ends
            grouped = [placed.on(*end) for end in zip((linkage.low, linkage.high), coverages, strict=True)]
            ends = [_measure(groups_at_end, cells, in_state, people) for groups_at_end in grouped]
            prices: tuple[Amount | None, Amount | None] = (None, None)
            if attacker.holds_file:
                prices = attacker.resource.amounts_for(state, placed.counted, counties.get(state), buyer)
            low, high = ends
            expected, largest = Bounds(low.expected, high.expected), Bounds(low.largest, high.largest)
            least, most = (np.where(in_state, groups_at_end.chance, np.nan) for groups_at_end in grouped)
            score = FileScore(*facts, expected, largest, int(high.surplus), *prices, (least, most))
            scores.append(replace(score, own=(low.own, high.own)))
    return scores


class _End(NamedTuple):
    """Expected matches, the largest chance, records in excess of the people of their group, and everyone's chance."""

    expected: float
    largest: float
    surplus: float
    own: OwnChances


def _measure(groups: GroupedPeople, cells: FileCells, selection: np.ndarray, people: PersonRows | None) -> _End:
    """Measure the selected classes under one linkage key.

    In a group with more records than people, at most as many records as people can be matched. People with several rows
    count by the one with the greatest chance.
    """
    of_class = cells.rows["records"].to_numpy()
    if people is not None:
        of_class = people.only(selection).most(groups.chance, groups.group >= 0)
    inside = selection
    selection = selection & (groups.group >= 0) & (of_class > 0)
    records, chance = of_class[selection], groups.chance[selection]
    in_group = np.bincount(groups.group[selection], weights=records)
    group, first = np.unique(groups.group[selection], return_index=True)
    surplus = np.maximum(in_group[group] - groups.room[selection][first], 0)
    # exact sums: the order of the classes does not matter
    expected = math.fsum((records * chance).tolist()) - math.fsum((surplus * chance[first]).tolist())
    of_group = np.ones(int(groups.group.max(initial=0)) + 1)
    of_group[group] = 1 - surplus / in_group[group]
    own = np.zeros(len(of_class))
    own[selection] = chance * of_group[groups.group[selection]]
    people_of_class = OwnChances(np.where(inside, of_class, 0).astype(np.float64), own)
    return _End(expected, float(chance.max(initial=0.0)), float(surplus.sum()), people_of_class)


# The class size and risk of each record: one row per record, for someone who reviews or suppresses records.


def profile_rows(
    classes: Classes, rows: IntArray, profile: FileProfile, fraction: float, numbers: IntArray
) -> pd.DataFrame:
    """Return one row per record, in the order of the file; no value of a record. ``rows`` is each record's class.

    A row has ``row`` (one of ``numbers``, from 1, the header not counted), ``class_size``, ``risk`` (1/size) and, with
    scores, ``suda_score`` and ``match_chance`` (DIS, at the sampling ``fraction`` of the file). A record that the rule
    leaves out has ``pd.NA``, and the reason in ``status``.
    """
    rule = profile.sizes.rule
    judged = (classes.codes > 0).all(axis=1) if rule == "exclude" else np.ones(classes.number, dtype=bool)
    sizes = agreeing(classes) if rule == "wildcard" else classes.sizes
    of_class = pd.DataFrame({"class_size": sizes, "risk": 1 / sizes})
    if profile.suda is not None:
        for name, values in (("suda_score", profile.suda.score), ("match_chance", profile.suda.dis(fraction))):
            of_class[name] = np.zeros(classes.number, dtype=values.dtype)
            of_class.loc[judged, name] = values
    kinds = {name: "Int64" if name in ("class_size", "suda_score") else "Float64" for name in of_class}
    of_class = of_class.astype(kinds)
    of_class.loc[~judged] = pd.NA
    of_class["status"] = np.where(judged, "ok", "left out: a key field is missing")
    table = of_class.iloc[rows].reset_index(drop=True)
    table.insert(0, "row", numbers)
    return table


# Score a file of records against the census: the steps from its classes to its notes.


_SHOWN_ROWS = 10


@dataclass(frozen=True, eq=False)
class ScoredFile:
    """A file scored against the census: one score per attacker and state, and its groups on the key that it shows.

    ``outside`` has the row number (from 1) and the reason of each record without a cell; ``rows`` each record's class,
    -1 for a record that is left out, or None unless records are listed; ``numbers`` their row numbers. ``beside``: what
    share of the file is not in the figures.
    """

    scores: tuple[FileScore, ...]
    placed: PlacedFile
    outside: tuple[tuple[int, str], ...]
    notes: tuple[str, ...]
    beside: str = ""
    rows: IntArray | None = None
    numbers: IntArray | None = None

    def record_frame(self) -> pd.DataFrame:
        """Return one row per record, in the order of the file, with each attacker's chance of a correct match.

        A row has ``row`` (from 1, the header not counted), for each attacker ``<name>_chance`` and
        ``<name>_chance_high`` (0..1; the second if the list shows every unknown field), ``pd.NA`` where there is no
        list, and ``status``.
        """
        assert self.rows is not None, "score with list_records=True"
        outside = self.placed.cells.outside
        table = pd.DataFrame(index=range(len(outside)))
        for name in dict.fromkeys(score.attacker for score in self.scores):
            for end, column in enumerate((f"{name}_chance", f"{name}_chance_high")):
                chance = np.full(len(outside), np.nan)
                for score in self.scores:
                    if score.attacker == name and score.chances is not None:
                        chance = np.where(np.isnan(chance), score.chances[end], chance)
                table[column] = pd.Series(chance).astype("Float64")  # NaN becomes missing
        table["status"] = [str(reason) or "ok" for reason in outside]
        listed = table.reindex(self.rows).reset_index(drop=True)
        listed["status"] = listed["status"].fillna("left out: a key field is missing")
        listed.insert(0, "row", self.numbers)
        return listed

    def outside_frame(self) -> pd.DataFrame:
        """Return one row per record without a cell: its row number in the file, from 1, and the reason."""
        return pd.DataFrame(self.outside, columns=["row", "reason"])


def score_against_census(
    file: Grouped,
    mapping: ColumnMapping,
    people: Population,
    attackers: Sequence[Attacker],
    states: Sequence[str],
    *,
    most: int,
    complete: bool = False,
    buyer: str | None = None,
    days_per_year: float = DAYS_PER_YEAR,
    list_records: bool = False,
    known: str = "",
) -> ScoredFile:
    """Look up every class in the census, and score the file under each attacker.

    ``states`` are those of the records, by postal code; none if the file's fields show the state. ``known``: how many
    rows of a person an attacker knows, where the last field of the file is the person; empty where each record is one.
    """
    fields = file.fields[:-1] if known else file.fields
    granularities = file_granularities(seen_fields(fields, mapping, file.values_of), mapping.fields, bool(states))
    date = date_of_ages(people, fields, mapping.reference_date)
    everyone = people_of_areas(people) if is_by_zip(granularities[Field.GEOGRAPHY]) else people
    people_in_states = everyone.in_states(states) if states else everyone
    classes = every_row = file.classes(most)
    persons = PersonClasses.of(classes, known) if known else None
    classes = persons.classes if persons else classes
    values = {name: file.values_of(name) for name in fields}
    hints = looks_missing(classes, {name: values[name] for name in file.few if name in values}, mapping)
    rows = file.class_of_rows(classes) if list_records else None
    numbers = None if rows is None else file.row_numbers(len(rows))
    by_person = PersonRows.of(persons, complete=complete) if persons else None
    if by_person:
        classes = by_person.classes
    elif complete:
        no_missing = (classes.codes > 0).all(axis=1)
        rows = None if rows is None else np.where(no_missing, np.cumsum(no_missing) - 1, -1)[rows]
        classes = classes.complete()
    file.engine.progress("looking the classes up in the census")
    cells = file_cells(classes, values, mapping, states, date, _first_ages(everyone))
    placed = PlacedFile.of(cells, people_in_states, granularities, days_per_year, everyone)
    codes, reasons = classes.codes, placed.cells.outside
    if persons and by_person:
        placed, by_person, reasons = _people_placed(placed, by_person, persons.people)
        codes, reasons = every_row.codes, reasons[persons.of_classes(every_row)]
    _check_any_inside(file.records.short_name, int(placed.cells.rows["records"].sum()), placed, complete=complete)
    outside = _outside_rows(file, codes, reasons)
    file.engine.progress("linking the records under each attacker")
    scores = attackers_scores(placed, attackers, buyer=buyer, people=by_person)
    notes = (
        *((described(persons, mapping.person),) if persons else ()),
        f"the file shows {fields_title(granularities)}; {_when(date)}; {days_per_year:g} birthdays a year",
        *placed.cells.notes,
        *hints,
        *outside_notes(placed.records_by_reason, outside),
        *area_notes(cells.rows, everyone),
    )
    beside = left_out_text(placed.records_by_reason, int(cells.rows["records"].sum()), "people" if known else "records")
    return ScoredFile(tuple(scores), placed, outside, notes, beside, rows, numbers)


def _people_placed(
    placed: PlacedFile, people: PersonRows, number: int
) -> tuple[PlacedFile, PersonRows, NDArray[np.object_]]:
    """Count each person once, by the row that finds them best among everyone.

    Return the file with these counts, the entries of each person in the state of that row, and why a person has no
    cell: shape (``number``,), empty where a person has one.
    """
    inside, chance = placed.cells.outside == "", placed.groups.chance
    person, chosen = people.best(chance, inside)
    reasons = np.full(number, "", dtype=object)
    reasons[person] = placed.cells.outside[chosen]
    rows = placed.cells.rows.assign(records=people.most(chance, inside))
    states = pd.factorize(rows["state"], use_na_sentinel=False)[0].astype(np.int64)
    counted = replace(placed, cells=replace(placed.cells, rows=rows))
    return counted, people.in_place_of_best(chance, inside, states), reasons


def _first_ages(people: Population | PeopleByZip) -> frozenset[int]:
    counted = people.county_population if isinstance(people, PeopleByZip) else people
    return frozenset(counted.cells["age"].tolist())


def _when(date: dt.date) -> str:
    """Say on which day ages are taken; the earliest possible date stands for none."""
    return "ages are those of the file" if date == dt.date.min else f"ages are taken on {date}"


def _outside_rows(file: Grouped, codes: NDArray[np.int32], outside: np.ndarray) -> tuple[tuple[int, str], ...]:
    reasons = sorted(set(outside) - {""})
    return tuple(sorted((row, str(reason)) for reason in reasons for row in file.rows(codes[outside == reason])))


def date_of_ages(people: Population, fields: Sequence[str], stated_date: dt.date | None) -> dt.date:
    """Return the day on which ages are taken: the mapping's if it gives one, else the population's."""
    if stated_date:
        return stated_date
    try:
        return dt.date.fromisoformat(people.provenance.date)
    except ValueError:
        if not {"birth_date", "birth_month", "birth_year"} & set(map(known_field, fields)):
            return dt.date.min  # ages are in the file
        raise InputError(
            f"population {people.name} has no date, so ages are unknown: give reference_date in the mapping."
        ) from None


def _check_any_inside(name: str, records: int, placed: PlacedFile, *, complete: bool) -> None:
    """Raise an error if no record of a file has a cell, and say what each field lacks, without a value."""
    if not records:
        left = " without a missing key field" if complete else ""
        raise InputError(f"{name}: there is no record{left}.")
    if (placed.cells.outside == "").any():
        return
    unread = [
        f"{field}: {number:,} value{'s were' if number > 1 else ' was'} not understood; explain them in the mapping"
        for field, number in placed.cells.unread.items()
        if number
    ]
    counted = [
        f"{number:,}: {reason}"
        for reason, number in placed.records_by_reason.items()
        if not reason.endswith("is not understood")
    ]
    reasons = "; ".join([*unread, *counted])
    raise InputError(f"{name}: none of the {records:,} records has a cell in the population. {reasons}.")


def area_notes(rows: pd.DataFrame, people: Population | PeopleByZip) -> list[str]:
    """Say how many records are in a ZIP code for which the census has no area, where the file shows ZIP codes.

    ``rows``: a row per class, as :class:`~policy_sim.records.census_groups.FileCells` has them.
    """
    place = next((name for name in ("zip5", "zip3") if name in rows), None)
    if place is None or not has_place(people, place):
        return []
    by_zip = people.zips.shown(place) if isinstance(people, PeopleByZip) else people.cells[place].cat.categories
    codes, areas = rows[place], set(by_zip)
    lost = int(rows["records"][codes.notna() & ~codes.isin(areas)].sum())
    number = f"{lost:,} of {int(rows['records'].sum()):,}" if lost else "none"
    why = ". The census has no people there: the codes may belong to post-office boxes or single buildings, or be wrong"
    return [f"records in a ZIP code without an area in {people.name}: {number}{why if lost else ''}"]


def left_out_text(records: Mapping[str, int], whole: int, what: str = "records") -> str:
    """Say which share of a file is in no figure, and why; nothing where all of it is.

    >>> left_out_text({"age is missing": 8, "age is not understood": 17}, 400)
    '25 of 400 records (6.25%) are not in these figures. 17: age is not understood; 8: age is missing'
    """
    total = sum(records.values())
    if not total:
        return ""
    reasons = "; ".join(f"{n:,}: {reason}" for reason, n in sorted(records.items(), key=lambda item: -item[1]))
    return f"{total:,} of {whole:,} {what} ({100 * total / whole:.3g}%) are not in these figures. {reasons}"


def outside_notes(records: Mapping[str, int], outside: Sequence[tuple[int, str]]) -> list[str]:
    """Say how many records have no cell, why, and which (by row number)."""
    total = sum(records.values())
    if not total:
        return ["records outside the population's cells: none"]
    notes = [f"records outside the population's cells, not in the figures: {total:,}"]
    notes += [f"  {number:,}: {reason}" for reason, number in sorted(records.items(), key=lambda item: -item[1])]
    first = ", ".join(f"{row:,}" for row, _ in outside[:_SHOWN_ROWS])
    return [*notes, f"  rows (the header not counted): {first}{', ...' if len(outside) > _SHOWN_ROWS else ''}"]
