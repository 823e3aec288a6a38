"""``policy-sim budget``: which lists to buy for so much money, or for so many names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options

__all__ = ["budget"]


@click.command()
@click.option("--usd", type=click.FloatRange(min=0), help="How much the buyer spends.")
@click.option("--target", type=click.FloatRange(min=0, min_open=True), help="Or: how many right claims it wants.")
@study_options()
@click.option("--any-buyer", is_flag=True, help="Also buy lists that are not for the public.")
@click.option("--released", is_flag=True, help="Count unknown fields of the lists as released, not as withheld.")
@click.option("--usd-per-county", type=click.FloatRange(min=0), help="What a county asks where no source says.")
@format_option()
@out_option("Also write budget.csv and manifest.json into this folder.")
def budget(
    usd: float | None,
    target: float | None,
    any_buyer: bool,
    released: bool,
    usd_per_county: float | None,
    form: str,
    out: Path | None,
    **options: Any,
) -> None:
    """The lists with the most right claims for the money, or the cheapest lists for so many right claims.

    A claim is a record with whose values exactly one person is listed. Of each state one list is bought, or the lists
    of its counties where only counties sell. Lists that this buyer may not have, and lists whose price no source gives,
    are left out and named. Exact: a binary program.

    \b
    Examples:
      policy-sim budget --usd 5000
      policy-sim budget --usd 5000 --adversary party --policy safe-harbor --in-file 0.01
      policy-sim budget --target 100000
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.render.budget_text import budget_table

    options |= {
        "policies": options["policies"] or ("limited-dataset",),
        "attackers": options["attackers"] or (VOTER,),
    }
    asked = ask(**options)
    question = asked.question
    answer = asked.only_study.budget(
        usd,
        target,
        question.policies,
        question.attackers,
        question.states,
        any_buyer=any_buyer,
        released=released,
        usd_per_county=usd_per_county,
        rules=question.rules,
        in_file=question.in_file,
    )
    rows = answer.to_frame()
    if out is not None:
        write_frames(out, answer.provenance.manifest(), budget=rows)
    print_rows(rows, form, answer.provenance.notes, lambda: budget_table(rows))
