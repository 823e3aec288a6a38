import pytest

from policy_sim.errors import SchemaError
from policy_sim.io.voter_lists.amendment_files import read_changes


def test_one_key_an_item(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text('birth = "year"\nprice = 0\n')
    assert read_changes(path) == {"birth": "year", "price": "0"}


def test_every_problem_at_once(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text('dob = "year"\ngender = true\n')
    with pytest.raises(SchemaError, match=r"(?s)dob is not an item.*gender = True is not a text"):
        read_changes(path)


def test_what_is_no_toml(tmp_path):
    (tmp_path / "law.toml").write_text("birth = date")
    with pytest.raises(SchemaError, match=r"is not TOML: .*: birth = date"):
        read_changes(tmp_path / "law.toml")
