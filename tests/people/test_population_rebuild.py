import pytest
from pinned import pinned

from policy_sim.building.recipes import build_population, made_with
from policy_sim.people.store import list_populations, population_facts


@pytest.mark.slow
@pytest.mark.parametrize("name", pinned(["us-2020", "us-2022"], list_populations()))
def test_the_same_tables_give_the_same_file(name, shared, tmp_path):
    shipped = population_facts()[name]
    built = build_population(name, shared / "census", tmp_path)
    assert built.facts["content_sha256"] == shipped["content_sha256"]
    assert {**built.facts, "sha256": "", "made_with": []} == {**shipped, "sha256": "", "made_with": []}
    if made_with() != shipped["made_with"]:
        pytest.skip(f"bytes are those of {', '.join(shipped['made_with'])}; here is {', '.join(made_with())}")
    assert built.facts["sha256"] == shipped["sha256"]
    assert built.verdict == "the shipped file, byte for byte"
