"""Commands about people."""

from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.commands import command, group
from policy_sim.cli.options import DAY, FILE, FOLDER, format_option, many_states_option, option, population_option
from policy_sim.cli.output import Progress, meaning, print_rows, write_file
from policy_sim.words.errors import InputError, PolicySimError, SourceError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    from policy_sim.people.store import Entry


@group()
def population() -> None:
    """Show how the census populations were made, or build one again.

    Each population has people by county, sex, age and race. The census counts part of it; the rest is modeled.

    \b
    Examples:
      policy-sim model population list
      policy-sim model population show us-2020
      policy-sim model population zip3
      policy-sim model population zip 43604
      policy-sim model population races OH
      policy-sim dev build-population us-2010 --from tables/ --out rebuilt/
    """


@population.command("list")
@format_option
@meaning(
    "Where each population comes from: the shares of its people that a census counted, an agency estimated, and this "
    "program modeled."
)
def list_populations(form: str) -> None:
    """List the populations: date, people, cells, and the shares counted and modeled.

    \b
    Example:
      policy-sim model population list --format csv
    """
    from policy_sim.people.facts import populations_frame
    from policy_sim.show.summary import populations_text

    print_rows(populations_frame(), form, table=populations_text)


@population.command("show")
@click.argument("name", metavar="NAME")
@format_option
def show_population(name: str, form: str) -> None:
    """Show one population: its sources, how it was made, and its measured error.

    \b
    Example:
      policy-sim model population show us-2020
    """
    from policy_sim.people.facts import facts_of_population, population_frame
    from policy_sim.show.summary import population_text

    print_rows(population_frame(name), form, table=lambda _: population_text(name, facts_of_population(name)))


@population.command("zip3")
@option(
    "--most",
    type=click.IntRange(min=0),
    help="List the prefixes with this many people or fewer. [default: 20,000, as Safe Harbor]",
)
@format_option
@meaning("Three-digit ZIP codes with so few people that Safe Harbor shows 000 in their place, by census.")
def small_zip3_codes(most: int | None, form: str) -> None:
    """List the three-digit ZIP codes that Safe Harbor shows as 000, by census, with people, source and check.

    For Census 2000 that is the list that the Department of Health and Human Services printed; for 2010 and 2020, sums
    over ZIP code tabulation areas.

    \b
    Examples:
      policy-sim model population zip3
      policy-sim model population zip3 --format csv > zip3.csv
    """
    from policy_sim.people.names import small_zip3_frame, small_zip3_notes

    rows = small_zip3_frame(most)
    print_rows(rows, form, small_zip3_notes(rows))


@population.command("zip")
@click.argument("code", metavar="CODE")
@format_option
@meaning(
    "Who lives in a ZIP code area, by census: how many of its people are of each age and group, and which part of all "
    "people of its counties that is."
)
def zip_area(code: str, form: str) -> None:
    """Show what is known of a ZIP code area (five digits): its counties, and its people by age and group.

    The census counts the people of the area, its adults by group (Hispanic, and the others by race), and its minors;
    everything else is fitted to these counts and to those of the area's counties.

    \b
    Examples:
      policy-sim model population zip 43604
      policy-sim model population zip 43604 --format csv
    """
    from policy_sim.people.zip_areas import zip_area_frame, zip_area_notes

    rows = zip_area_frame(code)
    print_rows(rows, form, zip_area_notes(rows))


@population.command("races")
@many_states_option
@population_option
@option(
    "--least",
    type=click.IntRange(min=1),
    help="Races of fewer people in a county are shown as Other. [default: 50, as in IHE's handbook]",
)
@format_option
@meaning("People of each race in each county, and which races so few people have that a table shows them as Other.")
def race_pools(states: tuple[str, ...], population: str | None, least: int | None, form: str) -> None:
    """List the races of so few people in a county that they become Other: the rule of IHE's family planning example.

    \b
    Examples:
      policy-sim model population races OH
      policy-sim model population races OH WY --least 100 --population us-2010 --format csv
    """
    from policy_sim.files.paths import DEFAULT_POPULATION
    from policy_sim.people.race_pools import LEAST_OF_A_RACE, race_pools_frame, race_pools_notes

    name, fewest = population or DEFAULT_POPULATION, least or LEAST_OF_A_RACE
    rows = race_pools_frame(states, name, fewest)
    print_rows(rows, form, race_pools_notes(rows, name, fewest))


@population.command("build")
@click.argument("name", metavar="NAME")
@option(
    "--from",
    "source",
    type=FOLDER,
    metavar="DIR",
    help="Folder with the official tables (docs/population-details.md lists the files).",
)
@option(
    "--zip",
    "fetched",
    metavar="FETCHED",
    help="In place of --from: people by county and ZIP code area, saved by 'dev census fetch --geography zcta-county' "
    "under this name. They are given single years of age as NAME has them, and saved as FETCHED-years.",
)
@option(
    "--out",
    type=FOLDER,
    metavar="DIR",
    help="With --from: folder for populations/NAME.parquet and manifest.toml. [default: data]",
)
@option(
    "--without-joint",
    is_flag=True,
    help="Model every state, even those with a published table of county, sex, age and race. The population is called "
    "NAME-fitted.",
)
def rebuild(name: str, source: Path | None, fetched: str | None, out: Path | None, without_joint: bool) -> None:
    """Build a population again from the official tables, or by ZIP code from fetched ones.

    The same tables give the same file.

    \b
    Examples:
      policy-sim dev build-population us-2010 --from tables/ --out rebuilt/
      policy-sim dev build-population us-2010 --from tables/ --out rebuilt/ --without-joint
      policy-sim dev build-population us-2020 --zip dhc-2020-zcta-county-de
    """
    if (source is None) == (fetched is None):
        raise InputError("give --from with the folder of the tables, or --zip with the name of what was fetched.")
    if fetched is not None:
        from policy_sim.people.by_name import load_kept, load_population
        from policy_sim.people.census.single_years import build_by_zip
        from policy_sim.people.store import PopulationCache

        if without_joint or out is not None:
            raise InputError("--out and --without-joint are of --from: remove them.")
        cache = PopulationCache()
        _report(build_by_zip(load_population(name), load_kept(fetched, cache), cache))
        return
    assert source is not None  # one of the two is given
    try:
        from policy_sim.building.recipes import build_population
    except ModuleNotFoundError as error:
        if error.name != "policy_sim.building":
            raise
        raise InputError(
            "dev build-population runs from a clone of the project: an installed package has no code for it."
        ) from None
    with Progress() as progress:
        built = build_population(
            name,
            source,
            out or Path("data"),
            progress=lambda state: progress(f"fitting {name}, {state}"),
            with_joint=not without_joint,
        )
    click.echo(f"{built.path}: {built.facts['people']:,} people in {built.facts['cells']:,} cells")
    click.echo(f"sha256 {built.facts['sha256']}: {built.verdict}")


@command()
@click.argument("state")
@population_option
@option("--people", type=click.IntRange(min=1), help="How many people to draw at random. [default: everyone]")
@option("--seed", type=click.IntRange(min=0), default=1, help="The same seed gives the same people.")
@option("--census-day", type=DAY, help="The date on which everyone has their census age. [default: the population's]")
@option("--out", required=True, type=FILE, metavar="FILE", help="A .csv or .parquet file to write.")
def synth(
    state: str, population: str | None, people: int | None, seed: int, census_day: dt.date | None, out: Path
) -> None:
    """Write synthetic people of one STATE, with birth date, sex, race, county and an invented name.

    The command draws them from the census cells, as 'model simulate' does. It marks every row as synthetic.

    \b
    Examples:
      policy-sim dev synth DE --people 1000 --out people.csv
      policy-sim dev synth WY --population us-2010 --seed 7 --out wyoming.parquet
    """
    if out.suffix not in (".csv", ".parquet"):
        raise InputError(f"--out {out}: the ending {out.suffix!r} is not one of .csv, .parquet.")
    study = policy_sim.Study(population)
    table = study.synthesize(state, people=people, seed=seed, census_day=census_day)
    write_file(table, out)
    click.echo(
        f"Wrote {len(table):,} synthetic people to {out}; source: {study.people.provenance.describe()}", err=True
    )


_EDITIONS = ("sf1-2000", "sf1-2010", "dhc-2020")
_SURVEYS = ("acs5-2020", "acs5-2021", "acs5-2022", "acs5-2023")
_GEOGRAPHIES = ("county", "tract", "zcta", "zcta-county")
_FORMATS = ("sf1-2000", "sf1-2010", "co-est00int", "cc-est", "pct12-csv")
_KEY = "CENSUS_API_KEY"


@group()
def census() -> None:
    """Fetch or load census tables in which every cell is counted.

    The program saves them under a name, and every other command takes that name as --population.

    \b
    Examples:
      policy-sim dev census fetch sf1-2010 --state DE
      policy-sim dev census load Summary_File_1/ --as sf1-2000
      policy-sim compare --population sf1-2010-de
    """


@census.command()
@click.argument("edition", type=click.Choice((*_EDITIONS, *_SURVEYS)))
@many_states_option
@option(
    "--geography",
    type=_GEOGRAPHIES,
    default="county",
    help="The places to fetch. Tracts, ZIP code areas (zcta) and their parts in each county (zcta-county) take one "
    "request per state and part of a table.",
)
@option("--ethnicity", is_flag=True, help="Fetch the tables by Hispanic origin too: twice as many requests.")
@option("--url", metavar="ADDRESS", help="The service's address. [default: POLICY_SIM_CENSUS_URL, or the Bureau's]")
def fetch(edition: str, states: tuple[str, ...], geography: str, url: str | None, *, ethnicity: bool) -> None:
    """Fetch sex by age by race from the census service, check it against published totals and save it.

    The key comes from the environment variable CENSUS_API_KEY or from a prompt; it is never saved. An interrupted
    fetch resumes where it stopped, and answers that are already here are not requested again.

    \b
    Examples:
      policy-sim dev census fetch sf1-2010
      policy-sim dev census fetch sf1-2000 --state OH --state DE
      policy-sim dev census fetch dhc-2020 --state DE --geography tract
      policy-sim dev census fetch sf1-2010 --state DE --geography zcta-county
      policy-sim dev census fetch dhc-2020 --state DE --ethnicity
      policy-sim dev census fetch acs5-2022 --state DE --geography zcta
    """
    from policy_sim.people.census.fetch import fetch_population
    from policy_sim.people.store import PopulationCache

    if edition in _SURVEYS:
        _fetch_survey(edition, states, geography, url, ethnicity=ethnicity)
        return
    with Progress() as progress:
        entry = fetch_population(
            edition,
            _key,
            cache=PopulationCache(),
            states=states,
            geography_name=geography,
            ethnicity=ethnicity,
            url=url or "",
            progress=lambda answered, needed: progress(f"fetching {edition}", answered, needed),
        )
    _report(entry)


def _fetch_survey(name: str, states: tuple[str, ...], geography: str, url: str | None, *, ethnicity: bool) -> None:
    from policy_sim.people.census.survey import fetch_survey
    from policy_sim.people.store import PopulationCache

    if ethnicity:
        raise InputError(f"--ethnicity: {name} has no tables of race and origin together. Remove it.")
    with Progress() as progress:
        entry = fetch_survey(
            name,
            _key,
            cache=PopulationCache(),
            states=states,
            geography=geography,
            url=url or "",
            progress=lambda answered, needed: progress(f"fetching {name}", answered, needed),
        )
    _report(entry)


@census.command()
@click.argument("path", metavar="PATH")
@option("--as", "form", type=_FORMATS, required=True, help="Format of the files.")
@option(
    "--name",
    metavar="NAME",
    default="",
    help="Save the population under this name. [default: made from the format and the states]",
)
@option(
    "--year",
    type=int,
    default=0,
    help="For pct12-csv, the census (2000, 2010 or 2020); for estimates, the YEAR code. [default: read from the files]",
)
@option(
    "--geography",
    type=("county", "tract"),
    default="county",
    help="Which places to read from Summary File 1. The other files have only counties.",
)
@option("--partial", is_flag=True, help="Accept missing counties; you left them out on purpose.")
@option(
    "--place",
    "places",
    multiple=True,
    metavar="NAME=CODE",
    help="County code of a place that the file names without a code; repeat for more.",
)
def load(path: str, form: str, places: tuple[str, ...], **options: Any) -> None:
    """Load the Bureau's files from a folder, a zip or one file, check them against published totals and save them.

    \b
    Examples:
      policy-sim dev census load Summary_File_1/ --as sf1-2010
      policy-sim dev census load co-est00int-alldata-10.csv --as co-est00int --year 12
      policy-sim dev census load cook.csv --as pct12-csv --year 2010 --partial --place 'Cook County, Illinois=17031'
    """
    from policy_sim.people.census.load import load_files, places_from
    from policy_sim.people.store import PopulationCache

    _report(load_files(path, form, cache=PopulationCache(), places=places_from(places), **options))


@census.command("list")
@format_option
def list_kept(form: str) -> None:
    """List the saved populations.

    \b
    Examples:
      policy-sim dev census list
      policy-sim dev census list --format json
    """
    import pandas as pd

    from policy_sim.people.store import PopulationCache

    cache = PopulationCache()
    entries = [cache.entry(name) for name in cache.names()]
    columns = ("name", "date", "people", "rows", "title", *(() if form == "text" else ("ages", "retrieved", "sha256")))
    rows = pd.DataFrame([[getattr(entry, name) for name in columns] for entry in entries], columns=list(columns))
    if entries or form != "text":
        print_rows(rows, form)
    else:
        click.echo("No population is saved yet. 'policy-sim dev census fetch --help' shows how to get one.")


@census.command("show")
@click.argument("name")
@format_option
def show_kept(name: str, form: str) -> None:
    """Show a saved population: its source, the checks it passed, notes, and the effect of the noise of 2020.

    \b
    Examples:
      policy-sim dev census show sf1-2010-de
      policy-sim dev census show sf1-2010-de --format json
    """
    import pandas as pd

    from policy_sim.people.store import PopulationCache

    facts = _facts(PopulationCache().entry(name))
    rows = pd.DataFrame(facts, columns=["fact", "value"])
    print_rows(rows, form, table=lambda _: "\n".join(f"{fact:10} {_spaced(value)}" for fact, value in facts))


@census.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@format_option
def check(names: tuple[str, ...], form: str) -> None:
    """Verify saved files against their checksums, and rebuild damaged ones from their sources when available.

    \b
    Examples:
      policy-sim dev census check
      policy-sim dev census check sf1-2010-de
    """
    import pandas as pd

    from policy_sim.people.by_name import load_kept
    from policy_sim.people.store import PopulationCache

    cache = PopulationCache()
    rows, problems = [], []
    for name in names or cache.names():
        try:
            state = "damaged, rebuilt" if cache.damage(cache.entry(name)) else "whole"
            if state != "whole":
                load_kept(name, cache)
        except PolicySimError as error:
            state = "damaged" if cache.has(name) else "not here"
            problems.append(str(error))
        rows.append((mask_credentials(name), state))
    if rows or form != "text":
        print_rows(pd.DataFrame(rows, columns=["name", "state"]), form)
    if problems:
        raise SourceError("\n".join(problems))


@census.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove(names: tuple[str, ...]) -> None:
    """Delete saved populations, and the answers they were made from.

    \b
    Example:
      policy-sim dev census remove sf1-2010-de
    """
    from policy_sim.people.store import PopulationCache

    for name in names:
        PopulationCache().remove(name)
        click.echo(f"{name}: removed")


def _key() -> str:

    key = os.environ.get(_KEY, "").strip()
    if not key and sys.stdin.isatty():
        key = str(click.prompt("census key", hide_input=True, err=True))
    if not key:
        raise InputError(f"{_KEY} is not set. Request a key at https://api.census.gov/data/key_signup.html.")
    return key


def _facts(entry: Entry) -> list[tuple[str, str]]:
    """What ``show`` prints, one fact per line; a name may stand on several lines."""
    plain = ("name", "title", "publisher", "date", "how", "universe", "ages", "geography")
    facts = [(word, str(getattr(entry, word))) for word in plain]
    facts += [("people", str(entry.people)), ("rows", str(entry.rows))]
    facts += [("retrieved", entry.retrieved), ("sha256", entry.sha256)]
    for word, lines in (("source", entry.addresses), ("check", entry.checks), ("note", entry.notes)):
        facts += [(word, line) for line in lines]
    return facts + [("noise", line) for line in _noise_lines(entry)]


def _spaced(value: str) -> str:
    return f"{int(value):,}" if value.isdigit() else value


def _noise_lines(entry: Entry) -> list[str]:
    """Return what noise did to total risk and 1-distinct where both versions of the counts were published."""
    from policy_sim.people.facts import carries_noise, noise_effects
    from policy_sim.show.numbers import percent

    if not carries_noise(entry):
        return []
    return ["effect of such noise, measured on Kentucky 2010, attacker GENERAL:"] + [
        f"  {effect.measure} on {effect.key}: {percent(effect.counted)} as counted, {percent(effect.noised)} with noise"
        for effect in noise_effects()
        if effect.measure in ("total-risk", "1-distinct")
    ]


def _report(entry: Entry) -> None:
    click.echo(f"{entry.name}: {entry.people:,} people in {entry.rows:,} cells; {entry.title}.")
    for line in (*entry.checks, *entry.notes):
        click.echo(f"  {line}")
    click.echo(f"Use it with: --population {entry.name}")
