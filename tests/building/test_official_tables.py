from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.building.official_tables import (
    AREAS,
    read_area_shares,
    read_decennial,
    read_open_shares,
    read_shares_85_over,
    read_table,
    to_array,
)
from policy_sim.words.errors import SourceError


def test_rows_fall_into_their_places_and_add_up():
    table = pd.DataFrame({"sex": ["F", "M", "F"], "age": [1, 0, 1], "population": [2, 3, 5]})
    assert to_array(table, {"sex": ("M", "F"), "age": [0, 1]}, "made").tolist() == [[3, 0], [0, 7]]


def test_a_label_that_is_not_known_is_named():
    table = pd.DataFrame({"sex": ["M", "X"], "population": [1, 1]})
    with pytest.raises(SourceError, match="made: sex 'X'"):
        to_array(table, {"sex": ("M", "F")}, "made")


def test_a_damaged_file_is_one_line(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"not parquet")
    with pytest.raises(SourceError, match=r"x\.parquet: cannot be read"):
        read_table(tmp_path, "x.parquet")


def test_codes_stay_text(tmp_path):
    pd.DataFrame({"state_fips": ["01"], "county_fips": ["01001"], "n": [1]}).to_csv(tmp_path / "x.csv", index=False)
    assert read_table(tmp_path, "x.csv")["county_fips"].tolist() == ["01001"]


@pytest.mark.slow
def test_the_tables_of_a_state_agree_on_its_people(shared):
    tables = read_decennial(shared / "census", 2010)["10"]
    assert len(tables.counties) == 3
    assert (tables.race_origin.sum(axis=(1, 2)) == tables.everyone.sum(axis=(1, 2))).all()


AIAN = 2


@pytest.mark.slow
def test_shares_of_every_state_sex_and_race_add_up_to_one(shared):
    for own_areas in (False, True):
        for year in (2000, 2010):
            shares = read_open_shares(shared / "census", year, own_areas=own_areas)
            assert len(shares) == 51
            for of_state in shares.values():
                assert of_state.shape == (2, 7, 18)
                assert (of_state >= 0).all()
                np.testing.assert_allclose(of_state.sum(axis=2), 1)


def test_areas_are_the_counties_that_their_shares_come_from(shared):
    """Shares times the people of 85 and over that table P12 counts in the area are whole people."""
    census = read_table(shared / "census", "county_2000_sf1_p12_p12a_b_h_i.parquet")
    census = census[(census["table"] == "P12") & (census["age"] == 85)]
    shares = read_table(shared / "census", "shares_of_85_over_2000_pct12.csv.gz").set_index(["sex", "ages"])
    for state, areas in AREAS.items():
        named = [state + code for codes in areas.values() if codes is not None for code in codes]
        of_state = census[census["county_fips"].str[:2] == state]
        for area, codes in areas.items():
            here = of_state["county_fips"].isin([state + code for code in codes or ()])
            part = of_state[here] if codes is not None else of_state[~of_state["county_fips"].isin(named)]
            for code, sex in (("M", "Male"), ("F", "Female")):
                people = part.loc[part["sex"] == code, "population"].sum() * shares.loc[sex, area]
                assert people.sum() == pytest.approx(round(people.sum()), abs=1e-6)
                np.testing.assert_allclose(people, people.round(), atol=1e-6)


def test_a_state_made_of_areas_is_their_sum(shared):
    # California, men of 85-89: 23,964 + 13,299 + 5,864 + 52,436 of 134,182 (Census 2000, PCT12 and P12).
    california = read_area_shares(shared / "census")["06"]
    assert california[0, 0] == pytest.approx((23_964 + 13_299 + 5_864 + 52_436) / 134_182)


def test_alaska_natives_have_the_ages_that_were_counted(shared):
    # 109 of 158 men of 85 and over were 85 to 89, and nobody was 105 or over.
    alaska = read_open_shares(shared / "census", 2000, own_areas=True)["02"][0, AIAN]
    assert alaska[:5].sum() == pytest.approx(109 / 158)
    assert alaska[16:].sum() == 0


def test_a_race_keeps_the_tail_it_has_in_texas(shared):
    """All races together keep the state's shares in direction: a state older than Texas is older in every race."""
    shares, states = read_open_shares(shared / "census", 2000), read_shares_85_over(shared / "census")
    new_york, utah = shares["36"][1], shares["49"][1]
    assert states["36"][1, 3] > states["49"][1, 3]
    assert (new_york[:, 15] > utah[:, 15]).all()
