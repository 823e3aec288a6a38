"""``policy-sim break-even``: whether an attack pays, and when it starts to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options
from policy_sim.cli.stakes_options import stakes_options, taken_stakes

__all__ = ["break_even"]


@click.command(name="break-even")
@study_options()
@stakes_options()
@click.option(
    "--no-sizes",
    "sizes",
    is_flag=True,
    default=True,
    flag_value=False,
    help="Do not compute the smallest file that pays.",
)
@format_option()
@out_option("Also write break-even.csv and manifest.json into this folder.")
def break_even(form: str, out: Path | None, sizes: bool, **options: Any) -> None:
    """Show whether an attack pays in each state, and from which gain, price and file size.

    If no source gives the price of a list, its profit and break-even gain are unknown. Its break-even price is the
    highest price at which the attack would pay.

    \b
    Examples:
      policy-sim break-even --policy limited-dataset --in-file 0.01
      policy-sim break-even --state WI --state NC --gain broker-2023 --cost-per-attempt 0
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.cli.progress import Progress
    from policy_sim.render.attack_text import break_even_table

    stakes = taken_stakes(options)
    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    question = studies.question
    with Progress() as progress:
        progress("looking for the smallest files" if sizes else "looking for the best attacks")
        answer = studies.only_study.break_even(
            question.states,
            question.policies,
            question.attackers,
            rules=question.rules,
            in_file=question.in_file,
            sizes=sizes,
            **stakes,
        )
    rows = answer.to_frame()
    if out is not None:
        write_frames(out, answer.provenance.manifest(), **{"break-even": rows})
    print_rows(rows, form, answer.provenance.notes, lambda: break_even_table(rows))
