"""Twenty layouts of tables published as Excel workbooks, from descriptions of tables that departments publish."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from benchmarks.layouts.drawn import (
    AGES,
    COUNTIES,
    REGIONS,
    Cell,
    Counts,
    Drawn,
    Labels,
    Layout,
    counts,
    percent,
    population,
    rate,
    total,
    total_over,
    with_rates,
)
from benchmarks.layouts.text_tables import SEXES, Rows

Merges = list[tuple[int, int, int, int]]


def _book(grid: Rows, merges: Merges | None = None, sheet: str = "Sheet1", **truths: dict[Labels, int]) -> Drawn:
    own: dict[str, Counts] = {name: dict(counts) for name, counts in truths.items()}
    return Drawn({sheet: grid}, own, book=True, merges={sheet: merges or []})


def several_sheets(rng: random.Random) -> Drawn:
    """A sheet of notes and two tables; the reader wants the one by county."""
    cases = counts(rng, COUNTIES, ("2023", "2024"))
    by_age = counts(rng, AGES, ("2023", "2024"), mean=5)
    grid: Rows = [["County", "2023", "2024"]]
    grid += [[county, cases[county, "2023"], cases[county, "2024"]] for county in COUNTIES]
    grid.append(["Ohio", total(cases, "2023"), total(cases, "2024")])
    ages: Rows = [["Age group", "2023", "2024"], *([age, by_age[age, "2023"], by_age[age, "2024"]] for age in AGES)]
    notes: Rows = [["Reportable conditions, Ohio"], ["Counts are of confirmed and probable cases."]]
    sheets = {"Notes": notes, "By county": grid, "By age": ages}
    return Drawn(sheets, {"cases": dict(cases)}, book=True, choices={"--sheet": "By county"})


def years_over_measures(rng: random.Random) -> Drawn:
    """A merged year above cases and rate, the county merged over both header rows."""
    years = ("2022", "2023", "2024")
    cases, people = counts(rng, COUNTIES, years), population(rng, COUNTIES)
    grid: Rows = [["County"], [None]]
    for year in years:
        grid[0] += [year, None]
        grid[1] += ["Cases", "Rate"]
    grid += [with_rates(county, cases, years, people[county], county) for county in COUNTIES]
    grid.append(with_rates("Total", cases, years, sum(people.values())))
    merges = [(0, 0, 1, 0), *((0, at, 0, at + 1) for at in (1, 3, 5))]
    return _book(grid, merges, cases=cases)


def merged_regions(rng: random.Random) -> Drawn:
    """Regions merged down the first column, a subtotal at the end of each."""
    cases = counts(rng, COUNTIES, SEXES)
    grid: Rows = [["Region", "County", *SEXES, "Total"]]
    merges: Merges = []
    for region, own in REGIONS.items():
        merges.append((len(grid), 0, len(grid) + len(own), 0))
        for at, county in enumerate(own):
            by_sex = [cases[county, sex] for sex in SEXES]
            grid.append([None if at else region, county, *by_sex, sum(by_sex)])
        by_sex = [total_over(cases, own, sex) for sex in SEXES]
        grid.append([None, "Subtotal", *by_sex, sum(by_sex)])
    by_sex = [total(cases, sex) for sex in SEXES]
    grid.append(["Statewide", None, *by_sex, sum(by_sex)])
    return _book(grid, merges, cases=cases)


def sex_over_number_percent(rng: random.Random) -> Drawn:
    """A merged title, sex over number and percent, notes below."""
    drugs = ("Heroin", "Cocaine", "Alcohol", "Cannabis", "Methamphetamine", "Other")
    cases = counts(rng, drugs, SEXES, mean=4.5)
    grid: Rows = [
        ["Treatment admissions by primary substance and sex, 2024", None, None, None, None, None, None],
        ["Primary substance", "Male", None, "Female", None, "Total", None],
        [None, "Number", "Percent", "Number", "Percent", "Number", "Percent"],
    ]
    for name, labels in [*((drug, (drug,)) for drug in drugs), ("Total", ())]:
        row: list[Cell] = [name]
        for sex in (("Male",), ("Female",), ()):
            row += [total(cases, *labels, *sex), percent(total(cases, *labels, *sex), total(cases, *sex))]
        grid.append(row)
    grid += [[None], ["Percentages may not add up to 100 because of rounding."]]
    return _book(grid, [(0, 0, 0, 6), (1, 0, 2, 0), *((1, at, 1, at + 1) for at in (1, 3, 5))], cases=cases)


def blank_rows_between_regions(rng: random.Random) -> Drawn:
    """A region's row, its counties, a blank row; the state last."""
    years = ("2023", "2024")
    births = counts(rng, COUNTIES, years, mean=3.5)
    grid: Rows = [["Births to mothers under 18"], [None], ["Area", *years]]
    for region, own in REGIONS.items():
        grid.append([region, *(total_over(births, own, year) for year in years)])
        grid += [[county, *(births[county, year] for year in years)] for county in own]
        grid.append([None])
    grid.append(["State Total", *(total(births, year) for year in years)])
    return _book(grid, births=births)


def sheet_per_week(rng: random.Random) -> Drawn:
    """A sheet for each week, in one layout."""
    weeks = ("Week 10", "Week 11", "Week 12")
    cases = counts(rng, COUNTIES[:10], weeks, ("New", "Recovered"), mean=2.5)
    sheets: dict[str, Rows] = {}
    for week in weeks:
        rows: Rows = [["County", "New cases"]]
        rows += [[county, cases[county, week, "New"]] for county in COUNTIES[:10]]
        sheets[week] = [*rows, ["Total", total(cases, week, "New")]]
    truth: Counts = {(county,): cases[county, "Week 12", "New"] for county in COUNTIES[:10]}
    return Drawn(sheets, {"new": truth}, book=True, choices={"--sheet": "Week 12"})


def dated_weeks(rng: random.Random) -> Drawn:
    """Weeks as columns, named by real dates."""
    days = [datetime(2025, 1, 4) + timedelta(days=7 * at) for at in range(8)]
    names = tuple(f"{day:%Y-%m-%d}" for day in days)
    cases = counts(rng, tuple(REGIONS), names, mean=2.5)
    grid: Rows = [["Influenza A cases by week ending"], ["Region", *days, "Season total"]]  # type: ignore[list-item]
    for region in REGIONS:
        grid.append([region, *(cases[region, day] for day in names), total(cases, region)])
    grid.append(["Statewide", *(total(cases, day) for day in names), total(cases)])
    return _book(grid, cases=cases)


def raised_footnotes(rng: random.Random) -> Drawn:
    """Counts with raised signs, some hidden as `<5`, each explained below."""
    cases = counts(rng, COUNTIES[:15], ("Acute", "Chronic"), mean=3)
    grid: Rows = [["Hepatitis B, 2024"], ["County", "Acute", "Chronic"]]
    truth: Counts = {}
    for at, county in enumerate(COUNTIES[:15]):
        texts: list[Cell] = []
        for kind in ("Acute", "Chronic"):
            count = cases[county, kind]
            hidden = 0 < count < 5
            truth[county, kind] = None if hidden else count
            mark = "¹" if at in (3, 8) and not hidden else ""
            texts.append("<5" if hidden else f"{count}{mark}" if mark else count)
        grid.append([county, *texts])
    grid += [["Total", total(cases, "Acute"), total(cases, "Chronic")], [None]]
    grid += [["¹ Includes residents of long-term care facilities."], ["<5: counts of 1 to 4 are not shown."]]
    drawn = _book(grid)
    drawn.truths["cases"] = truth
    return drawn


def number_with_percent_by_race(rng: random.Random) -> Drawn:
    """`N (%)` in a workbook, by year of diagnosis; percentages of the row."""
    races = ("White", "Black", "Asian", "Hispanic", "Multiracial")
    years = ("2021", "2022", "2023")
    cases = counts(rng, races, years, mean=4.2)
    grid: Rows = [["People newly diagnosed with HIV"], ["Race", *(f"{year} No. (%)" for year in years)]]
    for name, labels in [*((race, (race,)) for race in races), ("Total", ())]:
        row: list[Cell] = [name]
        for year in years:
            count = total(cases, *labels, year)
            row.append(f"{count} ({percent(count, total(cases, year))})")
        grid.append(row)
    return _book(grid, cases=cases)


def sexes_over_rates(rng: random.Random) -> Drawn:
    """Deaths, population and rate below each sex; both sexes first."""
    deaths, people = counts(rng, COUNTIES[:12], SEXES), population(rng, COUNTIES[:12])
    half = {(place, sex): people[place] // 2 for place in people for sex in SEXES}
    grid: Rows = [
        ["County", "Both sexes", None, None, "Male", None, None, "Female", None, None],
        [None, *("Deaths", "Population", "Rate") * 3],
    ]
    for name, labels in [("Statewide", ()), *((place, (place,)) for place in people)]:
        row: list[Cell] = [name]
        for sex in ((), ("Male",), ("Female",)):
            count, of = total(deaths, *labels, *sex), total(half, *labels, *sex)
            row += [count, of, rate(count, of)]
        grid.append(row)
    return _book(grid, [(0, 0, 1, 0), (0, 1, 0, 3), (0, 4, 0, 6), (0, 7, 0, 9)], deaths=deaths)


def unknown_county(rng: random.Random) -> Drawn:
    """Rows of people whose county is not known or not in the state; the state's row says its name."""
    places = (*COUNTIES[:14], "Unknown county", "Out-of-state resident")
    cases = counts(rng, places, ("Confirmed", "Probable"), mean=2.8)
    grid: Rows = [["County of residence", "Confirmed", "Probable", "Total"]]
    for name, labels in [*((place, (place,)) for place in places), ("State of Ohio", ())]:
        own = [total(cases, *labels, kind) for kind in ("Confirmed", "Probable")]
        grid.append([name, *own, sum(own)])
    return _book(grid, cases=cases)


def tested_and_positive(rng: random.Random) -> Drawn:
    """People tested, positive, and percent positive."""
    positive = counts(rng, COUNTIES)
    tested = {key: 20 * count + rng.randint(15, 400) for key, count in positive.items()}
    grid: Rows = [
        ["Blood lead testing of children under 6, 2024"],
        ["County", "Children tested", "Elevated", "Percent elevated"],
    ]
    for name, labels in [*((county, (county,)) for county in COUNTIES), ("Ohio Total", ())]:
        own = total(tested, *labels), total(positive, *labels)
        grid.append([name, *own, percent(own[1], own[0])])
    return _book(grid, tested=tested, positive=positive)


def mothers_by_age(rng: random.Random) -> Drawn:
    """Births by county and mother's age; all ages last, the state first."""
    ages = ("Under 15", "15-17", "18-19", "20-24", "25-29", "30-34", "35-39", "40 and over", "Not stated")
    births = counts(rng, COUNTIES, ages, mean=2.6)
    grid: Rows = [["Table 7. Resident births by age of mother, Ohio, 2024"], ["County", *ages, "All ages"]]
    for name, labels in [("Ohio", ()), *((county, (county,)) for county in COUNTIES)]:
        grid.append([name, *(total(births, *labels, age) for age in ages), total(births, *labels)])
    return _book(grid, births=births)


def facilities(rng: random.Random) -> Drawn:
    """Hospitals within counties, the county filled in each row, a row for all facilities."""
    hospitals = {
        "Franklin": ("Riverside", "Grant", "Mount Carmel"),
        "Lucas": ("Toledo", "Flower"),
        "Allen": ("St. Rita's",),
    }
    kinds = ("Inpatient", "Emergency")
    rows = [(county, name) for county, names in hospitals.items() for name in names]
    visits = {(*own, kind): int(rng.lognormvariate(3, 1.1)) for own in rows for kind in kinds}
    grid: Rows = [["County", "Hospital", *kinds, "Total"]]
    for own in rows:
        grid.append([*own, *(visits[*own, kind] for kind in kinds), total(visits, *own)])
    grid.append(["All counties", "All facilities", *(total(visits, kind) for kind in kinds), total(visits)])
    return _book(grid, visits=visits)


def overlapping_drugs(rng: random.Random) -> Drawn:
    """Deaths by drugs found, of which a person may have several."""
    drugs = ("Fentanyl", "Heroin", "Cocaine", "Methamphetamine")
    by_drug = counts(rng, COUNTIES[:15], drugs, mean=2)
    every = {(county,): max(by_drug[county, drug] for drug in drugs) + rng.randint(1, 6) for county in COUNTIES[:15]}
    grid: Rows = [["Overdose deaths by drug mentioned"], ["County", "All overdose deaths", *drugs]]
    for name, labels in [*((county, (county,)) for county in COUNTIES[:15]), ("Total", ())]:
        grid.append([name, total(every, *labels), *(total(by_drug, *labels, drug) for drug in drugs)])
    grid += [["Drugs are not mutually exclusive."]]
    alone = {drug: {(county,): by_drug[county, drug] for county in COUNTIES[:15]} for drug in drugs}
    both = {(county, "All overdose deaths"): count for (county,), count in every.items()} | by_drug
    return _book(grid, every=every, by_drug=by_drug, both=both, **alone)


def years_and_period(rng: random.Random) -> Drawn:
    """A row a year and one for the period."""
    years = tuple(str(year) for year in range(2018, 2025))
    deaths = counts(rng, years, SEXES, mean=3.5)
    grid: Rows = [["Drowning deaths, Ohio residents"], ["Year", *SEXES, "Total"]]
    for name, labels in [*((year, (year,)) for year in years), ("2018-2024", ())]:
        grid.append([name, *(total(deaths, *labels, sex) for sex in SEXES), total(deaths, *labels)])
    return _book(grid, deaths=deaths)


def school_exemptions(rng: random.Random) -> Drawn:
    """Enrolled, exempt and the percentage, by district within county."""
    districts = {county: tuple(f"{county} {kind}" for kind in ("City", "Local")) for county in COUNTIES[:8]}
    rows = [(county, name) for county, names in districts.items() for name in names]
    exempt = {own: int(rng.lognormvariate(2, 1)) for own in rows}
    enrolled = {own: 10 * count + rng.randint(40, 900) for own, count in exempt.items()}
    grid: Rows = [["County", "School district", "Enrolled", "Exempt", "% exempt"]]
    for own in rows:
        grid.append([*own, enrolled[own], exempt[own], percent(exempt[own], enrolled[own])])
    grid.append(["Total", None, total(enrolled), total(exempt), percent(total(exempt), total(enrolled))])
    return _book(grid, enrolled=enrolled, exempt=exempt)


def years_over_number_rate_in_regions(rng: random.Random) -> Drawn:
    """Two header rows with names that repeat, region rows among the counties, a title."""
    years = ("2023", "2024")
    cases, people = counts(rng, COUNTIES, years), population(rng, COUNTIES)
    grid: Rows = [
        ["Chlamydia, number and rate by region and county"],
        ["Region / County", "2023", None, "2024", None],
        [None, *("No.", "Rate") * 2],
    ]

    def row(name: str, own: tuple[str, ...]) -> list[Cell]:
        cells: list[Cell] = [name]
        of = sum(people[county] for county in own)
        for year in years:
            cells += [total_over(cases, own, year), rate(total_over(cases, own, year), of)]
        return cells

    for region, own in REGIONS.items():
        grid += [row(f"{region} Ohio", own), *(row(county, (county,)) for county in own)]
    grid.append(row("Ohio", COUNTIES))
    return _book(grid, [(0, 0, 0, 4), (1, 0, 2, 0), (1, 1, 1, 2), (1, 3, 1, 4)], cases=cases)


def measures_as_rows(rng: random.Random) -> Drawn:
    """Measures in rows, years in columns."""
    measures = ("Cases", "Hospitalizations", "Deaths")
    years = ("2020", "2021", "2022", "2023", "2024")
    numbers = counts(rng, measures, years, mean=4)
    grid: Rows = [["Legionellosis, Ohio"], [None, *years]]
    grid += [[name, *(numbers[name, year] for year in years)] for name in measures]
    return _book(grid, numbers=numbers)


def dash_for_zero(rng: random.Random) -> Drawn:
    """Both sexes first, the state first; a dash is zero and a star is hidden, as a note below says."""
    deaths = counts(rng, COUNTIES[:14], SEXES, mean=2.4)
    grid: Rows = [["Deaths from falls, 2024"], ["County", "Both sexes", *SEXES]]
    truth: Counts = {}
    for name, labels in [("Statewide", ()), *((county, (county,)) for county in COUNTIES[:14])]:
        row: list[Cell] = [name]
        for sex in ((), ("Male",), ("Female",)):
            count = total(deaths, *labels, *sex)
            hidden = bool(labels) and 0 < count < 5
            if labels and sex:
                truth[*labels, *sex] = None if hidden else count
            row.append("*" if hidden else "–" if count == 0 else count)
        grid.append(row)
    grid += [[None], ["– zero"], ["* 1 to 4, not shown"]]
    drawn = _book(grid)
    drawn.truths["deaths"] = truth
    drawn.choices["--mark"] = "–=zero"
    return drawn


BOOK_LAYOUTS: tuple[Layout, ...] = (
    several_sheets,
    years_over_measures,
    merged_regions,
    sex_over_number_percent,
    blank_rows_between_regions,
    sheet_per_week,
    dated_weeks,
    raised_footnotes,
    number_with_percent_by_race,
    sexes_over_rates,
    unknown_county,
    tested_and_positive,
    mothers_by_age,
    facilities,
    overlapping_drugs,
    years_and_period,
    school_exemptions,
    years_over_number_rate_in_regions,
    measures_as_rows,
    dash_for_zero,
)
