"""Commands that measure a file of records."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.dataset_estimates import (
    MEMORY,
    MISSING_CODES,
    SHEET,
    TABLE,
    estimate,
    file_options,
    print_result,
    score,
    simulate,
)
from policy_sim.cli.options import FILE, format_option, option, out_option
from policy_sim.cli.output import Progress
from policy_sim.words.errors import InputError, OutputError

if TYPE_CHECKING:
    from policy_sim.records.check import CheckedColumn
    from policy_sim.study.record_file import RecordFile


@click.command()
@click.argument("file")
@TABLE
@SHEET
@MISSING_CODES
@MEMORY
@option(
    "--write-mapping",
    type=FILE,
    metavar="TOML",
    help="Write a mapping file that says which column is which field, to edit and pass to other commands as --mapping.",
)
@format_option
@out_option("Write columns.csv, findings.csv and manifest.json into this folder.")
def check(file: str, write_mapping: Path | None, form: str, out: Path | None, **options: Any) -> None:
    """Check FILE first: what Safe Harbor asks of it, what each column seems to be, and what to fix.

    The first lines say what Safe Harbor would remove or change. Then the command says whether each column looks like
    a direct identifier, a key field, a date, a code or free text, and why. It lists similar spellings, lost leading
    zeros, unreadable dates, codes for missing values, and people with several records, and names the next command. It
    never prints a value from a record.

    \b
    Examples:
      policy-sim dataset check visits.csv
      policy-sim dataset check visits.csv --write-mapping visits.toml
      policy-sim dataset check sqlite:///clinic.db --table visits --format json
    """
    from policy_sim.files.writing import replace_file
    from policy_sim.records.check import mapping_text
    from policy_sim.show.record_text import check_text
    from policy_sim.study.record_file import RecordFile

    if write_mapping is not None and write_mapping.exists():
        raise OutputError(f"{write_mapping} already exists. Choose another name.")
    with Progress() as progress:
        result = RecordFile.check(file, progress=progress, **options)
    if write_mapping is not None:
        replace_file(write_mapping, mapping_text(result.answer, options["sheet"]).encode())
    print_result(result, form, out, lambda: check_text(result.tables["columns"], result.tables["findings"]))
    if form == "table":
        click.echo("\n".join(_next(file, write_mapping, result.answer, options)), err=True)


def _next(file: str, mapping: Path | None, columns: Sequence[CheckedColumn], options: Mapping[str, Any]) -> list[str]:
    """Say which commands come next, ready to be copied; a password is for the reader to fill in."""
    from policy_sim.records.engines.file_questions import scored_place
    from policy_sim.words.text import mask_credentials

    of_database = f" --table {shlex.quote(options['table'])}" if options["table"] else ""
    name = f"{shlex.quote(mask_credentials(file))}{of_database}"
    hidden = ["(write what stands in place of … in the address again)"] if mask_credentials(file) != file else []
    if mapping is None:
        sheet = f" --sheet {shlex.quote(options['sheet'])}" if options["sheet"] else ""
        return [f"next: policy-sim dataset check {name}{sheet} --write-mapping mapping.toml", *hidden]
    written, present = shlex.quote(str(mapping)), {column.kind.field for column in columns}
    births, races = ("birth_date", "birth_month", "birth_year", "age"), ("race_ethnicity", "race")
    choices = (births, ("sex",), races, ("ethnicity",), ("county", "zip5", "state"))
    fields = [next((field for field in group if field in present), "") for group in choices]
    if fields[2] == "race_ethnicity":
        fields[3] = ""
    lines = [f"Mapping written to {mapping}. Edit it, then use it with --mapping."]
    if any(fields):
        measured_fields = ",".join(filter(None, fields))
        lines.append(
            f"next, to measure: policy-sim dataset profile {name} --fields {measured_fields} --mapping {written}"
        )
    place = scored_place(columns)
    if place and any(fields[:4]):
        scored_fields = ",".join([*filter(None, fields[:4]), *place.fields])
        more = "".join(f" --{option} {value}" for option, value in place.options.items())
        lines.append(
            f"next, to compare with the census: policy-sim dataset score {name} --fields {scored_fields} --mapping "
            f"{written}{more}"
        )
    if of_database:  # a release is made from a file
        return [*lines, *hidden]
    return [*lines, f"next, to release:  policy-sim release new {name} release.toml --mapping {written}", *hidden]


@click.command()
@file_options(("own", "wildcard", "exclude"))
@option(
    "--threshold",
    default="0.09",
    metavar="RISK",
    help="Count the records with more risk than this: 0.09, 1/11 or k=11. All three are compared as class sizes.",
)
@option(
    "--cutoff",
    default="0.5",
    metavar="RISK",
    help="For the strict average: the largest risk of one record that an average may hide, 0.5 or 0.33.",
)
@option(
    "--sampling-fraction",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    help="Share of the population that is in the file, for the match probabilities in scores.csv.",
)
@option("--suda/--no-suda", default=True, help="Also measure combinations of fields.")
@option(
    "--max-combinations",
    type=click.IntRange(min=1),
    help="Largest number of combinations to measure; n fields have 2^n - 1. [default: 4,095]",
)
@option("--weight", metavar="COLUMN", help="Survey weights: how many people each record stands for.")
@option(
    "--records",
    "list_records",
    is_flag=True,
    help="With --out, also write records.csv: the row number, class size, risk and scores of each record.",
)
@format_option
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
    from policy_sim.release.verdict_text import profile_verdict
    from policy_sim.show.record_text import profile_text
    from policy_sim.show.text_table import wrapped

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


@click.group()
def dataset() -> None:
    """Measure the risk of a file of records: by itself, against the census, or estimated from the file alone.

    \b
    Examples:
      policy-sim dataset check visits.csv
      policy-sim dataset profile visits.csv --fields age,sex,race,county
      policy-sim dataset score visits.csv --fields age,sex,race,county --population us-2010 --state OH
      policy-sim dataset estimate visits.csv --fields age,sex,race --population-size 11799448
    """


for command in (check, profile, score, estimate, simulate):
    dataset.add_command(command)
