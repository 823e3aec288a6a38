"""The records on the voter lists of a population's counties: what was counted at an election, each record once.

Counts are by the counties of their day. Where borders or codes have changed since, records go where the people went; a
county without a number has the rate of its state; the one number of a state is spread over its counties by adults.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from policy_sim.attackers.coverage import VOTING_AGE, RegisteredVoters, survey_of_people
from policy_sim.formulas.histogram import different
from policy_sim.people.county_tables import YEARS_OF_AGE, CountyTable, added_up, county_table
from policy_sim.people.facts import county_history
from policy_sim.people.population import Population
from policy_sim.people.zips import share_out
from policy_sim.voter_lists.registration import RECORD_NUMBERS, Registration, load_registration
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

OLDEST = YEARS_OF_AGE - 1
AGES: IntArray = np.arange(VOTING_AGE, OLDEST + 1)
WITHOUT_REGISTRATION = ("ND",)
_REGIONS = ("09110", "09190")  # the first and the last planning region of Connecticut
_NOVEMBER = (11, 1)
_STATE = 2  # digits of the code of a state
_PART = 0.5  # of a county's adults: a population with fewer is a part of the people, and the records are not all theirs
_RECORDS, _ACTIVE = 1, 2  # of the numbers, after the adults; what was reported follows


@dataclass(frozen=True, eq=False)
class CountyRecords:
    """Records of one election by county of a population; made by :func:`county_records`.

    Attributes
    ----------
    county, state : Five-digit FIPS code and postal code of each county; shape (counties,).
    adults : People by county and year of age from 18 to 119, whole; shape (counties, ages).
    records, active : Records that can be used, and those of them that are active, whole; shape (counties,).
    reported : Registered, active and inactive records as the county reported them, NaN where it did not;
        shape (counties, 3).
    flag, note : What is particular about each county's numbers, in words of the data and in a sentence.
    """

    county: tuple[str, ...]
    state: tuple[str, ...]
    adults: IntArray = field(repr=False)
    records: IntArray = field(repr=False)
    active: IntArray = field(repr=False)
    reported: FloatArray = field(repr=False)
    flag: tuple[str, ...] = field(repr=False)
    note: tuple[str, ...] = field(repr=False)


def county_records(people: Population, year: int) -> CountyRecords:
    """Return the records of an election by county of a population."""
    county, state, adults = _adults_by_age(people)
    counts = load_registration()
    usable = counts.usable(year)
    rows = _placed(counts, year, usable, county, people)
    held = _Held.of(rows, county, state, adults.sum(axis=1))
    held.spread_over_states(usable)
    held.fill(usable, survey_of_people(year))
    held.take_parts()
    records, active = held.numbers[:, [_RECORDS, _ACTIVE]].T.astype(np.int64)
    flag, note = (tuple(map(str, texts)) for texts in (held.flag, held.note))
    return CountyRecords(county, state, adults, records, active, held.numbers[:, _ACTIVE + 1 :], flag, note)


@dataclass(frozen=True, eq=False)
class _Held:
    """The rows of counties while they are filled: numbers as in RECORD_NUMBERS, NaN where there is none."""

    state: np.ndarray[tuple[int], np.dtype[np.str_]]
    people: IntArray
    numbers: FloatArray
    flag: np.ndarray[tuple[int], np.dtype[np.object_]]
    note: np.ndarray[tuple[int], np.dtype[np.object_]]

    @classmethod
    def of(cls, rows: pd.DataFrame, county: Sequence[str], state: Sequence[str], people: IntArray) -> _Held:
        place = rows.index.get_indexer(pd.Index(county, dtype=object))
        numbers = rows[list(RECORD_NUMBERS)].to_numpy(np.float64)[place]
        flag, note = (rows[name].to_numpy(object)[place] for name in ("flag", "note"))
        missing = place < 0
        numbers[missing] = np.nan
        flag[missing] = note[missing] = ""
        return cls(np.array(state), people, numbers, flag, note)

    def spread_over_states(self, usable: pd.DataFrame) -> None:
        """Spread the one number of a state over its counties by their adults."""
        of_states = usable[(usable.index.str.len() <= _STATE) & usable["state"].isin(set(self.state.tolist()))]
        for _, row in of_states.dropna(subset=["records", "active"]).iterrows():
            places = self.state == row["state"]
            people = self.people[places]
            shares = [share_out(int(row[name]), people) for name in ("records", "active")]
            note = joined([row["note"], "the state's one number, by adults"], "; ")
            self._put(places, np.transpose([people, *shares]), joined([row["flag"], "state"], "+"), note)

    def fill(self, usable: pd.DataFrame, survey: RegisteredVoters) -> None:
        """Give counties without a number the rate of the survey, where there is no registration, or of their state."""
        without = np.isnan(self.numbers[:, _RECORDS])
        for home in dict.fromkeys(self.state[without].tolist()):
            counted = usable.loc[(usable["state"] == home) & usable["records"].notna(), ["adults", "records", "active"]]
            people = self.people[self.state == home]
            if len(counted):
                whole, *sums = counted.sum()
                flag, note = "none", "no number: the state's rate"
            elif home in WITHOUT_REGISTRATION and home in survey.by_state:
                sums = [survey.by_state[home]] * 2
                whole = max(int(people.sum()), sums[0])
                flag, note = "survey", "no registration: the survey's rate"
            else:
                raise InputError(f"no records of voters were counted in {home}: leave it out.")
            places = without & (self.state == home)
            people = self.people[places]
            shares = (np.round(number / whole * people) for number in sums)
            self._put(places, np.transpose([people, *shares]), flag, note)

    def take_parts(self) -> None:
        """Give counties of whose adults the population has a part only their records at the county's rate."""
        adults, records, active = self.numbers[:, : _ACTIVE + 1].T
        part = (self.people < _PART * adults) & ~np.isnan(records) & ~np.isnan(active)
        for number in (records, active):
            number[part] = np.round(number[part] / adults[part] * self.people[part])
        note = "a part of the county's adults: records at the county's rate"
        self.flag[part] = [joined([flag, "part"], "+") for flag in self.flag[part]]
        self.note[part] = [joined([words, note], "; ") for words in self.note[part]]

    def _put(self, places: BoolArray, numbers: IntArray | FloatArray, flag: str, note: str) -> None:
        """Take adults, records and active records that nobody reported of some counties."""
        self.numbers[places, : _ACTIVE + 1] = numbers
        self.numbers[places, _ACTIVE + 1 :] = np.nan
        self.flag[places], self.note[places] = flag, note


def ages_by_county(people: Population) -> CountyTable:
    """Return people by county and age, whatever else their cells say."""
    table = county_table(people)
    if table is None:  # cells have finer places, say
        by_age = people.cells[["state", "county", "age", "age_width", "people"]]
        table = CountyTable.of(Population(by_age, people.provenance))
    if table is None:
        raise InputError(f"population {people.name} has counties of two states with one code: records need FIPS codes.")
    return table


def _adults_by_age(people: Population) -> tuple[tuple[str, ...], tuple[str, ...], IntArray]:
    """Return the counties, their states and the adults by year of age; a class of several years is spread evenly."""
    table = ages_by_county(people)
    held = np.flatnonzero(table.states >= 0)
    ages, persons = _adults_of(table)
    age = np.minimum(ages[:, 0], OLDEST)
    top = (ages[:, 1] == 1) & (age == 110)  # the class of 110 and over
    width = np.where(top, OLDEST + 1 - age, np.minimum(ages[:, 1], OLDEST + 1 - age))
    adults = np.zeros((len(AGES), persons.shape[1]), dtype=np.int64)
    for first, years, count in zip((age - VOTING_AGE).tolist(), width.tolist(), persons, strict=True):
        for turn in range(years):
            adults[first + turn] += count // years + (turn < count % years)
    states = table.kinds.cells["state"].cat.categories[table.states[held]]
    return tuple(table.counties[held]), tuple(map(str, states)), adults.T[held]


def _adults_of(table: CountyTable) -> tuple[IntArray, IntArray]:
    """Return the ages and widths of adults, and the people of each by county; shape (ages, 2), (ages, counties)."""
    age, width = (table.kinds.cells[name].to_numpy() for name in ("age", "age_width"))
    widest = int(width.max()) + 1
    ages, kind = different(age * widest + width)
    adults = ages // widest >= VOTING_AGE
    people = added_up(table.people, kind, len(ages))
    return np.stack([ages // widest, ages % widest], axis=1)[adults], people[adults].astype(np.int64)


def _placed(
    counts: Registration, year: int, usable: pd.DataFrame, county: Sequence[str], people: Population
) -> pd.DataFrame:
    """Return the usable records by the counties of the population's day."""
    in_regions = any(_REGIONS[0] <= code <= _REGIONS[1] for code in county)
    rows = counts.usable(year, planning_regions=True) if in_regions else usable
    day = people.provenance.day
    if day is not None:
        start = min(dt.date(year, *_NOVEMBER), counts.codes_of)
        for change in county_history().between(start, day):
            rows = _moved(rows, change.shares(forward=start < day) or {})
    return rows


def _moved(rows: pd.DataFrame, shares: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Return the records after a change of counties: each number goes where the people went, whole."""
    moved = {old: ends for old, ends in shares.items() if old in rows.index and set(ends) != {old}}
    if not moved:
        return rows
    codes = {code for ends in moved.values() for code in ends}
    there = rows.index.isin([*codes, *moved])
    parts = [rows[there].drop(index=list(moved))]
    for old, ends in moved.items():
        part = pd.DataFrame([rows.loc[old]] * len(ends), index=list(ends))
        for name in RECORD_NUMBERS:
            number = part[name].iloc[0]
            if pd.notna(number):
                part[name] = share_out(int(number), np.array(list(ends.values())))
        parts.append(part)
    by_county = pd.concat(parts).groupby(level=0, sort=False)
    after = by_county[["state", "flag", "note"]].first().join(by_county[list(RECORD_NUMBERS)].sum(min_count=1))
    touched = after.index.isin(list(codes))
    flags = [joined(dict.fromkeys([*flag.split("+"), "moved"]), "+") for flag in after.loc[touched, "flag"]]
    after.loc[touched, "flag"] = flags
    after.loc[touched, "note"] = "its borders or code changed: records went where the people went"
    return pd.concat([rows[~there], after])


def joined(texts: Iterable[str], mark: str) -> str:
    """Join the texts that are not empty."""
    return mark.join(text for text in texts if text)
