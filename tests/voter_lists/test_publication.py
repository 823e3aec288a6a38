"""The tables of the data set: their columns are those of the schema, their rows those of the lists."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from policy_sim.files.evidence import Source
from policy_sim.voter_lists.exchange import COLUMNS
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.publication import (
    PublishedColumn,
    PublishedTable,
    codebook_csv,
    codebook_page,
    data_package,
    model_entries,
)


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


def test_the_csv_is_read_back_with_every_cell(tables):
    table = tables["lists"]
    rows = list(csv.DictReader(io.StringIO(table.as_csv().decode())))
    assert [{name: cell for name, cell in row.items() if cell} for row in rows] == [
        {name: cell for name, cell in row.items() if cell} for row in table.rows
    ]


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
    assert "| `kind` | string | cat, dog | kind |" in page
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
