"""Arguments of questions about a file: what is taken in which form, and one line for the rest."""

import math
from pathlib import Path

import pytest

from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.engines import readable_file as check
from policy_sim.records.profile import Threshold
from policy_sim.words.errors import InputError


def test_texts():
    assert check.check_text("memory", "2GB") == "2GB"
    for wrong in ("", " ", None, 5, b"x", "x" * 2_000):
        with pytest.raises(InputError, match="memory"):
            check.check_text("memory", wrong)


def test_whole_numbers_between_two_ends():
    assert check.check_count("runs", 3) == 3
    assert check.check_count("seed", 0, 0) == 0
    for wrong in (0, -1, 1.0, True, "3", None, math.nan, 11):
        with pytest.raises(InputError, match="runs"):
            check.check_count("runs", wrong, most=10)


def test_key_fields_from_a_text_or_a_list():
    assert check.key_fields(" age, sex,,") == check.key_fields(["age", " sex "]) == ("age", "sex")
    for wrong in ("", " , ", [], None, 5, ["age", 5], {"age": 1}):
        with pytest.raises(InputError):
            check.key_fields(wrong)


def test_texts_from_one_or_several():
    assert check.texts_of("codes", "?") == ("?",)
    assert check.texts_of("codes", ["?", ""]) == ("?", "")
    for wrong in (None, 5, [None], {"?": 1}):
        with pytest.raises(InputError, match="codes"):
            check.texts_of("codes", wrong)


def test_a_mapping_is_one_or_a_file_of_one(tmp_path):
    assert check.mapping_of(None) == ColumnMapping()
    mapping = ColumnMapping()
    assert check.mapping_of(mapping) is mapping
    path = tmp_path / "map.toml"
    path.write_text('[fields.sex]\ncolumn = "geschlecht"\n')
    assert check.mapping_of(str(path)) == check.mapping_of(Path(path)) != ColumnMapping()
    for wrong in (5, "", b"x", []):
        with pytest.raises(InputError, match="mapping"):
            check.mapping_of(wrong)


def test_a_threshold_in_each_form():
    forms = [check.threshold_of("threshold", form) for form in ("k=11", "1/11", Threshold.parse("1/11"))]
    assert len({form.k for form in forms}) == 1
    for wrong in (0, 2, "k=0", "half", None, True, math.nan, [], "9" * 2_000):
        with pytest.raises(InputError):
            check.threshold_of("threshold", wrong)


def test_shares_above_nothing_and_below_everything():
    assert check.shares_of("fractions", [0.1, 0.5]) == [0.1, 0.5]
    for wrong in ([], [0], [1], [0.1, 0.1], [math.nan], ["0.1"], 0.1, "0.1", None, [True]):
        with pytest.raises(InputError, match="fractions"):
            check.shares_of("fractions", wrong)
