"""Who is on the voter lists, as tables: by year of age, by class of ages, by county and by state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from policy_sim.attackers.county_coverage import AGES, CountyCoverage, surveyed
from policy_sim.people.zips import share_out
from policy_sim.voter_lists.registration import load_registration
from policy_sim.words.arrays import FloatArray, IntArray

_REPORTED = ("registered", "active", "inactive")


def listed_by_age(coverage: CountyCoverage) -> pd.DataFrame:
    """One row per year of age, 18 to 119: ``age, people, listed, stale, records``, whole numbers.

    Sums over the ages are those of the counties, by largest remainder.
    """
    return _whole(coverage, np.arange(len(coverage.county))).reset_index()


def listed_by_age_class(coverage: CountyCoverage) -> pd.DataFrame:
    """One row per state and class of ages: ``state, ages, people, listed, stale, records, listed_share``.

    ``listed_share`` is listed residents per resident (0..1), missing where nobody is of these ages.
    """
    names = np.array(coverage.shape.names)[coverage.shape.class_of(AGES)]
    tables = []
    for state in dict.fromkeys(coverage.state):
        by_age = _whole(coverage, coverage.rows_of([state]))
        table = by_age.groupby(names, sort=False).sum().rename_axis("ages").reset_index()
        tables.append(table.assign(state=state))
    rows = pd.concat(tables, ignore_index=True)
    rows.insert(0, "state", rows.pop("state"))
    return rows.assign(listed_share=_share(rows["listed"], rows["people"]))


def listed_by_county(coverage: CountyCoverage) -> pd.DataFrame:
    """One row per county: people, records as reported, and what is made of them.

    ``state, county, adults, registered, active, inactive, listed, stale, coverage, flag, note``; ``coverage`` is
    listed residents per adult (0..1). What was reported is missing where a county reported nothing.
    """
    reported = pd.DataFrame(list(coverage.reported), columns=list(_REPORTED)).astype("Int64")
    rows = pd.DataFrame({"state": coverage.state, "county": coverage.county, "adults": coverage.adults.sum(axis=1)})
    rows = rows.join(reported).assign(listed=coverage.listed, stale=coverage.stale)
    return rows.assign(coverage=_share(rows["listed"], rows["adults"]), flag=coverage.flag, note=coverage.note)


def flagged_counties(coverage: CountyCoverage) -> pd.DataFrame:
    """The rows of :func:`listed_by_county` whose numbers are particular: capped, replaced, spread or extreme."""
    rows = listed_by_county(coverage)
    return rows[(rows["flag"] != "") | (rows["note"] != "")].reset_index(drop=True)


def listed_by_state(coverage: CountyCoverage) -> pd.DataFrame:
    """One row per state: ``state, adults, registered, active, listed, stale, records, coverage, survey, per_surveyed``.

    ``survey`` is how many people say that they are registered, and ``per_surveyed`` the records for each of them.
    """
    counties = listed_by_county(coverage)
    sums = counties.groupby("state")[["adults", "listed", "stale"]].sum()
    reported = load_registration().reported(coverage.year)
    counted = (
        reported.assign(state=reported["state"].astype(str)).groupby("state")[list(_REPORTED[:2])].sum(min_count=1)
    )
    says = pd.Series(dict(surveyed(coverage.year)), dtype="Int64")
    rows = sums.join(counted.astype("Int64")).reset_index()
    rows = rows[["state", "adults", *_REPORTED[:2], "listed", "stale"]]
    rows = rows.assign(records=rows["listed"] + rows["stale"], coverage=_share(rows["listed"], rows["adults"]))
    rows["survey"] = rows["state"].map(says).astype("Int64")
    return rows.assign(per_surveyed=(rows["records"] / rows["survey"]).astype("Float64"))


# What a table can have rows of.
LISTED_BY: Mapping[str, Callable[[CountyCoverage], pd.DataFrame]] = MappingProxyType(
    {
        "age": listed_by_age,
        "age-class": listed_by_age_class,
        "county": listed_by_county,
        "state": listed_by_state,
        "flag": flagged_counties,
    }
)


def _whole(coverage: CountyCoverage, places: IntArray) -> pd.DataFrame:
    """Return people, listed residents and stale records of some counties by age, whole."""
    listed, stale = (
        _shared_out(int(whole[places].sum()), by_age[places].sum(axis=0))
        for whole, by_age in ((coverage.listed, coverage.listed_by_age), (coverage.stale, coverage.stale_by_age))
    )
    people = coverage.adults[places].sum(axis=0)
    table = pd.DataFrame({"people": people, "listed": listed, "stale": stale}, index=pd.Index(AGES, name="age"))
    return table.assign(records=table["listed"] + table["stale"])


def _shared_out(whole: int, by_age: FloatArray) -> IntArray:
    return share_out(whole, by_age) if whole and by_age.any() else np.zeros(len(by_age), dtype=np.int64)


def _share(part: pd.Series, whole: pd.Series) -> pd.Series:
    return (part / whole.where(whole > 0)).astype("Float64")
