"""What every command over a file of records asks for, and how it finds the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from policy_sim.microdata.classes import Classes
    from policy_sim.sources.engine.engine import Engine
    from policy_sim.sources.engine.records import Records

__all__ = ["AskedFile", "file_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class AskedFile:
    """A file as the options name it, and the engine to read it with."""

    records: Records
    engine_name: str
    memory: str
    max_classes: int
    missing: str

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """Open the engine, telling what it does when it takes long."""
        from policy_sim.cli.progress import Progress
        from policy_sim.sources.engine.opening import open_engine

        with (
            Progress() as progress,
            open_engine(self.engine_name, memory=self.memory, progress=progress) as engine,
        ):
            yield engine

    def classes(self) -> Classes:
        """Read the file into classes, leaving out what the rule for missing values leaves out."""
        with self.engine() as engine:
            found = engine.group(self.records).classes(self.max_classes)
        return found.complete() if self.missing == "exclude" else found

    @property
    def notes(self) -> list[str]:
        """What every output says of the file."""
        from policy_sim.microdata.missing import MISSING_RULES

        return [
            f"file: {self.records.short_name}; key fields: {', '.join(self.records.fields)}",
            f"missing values: {MISSING_RULES[self.missing]}",
        ]

    def manifest(self, command: str, **options: object) -> dict[str, Any]:
        """What a run manifest says: options, and the sha256 of a file that is here."""
        from policy_sim.cli.output import run_manifest

        path = Path(self.records.location)
        inputs = {path.name: _sha256(path)} if path.is_file() else {self.records.short_name: "not computed"}
        asked = {"fields": list(self.records.fields), "missing": self.missing, "engine": self.engine_name}
        return run_manifest(f"dataset {command}", asked | options, inputs) | {"notes": self.notes}


def ask_file(
    file: str,
    fields: str,
    mapping: Path | None,
    table: str | None,
    missing_code: tuple[str, ...],
    missing: str = "own",
    engine: str = "duckdb",
    memory: str = "2GB",
    max_classes: int | None = None,
) -> AskedFile:
    """Find a file and read its header."""
    from policy_sim.microdata.mapping import ColumnMapping
    from policy_sim.sources.engine.grouped import MOST_CLASSES
    from policy_sim.sources.engine.records import load_mapping, open_records

    known = load_mapping(mapping) if mapping else ColumnMapping()
    known = replace(known, missing=tuple(dict.fromkeys((*known.missing, *missing_code))))
    names = [name.strip() for name in fields.split(",") if name.strip()]
    return AskedFile(open_records(file, names, known, table), engine, memory, max_classes or MOST_CLASSES, missing)


def file_options(rules: tuple[str, ...] = ("own", "exclude")) -> Callable[[_Command], _Command]:
    """Add FILE and the options that say how to read it; the command is given an :class:`AskedFile`."""

    def add(command: _Command) -> _Command:
        import functools

        names = ("file", "fields", "mapping", "table", "missing_code", "missing", "engine", "memory", "max_classes")

        @functools.wraps(command)
        def asked(**given: Any) -> Any:
            return command(asked=ask_file(**{name: given.pop(name) for name in names}), **given)

        wrapped: Any = asked
        for option in reversed(_options(rules)):
            wrapped = option(wrapped)
        result: _Command = wrapped
        return result

    return add


def _options(rules: tuple[str, ...]) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.argument("file"),
        click.option("--fields", required=True, metavar="A,B,...", help="Key fields, with commas between."),
        click.option(
            "--mapping",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="TOML",
            help="Which column is which field, and what its codes mean (docs/datasets.md).",
        ),
        click.option("--table", help="Table, where FILE is the URL of a database."),
        click.option(
            "--missing",
            type=click.Choice(rules),
            default="own",
            show_default=True,
            help="What a missing value is: one of its own, "
            + ("a wildcard, " if "wildcard" in rules else "")
            + "or a reason to leave the record out.",
        ),
        click.option(
            "--missing-code",
            multiple=True,
            metavar="TEXT",
            help="A text that stands for a missing value, such as '?'; repeat for more. Empty always does.",
        ),
        click.option(
            "--engine",
            default="duckdb",
            show_default=True,
            metavar="NAME|URL",
            help="duckdb, local (Spark here), spark://host:port or sc://host:port (docs/cluster.md).",
        ),
        click.option(
            "--memory", default="2GB", show_default=True, help="What DuckDB may hold before it spills to disk."
        ),
        click.option(
            "--max-classes", type=click.IntRange(min=1), help="Most classes to hold in memory. [default: 8,000,000]"
        ),
    )


def _sha256(path: Path) -> str:
    import hashlib

    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
