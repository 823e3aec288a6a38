"""Weights from a file, and what a file says that is none."""

from __future__ import annotations

import pytest

from policy_sim.errors import SchemaError
from policy_sim.granularity import Field
from policy_sim.io.field_weight_files import load_field_weights


def _file(tmp_path, text):
    path = tmp_path / "weights.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_weights(tmp_path):
    found = load_field_weights(_file(tmp_path, "sex = 1\nrace = 2.5  # what the study is about\n"))
    assert dict(found.worth) == {Field.GENDER: 1, Field.RACE: 2.5, Field.BIRTH: 1, Field.GEOGRAPHY: 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("income = 1", "income is not a field. Use one of sex, race, birth, geography"),
        ("race = 'much'", "race = 'much' is not a number"),
        ("race = true", "is not a number"),
        (f"race = {'9' * 400}", "is not a number"),
        ("race = inf", "is not a number"),
        ("race = -1", "weight of race is -1.0"),
        ("sex = 1\ngender = 2", "gender appears twice"),
        ("sex = 0\nrace = 0\nbirth = 0\ngeography = 0", "every field has weight 0"),
        ("race = ", "TOML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, says):
    with pytest.raises(SchemaError) as caught:
        load_field_weights(_file(tmp_path, text))
    assert says in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SchemaError, match="cannot be read"):
        load_field_weights(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"race = 1 # \xe9")
    with pytest.raises(SchemaError, match="not text in UTF-8"):
        load_field_weights(tmp_path / "latin.toml")
