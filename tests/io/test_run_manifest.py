from __future__ import annotations

import json

import pytest

from policy_sim.errors import OutputError
from policy_sim.io.run_manifest import read_manifest, run_manifest, with_earlier


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
