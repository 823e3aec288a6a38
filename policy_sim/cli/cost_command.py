"""``policy-sim cost``: what the buyer of a voter list pays for each re-identification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import engine_option, format_option, interval_option, out_option, study_options

__all__ = ["cost"]


@click.command()
@study_options()
@engine_option()
@interval_option()
@format_option()
@out_option("Write cost.csv and manifest.json into this folder.")
def cost(form: str, out: Path | None, **options: Any) -> None:
    """Divide the price of a voter list, or of another file, by the number of correct matches.

    The status says whether a list is free, not for sale, or of unknown price. A price that depends on the number of
    records or counties is computed for the population.

    \b
    Examples:
      policy-sim cost
      policy-sim cost --as benitez-malin-2010 --state WV --state NH --state WI
      policy-sim cost --state FL --attacker voter --attacker florida-driver-data
    """
    from policy_sim.attackers import VOTER
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.errors import InputError

    studies = ask(**options | {"attackers": options["attackers"] or (VOTER,)})
    if not studies.question.has_files:
        raise InputError(
            "this attacker knows everyone, an assumption that nobody sells: its price is not modeled. Name one with a "
            "list or a file, such as voter."
        )
    frame, origin = studies.costs().to_frame(), studies.provenance("cost")
    if out is not None:
        write_frames(out, origin.manifest(), cost=frame)
    print_rows(frame, form, origin.notes)
