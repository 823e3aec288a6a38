"""``policy-sim compare``: the main table, as rows, as a summary and as a folder of files and maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import format_option, g_option, out_option, study_options

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.cli.asked import Asked

__all__ = ["compare"]


@click.command()
@study_options
@g_option()
@format_option()
@out_option("Also write profiles.csv, trust.csv, cost.csv, maps, figures and manifest.json into this folder.")
def compare(form: str, out: Path | None, **options: Any) -> None:
    """Risk of every state under each policy and attacker.

    Total risk is the expected number of correct re-identifications; g-distinct is how many people
    share their key with fewer than g others. Where a list's field is not known, both ends are given.

    \b
    Examples:
      policy-sim compare
      policy-sim compare --as benitez-malin-2010 --out out
      policy-sim compare --state OH --state TX --g 1 --g 5 --format csv
    """
    import pandas as pd

    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows

    asked = ask(**options)
    frame = pd.concat([comparison.to_frame() for comparison in asked.comparisons], ignore_index=True)
    if out is not None:
        _write(asked, frame, out)
    print_rows(frame, form, asked.notes, lambda: _summary(asked, frame))


def _summary(asked: Asked, profiles: pd.DataFrame) -> str:
    from policy_sim.render.tables import summary_table

    return summary_table(profiles, asked.trust_rows(), asked.cost_rows())
