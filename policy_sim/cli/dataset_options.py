"""The options that all commands on a file of records share, and how they write results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from policy_sim.cli.options import FilePath

if TYPE_CHECKING:
    from policy_sim.record_file import RecordFile
    from policy_sim.records.file_result import FileResult

__all__ = ["file_manifest", "file_options", "print_result"]

_Command = TypeVar("_Command", bound=Callable[..., Any])
# These options have the names of RecordFile's parameters.
_NAMES = ("fields", "mapping", "table", "sheet", "person", "missing", "engine", "memory", "max_classes")


def file_options(rules: tuple[str, ...] = ("own", "exclude")) -> Callable[[_Command], _Command]:
    """Add FILE and the options for reading it; the command receives ``file``, a ``RecordFile``."""

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_file(**settings: Any) -> Any:
            options = {name: settings.pop(name) for name in _NAMES}
            file = _record_file(settings.pop("file"), settings.pop("missing_code"), options)
            return command(file=file, **settings)

        wrapped: Any = with_file
        for option in reversed(_options(rules)):
            wrapped = option(wrapped)
        result: _Command = wrapped
        return result

    return add


def _record_file(location: str, codes: Sequence[str], options: Mapping[str, Any]) -> RecordFile:
    from policy_sim.cli.progress import Progress
    from policy_sim.record_file import RecordFile

    progress = click.get_current_context().with_resource(Progress())
    return RecordFile(location, missing_codes=codes, progress=progress, **options)


def file_manifest(result: FileResult[Any]) -> dict[str, Any]:
    """Return the manifest of a result: its options, its notes, and the sha256 of every local file."""
    from policy_sim.io.files import sha256_of
    from policy_sim.io.run_manifest import run_manifest

    inputs = {name: sha256_of(path) if path else "not computed" for name, path in result.files.items()}
    return run_manifest(f"dataset {result.question}", result.options, inputs) | {"notes": list(result.notes)}


def print_result(
    result: FileResult[Any], form: str, out: Path | None, text: Callable[[], str], notes: Sequence[str] = ()
) -> None:
    """Write every table into ``out``, if given, and print the main one with the notes."""
    from policy_sim.cli.output import print_rows, write_frames

    if out is not None:
        write_frames(out, file_manifest(result), **result.tables)
    print_rows(result.to_frame(), form, [*result.notes, *notes], lambda: text() + "\n")


def _options(rules: tuple[str, ...]) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.argument("file"),
        click.option("--fields", required=True, metavar="A,B,...", help="Key fields, separated by commas."),
        click.option(
            "--mapping",
            type=FilePath(dir_okay=False, path_type=Path),
            metavar="TOML",
            help="A file that says which column is which field, and what the codes mean (docs/datasets.md).",
        ),
        click.option("--table", help="Name of the table, if FILE is the URL of a database."),
        click.option("--sheet", default="", metavar="NAME", help="The sheet of a workbook with several."),
        click.option(
            "--person",
            default="",
            metavar="COLUMN",
            help="The column that identifies the person: people are counted, each once, and not rows.",
        ),
        click.option(
            "--missing",
            type=click.Choice(rules),
            default="own",
            show_default=True,
            help="How to treat a missing value: as a value of its own, "
            + ("a wildcard, " if "wildcard" in rules else "")
            + "or as a reason to leave the record out.",
        ),
        click.option(
            "--missing-code",
            multiple=True,
            metavar="TEXT",
            help="A code for a missing value, such as '?'; repeat for more. An empty cell is always missing.",
        ),
        click.option(
            "--engine",
            default="duckdb",
            show_default=True,
            metavar="NAME|URL",
            help="Where to process the file: duckdb, local (Spark on this machine), spark://host:port or "
            "sc://host:port (docs/cluster.md).",
        ),
        click.option(
            "--memory", default="2GB", show_default=True, help="Memory that DuckDB may use before it writes to disk."
        ),
        click.option(
            "--max-classes",
            type=click.IntRange(min=1),
            help="Largest number of classes to keep in memory. [default: 8,000,000]",
        ),
    )
