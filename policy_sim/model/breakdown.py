"""Who bears the risk, and who is on the list: every measure by race, age, sex or county."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.county_coverage import CountyCoverage
from policy_sim.attackers.county_records import AGES
from policy_sim.attackers.coverage import survey_of_people
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.formulas.match_levels import MatchLevels, levels_by_unit
from policy_sim.model.cases import Case, Cases, Measured, ends_of
from policy_sim.model.measure import TOTAL_RISK, Bounds, Measure, ends_of_figure, group_sizes
from policy_sim.model.measuring import Key
from policy_sim.model.profile import OfCase
from policy_sim.people.places import by_ethnicity, split_people
from policy_sim.people.population import Population, Provenance
from policy_sim.people.zips import share_out
from policy_sim.voter_lists.publication import PublishedColumn, PublishedTable
from policy_sim.voter_lists.registration import load_registration
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import IncompatibleError

_KEYS = ["by", "value", "policy", "attacker", "measure", "g"]


@dataclass(frozen=True, repr=False)
class Part(OfCase):
    """What one part of a state's people bears, by one policy, attacker and measure.

    ``people`` is the expected number at risk among the ``members``, who are ``member_share`` of the state; ``share``
    (0..1) is of the members, ``of_total`` of the state's people at risk by this measure. ``people`` is None where there
    is no list, ``of_total`` also where nobody is at risk. ``in_file`` is the share of the members in the file: 1 where
    everyone is released. Columns that end in ``_high`` have the unknown fields of a list released.

    ``percentile`` (0..1), with total risk: fewer than 5% of the members who are released have a larger chance of a
    correct match (:func:`~policy_sim.formulas.match_levels.upper_percentile`); ``share`` is the mean of these chances.
    """

    columns = (
        "state by value policy attacker measure g members member_share people share of_total people_high share_high "
        "of_total_high percentile_95 percentile_95_high population linkage_key status reason lists in_file"
    )
    by: str
    value: str
    measure: Measure
    members: int
    member_share: float
    people: Bounds | None
    of_total: Bounds | None
    in_file: float = 1.0
    percentile: Bounds | None = None

    @property
    def share(self) -> Bounds | None:
        """People at risk as a share of the part's members who are released."""
        return None if self.people is None else self.people.per(self.members * self.in_file)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return one row."""
        names = ("by", "value", "members", "member_share", "in_file")
        row = self.facts | {name: getattr(self, name) for name in names}
        row |= self.measure.columns | ends_of_figure("people", self.people)
        row |= ends_of_figure("share", self.share) | ends_of_figure("of_total", self.of_total)
        yield row | ends_of_figure("percentile_95", self.percentile)


def break_down(cases: Cases, by: str, *, only_total: bool = False, distinct: bool = True) -> tuple[Part, ...]:
    """Break every measure of every state, policy and attacker down, into the parts that have people.

    ``by``: ``race``, ``ethnicity``, ``age``, ``sex``, ``county`` or ``county-size``. ``only_total``: total risk alone.
    ``distinct``: g-distinct too; without it, total risk and the chances of people.
    """
    if by == "ethnicity":
        cases = replace(cases, population=by_ethnicity(cases.measured_population))
    g = group_sizes(cases.g) if distinct and not only_total else ()
    measures = (TOTAL_RISK, *(Measure("g-distinct", size) for size in g))
    levels: list[MatchLevels] = []

    def figures(groups: AnyGroups, chances: Chances) -> FloatArray:
        total = chances.total_risk(groups)
        if only_total:
            return total[:, None]
        own = _own_chances(groups, chances)
        first = len(levels)
        levels.extend(own)
        sizes = chances.g_distinct(groups, g) if g else np.zeros((len(total), 0))
        return np.column_stack([total, sizes, np.arange(first, len(levels))])

    measured = cases.measure(figures, by, between=True)
    values, members_by_state = _members(cases.counted, by)
    parts: list[Part] = []
    for case in cases:
        members = members_by_state[case.state]
        everyone, ends = int(members.sum()), ends_of(case, measured)
        facts = cases.facts(case) | {"by": by, "in_file": cases.share_in_file(everyone, case.state)}
        for place in np.flatnonzero(members).tolist():
            many = int(members[place])
            facts |= {"value": values[place], "members": many, "member_share": many / everyone}
            at = (
                []
                if only_total
                else [levels[int(measured[key, case.state][place, -1])] for key in _keys(case, measured)]
            )
            percentiles = [of_key.percentile(among=many * facts["in_file"]) or 0.0 for of_key in at]
            own = Bounds(min(percentiles), max(percentiles)) if percentiles else None
            for column, measure in enumerate(measures):
                people, of_total = _bounds(ends, place, column)
                percentile = own if measure == TOTAL_RISK else None
                parts.append(Part(**facts, measure=measure, people=people, of_total=of_total, percentile=percentile))
    return tuple(parts)


def _own_chances(groups: AnyGroups, chances: Chances) -> tuple[MatchLevels, ...]:
    """Return the people of each unit who are in the file by their own chance of a correct match."""
    held = 1.0 if chances.in_file is None else chances.in_file
    return levels_by_unit(chances.candidates(groups), chances.listed, held)


def _keys(case: Case, measured: Measured) -> list[Key]:
    """Return the keys at both ends of a case, and those between them that were measured."""
    between = case.combinations if case.listed_unknown else ()
    return [key for key in (*case.keys, *between) if (key, case.state) in measured]


def _bounds(ends: tuple[FloatArray, FloatArray] | None, place: int, column: int) -> tuple[Bounds | None, Bounds | None]:
    """One part's people at risk and its share of the state's; the second None where nobody is at risk."""
    if ends is None:
        return None, None
    low, high = (float(table[place, column]) for table in ends)
    totals = [float(table[:, column].sum()) for table in ends]
    of_total = Bounds(low / totals[0], high / totals[1]) if min(totals) > 0 else None
    return Bounds(low, high), of_total


def _members(population: Population, by: str) -> tuple[tuple[str, ...], dict[str, NDArray[np.int64]]]:
    """Names of the parts, and how many people each has in each state."""
    split = split_people(population, by)
    column = population.cells["state"].cat
    many = len(split.names)
    code = column.codes.to_numpy().astype(np.int64) * many + split.codes
    sums = np.bincount(code, weights=population.cells["people"].to_numpy(), minlength=many * len(column.categories))
    table = sums.astype(np.int64).reshape(-1, many)
    return split.names, {str(state): row for state, row in zip(column.categories, table, strict=True)}


def over_states(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the rows of a breakdown up over the states that have a figure.

    Returns one row per value, policy, attacker and measure, with the columns ``states`` (how many were added up),
    ``members``, ``member_share``, ``people``, ``share`` and ``of_total``; the low ends of what is not known exactly.
    """
    with_figure = rows[rows["people"].notna()]
    with_figure = with_figure.assign(released=with_figure["members"] * with_figure["in_file"])
    sums = (
        with_figure.groupby(_KEYS, sort=False, dropna=False, observed=True)
        .agg(
            states=("state", "nunique"),
            members=("members", "sum"),
            people=("people", "sum"),
            released=("released", "sum"),
        )
        .reset_index()
    )
    whole = sums.groupby(["policy", "attacker", "measure", "g"], dropna=False)[["members", "people"]].transform("sum")
    sums["member_share"] = sums["members"] / whole["members"]
    sums["share"] = sums["people"] / sums.pop("released")
    sums["of_total"] = sums["people"] / whole["people"].mask(whole["people"] == 0)
    return sums


def area_change_frame(before: pd.DataFrame, after: pd.DataFrame, areas: Mapping[str, str]) -> pd.DataFrame:
    """Return how the risk of each area changed, whatever happened to the counties in between.

    ``areas``: the area of each county, of the same borders in both populations
    (:meth:`policy_sim.people.places.CountyHistory.common_areas`); a county that is not named is its own area. Returns
    one row an area, policy, attacker and measure: ``counties`` of either population, people of the area (``members``),
    shares of them at risk, later minus earlier ``difference`` (``_high``: the unknown fields of a list released). Areas
    that only one population has are left out.
    """
    sides = [_by_area(rows, areas) for rows in (before, after)]
    merged = sides[0].merge(sides[1], on=_AREA_KEYS, suffixes=("_before", "_after"))
    if merged.empty:
        raise IncompatibleError("the populations have no county, policy and attacker in common.")
    held: dict[str, list[str]] = {}
    for county in sorted({*before["value"], *after["value"]}):
        held.setdefault(areas.get(county, county), []).append(county)
    merged["counties"] = [" ".join(held[area]) for area in merged["area"]]
    for end in ("", "_high"):
        for side in ("before", "after"):
            merged[f"share_{side}{end}"] = merged[f"people{end}_{side}"] / merged[f"members_{side}"]
        merged[f"difference{end}"] = merged[f"share_after{end}"] - merged[f"share_before{end}"]
    merged["status"] = merged["status_before"].where(merged["status_before"] != "ok", merged["status_after"])
    merged["reason"] = merged["reason_before"].fillna(merged["reason_after"])
    merged = merged.rename(columns={"population_before": "before", "population_after": "after"})
    shares = [f"{name}{end}" for end in ("", "_high") for name in ("share_before", "share_after", "difference")]
    numbers = ["before", "after", "members_before", "members_after", *shares]
    return merged[[*_AREA_KEYS[:2], "counties", *_AREA_KEYS[2:], *numbers, "status", "reason"]]


_AREA_KEYS = ["state", "area", "policy", "attacker", "measure", "g"]


def _by_area(rows: pd.DataFrame, areas: Mapping[str, str]) -> pd.DataFrame:
    """Add counties up to areas; people at risk and members add up, so that shares follow."""
    table = rows.assign(area=[areas.get(county, county) for county in rows["value"]])
    grouped = table.groupby(_AREA_KEYS, sort=False, dropna=False)
    sums = grouped[["members", "people", "people_high"]].sum(min_count=1)  # nobody known is not nobody
    return sums.join(grouped[["population", "status", "reason"]].first()).reset_index()


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
    says = pd.Series(dict(survey_of_people(coverage.year).by_state), dtype="Int64")
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


_MODELED = {
    "state": "postal code",
    "county": "five-digit FIPS code",
    "age": "years; the oldest classes of the census are spread over theirs",
    "people": "residents of the age",
    "adults": "residents of 18 and over",
    "registered": "records that the county reported; empty where it reported none",
    "active": "active records that it reported",
    "inactive": "inactive records that it reported",
    "listed": "residents on the list, modeled",
    "stale": "records of people who moved away or died, modeled",
    "records": "listed and stale together",
    "coverage": "listed residents per resident (0 to 1)",
    "flag": "what is particular about the county's numbers, words joined by +; empty if nothing is",
    "note": "the same in a sentence: what was capped, replaced or spread",
}
_TYPED = {"coverage": "number", **dict.fromkeys(("state", "county", "flag", "note"), "string")}


def published_coverage(coverage: CountyCoverage, people: Provenance) -> tuple[PublishedTable, ...]:
    """Return who is on the lists by county, and by state and year of age, as tables of the published lists."""
    by_age = [
        _whole(coverage, coverage.rows_of([state])).assign(state=state) for state in dict.fromkeys(coverage.state)
    ]
    ages = pd.concat([table.reset_index() for table in by_age], ignore_index=True)
    ages = ages.assign(coverage=_share(ages["listed"], ages["people"]))
    counties = listed_by_county(coverage)
    counties = counties.assign(records=counties["listed"] + counties["stale"])
    survey, shape = survey_of_people(coverage.year), coverage.shape
    lists = (f"{shape.title}: {shape.source}", f"{survey.title} ({survey.publisher})")
    sources = (*load_registration().sources.values(), *lists, *people.sources)
    notes = (f"people: {people.describe(())}", *coverage.notes())
    return tuple(
        PublishedTable(name, title, _columns(rows, key), _cells(rows), key, notes=notes, sources=sources)
        for name, title, rows, key in (
            ("listed-by-county", "one county and who is on its list", counties, ("county",)),
            ("listed-by-age", "one year of age in a state and who is on its list", ages, ("state", "age")),
        )
    )


def _columns(rows: pd.DataFrame, key: tuple[str, ...]) -> tuple[PublishedColumn, ...]:
    return tuple(
        PublishedColumn(name, _TYPED.get(name, "integer"), meaning, required=name in key)
        for name, meaning in _MODELED.items()
        if name in rows
    )


def _cells(rows: pd.DataFrame) -> tuple[Mapping[str, str], ...]:
    """Return the rows in the words of a file: a share to six digits, an empty cell for what is missing."""
    shares = {"coverage": rows["coverage"].map(lambda share: f"{share:.6f}", na_action="ignore")}
    cells = rows.assign(**shares)[[name for name in _MODELED if name in rows]].astype("string").fillna("")
    return tuple(dict(zip(cells.columns, row, strict=True)) for row in cells.itertuples(index=False))


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
