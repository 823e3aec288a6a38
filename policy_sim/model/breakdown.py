"""Who bears the risk, and who is on the list: every measure by race, age, sex or county."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.county_coverage import AGES, CountyCoverage, survey_of_people
from policy_sim.formulas.bins import bins_of_size
from policy_sim.formulas.groups import Chances, MeasuredGroups
from policy_sim.model.cases import Cases, ends_of
from policy_sim.model.measure import TOTAL_RISK, Bounds, Measure, Shown, group_sizes, kinds_of, tidy_rows
from policy_sim.people.places import able_to_show, by_ethnicity, codes_of_key, split_people, visible_places
from policy_sim.people.population import Population, Provenance
from policy_sim.people.zips import share_out
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.voter_lists.publication import PublishedColumn, PublishedTable
from policy_sim.voter_lists.registration import load_registration
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, race_comparison
from policy_sim.words.status import Status

_KEYS = ["by", "value", "policy", "attacker", "measure", "g"]


@dataclass(frozen=True, repr=False)
class Part(Shown):
    """What one part of a state's people bears, by one policy, attacker and measure.

    ``people`` is the expected number at risk among the ``members``; ``share`` (0..1) is of the members,
    ``of_total`` of the state's people at risk by this measure. ``people`` is None where there is no
    list, ``of_total`` also where nobody is at risk. ``in_file`` is the share of the members in the file: 1 where
    everyone is released.
    """

    state: str
    by: str
    value: str
    policy: str
    attacker: str
    measure: Measure
    members: int
    member_share: float
    people: Bounds | None
    of_total: Bounds | None
    population: str
    linkage_key: str
    status: Status
    reason: str
    lists: str
    in_file: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

    def to_frame(self) -> pd.DataFrame:
        """Return one row (:func:`breakdown_frame`)."""
        return breakdown_frame([self])

    @property
    def share(self) -> Bounds | None:
        """People at risk as a share of the part's members who are released."""
        return None if self.people is None else self.people.per(self.members * self.in_file)


def break_down(cases: Cases, by: str, *, only_total: bool = False) -> tuple[Part, ...]:
    """Break every measure of every state, policy and attacker down.

    ``by``: ``race``, ``ethnicity``, ``age``, ``sex``, ``county`` or ``county-size``. ``only_total``: total risk alone.
    """
    if by == "ethnicity":
        cases = replace(cases, population=by_ethnicity(cases.measured_population))
    g, in_file = () if only_total else group_sizes(cases.g), cases.in_file
    measures = (TOTAL_RISK, *(Measure("g-distinct", size) for size in g))

    def figures(groups: MeasuredGroups, chances: Chances) -> FloatArray:
        total = chances.total_risk(groups)
        return np.column_stack([total, chances.g_distinct(groups, g)]) if g else total[:, None]

    measured = cases.measure(figures, by, between=True)
    values, members = _members(cases.counted, by)
    parts: list[Part] = []
    for case in cases:
        state_people = int(members[case.state].sum())
        share = in_file.share_of(state_people, case.state) if in_file else 1.0
        facts = {**case.facts, "population": cases.population.name, "by": by, "in_file": share}
        parts += _parts_of(facts, measures, ends_of(case, measured), values, members[case.state])
    return tuple(parts)


def _parts_of(
    facts: dict[str, Any],
    measures: Sequence[Measure],
    bounds: tuple[FloatArray, FloatArray] | None,
    values: Sequence[str],
    members: NDArray[np.int64],
) -> Iterator[Part]:
    """The parts of one case that have people, each under every measure."""
    for place in np.flatnonzero(members).tolist():
        for column, measure in enumerate(measures):
            people, of_total = _bounds(bounds, place, column)
            yield Part(
                **facts,
                value=values[place],
                measure=measure,
                members=int(members[place]),
                member_share=float(members[place] / members.sum()),
                people=people,
                of_total=of_total,
            )


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


def breakdown_frame(parts: Sequence[Part]) -> pd.DataFrame:
    """Return one row per state, value, policy, attacker and measure.

    ``members`` are the value's people and ``member_share`` their share of the state; ``people`` are those
    at risk among them, ``share`` the same of the members and ``of_total`` of the state's people at risk.
    Columns that end in ``_high`` have the unknown fields of a list released.
    """
    ends = ("people", "share", "of_total")
    names = [
        *("state", "by", "value", "policy", "attacker", "measure", "g", "members", "member_share", *ends),
        *(f"{name}_high" for name in ends),
        *("population", "linkage_key", "status", "reason", "lists", "in_file"),
    ]
    rows = [
        (
            *(part.state, part.by, part.value, part.policy, part.attacker, part.measure.name, part.measure.g),
            *(part.members, part.member_share),
            *(bounds.low if bounds else None for bounds in (part.people, part.share, part.of_total)),
            *(bounds.high if bounds else None for bounds in (part.people, part.share, part.of_total)),
            *(part.population, part.linkage_key, str(part.status), part.reason, part.lists or None, part.in_file),
        )
        for part in parts
    ]
    numbers = ("g", "members", "member_share", "in_file", *ends, *(f"{name}_high" for name in ends))
    text = [name for name in names if name not in numbers]
    return tidy_rows(rows, kinds_of(names, text=text, whole=("g", "members")))


def over_states(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the rows of :func:`breakdown_frame` up over the states that have a figure.

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


# Years of birth made of ages: who was counted at an age on census day was born in one of two years.
#
# On April 1 a person of age ``a`` was born in the year ``Y - a`` with the chance ``q`` of a birthday from
# January 1 to April 1, and in ``Y - a - 1`` otherwise. A year of birth thus holds part of two ages, where
# Benitez & Malin 2010 let the age stand for it.


def year_chances(age: IntArray, width: IntArray, early: float) -> FloatArray:
    """Return the chance that a person of each class of age was born this many years before the census.

    ``age``, ``width``: lowest age of each class and the years it holds, all equally likely. ``early``: share (0..1) of
    the year's people born from January 1 to census day. Returns the shape (classes, years): column
    ``k`` is the year ``k`` before that of the census. Rows add up to 1.

    >>> year_chances(np.array([0, 1]), np.array([1, 2]), 0.25).tolist()
    [[0.25, 0.75, 0.0, 0.0], [0.0, 0.125, 0.5, 0.375]]
    """
    years = int((age + width).max(initial=0)) + 1
    chances = np.zeros((len(age), years))
    for row, (low, many) in enumerate(zip(age.tolist(), width.tolist(), strict=True)):
        chances[row, low : low + many] += early / many
        chances[row, low + 1 : low + many + 1] += (1 - early) / many
    return chances


def years_of_birth(people: IntArray, chances: FloatArray, g: Sequence[int]) -> FloatArray:
    """Return total risk and g-distinct of people who fall into years of birth by chance.

    ``people``: by group and class of age, shape (groups, classes). ``chances``: as :func:`year_chances`, shape
    (classes, years). ``g``: group sizes, each >= 1. Returns people, shape (1 + len(g),): the expected number of years
    that hold anyone, and of people who share their year with fewer than g others; summed over groups.
    """
    missed = people @ np.log1p(-chances)
    figures = [float(-np.expm1(missed).sum())]
    sizes = np.arange(max(g) + 1)
    held = np.zeros((chances.shape[1], max(g) + 1))
    for year, column in enumerate(chances.T):
        held[year] = _sizes(people, column, max(g)).sum(axis=0)
    figures += [float((held * sizes)[:, : size + 1].sum()) for size in g]
    return np.array(figures)


def _sizes(people: IntArray, chance: FloatArray, most: int) -> FloatArray:
    """Chance that each group has 0, 1, ..., ``most`` people in one year; shape (groups, most + 1)."""
    chances = np.zeros((len(people), most + 1))
    chances[:, 0] = 1.0
    for place in np.flatnonzero(chance):
        p = float(chance[place])
        of_place = bins_of_size(people[:, place][:, None], 1 / p, np.arange(most + 1)) * p
        chances = np.stack(
            [(chances[:, : size + 1] * of_place[:, size::-1]).sum(axis=1) for size in range(most + 1)], axis=1
        )
    return chances


def by_year_of_birth(
    population: Population,
    key: Granularities,
    state: str,
    early: float,
    g: Sequence[int],
    conditions: Conditions = NO_CONDITIONS,
) -> FloatArray | None:
    """Return total risk and g-distinct of a state on a key by year of birth; None where the key has another.

    ``early``: share (0..1) of the year's people born from January 1 to census day. ``conditions``: what the policy
    shows less finely. Who is of the top age or older on census day is in its class, whatever the year of birth.
    """
    if key[Field.BIRTH] != "year" or race_comparison(key) is not None:
        return None
    if key[Field.GEOGRAPHY] == "nation":
        raise InputError("years of birth are computed state by state: use a key with the state.")
    population = able_to_show(population, [key])
    in_state = (population.cells["state"] == state).to_numpy()
    cells = population.cells[in_state]
    parts = [np.zeros(len(cells), dtype=np.int64)]
    if key[Field.GEOGRAPHY] != "state":
        parts.append(visible_places(population, key[Field.GEOGRAPHY], conditions.small_places)[in_state])
    parts += [codes[in_state] for codes in codes_of_key(population, key)]
    group = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].reshape(-1)
    ages, kind = np.unique(cells[["age", "age_width"]].to_numpy(np.int64), axis=0, return_inverse=True)
    table = np.zeros((int(group.max()) + 1, len(ages)), dtype=np.int64)
    np.add.at(table, (group, kind.reshape(-1)), cells["people"].to_numpy())
    old = ages[:, 0] >= (conditions.top_age or np.iinfo(np.int64).max)
    young = years_of_birth(table[:, ~old], year_chances(ages[~old, 0], ages[~old, 1], early), g)
    top = table[:, old].sum(axis=1)
    oldest: FloatArray = np.array([(top > 0).sum(), *(top[top <= size].sum() for size in g)], dtype=np.float64)
    return young + oldest


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
