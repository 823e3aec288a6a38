"""From tables to a saved population: audited first, or not saved."""

import pytest
from census_service import tables_of

from policy_sim.errors import SchemaError
from policy_sim.io.population_store.keep import PUBLISHER, _nation, keep
from policy_sim.io.populations.kept import load_kept

FACTS = {
    "name": "made", "title": "Made", "how": "made up", "geography": "county", "retrieved": "2026-01-01T00:00:00+00:00",
    "addresses": ("here",), "notes": (), "origin": {"kind": "files", "options": {}},
}  # fmt: skip


def test_what_adds_up_is_saved_with_its_facts(cache, printed, small_cells):
    entry = keep(tables_of(small_cells), cache, 2010, ("DE", "RI"), **FACTS)
    assert (entry.publisher, entry.date, entry.counted) == (PUBLISHER, "2010-04-01", 1.0)
    assert entry.people == small_cells["people"].sum()
    assert entry.checks
    assert load_kept("made", cache).people == entry.people


def test_a_person_too_many_is_found_and_nothing_is_saved(cache, printed, small_cells):
    tables = tables_of(small_cells)
    tables.counts["A"][0, 5] += 1
    with pytest.raises(SchemaError):
        keep(tables, cache, 2010, ("DE", "RI"), **FACTS)
    assert "made" not in cache.names()


def test_a_county_that_is_not_there_is_found_unless_it_is_meant(cache, printed, small_cells):
    part = tables_of(small_cells[small_cells["county"] != "44001"])
    with pytest.raises(SchemaError, match="44001"):
        keep(part, cache, 2010, ("DE", "RI"), **FACTS)
    assert keep(part, cache, 2010, ("DE", "RI"), partial=True, **FACTS).people < small_cells["people"].sum()


def test_a_nation_has_every_state_and_puerto_rico_if_it_is_there(small_cells):
    assert "PR" not in _nation(tables_of(small_cells))
    assert len(_nation(tables_of(small_cells))) == 51
