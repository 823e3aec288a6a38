"""``policy-sim dataset profile``: classes, prosecutor risk, and the fields that cause it."""

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
    help="Count the records with more risk than this: 0.09, 1/11 or k=11. All three are compared as class sizes.",
)
@click.option(
    "--cutoff",
    default="0.5",
    show_default=True,
    metavar="RISK",
    help="For the strict average: the largest risk of one record that an average may hide, 0.5 or 0.33.",
)
@click.option(
    "--sampling-fraction",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Share of the population that is in the file, for the match probabilities in scores.csv.",
)
@click.option("--suda/--no-suda", default=True, show_default=True, help="Also measure combinations of fields.")
@click.option(
    "--max-combinations",
    type=click.IntRange(min=1),
    help="Largest number of combinations to measure; n fields have 2^n - 1. [default: 4,095]",
)
@click.option("--weight", metavar="COLUMN", help="Survey weights: how many people each record stands for.")
@click.option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: the row number, class size, risk and scores of each record.",
)
@format_option()
@out_option("Write CSV files of figures, fields, combinations, sizes and scores, and manifest.json, into this folder.")
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
    """Measure how unique the records of FILE are, and which fields cause it.

    A class is a set of records with the same key values. Prosecutor risk is the chance of a correct match for an
    attacker who knows that its target is in the file: 1 divided by the class size. FILE is CSV (also .gz), Parquet, a
    folder of either, or the URL of a database with --table. The command compares values as text, or as --mapping reads
    them. It never prints a value from a record.

    \b
    Examples:
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset profile visits.parquet --fields age,sex --missing wildcard --missing-code '?'
      policy-sim dataset profile visits.csv --fields age,sex,zip --records --out review
      policy-sim dataset profile postgresql+psycopg://me@host/clinic --table visits --fields age,sex
    """
    from policy_sim.errors import InputError
    from policy_sim.render.record_text import profile_text
    from policy_sim.render.text_table import wrapped
    from policy_sim.render.verdict_text import profile_verdict

    if list_records and out is None:
        raise InputError("--records needs --out: it writes one row per record into that folder.")
    result = file.profile(
        threshold,
        cutoff,
        sampling_fraction=sampling_fraction,
        max_combinations=max_combinations if suda else 0,
        weight=weight,
        list_records=list_records,
    )
    figures, fields, combinations = (result.tables[name] for name in ("figures", "fields", "combinations"))
    without = [(field.name, field.without.average if field.without else None) for field in result.answer.by_field]
    verdict = "\n".join(wrapped(profile_verdict(result.answer.risk, without).splitlines()))
    print_result(result, form, out, lambda: f"{verdict}\n\n{profile_text(figures, fields, combinations, ())}")
