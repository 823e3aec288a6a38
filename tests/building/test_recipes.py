from __future__ import annotations

import numpy as np
import pytest

from policy_sim.building.joint_tables import JOINT_TABLES
from policy_sim.building.recipes import RECIPES, state_rng
from policy_sim.io.population_store.shipped import population_facts


def test_every_shipped_population_has_a_recipe_that_says_what_its_manifest_says():
    facts = population_facts()
    assert set(RECIPES) == set(facts)
    for name, recipe in RECIPES.items():
        assert (recipe.title, recipe.date, recipe.how) == tuple(facts[name][key] for key in ("title", "date", "how"))
        assert facts[name]["notes"][: len(recipe.notes)] == list(recipe.notes)


def test_a_counted_table_ships_only_with_the_population_of_its_own_census():
    for name in ("us-2000", "us-2010"):
        year = int(name[-4:])
        for table in JOINT_TABLES:
            if table.year == year:
                assert table.file in RECIPES[name].tables


def test_chance_is_the_same_for_a_state_and_differs_between_states_and_populations():
    def draw(name, state):
        return state_rng(name, state).integers(2**62, size=2).tolist()

    assert draw("us-2010", "21") == draw("us-2010", "21")
    draws = {tuple(draw(name, state)) for name in RECIPES for state in ("01", "21", "48")}
    assert len(draws) == 3 * len(RECIPES)
    assert abs(np.mean(state_rng("us-2010", "21").random(10_000)) - 0.5) < 4 * 0.29 / 100


def test_a_population_without_a_year_has_no_chance():
    with pytest.raises(ValueError, match="invalid literal"):
        state_rng("mine", "21")
