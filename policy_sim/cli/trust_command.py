"""``policy-sim trust``: how much more risk one policy has than another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import engine_option, format_option, g_option, interval_option, out_option, study_options

__all__ = ["trust"]


@click.command()
@study_options()
@engine_option()
@g_option()
@click.option("--numerator", metavar="NAME|FILE", help="The policy in the numerator. [default: the last --policy]")
@click.option("--denominator", metavar="NAME|FILE", help="The policy in the denominator. [default: the first --policy]")
@interval_option()
@format_option()
@out_option("Write trust.csv and manifest.json into this folder.")
def trust(form: str, out: Path | None, numerator: str | None, denominator: str | None, **options: Any) -> None:
    """Divide the risk under one policy by the risk under another (the trust differential).

    Both risks use the same people, attacker and measure. If the denominator is 0, the status is 'undefined'.

    \b
    Examples:
      policy-sim trust --state OH
      policy-sim trust --numerator limited-dataset --denominator safe-harbor --g 5 --format csv
    """
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.errors import InputError

    policies = options["policies"] or ask(**options).question.policies
    below, above = denominator or str(policies[0]), numerator or str(policies[-1])
    studies = ask(**options | {"policies": (below, above)})
    if len(set(studies.question.names)) < len(studies.question.names):
        raise InputError(
            f"policy {above!r} is both numerator and denominator: name two policies, such as --denominator safe-harbor."
        )
    frame, origin = studies.trust().to_frame(), studies.provenance("trust")
    if out is not None:
        write_frames(out, origin.manifest(), trust=frame)
    print_rows(frame, form, origin.notes)
