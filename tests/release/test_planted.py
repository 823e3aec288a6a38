"""Planted files: the eye of ``benchmarks.planted`` finds every plant in a file that is sent whole, and nothing else."""

from __future__ import annotations

import csv

import pandas as pd
import pytest
from pinned import pinned

from benchmarks.planted.__main__ import outcome
from benchmarks.planted.eyes import kept, look
from benchmarks.planted.files import FILES, planted_file
from benchmarks.planted.trip import AIMS

TENTH = range(0, FILES, 10)
TAKEN = range(0, FILES, pinned(30, 10))  # through the commands
CHUNK = 5
REFUSED = "names of columns look like values"


@pytest.mark.parametrize("number", TENTH)
def test_eye_finds_every_plant_of_a_file_sent_as_it_is(number, tmp_path):
    file = planted_file(number)
    (tmp_path / "send").mkdir()
    with (tmp_path / "send" / "release.csv").open("w", newline="", encoding="utf-8") as out:
        rows = zip(*file.columns.values(), strict=True)
        csv.writer(out).writerows([*([file.columns] if file.header else []), *rows])
    for aim in AIMS:
        found = {(leak.letter, leak.column) for leak in look(file, aim, tmp_path)}
        planted = {(p.letter, p.column) for p in file.plants if aim in p.forbidden and p.mode != "labels"}
        assert planted <= found


@pytest.mark.parametrize("number", TENTH)
def test_eye_finds_nothing_in_the_harmless_columns(number, tmp_path):
    file = planted_file(number)
    (tmp_path / "send").mkdir()
    frame = pd.DataFrame({name: file.columns[name] for name in file.harmless}).assign(constant="1")
    frame.to_csv(tmp_path / "send" / "release.csv", index=False)
    assert not [leak for aim in AIMS for leak in look(file, aim, tmp_path)]
    assert all(kept(file, tmp_path).values())


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, len(TAKEN), CHUNK))
def test_nothing_planted_is_sent_printed_or_kept(start):
    """Each file under one aim, in turn; the whole count takes each under all three.

    A file without a header, transposed, or with identifiers for half of its names, is refused whole.
    """
    chunk = TAKEN[start : start + CHUNK]
    rows = [row for n in chunk for row in outcome(n, (AIMS[(n // 10 + n // 100) % 3],), first=False)]
    assert not [leak for row in rows for leak in row["leaks"]]
    assert not [(row["file"], spoken) for row in rows for spoken in row["spoken"]]
    assert not [row["file"] for row in rows if row["crashed"]]
    named = [row for row in rows if row["layout"] not in ("headerless", "transposed") and REFUSED not in row["why"]]
    sent = [is_kept for row in named for is_kept in row["kept"].values()]
    assert sum(sent) >= 0.9 * len(sent)
