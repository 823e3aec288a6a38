"""Show which figures a change of the code moves: run a fixed list of commands before and after, and compare.

::

    python -m benchmarks.same_figures collect before/       # with the code of before
    python -m benchmarks.same_figures collect after/        # with the code of now
    python -m benchmarks.same_figures compare before/ after/ --renamed gender=sex

``collect`` runs the commands of the code in the current folder and writes one CSV per command.
``compare`` reports every figure that moved, row by row, and every column and row that one side lacks.
It exits with status 1 when a figure moved or is gone; changed texts and added rows and columns are reported only.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TOLERANCE = 1e-12  # relative; sums in another order differ by some 1e-15
PAPERS = ("benitez-malin-2010", "golle-2006", "dankar-2010", "dankar-2012")

# Columns that identify a row. What is not listed here is a figure or a remark about one.
IDENTITY = frozenset(
    [
        "state",
        "policy",
        "attacker",
        "measure",
        "g",
        "population",
        "by",
        "group",
        "county",
        "county_size",
        "race",
        "sex",
        "gender",
        "age",
        "id",
        "paper",
        "model",
        "field",
        "fields",
        "becomes",
        "numerator_policy",
        "denominator_policy",
        "assumption",
        "unknown_fields",
        "combination",
        "geography",
        "birth",
    ]
)

_SOME_STATES = ("DE", "WY", "OH", "NY", "DC", "VT")


def commands(visits: Path, adult: Path | None) -> dict[str, list[str]]:
    """Return the commands by the name of the file their rows go to.

    Parameters
    ----------
    visits : a file of made-up records, see :func:`write_visits`.
    adult : the Adult data set in ARX's form, where it is available.
    """
    asked = {
        f"compare-{name}": ["compare", "--population", name, "--g", "1", "--g", "5"]
        for name in ("us-2000", "us-2010", "us-2020")
    }
    asked |= {
        f"compare-no-zip-{name}": [
            "compare",
            "--population",
            name,
            "--policy",
            "safe-harbor-without-zip",
            *_few("--state"),
        ]
        for name in ("us-2000", "us-2010", "us-2020")
    }
    asked["compare-regulation"] = ["compare", "--hipaa", "regulation", *_few("--state")]
    asked["compare-paper"] = ["compare", "--as", "benitez-malin-2010"]
    asked["compare-by-race"] = ["compare", "--by", "race", *_few("--state")]
    asked["compare-interval"] = ["compare", "--interval", *_few("--state")]
    asked["explore-de"] = ["policy", "explore", "--state", "DE"]
    asked |= {f"reproduce-{paper}": ["model", "reproduce", paper] for paper in PAPERS}
    asked["what-if-oh"] = ["lists", "what-if", "OH", "--set", "birth=year"]
    asked["what-if-all"] = ["lists", "what-if", "--all-states"]
    asked["counties-tx"] = ["lists", "counties", "TX"]
    asked["lists-2026"] = ["lists", "list"]
    asked["curve-de"] = ["model", "curve", "DE", "--g-max", "500"]
    asked["sensitivity-de"] = ["model", "sensitivity", "DE"]
    asked["trust"] = ["model", "trust"]
    asked["cost"] = ["econ", "cost"]
    asked["score-visits"] = ["dataset", "score", str(visits), "--fields", "age,sex,race,county", "--state", "DE"]
    files = {"visits": (visits, "age,sex,race,county")}
    if adult is not None:
        files["adult"] = (adult, "age,sex,race,education")
    for name, (path, fields) in files.items():
        asked[f"profile-{name}"] = ["dataset", "profile", str(path), "--fields", fields]
        asked[f"estimate-{name}"] = ["dataset", "estimate", str(path), "--fields", fields]
        asked[f"estimate-{name}"] += ["--population-size", "300000"]
    return asked


def _few(option: str) -> list[str]:
    return [word for state in _SOME_STATES for word in (option, state)]


def write_visits(path: Path, records: int = 2_000, seed: int = 1) -> None:
    """Write made-up records of Delaware; Python alone makes them, so no change of ours can change them."""
    draw = random.Random(seed)
    races = ("white", "black", "asian", "other", "multiple")
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(("age", "sex", "race", "county"))
        for _ in range(records):
            race = draw.choices(races, weights=(60, 25, 6, 5, 4))[0]
            rows.writerow((draw.randrange(90), draw.choice("MF"), race, draw.choice(("10001", "10003", "10005"))))


def collect(folder: Path, workers: int = 2) -> list[str]:
    """Run every command and write its rows to ``folder``; return the names of those that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    shared = Path.cwd().parent / "shared" / "microdata" / "adult_arx.csv"
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(workers) as pool:
        visits = Path(work) / "visits.csv"
        write_visits(visits)
        asked = commands(visits, shared if shared.is_file() else None)
        done = pool.map(lambda name: _run(asked[name], folder / f"{name}.csv"), asked)
        return [name for name, worked in zip(asked, done, strict=True) if not worked]


def _run(arguments: Sequence[str], path: Path) -> bool:
    """Run one command with the code of the current folder."""
    code = "from policy_sim.cli.main import main; main()"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "--format", "csv"], capture_output=True, text=True, check=False
    )
    print(f"{time.perf_counter() - start:6.1f} s  {path.stem}", flush=True)
    if done.returncode:
        print(f"          status {done.returncode}: {done.stderr.strip()[-300:]}", flush=True)
        return False
    path.write_text(done.stdout, encoding="utf-8")
    return True


@dataclass
class Difference:
    """What differs between two tables."""

    moved: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Give one line per difference: figures first."""
        for kind, lines in (("moved", self.moved), ("columns", self.columns), ("text", self.texts)):
            yield from (f"  {kind}: {line}" for line in lines)


def compare_tables(
    before: Sequence[Mapping[str, str]], after: Sequence[Mapping[str, str]], renamed: Mapping[str, str]
) -> Difference:
    """Compare two tables row by row.

    Rows are matched by their identity columns (and in order where several share them), cells by column.
    ``renamed`` maps old names to new ones; it applies to columns, and to whole words of texts.
    """
    found = Difference()
    old = [_renamed(row, renamed) for row in before]
    found.columns += [f"{a} is now {b}" for a, b in renamed.items() if before and a in before[0]]
    shared = _columns(old, after, found)
    identity = [name for name in shared if name in IDENTITY]
    ours, theirs = _by_identity(after, identity), _by_identity(old, identity)
    for key, row in theirs.items():
        if key not in ours:
            found.moved.append(f"{_row_name(key)}: the row is gone")
            continue
        for name in shared:
            _compare_cells(row[name], ours[key][name], f"{_row_name(key)}: {name}", found)
    found.texts += [f"{_row_name(key)}: the row is new" for key in ours if key not in theirs]
    return found


def _columns(old: Sequence[Mapping[str, str]], new: Sequence[Mapping[str, str]], found: Difference) -> list[str]:
    """Return the columns that both have, and report the others; a column that is gone counts as moved."""
    had, has = (list(rows[0]) if rows else [] for rows in (old, new))
    if old and new:
        found.columns += [f"{name} is new" for name in has if name not in had]
        found.moved += [f"the column {name} is gone" for name in had if name not in has]
    return [name for name in had if name in has]


def _renamed(row: Mapping[str, str], renamed: Mapping[str, str]) -> dict[str, str]:
    return {renamed.get(name, name): _words(text, renamed) for name, text in row.items()}


def _words(text: str, renamed: Mapping[str, str]) -> str:
    if not renamed:
        return text
    # all at once, so that a=b with b=c does not make c of a
    olds = "|".join(re.escape(old) for old in sorted(renamed, key=len, reverse=True))
    return re.sub(rf"(?<![\w-])(?:{olds})(?![\w-])", lambda match: renamed[match[0]], text)


_Key = tuple[tuple[str, ...], int]


def _by_identity(rows: Sequence[Mapping[str, str]], identity: Sequence[str]) -> dict[_Key, Mapping[str, str]]:
    """Index rows by their identity and, where several share it, their turn."""
    turns: Counter[tuple[str, ...]] = Counter()
    found = {}
    for row in rows:
        name = tuple(row[column] for column in identity)
        found[name, turns[name]] = row
        turns[name] += 1
    return found


def _row_name(key: _Key) -> str:
    name, turn = key
    return " ".join([*(part for part in name if part), *([f"(row {turn + 1} of these)"] if turn or not name else [])])


def _compare_cells(before: str, after: str, where: str, found: Difference) -> None:
    if before == after:
        return
    a, b = _number(before), _number(after)
    if a is None and b is None:
        is_flag = {before, after} <= {"True", "False"}
        (found.moved if is_flag else found.texts).append(f"{where}: {before!r} is now {after!r}")
    elif a is None or b is None:
        found.moved.append(f"{where}: {before or 'nothing'} is now {after or 'nothing'}")
    elif abs(a - b) > TOLERANCE * max(abs(a), abs(b)):
        share = f" ({(b - a) / a:+.3g} of it)" if a else ""
        found.moved.append(f"{where}: {before} is now {after}{share}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def compare_folders(before: Path, after: Path, renamed: Mapping[str, str]) -> dict[str, Difference]:
    """Compare every CSV of two folders; only files that differ are in the answer."""
    found = {}
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.csv")})
    for name in names:
        if not (before / name).is_file():
            difference = Difference(columns=["the file is new"])
        elif not (after / name).is_file():
            difference = Difference(moved=["the file is gone"])
        else:
            difference = compare_tables(_read(before / name), _read(after / name), renamed)
        if any(difference.lines()):
            found[name] = difference
    return found


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise argparse.ArgumentTypeError(f"{text!r} must be OLD=NEW, such as gender=sex.")
    return old, new


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    collecting = tasks.add_parser("collect", help="run the commands and write their rows")
    collecting.add_argument("folder", type=Path)
    comparing = tasks.add_parser("compare", help="report what differs between two folders")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--renamed", type=_pair, nargs="+", action="extend", default=[], metavar="OLD=NEW")
    comparing.add_argument("--most", type=int, default=20, help="most lines per file (0: all)")
    asked = parser.parse_args(arguments)
    if asked.task == "collect":
        failed = collect(asked.folder)
        print(f"failed: {', '.join(failed)}" if failed else "every command ran")
        return int(bool(failed))
    for folder in (asked.before, asked.after):
        if not any(folder.glob("*.csv")):
            parser.error(f"{folder} holds no CSV file: collect into it first.")
    return _report(compare_folders(asked.before, asked.after, dict(asked.renamed)), asked.most)


def _report(found: Mapping[str, Difference], most: int) -> int:
    for name, difference in found.items():
        lines = list(difference.lines())
        shown = lines[:most] if most else lines
        print(f"{name}: {len(difference.moved)} moved, {len(difference.texts)} texts")
        print(*shown, *([f"  ... {len(lines) - len(shown)} more"] if len(lines) > len(shown) else []), sep="\n")
    moved = sum(len(difference.moved) for difference in found.values())
    print(f"figures that moved or are gone: {moved}")
    return int(moved > 0)


if __name__ == "__main__":
    sys.exit(main())
