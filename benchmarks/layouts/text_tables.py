"""Twenty layouts of tables published as CSV, from descriptions of tables that departments publish."""

from __future__ import annotations

import random

from benchmarks.layouts.drawn import (
    AGES,
    COUNTIES,
    REGIONS,
    Cell,
    Drawn,
    Layout,
    counts,
    percent,
    population,
    rate,
    total,
    total_over,
    with_rates,
)

SEXES = ("Male", "Female")
Rows = list[list[Cell]]


def _one(grid: Rows, **truths: dict[tuple[str, ...], int]) -> Drawn:
    return Drawn({"": grid}, {name: dict(own) for name, own in truths.items()})


def region_rows_first(rng: random.Random) -> Drawn:
    """Flu hospitalizations: a region's row comes before its counties, the state's last; titles and notes."""
    cases = counts(rng, COUNTIES)
    grid: Rows = [
        ["Influenza-associated hospitalizations by county of residence"],
        ["2024-2025 season, through MMWR week 14"],
        [],
        ["County", "Hospitalizations"],
    ]
    for region, own in REGIONS.items():
        grid.append([f"{region} Region", total_over(cases, own)])
        grid += [[county, cases[county,]] for county in own]
    grid += [["Ohio Total", total(cases)], []]
    grid += [["Source: Ohio Disease Reporting System."], ["Data are provisional and subject to change."]]
    return _one(grid, cases=cases)


def region_rows_after(rng: random.Random) -> Drawn:
    """Deaths by year: the subtotal of a region comes below its counties."""
    years = ("2022", "2023", "2024")
    deaths = counts(rng, COUNTIES, years)
    grid: Rows = [["County", *years]]
    for region, own in REGIONS.items():
        grid += [[county, *(deaths[county, year] for year in years)] for county in own]
        grid.append([f"{region} subtotal", *(total_over(deaths, own, year) for year in years)])
    grid.append(["Statewide", *(total(deaths, year) for year in years)])
    return _one(grid, deaths=deaths)


def region_column(rng: random.Random) -> Drawn:
    """Only the first row of a block names its region; a row with the total follows each block."""
    cases = counts(rng, COUNTIES)
    grid: Rows = [["Public Health Region", "County", "Confirmed cases"]]
    for region, own in REGIONS.items():
        grid += [[region if not at else None, county, cases[county,]] for at, county in enumerate(own)]
        grid.append([None, "Region total", total_over(cases, own)])
    grid.append(["Ohio", "All counties", total(cases)])
    return _one(grid, cases=cases)


def sex_over_age(rng: random.Random) -> Drawn:
    """Two header rows: sex above age groups; the state first."""
    ages = ("0-17", "18-64", "65+")
    cases = counts(rng, COUNTIES[:14], SEXES, ages)
    head: list[Cell] = ["", "Male", "", "", "Female", "", "", "Both sexes", "", ""]
    grid: Rows = [["Table 4. Hospital discharges for asthma, by county, sex and age"], head, ["County", *ages * 3]]

    def row(name: str, *labels: str) -> list[Cell]:
        by_sex = [total(cases, *labels, sex, age) for sex in SEXES for age in ages]
        return [name, *by_sex, *(total(cases, *labels, age) for age in ages)]

    grid += [row("Statewide"), *(row(county, county) for county in COUNTIES[:14])]
    return _one(grid, cases=cases)


def number_and_percent(rng: random.Random) -> Drawn:
    """One label and a number with its percentage."""
    races = ("White", "Black or African American", "Asian", "Hispanic", "American Indian", "Other", "Unknown")
    cases = counts(rng, races, mean=4)
    grid: Rows = [["Race/ethnicity", "No.", "%"]]
    grid += [[race, cases[race,], percent(cases[race,], total(cases))] for race in races]
    grid.append(["Total", total(cases), "100.0"])
    return _one(grid, cases=cases)


def number_with_percent(rng: random.Random) -> Drawn:
    """`N (%)` for each sex and the total."""
    stages = ("Local", "Regional", "Distant", "Unstaged", "In situ")
    cases = counts(rng, stages, SEXES, mean=4)
    grid: Rows = [["Stage at diagnosis", "Male, n (%)", "Female, n (%)", "Total, n (%)"]]
    for name, labels in [(stage, (stage,)) for stage in stages] + [("Total", ())]:
        row: list[Cell] = [name]
        for sex in (("Male",), ("Female",), ()):
            count, of = total(cases, *labels, *sex), total(cases, *sex)
            row.append(f"{count:,} ({percent(count, of)}%)")
        grid.append(row)
    return _one(grid, cases=cases)


def footnoted(rng: random.Random) -> Drawn:
    """Counts with footnote signs, explained below."""
    cases = counts(rng, COUNTIES[:16], ("2023", "2024"), mean=3.4)
    grid: Rows = [["County", "2023", "2024"]]
    for at, county in enumerate(COUNTIES[:16]):
        sign = {2: "**", 7: "†", 11: "**"}.get(at, "")
        grid.append([county, cases[county, "2023"], f"{cases[county, '2024']}{sign}"])
    grid.append(["Total", total(cases, "2023"), total(cases, "2024")])
    grid += [["** Includes cases reported by correctional facilities."], ["† Corrected on March 3, 2025."]]
    return _one(grid, cases=cases)


def rates_next_to_counts(rng: random.Random) -> Drawn:
    """Population, deaths, rate and its interval."""
    deaths, people = counts(rng, COUNTIES), population(rng, COUNTIES)
    grid: Rows = [["County", "Population", "Deaths", "Crude rate per 100,000", "95% CI"]]
    for county in COUNTIES:
        own = rate(deaths[county,], people[county])
        grid.append([county, f"{people[county]:,}", deaths[county,], own, f"({own * 0.8:.1f}-{own * 1.25:.1f})"])
    every = sum(people.values())
    grid.append(["Ohio", f"{every:,}", total(deaths), rate(total(deaths), every), ""])
    return _one(grid, deaths=deaths)


def unassigned_rows(rng: random.Random) -> Drawn:
    """Several measures, and rows of people of no county."""
    places = (*COUNTIES[:12], "Out of State", "Unassigned")
    cases, hospital, deaths = (counts(rng, places, mean=mean) for mean in (4.5, 3, 1.6))
    grid: Rows = [["Residence County", "Cases", "Hospitalizations", "Deaths"]]
    grid += [[place, cases[place,], hospital[place,], deaths[place,]] for place in places]
    grid.append(["Total", total(cases), total(hospital), total(deaths)])
    return _one(grid, cases=cases, hospitalizations=hospital, deaths=deaths)


def weeks_as_columns(rng: random.Random) -> Drawn:
    """A week in each column, and the year to date."""
    weeks = tuple(f"Week {at}" for at in range(1, 11))
    cases = counts(rng, COUNTIES, weeks, mean=1.5)
    grid: Rows = [["Pertussis cases by MMWR week, 2025"], ["County", *weeks, "YTD"]]
    grid += [[county, *(cases[county, week] for week in weeks), total(cases, county)] for county in COUNTIES]
    grid.append(["State", *(total(cases, week) for week in weeks), total(cases)])
    return _one(grid, cases=cases)


def weeks_as_rows(rng: random.Random) -> Drawn:
    """A row a week with its last day; regions as columns, the state first."""
    weeks, regions = tuple(f"2025-{at:02}" for at in range(1, 13)), tuple(REGIONS)
    ends = [f"01/{4 + 7 * at:02}/2025" if at < 4 else f"02/{7 * at - 27:02}/2025" for at in range(8)]
    ends += ["03/01/2025", "03/08/2025", "03/15/2025", "03/22/2025"]
    visits = counts(rng, weeks, regions, mean=3.5)
    grid: Rows = [["MMWR week", "Week ending", "Statewide", *regions]]
    for week, end in zip(weeks, ends, strict=True):
        grid.append([week, end, total(visits, week), *(visits[week, region] for region in regions)])
    return _one(grid, visits=visits)


def query_export(rng: random.Random) -> Drawn:
    """What a query system exports: codes next to names, totals marked in a column of notes, a legend below."""
    deaths = counts(rng, COUNTIES[:10], SEXES, mean=4)
    people = population(rng, COUNTIES[:10])
    grid: Rows = [["Notes", "County", "County Code", "Sex", "Sex Code", "Deaths", "Population", "Crude Rate"]]
    for at, county in enumerate(COUNTIES[:10]):
        name, code = f"{county} County, OH", str(39003 + 8 * at)
        for sex in SEXES:
            count, of = deaths[county, sex], people[county] // 2
            grid.append([None, name, code, sex, sex[0], count, of, rate(count, of)])
        of = people[county] // 2 * 2
        grid.append(["Total", name, code, None, None, total(deaths, county), of, rate(total(deaths, county), of)])
    every = sum(of // 2 * 2 for of in people.values())
    grid.append(["Total", None, None, None, None, total(deaths), every, rate(total(deaths), every)])
    grid += [["---"], ["Dataset: Underlying Cause of Death"], ["Query Parameters:"], ["Group By: County; Sex"]]
    return _one(grid, deaths=deaths)


def current_and_cumulative(rng: random.Random) -> Drawn:
    """The weekly table of notifiable diseases: this week, the largest week, and two years to date."""
    areas = {
        "New England": ("Connecticut", "Maine", "Massachusetts", "New Hampshire", "Rhode Island", "Vermont"),
        "Middle Atlantic": ("New Jersey", "New York", "Pennsylvania"),
        "Mountain": ("Arizona", "Colorado", "Idaho", "Montana", "Nevada", "New Mexico", "Utah", "Wyoming"),
    }
    states = tuple(state for own in areas.values() for state in own)
    week, this_year, last_year = (counts(rng, states, mean=mean) for mean in (2, 4, 4.2))
    largest = {key: count + rng.randint(1, 9) for key, count in week.items()}
    measures = (week, largest, this_year, last_year)
    grid: Rows = [
        ["TABLE 1. Weekly cases of selected notifiable diseases, week ending March 29, 2025"],
        ["", "Hepatitis A, acute", "", "", ""],
        ["Reporting area", "Current week", "Previous 52 weeks Max", "Cum YTD 2025", "Cum YTD 2024"],
        ["US residents", *(total(of) for of in measures)],
    ]
    for area, own in areas.items():
        grid.append([area, *(total_over(of, own) for of in measures)])
        grid += [[state, *(of[state,] for of in measures)] for state in own]
    return _one(grid, week=week, this_year=this_year, last_year=last_year)


def all_ages_both_sexes(rng: random.Random) -> Drawn:
    """Ages by sex; `All ages` first, `Both sexes` first."""
    deaths = counts(rng, AGES, SEXES, mean=6)
    grid: Rows = [["Age group", "Both sexes", "Male", "Female"]]
    for name, labels in [("All ages", ()), *((age, (age,)) for age in AGES)]:
        grid.append([name, *(f"{total(deaths, *labels, *sex):,}" for sex in ((), ("Male",), ("Female",)))])
    return _one(grid, deaths=deaths)


def long_with_totals(rng: random.Random) -> Drawn:
    """A row per cell with its totals: Statewide, Both sexes, All ages."""
    ages = ("0-17", "18-64", "65+")
    cases = counts(rng, COUNTIES[:8], SEXES, ages)
    grid: Rows = [["county", "sex", "age_group", "count"]]
    for county in (*COUNTIES[:8], "Statewide"):
        for sex in (*SEXES, "Both sexes"):
            for age in (*ages, "All ages"):
                fixed = [own for own in (county, sex, age) if own not in ("Statewide", "Both sexes", "All ages")]
                grid.append([county, sex, age, total(cases, *fixed)])
    return _one(grid, cases=cases)


def months_in_quarters(rng: random.Random) -> Drawn:
    """Months in columns, each quarter's sum after its months, and the year."""
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    cases = counts(rng, tuple(REGIONS), months, mean=2.8)
    head: list[Cell] = ["Health District"]
    for quarter in range(4):
        head += [*months[3 * quarter : 3 * quarter + 3], f"Q{quarter + 1}"]
    grid: Rows = [["Salmonellosis by month of onset, 2024"], [*head, "Total"]]
    for name, labels in [*((region, (region,)) for region in REGIONS), ("Statewide", ())]:
        row: list[Cell] = [name]
        for quarter in range(4):
            own = [total(cases, *labels, month) for month in months[3 * quarter : 3 * quarter + 3]]
            row += [*own, sum(own)]
        grid.append([*row, total(cases, *labels)])
    return _one(grid, cases=cases)


def codes_and_years(rng: random.Random) -> Drawn:
    """A code next to the name, and a count and rate for each of two years in one header row."""
    years = ("2023", "2024")
    cases, people = counts(rng, COUNTIES, years), population(rng, COUNTIES)
    grid: Rows = [["FIPS", "County", "2023 Cases", "2023 Rate", "2024 Cases", "2024 Rate"]]
    for at, county in enumerate(COUNTIES):
        own = [(cases[county, year], rate(cases[county, year], people[county])) for year in years]
        grid.append([str(39003 + 4 * at), county, *own[0], *own[1]])
    every = sum(people.values())
    state = [(total(cases, year), rate(total(cases, year), every)) for year in years]
    grid.append(["39000", "Ohio", *state[0], *state[1]])
    return _one(grid, cases=cases)


def local_jurisdictions(rng: random.Random) -> Drawn:
    """Sexually transmitted diseases: the state first, names with footnote signs, three years each with a rate."""
    places = ("Alameda", "Berkeley", "Contra Costa", "Fresno", "Kern", "Long Beach", "Marin", "Napa", "Pasadena")
    years = ("2021", "2022", "2023")
    cases, people = counts(rng, places, years, mean=4), population(rng, places)
    head: list[Cell] = ["Local health jurisdiction"]
    for year in years:
        head += [f"Cases {year}", f"Rate {year}"]
    grid: Rows = [["Early syphilis, cases and rates per 100,000, California, 2021-2023"], head]
    signs = dict.fromkeys(("Berkeley", "Pasadena"), "*")
    grid.append(with_rates("California Total", cases, years, sum(people.values())))
    grid += [with_rates(place + signs.get(place, ""), cases, years, people[place], place) for place in places]
    grid += [[], ["* City health jurisdiction; not included in the county's count."]]
    return _one(grid, cases=cases)


def ages_in_months(rng: random.Random) -> Drawn:
    """Pertussis by age: classes in months, a row of unknown ages."""
    ages = ("<6 months", "6-11 months", "1-4 years", "5-9 years", "10-19 years", "20+ years", "Unknown")
    cases = counts(rng, ages, mean=4)
    grid: Rows = [["Age", "Number of cases", "Percent of cases"]]
    grid += [[age, cases[age,], f"{percent(cases[age,], total(cases))}%"] for age in ages]
    grid.append(["All ages", total(cases), "100%"])
    return _one(grid, cases=cases)


def vaccination_status(rng: random.Random) -> Drawn:
    """Measles by county and vaccination; a line of text above and two below."""
    states = ("Unvaccinated or unknown", "1 dose", "2 doses")
    cases = counts(rng, COUNTIES[:9], states, mean=2.2)
    grid: Rows = [["Measles outbreak, as of April 8, 2025"], ["County", *states, "Total cases"]]
    grid += [[place, *(cases[place, own] for own in states), total(cases, place)] for place in COUNTIES[:9]]
    grid.append(["Total", *(total(cases, own) for own in states), total(cases)])
    grid += [["The next update is on April 11."], ["Counts include confirmed cases only."]]
    return _one(grid, cases=cases)


TEXT_LAYOUTS: tuple[Layout, ...] = (
    region_rows_first,
    region_rows_after,
    region_column,
    sex_over_age,
    number_and_percent,
    number_with_percent,
    footnoted,
    rates_next_to_counts,
    unassigned_rows,
    weeks_as_columns,
    weeks_as_rows,
    query_export,
    current_and_cumulative,
    all_ages_both_sexes,
    long_with_totals,
    months_in_quarters,
    codes_and_years,
    local_jurisdictions,
    ages_in_months,
    vaccination_status,
)
