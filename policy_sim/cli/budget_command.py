"""``policy-sim budget``: which lists to buy for a budget, or for a number of names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options

__all__ = ["budget"]


@click.command()
@click.option("--usd", type=click.FloatRange(min=0), help="How much the buyer spends.")
@click.option(
    "--target",
    type=click.FloatRange(min=0, min_open=True),
    help="Or: the number of correct claims that the buyer wants.",
)
@study_options()
@click.option("--any-buyer", is_flag=True, help="Also include lists that the public may not buy.")
@click.option("--released", is_flag=True, help="Count a list's unknown fields as released instead of withheld.")
@click.option(
    "--usd-per-county", type=click.FloatRange(min=0), help="Price of a county's list where no source gives one."
)
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
    """Choose the lists with the most correct claims for a budget, or the cheapest lists for a number of claims.

    The attacker claims a record when exactly one person on the list has the record's values. The buyer buys one list
    per state, or the lists of counties where only counties sell. The output names the lists that this buyer may not
    have, and those with no known price; the answer leaves them out. The answer is exact (a binary program).

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
    studies = ask(**options)
    question = studies.question
    answer = studies.only_study.budget(
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
