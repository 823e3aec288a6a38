"""``policy-sim dataset check``: what each column seems to be, and what to fix first."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.dataset_options import print_result
from policy_sim.cli.options import FilePath, format_option, out_option

if TYPE_CHECKING:
    from policy_sim.io.engine.file_check import CheckedColumn

__all__ = ["check"]


@click.command()
@click.argument("file")
@click.option("--table", help="Name of the table, if FILE is the URL of a database.")
@click.option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several.")
@click.option(
    "--missing-code",
    "missing_codes",
    multiple=True,
    metavar="TEXT",
    help="A code for a missing value, such as '?'; repeat for more. An empty cell is always missing.",
)
@click.option("--memory", default="2GB", show_default=True, help="Memory that DuckDB may use before it writes to disk.")
@click.option(
    "--write-mapping",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="TOML",
    help="Write a mapping file that says which column is which field, to edit and pass to other commands as --mapping.",
)
@format_option()
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
    from policy_sim.cli.progress import Progress
    from policy_sim.errors import OutputError
    from policy_sim.io.engine.file_check import with_head
    from policy_sim.io.files import replace_file
    from policy_sim.record_file import RecordFile
    from policy_sim.records.check_tables import mapping_text
    from policy_sim.render.check_text import check_text

    if write_mapping is not None and write_mapping.exists():
        raise OutputError(f"{write_mapping} already exists. Choose another name.")
    with Progress() as progress:
        result = RecordFile.check(file, progress=progress, **options)
    if write_mapping is not None:
        replace_file(write_mapping, with_head(mapping_text(result.answer), result.answer, options["sheet"]).encode())
    print_result(result, form, out, lambda: check_text(result.tables["columns"], result.tables["findings"]))
    if form == "table":
        click.echo("\n".join(_next(file, write_mapping, result.answer, options)), err=True)


def _next(file: str, mapping: Path | None, columns: Sequence[CheckedColumn], options: Mapping[str, Any]) -> list[str]:
    """Say which commands come next, ready to be copied; a password is for the reader to fill in."""
    from policy_sim.io.engine.file_check import scored_place
    from policy_sim.masking import mask_credentials

    of_database = f" --table {shlex.quote(options['table'])}" if options["table"] else ""
    name = f"{shlex.quote(mask_credentials(file))}{of_database}"
    hidden = ["(write what stands in place of … in the address again)"] if mask_credentials(file) != file else []
    if mapping is None:
        sheet = f" --sheet {shlex.quote(options['sheet'])}" if options["sheet"] else ""
        return [f"next: policy-sim dataset check {name}{sheet} --write-mapping mapping.toml", *hidden]
    written, present = shlex.quote(str(mapping)), {column.kind.field for column in columns}
    choices = (("birth_date", "birth_month", "birth_year", "age"), ("sex",), ("race",), ("county", "zip5", "state"))
    fields = [next((field for field in group if field in present), "") for group in choices]
    lines = [f"Mapping written to {mapping}. Edit it, then use it with --mapping."]
    if any(fields):
        measured_fields = ",".join(filter(None, fields))
        lines.append(
            f"next, to measure: policy-sim dataset profile {name} --fields {measured_fields} --mapping {written}"
        )
    place = scored_place(columns)
    if place and any(fields[:3]):
        scored_fields = ",".join([*filter(None, fields[:3]), *place.fields])
        more = "".join(f" --{option} {value}" for option, value in place.options.items())
        lines.append(
            f"next, to compare with the census: policy-sim dataset score {name} --fields {scored_fields} --mapping "
            f"{written}{more}"
        )
    if of_database:  # a release is made from a file
        return [*lines, *hidden]
    return [*lines, f"next, to release:  policy-sim release new {name} release.toml --mapping {written}", *hidden]
