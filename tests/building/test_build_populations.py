"""Building a population: which can be, from which tables, and what a verdict says."""

import re

import pandas as pd
import pytest

from policy_sim.building.build_populations import _counted_by_state, _verdict, build_population, fit_states, made_with
from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.io.population_store.shipped import population_facts


def test_another_name_is_refused_with_those_that_can_be_built(tmp_path):
    for call in (lambda: fit_states("us-1990", tmp_path), lambda: build_population("us-1990", tmp_path, tmp_path)):
        with pytest.raises(UnknownNameError, match="us-2010"):
            call()


def test_a_folder_without_tables_is_named_and_nothing_is_written(tmp_path):
    with pytest.raises(SourceError, match="official tables"):
        build_population("us-2010", tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_libraries_are_named_with_their_versions():
    assert all(re.fullmatch(r"(numpy|pyarrow) \d+(\.\d+)*", text) for text in made_with())
    assert len(made_with()) == 2


def test_shares_counted_are_of_the_people_of_each_state():
    cells = pd.DataFrame({"state": ["DE", "DE", "RI"], "people": [6, 4, 5]}).astype({"state": "category"})
    assert _counted_by_state(cells, {"DE": 5, "RI": 5}) == {"counted_by_state": {"DE": 0.5, "RI": 1.0}}
    assert _counted_by_state(cells, {"DE": 0, "RI": 0}) == {}


def test_a_verdict_tells_the_same_bytes_the_same_cells_and_neither():
    shipped = population_facts()["us-2010"]
    assert "byte for byte" in _verdict(dict(shipped), shipped)
    assert "other libraries" in _verdict({**shipped, "sha256": "0"}, shipped)
    assert "not the cells" in _verdict({**shipped, "sha256": "0", "content_sha256": "0"}, shipped)
    assert "no population of this name" in _verdict(dict(shipped), None)


@pytest.mark.slow
def test_a_state_built_alone_is_its_part_of_the_nation(shared):
    from policy_sim.io.populations.by_name import load_population

    cells, counted = fit_states("us-2010", shared / "census", ["10"])
    shipped = load_population("us-2010").in_states(["DE"]).cells
    columns = ["county", "sex", "age", "race", "people"]
    ours, theirs = (frame[columns].astype(str).sort_values(columns, ignore_index=True) for frame in (cells, shipped))
    pd.testing.assert_frame_equal(ours, theirs)
    assert 0 < counted["DE"] <= cells["people"].sum()
