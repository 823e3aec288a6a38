"""How results leave: manifests of several runs, texts that a spreadsheet would run, names and places that give way."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.cli.output import output_folder, write_file, write_frames
from policy_sim.words.errors import OutputError
from policy_sim.words.text import original_text


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == code, done.output
    return done


def manifest_of(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())


@pytest.mark.slow
def test_two_commands_into_one_folder_keep_both_manifests(tmp_path):
    out = tmp_path / "out"
    run("cost", "--state", "WY", "--out", str(out))
    first = manifest_of(out)
    run("trust", "--state", "WY", "--out", str(out))
    both = manifest_of(out)
    assert (both["command"], list(both["files"])) == ("trust", ["trust.csv"])
    assert both["earlier"] == [first]


def test_every_file_belongs_to_the_run_that_wrote_it_last(tmp_path):
    out = tmp_path / "out"
    frame = pd.DataFrame({"a": [1]})
    for command, names in (("one", ["a", "b"]), ("two", ["b", "c"]), ("three", ["c"]), ("four", ["d"])):
        write_frames(out, {"command": command}, {f"{name}.csv": frame.assign(by=command) for name in names})
    told = manifest_of(out)
    runs = [told, *told["earlier"]]
    assert [(run["command"], list(run["files"])) for run in runs] == [
        ("four", ["d.csv"]), ("three", ["c.csv"]), ("two", ["b.csv"]), ("one", ["a.csv"]),
    ]  # fmt: skip
    for each in runs:
        for name, digest in each["files"].items():
            assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
            assert pd.read_csv(out / name)["by"].item() == each["command"]


def test_the_same_run_twice_gives_the_same_manifest(tmp_path):
    for _ in range(2):
        write_frames(tmp_path / "out", {"command": "one"}, {"a.csv": pd.DataFrame({"a": [1]})})
        texts = (tmp_path / "out" / "manifest.json").read_text()
    assert "earlier" not in json.loads(texts)


@pytest.mark.parametrize("content", ["{}", "[]", "not JSON", '{"name": "my web app"}', "[" * 100_000])
def test_a_manifest_of_another_program_is_not_lost(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(OutputError, match=r"manifest\.json is not one of policy-sim"):
        write_frames(tmp_path, {"command": "one"}, {"a.csv": pd.DataFrame({"a": [1]})})
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
    assert (tmp_path / "manifest.json").read_text() == content


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
@pytest.mark.parametrize("name", ["x" * 256, "x" * 252 + ".csv", "no/../\x01/" + "y" * 300 + ".csv"])
def test_a_longer_name_is_one_line(tmp_path, name):
    path = str(tmp_path / name)
    for arguments in (
        ("cost", "--state", "WY", "--out", path),
        ("policy", "new", path),
        ("lists", "export", "--out", path),
    ):
        done = run(*arguments, code=2)
        assert done.stderr.count("\n") == 1
    with pytest.raises(OutputError):
        write_file(pd.DataFrame({"a": [1]}), Path(path))
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == []


@pytest.mark.slow
def test_a_place_that_is_a_file_or_read_only_is_one_line(tmp_path):
    (tmp_path / "file").write_text("mine")
    for place in (tmp_path / "file", Path("/proc/self")):
        for arguments in (
            ("cost", "--state", "WY", "--out", str(place / "x")),
            ("synth", "WY", "--people", "5", "--out", str(place / "x.csv")),
            ("policy", "new", str(place / "x.toml")),
        ):
            done = run(*arguments, code=2)
            assert done.stderr.count("\n") == 1
            assert "Traceback" not in done.output
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
