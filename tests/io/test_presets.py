from __future__ import annotations

import tomllib

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.policy_files import RULES
from policy_sim.io.population_store.shipped import list_populations
from policy_sim.io.presets import list_presets, load_preset


def test_every_preset_names_what_the_project_ships():
    assert list_presets()
    for name in list_presets():
        preset = load_preset(name)
        assert preset.population in list_populations()
        assert preset.rules in RULES
        assert preset.policies
        assert min(preset.g) >= 1


def test_a_preset_says_what_its_file_says():
    name = "benitez-malin-2010"
    table = tomllib.loads((data_dir() / "presets" / f"{name}.toml").read_text(encoding="utf-8"))
    preset = load_preset(name)
    assert (list(preset.policies), list(preset.g)) == (table["policies"], table["g"])
    assert (preset.population, preset.lists, preset.days_per_year) == ("us-2000", "2008", 365)


@pytest.mark.parametrize("name", ["benitez", "../manifest", ""])
def test_another_name_says_which_are_known(name):
    with pytest.raises(UnknownNameError, match="benitez-malin-2010"):
        load_preset(name)
