"""The first answer: `policy-sim` alone, and what it writes."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from said import numbers
from small_people import run


@pytest.mark.slow
def test_the_program_alone_answers_and_writes_two_maps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run().stdout
    assert "In Ohio, " in said
    assert "policy-sim compare OH" in said
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert len([name for name in names if name.endswith(".png")]) == 2
    assert all(f"out/{name}" in said for name in names if name.endswith(".png"))
    assert {"index.html", "summary.txt", "profiles.csv"} <= names
    rows = pd.read_csv(tmp_path / "out" / "profiles.csv")
    rows = rows[(rows["state"] == "OH") & (rows["attacker"] == "voter") & (rows["measure"] == "total-risk")]
    assert {f"{people:,.0f}" for people in rows["people"]} <= {*numbers(said)}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["command"] == "compare"


@pytest.mark.slow
def test_a_folder_of_others_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.docx").write_bytes(b"mine")
    assert "policy-sim start --out NAME" in " ".join(run().stdout.split())
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.docx"]
