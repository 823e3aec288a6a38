from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pinned import made_again

from policy_sim.building import recipes
from policy_sim.building.fits import state_rng
from policy_sim.building.recipes import (
    RECIPES,
    Fitted,
    _counted_by_state,
    _verdict,
    build_population,
    fit_states,
    made_with,
)
from policy_sim.people.store import list_populations, population_facts
from policy_sim.words.errors import SourceError, UnknownNameError


def test_every_shipped_population_has_a_recipe_that_says_what_its_manifest_says():
    facts = population_facts()
    assert set(RECIPES) == set(facts)
    for name, recipe in RECIPES.items():
        assert (recipe.title, recipe.date, recipe.how) == tuple(facts[name][key] for key in ("title", "date", "how"))
        assert facts[name]["notes"] == list(recipe.notes)
        assert facts[name]["ethnicity"]["how"] == recipe.how_of_origin


def test_chance_is_the_same_for_a_state_and_differs_between_states_and_populations():
    def draw(name, state):
        return state_rng(name, state).integers(2**62, size=2).tolist()

    assert draw("us-2010", "21") == draw("us-2010", "21")
    draws = {tuple(draw(name, state)) for name in RECIPES for state in ("01", "21", "48")}
    assert len(draws) == 3 * len(RECIPES)
    assert abs(np.mean(state_rng("us-2010", "21").random(10_000)) - 0.5) < 4 * 0.29 / 100


# Building a population: which can be, from which tables, and what a verdict says.


def test_another_name_is_refused_with_those_that_can_be_built(tmp_path):
    for call in (lambda: fit_states("us-1990", tmp_path), lambda: build_population("us-1990", tmp_path, tmp_path)):
        with pytest.raises(UnknownNameError, match="us-2010"):
            call()


def test_a_folder_without_tables_is_named_and_nothing_is_written(tmp_path):
    with pytest.raises(SourceError, match="official tables"):
        build_population("us-2010", tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_shares_counted_are_of_the_people_of_each_state():
    cells = pd.DataFrame({"state": ["DE", "DE", "RI"], "people": [6, 4, 5]}).astype({"state": "category"})
    assert _counted_by_state(cells, {"DE": 5, "RI": 5}) == {"counted_by_state": {"DE": 0.5, "RI": 1.0}}
    assert _counted_by_state(cells, {"DE": 0, "RI": 0}) == {}


def test_a_verdict_tells_the_same_bytes_the_same_cells_and_neither():
    shipped = population_facts()["us-2010"]
    assert "byte for byte" in _verdict(dict(shipped), shipped)
    assert "other libraries" in _verdict({**shipped, "sha256": "0"}, shipped)
    other = {**shipped, "ethnicity": {**shipped["ethnicity"], "sha256": "0", "content_sha256": "0"}}
    assert "other Hispanics" in _verdict(other, shipped)
    assert "not the cells" in _verdict({**shipped, "sha256": "0", "content_sha256": "0"}, shipped)
    assert "no population of this name" in _verdict(dict(shipped), None)


@pytest.mark.slow
@pytest.mark.parametrize("name", list_populations())
def test_a_state_built_alone_is_its_part_of_the_shipped_nation(name, shared):
    from policy_sim.people.by_name import load_population

    fitted = fit_states(name, shared / "census", ["10"])
    shipped = load_population(name).in_states(["DE"])
    columns = ["county", "sex", "age", "race", "people"]
    ours, theirs = (
        frame[columns].astype(str).sort_values(columns, ignore_index=True) for frame in (fitted.cells, shipped.cells)
    )
    pd.testing.assert_frame_equal(ours, theirs)
    np.testing.assert_array_equal(fitted.hispanic, shipped.hispanic())
    everyone, with_origin = fitted.counted["DE"]
    assert (everyone > 0) == (name in ("us-2000", "us-2010"))
    assert with_origin <= everyone <= fitted.cells["people"].sum()


# The shipped files are those that the tables make.


@made_again
@pytest.mark.slow
@pytest.mark.parametrize("name", list_populations())
def test_the_same_tables_give_the_same_file(name, shared, tmp_path):
    shipped = population_facts()[name]
    built = build_population(name, shared / "census", tmp_path)
    assert built.facts["content_sha256"] == shipped["content_sha256"]
    for facts in (built.facts, shipped):
        assert facts["ethnicity"].keys() == {"file", "how", "hispanic", "counted", "sha256", "content_sha256"}
    plain, expected = (
        {**facts, "sha256": "", "made_with": [], "ethnicity": {**facts["ethnicity"], "sha256": ""}}
        for facts in (built.facts, shipped)
    )
    assert plain == expected
    if made_with() != shipped["made_with"]:
        pytest.skip(f"bytes are those of {', '.join(shipped['made_with'])}; here is {', '.join(made_with())}")
    assert built.facts["sha256"] == shipped["sha256"]
    assert built.verdict == "the shipped file, byte for byte"


def test_a_population_with_a_county_in_no_zip_code_area_is_refused_and_not_written(tmp_path, monkeypatch):
    """Connecticut's planning regions have parts; a county of which no area is known would lose its people."""
    known, lost = (pd.DataFrame({"county": ["09110", county], "people": [5, 6]}) for county in ("39001", "72001"))
    recipes._refuse_lost_places("us-2022", known)
    monkeypatch.setattr(recipes, "_described", lambda path, text: {"file": path.name})
    monkeypatch.setattr(recipes, "fit_states", lambda *_, **__: Fitted(lost, np.array([0, 0]), {}))
    with pytest.raises(SourceError, match=r" 1 of its counties \(72001\).*planning_regions"):
        build_population("us-2022", tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
