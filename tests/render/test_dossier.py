"""Dossiers: every part that a reader must find, in both forms."""

from __future__ import annotations

import io
import zipfile

import pytest

from policy_sim.render.dossier import dossier_sections, write_dossier
from policy_sim.render.dossier_docx import dossier_docx
from policy_sim.render.dossier_html import dossier_html, project_in_dossier

RISK = {
    "records": 90, "rows": 100, "classes": 7, "smallest": 1, "uniques": 2, "maximum": 1.0, "average": 0.07,
    "strict_average": 1.0, "population_maximum": 1.0, "marketer": 0.07,
}  # fmt: skip
VERDICT = {"data_risk": 0.05, "context_risk": 1.0, "overall": 0.05, "passes": True, "why": "that meets it"}
FIGURES = {
    "program": "policy-sim 0",
    "title": "Visits <2025>",
    "edition": {"name": "ipc-2016", "title": "Guidelines", "citation": "IPC 2016", "read": "whole", "also": []},
    "input": {"name": "visits.csv", "sha256": "ab" * 32, "rows": 100, "columns": 3},
    "output": {"name": "release.csv", "sha256": "cd" * 32, "rows": 95, "columns": 2},
    "sources": {"population us-2020": "ef" * 32},
    "population": "the records of the file",
    "key": {"file": "a.key", "fingerprint": "0123456789abcdef"},
    "answers": [
        {
            "question": "reassess", "step": "documents", "asks": "When?", "answer": "2027-11-30", "meaning": "",
            "by": "A. Officer", "on": "2026-11-01", "evidence": "minutes 7", "citation": "IPC 2016",
        }
    ],
    "variables": [
        {"name": "age", "role": "key", "kind": "age", "done": "generalized to 5 wide", "reason": "known", "by": "A."}
    ],
    "aim": "no class of fewer than 11 records of the file",
    "assessment": {
        "model": "non-public", "invasion": "low", "threshold": "0.09", "class": 11, "measure": "maximum",
        "sizes": "file",
        "needs": "no class of fewer than 11", "context": 1.0,
        "attacks": [{"name": "T4", "title": "an attack", "probability": 1.0, "why": "open", "citation": "IPC 2016"}],
        "before": VERDICT | {"passes": False, "why": "that does not meet it"}, "after": VERDICT,
    },
    "before": RISK,
    "after": RISK | {"smallest": 11, "uniques": 0, "maximum": 1 / 11},
    "search": {
        "loss": 0.21, "levels": {"age": "5 wide"}, "suppressed": 5, "blanked": 0, "drawn": 100, "limit": 0.05,
        "nodes": 10, "measured": 4, "optimal": True,
    },
    "utility": {
        "entropy_loss": 0.4,
        "missingness": {
            "records_before": 0.03, "records_after": 0.05, "cells_before": 0.015, "cells_after": 0.03,
            "records_lost": 0.02, "cells_lost": 0.015,
        },
        "distances": [
            {"field": "age", "kind": "shares", "distance": None, "mean_before": None, "mean_after": None},
        ],
    },
    "sensitive": [{"field": "ill", "distinct": 2, "entropy": 1.5, "closeness": 0.2, "told": 3, "records": 95}],
    "linkage": {
        "rows": [
            {
                "attacker": "voter", "state": "OH", "linkage_key": "geography=county", "records": 95,
                "total_risk": 0.01, "largest_chance": 0.0001, "price_usd": None, "status": "ok", "reason": "",
            }
        ],
        "left_out": ["dx"],
        "notes": ["voter lists: vintage 2026"],
    },
    "analyses": [{"analysis": "stay", "group": "sex=F", "before": 2.5, "after": None}],
    "notes": ["a note"],
    "project": 'title = "Visits <2025>"  # & more\n',
}  # fmt: skip


@pytest.fixture
def sections():
    return dossier_sections(FIGURES)


def test_every_part_is_there(sections):
    titles = [section.title for section in sections]
    assert titles == [
        "The answer",
        "Release model and responsibility",
        "Variables and what is done to each",
        "Threshold and why",
        "Attacks and the risk in the context",
        "Risk before and after",
        "Transformation",
        "What is left of the use",
        "Sensitive values",
        "Linked with the census and voter lists",
        "The analyses of the project, before and after",
        "Answers and evidence",
        "Clauses of the agreement",
        "Checklist of a data use agreement for a limited data set",
        "Determination by an expert",
        "Make it again, and check it again",
        "Project file",
    ]
    text = dossier_html("T", sections)
    for said in (
        "ab" * 32,
        "cd" * 32,
        "ef" * 32,
        "2027-11-30",
        "minutes 7",
        "164.514(e)(4)(ii)",
        "164.514(b)(1)",
        "2.0%",
        "1.5%",
    ):
        assert said in text
    assert "<2025>" not in text


def test_public_data_have_no_agreement():
    public = FIGURES | {"assessment": FIGURES["assessment"] | {"model": "public"}}
    titles = [section.title for section in dossier_sections(public)]
    assert "Clauses of the agreement" not in titles
    semi = FIGURES | {"assessment": FIGURES["assessment"] | {"model": "semi-public"}}
    assert "Terms of use of a semi-public release" in [section.title for section in dossier_sections(semi)]


def test_without_verdict_and_search_it_says_so():
    little = FIGURES | {
        "assessment": None,
        "search": None,
        "key": None,
        "sensitive": [],
        "linkage": None,
        "analyses": [],
    }
    text = dossier_html("T", dossier_sections(little))
    assert "there is no verdict on the overall risk" in text
    assert "No secret key is needed." in text
    assert "No sensitive column is released." in text


def test_the_project_comes_back_letter_by_letter(sections):
    assert project_in_dossier(dossier_html("T", sections)) == FIGURES["project"]
    assert project_in_dossier("<p>none</p>") is None


def test_word_documents_are_the_same_every_time(sections):
    one, two = dossier_docx("T", sections), dossier_docx("T", sections)
    assert one == two
    with zipfile.ZipFile(io.BytesIO(one)) as packed:
        text = packed.read("word/document.xml").decode()
    for said in ("Determination by an expert", "cd" * 32, "minutes 7"):
        assert said in text


def test_control_characters_do_not_break_a_word_document():
    odd = FIGURES | {"project": "a = 1\x00\x07"}
    assert dossier_docx("T", dossier_sections(odd))


def test_both_files_are_written(tmp_path):
    write_dossier(FIGURES, tmp_path)
    assert (tmp_path / "dossier.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "dossier.docx").read_bytes()[:2] == b"PK"


def test_without_the_extra_for_documents_there_is_a_page_alone(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "docx", None)
    write_dossier(FIGURES, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["dossier.html"]
