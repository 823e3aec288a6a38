"""Tables with columns that give counts away, protected by README's command and attacked by programs of this file.

    python -m benchmarks.side_columns --each 30
    python -m benchmarks.side_columns --kind change --seed 3   # one example in full

Each kind draws tables as departments publish them: changes since last year, running totals, both sexes, percentages,
rates next to populations, counts in labels and notes, linked tables, weeks, sheets. A linear and a whole-number program
know what each column means, and nothing but the files in ``send/``.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from policy_sim.cli.main import cli

LARGEST = 10
PLACES = ("Adams", "Brown", "Clark", "Dover", "Evans", "Floyd", "Grant")
BIG = 1e6
Line = tuple[dict[str, float], float, float]  # weights of counts, and the least and greatest sum


@dataclass
class Drawn:
    """An example: its files in the order of publication, what each text is a count of, and what adds up."""

    weeks: list[dict[str, list[list[str]]]] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    sheet: str = ""
    true: dict[str, int] = field(default_factory=dict)  # counts of people
    other: dict[str, int] = field(default_factory=dict)  # changes and nets
    where: dict[tuple[int, str, int, str], str] = field(default_factory=dict)  # week, file, row, column -> count
    ratios: list[tuple[tuple[int, str, int, str], str, str, float, int]] = field(default_factory=list)
    labels: dict[tuple[int, str, int, str], list[tuple[str, str]]] = field(default_factory=dict)  # pattern, count
    notes: list[tuple[str, str]] = field(default_factory=list)  # a text and the count that it states
    known: dict[str, int] = field(default_factory=dict)  # what readers know from elsewhere: populations
    lines: list[Line] = field(default_factory=list)

    def sums(self, total: str, parts: list[str], sign: int = 1) -> None:
        """Say that a count is the sum of others."""
        self.lines.append(({total: 1.0} | dict.fromkeys(parts, -float(sign)), 0.0, 0.0))

    def minus(self, rest: str, whole: str, part: str) -> None:
        """Say that a count is the difference of two others."""
        self.lines.append(({rest: 1.0, whole: -1.0, part: 1.0}, 0.0, 0.0))

    def number(self, name: str) -> int:
        """Return a count or change."""
        return self.true[name] if name in self.true else self.other[name]

    def add(self, file: str, header: list[str], rows: list[list[str]], week: int = 0) -> None:
        """Add a table; a text such as ``=Adams new`` stands for that count."""
        while len(self.weeks) <= week:
            self.weeks.append({})
        grid = [header]
        for at, row in enumerate(rows):
            texts = []
            for column, text in zip(header, row, strict=True):
                if text.startswith("="):
                    self.where[week, file, at, column] = text[1:]
                    text = str(self.number(text[1:]))
                texts.append(text)
            grid.append(texts)
        self.weeks[week][file] = grid


def _draw(rng: random.Random, zeros: float = 0.08) -> int:
    return 0 if rng.random() < zeros else max(1, round(rng.lognormvariate(2.9, 1)))


def _table(
    rng: random.Random,
    names: list[str],
    make: Callable[[Drawn, str], None],
    total: str = "Total",
    counted: tuple[str, ...] = (),
    file: str = "counts",
) -> Drawn:
    """Draw a table of counties with a row of totals; ``make`` gives a county its counts, named ``county column``."""
    drawn = Drawn(options=["--key", "county"] + ([] if total == "Total" else ["--total", total]))
    places = list(PLACES[: rng.randint(4, 7)])
    for place in places:
        make(drawn, place)
    for name in names:
        parts = [f"{place} {name}" for place in places]
        of = drawn.true if parts[0] in drawn.true else drawn.other
        of[f"{total} {name}"] = sum(of[part] for part in parts)
        drawn.sums(f"{total} {name}", parts)
    for place in [*places, total]:
        for name in counted:
            _relate(drawn, place, name)
    drawn.add(
        file, ["county", *names], [[place, *(f"={place} {name}" for name in names)] for place in [*places, total]]
    )
    return drawn


def _relate(drawn: Drawn, place: str, rule: str) -> None:
    """Add ``a = b + c`` or ``a = b - c`` of one row."""
    left, right = (text.strip() for text in rule.split("="))
    if " - " in right:
        drawn.minus(f"{place} {left}", *(f"{place} {name}" for name in right.split(" - ")))
    else:
        drawn.sums(f"{place} {left}", [f"{place} {name}" for name in right.split(" + ")])


def _of(drawn: Drawn, place: str, **counts: int) -> None:
    drawn.true |= {f"{place} {name.replace('_', ' ')}": n for name, n in counts.items()}


def change(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        old, more = _draw(rng), _draw(rng)
        drawn.true |= {f"{place} 2024": old, f"{place} 2025": old + more}
        drawn.other[f"{place} change"] = more

    return _table(rng, ["2024", "2025", "change"], make, counted=("change = 2025 - 2024",))


def cumulative(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        new, last = _draw(rng), _draw(rng) + _draw(rng)
        _of(drawn, place, new=new, cumulative=last + new, last_week_cumulative=last)

    names = ["new", "cumulative", "last week cumulative"]
    return _table(rng, names, make, counted=("new = cumulative - last week cumulative",))


def sexes(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        men, women = _draw(rng), _draw(rng)
        drawn.true |= {f"{place} Male": men, f"{place} Female": women, f"{place} Both sexes": men + women}

    names = ["Male", "Female", "Both sexes"]
    return _table(rng, names, make, "State Total", ("Both sexes = Male + Female",))


def year_to_date(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        weeks = _draw(rng), _draw(rng)
        drawn.true |= {f"{place} 2025-10-04": weeks[0], f"{place} 2025-10-11": weeks[1], f"{place} YTD": sum(weeks)}

    names = ["2025-10-04", "2025-10-11", "YTD"]
    return _table(rng, names, make, "State Total", ("YTD = 2025-10-04 + 2025-10-11",))


def called_like_labels(rng: random.Random) -> Drawn:
    """A sum whose column is called like one of labels, apart from its parts."""

    def make(drawn: Drawn, place: str) -> None:
        winter, summer = _draw(rng), _draw(rng)
        _of(drawn, place, Winter=winter, Full_year=winter + summer, other=_draw(rng), Summer=summer)

    return _table(rng, ["Winter", "Full year", "other", "Summer"], make, counted=("Full year = Winter + Summer",))


def net(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        out, more = _draw(rng), _draw(rng)
        _of(drawn, place, admitted=out + more, discharged=out)
        drawn.other[f"{place} net"] = more

    return _table(rng, ["admitted", "discharged", "net"], make, counted=("net = admitted - discharged",))


def rest(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        inside, others = _draw(rng), _draw(rng)
        _of(drawn, place, cases=inside + others, hospitalized=inside, not_hospitalized=others)

    names = ["cases", "hospitalized", "not hospitalized"]
    return _table(rng, names, make, counted=("cases = hospitalized + not hospitalized",))


def _with_ratios(
    drawn: Drawn, column: str, top: str, below: str, factor: float, decimals: int, sign: str = ""
) -> Drawn:
    """Add a column of ratios of two counts of each row; ``below`` may name one count of the whole table."""
    (file, grid), *_ = drawn.weeks[0].items()
    drawn.options = [word for word in drawn.options if word not in ("--key", "county")]
    grid[0].append(column)
    for at, row in enumerate(grid[1:]):
        one, whole = f"{row[0]} {top}", below if below in drawn.true else f"{row[0]} {below}"
        bottom = drawn.known.get(whole) or drawn.number(whole)
        drawn.ratios.append(((0, file, at, column), one, whole, factor, decimals))
        row.append(f"{factor * drawn.number(one) / bottom:.{decimals}f}{sign}" if bottom else "")
    return drawn


def _two(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        men, women = _draw(rng), _draw(rng)
        drawn.true |= {f"{place} Male": men, f"{place} Female": max(women, 1)}
        drawn.true[f"{place} Total"] = men + max(women, 1)

    return _table(rng, ["Male", "Female", "Total"], make, counted=("Total = Male + Female",))


def percent_of_state(rng: random.Random) -> Drawn:
    return _with_ratios(_two(rng), "percent of state", "Male", "Total Male", 100, rng.choice([1, 2]))


def percent_of_row(rng: random.Random) -> Drawn:
    return _with_ratios(_two(rng), "% male", "Male", "Total", 100, rng.choice([1, 2]), rng.choice(["", "%"]))


def average(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        weeks = [_draw(rng) for _ in range(4)]
        drawn.true |= {f"{place} {name}": own for name, own in zip(months, weeks, strict=True)}
        drawn.true[f"{place} Total"] = sum(weeks)

    months = ["Jan", "Feb", "Mar", "Apr"]
    drawn = _table(rng, [*months, "Total"], make, counted=("Total = Jan + Feb + Mar + Apr",))
    drawn.known |= {f"{row[0]} months": 4 for row in drawn.weeks[0]["counts"][1:]}
    return _with_ratios(drawn, "monthly rate", "Total", "months", 1, 2)


def rates(rng: random.Random) -> Drawn:
    def make(drawn: Drawn, place: str) -> None:
        _of(drawn, place, deaths=_draw(rng))
        drawn.true[f"{place} population"] = rng.randint(2_000, 60_000)

    drawn = _table(rng, ["deaths", "population"], make)
    drawn.known |= {name: n for name, n in drawn.true.items() if name.endswith("population")}
    drawn.options += ["--population-column", "population"]
    return _with_ratios(drawn, "rate per 100,000", "deaths", "population", 1e5, 1)


def labels(rng: random.Random) -> Drawn:
    """Row labels that state the total of the row."""
    drawn = _two(rng)
    grid, pattern = drawn.weeks[0]["counts"], rng.choice([" ({})", " (n={})", ", n = {}"])
    del grid[0][-1]
    for at, row in enumerate(grid[1:-1]):
        drawn.labels[0, "counts", at, "county"] = [(r"(\d+)\)?$", f"{row[0]} Total")]
        row[0] += pattern.format(row.pop())
        drawn.where.pop((0, "counts", at, "Total"))
    grid[-1].pop()
    drawn.where.pop((0, "counts", len(grid) - 2, "Total"))
    return drawn


def labels_of_parts(rng: random.Random) -> Drawn:
    """Row labels that state the total of the row and one part."""
    drawn = _two(rng)
    for at, row in enumerate(drawn.weeks[0]["counts"][1:-1]):
        drawn.labels[0, "counts", at, "county"] = [(r"n=(\d+)", f"{row[0]} Total"), (r"(\d+) male", f"{row[0]} Male")]
        row[0] += f" (n={row[-1]}; {row[1]} male)"
    return drawn


def labels_bare(rng: random.Random) -> Drawn:
    """Row labels that end with the total of the row, without a sign that it is a count."""
    drawn = _two(rng)
    grid = drawn.weeks[0]["counts"]
    del grid[0][-1]
    for at, row in enumerate(grid[1:]):
        drawn.where.pop((0, "counts", at, "Total"))
        total = row.pop()
        if at + 2 < len(grid):
            drawn.labels[0, "counts", at, "county"] = [(r"(\d+)$", f"{row[0]} Total")]
            row[0] += f" {total}"
    return drawn


def notes(rng: random.Random) -> Drawn:
    """Lines above and below the table that state counts of it."""
    drawn = _two(rng)
    grid = drawn.weeks[0]["counts"]
    own = rng.randrange(1, len(grid) - 1)
    texts = [f"Note: {grid[own][1]} of the cases in {grid[own][0]} are male.", f"Cases of 2025: {grid[-1][-1]}"]
    drawn.notes = [(texts[0], f"{grid[own][0]} Male"), (texts[1], "Total Total")]
    blank = [""] * (len(grid[0]) - 1)
    drawn.weeks[0]["counts"] = [[texts[1], *blank], *grid, [texts[0], *blank]]
    return drawn


def _cross(rng: random.Random, files: dict[str, list[str]], total: bool) -> Drawn:
    """Draw tables of the same counties by other classes."""
    drawn, places = Drawn(), list(PLACES[: rng.randint(3, 5)])
    cube = {(p, a, b): _draw(rng) for p in places for a in next(iter(files.values())) for b in [*files.values()][-1]}
    for name, classes in files.items():
        for place in places:
            for one in classes:
                drawn.true[f"{place} {one}"] = sum(n for key, n in cube.items() if key[0] == place and one in key[1:])
            drawn.true[f"{place} Total"] = sum(n for key, n in cube.items() if key[0] == place)
            drawn.sums(f"{place} Total", [f"{place} {one}" for one in classes])
        columns = [*classes, "Total"] if total or name == next(iter(files)) else classes
        for one in [*classes, "Total"]:
            drawn.true[f"Total {one}"] = sum(drawn.true[f"{place} {one}"] for place in places)
            drawn.sums(f"Total {one}", [f"{place} {one}" for place in places])
        rows = [[place, *(f"={place} {one}" for one in columns)] for place in [*places, "Total"]]
        drawn.add(name, ["county", *columns], rows)
    return drawn


def linked(rng: random.Random) -> Drawn:
    return _cross(rng, {"by-sex": ["Male", "Female"], "by-age": ["0-17", "18-64", "65+"]}, True)


def linked_total_elsewhere(rng: random.Random) -> Drawn:
    """Only the first table has the total of each county."""
    return _cross(rng, {"by-sex": ["Male", "Female"], "by-age": ["0-17", "18-64", "65+"]}, False)


def weekly(rng: random.Random) -> Drawn:
    """Two weeks of a ledger, with running totals."""
    drawn, places = Drawn(), list(PLACES[: rng.randint(4, 6)])
    for week in range(2):
        for place in places:
            drawn.true[f"{place} new {week}"] = new = _draw(rng)
            before = drawn.true[f"{place} so far {week - 1}"] if week else rng.randint(20, 60)
            drawn.true[f"{place} so far {week}"] = before + new
            if week:
                drawn.sums(f"{place} so far 1", [f"{place} so far 0", f"{place} new 1"])
        for name in (f"new {week}", f"so far {week}"):
            parts = [f"{place} {name}" for place in places]
            drawn.true[f"Total {name}"] = sum(drawn.true[part] for part in parts)
            drawn.sums(f"Total {name}", parts)
        rows = [[place, f"={place} new {week}", f"={place} so far {week}"] for place in [*places, "Total"]]
        drawn.add(f"week{week}", ["county", "this week", "to date"], rows, week)
    drawn.sums("Total so far 1", ["Total so far 0", "Total new 1"])
    return drawn


def weekly_with_last(rng: random.Random) -> Drawn:
    """Two weeks of a ledger that show last week's running total too."""
    drawn = weekly(rng)
    for week in range(2):
        grid = drawn.weeks[week][f"week{week}"]
        grid[0].append("to date last week")
        for at, row in enumerate(grid[1:]):
            name = f"{row[0]} before {week}"
            drawn.true[name] = int(row[2]) - int(row[1])
            drawn.where[week, f"week{week}", at, "to date last week"] = name
            drawn.minus(name, f"{row[0]} so far {week}", f"{row[0]} new {week}")
            row.append(str(drawn.true[name]))
    for row in drawn.weeks[1]["week1"][1:]:
        drawn.lines.append(({f"{row[0]} before 1": 1.0, f"{row[0]} so far 0": -1.0}, 0.0, 0.0))
    return drawn


def sheets(rng: random.Random) -> Drawn:
    """A workbook with the table by sex and, on another sheet, by age; the first is protected."""
    drawn = _cross(rng, {"by-sex": ["Male", "Female"], "by-age": ["0-17", "18-64", "65+"]}, True)
    drawn.sheet = "by-sex"
    return drawn


def running_rows(rng: random.Random) -> Drawn:
    """A row per week with the cases so far."""
    drawn, so_far, weeks = Drawn(), 0, rng.randint(5, 8)
    for week in range(weeks):
        drawn.true[f"{week} cases"] = new = _draw(rng)
        drawn.true[f"{week} so far"] = so_far = so_far + new
        drawn.sums(f"{week} so far", [f"{week} cases", *([f"{week - 1} so far"] if week else [])])
    rows = [[f"week {week + 10}", f"={week} cases", f"={week} so far"] for week in range(weeks)]
    drawn.add("counts", ["week", "cases", "cumulative"], rows)
    return drawn


def dated_rows(rng: random.Random) -> Drawn:
    """The cases so far, with the month, the week and the day on which it ends in each row."""
    drawn = running_rows(rng)
    grid = drawn.weeks[0]["counts"]
    for at, row in enumerate(grid):
        day = date(2025, 3, 8) + timedelta(7 * (at - 1))
        row[:1] = [f"W{at + 9}", f"{day:%B}", str(day)] if at else ["week", "month", "week ending"]
    drawn.options += [word for name in ("week", "month", "week ending") for word in ("--key", name)]
    return drawn


def running_from_last(rng: random.Random) -> Drawn:
    """A row per age with the cases of this age or more."""
    drawn, ages = Drawn(), rng.randint(5, 8)
    for age in range(ages):
        drawn.true[f"{age} cases"] = _draw(rng)
    for age in range(ages):
        drawn.true[f"{age} or more"] = sum(drawn.true[f"{own} cases"] for own in range(age, ages))
        drawn.sums(f"{age} or more", [f"{age} cases", *([f"{age + 1} or more"] if age + 1 < ages else [])])
    rows = [[f"age {10 * age}-{10 * age + 9}", f"={age} cases", f"={age} or more"] for age in range(ages)]
    drawn.options += ["--key", "age"]
    drawn.add("counts", ["age", "cases", "this old or older"], rows)
    return drawn


def regions(rng: random.Random) -> Drawn:
    """Counties within regions, each region with its total, and the classes with theirs."""
    drawn, rows = Drawn(), list[list[str]]()
    regions_of, names = {"North": PLACES[:3], "South": PLACES[3 : 3 + rng.randint(2, 4)]}, ["Male", "Female", "Total"]
    for region, places in regions_of.items():
        for place in places:
            drawn.true |= {f"{place} Male": _draw(rng), f"{place} Female": _draw(rng)}
            drawn.true[f"{place} Total"] = drawn.true[f"{place} Male"] + drawn.true[f"{place} Female"]
            rows.append([region, place, *(f"={place} {name}" for name in names)])
        for name in names:
            drawn.true[f"{region} {name}"] = sum(drawn.true[f"{place} {name}"] for place in places)
            drawn.sums(f"{region} {name}", [f"{place} {name}" for place in places])
        rows.append([region, "Total", *(f"={region} {name}" for name in names)])
    for name in names:
        drawn.true[f"State {name}"] = sum(drawn.true[f"{region} {name}"] for region in regions_of)
        drawn.sums(f"State {name}", [f"{region} {name}" for region in regions_of])
    for place in [*regions_of["North"], *regions_of["South"], *regions_of, "State"]:
        drawn.sums(f"{place} Total", [f"{place} Male", f"{place} Female"])
    drawn.add(
        "counts", ["region", "county", *names], [*rows, ["Total", "Total", *(f"=State {name}" for name in names)]]
    )
    drawn.options += ["--key", "region", "--key", "county"]
    return drawn


KINDS: dict[str, Callable[[random.Random], Drawn]] = {
    kind.__name__: kind
    for kind in (
        change, cumulative, sexes, year_to_date, net, rest, percent_of_state, percent_of_row, average, rates, labels,
        labels_of_parts, labels_bare, notes, linked, linked_total_elsewhere, weekly, weekly_with_last, sheets,
        running_rows, running_from_last, regions, called_like_labels, dated_rows,
    )
}  # fmt: skip


# What is published.


def published(drawn: Drawn, place: Path, criterion: str) -> tuple[str, Path]:
    """Run the command of README; return the first word (or the error) and the folder of what is sent."""
    for week, files in enumerate(drawn.weeks):
        paths = _written(drawn, files, place)
        options = ["--rule", "cms", "--criterion", criterion, "--time", "60", *drawn.options]
        if len(drawn.weeks) > 1:
            options += ["--ledger", str(place / "out"), "--week", f"2025-W{10 + week}"]
        else:
            options += ["--out", str(place / "out")]
        if drawn.sheet:
            options += ["--sheet", drawn.sheet]
        run = _run(*paths, *options)
        if run[0] == 2 and "none" in run[1] and "--total" not in options:  # what a hurried person answers
            run = _run(*paths, *options, "--total", "none")
        if run[0]:
            return f"exit {run[0]}: {run[1].strip()}", place
    send = place / "out" / "send"
    return "READY", send if send.exists() else place / "out"


def _run(*words: object) -> tuple[int, str]:
    with contextlib.redirect_stderr(io.StringIO()):
        done = CliRunner().invoke(cli, ["table", "protect", *map(str, words)], prog_name="policy-sim")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def _written(drawn: Drawn, files: dict[str, list[list[str]]], place: Path) -> list[Path]:
    if drawn.sheet:
        path = place / "book.xlsx"
        with pd.ExcelWriter(path) as book:
            for name, grid in files.items():
                frame = pd.DataFrame(grid[1:], columns=grid[0])
                frame.map(lambda text: int(text) if text.isdigit() else text).to_excel(
                    book, sheet_name=name, index=False
                )
        return [path]
    paths = [place / f"{name}.csv" for name in files]
    for path, grid in zip(paths, files.values(), strict=True):
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(grid)
    return paths


def _grids(drawn: Drawn, send: Path) -> Iterator[tuple[int, str, list[list[str]]]]:
    """Yield every table that is sent, with the week and name of the file that it was made of."""
    for week, files in enumerate(drawn.weeks):
        for name in [drawn.sheet] if drawn.sheet else files:
            folder = next(iter(send.glob(f"{week + 1:03}-*")), send) if len(drawn.weeks) > 1 else send
            stem = "table" if len(files) == 1 or drawn.sheet else name
            path = next(path for path in (folder / f"{stem}.csv", folder / f"{stem}.xlsx") if path.exists())
            if path.suffix == ".csv":
                with path.open(encoding="utf-8-sig", newline="") as stream:
                    yield week, name, list(csv.reader(stream))
            else:
                for own, frame in pd.read_excel(path, sheet_name=None, header=None, dtype=str, na_filter=False).items():
                    yield week, name if len(files) == 1 or own not in files else str(own), frame.to_numpy().tolist()


def seen(drawn: Drawn, send: Path) -> tuple[dict[str, int], set[str], list[Line]]:
    """Return the counts that are shown, those that are hidden by a mark, and what ratios, labels and notes say."""
    shown, hidden, lines = dict(drawn.known), set[str](), list[Line]()
    sent = [path for path in send.rglob("*") if path.suffix in (".csv", ".json")]
    everything = "\n".join(path.read_text("utf-8", "replace") for path in sent)
    texts: dict[tuple[int, str, int, str], str] = {}
    for week, name, grid in _grids(drawn, send):
        start = next(at for at, row in enumerate(grid) if row[0] in ("county", "week", "region", "age"))
        for at, row in enumerate(grid[start + 1 :]):
            texts |= {(week, name, at, column): text for column, text in zip(grid[start], row, strict=False)}
    for place, count in drawn.where.items():
        text = texts.get(place, "").replace(",", "")
        if re.fullmatch(r"-?\d+(\.0)?", text):
            shown[count] = int(float(text))
        elif place in texts:
            hidden.add(count)
    for place, patterns in drawn.labels.items():
        for pattern, count in patterns:
            if match := re.search(pattern, texts.get(place, "")):
                shown[count] = int(match[1])
    shown |= {count: drawn.number(count) for text, count in drawn.notes if text in everything}
    for place, top, below, factor, decimals in drawn.ratios:
        text = texts.get(place, "").replace("%", "").replace(",", "")
        with contextlib.suppress(ValueError):
            ratio, half = float(text), 0.5 * 10.0**-decimals + 1e-9
            lines.append(({top: factor, below: -ratio - half}, -np.inf, 0.0))
            lines.append(({top: -factor, below: ratio - half}, -np.inf, 0.0))
    return shown, hidden - shown.keys(), lines


# What follows.


def leaks(drawn: Drawn, send: Path) -> tuple[int, list[str]]:
    """Return how many counts are 1 to 10, and those that are shown or of which a program leaves one value."""
    shown, hidden, lines = seen(drawn, send)
    names = [*drawn.true, *drawn.other, *(name for name in drawn.known if name not in drawn.true)]
    index = {name: at for at, name in enumerate(dict.fromkeys(names))}
    low, high = np.zeros(len(index)), np.full(len(index), BIG)
    for name, at in index.items():
        if name in shown:
            low[at] = high[at] = shown[name]
        elif name in drawn.other:
            low[at] = -BIG
        elif name in hidden:
            low[at] = 1  # zeros are shown
    lines = drawn.lines + lines
    small = [name for name, n in drawn.true.items() if 0 < n <= LARGEST and name not in drawn.known]
    out = [f"{name} is shown" for name in small if name in shown]
    matrix = np.zeros((len(lines), len(index)))
    for at, (weights, _, _) in enumerate(lines):
        for name, weight in weights.items():
            matrix[at, index[name]] += weight
    least, most = (np.array([line[end] for line in lines]) for end in (1, 2))
    for name in small:
        if name not in shown:
            ends = [list(_ends(solve, index[name], matrix, least, most, low, high)) for solve in (_linear, _integer)]
            if any(np.ceil(bottom - 1e-6) >= np.floor(top + 1e-6) for bottom, top in ends):
                out.append(f"{name} follows")
    return len(small), out


def _ends(solve: Callable[..., float], at: int, matrix: np.ndarray, *limits: np.ndarray) -> Iterator[float]:
    for sign in (1, -1):
        cost = np.zeros(matrix.shape[1])
        cost[at] = sign
        yield sign * solve(cost, matrix, *limits)


def _linear(cost: np.ndarray, matrix: np.ndarray, *limits: np.ndarray) -> float:
    least, most, low, high = limits
    equal = least == most
    answer = linprog(
        cost,
        A_ub=matrix[~equal] if (~equal).any() else None,
        b_ub=most[~equal] if (~equal).any() else None,
        A_eq=matrix[equal] if equal.any() else None,
        b_eq=most[equal] if equal.any() else None,
        bounds=np.column_stack([low, high]),
    )
    assert answer.x is not None, "the published tables contradict what they mean"
    return float(answer.fun)


def _integer(cost: np.ndarray, matrix: np.ndarray, *limits: np.ndarray) -> float:
    least, most, low, high = limits
    sums = LinearConstraint(csr_array(matrix), least, most) if len(matrix) else ()
    answer = milp(cost, constraints=sums, bounds=Bounds(low, high), integrality=1)
    assert answer.x is not None, "the published tables contradict what they mean"
    return float(round(answer.fun))


def tried(kind: str, seed: int) -> tuple[str, int, list[str]]:
    """Draw, protect and attack one example; return the outcome, how many small counts it has and what leaks."""
    rng = random.Random(f"{kind}-{seed}")
    drawn = KINDS[kind](rng)
    with tempfile.TemporaryDirectory() as name:
        word, send = published(drawn, Path(name), rng.choice("RE"))
        return (word, *(leaks(drawn, send) if word == "READY" else (0, [])))


def audited(kind: str, each: int) -> tuple[Counter[str], int, dict[int, list[str]]]:
    """Draw examples until ``each`` are ready, at most three times as many; return outcomes, counts and leaks."""
    outcomes, counts, leaking = Counter[str](), 0, dict[int, list[str]]()
    for seed in range(3 * each):
        if outcomes["READY"] == each:
            break
        word, small, out = tried(kind, seed)
        outcomes[word.removeprefix("exit 1: ").removeprefix("exit 3: ").partition(":")[0]] += 1
        counts += small
        leaking |= {seed: out} if out else {}
    return outcomes, counts, leaking


def main() -> None:
    """Try every kind, or show one example."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.side_columns")
    parser.add_argument("--each", type=int, default=30)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    if options.seed is not None:
        drawn = KINDS[options.kind](random.Random(f"{options.kind}-{options.seed}"))
        for files in drawn.weeks:
            for name, grid in files.items():
                print(name, *(",".join(row) for row in grid), sep="\n")
        print(*tried(options.kind, options.seed), sep="\n")
        return
    print("| kind | drawn | ready | refused | small counts | tables that leak | |\n|---|---:|---:|---|---:|---:|---|")
    for kind in [options.kind] if options.kind else KINDS:
        outcomes, counts, leaking = audited(kind, options.each)
        refused = ", ".join(f"{n} {word}" for word, n in outcomes.items() if word != "READY")
        first = "; ".join(f"seed {seed}: {', '.join(out)}" for seed, out in list(leaking.items())[:3])
        row = (kind, outcomes.total(), outcomes["READY"], refused, counts, len(leaking), first)
        print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
