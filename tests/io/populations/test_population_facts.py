from __future__ import annotations

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.io.populations.population_facts import facts_of_population, population_frame, populations_frame


def test_shares_add_up_and_rows_stand_oldest_first():
    frame = populations_frame()
    assert frame["date"].is_monotonic_increasing
    assert (frame["counted"] + frame["estimated"] + frame["modeled"]).tolist() == pytest.approx([1.0] * len(frame))


def test_a_population_by_zip_code_has_the_people_of_its_counties_and_no_cells_yet():
    frame = populations_frame().set_index("population")
    made = [name for name in frame.index if name.endswith("-zip")]
    assert made
    for name in made:
        assert frame["people"][name] == frame["people"][name.removesuffix("-zip")]
    assert frame["cells"].isna().tolist() == [name in made for name in frame.index]


def test_one_population_in_rows_says_every_fact():
    facts, rows = facts_of_population("us-2010"), population_frame("us-2010")
    items = rows.groupby("item", sort=False)["value"].agg(list)
    assert items["people"] == ["308745538"]
    assert items["sources"] == facts["sources"]
    assert len(items["counted_by_state"]) == len(facts["counted_by_state"])
    with pytest.raises(UnknownNameError, match="us-2010-zip"):
        facts_of_population("us-1990")
