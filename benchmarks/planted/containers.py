"""Write a planted file as CSV, semicolon CSV or TSV, a workbook, Parquet, or a file of SPSS, Stata or SAS."""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path

import openpyxl
import pandas as pd

from benchmarks.planted.files import PlantedFile

STATISTICS = ("sav", "dta", "xpt")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?")


def write_file(file: PlantedFile, folder: Path) -> Path:
    """Write the file into the folder under a name that says nothing; rename columns where the format asks for it."""
    stem = folder / f"extract{file.number}"
    if file.container == "statistics" or file.container in STATISTICS:
        return _statistics(file, stem)
    lines = [*([list(file.columns)] if file.header else []), *map(list, zip(*file.columns.values(), strict=True))]
    if file.container == "xlsx":
        return _workbook(lines, stem.with_suffix(".xlsx"))
    if file.container == "parquet":
        return _parquet(lines, stem.with_suffix(".parquet"))
    tab = file.container == "tsv" or (file.container == "semicolon" and file.number % 2)
    path = stem.with_suffix(".tsv" if tab else ".csv")
    separator = "," if file.container == "csv" else "\t" if tab else ";"
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, delimiter=separator).writerows(lines)
    return path


def _workbook(lines: list[list[str]], path: Path) -> Path:
    """Write numbers as numbers, as a spreadsheet program does."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in lines:
        sheet.append([(float(c) if "." in c else int(c)) if _NUMBER.fullmatch(c) else c or None for c in line])
    book.save(path)
    return path


def _parquet(lines: list[list[str]], path: Path) -> Path:
    names: list[str] = []
    for name in lines[0]:
        names.append(name if name not in names else f"{name}.{len(names)}")
    pd.DataFrame(lines[1:], columns=names).to_parquet(path)
    return path


def _statistics(file: PlantedFile, stem: Path) -> Path:
    """Write numbers as numbers where a whole column has them; shorten names as each program asks."""
    import pyreadstat

    kind = file.container if file.container in STATISTICS else STATISTICS[file.number // 10 % 3]
    names = _legal(list(file.columns), 8 if kind == "xpt" else 32)
    file.rename(names)
    frame = pd.DataFrame(file.columns)
    for name in frame:
        cells = frame[name].replace("", None).dropna()
        if len(cells) and cells.map(lambda c: bool(_NUMBER.fullmatch(c))).all():
            frame[name] = pd.to_numeric(frame[name].replace("", None))
    path = stem.with_suffix(f".{kind}")
    labels = {name: {int(v) if kind == "dta" else v: t for v, t in of.items()} for name, of in file.labels.items()}
    if kind == "sav":
        pyreadstat.write_sav(frame, str(path), variable_value_labels=labels or None)
    elif kind == "dta":
        pyreadstat.write_dta(frame, str(path), variable_value_labels=labels or None)
    else:
        pyreadstat.write_xport(frame, str(path), table_name="DATA", file_format_version=5)
    return path


def _legal(names: list[str], longest: int) -> dict[str, str]:
    """Map each name to one that the program allows, all different."""
    legal: dict[str, str] = {}
    for at, name in enumerate(names):
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        short = re.sub(r"\W+", "_", plain).strip("_")[:longest] or f"v{at}"
        short = short if short[0].isalpha() else f"v{short}"[:longest]
        while short.casefold() in {other.casefold() for other in legal.values()}:
            short = f"{short[: longest - 3]}{at}"
        legal[name] = short
    return legal
