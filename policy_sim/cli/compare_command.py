"""``policy-sim compare``: the main table, as rows, as a summary, or as a folder of files and maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.options import engine_option, format_option, g_option, interval_option, out_option, study_options

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.provenance import AnswerProvenance
    from policy_sim.questions.studies import Studies
    from policy_sim.render.drawers import Drawers

__all__ = ["compare"]

_FEW = 2  # states, each with a sentence for every policy and attacker


@click.command()
@study_options()
@engine_option()
@g_option()
@interval_option()
@click.option(
    "--by",
    type=click.Choice(("race", "age", "sex", "county", "county-size")),
    help="Break every result down by race, age, sex or county. With --out, also draw bars or county maps.",
)
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="newest|STATE:YEAR",
    help="Also measure the hospital data that states release: each state's newest file, or one such as NC:2016; "
    "repeat for more.",
)
@format_option()
@out_option("Also write the tables (csv, summary.txt), maps, figures and manifest.json into this folder.")
def compare(form: str, out: Path | None, by: str | None, **options: Any) -> None:
    """Compare the risk in every state under each policy and attacker.

    Total risk is the expected number of records that the attacker matches to the right person. G-distinct is the number
    of people who share their released values with fewer than g others. If a field of a voter list is unknown, the
    command gives the lowest and the highest figure. With several populations, it also shows how each state's risk
    changed since the first. With one state, --out draws its counties, its curve and its rank among the states.

    \b
    Examples:
      policy-sim compare
      policy-sim compare --as benitez-malin-2010 --out out
      policy-sim compare --state OH --state TX --g 1 --g 5 --format csv
      policy-sim compare --release newest --out releases
      policy-sim compare --by race --state OH
      policy-sim compare --by county --state OH --out ohio
      policy-sim compare --population us-2000 --population us-2010 --population us-2020 --out change
    """
    if by is not None:
        from policy_sim.cli.compare_by import compare_by

        compare_by(by, form, out, **options)
        return

    from policy_sim.cli.asked import ask
    from policy_sim.cli.output import print_rows
    from policy_sim.render.drawers import Drawers

    # the helpers start while the figures are computed; one state has three quick pictures
    with Drawers(0 if out is None or len(options["states"]) == 1 else None) as drawers:
        studies = ask(**options)
        origin, profiles = studies.provenance("compare"), studies.to_frame()
        trust, cost, change = (rows.to_frame() for rows in (studies.trust(), studies.costs(), studies.changes()))
        # the table of a published study is the study's own
        display = {"worth": options["preset"] is None, "g": options["g"] or ()}
        if out is not None:
            frames = {"profiles": profiles, "trust": trust, "cost": cost, "change": change}
            _write_folder(out, studies, origin, frames, display, drawers)
    print_rows(profiles, form, origin.notes, lambda: _summary(profiles, trust, cost, change, display))
    if out is not None:
        click.echo(f"Written to {out}: tables, maps, figures and manifest.json.", err=True)


def _write_folder(
    out: Path,
    studies: Studies,
    origin: AnswerProvenance,
    frames: dict[str, pd.DataFrame],
    display: dict[str, Any],
    drawers: Drawers,
) -> None:
    """Write the tables, their summary, maps and figures, and what made them."""
    from policy_sim.cli.one_state import one_state_figures
    from policy_sim.cli.output import output_folder, write_rows
    from policy_sim.cli.progress import Progress
    from policy_sim.render.change_figure import change_figures
    from policy_sim.render.comparison_figures import comparison_drawings
    from policy_sim.render.save import save_figures
    from policy_sim.render.text_table import WIDTH

    with Progress() as progress, output_folder(out, origin.manifest()) as folder:
        progress("drawing maps and figures")
        profiles, trust, cost, change = frames.values()
        summary = [_summary(profiles, trust, cost, change, display, WIDTH), *origin.notes]
        (folder / "summary.txt").write_text("\n".join(summary) + "\n", encoding="utf-8")
        for name, frame in frames.items():
            if len(frame) or name != "change":
                write_rows(frame, folder / f"{name}.csv")
        notes, restricted = origin.figure_notes, origin.restricted_states
        if len(studies.question.states or ()) == 1:
            save_figures(one_state_figures(studies), folder)
        else:
            drawers.save(comparison_drawings(profiles, trust, cost, notes, restricted), folder)
        save_figures(change_figures(profiles, notes), folder)


def _summary(
    profiles: pd.DataFrame,
    trust: pd.DataFrame,
    cost: pd.DataFrame,
    change: pd.DataFrame,
    display: dict[str, Any],
    width: int | None = None,
) -> str:
    """Return the tables, as wide as the terminal or ``width`` columns; for a few states also in sentences."""
    from policy_sim.render.change_figure import change_table
    from policy_sim.render.match_words import match_sentences
    from policy_sim.render.summary import summary_table

    few = display["worth"] and len(profiles["state"].unique()) <= _FEW and len(profiles["population"].unique()) == 1
    tables = [
        summary_table(profiles, trust, cost, width, match_sentences(profiles) if few else (), **display),
        *([change_table(change, width=width)] if len(change) else []),
    ]
    if "people_from" in profiles:
        from policy_sim.render.interval_table import interval_table

        tables.append(interval_table(profiles, width))
    return "\n\n".join(tables)
