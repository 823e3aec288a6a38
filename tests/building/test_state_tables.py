"""The axes of official tables, as the tables of a state have them."""

import pytest

from policy_sim.building.official_tables import read_decennial
from policy_sim.building.state_tables import GROUPS, HISPANIC, NOT_HISPANIC
from policy_sim.population.ages import CLASS_STARTS
from policy_sim.population.cells import RACES


def test_groups_part_the_people_by_origin_then_race():
    assert GROUPS[0] == "hispanic"
    assert GROUPS[1:] == RACES
    assert (HISPANIC, NOT_HISPANIC) == (0, 1)


@pytest.mark.slow
def test_the_tables_of_a_state_have_these_shapes_and_agree_on_its_people(shared):
    tables = read_decennial(shared / "census", 2010)["10"]
    counties = len(tables.counties)
    assert counties == 3
    for table in (tables.everyone, tables.white, tables.black, tables.hispanic, tables.white_not_hispanic):
        assert table.shape == (counties, 2, len(CLASS_STARTS))
    assert tables.race_origin.shape == (counties, 2, len(RACES))
    assert (tables.race_origin.sum(axis=(1, 2)) == tables.everyone.sum(axis=(1, 2))).all()
    patterns = tables.patterns
    assert patterns.years.shape == (2, 86)
    assert patterns.classes.shape == (len(GROUPS), 2, len(patterns.class_starts))
    assert patterns.nation.shape == (2, len(RACES), 2, 86)
    assert patterns.open_shares.shape == (2, len(RACES), 18)
