"""Records on the voter lists of every county, as the election offices reported them, and the ages of listed people."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np
import pandas as pd

from policy_sim.files.parquet import read_frame
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.files.writing import sha256_of
from policy_sim.words.arguments import whole_number
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, SourceError

FOLDER = "registration"
_APART = 0.03  # of the total; the parts of a row with the flag "parts" are further off
_NOT_USED = ("none", "outlier")
_YEARS = (1900, 2100)
_COUNTS = ("registered", "active", "inactive")
REPORTED = tuple(f"{name}_reported" for name in _COUNTS)
RECORD_NUMBERS = ("adults", "records", "active", *REPORTED)  # the numbers of a row of :meth:`Registration.usable`


@dataclass(frozen=True, eq=False)
class Registration:
    """Counts of records on voter lists by county and election (``data/registration``).

    ``rows``, one per county and election: ``year, unit, fips, state, registered, active, inactive, adults, flag, how,
    source``. The unit is ``county``, ``state`` (Alaska reports one number) or ``planning region`` (Connecticut of 2024,
    which its eight counties hold too). ``sources`` are where the counts were read, by the code in ``source``, and
    ``flags`` what each flag means. Codes of counties are of the day ``codes_of``: later changes are not in them.
    """

    rows: pd.DataFrame = field(repr=False)
    title: str
    publisher: str
    sources: Mapping[str, str]
    flags: Mapping[str, str]
    codes_of: dt.date

    @property
    def years(self) -> tuple[int, ...]:
        """The years of the elections."""
        return tuple(sorted(int(year) for year in self.rows["year"].unique()))

    def nearest(self, year: int) -> int:
        """Return the election that is nearest to a year; of two, the later.

        >>> load_registration().nearest(2026), load_registration().nearest(2008)
        (2024, 2010)
        """
        return min(self.years, key=lambda held: (abs(held - year), -held))

    def election(self, year: int) -> int:
        """Return the year of an election that was counted, or raise InputError."""
        if whole_number("year", year, *_YEARS) not in self.years:
            raise InputError(f"year = {year}: records were counted in {', '.join(map(str, self.years))}.")
        return int(year)

    def reported(self, year: int) -> pd.DataFrame:
        """Return the rows of one election, as reported: each record once, Connecticut by county."""
        rows = self.rows[(self.rows["year"] == self.election(year)) & (self.rows["unit"] != "planning region")]
        return rows.reset_index(drop=True)

    def by_state(self, year: int) -> pd.DataFrame:
        """Return the records of each state that reported any at an election, and how many of its ``places`` did.

        ``counties`` reported records; ``registered``, ``active`` and ``inactive`` are sums, missing where no county
        reported them, and ``with_active`` and ``with_inactive`` say how many counties did.
        """
        rows = self.reported(year).astype({"state": str} | dict.fromkeys(_COUNTS, "Int64"))
        by_state = rows.groupby("state")
        sums = by_state[list(_COUNTS)].sum(min_count=1)
        places = by_state[list(_COUNTS)].count().set_axis(["counties", "with_active", "with_inactive"], axis=1)
        table = pd.concat([sums, places, by_state.size().rename("places")], axis=1)
        return table[table["counties"] > 0]

    def usable(self, year: int, *, planning_regions: bool = False) -> pd.DataFrame:
        """Return the records of each county by FIPS code, with what was not reported or cannot be right replaced.

        ``records`` can be used, ``active`` of them are active; missing where no election has a number. ``adults`` are
        those of the census by which the counts were checked, and what was reported is beside them, missing where it was
        not. ``flag`` has words of :attr:`flags`, ``note`` a sentence.

        A count that is missing or an outlier is the median rate of the county in the other elections, records per
        adult, times the adults. Where active and inactive records add up to more than the total, the total left the
        inactive ones out, and they are counted. Where they add up to less, or the active ones are missing, these are
        the state's share of the records at the same election, or else the county's median share in the others.

        The note says what was replaced. Alaska is ``02``; Connecticut is by planning region where these are asked for
        and were counted.
        """
        asked = self.election(year), planning_regions
        if asked not in self._used:
            self._used[asked] = self._usable_rows(*asked)
        return self._used[asked].copy()

    @cached_property
    def _used(self) -> dict[tuple[int, bool], pd.DataFrame]:
        return {}

    def _usable_rows(self, year: int, planning_regions: bool) -> pd.DataFrame:
        rows = self.rows[self.rows["year"] == year]
        regions = rows["unit"] == "planning region"
        in_regions = planning_regions and bool(regions.any())
        rows = rows[regions | (rows["state"] != "CT")] if in_regions else rows[~regions]
        own = self._rates.groupby("fips")[["rate", "share"]].median().reindex(rows["fips"].astype(str))
        whole = self._rates[(self._rates["year"] == year) & self._rates["share"].notna()]
        sums = whole.groupby("state")[["active", "registered"]].sum()
        of_state = (sums["active"] / sums["registered"]).reindex(rows["state"].astype(str)).to_numpy()
        share = np.where(np.isnan(of_state), own["share"].to_numpy(), of_state)
        return _usable(rows.reset_index(drop=True), own["rate"].to_numpy(), share)

    @cached_property
    def _rates(self) -> pd.DataFrame:
        """Records per adult and share of active records of every row, missing where they cannot be used."""
        rows = self.rows
        table = rows[["year"]].assign(fips=rows["fips"].astype(str), state=rows["state"].astype(str))
        table["registered"], table["active"] = (rows[name].astype("Float64").astype(float) for name in _COUNTS[:2])
        fine = ~rows["flag"].isin(_NOT_USED)
        table["rate"] = (table["registered"] / rows["adults"].astype(float)).where(fine)
        table["active"] = table["active"].where(table["active"] > 0)
        table["share"] = np.minimum(table["active"] / table["registered"], 1.0)
        table["share"] = table["share"].where(fine & (rows["flag"] != "parts"))
        return table


def _usable(rows: pd.DataFrame, rate: FloatArray, share: FloatArray) -> pd.DataFrame:
    """Replace what cannot be used; the rate and share of each row come from other elections."""
    counted = [rows[name].astype("Float64").to_numpy(float, na_value=np.nan) for name in _COUNTS]
    registered, active, inactive = counted
    adults, flag = rows["adults"].to_numpy(np.float64), rows["flag"].astype(str).to_numpy()
    replaced: BoolArray = np.isin(flag, _NOT_USED)
    active = np.where(active == 0, np.nan, active)  # no list has inactive records alone
    parts = active + np.nan_to_num(inactive)
    with np.errstate(invalid="ignore"):
        longer: BoolArray = ~replaced & (flag == "parts") & (parts > (1 + _APART) * registered)
        short: BoolArray = ~replaced & (np.isnan(active) | ((flag == "parts") & (parts < (1 - _APART) * registered)))
    records = np.where(replaced, np.round(rate * adults), np.where(longer, parts, registered))
    on_it = np.where(replaced | short, np.round(share * records), np.minimum(active, records))
    notes = np.full(len(rows), "", dtype=object)
    notes[short] = "active records: the state's share of all records, because they were not reported whole"
    notes[longer] = "records: active and inactive ones, because the total left the inactive out"
    notes[replaced] = [
        _replaced_words(*values)
        for values in zip(flag[replaced], registered[replaced], records[replaced], adults[replaced], strict=True)
    ]
    numbers = dict(zip(RECORD_NUMBERS, (adults, records, on_it, *counted), strict=True))
    texts = {"state": rows["state"].astype(str).to_numpy(), "flag": flag, "note": notes}
    return pd.DataFrame(texts | numbers, index=pd.Index(rows["fips"].astype(str), dtype=object))


def whole_or_none(numbers: FloatArray) -> list[int | None]:
    """Return the numbers as whole ones, None where there is none."""
    return [None if number != number else int(number) for number in numbers.tolist()]  # NaN is not itself


def _replaced_words(flag: str, reported: float, records: float, adults: float) -> str:
    if np.isnan(records):
        return "no election has a number"
    what = f"reported {reported:,.0f} records ({reported / adults:.2f} per adult)" if flag == "outlier" else "no number"
    return f"{what}: the median rate of the other elections is used ({records / adults:.2f} per adult)"


@cache
def load_registration() -> Registration:
    """Return the counts that ship."""
    facts = shipped_table(f"{FOLDER}/registration.toml")
    path = data_dir() / FOLDER / "by_county.parquet"
    with damaged_if_wrong(path):
        if sha256_of(path) != facts["by_county"]:
            raise SourceError(f"{path}: is not the file that belongs to the program. Install policy-sim again.")
        rows = read_frame(path)
        return Registration(
            rows,
            facts["title"],
            facts["publisher"],
            MappingProxyType(facts["sources"]),
            MappingProxyType(facts["flags"]),
            facts["codes_of"],
        )


# How likely people of each age are to be listed, next to people of other ages: the same in every county.


@dataclass(frozen=True, eq=False)
class AgeShape:
    """How likely people of each class of ages are to be listed, by lists that were counted by age.

    ``starts`` are the least ages of the classes, rising; the last class has no end. ``rate`` is listed per resident of
    all lists together, at most 1, and ``by_list`` that of each list: above 1 where it has people who left.
    """

    starts: IntArray
    rate: FloatArray
    by_list: Mapping[str, FloatArray]
    title: str
    source: str

    def class_of(self, ages: IntArray) -> IntArray:
        """Return the class of each age of ``starts[0]`` or more."""
        return np.searchsorted(self.starts, ages, side="right") - 1

    @property
    def names(self) -> tuple[str, ...]:
        """The classes in words, such as ``18-19`` and ``85+``."""
        ends = [f"-{start - 1}" for start in self.starts[1:]]
        return tuple(f"{start}{end}" for start, end in zip(self.starts, [*ends, "+"], strict=True))


@cache
def load_age_shape(table: str = "age") -> AgeShape:
    """Return the shape that ships: of real lists, or the one to compare it with (``survey_by_age``).

    >>> dict(zip(load_age_shape().names, load_age_shape().rate.round(2).tolist()))["20-24"]
    0.71
    """
    facts = shipped_table(f"{FOLDER}/registration.toml")[table]
    names = [name for name in facts["classes"][0] if name != "from"]
    counts = np.array([[row[name] for name in names] for row in facts["classes"]], dtype=np.float64)
    both = counts.sum(axis=1)
    return AgeShape(
        np.array([row["from"] for row in facts["classes"]]),
        np.minimum(both[:, 0] / both[:, 1], 1.0),
        {name: counts[:, place, 0] / counts[:, place, 1] for place, name in enumerate(names)},
        facts["title"],
        facts["source"],
    )
