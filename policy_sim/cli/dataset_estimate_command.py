"""``policy-sim dataset estimate``: what the file alone says about its population."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.dataset_options import file_options, print_result
from policy_sim.cli.options import format_option, out_option

if TYPE_CHECKING:
    from policy_sim.record_file import RecordFile

__all__ = ["estimate"]

_SCORE = (
    "The census knows these fields: 'policy-sim dataset score' reads from it how many people share each record's "
    "values, and gives the share of the records that an attacker matches correctly."
)


@click.command()
@file_options()
@click.option(
    "--population-size",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="Number of people in the population that the records come from.",
)
@click.option("--log-linear/--no-log-linear", default=True, show_default=True, help="Also fit the log-linear model.")
@click.option(
    "--intervals",
    is_flag=True,
    help="Also give the sampling error of each model (95% of bootstrap samples), without the error of the model.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap.")
@format_option()
@out_option("Write estimates.csv and manifest.json into this folder.")
def estimate(
    file: RecordFile, population_size: int, log_linear: bool, intervals: bool, seed: int, form: str, out: Path | None
) -> None:
    """Estimate population uniques and marketer risk from FILE alone.

    Population uniques are people whose values nobody else in the population has. Marketer risk is the expected share of
    records that an attacker would match correctly. The first lines give each as a range, and say what it promises: a
    range tested on public files (docs/estimators.md), only the range of the models, or that this sample cannot
    tell. Each estimator then has its own row, with a reason if it has no answer.

    \b
    Examples:
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11536504
      policy-sim dataset estimate visits.csv --fields age,sex --population-size 100000 --intervals
    """
    from policy_sim.estimators import Bootstrap, estimator_names, model_spread
    from policy_sim.records.census_values import KNOWN_FIELDS, known_field
    from policy_sim.render.record_text import estimates_text, spread_note
    from policy_sim.render.verdict_text import verdict_text

    bootstrap = Bootstrap(seed=seed) if intervals else None
    result = file.estimate(population_size, models=estimator_names(classes=log_linear), bootstrap=bootstrap)
    spread = spread_note(*(model_spread(result.answer[1:], measure) for measure in ("uniqueness", "marketer_risk")))
    in_census = all(known_field(name) in KNOWN_FIELDS for name in file.records.fields)
    first = verdict_text(result.answer[0], population_size, _SCORE if in_census else "")
    notes = [spread] if form == "table" else [first, spread]
    print_result(result, form, out, lambda: f"{first}\n\n{estimates_text(result.to_frame())}", notes)
