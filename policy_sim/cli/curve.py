"""``policy-sim curve``: one state over every g, as rows and as the figures of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from policy_sim.cli.options import format_option, out_option, study_options

__all__ = ["curve"]

# What a table for the eye shows; the other formats and the files have every g.
_ROUND = [step * 10**power for power in range(8) for step in (1, 2, 5)]


@click.command()
@click.argument("state")
@study_options
@click.option("--g-max", type=click.IntRange(min=1), default=20_000, show_default=True, help="Largest g.")
@format_option()
@out_option("Write curve.csv, trust.csv, the figures and manifest.json into this folder.")
def curve(state: str, g_max: int, form: str, out: Path | None, **options: Any) -> None:
    """Share g-distinct and trust differential in one STATE for g = 1, 2, ... --g-max.

    \b
    Examples:
      policy-sim curve OH --as benitez-malin-2010 --out ohio
      policy-sim curve OH --g-max 1000 --format csv > ohio.csv
    """
    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import output_folder, print_rows, write_rows
    from policy_sim.frames import curve_frame, trust_curve_frame

    asked = ask(**options | {"states": (state,)})
    found = asked.study.curves(asked.states[0], asked.policies, asked.attackers, g_max)
    frame = curve_frame(found)
    if out is not None:
        from policy_sim.render.curves import curve_figure, trust_curve_figure
        from policy_sim.render.save import save_figure

        trust = trust_curve_frame(frame, asked.names[-1], asked.names[0])
        with output_folder(out, asked.manifest("curve")) as folder:
            write_rows(frame, folder / "curve.csv")
            write_rows(trust, folder / "trust.csv")
            save_figure(curve_figure(frame, asked.notes), folder / "curve")
            save_figure(trust_curve_figure(trust, asked.notes), folder / "trust")
    shown = frame[frame["g"].isna() | frame["g"].isin(_ROUND)]
    print_rows(shown if form == "table" else frame, form, asked.notes)
