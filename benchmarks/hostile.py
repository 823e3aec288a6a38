"""Command lines and files that nobody should write: no traceback, no "this is a bug", no message over four lines.

``python -m benchmarks.hostile --lines 3000 --files 1000 --seed 22`` draws command lines from the commands' own options,
and changes bytes, lines and words of files of every kind that a command reads. It prints each that ends badly, and how
many there were. A tenth of both is drawn by the tests.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

import click
from click.testing import CliRunner, Result

from policy_sim.cli.main import cli

__all__ = ["HOSTILE", "SECRET", "drawn_lines", "mutated_files", "problem_of", "written_files"]

SECRET = "hunter2"
_MOST_LINES = 4
HOSTILE = (
    "", " ", "-", "--", "-1", "0", "1e400", "nan", "inf", str(1 << 63), str(1 << 80), "1_0", "٣", "x" * 300, "a/" * 200,
    "O\nH", "O\x1b[31mH", "\x00", "\udcff", "\u202e", "=1+1", "'; DROP TABLE lists; --", "%s%n", "{0}",
    "../../etc/passwd", "/dev/null", "/", ".", "~", "file:///etc/passwd",
    f"postgresql://me:{SECRET}@nowhere.invalid/x", f"me:{SECRET}@127.0.0.1:1/x", "birth=", "birth=date+",
    f"sqlite:///{SECRET}\x00", f"https://api.invalid/?key={SECRET}", "nosuch://host", "policy.toml", "people.csv",
    "x.parquet",
)  # fmt: skip
# Values for options and arguments by their names; of the others their type says what fits.
_WORDS: dict[str, tuple[str, ...]] = {
    "state": ("DE", "WY", "Delaware", "10", "DC", "PR", "VT"),
    "states": ("DE", "WY", "Delaware", "10", "DC", "PR", "VT"),
    "fields": ("age", "age,sex", "age,sex,race,county", "sex", "age,age", "moon"),
    "populations": ("{folder}/people.csv",),
    "population": ("{folder}/people.csv",),
    "lists": ("2008", "2020", "2026"),
    "as_of": ("2015-06-01", "2026-01-01"),
    "on": ("2026-01-01", "2020-02-30"),
    "attackers": ("general", "voter", "texas-birth-index"),
    "attacker": ("general", "voter"),
    "policies": ("safe-harbor", "limited-dataset", "state-only", "county", "birth=decade", "release:newest"),
    "policy": ("safe-harbor", "county", "{folder}/policy.toml", "birth=year+geography=county"),
    "first": ("safe-harbor-without-zip", "county"),
    "second": ("birth=decade", "limited-dataset"),
    "than": ("safe-harbor", "limited-dataset"),
    "database": ("own", "sqlite:///{folder}/table.sqlite"),
    "engine": ("duckdb", "moon"),
    "memory": ("200MB", "1GB", "0"),
    "in_file": ("0.1", "people=5", "1000", "0"),
    "out": ("{folder}/out-{number}",),
    "file": ("{folder}/good.csv", "{folder}/good.csv.gz"),
    "project": ("{folder}/project.toml", "{folder}/new-{number}.toml"),
    "mapping": ("{folder}/mapping.toml",),
    "step": ("variables", "threshold"),
    "answers": ("invasion=low", "release-model=public", "x=1"),
    "roles": ("age=key", "age,sex=key", "note=direct"),
    "url": ("http://127.0.0.1:9",),
    "name": ("us-2010", "safe-harbor", "sf1-2010"),
    "g": ("1", "5", "1000"),
    "table": ("records",),
    "sql": ("select 1",),
    "vintage": ("2008", "2026"),
    "paper": ("dankar-2010",),
    "runs": ("1", "2"),
    "workers": ("1",),
    "people": ("1", "20"),
}
# Always given: the state and population that a line asks about, and how often to repeat what takes a minute by default.
_ALWAYS = ("states", "populations", "runs")
_SLOW = {
    *(
        "brief",
        "explorer",
        "policy explore",
        "model reproduce",
        "model workbook",
        "model simulate",
        "model sensitivity",
    ),
    *("econ trends", "econ game", "econ budget"),
}
_LEFT_OUT = {"dev census fetch"}  # it asks a service


def written_files(folder: Path) -> dict[str, tuple[bytes, tuple[list[str], ...]]]:
    """Write a file of every kind that a command reads; return each with the commands that read it."""
    draw = random.Random(7)
    home = str(folder)
    rows = [
        (draw.randrange(90), draw.choice("MF"), "white", draw.choice(("10001", "10003")), f"n{at}") for at in range(60)
    ]
    records = "age,sex,race,county,note\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    cells = "state,county,sex,age,age_width,race,people\n" + "".join(
        f"DE,{county},{sex},{age},1,{race},{3 + age % 5}\n"
        for county in ("10001", "10003")
        for sex in "MF"
        for age in range(20, 60)
        for race in ("white", "black")
    )
    policy = 'name = "ours"\ntitle = "Ours"\ncitation = "us"\n[fields]\nbirth = "year"\ngender = "value"\n'
    texts = {"good.csv": records, "people.csv": cells, "policy.toml": policy}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "good.csv.gz").write_bytes(gzip.compress(records.encode(), mtime=0))
    _run(["dataset", "check", f"{home}/good.csv", "--write-mapping", f"{home}/mapping.toml"])
    _run(["release", "new", f"{home}/good.csv", f"{home}/project.toml"])
    _run(["dev", "lists", "export", "--out", f"{home}/lists.csv"])
    import pandas as pd

    pd.DataFrame(rows, columns=["age", "sex", "race", "county", "note"]).astype(str).to_parquet(folder / "good.parquet")
    pd.read_csv(folder / "people.csv", dtype={"county": str}).to_parquet(folder / "people.parquet")
    pd.DataFrame(rows, columns=["age", "sex", "race", "county", "note"]).to_excel(folder / "good.xlsx", index=False)
    import pyreadstat

    from policy_sim.files.paths import data_dir, voter_policies_dir

    coded = pd.DataFrame(rows, columns=["age", "sex", "race", "county", "note"])
    pyreadstat.write_dta(coded, f"{home}/good.dta")
    pyreadstat.write_sav(coded, f"{home}/good.sav")
    pyreadstat.write_xport(coded, f"{home}/good.xpt")
    shutil.copy(voter_policies_dir() / "de.toml", folder / "de.toml")
    for shipped in ("resources/texas-birth-index", "adversaries/academic", "releases/ar"):
        shutil.copy(data_dir() / f"{shipped}.toml", folder)
    (folder / "changes.toml").write_text('birth = "date"\nprice = 100\nbuyers = "public"\n', encoding="utf-8")
    (folder / "weights.toml").write_text("sex = 1\nrace = 2.5\nbirth = 0.1\n", encoding="utf-8")
    _run(["dev", "lists", "coding-sheet", "--share", "0.02", "--out", f"{home}/sheet.csv"])
    _run(["dev", "lists", "build", "--database", f"sqlite:///{home}/lists.sqlite"])
    return {name: ((folder / name).read_bytes(), commands) for name, commands in _readers(home).items()}


def _readers(home: str) -> dict[str, tuple[list[str], ...]]:
    """The commands that read each file of a folder."""
    people = ["--population", f"{home}/people.csv"]
    profile = ["dataset", "profile", "{file}", "--fields", "age,sex"]
    compare = ["compare", "--state", "DE", "--population", "{file}", "--policy", "county", "--attacker", "general"]
    return {
        "good.csv": (profile, ["dataset", "check", "{file}"], ["release", "new", "{file}", "{new}"]),
        "good.csv.gz": (profile, ["dataset", "estimate", "{file}", "--fields", "age,sex", "--fraction", "0.1"]),
        "good.parquet": (profile, ["dataset", "check", "{file}"], ["release", "new", "{file}", "{new}"]),
        "good.xlsx": (profile, ["release", "new", "{file}", "{new}"]),
        "people.csv": (compare, ["policy", "check", "county", "--population", "{file}"]),
        "people.parquet": (compare, [*compare, "--engine", "duckdb"]),
        "policy.toml": (
            ["policy", "check", "{file}", "--population", f"{home}/people.csv"],
            ["compare", "--policy", "{file}", "--population", f"{home}/people.csv", "--attacker", "general"],
        ),
        "mapping.toml": (
            ["dataset", "profile", f"{home}/good.csv", "--fields", "age,sex", "--mapping", "{file}"],
            ["release", "new", f"{home}/good.csv", "{new}", "--mapping", "{file}"],
        ),
        "project.toml": (
            ["release", "status", "{file}"],
            ["release", "step", "{file}", "threshold", "--answer", "invasion=low", "--by", "me"],
            ["release", "run", "{file}", "--out", "{new}"],
        ),
        "de.toml": (["lists", "check", "{file}"],),
        "lists.csv": (["dev", "lists", "import", "{file}", "--database", "sqlite:///{new}.sqlite"],),
        "lists.sqlite": (["lists", "list", "--database", "{file}"], ["lists", "show", "DE", "--database", "{file}"]),
        "sheet.csv": (["dev", "lists", "agreement", "--coding", "{file}"],),
        "good.dta": (profile, ["dataset", "score", f"{home}/good.csv", "--fields", "age,sex", "--against", "{file}"]),
        "good.sav": (profile, ["release", "new", "{file}", "{new}"]),
        "good.xpt": (profile, ["dataset", "check", "{file}"]),
        "texas-birth-index.toml": (
            ["lists", "resources", "show", "{file}"],
            ["compare", "--policy", "county", "--attacker", "{file}", *people],
        ),
        "academic.toml": (["compare", "--policy", "county", "--adversary", "{file}", *people],),
        "ar.toml": (["policy", "releases", "check", "{place}"],),
        "changes.toml": (["lists", "what-if", "DE", "--changes", "{file}", "--policy", "county", *people],),
        "weights.toml": (["policy", "explore", "--state", "DE", "--weights", "{file}", *people],),
    }


def drawn_lines(seed: int, folder: Path) -> Iterator[list[str]]:
    """Command lines without end, of the commands' own options; some words out of place."""
    draw, number = random.Random(seed), 0
    commands = {name: command for name, command in _leaves(cli) if name not in _LEFT_OUT}
    quick = [name for name in commands if name not in _SLOW]
    while True:
        number += 1
        name = draw.choice(list(commands) if draw.random() < 0.1 else quick)
        words = name.split()
        for param in commands[name].params:
            always = isinstance(param, click.Argument) or param.required or param.name in _ALWAYS
            if not always and draw.random() > (0.9 if param.name in ("population", "state") else 0.12):
                continue
            for _ in range(1 if not param.multiple or draw.random() < 0.8 else 2):
                for value in _values(param, draw, folder, number):
                    words += value
        if draw.random() < 0.15:
            words.insert(draw.randrange(len(name.split()), len(words) + 1), draw.choice(HOSTILE))
        yield words


def _leaves(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _leaves(command, f"{path}{name} ")
        elif command is not None:
            yield f"{path}{name}", command


def _values(param: click.Parameter, draw: random.Random, folder: Path, number: int) -> Iterator[list[str]]:
    """The words that give a parameter a value: mostly one that fits."""
    flags = [] if isinstance(param, click.Argument) else [draw.choice(param.opts)]
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        yield flags
        return
    words = [_value(param, draw, folder, number) for _ in range(max(param.nargs, 1))]
    yield [*flags, *words]


def _value(param: click.Parameter, draw: random.Random, folder: Path, number: int) -> str:
    if draw.random() < 0.08:
        return draw.choice(HOSTILE)
    if isinstance(param.type, click.Choice):
        return draw.choice([str(choice) for choice in param.type.choices])
    if (param.name or "") in _WORDS:
        return draw.choice(_WORDS[param.name or ""]).format(folder=folder, number=number)
    kind = param.type.name
    if "int" in kind or "float" in kind or "range" in kind:
        return draw.choice(("0", "1", "2", "0.5", "10", "365", "1000000", "-1"))
    if isinstance(param.type, click.Path):
        return str(folder / draw.choice([path.name for path in sorted(folder.iterdir())]))
    return draw.choice(("1", "a", "age", "2020-04-01", "x=1", "DE", *HOSTILE))


_TOKENS = (
    b"", b"\x00", b"\xff\xfe", b"-1", b"1e400", b"nan", b"9" * 400, b'"', b"'", b"[", b"]]", b"{", b"=", b",", b",,,",
    b"\n", b"\r", b"\r\n", b"\t", b"#", b"\\", b"../x", b"/etc/passwd", b"true", b"null", b"2020-13-45",
    b"\xf0\x9f\x98\x80", "٣".encode(), "\u202e".encode(), b"a" * 5000, b"[" * 2000,
    b"k = 1\n" * 50, b"PAR1", b"PK\x03\x04",
)  # fmt: skip


def mutated(content: bytes, draw: random.Random) -> bytes:
    """Content with one to three changes of bytes, lines or words."""
    for _ in range(draw.randint(1, 3)):
        size = len(content)
        at = draw.randrange(size + 1)
        until = min(size, at + draw.choice((1, 1, 4, 30, 300)))
        change = draw.randrange(7)
        if change == 0:
            content = content[:at] + draw.choice(_TOKENS) + content[at:]
        elif change == 1:
            content = content[:at] + draw.choice(_TOKENS) + content[until:]
        elif change == 2:
            content = content[:at]
        elif change == 3:
            content = content[:until] + content[at:until] * draw.choice((1, 1, 40)) + content[until:]
        elif change == 4:
            turned = bytes(byte ^ (1 << draw.randrange(8)) for byte in content[at:until])
            content = content[:at] + turned + content[until:]
        elif change == 5:
            lines = content.split(b"\n")
            lines.insert(draw.randrange(len(lines)), lines.pop(draw.randrange(len(lines))))
            content = b"\n".join(lines)
        else:
            words = list(re.finditer(rb"[A-Za-z0-9_.\"-]+", content[:200_000]))
            if words:
                word = draw.choice(words)
                content = content[: word.start()] + draw.choice(_TOKENS) + content[word.end() :]
    return content


def mutated_files(
    seed: int, folder: Path, kinds: dict[str, tuple[bytes, tuple[list[str], ...]]]
) -> Iterator[tuple[Path, list[str]]]:
    """Mutated files without end, each with a command that reads it; a kind after the other."""
    draw, number = random.Random(seed), 0
    while True:
        for name, (content, commands) in kinds.items():
            number += 1
            place = folder / f"m{number}"
            place.mkdir()
            (place / name).write_bytes(mutated(content, draw))
            words = draw.choice(commands)
            yield place, [word.format(file=place / name, new=place / "new.toml", place=place) for word in words]


def _run(words: list[str]) -> None:
    done = CliRunner().invoke(cli, words, prog_name="policy-sim")
    assert done.exit_code == 0, (words, done.output, done.stderr)


def problem_of(words: list[str]) -> str | None:
    """Run a line; return what is wrong with how it ends."""
    return _wrong(words, _ended(words))


def _ended(words: list[str]) -> Result:
    return CliRunner().invoke(cli, words, prog_name="policy-sim", input="")


def _wrong(words: list[str], done: Result) -> str | None:
    text = done.stdout_bytes.decode("utf-8", "replace") + done.stderr
    if "Traceback" in text or not isinstance(done.exception, SystemExit | None):
        return f"a traceback: {done.exception!r}"
    if "This is a bug" in text:
        return f"a fault of the program: {text[-400:]}"
    if done.exit_code not in (0, 1, 2):
        return f"status {done.exit_code}"
    # --table and --name-groups may name what the user typed; what stands in a record or an address may not appear.
    typed = any(SECRET in word and "@" not in word and "key=" not in word for word in words)
    if SECRET in text and not typed and "--name-groups" not in words:
        return "a secret"
    said = done.stderr.splitlines()
    errors = [at for at, line in enumerate(said) if line.startswith("Error: ")]
    if done.exit_code == 2 and len(errors) != 1 and "check" not in words:
        return f"{len(errors)} error lines"
    if errors and len(said) - errors[0] > _MOST_LINES:
        return f"a message of {len(said) - errors[0]} lines"
    return None


def main() -> None:
    """Draw, run, and print what ends badly."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--lines", type=int, default=3000)
    reader.add_argument("--files", type=int, default=1000)
    reader.add_argument("--seed", type=int, default=22)
    given = reader.parse_args()
    ended: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        os.environ |= {"POLICY_SIM_HOME": str(folder / "home"), "CENSUS_API_KEY": SECRET}
        kinds = written_files(folder)
        lines, files = drawn_lines(given.seed, folder), mutated_files(given.seed, folder, kinds)
        draws: tuple[tuple[str, int, Callable[[], tuple[Path | None, list[str]]]], ...] = (
            ("file", given.files, lambda: next(files)),
            ("line", given.lines, lambda: (None, next(lines))),
        )
        for kind, many, drawn in draws:
            for _ in range(many):
                place, words = drawn()
                done = _ended(words)
                problem = _wrong(words, done)
                ended[f"{kind}, status {done.exit_code}: {'well' if problem is None else 'badly'}"] += 1
                if not sum(ended.values()) % 100:
                    print(dict(ended), file=sys.stderr, flush=True)
                if problem is not None:
                    kept = _kept(place) if place is not None else ""
                    print(json.dumps({"kind": kind, "problem": problem, "words": words, "kept": kept}), flush=True)
                elif place is not None:
                    shutil.rmtree(place)
    for what, number in sorted(ended.items()):
        print(f"{what}: {number:,}")


def _kept(place: Path) -> str:
    """Copy the files of a bad end to where they can be looked at."""
    kept = Path(tempfile.gettempdir()) / "policy-sim-hostile" / place.name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(place, kept)
    return str(kept)


if __name__ == "__main__":
    main()
