"""Answers of analyses of their own: they draw themselves, say where they come from, and cost nobody else an import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from policy_sim import Study
from policy_sim.study.answers import BreakdownAnswer, CheckAnswer, SensitivityAnswer

STUDY = Study("us-2010")
HEAVY = ("analyses.lattice_search", "analyses.attack", "analyses.sensitivity", "analyses.disclosure_rules")


def test_a_breakdown_draws_bars_and_keeps_its_provenance():
    answer = STUDY.break_down("sex", "limited-dataset", "general", "DE", 1, rules="paper")
    assert isinstance(answer, BreakdownAnswer)
    assert set(answer.to_frame()["value"]) == {"F", "M"}
    texts = [text.get_text() for text in answer.plot().findobj(match=lambda artist: hasattr(artist, "get_text"))]
    assert {"Male", "Female", "39.2%"} <= set(texts)
    assert answer.provenance.notes[0].startswith("population: us-2010")


@pytest.mark.slow
def test_sensitivity_draws_a_tornado_with_a_bar_for_each_assumption():
    answer = STUDY.sensitivity("DE", "safe-harbor", "general", 1, rules="paper")
    assert isinstance(answer, SensitivityAnswer)
    labels = [label.get_text() for axes in answer.plot().axes for label in axes.get_yticklabels()]
    assert len([label for label in labels if label]) >= 1


def test_release_checks_are_rows_with_their_provenance():
    answer = STUDY.check_release("limited-dataset-paper", "DE")
    assert isinstance(answer, CheckAnswer)
    assert set(answer.to_frame()["state"]) == {"DE"}


@pytest.mark.slow
def test_a_comparison_imports_none_of_them():
    code = (
        "import sys\nfrom policy_sim import Study\nStudy('us-2010').compare(states='DE', rules='paper')\n"
        f"sys.exit(', '.join(name for name in {HEAVY} if 'policy_sim.' + name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
