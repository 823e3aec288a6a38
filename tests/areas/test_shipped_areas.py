"""The areas that ship: each ZIP code once, enough people in three years, connected, and made again for one state."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.areas.areas import Areas
from policy_sim.areas.zip_areas import FEWEST, ZipAreas
from policy_sim.files.paths import data_dir
from policy_sim.people.zips import zip_parts


@pytest.fixture(scope="module")
def shipped() -> pd.DataFrame:
    return pd.read_parquet(data_dir() / "areas" / "areas-2020.parquet")


def test_each_zip_code_area_with_people_is_there_once(shipped):
    assert not shipped["zip5"].duplicated().any()
    assert set(zip_parts("us-2020")["zip5"].astype(str)) <= set(shipped["zip5"])
    assert shipped.notna().all().all()


@pytest.mark.parametrize("least", [20_000, 100_000])
@pytest.mark.parametrize("year", ["2010", "2020"])
def test_areas_have_their_people_in_both_censuses(shipped, least, year):
    parts = zip_parts(f"us-{year}")
    area = shipped.set_index("zip5")[f"area_{least}"].astype(str)
    people = parts["people"].groupby(parts["zip5"].astype(str).map(area)).sum()
    assert people.reindex(area.unique()).min() >= least
    assert shipped.groupby(f"area_{least}", observed=True)["state"].nunique().max() == 1


def test_a_state_is_made_again_as_it_ships(shipped):
    own = shipped[shipped["state"] == "RI"]
    for least in (20_000, 100_000):
        made = Areas.make("RI", least, counts=FEWEST).of_zip()
        assert {code: made[code] for code in own["zip5"]} == dict(zip(own["zip5"], own[f"area_{least}"], strict=True))


def test_people_are_the_fewest_of_three_years(shipped):
    own = shipped[shipped["state"] == "DE"].set_index("zip5")["people"]
    assert own.to_dict() == dict(zip(ZipAreas.of("DE").zip5, ZipAreas.of("DE", FEWEST).people, strict=True))
    assert (own <= pd.Series(ZipAreas.of("DE").people, ZipAreas.of("DE").zip5)).all()
