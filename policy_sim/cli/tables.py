"""Commands about what a health department publishes: disclosure rules, cases and rates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import FILE, format_option, many_states_option, option
from policy_sim.cli.output import Progress, print_rows
from policy_sim.words.errors import InputError, SourceError

if TYPE_CHECKING:
    from policy_sim.tables.rates import CountRow


@click.group()
def rules() -> None:
    """Show disclosure rules: which counts agencies hide, in which words, by which source.

    A rule's id, or a beginning of it that names one body (cms), is enough. These are not the rules of the option
    --rules of other commands, which says how Safe Harbor and the limited data set are read.

    \b
    Examples:
      policy-sim rules list --level state
      policy-sim rules show cms
      policy-sim rules compare cms-11 wa-doh-10
    """


@rules.command("list")
@option("--level", type=("federal", "state", "local", "research", "abroad", "paper"), help="Rules of this level only.")
@format_option
def list_rules_(level: str | None, form: str) -> None:
    """List the rules: the largest count that each hides, what happens to 0, and how sure that is.

    \b
    Examples:
      policy-sim rules list
      policy-sim rules list --format csv
    """
    from policy_sim.rules.files import list_rules
    from policy_sim.rules.tables import rules_frame
    from policy_sim.show.rule_text import rule_list_text

    frame = rules_frame(rule for rule in list_rules().values() if level in (None, rule.level))
    notes = [
        "largest hidden: the largest count that is hidden; '-' where the rule does not go by one, or none is known",
        "sure: high = the text was read; medium = second hand or in part; low = from memory or hardly read",
    ]
    print_rows(frame, form, notes, lambda: rule_list_text(frame))


@rules.command("show")
@click.argument("rule")
@format_option
def show_rule(rule: str, form: str) -> None:
    """Show one rule, or all of one body: numbers, words, document, date, source and how sure.

    \b
    Examples:
      policy-sim rules show cms
      policy-sim rules show calhhs --format json
    """
    from policy_sim.rules.files import rules_named
    from policy_sim.rules.tables import facts_frame
    from policy_sim.show.rule_text import rule_facts_text

    frame = facts_frame(rules_named(rule))
    print_rows(frame, form, (), lambda: rule_facts_text(frame))


@rules.command("compare")
@click.argument("names", metavar="RULE RULE...", nargs=-1, required=True)
@format_option
def compare_rules(names: tuple[str, ...], form: str) -> None:
    """Compare rules item by item.

    \b
    Example:
      policy-sim rules compare cms wa-doh uscs
    """
    from policy_sim.rules.files import rules_named
    from policy_sim.rules.tables import compared_frame
    from policy_sim.show.rule_text import compared_rules_text

    frame = compared_frame([rule for name in names for rule in rules_named(name)])
    print_rows(frame, form, (), lambda: compared_rules_text(frame))


@click.group()
def cases() -> None:
    """Decide from how many cases on a county's case records may be published.

    \b
    Example:
      policy-sim cases plan WA --fields age5,sex
    """


@cases.command("plan")
@click.argument("state")
@option(
    "--fields",
    required=True,
    metavar="A,B,...",
    help="What the records show: one of age60, age30, age15, age5 "
    "and age; one of race2, race4 and race; sex; ethnicity. 'every' compares all 96 ways and needs --counts.",
)
@option("--k", type=click.IntRange(2, 10_000), default=11, help="Smallest group of cases that exposes nobody.")
@option("--at-most", type=click.FloatRange(0, 1), default=0.01, help="Share of the cases in smaller groups.")
@option("--counts", type=FILE, metavar="CSV", help="Cases of each county: columns county (FIPS code) and cases.")
@option("--population", metavar="NAME|FILE", default="us-2020", help="Whose people the cases are drawn from.")
@format_option
def plan_cases(
    state: str, fields: str, k: int, at_most: float, counts: Path | None, population: str, form: str
) -> None:
    """Print how many cases each county of STATE needs before records with these fields may go out.

    By the mean, and by the 97.5th percentile, of the share of cases in groups of fewer than k cases. The percentile
    is the rule of Brown et al. (2022) and the stricter one: act on it.

    \b
    Examples:
      policy-sim cases plan WA --fields age5,sex --k 11 --at-most .01
      policy-sim cases plan WA --fields every --counts week.csv --format csv
    """
    from policy_sim.people.by_name import load_population
    from policy_sim.tables.cases import allowed_fields, plan
    from policy_sim.words.states import find_state

    postal, reported = find_state(state).postal, None if counts is None else _counts(counts)
    if fields == "every" and reported is None:
        raise InputError("--fields every needs --counts: the cases of each county.")
    with Progress() as progress:
        progress("counting the people of each group")
        people = load_population(population)
        if fields == "every":
            rows = allowed_fields(people, reported or {}, postal, k, at_most)
        else:
            rows = plan(people, postal, fields, k, at_most, reported)
    notes = [
        f"population: {people.provenance.describe([postal])}",
        f"k = {k}, at most {at_most:g} of the cases in groups of fewer; the percentile is computed, not drawn; from "
        "there on it holds at every larger count of a grid with steps of 5%",
        "This assumes that everyone in the county is as likely to be a case.",
    ]
    print_rows(rows, form, notes)


def _counts(path: Path) -> dict[str, int]:
    import pandas as pd

    from policy_sim.tables.cases import read_counts

    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read as CSV ({type(error).__name__}).") from None
    missing = [name for name in ("county", "cases") if name not in table]
    if missing:
        raise InputError(f"{path}: column {missing[0]} is missing. Name the columns county and cases.")
    return read_counts(table["county"].tolist(), table["cases"].tolist(), str(path))


@click.group()
def table() -> None:
    """Compute rates of a table of counts.

    \b
    Example:
      policy-sim table rates COUNTS.csv --by county
    """


@table.command("rates")
@click.argument("counts", type=FILE)
@option("--by", default="", metavar="A,B,...", help="Columns that name the groups, such as county,sex.")
@option("--age", default="age", metavar="COLUMN", help="Column of age classes, such as <1, 0-4 and 85+.")
@option("--count", default="count", metavar="COLUMN", help="Column of counts.")
@option("--population-column", default="population", metavar="COLUMN", help="Column of denominators.")
@many_states_option
@option("--population", metavar="NAME|FILE", default="us-2020", help="With --state: whose people.")
@option(
    "--standard", default="", metavar="NAME", help="us-2000-19, us-2000-18 or us-2000-11. [default: finest that fits]"
)
@option(
    "--weights", type=("people", "million"), default="people", help="Weights: unrounded people, or standard million."
)
@option("--per", type=click.FloatRange(1, 1e9), default=100_000, help="People whom a rate is for.")
@option("--confidence", type=click.FloatRange(0.5, 0.9999), default=0.95, help="Confidence of the intervals.")
@option("--rule", default="wonder-20", metavar="RULE", help="Rule that hides or marks rates from few counts.")
@format_option
def table_rates(counts: Path, by: str, rule: str, states: tuple[str, ...], form: str, **options: Any) -> None:
    """Print crude and age-adjusted rates of the counts in a CSV file, by the US 2000 standard population.

    One row per group, with gamma intervals (Fay and Feuer 1997). The rule marks a rate as unreliable, or hides it
    (policy-sim rules list). The file has its denominators, unless a STATE is named: then they are the people of that
    state in a shipped population, by county, sex and race.

    \b
    Examples:
      policy-sim table rates deaths.csv --by county,sex
      policy-sim table rates cancer.csv --by county --state WA --rule uscs-16 --format csv
    """
    from policy_sim.rules.files import find_rule
    from policy_sim.show.rule_text import rates_text
    from policy_sim.tables.rates import rates, read_count_rows, standard_for

    where, judge = str(counts), find_rule(rule)
    names = tuple(name.strip() for name in by.split(",") if name.strip())
    column = "" if states else options["population_column"]
    rows = read_count_rows(counts, options["age"], options["count"], column, names)
    standard = standard_for((row.age for row in rows), where, options["standard"])
    origin = f"column {column} of {counts.name}; say of which year beside the rates"
    if states:
        rows, origin = _census_denominators(rows, names, options["population"], states, where)
    frame = rates(rows, names, standard, judge, where, options["weights"], options["per"], options["confidence"])
    more = sum(row.events is not None and row.people is not None and row.events > row.people for row in rows)
    notes = [
        f"rates per {options['per']:,.10g} people; standard: {standard.describe(options['weights'])}",
        f"{100 * options['confidence']:.10g}% intervals: gamma (Fay and Feuer 1997); they take counts as independent "
        "Poisson counts and denominators as exact",
        f"denominators: {origin}",
        *[f"lines with more counts than people: {more:,}. That is right for visits, wrong for deaths"] * bool(more),
        f"rule {judge.id}, applied to the count of each row: hides {judge.hides} ({judge.document}, {judge.date})",
        "A count that is hidden here can still follow from a total or from another table.",
    ]
    print_rows(frame, form, notes, lambda: rates_text(frame, names))


def _census_denominators(
    rows: list[CountRow], names: tuple[str, ...], population: str, states: tuple[str, ...], where: str
) -> tuple[list[CountRow], str]:
    from policy_sim.people.by_name import load_population
    from policy_sim.tables.rates import with_census_people
    from policy_sim.words.states import find_state

    with Progress() as progress:
        progress("counting the people of each group")
        people, postal = load_population(population), [find_state(state).postal for state in states]
        filled = with_census_people(rows, names, people, postal, where)
    vintage = people.provenance.describe(postal)
    return filled, f"{vintage}; they are the people of one day, so counts of one year make yearly rates"
