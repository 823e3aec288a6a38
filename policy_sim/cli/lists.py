"""Commands about voter lists: what they hold, cost and allow."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import policy_sim
from policy_sim.cli.dataset import MEMORY, MISSING_CODES, SHEET, TABLE
from policy_sim.cli.inputs import INPUT, RECORDS
from policy_sim.cli.lists_files import (
    chosen_lists,
    database_option,
    every_list,
    lists,
    state_lists,
    when_options,
    which_lists_options,
    write_text,
)
from policy_sim.cli.options import (
    DAY,
    FILE,
    FORMATS,
    Form,
    format_option,
    g_option,
    hipaa_option,
    lists_option,
    many_states_option,
    option,
    out_options,
    policies_option,
    population_option,
    released_option,
)
from policy_sim.cli.output import Output, Progress, meaning, print_rows, put
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES, find_state

if TYPE_CHECKING:
    from policy_sim.study.answers import Answer

LIST_DAY = option(
    "--day",
    type=DAY,
    metavar="DAY",
    help="When the list was taken, as 2024-11-05. [default: the day of the election whose records are taken]",
)


@lists.command()
@option(
    "--coding",
    type=INPUT,
    metavar="FILE",
    help="A second coding: a filled-in sheet from 'dev lists coding-sheet'. [default: the shipped one]",
)
@option("--disagreements", is_flag=True, help="List the facts on which the two codings differ.")
@format_option
def agreement(coding: Path | None, disagreements: bool, form: str) -> None:
    """Compare the list facts with a second, independent coding of some of them: agreement and Cohen's kappa by item.

    \b
    Examples:
      policy-sim dev lists agreement
      policy-sim dev lists agreement --disagreements --format csv
    """
    from policy_sim.show.numbers import percent
    from policy_sim.voter_lists.coding import (
        agreement_frame,
        changed_since,
        disagreements_frame,
        fact_keys,
        first_codes,
        read_coding,
        read_decisions,
        shipped_coding,
    )
    from policy_sim.voter_lists.files import described_lists

    lists, second = described_lists(), read_coding(coding or shipped_coding("second"))
    now, every = first_codes(lists, second), fact_keys(lists)
    then = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))} if coding is None else now
    notes = [f"coded twice: {len(second):,} of {len(every):,} facts ({percent(len(second) / len(every))})"]
    if changed := changed_since(then, now):
        notes.append(f"changed since the comparison: {', '.join(' '.join(key) for key in changed)}")
    if disagreements:
        print_rows(disagreements_frame(then, second, read_decisions()), form, notes)
        return
    print_rows(agreement_frame(then, second), form, notes)


@lists.command("coding-sheet")
@option("--share", type=float, default=0.2, help="Share of the facts of each item and vintage.")
@option("--seed", type=int, default=2026, help="The same seed draws the same facts.")
@option("--out", type=FILE, metavar="FILE", help="Write here.")
def coding_sheet(share: float, seed: int, out: Path | None) -> None:
    """Write a blank sheet for a second coder: randomly chosen facts with their sources but without their values.

    \b
    Example:
      policy-sim dev lists coding-sheet --out sheet.csv
    """
    from policy_sim.voter_lists.coding import blank_sheet, fact_keys, sample_of
    from policy_sim.voter_lists.files import described_lists

    lists = described_lists()
    write_text(blank_sheet(sample_of(fact_keys(lists), share, seed), lists), out)


@lists.command()
@click.argument("state")
@which_lists_options
@population_option
@released_option
@option(
    "--usd-per-county",
    type=click.FloatRange(min=0),
    help="Price of one county's list. [default: from the state's file]",
)
@option("--target", type=float, help="Show only the cheapest set of counties that gives this many re-identifications.")
@option("--released", is_flag=True, help="With --target: count unknown fields as released instead of withheld.")
@format_option
@meaning("What each county's list costs, and how many people it lets an attacker match correctly.")
def counties(
    state: str,
    policy: str,
    usd_per_county: float | None,
    target: float | None,
    released: bool,
    form: str,
    **options: Any,
) -> None:
    """Show the risk, price and cost of each county's list in a state where only counties sell.

    The fields of the lists come from the state's file. A field that is unknown there gives a range.

    \b
    Examples:
      policy-sim lists counties AZ --lists 2008 --population us-2000
      policy-sim lists counties AZ --lists 2008 --usd-per-county 50 --target 100000 --released
      policy-sim lists counties PA --lists 2002 --target 100000
    """
    from policy_sim.model.money.budget import cheapest_counties, unpriced_notes

    study = policy_sim.Study(**options)
    price = None if usd_per_county is None else policy_sim.Price("schedule", usd_per_county=usd_per_county)
    table = study.county_costs(state, policy, price).to_frame()
    if target is not None:
        table = cheapest_counties(table, target, released=released)
    elif released:
        raise InputError("--released needs --target. The table of all counties shows both cases.")
    notes = [
        f"population: {study.people.provenance.describe()}",
        f"voter lists: {study.voter.voter_lists.describe()}; a list of one county shows the county",
        *unpriced_notes(table),
    ]
    print_rows(table, form, notes)


@lists.command("what-if")
@click.argument("state", required=False)
@option(
    "--set",
    "sets",
    multiple=True,
    metavar="ITEM=VALUE",
    help="A change, such as birth=date, sex=withheld, price=0, buyers=public; repeat for more.",
)
@option("--changes", "file", type=INPUT, metavar="FILE", help='A TOML of changes, such as: birth = "date".')
@option("--all-states", is_flag=True, help="Rank every possible change of one field, in every state.")
@population_option
@which_lists_options
@g_option
@option(
    "--attacker",
    metavar="NAME|FILE",
    help="Change another resource ('policy-sim lists resources list'), or your own file. [default: the voter list]",
)
@option(
    "--adversary",
    metavar="NAME|FILE",
    help="What limits VOTER before and after the change. Without it, a change of buyers or uses has no effect.",
)
@policies_option(
    "The policy: what a release shows of each person; repeat for more. [default: both; with --all-states "
    "limited-dataset]"
)
@hipaa_option("The form of Safe Harbor and the limited data set.", default="regulation")
@option(
    "--coverage",
    type=("registered", "registered-with-errors", "survey", "adults", "everyone"),
    default="registered",
    help="Who is assumed to be on the voter list.",
)
@format_option
@meaning("Each measure before and after the change.")
def what_if(
    state: str | None,
    sets: tuple[str, ...],
    file: Path | None,
    all_states: bool,
    form: str,
    policies: tuple[str, ...],
    g: tuple[int, ...],
    attacker: str | None,
    rules: str,
    **options: Any,
) -> None:
    """Show the risk before and after a change in STATE's voter list, or in another resource.

    You can change sex, race, birth, geography, zip, party, price, buyers, uses and status. In another resource you
    can also change share, such as share=0.2 or share=0.2-0.4.

    \b
    Examples:
      policy-sim lists what-if OH --set birth=year --set price=100
      policy-sim lists what-if VA --lists 2008 --set birth=year --format csv
      policy-sim lists what-if CA --adversary marketer --set buyers=public --set uses=any
      policy-sim lists what-if TX --attacker texas-birth-index --set geography=county --set share=0.4
      policy-sim lists what-if --all-states --policy limited-dataset
    """
    study = policy_sim.Study(**options)
    if all_states:
        refused = {
            "ranks fields of voter lists: remove --attacker": attacker,
            "tries every change: remove --set and --changes": sets or file,
            "ranks under one policy: give --policy once": policies[1:],
            "ranks by total risk: remove --g": g,
        }
        for words, value in refused.items():
            if value:
                raise InputError(f"--all-states {words}.")
        answer = study.marginal_effects(policies[0] if policies else "limited-dataset", state, rules=rules)
        notes = _without_list(study, state)
    else:
        from policy_sim.attackers import VOTER
        from policy_sim.model.cases import DEFAULT_G
        from policy_sim.study.question import POLICIES
        from policy_sim.voter_lists.changes import parse_changes
        from policy_sim.voter_lists.files import read_changes

        changes, who = (read_changes(file) if file else {}) | parse_changes(sets), attacker or VOTER
        if state is None or not changes:
            raise InputError("name a state and at least one change, such as: OH --set birth=date; or --all-states.")
        answer = study.what_if(state, changes, policies or POLICIES, g or DEFAULT_G, attacker=who, rules=rules)
        notes = _changed(study, answer, changes)
    if attacker is None:
        notes.append("a field of the list that is not known counts as withheld")
    Output(form, None).deliver(answer, first=notes)


@lists.command()
@click.argument("state", required=False)
@option(
    "--by",
    type=("age", "age-class", "county", "state"),
    help="What has a row. [default: age with a STATE, else state]",
)
@option("--flagged", is_flag=True, help="Only the counties whose numbers are capped, replaced, spread or extreme.")
@option("--year", type=int, help="The election whose records are taken. [default: the one nearest to the lists]")
@population_option
@lists_option
@out_options("Also write coverage.csv, a figure or map, and manifest.json into this folder.")
@meaning(
    "People, those of them on the voter list (listed), and records there of people who moved away or died (stale)."
)
def coverage(
    state: str | None,
    by: str | None,
    flagged: bool,
    year: int | None,
    output: Output,
    **options: Any,
) -> None:
    """Show who is on the voter lists: residents, and records of people who moved away or died.

    The records are those that county election offices reported. The active ones, at most one for each adult, count as
    residents; the others as stale. The share listed at each age follows two lists that were counted by age.
    All figures for a voter list use these shares and records, unless --coverage says otherwise.

    \b
    Examples:
      policy-sim lists coverage OH
      policy-sim lists coverage OH --by county --format csv
      policy-sim lists coverage --out coverage
      policy-sim lists coverage --flagged --year 2020
    """
    if flagged and by not in (None, "county"):
        raise InputError("--flagged shows counties: remove --by.")
    rows_of = "flag" if flagged else by or ("age" if state else "state")
    answer = policy_sim.Study(**options).listed_by(rows_of, state, year=year)
    drawn = {"age": ("listed-by-age", answer.plot), "county": ("listed-by-county", answer.map)}
    drawn |= {"state": ("listed-by-state", answer.map)}
    name, draw = drawn.get(rows_of, ("", None))
    output.deliver(answer, figures=None if draw is None else lambda: [(name, draw())])


@lists.command()
@many_states_option
@LIST_DAY
@option(
    "--years-kept",
    type=click.FloatRange(0, 20),
    metavar="YEARS",
    help="Years for which the record of somebody who died is assumed to stay, 0 to 20. [default: 2]",
)
@population_option
@lists_option
@out_options("Also write dates.csv and manifest.json into this folder.")
@meaning("Records that are the only ones with their date of birth (alone), and dates of birth of 20 records or fewer.")
def dates(
    states: tuple[str, ...], day: dt.date | None, years_kept: float | None, output: Output, **options: Any
) -> None:
    """Say beforehand how many records of a voter list are the only ones with their date of birth.

    People are those of the census, as old as they are on the day of the list, less those who died; records of the dead
    stay for some years. A real list can be compared with it: 'lists measure'.

    \b
    Examples:
      policy-sim lists dates OH
      policy-sim lists dates DE VT --years-kept 4 --format csv
    """
    from policy_sim.show.list_text import dates_text

    kept = {} if years_kept is None else {"years_kept": years_kept}
    output.deliver(policy_sim.Study(**options).list_dates(states or None, day=day, **kept), dates_text)


@lists.command()
@click.argument("file", type=RECORDS)
@option("--state", required=True, metavar="STATE", help="Whose voter list FILE is: postal code, FIPS code or name.")
@option(
    "--mapping", type=INPUT, metavar="TOML", help="A file that says which column is which field (docs/datasets.md)."
)
@option(
    "--fields",
    default="",
    metavar="A,B,...",
    help="What to count by: birth_date (or birth_year, age), sex, race, county, zip5. [default: what the mapping has]",
)
@TABLE
@SHEET
@MISSING_CODES
@MEMORY
@option("--max-classes", type=click.IntRange(min=1), help="Largest number of classes to keep in memory.")
@LIST_DAY
@population_option
@lists_option
@out_options("Also write counts.csv, ten.csv and manifest.json into this folder.")
@meaning("Records of the list that are alone with their values, and in groups of up to 20; next to them the model's.")
def measure(
    file: str,
    state: str,
    mapping: Path | None,
    fields: str,
    day: dt.date | None,
    population: str | None,
    lists: str | None,
    **options: Any,
) -> None:
    """Count a real voter list by every key that it allows, next to what the model expects.

    For whoever has a list: it shows how far the model is right. FILE is read as 'dataset' reads it, on this machine.
    Only counts are printed and written: no value of a record. With --out, ten.csv has ten counts to send back.

    \b
    Examples:
      policy-sim lists measure voters.csv --state OH --mapping voters.toml
      policy-sim lists measure voters.csv --state NC --fields birth_year,sex,county,zip5 --out counts
    """
    from policy_sim.cli.dataset import print_result
    from policy_sim.records.list_counts import LIST_FIELDS
    from policy_sim.records.mapping import load_mapping
    from policy_sim.show.list_text import measured_list_text

    output, codes = options.pop("output"), options.pop("missing_codes")
    mapped = load_mapping(mapping).fields if mapping else ()
    named = fields or ",".join(name for name in mapped if name in LIST_FIELDS)
    if not named:
        raise InputError("--fields: name what to count by, such as birth_date,sex,county,zip5, or give --mapping.")
    with Progress() as progress:
        records = policy_sim.RecordFile(file, named, mapping, missing_codes=codes, progress=progress, **options)
        result = records.measure_list(state, policy_sim.Study(population or None, lists=lists), day=day)
    print_result(result, output, lambda: measured_list_text(result.tables["ten"]))


def _without_list(study: policy_sim.Study, state: str | None) -> list[str]:
    """Return one line per status: the states without rows, because they have no list to change."""
    without: dict[str, list[str]] = {}
    for name, listed in study.voter.voter_lists.lists.items():
        if listed.status != "available" and (state is None or name == find_state(state).postal):
            without.setdefault(listed.status.replace("_", " "), []).append(name)
    return [f"no rows, because the list is {status}: {' '.join(names)}" for status, names in sorted(without.items())]


def _changed(study: policy_sim.Study, answer: Answer[Any], changes: dict[str, str]) -> list[str]:
    """Describe whose resource changes, and which changes have no effect."""
    idle = [item for item in ("buyers", "uses") if item in changes and not study.adversary]
    notes = [f"{' and '.join(idle)}: no effect without --adversary, who can have every list"] if idle else []
    return [*(f"{who.name}: {who.resource.describe()}" for who in answer.provenance.question.holders), *notes]


@lists.command("list")
@when_options
@database_option
@format_option
def list_(vintage: str | None, as_of: dt.date | None, database: str | None, form: str) -> None:
    """List all states' voter lists at one date, one row per state.

    \b
    Examples:
      policy-sim lists list --lists 2008
      policy-sim lists list --as-of 2015-06-01 --format csv
    """
    from policy_sim.voter_lists.facts import lists_frame

    print_rows(lists_frame(chosen_lists(database, vintage, as_of).values()), form)


@lists.command()
@click.argument("state")
@when_options
@database_option
@format_option
def show(state: str, vintage: str | None, as_of: dt.date | None, database: str | None, form: str) -> None:
    """Show one state's voter list: fields, price, buyers and uses, each with source and date.

    STATE is a postal code, FIPS code or name.

    \b
    Examples:
      policy-sim lists show OH
      policy-sim lists show Wisconsin --lists 2008 --format json
    """
    from policy_sim.show.list_text import voter_list_text
    from policy_sim.voter_lists.facts import facts_frame

    (listed,) = chosen_lists(database, vintage, as_of, (state,)).values()
    name = STATES[listed.state].name
    print_rows(facts_frame([listed]), form, table=lambda _: voter_list_text(listed, name))


@lists.command()
@click.argument("state")
@database_option
@format_option
def history(state: str, database: str | None, form: str) -> None:
    """Show one state's lists over time, one row per list, without scenarios.

    \b
    Example:
      policy-sim lists history OH
    """
    from policy_sim.voter_lists.facts import lists_frame

    print_rows(lists_frame(listed for listed in state_lists(database, state) if not listed.is_scenario), form)


@lists.command()
@click.argument("before")
@click.argument("after")
@many_states_option
@database_option
@format_option
def diff(before: str, after: str, states: tuple[str, ...], database: str | None, form: str) -> None:
    """Compare the lists of two years: what changed, what became known or unknown, and why; and their records.

    You can name the states before the years or after them.

    \b
    Examples:
      policy-sim lists diff OH 2008 2026
      policy-sim lists diff 2020 2026 --format csv
    """
    from policy_sim.show.list_text import difference_text
    from policy_sim.voter_lists.facts import differences
    from policy_sim.voter_lists.files import load_list_changes

    before, after, *named = _years_first([before, after, *states])
    chosen = tuple(part for text in named for part in text.split(","))
    old, new = (chosen_lists(database, vintage, None, chosen) for vintage in (before, after))
    rows, notes = differences(old, new, (before, after), load_list_changes())
    causes = [f"{cause}: {meaning}" for cause, meaning in _CAUSES.items() if cause in set(rows["cause"])]
    print_rows(rows, form, [*causes, *notes], table=lambda _: difference_text(rows, before, after))


_CAUSES = {
    "law": "both values are known, and the state is taken to have changed its law, rule, practice or fee",
    "source": "a value was or became unknown, or another source says more; the list may not have changed",
    "count": "how many records the list had; people register, move and die, and offices clean their lists",
}


def _years_first(words: list[str]) -> list[str]:
    """Return two vintages, which begin with a year, before the names of states."""
    years = [word for word in words if word[:4].isdecimal() and len(word) >= len("2026")]
    if len(years) != 2:
        raise InputError("two years are compared: give both, such as policy-sim lists diff OH 2008 2026.")
    return [*years, *(word for word in words if word not in years)]


@lists.command()
@click.argument("state", required=False)
@database_option
@option(
    "--format",
    "form",
    type=Form((*FORMATS, "bibtex")),
    default="text",
    help="How rows are printed; bibtex has one entry per source.",
)
def sources(state: str | None, database: str | None, form: str) -> None:
    """Show the sources of one state's lists, or of all: title, address, date, and what each supports.

    \b
    Examples:
      policy-sim lists sources OH --format csv
      policy-sim lists sources --format bibtex > lists.bib
    """
    from policy_sim.show.list_text import sources_text
    from policy_sim.voter_lists.facts import sources_frame
    from policy_sim.voter_lists.publication import bibtex, published_sources

    every = every_list(database) if state is None else state_lists(database, state)
    described = [listed for listed in every if not listed.is_scenario]
    if form == "bibtex":
        put(bibtex(published_sources(described)))
        return
    print_rows(sources_frame(described), form, table=sources_text)
