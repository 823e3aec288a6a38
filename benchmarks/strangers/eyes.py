"""An eye of its own on what left: plain pandas, what was planted, and 45 CFR 164.514; nothing of the program."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd

from benchmarks.strangers.files import Planted, Stranger
from benchmarks.strangers.people import PLACES

SMALL_ZIP3 = frozenset("036 059 102 203 556 692 821 823 878 879 884 893".split())  # 20,000 people or fewer
STATES = frozenset(
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK "
    "OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY".casefold().split()
) | {place.state_name.casefold() for place in PLACES}
OVER_89 = {"age": 89, "age months": 90 * 12 - 1, "age days": 90 * 366}
OLDEST = date.today().year - 91  # who was born in this year or before is 90 or older today
COLLAPSED = re.compile(r"\+|>|≥|(or|and) (over|older|more|above|before|earlier|less|fewer)", re.IGNORECASE)
HASHES = ("md5", "sha1", "sha256")
K = 11


@dataclass(frozen=True)
class Leak:
    """A planted identifier that left: where it stands, and what it is."""

    planted: Planted
    where: str
    column: str = ""


def read_release(folder: Path) -> pd.DataFrame | None:
    """The released table as texts, without the blank cells' NaN; None where nothing was written."""
    paths = list((folder / "send").glob("release.*"))
    if not paths:
        return None
    if paths[0].suffix == ".parquet":
        table = pd.read_parquet(paths[0]).astype("string")
    elif paths[0].suffix == ".xlsx":
        table = pd.read_excel(paths[0], dtype=str, keep_default_na=False)
    else:
        table = pd.read_csv(paths[0], dtype=str, keep_default_na=False)
    return table.fillna("").astype(str)


def same(text: str) -> str:
    """A value without case, blanks at its ends, a decimal of zero or a midnight, which programs add and drop."""
    return re.sub(r"(\.0+|[T ]00:00:00)$", "", text.strip().casefold())


def leaks(file: Stranger, release: pd.DataFrame, policy: str) -> Iterator[Leak]:
    """What left of what was planted, under ``safe-harbor``, ``limited-dataset`` or ``risk``."""
    ordinary = {same(v) for c in file.frame if c not in {p.column for p in file.planted} for v in set(file.frame[c])}
    cells = {name: {same(v) for v in set(release[name])} - {""} for name in release}
    for planted in file.planted:
        if policy == "limited-dataset" and not planted.limited:
            continue
        if planted.column in cells and (why := _own_column(planted, release, policy)):
            yield Leak(planted, why, planted.column)
            continue
        yield from _elsewhere(planted, cells, ordinary)


def _own_column(planted: Planted, release: pd.DataFrame, policy: str) -> str:
    if planted.rule == "beside":
        return _told_by_two(planted, release) if policy == "safe-harbor" else ""
    raw = {same(v) for v in planted.secrets}
    left = {v for v in release[planted.column] if v.strip()}
    if policy == "risk":
        stands = {v for v in left if same(v) in raw}
        if planted.letter in "BC":
            return "in a group of fewer than 11" if stands and _smallest(planted, release, stands) < K else ""
        return "as it was" if stands else ""
    if policy == "limited-dataset":
        if any(same(v) in raw for v in left):
            return "as it was"
        return "changed" if len(left) > 1 and planted.rule != "mixed" else ""
    wrong = {v for v in left if not _allowed(v, planted)}
    if any(same(v) in raw for v in wrong):
        return "as it was"
    return "changed" if wrong and (len(left) > 1 or planted.rule != "nothing") else ""


def _told_by_two(planted: Planted, release: pd.DataFrame) -> str:
    """Whether an age and the year in which it was that age tell that somebody is over 89 today."""
    if planted.beside not in release:
        return ""
    pairs = release[[planted.column, planted.beside]].apply(pd.to_numeric, errors="coerce").dropna()
    return "told by two columns" if (pairs[planted.beside] - pairs[planted.column] <= OLDEST).any() else ""


def _smallest(planted: Planted, release: pd.DataFrame, stands: set[str]) -> int:
    """The smallest group of records that show the same in this column: no larger than that with other columns."""
    return int(release[planted.column].value_counts()[list(stands)].min())


def _allowed(value: str, planted: Planted) -> bool:
    """Whether Safe Harbor lets a cell of this column show this."""
    text, rule = same(value), planted.rule
    if planted.letter == "B" and (text in STATES or text in ("*", "other")):
        return True
    if rule == "mixed":
        return " " not in text or text in STATES or bool(COLLAPSED.search(text)) or value not in planted.secrets
    if rule == "zip":
        digits = (re.sub(r"\D.*", "", v) for v in planted.raw if v)
        true = {d if len(d) == 3 else d.zfill(5)[:3] for d in digits} - SMALL_ZIP3 | {"000"}
        return bool(re.fullmatch(r"\d{3}([*x]{2}|00)?", text)) and text[:3] in true
    if rule == "year":
        return bool(re.fullmatch(r"(19|20)\d\d(-(19|20)\d\d)?", text)) or bool(COLLAPSED.search(text))
    if rule in ("birth", "birth two"):
        years = [int(year) for year in re.findall(r"\d{4}", text)]
        plain = re.fullmatch(r"\d{4}\s*(([-–]|to)\s*\d{4})?", text)
        return bool(COLLAPSED.search(text)) or bool(plain and years[-1] > OLDEST)
    if rule in OVER_89:
        number = re.match(r"\d+(\.\d+)?", text)
        return bool(COLLAPSED.search(text)) or bool(number and float(number[0]) <= OVER_89[rule])
    return text == "*"


def _elsewhere(planted: Planted, cells: dict[str, set[str]], ordinary: set[str]) -> Iterator[Leak]:
    """The values in other columns, alone or in a longer text, and their hashes."""
    raw = {same(v) for v in planted.secrets}
    if planted.rule in OVER_89 or planted.rule == "beside" or planted.rule.startswith("birth t"):
        return
    long = {v for v in raw - ordinary if len(v) >= 6 and not re.fullmatch(r"(19|20)\d\d(-\d{4})?", v)}
    marks = {hashlib.new(h, v.encode()).hexdigest() for v in planted.secrets for h in HASHES} if long else set()
    for name, values in cells.items():
        if name == planted.column:
            continue
        if values & long:
            yield Leak(planted, "in another column", name)
        elif values & marks:
            yield Leak(planted, "its hash", name)
        elif any(v in text for text in values if len(text) > 24 for v in long if len(v) >= 8):
            yield Leak(planted, "inside a text", name)


def in_documents(file: Stranger, texts: str, policy: str) -> list[Leak]:
    """Planted identifiers that what is printed or written beside the release repeats, as words of their own.

    What the limited data set may show, and the places and dates that a risk may leave in large groups, do not count.
    """
    ordinary = {same(v) for c in file.frame if c not in {p.column for p in file.planted} for v in set(file.frame[c])}
    words = texts.casefold()
    found = []
    for planted in file.planted:
        if (policy == "limited-dataset" and not planted.limited) or (policy == "risk" and planted.letter in "BC"):
            continue
        if planted.kind == "month":  # every dossier cites guidelines with the month in which they appeared
            continue
        telling = {same(v) for v in planted.secrets if len(v) >= 7 and not re.fullmatch(r"(19|20)\d\d.*", v)} - ordinary
        if any(v in words and re.search(rf"(?<![0-9a-z]){re.escape(v)}(?![0-9a-z])", words) for v in telling):
            found.append(Leak(planted, "in the documents"))
    return found


def keeps(file: Stranger, release: pd.DataFrame | None) -> dict[str, bool]:
    """Per column of demographics, whether the release still says something in it."""
    columns = file.demographics or {}
    if release is None:
        return dict.fromkeys(columns, False)
    return {c: c in release and bool(release[c].str.strip().ne("").any()) for c in columns}
