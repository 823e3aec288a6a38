"""The tables of the data set: their columns are those of the schema, their rows those of the lists."""

from __future__ import annotations

import csv
import io

import pytest

from policy_sim.io.publication.published_tables import published_tables
from policy_sim.io.voter_lists.spreadsheet_rows import COLUMNS
from policy_sim.io.voter_lists.state_files import described_lists
from policy_sim.voter_lists.facts import facts_of


@pytest.fixture(scope="module")
def lists():
    return described_lists()


@pytest.fixture(scope="module")
def tables(lists):
    return {table.name: table for table in published_tables(lists)}


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


@pytest.mark.parametrize("name", ["lists", "facts", "sources", "changes", "coding"])
def test_no_two_rows_have_one_key(tables, name):
    table = tables[name]
    keys = [tuple(row[column] for column in table.key) for row in table.rows]
    assert len(set(keys)) == len(keys) > 0


def test_every_cited_source_is_a_row_and_counts_its_facts(tables):
    cited = [name for row in tables["facts"].rows for name in row["sources"].split()]
    counted = {row["id"]: int(row["facts"]) for row in tables["sources"].rows}
    assert set(cited) <= set(counted)
    assert counted == {name: cited.count(name) for name in counted}


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
