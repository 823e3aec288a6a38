"""The lists of small three-digit ZIP areas: as computed, as printed, and as computed again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from official_tables import official

from policy_sim.building.make_zip_areas import build_zip
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.policy_files import load_policy
from policy_sim.io.populations.zip_population import zip_parts
from policy_sim.io.zip_lists import load_zip3_lists, small_prefixes, with_zip3_list
from policy_sim.population.zip_areas import small_zip3

# 67 FR 53182 (2002), at 53233-53234.
PRINTED = {f"{n:03}" for n in (36, 59, 63, 102, 203, 556, 692, 790, 821, 823, 830, 831, 878, 879, 884, 890, 893)}


def test_printed_list_has_the_17_prefixes_of_the_federal_register():
    assert small_prefixes("hhs2000", "2000-04-01") == PRINTED
    assert len(PRINTED) == 17


@pytest.mark.parametrize("year", [2010, 2020])
def test_computed_lists_have_18_prefixes_and_follow_from_the_counts(year):
    counted = official("zip3")[["zip3", str(year)]].dropna()  # a prefix stands for all its ZIP codes
    again = small_zip3(counted["zip3"].tolist(), counted[str(year)].to_numpy(np.int64))
    assert small_prefixes("computed", f"{year}-04-01") == frozenset(again)
    assert len(again) == 18
    assert max(again.values()) <= 20_000


def test_both_censuses_give_one_list_and_the_union_is_both():
    computed = small_prefixes("computed", "2010-04-01")
    assert computed == small_prefixes("computed", "not stated")
    assert computed - PRINTED == {"202", "204", "205", "369", "753", "772"}
    assert PRINTED - computed == {"063", "790", "830", "831", "890"}
    assert small_prefixes("union", "2020-04-01") == computed | PRINTED


def test_no_list_is_computed_for_2000_and_it_says_what_to_use():
    with pytest.raises(InputError, match="zip3 = 'hhs2000'"):
        small_prefixes("computed", "2000-04-01")
    with pytest.raises(UnknownNameError, match="computed, hhs2000, union"):
        small_prefixes("hhs", "2010-04-01")


def test_only_a_policy_that_speaks_of_zip3_takes_a_list():
    taken = with_zip3_list(load_policy("safe-harbor"), "hhs2000", "2010-04-01").conditions.small_places
    assert taken is not None
    assert taken.listed == PRINTED
    county = load_policy("county")
    assert with_zip3_list(county, "union", "not stated") is county


def test_parts_are_those_that_the_bureau_counted(shared):
    parts = zip_parts()
    assert parts["people"].sum() == 308_739_931  # the people of the 50 states and DC who live in an area
    prefixes = small_zip3(parts["zip5"].tolist(), parts["people"].to_numpy())
    assert set(prefixes) <= small_prefixes("computed", "2010-04-01")  # prefixes without people have no part


def test_parts_of_2020_hold_everyone_but_those_who_live_in_no_area():
    parts = zip_parts("us-2020")
    assert parts["people"].sum() == 331_449_281 - 8_530
    assert parts["county"].nunique() == 3_143
    assert (parts["people"] > 0).all()
    prefixes = small_zip3(parts["zip5"].tolist(), parts["people"].to_numpy())
    assert set(prefixes) <= small_prefixes("computed", "2020-04-01")


def test_parts_of_2020_add_up_to_the_published_people_of_each_prefix():
    parts = zip_parts("us-2020")
    found = parts["people"].groupby(parts["zip5"].str[:3]).sum()
    counted = official("zip3").set_index("zip3")["2020"].dropna().astype(int)
    counted = counted[~counted.index.isin(["006", "007", "009"])]  # Puerto Rico
    assert found.reindex(counted.index, fill_value=0).to_dict() == counted.to_dict()


def test_built_again_the_files_hold_the_same(tmp_path, shared, root):
    *parts, prefixes = build_zip(shared / "census", tmp_path)
    shipped = root / "data" / "zip"
    assert [path.name for path in parts] == ["zcta_county_2010.parquet", "zcta_county_2020.parquet"]
    for path in parts:
        pd.testing.assert_frame_equal(pd.read_parquet(path), pd.read_parquet(shipped / path.name))
    assert prefixes.read_bytes() == (shipped / prefixes.name).read_bytes()


def test_every_list_says_where_it_is_from():
    lists = load_zip3_lists()
    assert set(lists) == {"hhs-2000", "census-2010", "census-2020"}
    assert all(found.citation and found.most == 20_000 for found in lists.values())
