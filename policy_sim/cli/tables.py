"""Commands about tables of counts: the disclosure rules of agencies, and what a table gives away."""

from __future__ import annotations

from pathlib import Path

import click

from policy_sim.cli.options import FILE, format_option, option
from policy_sim.cli.output import Progress, print_rows

_MARK_HELP = "What a mark means: hidden, zero or missing; 'blank' is an empty cell, 'absent' a row that is not there."


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
def table() -> None:
    """Check a table of counts before it is published, or one that hides cells already.

    \b
    Example:
      policy-sim table check COUNTS.csv --rule cms
    """


@table.command("check")
@click.argument("counts", type=FILE)
@option("--rule", metavar="RULE", help="Disclosure rule, such as cms. [default: audit the cells that the file hides]")
@option("--count", default="", metavar="COLUMN", help="The column of counts, one row per cell. [default: found]")
@option("--key", "keys", multiple=True, metavar="COLUMN", help="A column of labels; repeat. [default: found]")
@option("--total", "totals", multiple=True, metavar="WORD", help="A label that means a total, beside Total and All.")
@option("--mark", "marks", multiple=True, metavar="MARK=MEANING", help=_MARK_HELP)
@option("--population-column", default="", metavar="COLUMN", help="The people whom each count is of (the denominator).")
@option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several.")
@format_option
def check_counts(
    counts: Path,
    rule: str | None,
    count: str,
    keys: tuple[str, ...],
    totals: tuple[str, ...],
    marks: tuple[str, ...],
    population_column: str,
    sheet: str,
    form: str,
) -> None:
    """Say which cells a rule hides, and what a reader can derive of each hidden cell.

    COUNTS is CSV or Excel: one row per cell, or rows by columns. A cell that is hidden already (*, <11, 1-10) is
    audited too. Exit status: 0 no hidden cell follows; 1 one follows: a single value is possible (criterion E fails).

    \b
    Examples:
      policy-sim table check COUNTS.csv --rule cms
      policy-sim table check PUBLISHED.xlsx --mark blank=missing
    """
    from policy_sim.rules.files import find_rule
    from policy_sim.show.rule_text import table_check_text
    from policy_sim.tables.check import check_table
    from policy_sim.tables.files import Layout, read_counts

    layout = Layout(count, keys, totals, _meanings(marks), population_column, sheet)
    with Progress() as progress:
        known = find_rule(rule) if rule else None
        answer = check_table(read_counts(counts, layout), known, progress)
    frame = answer.to_frame()
    reading = [f"Rule: {known.id}, {known.body}, {known.document} ({known.date})." if known else "Rule: none."]
    verdict = answer.verdict(known.id if known else "")
    print_rows(frame, form, [*reading, *answer.notes], lambda: table_check_text(verdict, frame))
    if form != "table":
        click.echo(verdict, err=True)
    if answer.follows:
        raise click.exceptions.Exit(1)


def _meanings(marks: tuple[str, ...]) -> dict[str, str]:
    pairs = [mark.rpartition("=") for mark in marks]
    for text, (mark, _, _) in zip(marks, pairs, strict=True):
        if not mark:
            raise click.BadParameter(
                f"{text!r}: give a mark and its meaning, such as blank=hidden.", param_hint="--mark"
            )
    return {mark: meaning for mark, _, meaning in pairs}
