"""How results leave: folders, manifests, standard output, signs of life, and what the numbers mean."""

from __future__ import annotations

import csv
import io
import json
import sys
import threading
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from small_people import one_line, run

from policy_sim.cli.output import Progress, print_rows, put, write_file, write_frames, write_rows
from policy_sim.files.output_folder import output_folder
from policy_sim.words.errors import OutputError
from policy_sim.words.text import original_text

# How results leave: manifests of several runs, texts that a spreadsheet would run, names and places that give way.


def manifest_of(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())


@pytest.mark.slow
def test_two_commands_into_one_folder_keep_both_manifests(tmp_path):
    out = tmp_path / "out"
    run("econ", "cost", "--state", "WY", "--out", str(out))
    first = manifest_of(out)
    run("model", "trust", "--state", "WY", "--out", str(out))
    both = manifest_of(out)
    assert (both["command"], list(both["files"])) == ("trust", ["trust.csv"])
    assert both["earlier"] == [first]


@pytest.mark.slow
def test_a_policy_named_like_a_formula_is_only_a_text_in_csv(tmp_path):
    (tmp_path / "ours.toml").write_text(
        'name = "=HYPERLINK(1)"\ntitle = "@SUM"\ncitation = "us"\n[fields]\nbirth = "year"\n', encoding="utf-8"
    )
    asked = ("compare", "--policy", str(tmp_path / "ours.toml"), "--attacker", "general", "--state", "WY")
    printed = run(*asked, "--format", "csv", "--out", str(tmp_path / "out")).stdout
    for text in (printed, (tmp_path / "out" / "profiles.csv").read_text()):
        rows = list(csv.DictReader(io.StringIO(text)))
        assert {original_text(row["policy"]) for row in rows} == {"=HYPERLINK(1)"}
        assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())
    as_json = json.loads(run(*asked, "--format", "json").stdout)
    assert {row["policy"] for row in as_json} == {"=HYPERLINK(1)"}  # only CSV is read by spreadsheets


@pytest.mark.parametrize("long", [250, 255])
def test_a_name_as_long_as_the_disk_allows_is_written(tmp_path, long):
    write_frames(tmp_path / ("x" * long), {"command": "one"}, {"a.csv": pd.DataFrame({"a": [1]})})
    path = tmp_path / ("x" * (long - 4) + ".csv")
    write_file(pd.DataFrame({"a": [1]}), path)
    assert path.read_text() == "a\n1\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", ["x" * 256, "x" * 252 + ".csv", "no/../\x01/" + "y" * 300 + ".csv", "file/x.csv", "/proc/self/x.csv"]
)
def test_a_place_that_takes_no_file_is_one_line_and_nothing_is_left(tmp_path, place):
    (tmp_path / "file").write_text("mine")
    path = tmp_path / place
    for arguments in (
        ("econ", "cost", "--state", "WY", "--out", path),
        ("dev", "synth", "WY", "--people", "5", "--out", path),
        ("policy", "new", path),
        ("dev", "lists", "export", "--out", path),
    ):
        assert one_line(*arguments)
    with pytest.raises(OutputError):
        write_file(pd.DataFrame({"a": [1]}), path)
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [tmp_path / "file"]
    assert (tmp_path / "file").read_text() == "mine"


def test_an_error_inside_leaves_the_folder_and_its_manifest_as_they_were(tmp_path):
    write_frames(tmp_path, {"command": "one"}, {"a.csv": pd.DataFrame({"a": [1]})})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail_inside() -> None:
        with output_folder(tmp_path, {"command": "two"}) as folder:
            (folder / "a.csv").write_text("other")
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


# Standard output, written to its end.


class Slow(io.RawIOBase):
    """An unbuffered stream that takes three bytes at a time, as a pipe may."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, data):
        part = bytes(data[:3])
        self.taken += part
        return len(part)

    def flush(self):
        pass


class Text:
    """Standard output over a stream of bytes."""

    def __init__(self, buffer, encoding="utf-8"):
        self.buffer, self.encoding = buffer, encoding

    def flush(self):
        pass


def test_a_stream_that_takes_a_part_gets_the_rest(monkeypatch):
    stream = Slow()
    monkeypatch.setattr(sys, "stdout", Text(stream))
    put("état,1\n" * 100)
    put(b"\x00\xff")
    assert stream.taken == "état,1\n".encode() * 100 + b"\x00\xff"


def test_what_the_terminal_cannot_show_is_replaced_and_nothing_is_written_for_nothing(monkeypatch):
    stream = Slow()
    monkeypatch.setattr(sys, "stdout", Text(stream, "ascii"))
    put("")
    put("é")
    assert stream.taken == b"?"


def test_a_closed_output_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    put("nobody reads this")


# Progress is silent for quick work and shows the step of slow work, on standard error only.


class Screen(io.StringIO):
    """A stream that says when it has received some words."""

    def __init__(self, words):
        super().__init__()
        self.words, self.arrived = words, threading.Event()

    def write(self, text):
        written = super().write(text)
        if self.words in self.getvalue():
            self.arrived.set()
        return written


def test_quick_work_is_silent(capfd):
    log, screen = io.StringIO(), io.StringIO()
    for shown in (
        Progress(),
        Progress(console=Console(file=log), silence=3600),
        Progress(console=Console(file=screen, force_terminal=True), silence=3600),
    ):
        with shown as progress:
            progress("counting")
    captured = capfd.readouterr()
    assert captured.out + captured.err + log.getvalue() == ""
    assert "counting" not in screen.getvalue()


def test_a_file_gets_plain_lines_of_long_work():
    log = Screen("counting the classes ...")
    with Progress(console=Console(file=log), silence=0) as progress:
        progress("counting the classes")
        assert log.arrived.wait(30)
    assert "\x1b" not in log.getvalue()


def test_a_terminal_shows_one_long_step_and_clears_it():
    screen = Screen("counting [all] classes")
    console = Console(file=screen, force_terminal=True, width=100)
    with Progress(console=console, silence=0) as progress:
        progress("counting [all] classes")
        assert screen.arrived.wait(30)
    assert screen.getvalue().endswith("\x1b[2K")  # the line is erased


def test_a_step_cannot_write_controls_to_the_terminal():
    log = Screen("evil")
    with Progress(console=Console(file=log), silence=0) as progress:
        progress("evil\x1b[2J\nname")
        assert log.arrived.wait(30)
    assert "\x1b" not in log.getvalue()
    assert len(log.getvalue().splitlines()) == log.getvalue().count(" ...")


def test_an_error_passes_through_and_ends_the_display():
    with pytest.raises(ValueError, match="broken"), Progress(console=Console(file=io.StringIO()), silence=0):
        raise ValueError("broken")
    assert not [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def test_a_comparison_explains_the_attackers_that_are_in_it():
    rows = run("compare", "--population", "us-2010", "--state", "DE", "--attacker", "general").stdout
    assert "GENERAL knows everyone." in " ".join(rows.split())
    assert "VOTER" not in rows


def test_the_meaning_is_the_first_line_of_a_table_and_of_no_other_format():
    assert run("model", "population", "list").stdout.startswith("Where each population comes from")
    assert run("model", "population", "list", "--format", "csv").stdout.startswith("population,")
    assert run("lists", "show", "OH").stdout.startswith("Ohio")


def test_parquet_has_the_columns_of_the_rows_alone(tmp_path, capfdbinary):
    """Rows that were selected keep their old numbers, which are no column."""
    frame = pd.DataFrame({"state": ["OH", "KY", "DE"]}).iloc[[0, 2]]
    write_rows(frame, tmp_path / "rows.parquet")
    print_rows(frame, "parquet")
    for content in ((tmp_path / "rows.parquet").read_bytes(), capfdbinary.readouterr().out):
        assert pq.read_schema(io.BytesIO(content)).names == ["state"]
