"""600 files with planted identifiers and 200 without: what stands in them, and how they are stored."""

from __future__ import annotations

import gzip
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import pandas as pd

from benchmarks.strangers.headers import HEADERS
from benchmarks.strangers.identifiers import KINDS, LETTERS, Kind
from benchmarks.strangers.ordinary import DEMOGRAPHICS, PLAIN, Demographic
from benchmarks.strangers.people import Person, people

SEED = 20261123
FILES, PLAIN_FILES = 600, 200
CONTAINERS = {"csv": 6, "semicolon": 2, "tab": 1, "bom": 1, "utf16": 1, "gz": 1, "xlsx": 2, "parquet": 2}
TITLE = "Mercy General: discharges{0}\nprinted by the registry{0}\n{0}\n"
ROWS = (5, 8, 12, 20, 30, 45, 60, 60, 80, 120, 120, 200, 300, 400)


@dataclass(frozen=True)
class Planted:
    """A column that identifies: what it is, and its values before the release."""

    column: str
    letter: str
    kind: str
    rule: str
    limited: bool
    raw: tuple[str, ...]
    beside: str = ""  # a column that tells more together with this one

    @property
    def secrets(self) -> set[str]:
        """The values that identify: in a mixed column those with a blank in them."""
        return {v for v in self.raw if v and (self.rule != "mixed" or " " in v)}


@dataclass(frozen=True)
class Stranger:
    """One file: its table of texts, what is planted in it, the demographics, and the kinds of its plain columns."""

    number: int
    container: str
    frame: pd.DataFrame
    planted: tuple[Planted, ...] = ()
    demographics: dict[str, Demographic] | None = None
    plain: dict[str, str] | None = None

    def write(self, folder: Path) -> Path:
        return store(self.frame, self.container, folder / f"f{self.number:03d}", number=self.number)


def store(frame: pd.DataFrame, container: str, stem: Path, number: int = 0) -> Path:
    """Write a table of texts; a workbook and Parquet hold numbers and dates as such in every other file."""
    if container in ("xlsx", "parquet"):
        typed = frame.apply(_typed) if number % 2 else frame.replace("", None)
        path = stem.with_suffix(f".{container}")
        if container == "xlsx":
            typed.to_excel(path, index=False)
        else:
            typed.to_parquet(path, index=False)
        return path
    sep = {"semicolon": ";", "tab": "\t"}.get(container, ",")
    text = frame.to_csv(index=False, sep=sep)
    if container == "titled":
        text = TITLE.format("," * (len(frame.columns) - 1)) + text
    path = stem.with_suffix({"tab": ".tsv", "gz": ".csv.gz"}.get(container, ".csv"))
    data = text.encode({"bom": "utf-8-sig", "utf16": "utf-16"}.get(container, "utf-8"))
    path.write_bytes(gzip.compress(data) if container == "gz" else data)
    return path


def _typed(column: pd.Series[str]) -> pd.Series[str]:
    """The column as a program would store it: numbers, days, or texts."""
    filled = column[column != ""]
    if filled.str.fullmatch(r"-?(0|[1-9]\d{0,14})(\.\d+)?").all():
        return pd.to_numeric(column.replace("", None))
    if filled.str.fullmatch(r"\d{4}-\d{2}-\d{2}").all():
        return pd.to_datetime(column.replace("", None))
    return column.replace("", None)


class Headers:
    """Hands out headers; none twice in a file, in any case."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.used = rng, set[str]()

    def take(self, choices: tuple[str, ...]) -> str:
        header = self.rng.choice(choices)
        if self.rng.random() < 0.15:
            header = self.rng.choice((header.upper(), header.title(), header.replace("_", " ")))
        while header.casefold() in self.used:
            header += self.rng.choice("_2 _b x 9".split())
        self.used.add(header.casefold())
        return header


def _values(kind: Kind | Demographic, who: list[Person], name: str) -> list[str]:
    """One value per row; what belongs to a person is the same in all of their rows."""
    return [kind.write(p, random.Random(f"{name}/{p.serial}")) for p in who]


def _thin(values: list[str], share: float, rng: random.Random) -> list[str]:
    thinned = [v if rng.random() < share else "" for v in values]
    if not any(thinned):
        at = rng.randrange(len(values))
        thinned[at] = values[at]
    return thinned


def _next_kind(number: int) -> Kind:
    """The first identifier of a file: its letter goes round, and its kind goes round in the letter."""
    letter = LETTERS[(number // 10 + number) % 18]
    of_letter = [kind for kind in KINDS if kind.letter == letter]
    return of_letter[(number // 18 * 7 + number % 10) % len(of_letter)]


def stranger(number: int) -> Stranger:
    """File ``number`` of the 600; every second one has recognizable demographics."""
    rng = random.Random(f"{SEED}/{number}")
    who = people(rng, rng.choice(ROWS), rng.choice((1, 1, 1, 2, 3, 5)))
    who = [replace(p, admitted=date(2024, 1, 1) + timedelta(days=rng.randint(0, 640))) for p in who]
    headers, columns, planted = Headers(rng), dict[str, list[str]](), list[Planted]()
    demographics: dict[str, Demographic] = {}
    if number // 3 % 2 == 0:
        for aspect in ("sex", *rng.sample(["age", "age", "race", "state", "zip"], k=rng.randint(2, 4))):
            if aspect in {d.aspect for d in demographics.values()}:
                continue
            choice = rng.choice(DEMOGRAPHICS[aspect])
            name = headers.take(choice.headers)
            columns[name] = _values(choice, who, f"{number}/{name}")
            demographics[name] = choice
            if choice.rule:
                letter = "B" if choice.rule == "zip" else "C"
                planted.append(Planted(name, letter, choice.form, choice.rule, False, tuple(columns[name])))
    for kind in (_next_kind(number), *rng.sample(KINDS, k=rng.choice((0, 0, 1, 1, 2, 3)))):
        name = headers.take(HEADERS["CRYPTIC"] if rng.random() < 0.15 else kind.headers)
        share = rng.choice((1, 1, 1, 1, 0.85, 0.4, 0.03))
        columns[name] = _thin(_values(kind, who, f"{number}/{name}"), share, rng)
        planted.append(Planted(name, kind.letter, kind.name, kind.rule, kind.limited, tuple(columns[name])))
    if number % 45 == 20:  # a birth over 90 years ago, which the age at a visit and the year of the visit tell again
        visits = [replace(p, admitted=p.admitted.replace(year=rng.randint(2004, 2012), day=1)) for p in who]
        born, seen, age = (
            headers.take(names) for names in (("dob", "birth_date"), ("visit_year", "year"), ("age_at_visit",))
        )
        columns[born] = [p.born.isoformat() for p in visits]
        columns[seen] = [str(p.admitted.year) for p in visits]
        columns[age] = [str(max(0, p.age(p.admitted))) for p in visits]
        planted.append(Planted(born, "C", "birth date", "birth", False, tuple(columns[born])))
        planted.append(Planted(age, "C", "age at a visit", "beside", False, tuple(columns[age]), seen))
    for plain in rng.sample(PLAIN, k=rng.randint(1, 4)):
        columns[headers.take(plain.headers)] = [plain.draw(rng) for _ in who]
    order = sorted(columns, key=lambda _: rng.random())
    container = rng.choices(list(CONTAINERS), list(CONTAINERS.values()))[0]
    if not demographics and number % 7 == 3:
        container = "titled"
    return Stranger(number, container, pd.DataFrame({c: columns[c] for c in order}), tuple(planted), demographics)


def harmless(number: int) -> Stranger:
    """File ``number`` of the 200 in which nothing identifies."""
    rng = random.Random(f"{SEED}/plain/{number}")
    rows, headers = rng.choice(ROWS[2:]), Headers(rng)
    kinds = {headers.take(plain.headers): plain for plain in rng.sample(PLAIN, k=rng.randint(3, 9))}
    frame = pd.DataFrame({name: [plain.draw(rng) for _ in range(rows)] for name, plain in kinds.items()})
    container = rng.choices(list(CONTAINERS), list(CONTAINERS.values()))[0]
    return Stranger(number, container, frame, plain={name: plain.kind for name, plain in kinds.items()})


def strangers(step: int = 1, skip: Collection[int] = ()) -> Iterator[Stranger]:
    """Every ``step``-th of the 600."""
    return (stranger(number) for number in range(0, FILES, step) if number not in skip)
