import pandas as pd
import pytest

from policy_sim.building.official_tables import read_decennial, read_table, to_array
from policy_sim.errors import SourceError


def test_rows_fall_into_their_places_and_add_up():
    table = pd.DataFrame({"sex": ["F", "M", "F"], "age": [1, 0, 1], "population": [2, 3, 5]})
    assert to_array(table, {"sex": ("M", "F"), "age": [0, 1]}, "made").tolist() == [[3, 0], [0, 7]]


def test_a_label_that_is_not_known_is_named():
    table = pd.DataFrame({"sex": ["M", "X"], "population": [1, 1]})
    with pytest.raises(SourceError, match="made: sex 'X'"):
        to_array(table, {"sex": ("M", "F")}, "made")


def test_a_missing_file_says_which_folder_is_meant(tmp_path):
    with pytest.raises(SourceError, match=r"county_2000_sf1.*Name the folder"):
        read_decennial(tmp_path, 2000)


def test_a_damaged_file_is_one_line(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"not parquet")
    with pytest.raises(SourceError, match=r"x\.parquet: cannot be read"):
        read_table(tmp_path, "x.parquet")


def test_codes_stay_text(tmp_path):
    pd.DataFrame({"state_fips": ["01"], "county_fips": ["01001"], "n": [1]}).to_csv(tmp_path / "x.csv", index=False)
    assert read_table(tmp_path, "x.csv")["county_fips"].tolist() == ["01001"]
