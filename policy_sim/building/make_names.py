"""Make ``data/names/frequencies.csv.gz``: how many names have which frequency, without any name.

FOLDER has the Bureau's ``Names_2010Census.csv`` (or ``.xlsx``), ``dist.male.first`` and ``dist.female.first``.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.words.errors import SourceError

_CODES = {
    letter: code for code, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), 1) for letter in letters
}
_REST = "ALL OTHER NAMES"
_SURNAMES = "Names_2010Census"
_FIRST = {"M": "dist.male.first", "F": "dist.female.first"}
_TITLE = (
    "How many names have which frequency: surnames of the 2010 census that 100 people or more have, and first names by "
    "sex of the 1990 census"
)


def soundex(name: str) -> str:
    """Return the American Soundex code of a name in capital letters, as the National Archives state its rules.

    >>> [soundex(name) for name in ("ROBERT", "RUPERT", "ASHCRAFT", "TYMCZAK", "PFISTER", "LEE")]
    ['R163', 'R163', 'A261', 'T522', 'P236', 'L000']
    """
    letters = [letter for letter in name if "A" <= letter <= "Z"]
    if not letters:
        return ""
    code, last = letters[0], _CODES.get(letters[0], 0)
    for letter in letters[1:]:
        number = _CODES.get(letter, 0)
        if number and number != last:
            code += str(number)
        if letter not in "HW":
            last = number
    return f"{code[:4]:0<4}"


_FORMS: dict[str, Callable[[str], str]] = {
    "first": str,
    "first-soundex": soundex,
    "first-3": lambda name: name[:3],
    "first-initial": lambda name: name[:1],
}


def make_names(folder: Path) -> list[Path]:
    """Write the file of frequencies and its entry in the manifest; return its path."""
    surnames, path = _surnames(folder), data_dir() / "names" / "frequencies.csv.gz"
    tables = [_counted("last", "", surnames), _counted("last-soundex", "", surnames.groupby(soundex).sum())]
    for sex, name in _FIRST.items():
        shares = _first_names(folder / name)
        tables += [_counted(form, sex, shares.groupby(of_name).sum()) for form, of_name in _FORMS.items()]
    text = pd.concat(tables).to_csv(index=False, float_format="%.12g")
    replace_file(path, gzip.compress(text.encode(), 9, mtime=0))
    sources = [next(folder.glob(f"{_SURNAMES}.*")), *(folder / name for name in _FIRST.values())]
    facts = {
        "title": _TITLE,
        "publisher": "U.S. Census Bureau (names); policy_sim (numbers of names by frequency)",
        "file": f"names/{path.name}",
        "sha256": sha256_of(path),
        "sources": [f"{source.name} (sha256 {sha256_of(source)})" for source in sources],
    }
    update_manifest(data_dir(), "names", "frequencies", facts)
    return [path]


def _surnames(folder: Path) -> pd.Series:
    """Return the share of the people with each listed surname; the rest of the file is what they are not."""
    path = next(folder.glob(f"{_SURNAMES}.*"), None)
    if path is None:
        raise SourceError(f"{folder} has no {_SURNAMES}.csv or .xlsx.")
    read = pd.read_excel if path.suffix == ".xlsx" else pd.read_csv
    table = read(path, keep_default_na=False, na_values=[])
    people = table.set_index("name")["count"].astype("int64")
    if _REST not in people.index:
        raise SourceError(f"{path.name} has no row {_REST}: how many people its names leave out is not known.")
    shares: pd.Series = people.drop(_REST) / people.sum()
    return shares


def _first_names(path: Path) -> pd.Series:
    """Return the share of the people of one sex with each listed first name."""
    lines = [line.split() for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
    return pd.Series({name: float(percent) / 100 for name, percent, *_ in lines})


def _counted(form: str, sex: str, shares: pd.Series) -> pd.DataFrame:
    """Return how many names, or codes, have each share."""
    numbers = shares.round(12).value_counts().sort_index(ascending=False)
    return pd.DataFrame({"form": form, "sex": sex, "share": numbers.index, "names": numbers.to_numpy()})
