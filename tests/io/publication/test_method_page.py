"""The pages of the data set say what the tables hold."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.io.publication.method_page import changes_page, citation, method_page
from policy_sim.io.publication.published_tables import published_tables
from policy_sim.io.voter_lists.state_files import described_lists


@pytest.fixture(scope="module")
def tables():
    return published_tables(described_lists())


def test_the_method_says_how_many_and_how_well_two_codings_agree(tables):
    rows = [("zip", 10, 9, 0.9, 0.5, 0.8), ("race", 10, 10, 1.0, 1.0, None)]
    agreement = pd.DataFrame(rows, columns=["item", "facts", "agree", "agree_share", "by_chance", "kappa"])
    page = method_page(tables, agreement.astype({"kappa": "Float64"}), "1.x", 2000).decode()
    by_name = {table.name: table for table in tables}
    assert f"{len(by_name['facts'].rows):,} facts" in page
    assert "| zip | 10 | 90.0% | 50.0% | 0.800 |" in page
    assert "| race | 10 | 100.0% | 100.0% | not defined |" in page
    assert "not from the states' offices" in " ".join(page.split())


def test_changes_are_counted_by_item(tables):
    changes = next(table for table in tables if table.name == "changes")
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
