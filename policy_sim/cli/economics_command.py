"""``policy-sim economics``: what a name is worth, what an attack costs, and the sources."""

from __future__ import annotations

import click

from policy_sim.cli.options import format_option

__all__ = ["economics"]


@click.command()
@format_option()
def economics(form: str) -> None:
    """List gains, costs and penalties of attacks, each with its date and source.

    Other commands take these names in --gain, --cost-per-attempt and --penalty. An amount is unknown if no source gives
    it.

    \b
    Examples:
      policy-sim economics
      policy-sim economics --format csv
    """
    from dataclasses import asdict

    import pandas as pd

    from policy_sim.cli.output import print_rows
    from policy_sim.io.economics_files import load_amounts
    from policy_sim.render.text_table import wrapped

    amounts = load_amounts().values()
    rows = pd.DataFrame([asdict(amount) for amount in amounts])
    rows = rows.astype(dict.fromkeys(("usd_low", "usd_high", "cap_usd"), "Float64"))
    lines = [f"{amount.kind}: {amount.what}. {amount.cite()} {amount.note}".rstrip() for amount in amounts]
    print_rows(rows, form, (), lambda: "\n".join(wrapped(lines)))
