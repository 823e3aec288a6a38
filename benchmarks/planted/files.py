"""The 600 files: which identifiers stand where, and what must not be found in what is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from benchmarks.planted.harmless import harmless_columns
from benchmarks.planted.headers import FAMILIES
from benchmarks.planted.kinds import ALL, LETTERS, STRICT, notations
from benchmarks.planted.people import SMALL_AREAS, Person, draw_people

FILES = 600
CONTAINERS = ("csv", "semicolon", "xlsx", "parquet", "statistics")
LAYOUTS = ("plain",) * 13 + ("headerless", "transposed", "wide", "wide", "wide", "rows", "rows", "rows", "rows")
MODES = ("whole",) * 6 + ("tenth",) * 4 + ("inside",) * 2 + ("behind",) * 2 + ("spelled",)
SPOTS = Random("order of the files").sample(range(FILES), FILES)  # so that every n-th file meets everything
CLOSED = ("age", "drg", "flag", "scale", "year")  # a number of the right shape among real values is one of them
SHORT = ("last four", "first", "running", "age over 89", "tract")  # too short, or too common, to be sought in a name
ZERO_WIDTH = "\u200b"


@dataclass(frozen=True)
class Plant:
    """What was planted in one column (or in names of columns), and the aims under which it must not be released."""

    column: str
    letter: str
    notation: str
    family: str
    mode: str
    secrets: frozenset[str]
    forbidden: tuple[str, ...]
    dates: bool = False


@dataclass
class PlantedFile:
    """One file: its columns in order, how it is written, what was planted and which columns harm nobody."""

    number: int
    layout: str
    container: str
    columns: dict[str, list[str]]
    plants: list[Plant]
    harmless: dict[str, str]  # column: group
    header: bool = True
    labels: dict[str, dict[float, str]] = field(default_factory=dict)  # value labels of a statistics file

    def rename(self, names: dict[str, str]) -> None:
        """Rename columns, as a format with rules for names does, and with them what was planted or is harmless."""
        self.columns = {names[name]: cells for name, cells in self.columns.items()}
        self.plants = [replace(plant, column=names.get(plant.column, plant.column)) for plant in self.plants]
        self.harmless = {names[name]: group for name, group in self.harmless.items()}
        self.labels = {names[name]: labels for name, labels in self.labels.items()}

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(next(iter(self.columns.values())))


def planted_file(number: int) -> PlantedFile:
    """Make file ``number`` (0 to 599), the same at each call."""
    rng = Random(f"planted {number}")
    spot = SPOTS[number]
    layout, container = LAYOUTS[spot % len(LAYOUTS)], CONTAINERS[spot // len(LAYOUTS) % len(CONTAINERS)]
    return _LAYOUTS[layout](number, rng, container)


def _base(rng: Random, people: list[Person]) -> dict[str, list[str]]:
    """Columns that every rule knows: sex and age (of people under 90), and one or two of race, state and ZIP code."""
    columns = {
        "sex": [p.sex for p in people],
        "age": [str(min(p.age, 89)) for p in people],
        "race": [p.race for p in people],
        "state": [p.place[3] for p in people],
        "zip": [f"{p.place[0][:3]}{rng.randrange(100):02d}" for p in people],
    }
    kept = {"sex", "age", *rng.sample(("race", "state", "zip"), rng.randrange(0, 3))}
    return {name: values for name, values in columns.items() if name in kept}


def _pair(number: int, at: int) -> tuple[str, str]:
    """Choose a letter and a family of headers so that each letter meets each family in turn."""
    pairs = SPOTS[number] * 3 + at
    letters, families = list(LETTERS), list(FAMILIES)
    return letters[pairs % len(letters)], families[pairs // len(letters) % len(families)]


def _cell(mode: str, secret: str, real: Callable[[], str], at: int) -> str:
    """Write the secret into a cell in the way of the mode."""
    if mode == "tenth":
        return secret if at % 10 == 3 else real()
    if mode == "inside":
        return f"see {secret} for results" if at % 3 else real()
    if mode == "behind":
        return f"{real()} {secret}"
    return secret


def _spelled(person: Person, real: str) -> str:
    """Write a real value so that its spelling carries the last digits of the person's number."""
    ones, tens, hundreds = (person.number // power % 10 for power in (1, 10, 100))
    return f"{real}{ZERO_WIDTH * ones}{' ' * tens}{'.' * hundreds}"


def _plant(rng: Random, people: list[Person], letter: str, family: str, taken: set[str]) -> tuple[Plant, list[str]]:
    """Plant one kind of identifier under a header of a family; return what was planted and the cells."""
    chosen = FAMILIES[family]
    free = [header for header in chosen.headers if header.casefold() not in taken] or [f"{chosen.headers[0]}_b"]
    header = rng.choice(free)
    mode = rng.choice(MODES) if chosen.real else "whole"
    notation = rng.choice(notations(letter, "" if mode == "tenth" and family in CLOSED else family))
    real = (lambda: chosen.real(rng)) if chosen.real else (lambda: "")
    if mode == "spelled":
        cells = [_spelled(person, real()) for person in people]
        secrets = frozenset(cell for cell in cells if ZERO_WIDTH in cell or ".." in cell or "  " in cell)
        return Plant(header, letter, "spelling", family, mode, secrets, ALL), cells
    made = [notation.make(person, rng) for person in people]
    cells = [_cell(mode, secret, real, at) for at, secret in enumerate(made)]
    placed = {secret for secret, cell in zip(made, cells, strict=True) if secret in cell}
    what = (header, letter, notation.name, family, mode)
    return Plant(*what, frozenset(placed), notation.forbidden, notation.dates), cells


Planted = tuple[list[Plant], dict[str, list[str]]]


def _planted(number: int, rng: Random, people: list[Person], taken: set[str]) -> Planted:
    """Plant two or three kinds, one per column."""
    plants, columns = [], {}
    for at in range(rng.choice((2, 3, 3))):
        letter, family = _pair(number, at)
        plant, cells = _plant(rng, people, letter, family, taken)
        taken.add(plant.column.casefold())
        plants.append(plant)
        columns[plant.column] = cells
    return plants, columns


def _shuffled(rng: Random, *parts: dict[str, list[str]]) -> dict[str, list[str]]:
    columns = {name: cells for part in parts for name, cells in part.items()}
    names = list(columns)
    rng.shuffle(names)
    return {name: columns[name] for name in names}


def _plain(number: int, rng: Random, container: str) -> PlantedFile:
    people = draw_people(rng, rng.randrange(50, 90))
    base = _base(rng, people)
    harmless, groups = harmless_columns(rng, len(people), rng.randrange(5, 9))
    plants, columns = _planted(number, rng, people, {name.casefold() for name in (*base, *harmless)})
    file = PlantedFile(number, "plain", container, _shuffled(rng, base, harmless, columns), plants, groups)
    if container == "statistics" and number % 3 == 0:
        _label(file, people, rng)
    return file


def _label(file: PlantedFile, people: list[Person], rng: Random) -> None:
    """Give a coded column value labels that are names or numbers of people."""
    notation = rng.choice([n for letter in "AHFD" for n in notations(letter, "words")])
    file.columns["grp"] = [str(person.at + 1) for person in people]
    file.labels["grp"] = {float(p.at + 1): notation.make(p, rng) for p in people}
    secrets = frozenset(file.labels["grp"].values())
    file.plants.append(Plant("grp", notation.letter, notation.name, "labels", "labels", secrets, notation.forbidden))


def _headerless(number: int, rng: Random, container: str) -> PlantedFile:
    """The first row stands where the names would: in a workbook or a Parquet file it has become the names."""
    people = draw_people(rng, 50)
    base = _base(rng, people)
    harmless, groups = harmless_columns(rng, len(people), 5)
    plants, columns = _planted(number, rng, people, set())
    born = [p.born.strftime(rng.choice(("%Y-%m-%d", "%m/%d/%Y"))) for p in people]
    columns |= {"last": [p.last for p in people], "born": born}
    first_rows = [
        Plant("last", "A", "last", "headerless", "first row", frozenset(columns["last"]), ALL),
        Plant("born", "C", "birth", "headerless", "first row", frozenset(born), STRICT, dates=True),
    ]
    plants = [plant for plant in plants if plant.mode != "spelled" and min(map(len, plant.secrets), default=0) >= 9]
    container = "csv" if container == "statistics" else container
    shuffled = _shuffled(rng, base, harmless, columns)
    return PlantedFile(number, "headerless", container, shuffled, plants + first_rows, groups, header=False)


def _transposed(number: int, rng: Random, container: str) -> PlantedFile:
    """One column per patient, one row per fact."""
    people = draw_people(rng, 30)
    letter = "AHGFDC"[number % 6]
    notation = rng.choice([n for n in notations(letter, "words") if n.name not in (*SHORT, "last")])
    names = list(dict.fromkeys(notation.make(person, rng) for person in people))
    facts = {**_base(rng, people), "dx": [FAMILIES["dx"].real(rng) for _ in people]} if FAMILIES["dx"].real else {}
    more, _ = harmless_columns(rng, len(people), 6)
    facts |= more
    columns = {"field": list(facts)}
    columns |= {name: [facts[fact][at] for fact in facts] for at, name in enumerate(names)}
    plant = Plant("*", letter, notation.name, "names of columns", "transposed", frozenset(names), notation.forbidden)
    container = "xlsx" if container == "statistics" else container
    return PlantedFile(number, "transposed", container, columns, [plant], {})


def _wide(number: int, rng: Random, container: str) -> PlantedFile:
    """Names of columns carry identifiers or dates; the values below them harm nobody."""
    people = draw_people(rng, 50)
    letters = list(LETTERS)
    letter = letters[SPOTS[number] // len(LAYOUTS) % len(letters)]
    notation = rng.choice([n for n in notations(letter, "words") if n.name not in SHORT])
    family = rng.choice(("dx", "dx", "sex", "cpt", "loinc", "race", "flag", "year"))
    frame = rng.choice(("{}", "dx {}", "{} dx", "dx_{}", "sex ({})", "{}_year", "px.{}", "MRN {} dx"))
    secrets = list(dict.fromkeys(notation.make(p, rng) for p in people[: rng.choice((1, 2, 5, 20))]))
    real = FAMILIES[family].real or (lambda rng: "1")
    base = _base(rng, people)
    harmless, groups = harmless_columns(rng, len(people), rng.randrange(5, 8))
    named = {frame.format(secret): [real(rng) for _ in people] for secret in secrets}
    plant = Plant("*", letter, notation.name, family, f"names: {frame}", frozenset(secrets), notation.forbidden)
    container = "parquet" if container == "statistics" else container
    return PlantedFile(number, "wide", container, _shuffled(rng, base, harmless, named), [plant], groups)


def _rows(number: int, rng: Random, container: str) -> PlantedFile:
    """Several rows per person, with the number that links them under its own name or under another."""
    people = draw_people(rng, 45)
    rows = [person for person in people for _ in range(rng.choice((1, 2, 2, 3, 4)))]
    if rng.random() < 0.5:
        rng.shuffle(rows)
    base = _base(rng, rows)
    harmless, groups = harmless_columns(rng, len(rows), rng.randrange(5, 8))
    plants, columns = _planted(number, rng, rows, {name.casefold() for name in (*base, *harmless)})
    header = rng.choice(("mrn", "patient_id", "pid", "subject", "px_no", "loinc_ref", "k", "Fallnummer"))
    numbers = [str(person.number) for person in rows]
    linked = Plant(header, "H", "links rows", "key", "whole", frozenset(numbers), ALL)
    columns[header] = numbers
    return PlantedFile(number, "rows", container, _shuffled(rng, base, harmless, columns), [*plants, linked], groups)


_LAYOUTS: dict[str, Callable[[int, Random, str], PlantedFile]] = {
    "plain": _plain,
    "headerless": _headerless,
    "transposed": _transposed,
    "wide": _wide,
    "rows": _rows,
}
SMALL_ZIP3 = frozenset(code[:3] for code in SMALL_AREAS)
