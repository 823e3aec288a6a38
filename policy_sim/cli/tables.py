"""Commands about tables of counts: the disclosure rules of agencies."""

from __future__ import annotations

import click

from policy_sim.cli.options import format_option, option
from policy_sim.cli.output import print_rows


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
