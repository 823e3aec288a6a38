"""Choosing a reader for the Bureau's files, and the names under which their populations are saved."""

import pytest

from policy_sim.errors import InputError, PolicySimError, UnknownNameError
from policy_sim.io.census_files.load import FORMATS, _default_name, _named, load_files, places_from


def test_another_format_is_refused(cache, tmp_path):
    with pytest.raises(UnknownNameError, match="sf1-2010"):
        load_files(str(tmp_path), "sf1-1990", cache=cache)


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_without_files_is_one_error_and_nothing_is_saved(form, cache, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(PolicySimError):
        load_files(str(tmp_path / "empty"), form, cache=cache)
    assert cache.names() == ()


def test_names_say_what_was_loaded():
    assert _default_name("sf1-2010", "county", ["DE", "RI"]) == "sf1-2010-de-ri"
    assert _default_name("sf1-2010", "tract", ["DE"]) == "sf1-2010-tract-de"
    assert _default_name("cc-est", "county", [f"S{at}" for at in range(4)]) == "cc-est-4-states"
    assert _default_name("sf1-2010", "county", [f"S{at}" for at in range(51)]) == "sf1-2010"


def test_a_nation_must_be_whole_and_a_few_states_are_those_that_are_there():
    assert _named(["DE", "RI"]) == ("DE", "RI")
    assert _named([f"S{at}" for at in range(50)]) == ()


def test_a_place_is_a_name_and_a_code():
    assert places_from([" Cook County, Illinois = 17031 ", "A=B=01001"]) == {
        "Cook County, Illinois": "17031",
        "A=B": "01001",
    }
    for wrong in ("Cook", "=17031", "Cook=1703", "Cook=1703x", "Cook="):
        with pytest.raises(InputError, match="five-digit"):
            places_from([wrong])
