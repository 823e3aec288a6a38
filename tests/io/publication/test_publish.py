"""The data set as a folder: valid, the same bytes each time, whole or not at all."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from policy_sim.errors import InputError, OutputError
from policy_sim.io import files
from policy_sim.io.publication.publish import CHECKSUMS, publication, publish
from policy_sim.io.voter_lists.state_files import described_lists


@pytest.fixture(scope="module")
def lists():
    return described_lists()


@pytest.fixture(scope="module")
def folder(lists, tmp_path_factory):
    place = tmp_path_factory.mktemp("publication") / "data"
    publish(lists, place)
    return place


def test_frictionless_finds_it_valid(folder):
    frictionless = pytest.importorskip("frictionless")
    report = frictionless.validate(str(folder / "datapackage.json"))
    assert report.valid, report.flatten(["type", "note"])
    assert len(report.tasks) == 5


def test_frictionless_finds_a_damaged_cell(folder, tmp_path):
    frictionless = pytest.importorskip("frictionless")
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    facts = tmp_path / "facts.csv"
    facts.write_bytes(facts.read_bytes().replace(b",high,", b",sure,", 1))
    report = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert not report.valid
    assert {"hash-count", "constraint-error"} & {kind for (kind,) in report.flatten(["type"])}


def test_the_same_lists_give_the_same_bytes(lists, folder):
    again = publication(lists)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == again


def test_the_checksums_are_those_of_the_files(folder):
    sums = dict(reversed(line.split("  ")) for line in (folder / CHECKSUMS).read_text().splitlines())
    assert set(sums) == {path.name for path in folder.iterdir()} - {CHECKSUMS}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_the_files_are_those_that_are_promised(folder):
    assert {path.name for path in folder.iterdir()} == {
        *("lists.csv", "facts.csv", "sources.csv", "changes.csv", "coding.csv", "codebook.csv", "codebook.md"),
        *("method.md", "CHANGES.md", "CITATION.cff", "references.bib", "datapackage.json", CHECKSUMS),
    }


def test_other_lists_have_another_version(lists):
    changed = [replace(lists[0], notes=("another",)), *lists[1:]]
    assert publication(changed)["CITATION.cff"] != publication(lists)["CITATION.cff"]


def test_an_earlier_publication_gives_way_and_nothing_else_does(lists, tmp_path):
    place = tmp_path / "data"
    publish(lists, place)
    (place / "lists.csv").write_text("old", encoding="utf-8")
    publish(lists, place)
    assert (place / "lists.csv").read_text(encoding="utf-8") != "old"
    (place / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.txt"):
        publish(lists, place)
    assert (place / "mine.txt").exists()


def test_a_folder_that_cannot_be_written_stays_as_it_was(lists, tmp_path, monkeypatch):
    place = tmp_path / "data"
    publish(lists, place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    synced = iter(range(3))

    def full(_file: int) -> None:
        if next(synced, None) is None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        publish(lists, place)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    with pytest.raises(OutputError):
        publish(lists, tmp_path / "data" / "lists.csv" / "under")
