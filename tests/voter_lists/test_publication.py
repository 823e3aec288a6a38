"""The data set: its tables are those of the schema and the lists; what describes them; the folder."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.files import writing as files
from policy_sim.files.evidence import Source
from policy_sim.study.lists import published_coverage
from policy_sim.voter_lists.exchange import COLUMNS
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.publication import (
    CHECKSUMS,
    PublishedColumn,
    PublishedTable,
    bibtex,
    changes_page,
    citation,
    codebook_csv,
    codebook_page,
    data_package,
    method_page,
    model_entries,
    publication,
    publish,
    published_sources,
)
from policy_sim.words.errors import InputError, OutputError


@pytest.mark.slow
def test_the_columns_of_the_lists_are_those_of_the_schema(tables):
    assert [column.name for column in tables["lists"].columns] == [name for name in COLUMNS if name != "source"]
    by_name = {column.name: column for column in tables["lists"].columns}
    assert by_name["fields.birth.availability"].words == ("included", "withheld", "unknown")
    assert by_name["valid_from"].type == "date"
    assert by_name["price.usd_by_buyer"].type == "object"
    assert all(column.description for table in tables.values() for column in table.columns)


def test_one_row_per_list_and_one_per_fact(tables, lists):
    assert len(tables["lists"].rows) == len(lists)
    assert len(tables["facts"].rows) == sum(len(facts_of(listed)) for listed in lists)


def test_what_no_source_mentions_is_unknown_and_not_empty(tables):
    for row in tables["lists"].rows:
        assert all(row[name] for name in row if name.endswith(".availability"))


@pytest.mark.parametrize("name", ["lists", "facts", "sources", "changes", "coding", "records"])
def test_no_two_rows_have_one_key(tables, name):
    table = tables[name]
    keys = [tuple(row[column] for column in table.key) for row in table.rows]
    assert len(set(keys)) == len(keys) > 0


def test_every_cited_source_is_a_row_and_counts_its_facts(tables):
    cited = [name for row in tables["facts"].rows for name in row["sources"].split()]
    counted = {row["id"]: int(row["facts"]) for row in tables["sources"].rows}
    assert set(cited) <= set(counted)
    assert counted == {name: cited.count(name) for name in counted}


def test_the_records_of_an_election_add_up(tables):
    rows = [row for row in tables["records"].rows if row["year"] == "2024"]
    assert sum(int(row["registered"]) for row in rows) == 232_361_684
    assert sum(int(row["counties"]) for row in rows) == 3_060
    assert not any(row["state"] == "ND" for row in rows)


def test_a_change_joins_two_facts(tables):
    facts = {(row["state"], row["vintage"], row["item"]): row["value"] for row in tables["facts"].rows}
    for row in tables["changes"].rows:
        assert facts[row["state"], row["from"], row["item"]] == row["before"]
        assert facts[row["state"], row["to"], row["item"]] == row["after"]
        assert row["before"] != row["after"]


# datapackage.json and the codebook describe the tables as they are.


TABLE = PublishedTable(
    "pets",
    "one pet",
    (
        PublishedColumn("name", "string", "its name", required=True),
        PublishedColumn("kind", "string", "kind", ("cat", "dog")),
    ),
    ({"name": "Tom", "kind": "cat"},),
    ("name",),
    {"owners": ("name",)},
)


def test_a_resource_has_schema_size_and_checksum():
    package = json.loads(data_package([TABLE], {"pets.csv": b"abc"}, [Source("a", "A source", "https://x")], "1"))
    (resource,) = package["resources"]
    assert (resource["path"], resource["bytes"]) == ("pets.csv", 3)
    assert resource["hash"] == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    schema = resource["schema"]
    assert [field["name"] for field in schema["fields"]] == ["name", "kind"]
    assert schema["fields"][1]["constraints"] == {"enum": ["cat", "dog"]}
    assert schema["primaryKey"] == ["name"]
    assert schema["foreignKeys"][0]["reference"] == {"resource": "owners", "fields": ["name"]}
    assert package["sources"] == [{"title": "A source", "path": "https://x"}]


def test_the_codebook_has_every_column_in_both_forms():
    (head, *rows) = csv.reader(io.StringIO(codebook_csv([TABLE]).decode()))
    assert head == ["file", "column", "type", "required", "values", "description"]
    assert rows == [
        ["pets.csv", "name", "string", "yes", "", "its name"],
        ["pets.csv", "kind", "string", "no", "cat | dog", "kind"],
    ]
    page = codebook_page([TABLE]).decode()
    assert "| `kind` | string | cat, dog" in page
    assert "1 rows. Key: name." in page


# The entries of the program and its model say what CITATION.cff says.


def test_the_entries_are_those_of_the_citation_file(root):
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    text = model_entries(cited["version"])
    assert cited["title"].replace("_", r"\_") in text
    assert f"version = {{{cited['version']}}}" in text
    for reference in cited["references"]:
        entry = next(each for each in text.split("\n\n") if reference["doi"] in each)
        assert f"{{{{{reference['title']}}}}}" in entry
        assert f"year = {{{reference['year']}}}" in entry
        assert f"pages = {{{reference['start']}--{reference['end']}}}" in entry
        for author in reference["authors"]:
            assert f"{author['family-names']}, {author['given-names']}" in entry
    assert len(re.findall(r"^@", text, re.MULTILINE)) == 1 + len(cited["references"])


# The data set as a folder: valid, the same bytes each time, whole or not at all.


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
    assert "`stale` | integer |" in (folder / "codebook.md").read_text()


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
