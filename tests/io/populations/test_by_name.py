import pytest

from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.population_store.shipped import default_population, list_populations, population_facts
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.populations.population_facts import population_frame, populations_frame
from policy_sim.io.populations.zip_population import ZIP_POPULATIONS
from policy_sim.population.cells import COLUMNS, check_cells


def test_names_are_listed_oldest_first():
    assert list_populations() == ("us-2000", "us-2010", "us-2020", "us-2022")
    assert default_population() == "us-2020"


def test_a_shipped_population_has_the_schema_and_its_provenance():
    population = load_population("us-2010")
    assert set(COLUMNS) <= set(population.cells.columns)
    assert len(population.states) == 51
    assert population.provenance.describe() == (
        "us-2010: Census 2010, 50 states and DC, by county, sex, age and race; 86.5% counted, 13.5% modeled"
    )
    assert str(population.cells["state"].dtype) == "category"


def test_a_shipped_population_passes_the_check_of_a_users_own():
    cells = load_population("us-2000").in_states(["DE", "HI"]).cells
    assert check_cells(cells, "us-2000")["people"].sum() == cells["people"].sum()


def test_shipped_files_are_small():
    for facts in population_facts().values():
        assert (data_dir() / facts["file"]).stat().st_size < 5_000_000


def test_an_unknown_name_says_which_are_known():
    with pytest.raises(UnknownNameError, match=r"'us-2002' is not known.*us-2000, us-2010,.* us-2020"):
        load_population("us-2002")


def test_a_manifest_that_is_missing_is_one_line(tmp_path):
    with pytest.raises(SourceError, match=r"manifest\.toml: cannot be read"):
        population_facts(tmp_path)


def test_rows_for_people_and_machines():
    frame = populations_frame()
    assert set(frame["population"]) == {*list_populations(), *ZIP_POPULATIONS}
    assert frame["date"].is_monotonic_increasing
    assert (frame[["counted", "estimated", "modeled"]].sum(axis=1) - 1).abs().max() < 1e-12
    rows = population_frame("us-2020")
    assert "Counted for all people: county, race and under 18" in " ".join(rows.loc[rows["item"] == "notes", "value"])
    with pytest.raises(UnknownNameError, match="us-1990"):
        population_frame("us-1990")
