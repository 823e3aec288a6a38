"""``policy-sim curve``: one state's risk for every g, as rows and as the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import engine_option, format_option, out_option, study_options

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["curve"]


@click.command()
@click.argument("state")
@study_options(without="states")
@engine_option()
@click.option(
    "--g-max", type=click.IntRange(min=1, max=1_000_000), default=20_000, show_default=True, help="Largest g."
)
@format_option()
@out_option("Write curve.csv, trust.csv, the figures and manifest.json into this folder.")
def curve(state: str, g_max: int, form: str, out: Path | None, **options: Any) -> None:
    """Show the share of people who are g-distinct in one STATE, for g = 1, 2, ... --g-max.

    A person is g-distinct if fewer than g others share the released values. The table shows round values of g; other
    formats and the files have every value. The trust differential is the ratio between two policies.

    \b
    Examples:
      policy-sim curve OH --as benitez-malin-2010 --out ohio
      policy-sim curve OH --g-max 1000 --format csv > ohio.csv
    """
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.results.result_tables import with_trust

    studies = ask(**options, states=(state,))
    swept = studies.curves(g_max)
    curves, trust, origin = swept.to_frame(), studies.curve_trust(swept), studies.provenance("curve")
    rows = with_trust(curves, trust)
    if out is not None:
        from policy_sim.render.curves import curve_figures
        from policy_sim.render.save import save_figures

        with output_folder(out, origin.manifest()) as folder:
            write_rows(curves, folder / "curve.csv")
            write_rows(trust, folder / "trust.csv")
            save_figures(curve_figures(curves, trust, origin.figure_notes), folder)
    print_rows(rows, form, origin.notes, lambda: _table(rows))


def _table(rows: pd.DataFrame) -> str:
    from policy_sim.render.curve_table import curve_table

    return curve_table(rows)
