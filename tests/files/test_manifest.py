"""Where files are, and what a folder says of them."""

from __future__ import annotations

import json
import os
import tomllib

import pytest

from policy_sim.files.manifest import read_manifest, run_manifest, update_manifest, with_earlier, with_facts
from policy_sim.files.paths import cache_dir, data_dir, kind_of, user_data_dir, voter_policies_dir
from policy_sim.words.errors import OutputError, SourceError
from policy_sim.words.states import STATES

FACTS = {
    "title": 'a "quoted" title\nof two lines, 50 %',
    "people": 3,
    "counted": 0.1 + 0.2,
    "notes": ["é", "b"],
    "no": [],
}


def test_one_entry_is_replaced_and_the_others_stay(tmp_path):
    update_manifest(tmp_path, "boundaries", "counties", {"file": "c"})
    update_manifest(tmp_path, "populations", "us-1", {"file": "old"})
    path = update_manifest(tmp_path, "populations", "us-1", FACTS)
    assert tomllib.loads(path.read_text()) == {
        "boundaries": {"counties": {"file": "c"}},
        "populations": {"us-1": FACTS},
    }


def test_the_shipped_manifest_is_written_as_it_stands():
    """Nothing changes in it but what is new: a list in lines, text as it is, a blank line before each table."""
    raw = (data_dir() / "manifest.toml").read_text(encoding="utf-8")
    (kind, entries), *_ = tomllib.loads(raw).items()
    name, facts = next(iter(entries.items()))
    assert with_facts(data_dir(), kind, name, facts).decode() == raw


def test_a_manifest_that_is_not_toml_is_kept_and_named(tmp_path):
    (tmp_path / "manifest.toml").write_text("= broken")
    with pytest.raises(SourceError, match=r"manifest\.toml: cannot be read"):
        update_manifest(tmp_path, "populations", "us-1", FACTS)
    assert (tmp_path / "manifest.toml").read_text() == "= broken"


def test_the_same_run_gives_the_same_manifest_with_its_versions():
    one, two = (run_manifest("cost", {"g": 5}, {"population": "ab"}) for _ in range(2))
    assert one == two
    assert set(one) == {"command", "options", "inputs", "versions"}
    assert {"python", "numpy"} <= set(one["versions"])


def test_every_file_is_named_once_by_the_run_that_wrote_it_last():
    folder, truth = None, {}
    for number, names in enumerate(["ab", "bc", "d", "a", "cd"]):
        files = {name: f"{name}{number}" for name in names}
        truth |= files
        folder = with_earlier({"command": str(number), "files": files}, folder)
        runs = [folder, *folder.get("earlier", ())]
        named = [entry for run in runs for entry in run["files"].items()]
        assert sorted(named) == sorted(truth.items())
        assert [run["command"] for run in runs] == sorted((run["command"] for run in runs), reverse=True)


def test_what_is_written_is_read_back_and_nothing_is_none(tmp_path):
    path = tmp_path / "manifest.json"
    assert read_manifest(path) is None
    run = {"command": "cost", "files": {"a": "1"}, "earlier": [{"command": "trust", "files": {"b": "2"}}]}
    path.write_text(json.dumps(run))
    assert read_manifest(path) == run


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": []}', '{"files": {}, "earlier": [1]}', "\ufeff{"])
def test_a_file_of_somebody_else_is_refused(text, tmp_path):
    path = tmp_path / "manifest.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OutputError, match="not one of policy-sim"):
        read_manifest(path)


# Where folders are.


def test_shipped_folders_hold_what_they_are_for():
    assert (data_dir() / "manifest.toml").is_file()
    assert all((voter_policies_dir() / f"{state.lower()}.toml").is_file() for state in STATES if state != "PR")


def test_the_environment_moves_the_users_folder_and_the_cache_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    assert user_data_dir() == tmp_path
    assert cache_dir().parent == tmp_path
    monkeypatch.setenv("POLICY_SIM_HOME", "")
    assert user_data_dir() != tmp_path
    assert user_data_dir().name == "policy_sim"


def test_what_lies_at_a_path_and_that_nothing_does_where_no_file_can_have_the_name(tmp_path):
    file, pipe = tmp_path / "a", tmp_path / "b"
    file.touch()
    os.mkfifo(pipe)
    nothing = [tmp_path / name for name in ("c", "x" * 300, "a\0b")]
    assert [kind_of(path) for path in (file, tmp_path, pipe, *nothing)] == ["file", "folder", "other", "", "", ""]
