"""Random command lines, valid and hostile: never a traceback, never a fault, never a secret.

Seeded, so a failure comes back; the failing line is in the test's message. Run more with
``POLICY_SIM_FUZZ_LINES=2000 pytest tests/cli/test_fuzz.py``.
"""

from __future__ import annotations

import csv
import gzip
import os
import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from pinned import pinned

from benchmarks.hostile import HOSTILE, SECRET, drawn_lines, mutated_files, problem_of, written_files
from policy_sim.attackers.files import list_adversaries
from policy_sim.policies.files import list_policies
from policy_sim.words.states import STATES

LINES = int(os.environ.get("POLICY_SIM_FUZZ_LINES", "60"))
CHUNKS = 6
VINTAGES = ("2008", "2020", "2026")


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """A folder of files: some are what commands expect, and most are not."""
    folder = tmp_path_factory.mktemp("fuzz")
    draw = random.Random(7)
    with (folder / "good.csv").open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(("age", "sex", "race", "county", "note"))
        for _ in range(60):
            rows.writerow((draw.randrange(90), draw.choice("MF"), "white", "10001", SECRET))
    good = (folder / "good.csv").read_bytes()
    contents: dict[str, bytes] = {
        "empty.csv": b"",
        "header.csv": b"age,sex\n",
        "twice.csv": b"age,age,sex\n1,2,M\n",
        "short.csv": b"age,sex,race\n1,M\n2\n3,F,white,more,yet\n",
        "latin.csv": b"age,sex\n1,\xe9\xff\n",
        "nul.csv": b"age,sex\n1,\x00\n",
        "quote.csv": f'age,sex\n1,"{SECRET}\n2,M\n'.encode(),
        "values.csv": f"age,sex,race,county\n{SECRET},{SECRET},{SECRET},{SECRET}\n".encode(),
        "wide.csv": b",".join(b"c%d" % i for i in range(3000)) + b"\n" + b",".join(b"1" for _ in range(3000)) + b"\n",
        "long.csv": b"age,sex\n" + b"9" * 200_000 + b",M\n",
        "people.csv": b"state,county,sex,age,age_width,race,people\nDE,10001,M,30,1,white,5\nDE,10001,F,31,1,black,2\n",
        "negative.csv": b"state,county,sex,age,age_width,race,people\nDE,10001,M,30,1,white,-5\n",
        "huge.csv": b"state,county,sex,age,age_width,race,people\nDE,10001,M,30,1,white,99999999999999999999\n",
        "not.parquet": b"PAR1 not really PAR1",
        "good.csv.gz": gzip.compress(good),
        "cut.csv.gz": gzip.compress(good)[:40],
        "cut.zip": b"PK\x03\x04cut",
        "policy.toml": b'name = "ours"\ntitle = "Ours"\ncitation = "us"\n[fields]\nbirth = "year"\n',
        "wrong.toml": b'name = 3\nbirth = "noon"\n[fields]\nbirth = "noon"\nmoon = "full"\n',
        "cut.toml": f'name = "{SECRET}'.encode(),
        "deep.toml": b"a = " + b"[" * 3000 + b"]" * 3000,
        "binary.toml": bytes(range(256)),
        "changes.toml": b'birth = "date"\n',
        "table.sqlite": b"SQLite format 3\x00 and no more",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder.csv").mkdir()
    (folder / "folder.toml").mkdir()
    return folder


class Lines:
    """Draws command lines: mostly of the right form, with some words out of place."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.draw, self.folder, self.made = random.Random(seed), folder, seed
        self.names = sorted(path.name for path in folder.iterdir())
        self.policies, self.adversaries = sorted(list_policies()), sorted(list_adversaries())

    def line(self) -> list[str]:
        makers: tuple[Callable[[], list[str]], ...] = (
            *(self.study,) * 4, *(self.file,) * 3, self.lists, self.explore, self.one_state, self.rest,
        )  # fmt: skip
        words = self.draw.choice(makers)()
        if self.draw.random() < 0.2:
            words.insert(self.draw.randrange(1, len(words) + 1), self.draw.choice(HOSTILE))
        return ["--debug", *words] if self.draw.random() < 0.02 else words

    def state(self) -> str:
        found = STATES[self.draw.choice(list(STATES))]
        return self.odd(self.draw.choice((found.postal, found.fips, found.name, found.postal.lower())), 0.05)

    def odd(self, text: str, chance: float) -> str:
        return self.draw.choice(HOSTILE) if self.draw.random() < chance else text

    def path(self, ending: str = "") -> str:
        fitting = [name for name in self.names if name.endswith(ending)] if self.draw.random() < 0.8 else self.names
        return str(self.folder / self.odd(self.draw.choice(fitting), 0.05).replace("\x00", ""))

    def some(self, options: dict[str, Callable[[], str]], most: int = 4) -> list[str]:
        names = self.draw.sample(list(options), self.draw.randint(0, min(most, len(options))))
        return [word for name in names for word in (name, self.odd(options[name](), 0.08))]

    def of(self, *values: str) -> Callable[[], str]:
        return lambda: self.draw.choice(values)

    def number(self) -> str:
        return self.draw.choice(("1", "2", "5", "10", "365", "365.25", "1000", "99999999"))

    def size(self) -> str:
        """A size of groups; hundreds over a million days a year take a minute to count."""
        return self.draw.choice(("1", "2", "5", "10", "25", "365.25", "1000", "99999999"))

    def out(self) -> list[str]:
        if self.draw.random() < 0.8:
            return []
        self.made += 1
        return ["--out", self.odd(str(self.folder / f"out-{self.made}"), 0.5)]

    def form(self) -> list[str]:
        return ["--format", self.odd(self.draw.choice(("table", "csv", "json", "parquet")), 0.03)]

    def study_options(self) -> list[str]:
        chosen = self.some(
            {
                "--population": lambda: self.draw.choice(("us-2000", "us-2010", "us-2020", self.path(".csv"))),
                "--lists": self.of(*VINTAGES),
                "--as-of": self.of("2015-06-01", "2026-01-01", "1900-01-01", "9999-12-31"),
                "--as": self.of("benitez-malin-2010"),
                "--attacker": self.of("general", "voter", "VOTER"),
                "--adversary": lambda: self.draw.choice((*self.adversaries, self.path(".toml"))),
                "--coverage": self.of("everyone", "adults", "registered"),
                "--days-per-year": self.of("1", "365", "365.25", "1000000"),
                "--zip3": self.of("computed", "hhs2000", "union"),
                "--rules": self.of("paper", "regulation" if LINES >= 1000 else "paper"),  # half a minute to load
                "--database": self.of(f"sqlite:///{self.folder}/table.sqlite", "own"),
            }
        )
        for _ in range(self.draw.choice((0, 0, 1, 2, 3))):
            policy = self.draw.choice((*self.policies, self.path(".toml"), "birth=month+geography=state (age<90)"))
            chosen += ["--policy", self.odd(policy, 0.05)]
        return chosen

    def study(self) -> list[str]:
        command = self.draw.choice(("compare", "trust", "cost"))
        words = [command, *self.study_options(), "--state", self.state(), *self.form(), *self.out()]
        if command != "cost" and self.draw.random() < 0.4:
            words += ["--g", self.odd(self.size(), 0.2)]
        if command == "compare" and self.draw.random() < 0.3:
            words += ["--by", self.draw.choice(("race", "age", "sex", "county", "county-size"))]
        return [*words, "--interval"] if self.draw.random() < 0.3 else words

    def one_state(self) -> list[str]:
        small = self.draw.choice(("DE", "WY", "DC", "VT", "AK", "PR"))
        command = self.draw.choice(("curve", "simulate", "sensitivity", "synth"))
        if command == "synth":
            more = self.some(
                {"--people": self.number, "--seed": self.number, "--census-day": self.of("2010-04-01", "1-1-1")}
            )
            return [
                "synth",
                small,
                *more,
                "--out",
                str(self.folder / self.odd(f"made-{self.draw.randrange(9)}.csv", 0.3)),
            ]
        extra = {"curve": ["--g-max", self.odd("20", 0.2)], "simulate": ["--runs", self.odd("2", 0.2)]}.get(command, [])
        return [command, self.odd(small, 0.1), *self.study_options(), *extra, *self.form(), *self.out()]

    def explore(self) -> list[str]:
        options = {
            "--population": lambda: self.draw.choice(("us-2010", self.path(".csv"))),
            "--than": lambda: self.draw.choice((*self.policies, self.path(".toml"))),
            "--g": self.size,
            "--rows": self.of("all", "frontier", "better"),
            "--days-per-year": self.of("1", "365", "365.25", "1000000"),
        }
        between = ["--risk-between", self.odd("0", 0.3), self.odd("0.5", 0.3)] if self.draw.random() < 0.3 else []
        return ["explore", "--state", "DE", *self.some(options), *between, *self.form(), *self.out()]

    def file(self) -> list[str]:
        command = self.draw.choice(("profile", "score", "estimate", "simulate"))
        fields = self.draw.choice(("age", "age,sex", "age,sex,race,county", "sex", "note", "age,age", "moon", ",", ""))
        options: dict[str, Callable[[], str]] = {
            "--mapping": lambda: self.path(".toml"),
            "--missing": self.of("own", "exclude", "wildcard"),
            "--missing-code": self.of("?", "NA"),
            "--memory": self.of("200MB", "1GB", "1KB", "0"),
            "--max-classes": self.number,
            "--table": self.of("records", SECRET),
            "--engine": self.of("duckdb", "moon", f"http://me:{SECRET}@nowhere"),
        }
        if command == "estimate":
            options |= {"--population-size": self.number, "--fraction": self.of("0.1", "1", "2", "0")}
        if command == "score":
            options |= {
                "--against": lambda: self.path(".csv"),
                "--state": self.state,
                "--population": lambda: self.draw.choice(("us-2010", "us-2020", self.path(".csv"))),
                "--lists": self.of(*VINTAGES),
                "--buyer": self.of("scholar", "public"),
                "--top": self.of("0", "3"),
            }
        more = ["--fields", self.odd(fields, 0.05), *self.some(options, 5), *self.out()]
        if command == "simulate":
            more += ["--runs", "2", "--workers", "1"]
        else:
            more += self.form()
        return ["dataset", command, self.odd(self.path(".csv"), 0.1), *more]

    def lists(self) -> list[str]:
        which = self.some({"--lists": self.of(*VINTAGES), "--as-of": self.of("2015-06-01", "2026-01-01")}, 1)
        changes = self.of(
            "birth=date", "birth=year", "gender=withheld", "price=0", "price=-1", "price=nan", "moon=full", "="
        )
        return self.draw.choice(
            (
                ["lists", "show", self.state(), *which, *self.form()],
                ["lists", "history", self.state(), *self.form()],
                ["lists", "sources", self.state(), *self.form()],
                ["lists", "list", *which, *self.form()],
                ["lists", "diff", self.odd("2008", 0.2), self.odd("2026", 0.2), "--state", self.state()],
                ["lists", "counties", self.state(), *which, *self.form()],
                ["lists", "check", self.path(".toml")],
                ["lists", "import", self.path(".csv"), "--database", f"sqlite:///{self.folder}/new.sqlite"],
                ["lists", "sql", self.odd("select 1", 0.5)],
                [
                    "lists",
                    "what-if",
                    self.state(),
                    "--set",
                    self.odd(changes(), 0.2),
                    "--g",
                    self.size(),
                    *self.form(),
                ],
            )
        )

    def rest(self) -> list[str]:
        return self.draw.choice(
            (
                ["policy", "list", *self.form()],
                ["policy", "show", self.odd(self.draw.choice(self.policies), 0.5), *self.form()],
                ["policy", "check", self.path(".toml"), "--population", "us-2010", "--state", self.state()],
                [
                    "policy",
                    "new",
                    str(self.folder / self.odd("new.toml", 0.5).replace("\x00", "")),
                    "--from",
                    self.path(".toml"),
                ],
                ["population", "show", self.odd("us-2020", 0.5), *self.form()],
                [
                    "population",
                    "build",
                    self.odd("us-2010", 0.5),
                    "--from",
                    str(self.folder),
                    "--out",
                    str(self.folder / "b"),
                ],
                ["census", "show", self.odd("sf1-2010", 0.5)],
                ["census", "load", self.path(".zip")],
                ["census", "remove", self.odd("sf1-2010-de", 0.5)],
                ["census", "check"],
                ["reproduce", self.odd("dankar-2012", 0.5), *self.form()],
                ["reproduce", "dankar-2010", "--data", self.path(".csv"), *self.form()],
                [self.odd("compair", 0.5)],
            )
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(CHUNKS))
def test_no_command_line_ends_in_a_traceback(files, seed, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(files / "home"))
    monkeypatch.setenv("CENSUS_API_KEY", SECRET)
    monkeypatch.chdir(files)
    lines = Lines(seed, files)
    for _ in range(LINES // CHUNKS):
        words = lines.line()
        problem = problem_of(words)
        assert problem is None, f"{problem}: policy-sim {words}"


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """A folder with a file of every kind that a command reads."""
    folder = tmp_path_factory.mktemp("kinds")
    return folder, written_files(folder)


# A part of what `python -m benchmarks.hostile` draws, the same lines and files each time.
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(CHUNKS))
def test_no_line_of_the_commands_own_options_ends_badly(kinds, seed, monkeypatch):
    folder, _ = kinds
    monkeypatch.setenv("POLICY_SIM_HOME", str(folder / "home"))
    monkeypatch.setenv("CENSUS_API_KEY", SECRET)
    monkeypatch.chdir(folder)
    for words in islice(drawn_lines(seed, folder), pinned(150, 300) // CHUNKS):
        assert problem_of(words) is None, words


@pytest.mark.slow
def test_no_mutated_file_ends_badly(kinds, monkeypatch):
    folder, files = kinds
    monkeypatch.setenv("POLICY_SIM_HOME", str(folder / "home"))
    monkeypatch.chdir(folder)
    for place, words in islice(mutated_files(22, folder, files), 100):
        assert problem_of(words) is None, (words, [path.read_bytes()[:300] for path in place.iterdir()])
