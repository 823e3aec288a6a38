"""``policy-sim dataset simulate``: the error of each estimator on this file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.dataset_options import file_manifest, file_options
from policy_sim.cli.options import format_option, out_option

if TYPE_CHECKING:
    from policy_sim.record_file import RecordFile
    from policy_sim.records.file_result import FileResult
    from policy_sim.records.sampling_study import Simulation

__all__ = ["simulate"]

_MEASURES = ("uniqueness", "marketer_risk")


@click.command()
@file_options()
@click.option(
    "--fractions",
    default=".01,.05,.1,.3,.5,.7,.9",
    show_default=True,
    metavar="P,P,...",
    help="Sampling fractions, each between 0 and 1.",
)
@click.option("--runs", type=click.IntRange(min=1), default=1000, show_default=True, help="Samples per fraction.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draws.")
@click.option(
    "--log-linear/--no-log-linear",
    default=True,
    show_default=True,
    help="Also fit the log-linear model to the first samples. It is hundreds of times slower.",
)
@click.option(
    "--log-linear-runs",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Samples per fraction for the log-linear model.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of processes. [default: one per core]")
@format_option()
@out_option("Write summary.csv, trust.csv, errors.parquet, the trees and box figures, and manifest.json.")
def simulate(
    file: RecordFile,
    fractions: str,
    runs: int,
    seed: int,
    log_linear: bool,
    log_linear_runs: int,
    workers: int | None,
    form: str,
    out: Path | None,
) -> None:
    """Measure the error of each estimator on FILE by simulation, as the papers do.

    The command treats FILE as a whole population, draws samples from it, and gives each estimator only the sample. It
    prints the median relative error and the quartiles by measure, sampling fraction and estimator.

    \b
    Examples:
      policy-sim dataset simulate visits.csv --fields age,sex,race --runs 100
      policy-sim dataset simulate visits.csv --fields age,sex,race --out simulation
    """
    from policy_sim.cli.output import print_rows
    from policy_sim.estimators import estimator_names
    from policy_sim.records.sampling_study import LEAST_SHARE_ANSWERED
    from policy_sim.render.record_text import summary_text

    models = estimator_names(classes=log_linear)
    cores = workers or os.cpu_count() or 1
    slow = log_linear_runs if log_linear else None
    result = file.sampling_study(_fractions(fractions), runs, seed=seed, models=models, slow_runs=slow, workers=cores)
    if out is not None:
        _write(result, out)
    summary, best = result.tables["summary"], result.tables["trust"]
    print_rows(summary, form, result.notes, lambda: summary_text(summary, best, LEAST_SHARE_ANSWERED) + "\n")


def _fractions(text: str) -> list[float]:
    from policy_sim.errors import InputError

    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"--fractions {text!r}: give numbers separated by commas, such as .01,.1,.5.") from None


def _write(result: FileResult[Simulation], out: Path) -> None:
    from policy_sim.cli.output import output_folder, write_rows
    from policy_sim.errors import InputError
    from policy_sim.records.error_tree import error_tree
    from policy_sim.render.boxes import error_boxes
    from policy_sim.render.save import save_figure

    summary = result.tables["summary"]
    with output_folder(out, file_manifest(result)) as folder:
        write_rows(summary, folder / "summary.csv")
        write_rows(result.tables["trust"], folder / "trust.csv")
        write_rows(result.tables["errors"], folder / "errors.parquet")
        for measure in _MEASURES:
            if summary.loc[summary["measure"] == measure, "median"].notna().any():
                save_figure(error_boxes(summary, measure, result.notes), folder / f"boxes-{measure.replace('_', '-')}")
            try:
                lines = error_tree(result.answer, measure).lines()
            except InputError as why:  # no error to split, or scikit-learn is not installed
                lines = [f"no tree: {why}"]
            text = "\n".join(lines) + "\n"
            (folder / f"tree-{measure.replace('_', '-')}.txt").write_text(text, encoding="utf-8")
