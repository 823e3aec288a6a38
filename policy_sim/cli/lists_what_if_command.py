"""``policy-sim lists what-if``: the risk before and after a change in a state's law."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.lists_options import which_lists_options
from policy_sim.cli.options import FilePath, format_option, g_option

if TYPE_CHECKING:
    from policy_sim.questions.study_answers import RowsAnswer
    from policy_sim.study import Study

__all__ = ["what_if"]


@click.command("what-if")
@click.argument("state", required=False)
@click.option(
    "--set", "sets", multiple=True, metavar="ITEM=VALUE",
    help="A change, such as birth=date, gender=withheld, price=0, buyers=public; repeat for more.",
)  # fmt: skip
@click.option(
    "--changes", "file", type=FilePath(dir_okay=False, path_type=Path), metavar="FILE",
    help='A TOML of changes, such as: birth = "date".',
)  # fmt: skip
@click.option("--all-states", is_flag=True, help="Rank every possible change of one field, in every state.")
@click.option("--population", metavar="NAME|FILE", help="The census population to use. [default: us-2020]")
@which_lists_options
@g_option()
@click.option(
    "--attacker", metavar="NAME|FILE",
    help="Change another resource ('policy-sim resources list'), or your own resource file. [default: the voter list]",
)  # fmt: skip
@click.option(
    "--adversary", metavar="NAME|FILE",
    help="What limits VOTER before and after the change. Without it, a change of buyers or uses has no effect.",
)  # fmt: skip
@click.option(
    "--policy", "policies", multiple=True, metavar="NAME|FILE",
    help="The policy: what a release shows of each person; repeat for more. [default: both; with --all-states "
    "limited-dataset]",
)  # fmt: skip
@click.option(
    "--rules", type=click.Choice(("regulation", "paper")), default="regulation", show_default=True,
    help="The form of Safe Harbor and the limited data set.",
)  # fmt: skip
@click.option(
    "--coverage", type=click.Choice(("registered", "adults", "everyone")), default="registered", show_default=True,
    help="Who is assumed to be on the voter list.",
)  # fmt: skip
@format_option()
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

    You can change gender, race, birth, geography, zip, party, price, buyers, uses and status. In another resource you
    can also change share, such as share=0.2 or share=0.2-0.4.

    \b
    Examples:
      policy-sim lists what-if OH --set birth=year --set price=100
      policy-sim lists what-if VA --lists 2008 --set birth=year --format csv
      policy-sim lists what-if CA --adversary marketer --set buyers=public --set uses=any
      policy-sim lists what-if TX --attacker texas-birth-index --set geography=county --set share=0.4
      policy-sim lists what-if --all-states --policy limited-dataset
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.io.policy_files import RULES
    from policy_sim.study import Study

    study = Study(**options)
    if all_states:
        _nothing_else(sets, file, policies, g, attacker)
        answer = study.marginal_effects(policies[0] if policies else "limited-dataset", state, rules=rules)
        notes = _without_list(study, state)
    else:
        from policy_sim.analyses.comparison import DEFAULT_G
        from policy_sim.attackers import VOTER
        from policy_sim.study import POLICIES

        changes, who = _changes(state, sets, file), attacker or VOTER
        answer = study.what_if(str(state), changes, policies or POLICIES, g or DEFAULT_G, attacker=who, rules=rules)
        notes = _changed(study, answer, changes)
    head = [f"population: {study.people.provenance.describe(answer.provenance.question.states or ())}"]
    if attacker is None:
        head.append(f"voter lists: {study.voter.voter_lists.describe()}; a field that is not known counts as withheld")
    head += answer.provenance.caveats
    if study.adversary:
        head.append(f"voter: {study.voter.title}")
    if attacker is None and study.coverage != "everyone" and study.voter.coverage is not None:
        head.append(f"the voter lists hold {study.voter.coverage.title}")
    head.append(f"rules: {RULES[rules]}")
    print_rows(answer.to_frame(), form, head + notes)


def _nothing_else(
    sets: tuple[str, ...], file: Path | None, policies: tuple[str, ...], g: tuple[int, ...], attacker: str | None
) -> None:
    from policy_sim.errors import InputError

    if attacker:
        raise InputError("--all-states ranks fields of voter lists: leave out --attacker.")
    if sets or file:
        raise InputError("--all-states tries every change: leave out --set and --changes.")
    if len(policies) > 1:
        raise InputError("--all-states ranks under one policy: give --policy once.")
    if g:
        raise InputError("--all-states ranks by total risk: leave out --g.")


def _without_list(study: Study, state: str | None) -> list[str]:
    """Return one line per status: the states without rows, because they have no list to change."""
    from policy_sim.states import find_state

    without: dict[str, list[str]] = {}
    for name, listed in study.voter.voter_lists.lists.items():
        if listed.status != "available" and (state is None or name == find_state(state).postal):
            without.setdefault(listed.status.replace("_", " "), []).append(name)
    return [f"no rows, because the list is {status}: {' '.join(names)}" for status, names in sorted(without.items())]


def _changes(state: str | None, sets: tuple[str, ...], file: Path | None) -> dict[str, str]:
    from policy_sim.errors import InputError
    from policy_sim.io.voter_lists.amendment_files import read_changes
    from policy_sim.voter_lists.amendments import parse_changes

    changes = (read_changes(file) if file else {}) | parse_changes(sets)
    if state is None or not changes:
        raise InputError("name a state and at least one change, such as: OH --set birth=date; or --all-states.")
    return changes


def _changed(study: Study, answer: RowsAnswer, changes: dict[str, str]) -> list[str]:
    """Describe whose resource changes, and which changes have no effect."""
    idle = [item for item in ("buyers", "uses") if item in changes and not study.adversary]
    notes = [f"{' and '.join(idle)}: no effect without --adversary, who can have every list"] if idle else []
    return [*(f"{who.name}: {who.resource.describe()}" for who in answer.provenance.question.holders), *notes]
