"""TOML files: a user learns what is wrong, and a damaged installation says so."""

import pytest

from policy_sim.errors import SchemaError, SourceError
from policy_sim.io.adversary_files import load_adversary
from policy_sim.io.field_weight_files import load_field_weights
from policy_sim.io.policy_files import load_policy
from policy_sim.io.resource_files import load_resource
from policy_sim.io.toml_files import damaged_if_wrong, read_toml_file, shipped_files, shipped_table
from policy_sim.io.voter_lists.amendment_files import read_changes

BROKEN = {
    "not TOML": (b"a = = 1", "is not TOML"),
    "not UTF-8": (b"a = '\xff'", "is not text in UTF-8"),
    "nested": (b"a = " + b"[" * 5000, "nested too deeply"),
    "a long number": (b"a = " + b"9" * 5000, "too many digits"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_file_is_told(tmp_path, name):
    content, message = BROKEN[name]
    path = tmp_path / "ours.toml"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match=message) as caught:
        read_toml_file(path, "ours")
    assert str(caught.value).startswith("ours: ")
    with pytest.raises(SchemaError, match=r"ours\.toml: "):
        read_toml_file(path)


@pytest.mark.parametrize("place", ["none.toml", "", "a\0b.toml"])
def test_a_file_that_cannot_be_opened(tmp_path, place):
    with pytest.raises(SchemaError, match="cannot be read: "):
        read_toml_file(tmp_path / place)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    (tmp_path / "ours.toml").write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_toml_file(tmp_path / "ours.toml") == {"a": 1}


@pytest.mark.parametrize(
    "reader",
    [
        lambda path: load_adversary(str(path)),
        lambda path: load_policy(str(path)),
        load_resource,
        load_field_weights,
        read_changes,
    ],
    ids=["adversary", "policy", "resource", "weights", "changes"],
)
def test_every_reader_says_the_same_of_a_broken_file(tmp_path, reader):
    path = tmp_path / "ours.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(SchemaError, match=r"is not text in UTF-8\. Save it as UTF-8\."):
        reader(path)
    path.write_text("a = = 1")
    with pytest.raises(SchemaError, match="is not TOML: "):
        reader(path)


def test_files_that_ship_are_named_by_their_stems():
    assert list(shipped_files("adversaries")) == sorted(shipped_files("adversaries"))
    assert shipped_files("nowhere") == {}
    assert shipped_table("presets/benitez-malin-2010.toml") == shipped_table(
        shipped_files("presets")["benitez-malin-2010"]
    )


def test_a_damaged_installation_says_so(tmp_path):
    with pytest.raises(SourceError, match="Install policy-sim again"):
        shipped_table("nowhere.toml")
    for problem in (OSError("gone"), ValueError("not TOML"), KeyError("title"), TypeError("a list")):
        with pytest.raises(SourceError, match="Install policy-sim again"), damaged_if_wrong(tmp_path):
            raise problem
    with pytest.raises(ZeroDivisionError), damaged_if_wrong(tmp_path):
        raise ZeroDivisionError  # a fault of the program is no damaged file
