"""The data set as a folder: valid, the same bytes each time, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.files import writing as files
from policy_sim.files.evidence import Source
from policy_sim.study.lists import published_coverage
from policy_sim.voter_lists.publication import published_sources
from policy_sim.voter_lists.publish import CHECKSUMS, bibtex, changes_page, citation, method_page, publication, publish
from policy_sim.words.errors import InputError, OutputError


@pytest.fixture(scope="module")
def coverage():
    return published_coverage(Study("us-2020", lists=2026))


@pytest.fixture(scope="module")
def few(lists):
    """Lists of two states, for what does not depend on how many there are."""
    return [listed for listed in lists if listed.state in ("DE", "OH")]


@pytest.fixture(scope="module")
def folder(lists, coverage, tmp_path_factory):
    place = tmp_path_factory.mktemp("publication") / "data"
    publish(lists, place, coverage)
    return place


@pytest.mark.slow
def test_frictionless_finds_it_valid(folder):
    frictionless = pytest.importorskip("frictionless")
    report = frictionless.validate(str(folder / "datapackage.json"))
    assert report.valid, report.flatten(["type", "note"])
    assert len(report.tasks) == 8


@pytest.mark.slow
def test_frictionless_finds_a_damaged_cell(folder, tmp_path):
    frictionless = pytest.importorskip("frictionless")
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    facts = tmp_path / "facts.csv"
    facts.write_bytes(facts.read_bytes().replace(b",high,", b",sure,", 1))
    report = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert not report.valid
    assert {"hash-count", "constraint-error"} & {kind for (kind,) in report.flatten(["type"])}


@pytest.mark.slow
def test_the_same_lists_give_the_same_bytes(lists, coverage, folder):
    again = publication(lists, coverage)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == again


def test_the_checksums_are_those_of_the_files(folder):
    sums = dict(reversed(line.split("  ")) for line in (folder / CHECKSUMS).read_text().splitlines())
    assert set(sums) == {path.name for path in folder.iterdir()} - {CHECKSUMS}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_the_files_are_those_that_are_promised(folder):
    assert {path.name for path in folder.iterdir()} == {
        *("lists.csv", "facts.csv", "sources.csv", "changes.csv", "coding.csv", "records.csv"),
        *("listed-by-county.csv", "listed-by-age.csv"),
        *("codebook.csv", "codebook.md"),
        *("method.md", "CHANGES.md", "CITATION.cff", "references.bib", "datapackage.json", CHECKSUMS),
    }


def test_listed_people_add_up_by_county_and_by_age(folder):
    counties, ages = (pd.read_csv(folder / f"listed-by-{rows}.csv") for rows in ("county", "age"))
    sums = [table.groupby("state")[["listed", "stale", "records"]].sum() for table in (counties, ages)]
    pd.testing.assert_frame_equal(*sums)
    assert sums[0].loc["DE"].tolist() == [738_756, 49_685, 788_441]
    assert counties.loc[counties["county"] == 39003, "coverage"].item() == pytest.approx(46_803 / 78_419, abs=1e-6)
    (resource,) = (
        part for part in json.loads((folder / "datapackage.json").read_text())["resources"] if "age" in part["name"]
    )
    assert "proportions of two lists together" in resource["description"]
    assert any("EarlGlynn" in source["title"] for source in resource["sources"])
    assert "`stale` | integer |  | records of people who moved away or died" in (folder / "codebook.md").read_text()


@pytest.mark.slow
def test_other_lists_have_another_version(few):
    changed = [replace(few[0], notes=("another",)), *few[1:]]
    assert publication(changed)["CITATION.cff"] != publication(few)["CITATION.cff"]


@pytest.mark.slow
def test_an_earlier_publication_gives_way_and_nothing_else_does(few, tmp_path):
    place = tmp_path / "data"
    publish(few, place)
    (place / "lists.csv").write_text("old", encoding="utf-8")
    publish(few, place)
    assert (place / "lists.csv").read_text(encoding="utf-8") != "old"
    (place / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.txt"):
        publish(few, place)
    assert (place / "mine.txt").exists()


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_stays_as_it_was(few, tmp_path, monkeypatch):
    place = tmp_path / "data"
    publish(few, place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    synced = iter(range(3))

    def full(_file: int) -> None:
        if next(synced, None) is None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        publish(few, place)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    with pytest.raises(OutputError):
        publish(few, tmp_path / "data" / "lists.csv" / "under")


# The pages of the data set say what the tables hold.


@pytest.mark.slow
def test_the_method_says_how_many_and_how_well_two_codings_agree(tables):
    rows = [("zip", 10, 9, 0.9, 0.5, 0.8), ("race", 10, 10, 1.0, 1.0, None)]
    agreement = pd.DataFrame(rows, columns=["item", "facts", "agree", "agree_share", "by_chance", "kappa"])
    page = method_page([*tables.values()], agreement.astype({"kappa": "Float64"}), "1.x", 2000).decode()
    assert f"{len(tables['facts'].rows):,} facts" in page
    assert "| zip | 10 | 90.0% | 50.0% | 0.800 |" in page
    assert "| race | 10 | 100.0% | 100.0% | not defined |" in page
    assert "not from the states' offices" in " ".join(page.split())


def test_changes_are_counted_by_item(tables):
    changes = tables["changes"]
    page = changes_page(changes).decode()
    last = [row for row in changes.rows if row["to"] == "2026" and row["item"] == "birth"]
    kinds = ("changed", "became known", "became unknown")
    counts = " | ".join(str(sum(row["change"] == kind for row in last)) for kind in kinds)
    assert f"| birth | {counts} |" in page.split("## 2020 to 2026")[1]


def test_the_citation_is_of_a_data_set_of_a_version():
    lines = citation("2026.abc").decode().splitlines()
    assert lines[0] == "cff-version: 1.2.0"
    assert 'version: "2026.abc"' in lines
    assert "type: dataset" in lines


# BibTeX: one entry per source, nothing that ends an entry early, and every part of a date.


def balanced(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize(
    ("date", "lines"),
    [
        ("2026-05-19", ["year = {2026}", "month = may", "day = {19}"]),
        ("2026-12", ["year = {2026}", "month = dec"]),
        ("2026", ["year = {2026}"]),
        ("undated", ["year = {n.d.}"]),
    ],
)
def test_a_date_is_as_fine_as_it_is_known(date, lines):
    text = bibtex([Source("a", "A title", date=date)])
    assert [line.strip(" ,") for line in text.splitlines() if re.match(r" +(year|month|day)", line)] == lines


def test_signs_that_mean_something_to_bibtex_are_escaped():
    text = bibtex(
        [Source("a", "50 % of {a} \\ $1 & #2_x ~^", "https://x.org/{a}?b=1&c_d", note="n", also=("https://y",))]
    )
    assert r"50 \% of \{a\} \textbackslash{} \$1 \& \#2\_x \textasciitilde{}\textasciicircum{}" in text
    assert "https://x.org/%7Ba%7D?b=1&c_d" in text
    assert "note = {n. Also at https://y}" in text
    assert balanced(text)


def test_every_source_that_ships_has_one_entry(lists):
    sources = published_sources(lists)
    text = bibtex(sources)
    keys = re.findall(r"^@misc\{([a-z0-9-]+),$", text, re.MULTILINE)
    assert keys == [source.id for source in sources]
    assert len(set(keys)) == len(keys)
    assert balanced(text)
    for entry in text.split("\n\n"):
        assert re.search(r"^  title = \{\{.+\}\},$", entry, re.MULTILINE)
        assert re.search(r"^  year = \{(\d{4}|n\.d\.)\},?$", entry, re.MULTILINE)
