"""``policy-sim dataset profile``: classes, prosecutor risk, and which fields drive it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from policy_sim.cli.dataset_options import file_options, print_result
from policy_sim.cli.options import format_option, out_option

if TYPE_CHECKING:
    from policy_sim.record_file import RecordFile

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
@click.option("--suda/--no-suda", default=True, show_default=True, help="Also walk the combinations of fields.")
@click.option(
    "--max-combinations",
    type=click.IntRange(min=1),
    help="Most combinations to walk: 2 to the number of fields, less 1. [default: 4,095]",
)
@click.option("--weight", metavar="COLUMN", help="Survey weights: how many people each record stands for.")
@click.option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: row number, class size, risk and scores of each record.",
)
@format_option()
@out_option("Write figures, fields, combinations, sizes and scores as CSV, and manifest.json, into this folder.")
def profile(
    file: RecordFile,
    threshold: str,
    cutoff: str,
    sampling_fraction: float,
    suda: bool,
    max_combinations: int | None,
    weight: str | None,
    list_records: bool,
    form: str,
    out: Path | None,
) -> None:
    """Classes, uniques and prosecutor risk of FILE, and which fields drive them.

    FILE is CSV (also .gz), Parquet, a folder of either, or the URL of a database with --table. Values
    are compared as text, or as --mapping reads them. No value of a record is ever printed.

    \b
    Examples:
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset profile visits.parquet --fields age,sex --missing wildcard --missing-code '?'
      policy-sim dataset profile visits.csv --fields age,sex,zip --records --out review
      policy-sim dataset profile postgresql+psycopg://me@host/clinic --table visits --fields age,sex
    """
    from policy_sim.errors import InputError
    from policy_sim.render.record_text import profile_text

    if list_records and out is None:
        raise InputError("--records writes one row per record into the folder of --out: name that folder.")
    result = file.profile(
        threshold,
        cutoff,
        sampling_fraction=sampling_fraction,
        max_combinations=max_combinations if suda else 0,
        weight=weight,
        list_records=list_records,
    )
    figures, fields, combinations = (result.tables[name] for name in ("figures", "fields", "combinations"))
    print_result(result, form, out, lambda: profile_text(figures, fields, combinations, ()))
