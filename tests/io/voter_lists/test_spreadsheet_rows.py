from __future__ import annotations

import pytest

from policy_sim.io.voter_lists.spreadsheet_rows import COLUMN_KINDS, COLUMNS, from_row, to_row
from policy_sim.io.voter_lists.state_files import load_voter_lists
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

LISTS = load_voter_lists("2026")


def test_every_recorded_field_has_its_columns():
    for name in LIST_FIELDS:
        assert any(column.startswith(f"fields.{name}.") for column in COLUMNS), name
    assert COLUMNS[:2] == ("state", "vintage")
    assert set(COLUMN_KINDS.values()) == {"json", "words", "day", "number", "text"}


def test_every_list_is_read_back_from_its_row():
    for state, listed in LISTS.items():
        row, problems = to_row(listed), []
        assert set(row) <= set(COLUMNS)
        document = from_row(row, problems)
        assert problems == []
        assert document["state"] == state
        assert document[listed.vintage]["status"] == listed.status
        said = document[listed.vintage]["fields"]
        for name, field in listed.fields.items():
            assert said.get(name, {}).get("availability", "unknown") == field.availability


@pytest.mark.parametrize(("path", "cell"), [("price.usd", "12 USD"), ("valid_from", "soon"), ("source", "[")])
def test_a_cell_that_cannot_be_read_is_named_and_the_rest_is_kept(path, cell):
    problems = []
    document = from_row({"state": "OH", "vintage": "2026", "status": "available", path: cell}, problems)
    assert document["2026"]["status"] == "available"
    (line,) = problems
    assert line.startswith(f"{path} = ")


def test_nobody_is_not_the_same_as_nothing_said():
    rows = ({"vintage": "v", "buyers.allowed": cell} for cell in ("nobody", "", "a b"))
    read = [from_row(row, [])["v"]["buyers"]["allowed"] for row in rows]
    assert read == [[], "unknown", ["a", "b"]]
