"""``policy-sim dataset estimate``: what the file alone says of the population it was drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.dataset_options import AskedFile, file_options
from policy_sim.cli.options import format_option, out_option

if TYPE_CHECKING:
    from policy_sim.estimators import ClassTable, SizeHistogram

__all__ = ["estimate"]


@click.command()
@file_options()
@click.option(
    "--population-size",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="People that the records were drawn from.",
)
@click.option("--log-linear/--no-log-linear", default=True, show_default=True, help="Also fit the log-linear model.")
@click.option("--intervals", is_flag=True, help="Also give 95 % intervals, by bootstrap.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap.")
@format_option()
@out_option("Write estimates.csv and manifest.json into this folder.")
def estimate(
    asked: AskedFile, population_size: int, log_linear: bool, intervals: bool, seed: int, form: str, out: Path | None
) -> None:
    """Population uniques and marketer risk, estimated from FILE alone.

    Every estimator answers in a row of its own; one that cannot says why. decision_rule is the
    published choice among them for uniques, poisson_log_linear the best published for marketer risk.

    \b
    Examples:
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11536504
      policy-sim dataset estimate visits.csv --fields age,sex --population-size 100000 --intervals
    """
    from policy_sim.cli.output import print_rows, write_frames
    from policy_sim.cli.progress import Progress
    from policy_sim.estimators import estimate_all
    from policy_sim.microdata.frames import estimate_frame
    from policy_sim.render.records import estimates_text

    sizes, table, reason = _sample(asked, log_linear)
    with Progress() as progress:
        progress("fitting the estimators")
        found = estimate_all(sizes, population_size, table, intervals=intervals, seed=seed)
    frame = estimate_frame(found if log_linear else found[:-1])
    options = {"population_size": population_size, "log_linear": log_linear, "intervals": intervals, "seed": seed}
    if out is not None:
        write_frames(out, asked.manifest("estimate", **options), estimates=frame)
    drawn = f"{sizes.records:,} records drawn from {population_size:,} people"
    print_rows(frame, form, [*asked.notes, drawn, *([reason] if reason else [])], lambda: estimates_text(frame) + "\n")


def _sample(asked: AskedFile, log_linear: bool) -> tuple[SizeHistogram, ClassTable | None, str]:
    """The file's class sizes, its classes if the log-linear model needs them, and why there are none."""
    from policy_sim.errors import NotEstimableError
    from policy_sim.estimators import ClassTable

    with asked.engine() as engine:
        grouped = engine.group(asked.records)
        sizes = grouped.sizes(complete=asked.missing == "exclude").histogram
        if not log_linear:
            return sizes, None, ""
        try:
            classes = grouped.classes(asked.max_classes)
        except NotEstimableError as why:
            return sizes, None, f"no log-linear model: {why}"
    classes = classes.complete() if asked.missing == "exclude" else classes
    return sizes, ClassTable(classes.codes.astype("int64"), classes.sizes, classes.fields), ""
