import pytest

from policy_sim.building.joint_tables import JOINT_TABLES, joint_of_year
from policy_sim.errors import SourceError

PEOPLE = {("48", 2000): 20_851_820, ("48", 2010): 25_145_561, ("21", 2010): 4_339_367}


@pytest.mark.parametrize("table", JOINT_TABLES, ids=lambda table: f"{table.name} {table.year}")
def test_the_tables_hold_the_published_people(table, shared):
    counted = table.counted(shared / "census")
    assert counted.sum() == PEOPLE[table.state, table.year]
    assert (counted >= 0).all()
    assert counted.shape[1:] in ((2, 103, 7), (2, 23, 7))


def test_the_tables_of_a_census_are_found_by_state(shared):
    assert set(joint_of_year(shared / "census", 2000)) == {"48"}
    assert set(joint_of_year(shared / "census", 2010)) == {"21", "48"}
    assert joint_of_year(shared / "census", 2020) == {}


def test_every_source_names_its_table_and_who_carried_it():
    for table in JOINT_TABLES:
        assert "Summary File 1" in table.source
        assert "commit" in table.source
    (kentucky,) = [table for table in JOINT_TABLES if table.name == "Kentucky"]
    assert "NHGIS" in kentucky.source


def test_a_missing_file_says_which_folder_is_meant(tmp_path):
    with pytest.raises(SourceError, match="Name the folder"):
        JOINT_TABLES[0].counted(tmp_path)
