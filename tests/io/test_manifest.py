import tomllib

import pytest

from policy_sim.errors import SourceError
from policy_sim.io.manifest import to_toml, update_manifest

FACTS = {
    "title": 'a "quoted" title\nof two lines, 50 %',
    "people": 3,
    "counted": 0.1 + 0.2,
    "notes": ["é", "b"],
    "no": [],
}


def test_toml_is_read_back_as_it_was():
    table = {"kind": {"one": FACTS, "two-2": {"yes": True}}, "top": 1}
    assert tomllib.loads(to_toml(table)) == table


def test_what_toml_cannot_hold_is_refused():
    with pytest.raises(TypeError, match="NoneType"):
        to_toml({"nothing": None})


def test_one_entry_is_replaced_and_the_others_stay(tmp_path):
    update_manifest(tmp_path, "boundaries", "counties", {"file": "c"})
    update_manifest(tmp_path, "populations", "us-1", {"file": "old"})
    path = update_manifest(tmp_path, "populations", "us-1", FACTS)
    assert tomllib.loads(path.read_text()) == {
        "boundaries": {"counties": {"file": "c"}},
        "populations": {"us-1": FACTS},
    }


def test_a_manifest_that_is_not_toml_is_kept_and_named(tmp_path):
    (tmp_path / "manifest.toml").write_text("= broken")
    with pytest.raises(SourceError, match=r"manifest\.toml: cannot be read"):
        update_manifest(tmp_path, "populations", "us-1", FACTS)
    assert (tmp_path / "manifest.toml").read_text() == "= broken"
