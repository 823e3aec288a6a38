"""Random command lines and files, valid and hostile: never a traceback, never a fault, never a secret.

A part of what ``python -m benchmarks.hostile`` draws: the same lines, of the commands' own options, and the same files
each time, so a failure comes back; the failing line is in the test's message.
"""

from __future__ import annotations

import gzip
from itertools import islice

import pytest
from pinned import pinned

from benchmarks.hostile import SECRET, drawn_lines, mutated_files, problem_of, written_files

CHUNKS = 6
# Files that are not what a command expects.
ODD: dict[str, bytes] = {
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
    "cut.csv.gz": gzip.compress(b"age,sex\n30,M\n" * 60, mtime=0)[:40],
    "cut.zip": b"PK\x03\x04cut",
    "policy.toml": b'name = "ours"\ntitle = "Ours"\ncitation = "us"\n[fields]\nbirth = "year"\n',
    "wrong.toml": b'name = 3\nbirth = "noon"\n[fields]\nbirth = "noon"\nmoon = "full"\n',
    "cut.toml": f'name = "{SECRET}'.encode(),
    "deep.toml": b"a = " + b"[" * 3000 + b"]" * 3000,
    "binary.toml": bytes(range(256)),
    "changes.toml": b'birth = "date"\n',
    "table.sqlite": b"SQLite format 3\x00 and no more",
}
READERS = {
    ".csv": (
        ["dataset", "profile", "{file}", "--fields", "age,sex"],
        ["dataset", "check", "{file}"],
        ["dataset", "score", "good.csv", "--fields", "age,sex", "--against", "{file}"],
        ["compare", "--population", "{file}", "--attacker", "general"],
        ["dev", "lists", "import", "{file}", "--database", "sqlite:///new.sqlite"],
        ["model", "reproduce", "dankar-2010", "--data", "{file}"],
    ),
    ".toml": (
        ["policy", "check", "{file}"],
        ["policy", "new", "new.toml", "--from", "{file}"],
        ["compare", "--population", "people.csv", "--adversary", "{file}"],
        ["lists", "check", "{file}"],
        ["lists", "what-if", "DE", "--population", "people.csv", "--changes", "{file}"],
        ["dataset", "profile", "good.csv", "--fields", "age", "--mapping", "{file}"],
        ["release", "status", "{file}"],
    ),
    "": (
        ["compare", "--population", "{file}"],
        ["dev", "census", "load", "{file}", "--as", "sf1-2010"],
        ["lists", "list", "--database", "sqlite:///{file}"],
    ),
}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """A folder with a file of every kind that a command reads."""
    folder = tmp_path_factory.mktemp("kinds")
    written = written_files(folder)
    for name, content in ODD.items():
        (folder / name).write_bytes(content)
    (folder / "folder.csv").mkdir()
    (folder / "folder.toml").mkdir()
    return folder, written


@pytest.fixture
def folder(kinds, monkeypatch):
    folder, _ = kinds
    monkeypatch.setenv("POLICY_SIM_HOME", str(folder / "home"))
    monkeypatch.setenv("CENSUS_API_KEY", SECRET)
    monkeypatch.chdir(folder)
    return folder


_NO_VERDICT = {"twice.csv"}  # columns that share a name are not read: status 3, as docs/command-line.md says


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ODD, "folder.csv", "folder.toml", "absent.csv", "absent.toml"])
def test_no_odd_file_ends_badly(folder, name):
    for words in READERS.get(name[name.rindex(".") :], READERS[""]):
        no_verdict = name in _NO_VERDICT and words[:2] == ["dataset", "check"]
        assert problem_of([word.format(file=name) for word in words]) == ("status 3" if no_verdict else None), words


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(CHUNKS))
def test_no_line_of_the_commands_own_options_ends_badly(folder, seed):
    for words in islice(drawn_lines(seed, folder), pinned(24, 360) // CHUNKS):
        assert problem_of(words) is None, words


@pytest.mark.slow
def test_no_mutated_file_ends_badly(folder, kinds):
    for place, words in islice(mutated_files(22, folder, kinds[1]), pinned(10, 100)):
        assert problem_of(words) is None, (words, [path.read_bytes()[:300] for path in place.iterdir()])
