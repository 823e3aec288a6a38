from __future__ import annotations

import pytest

from policy_sim.errors import SourceError
from policy_sim.io.population_store.shipped import (
    default_population,
    list_populations,
    load_shipped,
    population_facts,
    provenance_of,
)


def test_every_name_has_facts_whose_shares_add_up_to_one():
    assert default_population() in list_populations()
    dates = [facts["date"] for facts in population_facts().values()]
    assert dates == sorted(dates)
    for name, facts in population_facts().items():
        note = provenance_of(name, facts)
        assert note.name == name
        assert note.counted + note.estimated + note.modeled == pytest.approx(1)
        assert note.sha256 == facts["sha256"]


def test_the_cells_hold_the_people_of_the_manifest():
    facts = population_facts()["us-2000"]
    population = load_shipped("us-2000")
    assert population.people == facts["people"] == 281_421_906  # Census 2000, fifty states and DC
    assert len(population.cells) == facts["cells"]


def test_populations_of_a_folder_stand_oldest_first(tmp_path):
    (tmp_path / "manifest.toml").write_text('[populations.b]\ndate="2010-01-01"\n[populations.a]\ndate="2020-01-01"\n')
    assert list(population_facts(tmp_path)) == ["b", "a"]


def test_a_manifest_that_is_not_toml_is_one_line(tmp_path):
    (tmp_path / "manifest.toml").write_text("= 5")
    with pytest.raises(SourceError, match="Install policy-sim again"):
        population_facts(tmp_path)
