"""``policy-sim dataset profile``: classes, prosecutor risk, and which fields drive it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.dataset_options import AskedFile, file_options
from policy_sim.cli.options import format_option, out_option

if TYPE_CHECKING:
    from policy_sim.microdata.profile import FileProfile
    from policy_sim.microdata.threshold import Threshold

__all__ = ["profile"]


@click.command()
@file_options(("own", "wildcard", "exclude"))
@click.option(
    "--threshold",
    default="0.09",
    show_default=True,
    metavar="RISK",
    help="Count records with more risk: 0.09 or 1/11 or k=11. Compared on the class size it stands for.",
)
@click.option(
    "--cutoff",
    default="0.5",
    show_default=True,
    metavar="RISK",
    help="Largest risk of a record that an average may hide, for the strict average: 0.5 or 0.33.",
)
@click.option(
    "--sampling-fraction",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Share of the population in the file, for the match chances of scores.csv.",
)
@format_option()
@out_option("Write figures, fields, combinations, sizes and scores as CSV, and manifest.json, into this folder.")
def profile(
    asked: AskedFile, threshold: str, cutoff: str, sampling_fraction: float, form: str, out: Path | None
) -> None:
    """Classes, uniques and prosecutor risk of FILE, and which fields drive them.

    FILE is CSV (also .gz), Parquet, a folder of either, or the URL of a database with --table. Values
    are compared as text. No value of a record is ever printed.

    \b
    Examples:
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset profile visits.parquet --fields age,sex --missing wildcard --missing-code '?'
      policy-sim dataset profile postgresql+psycopg://me@host/clinic --table visits --fields age,sex
    """
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.microdata import frames
    from policy_sim.microdata.threshold import Threshold
    from policy_sim.render.records import profile_text

    limits = Threshold.parse(threshold), Threshold.parse(cutoff)
    found = _profile(asked, *limits)
    figures, fields = frames.profile_figures(found), frames.field_frame(found)
    combinations = frames.combination_frame(found)
    if out is not None:
        manifest = asked.manifest("profile", threshold=threshold, cutoff=cutoff, sampling_fraction=sampling_fraction)
        tables = {"combinations": combinations, "sizes": frames.size_frame(found)}
        tables["scores"] = frames.suda_frame(found, sampling_fraction)
        write_frames(out, manifest, figures=figures, fields=fields, **tables)
    notes = [*asked.notes, *([found.reason] if found.reason else []), *(f"warning: {w}" for w in found.warnings)]
    print_rows(figures, form, notes, lambda: profile_text(figures, fields, combinations, ()) + "\n")


def _profile(asked: AskedFile, threshold: Threshold, cutoff: Threshold) -> FileProfile:
    """Profile the classes in memory, or, where they are too many, from what the engine counts."""
    from policy_sim.errors import NotEstimableError
    from policy_sim.microdata.profile import profile_classes, profile_sizes

    complete = asked.missing == "exclude"
    with asked.engine() as engine:
        grouped = engine.group(asked.records)
        try:
            classes = grouped.classes(asked.max_classes)
        except NotEstimableError as why:
            if asked.missing == "wildcard":
                raise
            return profile_sizes(
                asked.records.fields,
                grouped.values,
                grouped.missing(),
                lambda fields: grouped.sizes(fields, complete=complete),
                threshold,
                cutoff,
                f"no combinations and scores: {why}",
            )
    return profile_classes(classes, asked.missing, threshold, cutoff)
