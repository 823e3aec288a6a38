"""The first file of a release project: every column undecided, with what it looks like."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np

from policy_sim.deidentify.coded_columns import CodedTable
from policy_sim.errors import OutputError
from policy_sim.io.coded_files import read_coded
from policy_sim.io.column_mapping_files import load_mapping
from policy_sim.io.files import replace_file
from policy_sim.io.project_text import new_project_text
from policy_sim.io.release_editions import load_edition
from policy_sim.io.release_project_files import parse_project
from policy_sim.records.column_kinds import ColumnKind, ColumnValues, column_kind

__all__ = ["write_new_project"]


def write_new_project(file: Path, path: Path, title: str, edition: str, mapping: Path | None) -> None:
    """Write the first file of a project.

    Parameters
    ----------
    file : The file of records.
    path : The project file to write; it must not exist.
    title : What the release is called; the file's name where empty.
    edition : A name of an edition, such as ``ipc-2016``.
    mapping : What the file's columns and codes mean.

    Raises
    ------
    OutputError : the project file exists, or cannot be written.
    SourceError, InputError : the file or its mapping cannot be read.
    """
    column_mapping = None if mapping is None else load_mapping(mapping)
    if path.exists():
        raise OutputError(f"{path} already exists. Choose another name.")
    questions = [question.id for question in load_edition(edition).questions]
    missing, separator = (column_mapping.missing, column_mapping.separator or "") if column_mapping else (("",), "")
    kinds = _column_kinds(read_coded(file, missing, separator))
    location = _relative(file, path.parent)
    written = new_project_text(path.name, title or file.stem, edition, location, kinds, questions, column_mapping)
    parse_project(written, str(path), path.parent)
    replace_file(path, written.encode())


def _column_kinds(table: CodedTable) -> dict[str, ColumnKind]:
    kinds = {}
    for name in table.names:
        column = table[name]
        counts = np.bincount(column.codes, minlength=len(column.values) + 1)
        kinds[name] = column_kind(ColumnValues(name, column.values, counts[1:].astype(np.int64), int(counts[0])))
    return kinds


def _relative(file: Path, folder: Path) -> str:
    """Return a file's place as seen from a folder where it lies inside it, and its whole place elsewhere."""
    with suppress(ValueError):
        return file.resolve().relative_to(folder.resolve()).as_posix()
    return file.resolve().as_posix()
