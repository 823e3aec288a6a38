"""The figures of a small release, as a run writes them."""

import pytest

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
        {"name": "age", "standing": "target", "role": "key", "kind": "age", "done": "generalized to 5 wide",
         "reason": "known", "by": "A.", "looks": "99"}
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
        "loss": 0.21, "objective": 0.25, "objective_is": "the mean of the fields' losses",
        "levels": {"age": "5 wide"}, "suppressed": 5, "blanked": 0, "drawn": 100, "limit": 0.05,
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
def figures():
    return FIGURES
