"""``policy-sim lists what-if``: every measure before and after a change of a state's law."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.lists_options import which_lists_options
from policy_sim.cli.options import format_option, g_option

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
    "--changes", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help='A TOML of changes, such as: birth = "date".',
)  # fmt: skip
@click.option("--all-states", is_flag=True, help="Rank every single change of a field, in every state.")
@click.option("--population", metavar="NAME|FILE", help="Whose census. [default: us-2020]")
@which_lists_options
@g_option()
@click.option(
    "--attacker", metavar="NAME|FILE",
    help="Change another resource ('policy-sim resources list'), or your own resource file. [default: the voter list]",
)  # fmt: skip
@click.option(
    "--adversary", metavar="NAME|FILE",
    help="What holds VOTER back, before and after; without it a change of buyers or uses has no effect.",
)  # fmt: skip
@click.option(
    "--policy", "policies", multiple=True, metavar="NAME|FILE",
    help="What is released; repeat for more. [default: both; with --all-states limited-dataset]",
)  # fmt: skip
@click.option(
    "--rules", type=click.Choice(("regulation", "paper")), default="regulation", show_default=True,
    help="The form of Safe Harbor and the limited data set.",
)  # fmt: skip
@click.option(
    "--coverage", type=click.Choice(("registered", "adults", "everyone")), default="registered", show_default=True,
    help="Who is on the voter lists.",
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
    """Every measure before and after a change of STATE's list, or of another resource.

    Items are gender, race, birth, geography, zip, party, price, buyers, uses and status; of another resource also
    share, such as share=0.2 or share=0.2-0.4.

    \b
    Examples:
      policy-sim lists what-if OH --set birth=year --set price=100
      policy-sim lists what-if VA --lists 2008 --set birth=year --format csv
      policy-sim lists what-if CA --adversary marketer --set buyers=public --set uses=any
      policy-sim lists what-if TX --attacker texas-birth-index --set geography=county --set share=0.4
      policy-sim lists what-if --all-states --policy limited-dataset
    """
    from policy_sim.study import Study

    study = Study(**options)
    if all_states:
        _nothing_else(sets, file, policies, g, attacker)


def _changed(study: Study, answer: RowsAnswer, changes: dict[str, str]) -> list[str]:
    """Whose resource is changed, and which changes have no effect."""
    idle = [item for item in ("buyers", "uses") if item in changes and not study.adversary]
    notes = [f"{' and '.join(idle)}: no effect without --adversary, who can have every list"] if idle else []
    return [*(f"{who.name}: {who.resource.describe()}" for who in answer.provenance.question.holders), *notes]
