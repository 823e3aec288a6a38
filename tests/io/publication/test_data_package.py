"""datapackage.json and the codebook describe the tables as they are."""

from __future__ import annotations

import csv
import io
import json

from policy_sim.io.publication.data_package import codebook_csv, codebook_page, data_package
from policy_sim.io.publication.published_tables import PublishedColumn, PublishedTable
from policy_sim.voter_lists.evidence import Source

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
