"""Commands on tables of counts and on records of cases."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.commands import group
from policy_sim.cli.inputs import INPUT, INPUT_FOLDER
from policy_sim.cli.options import FILE, FOLDER, format_option, many_states_option, option, together
from policy_sim.cli.output import (
    Progress,
    meaning,
    only_our_output,
    print_rows,
    put_json,
    write_frames,
    write_rows,
)
from policy_sim.files.manifest import run_manifest
from policy_sim.files.writing import sha256_of
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_state

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.tables.rates import CensusPeople
    from policy_sim.tables.verdict import Verdict

_MARK_HELP = "A mark means hidden, zero, missing or 1-4; 'blank' is an empty cell, 'absent' a row that is not there."
_CRITERION_HELP = (
    "What a cell that the rule hides must keep: E two possible values; T one more and one less; R the whole range that "
    "the rule hides; D as E, and each line hides 11 people or more (CalHHS DDG 2.0); a reader may work "
    "out other hidden counts."
)
_ABSENT_HELP = (
    "Fields of the ten rules that the file does not have: month, state, county, state_code, county_code, age, sex, "
    "race, ethnicity, death."
)
_FIELDS_HELP = (
    "What the records show: one of age60, age30, age15, age5 and age; one of race2, race4 and race; sex; ethnicity. "
    "'every' compares all 96 ways and needs --counts."
)
_READER_HELP = "zeros: sees which counts are 0, so knows that hidden ones are not; plain: does not use that."
_WHOSE = "us-2020"
_WHOSE_HELP = f"With --state: which population. [default: {_WHOSE}]"
_COINCIDENCE_HELP = "An equation, as it is printed, or a label or note that says nothing about the counts; repeat."
_GIVEN = (
    option("--count", default="", metavar="COLUMN", help="The column of counts. [default: recognized]"),
    option("--key", "keys", multiple=True, metavar="COLUMN", help="A column of labels; repeat. [default: recognized]"),
    option("--total", "totals", multiple=True, metavar="WORD", help="A label that is a total, besides Total and All."),
    option("--mark", "marks", multiple=True, metavar="MARK=MEANING", help=_MARK_HELP),
    option(
        "--population-column", "population", default="", metavar="COLUMN", help="How many people each count is out of."
    ),
    option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several."),
    option(
        "--running", multiple=True, metavar="WORD", help="A column of running totals, or none. [default: recognized]"
    ),
    option("--coincidence", "coincidences", multiple=True, metavar="EQUATION", help=_COINCIDENCE_HELP),
    option("--ledger", type=FOLDER, metavar="DIR", help="The folder that records everything published so far."),
    option("--week", default="", metavar="WEEK", help="With --ledger: MMWR week of the counts, such as 2025-W10."),
    option("--since", default="", metavar="WEEK", help="Where running totals begin. [default: week 1 of the year]"),
    option("--corrected", is_flag=True, help="Accept counts that correct earlier published ones."),
    option("--state", "states", multiple=True, metavar="STATE", help="Use the people of this state as denominators."),
    option("--population", "whose", metavar="NAME|FILE", default="", help=_WHOSE_HELP),
    format_option,
)
_SEARCH = (
    option("--criterion", type=("E", "T", "R", "D"), default="R", help=_CRITERION_HELP),
    option("--reader", type=("zeros", "plain"), default="zeros", help=_READER_HELP),
    option("--time", "seconds", type=click.FloatRange(min=0.1), default=60.0, help="Seconds for the search."),
)


def _on_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Add what all commands on tables take; the command gets ``inputs``: layout, ledger and denominators."""

    @functools.wraps(command)
    def with_given(
        ledger: Path | None, week: str, since: str, corrected: bool, states: tuple[str, ...], whose: str, **options: Any
    ) -> None:
        from policy_sim.tables.files import Layout
        from policy_sim.tables.ledger import Ledger

        if ledger is None and (week or since or corrected):
            raise InputError("--week, --since and --corrected belong to a ledger. Name its folder with --ledger.")
        names = ("count", "keys", "totals", "marks", "population", "sheet", "running", "coincidences")
        declared = {name: options.pop(name) for name in names}
        declared["marks"] = dict(map(_meaning, declared["marks"]))
        people = _census_people(whose, states)
        inputs = {
            "layout": Layout(**declared),
            "ledger": None if ledger is None else Ledger(ledger, week, since, corrected),
            "denominators": people.add_to if people else None,
        }
        command(inputs=inputs, **options)

    return together(*_GIVEN)(with_given)


def _meaning(text: str) -> tuple[str, str]:
    mark, _, meaning = text.rpartition("=")
    if not mark:
        raise InputError(f"--mark {text!r}: give a mark and its meaning, such as blank=hidden.")
    return mark, meaning


@group()
def rules() -> None:
    """Show disclosure rules: which counts agencies hide, with their words and sources.

    Give a rule's id, or the beginning of it that names one body (cms). These are not the rules of the option
    --hipaa of other commands, which says how Safe Harbor and the limited data set are read.
    """


@rules.command("list")
@option("--level", type=("federal", "state", "local", "research", "abroad", "paper"), help="Only rules of this level.")
@format_option
def list_rules_(level: str | None, form: str) -> None:
    """List the rules: the largest count that each hides, what happens to 0, and how sure we are.

    \b
    Examples:
      policy-sim table rules list
      policy-sim table rules list --format csv
    """
    from policy_sim.rules.files import list_rules, rules_frame
    from policy_sim.show.list_text import rule_list_text

    frame = rules_frame(rule for rule in list_rules().values() if level in (None, rule.level))
    notes = [
        "largest hidden: the largest count that is hidden; '-' where the rule does not use one, or none is known",
        "sure: high = the text was read; medium = second hand or in part; low = from memory or hardly read",
    ]
    print_rows(frame, form, notes, rule_list_text)


@rules.command("show")
@click.argument("rule")
@format_option
def show_rule(rule: str, form: str) -> None:
    """Show one rule, or all rules of one body: numbers, words, document, date, source and how sure we are.

    \b
    Examples:
      policy-sim table rules show cms
      policy-sim table rules show calhhs --format json
    """
    from policy_sim.rules.files import facts_frame, rules_named
    from policy_sim.show.list_text import rule_facts_text

    print_rows(facts_frame(rules_named(rule)), form, table=rule_facts_text)


@rules.command("compare")
@click.argument("names", metavar="RULE RULE...", nargs=-1, required=True)
@format_option
def compare_rules(names: tuple[str, ...], form: str) -> None:
    """Compare rules item by item.

    \b
    Example:
      policy-sim table rules compare cms wa-doh uscs
    """
    from policy_sim.rules.files import compared_frame, rules_named
    from policy_sim.show.list_text import compared_rules_text

    frame = compared_frame([rule for name in names for rule in rules_named(name)])
    print_rows(frame, form, table=compared_rules_text)


@group()
def table() -> None:
    """Check a table of counts before you publish it, or one that already hides cells; compute rates."""


@table.command("check")
@click.argument("counts", type=INPUT, nargs=-1, required=True)
@option("--rule", metavar="RULE", help="Disclosure rule, such as cms. [default: audit the cells that the file hides]")
@option("--reader", type=("zeros", "plain"), default="zeros", help=_READER_HELP)
@option("--time", "seconds", type=click.FloatRange(min=0.1), default=60.0, help="Seconds for the attack.")
@_on_tables
def check_counts(
    counts: tuple[Path, ...], rule: str | None, reader: str, seconds: float, form: str, inputs: dict[str, Any]
) -> None:
    """Say whether a table is ready to publish: which counts a rule hides, and what a reader can work out.

    COUNTS is CSV or Excel: one row per cell, or rows by columns. Cells that are already hidden (*, <11, 1-10) are
    attacked with every equation that holds in the numbers shown. Exit status: 0 READY; 1 NOT READY, the file shows
    counts that the rule hides, or LEAKS, a hidden count follows; 3 NOT TESTED, something was not read or nothing adds
    up.

    \b
    Examples:
      policy-sim table check COUNTS.csv --rule cms
      policy-sim table check PUBLISHED.xlsx --mark blank=missing
    """
    from policy_sim.rules.files import find_rule
    from policy_sim.show.list_text import table_check_text
    from policy_sim.tables.check import check_tables

    disclosure = find_rule(rule) if rule else None
    with Progress("deriving each hidden cell"), only_our_output():
        answer = check_tables(counts, disclosure, plain=reader == "plain", seconds=seconds, **inputs)
    notes = [f"Rule: {answer.rule.origin if answer.rule else 'none'}.", *answer.notes]
    _end(answer.to_frame(), form, notes, table_check_text, answer.verdict)


def _end(
    frame: pd.DataFrame, form: str, notes: Sequence[str], text: Callable[[pd.DataFrame], str], verdict: Verdict
) -> None:
    """Print the rows under the verdict; a verdict that is not READY ends the command with its exit status."""
    from policy_sim.words.criteria import criteria_named

    notes = [*criteria_named(verdict.words), *notes]
    if form == "json":
        facts = {"verdict": verdict.word, "words": verdict.words, "tried": verdict.tried, "found": verdict.findings}
        put_json(facts | {"not_tried": verdict.not_tried, "notes": list(notes)}, frame, "cells")
        for note in (*notes, str(verdict)):
            click.echo(note, err=True)
    else:
        for note in notes if form == "text" else ():
            if note.startswith("Read as labels"):
                click.echo(note, err=True)  # before the verdict; once more among the notes
        print_rows(frame, form, [*verdict.notes, *notes], text, str(verdict))
    if verdict.exit_status:
        raise click.exceptions.Exit(verdict.exit_status)


@table.command("protect")
@click.argument("counts", type=INPUT, nargs=-1, required=True)
@option("--rule", metavar="RULE", required=True, help="Disclosure rule that says which cells to hide, such as cms.")
@option("--cost", type=("people", "cells"), default="people", help="What to minimize in the additional hidden cells.")
@together(*_SEARCH)
@option("--hide-margins", is_flag=True, help="Totals may be hidden too.")
@option("--hide-zeros", is_flag=True, help="Zeros may be hidden too; readers then cannot tell that a count is not 0.")
@option("--merge-weeks", type=click.IntRange(2, 53), metavar="N", help="Make one of each N weeks: a way out.")
@option("--by", default="", metavar="COLUMN", help="Sum the columns within this one, such as counties of a region.")
@option("--compare", is_flag=True, help="Print what other methods lose, such as rounding, and whose cells are hidden.")
@option(
    "--out", type=FOLDER, metavar="DIR", help="Write the table, the hidden cells with reasons, and the certificate."
)
@_on_tables
def protect_counts(
    counts: tuple[Path, ...],
    rule: str,
    compare: bool,
    out: Path | None,
    form: str,
    inputs: dict[str, Any],
    **options: Any,
) -> None:
    """Hide the cells that a rule hides, and as few others as it takes to keep readers from working them out.

    The reader is assumed to know everything published, every total, and that hidden counts are 1 or more (--reader
    zeros). What would be written is attacked with every equation that holds in it, and only written if READY. Exit
    status: 0 READY; 1 NOT READY, no choice of cells protects the table, or LEAKS; 3 NOT TESTED, such as out of time.

    \b
    Examples:
      policy-sim table protect COUNTS.csv --rule cms --out week-21
      policy-sim table protect COUNTS.xlsx --rule wa-doh --cost cells --time 20
    """
    from policy_sim.rules.files import find_rule
    from policy_sim.show.list_text import protected_text
    from policy_sim.tables.check import alternatives
    from policy_sim.tables.folder import write_folder
    from policy_sim.tables.publish import protect_tables
    from policy_sim.tables.request import Request

    options["merge_weeks"] = options["merge_weeks"] or 0
    ledger, request = inputs["ledger"], Request(**options)
    if compare and (out is not None or ledger is not None):
        raise InputError("--compare prints and writes nothing. Remove --out and --ledger.")
    if ledger is not None and out is not None:
        raise InputError("--ledger writes into its own folder. Remove --out.")
    with Progress("hiding further cells"), only_our_output():
        answer = protect_tables(counts, find_rule(rule), request=request, **inputs)
        safe = answer.safe  # after the attack on what would be written
    frame, source = answer.to_frame(), answer.rule
    notes = [f"Rule: {source.origin}.", *answer.ways_out, *answer.notes]
    if safe and compare:
        print_rows(alternatives(answer), form, ["For you alone: sums of hidden counts.", *notes, answer.verdict])
        return
    if safe and out is not None:
        write_folder(answer, out)
    _end(frame, form, notes, protected_text, answer.judgment)
    names = " and ".join(answer.names.values())
    if out is not None:
        click.echo(f"Written to {out}: publish send ({names}, certificate.json); keep the rest.", err=True)
    if ledger is not None:
        click.echo(
            f"Written to {answer.publish()}. Publish {ledger.send}; keep {ledger.private} to yourself.", err=True
        )


@table.command("enter")
@click.argument("published", type=INPUT, nargs=-1, required=True)
@option("--rule", metavar="RULE", required=True, help="Disclosure rule that the ledger uses, such as cms.")
@option("--hide-zeros", is_flag=True, help="A hidden count may be 0 here. [default: zeros are shown]")
@together(*_SEARCH)
@_on_tables
def enter_published(published: tuple[Path, ...], rule: str, form: str, inputs: dict[str, Any], **options: Any) -> None:
    """Enter into a ledger, unchanged, a table that was published before the ledger began.

    Its own marks are what it hides; readers know what a mark says (<5, or --mark '*=1-4'). The tables of later weeks
    are protected next to it. Exit status: 0 READY, no hidden cell follows from the published tables; 1 LEAKS, one
    follows: the table is entered anyway, and the cell counts as known from then on; 3 NOT TESTED.

    \b
    Example:
      policy-sim table enter PUBLISHED.csv --rule cms --ledger measles --week 2025-W09
    """
    from policy_sim.rules.files import find_rule
    from policy_sim.show.list_text import protected_text
    from policy_sim.tables.publish import enter_tables
    from policy_sim.tables.request import Request

    if inputs["ledger"] is None:
        raise InputError("a table is entered into a ledger. Name its folder with --ledger.")
    with Progress("deriving each hidden cell"), only_our_output():
        answer = enter_tables(published, find_rule(rule), request=Request(**options), **inputs)
        verdict = answer.judgment
    if answer.entered:
        click.echo(f"Written to {answer.publish()}, as it is. Keep {inputs['ledger'].private} to yourself.", err=True)
    _end(answer.to_frame(), form, [f"Rule: {answer.rule.origin}.", *answer.notes], protected_text, verdict)


@table.command("verify")
@click.argument("folder", type=INPUT_FOLDER)
@format_option
def verify_folder(folder: Path, form: str) -> None:
    """Check what is in a folder of 'table protect' or a ledger, before it goes out and after.

    Every file in send/ is read and attacked. Every table of the proof in keep/ must fit the published one, by addition
    alone, and together they must leave each hidden cell the values that the criterion promises. Without keep/ the
    published files are attacked alone. Exit status: 0 READY; 1 NOT READY or LEAKS; 3 NOT TESTED.

    \b
    Example:
      policy-sim table verify week-21
    """
    import pandas as pd

    from policy_sim.tables.verify import verified

    with Progress("attacking what is published"), only_our_output():
        verdict = verified(folder)
    _end(pd.DataFrame(), form, [], lambda _: "", verdict)


@table.command("convert")
@click.argument("ledger", type=INPUT_FOLDER)
def convert_ledger(ledger: Path) -> None:
    """Bring a ledger of the version before into the folders send/, to publish, and keep/, for you alone.

    \b
    Example:
      policy-sim table convert measles
    """
    from policy_sim.tables.verify import convert

    with Progress("converting the ledger"), only_our_output():
        send = convert(ledger)
    click.echo(f"Written to {send}: publish this folder. The proof is in {send.with_name('keep')}.")


@table.command("rates")
@click.argument("counts", type=INPUT)
@option("--by", default="", metavar="A,B,...", help="Columns that name the groups, such as county,sex.")
@option("--age", default="age", metavar="COLUMN", help="Column of age classes, such as <1, 0-4 and 85+.")
@option("--count", default="count", metavar="COLUMN", help="Column of counts.")
@option("--population-column", default="", metavar="COLUMN", help="Column of denominators. [default: population]")
@many_states_option
@option("--population", metavar="NAME|FILE", default="", help=_WHOSE_HELP)
@option("--standard", default="", metavar="NAME", help="us-2000-19, -18 or -11. [default: the finest that fits]")
@option("--weights", type=("people", "million"), default="people", help="Weights: people, or the standard million.")
@option("--per", type=click.FloatRange(1, 1e9), default=100_000, help="Give rates per this many people.")
@option("--confidence", type=click.FloatRange(0.5, 0.9999), default=0.95, help="Confidence of the intervals.")
@option("--rule", default="wonder-20", metavar="RULE", help="Rule that hides or marks rates from few counts.")
@format_option
@meaning(
    "Counts divided by people: as they are (crude), and as they would be if the people had the ages of the standard "
    "population (age-adjusted)."
)
def table_rates(counts: Path, by: str, rule: str, states: tuple[str, ...], form: str, **options: Any) -> None:
    """Print crude and age-adjusted rates of the counts in a CSV file, by the US 2000 standard population.

    One row per group, with gamma intervals (Fay and Feuer 1997). The rule marks a rate as unreliable, or hides it
    (policy-sim table rules list). The file has its denominators, unless a STATE is named: then they are the people of
    that state in a shipped population, by county, sex and race.

    \b
    Examples:
      policy-sim table rates deaths.csv --by county,sex
      policy-sim table rates cancer.csv --by county --state WA --rule uscs-16 --format csv
    """
    from policy_sim.rules.files import find_rule
    from policy_sim.show.list_text import rates_text
    from policy_sim.show.numbers import given, percent_tick
    from policy_sim.tables.rates import ages_of, rates, read_rate_counts, standard_for

    judge, names = find_rule(rule), tuple(name.strip() for name in by.split(",") if name.strip())
    if states and options["population_column"]:
        raise InputError("--state and --population-column are two sources of the same people: give one of them.")
    with Progress("counting the people of each group"):
        people = _census_people(options["population"], states)
    column = "" if states else options["population_column"] or "population"
    file = read_rate_counts(counts, options["age"], options["count"], column, names)
    standard = standard_for(ages_of(file).values(), str(counts), options["standard"])
    origin = f"column {column} of {counts.name}; name its year next to the rates"
    if people:
        with Progress("counting the people of each group"):
            file = people.add_to(counts, file, every=True)
        vintage = people.population.provenance.describe(list(people.states))
        origin = f"{vintage}; they are the people of one day, so counts of one year make yearly rates"
    frame = rates(file, standard, judge, options["weights"], options["per"], options["confidence"])
    more = sum((cell.value or 0) > file.populations.get(key, math.inf) for key, cell in file.cells.items())
    notes = [
        f"rates per {given(options['per'], 10)} people; standard: {standard.describe(options['weights'])}",
        f"{percent_tick(options['confidence'])} intervals: gamma (Fay and Feuer 1997); they take counts as independent "
        "Poisson counts and denominators as exact",
        f"denominators: {origin}",
        *[f"lines with more counts than people: {more:,}. That is right for visits, wrong for deaths"] * bool(more),
        f"rule {judge.id}, applied to the count of each row: hides {judge.hides} ({judge.document}, {judge.date})",
        "A count that is hidden here can still follow from a total or from another table.",
    ]
    print_rows(frame, form, notes, lambda _: rates_text(frame, file.keys[:-1]))


def _census_people(population: str, states: tuple[str, ...]) -> CensusPeople | None:
    """Return the people of some states; None without a state, where a population has no meaning."""
    from policy_sim.people.by_name import load_population
    from policy_sim.tables.rates import CensusPeople

    if population and not states:
        raise InputError(
            f"--population {population} says whose people are the denominators in a state. Name the state (--state), "
            "or, if the file has denominators, give their column alone (--population-column)."
        )
    if not states:
        return None
    return CensusPeople(load_population(population or _WHOSE), tuple(find_state(state).postal for state in states))


@group()
def cases() -> None:
    """Check records of cases before they are published, and plan from how many cases on a county may be shown."""


@cases.command("check")
@click.argument("file", type=INPUT)
@option("--mapping", type=INPUT, metavar="TOML", help="Which column is which field, and what its codes mean.")
@many_states_option
@option("--absent", default="", metavar="A,B,...", help=_ABSENT_HELP)
@option("--k", type=click.IntRange(2, 1000), default=11, help="Records that must share all values.")
@option("--population", metavar="NAME|FILE", default="us-2020", help="The population that the cases are compared with.")
@option(
    "--combinations", "values", type=FILE, metavar="CSV", help="Write the values that break a rule. Keep it secret."
)
@format_option
def check_file(
    file: Path,
    mapping: Path | None,
    absent: str,
    values: Path | None,
    states: tuple[str, ...],
    form: str,
    **options: Any,
) -> None:
    """Test a file of one record per case against CDC's ten rules for public case records.

    FILE is CSV, Excel or Parquet. Name the STATE if no column shows it. Where CDC's program and its text differ, both
    readings are tested. The table names counties and states; it shows no record and no other value. Exit status: 0 all
    ten are met, or some could not be tested (the first line says so); 1 a rule fails.

    \b
    Examples:
      policy-sim cases check cases.csv
      policy-sim cases check cases.xlsx --mapping cases.toml --state WA --absent death,month
    """
    from policy_sim.people.by_name import load_population
    from policy_sim.records.mapping import load_mapping
    from policy_sim.show.list_text import case_check_text
    from policy_sim.tables.case_rules import check_cases, read_cases

    if len(states) > 1:
        raise InputError("records of several states need a column of their states: name one state, or none.")
    if values is not None and values.exists():
        raise InputError(f"{values} already exists. Choose another name.")
    names = [name.strip() for name in absent.split(",") if name.strip()]
    with Progress("reading the records") as progress:
        read = read_cases(file, load_mapping(mapping) if mapping else None, names, *states)
        progress("counting people and records")
        answer = check_cases(read, load_population(options["population"]), options["k"])
    frame = answer.to_frame()
    print_rows(frame, form, answer.notes, case_check_text, answer.verdict)
    if values is not None:
        values.touch(mode=0o600)
        write_rows(answer.combinations, values)
        click.echo(f"Written to {values}: values that break a rule. Keep it with the records.", err=True)
    if answer.having("fails"):
        raise click.exceptions.Exit(1)


@cases.command("plan")
@click.argument("state")
@option("--fields", required=True, metavar="A,B,...", help=_FIELDS_HELP)
@option("--k", type=click.IntRange(2, 200), default=11, help="Smallest group of cases that exposes nobody.")
@option("--at-most", type=click.FloatRange(0, 1), default=0.01, help="Share of the cases in smaller groups.")
@option("--counts", type=INPUT, metavar="CSV", help="Cases of each county: columns county (FIPS or name) and cases.")
@option("--population", metavar="NAME|FILE", default="us-2020", help="The population that the cases are drawn from.")
@option("--out", type=FOLDER, metavar="DIR", help="With 'every': write allowed.csv, finest.csv, a map, manifest.json.")
@format_option
def plan_cases(
    state: str, fields: str, k: int, at_most: float, counts: Path | None, population: str, out: Path | None, form: str
) -> None:
    """Print how many cases each county of STATE needs before you may publish records with these fields.

    One number keeps the expected share of cases in groups of fewer than k cases below the limit, the other its 97.5th
    percentile. The percentile is the rule of Brown et al. (2022) and stricter: use it. With '--fields every', STATE may
    be US; the table has the finest ways that each county's count allows, and the other formats have all 96.

    \b
    Examples:
      policy-sim cases plan WA --fields age5,sex --k 11 --at-most .01
      policy-sim cases plan US --fields every --counts week.csv --out week
    """
    from policy_sim.people.by_name import load_population
    from policy_sim.show.maps.figure import case_plan_map
    from policy_sim.show.numbers import given
    from policy_sim.show.text_table import text_table
    from policy_sim.tables.cases import allowed_fields, county_counts, finest_allowed, plan, read_county_counts

    every, nation = fields == "every", state.strip().upper() == "US"
    postal = "" if nation else find_state(state).postal
    if every and counts is None:
        raise InputError("--fields every needs --counts: the cases of each county.")
    if not every and (out is not None or nation or counts is not None):
        raise InputError("US, --counts and --out go with --fields every.")
    cases_of = county_counts(read_county_counts(counts), postal) if counts is not None else {}
    with Progress("counting the people of each group"):
        people = load_population(population)
        if every:
            rows = allowed_fields(people, cases_of, postal or None, k, at_most)
        else:
            rows = plan(people, postal, fields, k, at_most)
    notes = [
        f"population: {people.provenance.describe([postal] if postal else [])}",
        f"k = {k}, at most {given(at_most)} of the cases in groups of fewer. The percentile is computed, not drawn: "
        "exact, or by a normal limit where many exposed cases are allowed"
        + ("." if every else "; it holds at every larger count of a grid with steps of 5%."),
        "This assumes that everyone in the county is as likely to be a case.",
    ]
    left_out = sorted(set(cases_of) - set(rows["county"]))
    if left_out:
        first_codes = ", ".join(left_out[:5]) + ", ..." * (len(left_out) > 5)
        why = f"not in {postal or 'US'}, or with a count of 0 or of more than their people"
        notes.append(f"No row for {len(left_out)} counties of {counts} that are {why}: {first_codes}")
    finest = finest_allowed(rows) if every else rows
    if out is not None and counts is not None:
        options = {
            "state": postal or "US",
            "fields": fields,
            "k": k,
            "at_most": at_most,
            "population": people.provenance.name,
        }
        manifest = run_manifest("cases plan", options, {counts.name: sha256_of(counts)})
        figures = {"map-allowed": case_plan_map(finest, notes[:2])}
        write_frames(out, manifest, {"allowed.csv": rows, "finest.csv": finest}, figures.items)
    print_rows(rows, form, notes, lambda _: text_table(finest))
    if out is not None:
        click.echo(f"Written to {out}: finest.csv, allowed.csv and map-allowed.", err=True)
