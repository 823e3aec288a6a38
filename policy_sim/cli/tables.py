"""Commands about tables of counts: the disclosure rules of agencies, and what a table gives away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import FILE, FOLDER, format_option, option
from policy_sim.cli.output import Progress, output_folder, print_rows

if TYPE_CHECKING:
    from policy_sim.tables.files import Layout

_MARK_HELP = "What a mark means: hidden, zero or missing; 'blank' is an empty cell, 'absent' a row that is not there."

_CRITERION_HELP = (
    "What a cell that the rule hides must keep: E two possible values; T one more and one less; R the whole range that "
    "the rule hides; D as E, and each line hides 11 people or more (CalHHS DDG 2.0)."
)
_READER_HELP = "zeros: sees which counts are 0, so knows that hidden ones are not; plain: does not make use of that."
_LAYOUT = (
    option("--count", default="", metavar="COLUMN", help="The column of counts, one row per cell. [default: found]"),
    option("--key", "keys", multiple=True, metavar="COLUMN", help="A column of labels; repeat. [default: found]"),
    option(
        "--total", "totals", multiple=True, metavar="WORD", help="A label that means a total, beside Total and All."
    ),
    option("--mark", "marks", multiple=True, metavar="MARK=MEANING", help=_MARK_HELP),
    option("--population-column", "population", default="", metavar="COLUMN", help="The people whom each count is of."),
    option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several."),
)


def _layout_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for add in reversed(_LAYOUT):
        command = add(command)
    return command


def _layout(options: dict[str, Any]) -> Layout:
    """Take the layout out of all options."""
    from policy_sim.tables.files import Layout

    names = ("count", "keys", "totals", "marks", "population", "sheet")
    given = {name: options.pop(name) for name in names}
    return Layout(**{**given, "marks": _meanings(given["marks"])})


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
@_layout_options
@format_option
def check_counts(counts: Path, rule: str | None, form: str, **options: Any) -> None:
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
    from policy_sim.tables.files import read_counts

    layout = _layout(options)
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


@table.command("protect")
@click.argument("counts", type=FILE)
@option("--rule", metavar="RULE", required=True, help="Disclosure rule that says which cells to hide, such as cms.")
@option("--criterion", type=("E", "T", "R", "D"), default="R", help=_CRITERION_HELP)
@option("--cost", type=("people", "cells"), default="people", help="What further hidden cells cost.")
@option("--time", "seconds", type=click.FloatRange(min=0.1), default=60.0, help="Seconds for the search.")
@option("--reader", type=("zeros", "plain"), default="zeros", help=_READER_HELP)
@option("--hidden", "word", default="*", metavar="WORD", help="What stands in the table where a count is hidden.")
@option("--hide-margins", is_flag=True, help="Totals may be hidden too.")
@option("--hide-zeros", is_flag=True, help="Zeros may be hidden too; readers then cannot tell that a count is not 0.")
@_layout_options
@option("--out", type=FOLDER, metavar="DIR", help="Write the table, what is hidden and why, and the certificate here.")
@format_option
def protect_counts(counts: Path, rule: str, word: str, out: Path | None, form: str, **options: Any) -> None:
    """Hide what a rule hides, and as few further cells as keep readers from working a hidden one out.

    The reader knows all that is published, every total, and that hidden counts are 1 or more (--reader zeros).
    Exit status: 0 safe; 1 no choice of cells is safe, or none was proved safe in time: nothing is written then.

    \b
    Examples:
      policy-sim table protect COUNTS.csv --rule cms --out week-21
      policy-sim table protect COUNTS.xlsx --rule wa-doh --cost cells --time 20
    """
    from policy_sim.files.manifest import run_manifest
    from policy_sim.files.writing import sha256_of
    from policy_sim.rules.files import find_rule
    from policy_sim.show.rule_text import protected_text
    from policy_sim.tables.publish import Asked, protect_file

    layout = _layout(options)
    asked = Asked(**options, word=word)
    with Progress() as progress:
        answer = protect_file(counts, find_rule(rule), layout, asked, progress)
    frame, known = answer.to_frame(), answer.rule
    notes = [f"Rule: {known.id}, {known.body}, {known.document} ({known.date}).", *answer.ways_out, *answer.notes]
    if answer.safe and out is not None:
        facts = {"rule": known.id, **options, "hidden": word}
        facts |= {"status": answer.result.status, "price": answer.result.cost, "bound": answer.result.bound}
        with output_folder(out, run_manifest("table protect", facts, {"counts": sha256_of(counts)})) as folder:
            answer.write(folder)
    print_rows(frame, form, notes, lambda: protected_text(answer.verdict, frame))
    if form != "table":
        click.echo(answer.verdict, err=True)
    if not answer.safe:
        raise click.exceptions.Exit(1)
    if out is not None:
        click.echo(f"Written to {out}: {answer.name} to publish; hidden.csv and certificate.json to keep.", err=True)


@table.command("verify")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def verify_folder(folder: Path) -> None:
    """Check a folder of 'table protect' by adding up: no solver, and no trust in what wrote it.

    Every table of the certificate must fit the published one, and together they must leave each hidden cell the
    values that the criterion promises. Exit status: 0 it holds; 1 refused.

    \b
    Example:
      policy-sim table verify week-21
    """
    from policy_sim.tables.certificate import read_certificate
    from policy_sim.tables.publish import CERTIFICATE, why_folder_refused

    problem = why_folder_refused(folder)
    if problem:
        click.echo(f"REFUSED: {problem}.")
        raise click.exceptions.Exit(1)
    proof = read_certificate(folder / CERTIFICATE)
    click.echo(
        f"HOLDS: {len(proof.tables):,} tables fit {proof.file}. Of its {len(proof.hidden):,} hidden cells, none that "
        f"rule {proof.rule} hides follows (criterion {proof.criterion}, reader {proof.reader})."
    )
