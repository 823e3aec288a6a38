"""The list of estimators, and what it takes to add one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators import ESTIMATORS, estimator_names
from policy_sim.estimators.registry import known_estimators

PACKAGE = Path(__file__).resolve().parents[2] / "policy_sim"
NEW = '''
"""Every sample unique is a population unique."""

from dataclasses import dataclass

from policy_sim.estimators.base import Answer, SizeEstimator


@dataclass(frozen=True)
class AllUniques(SizeEstimator):
    """Uniques of the sample, over its fraction."""

    name = "all_uniques"
    measures = ("uniqueness",)

    def _solve(self, sample, people):
        return Answer(uniques=sample.uniques * people / sample.records)
'''


def test_names_and_classes_agree():
    assert list(ESTIMATORS) == list(estimator_names())
    assert [name for name, model in ESTIMATORS.items() if model.needs_classes] == ["poisson_log_linear"]


def test_names_are_checked():
    assert known_estimators(["zayatz", "argus", "zayatz"]) == ("zayatz", "argus")
    with pytest.raises(UnknownNameError, match="Did you mean 'zayatz'"):
        known_estimators(["zayats"])
    with pytest.raises(InputError, match="list of names"):
        known_estimators("zayatz")
    with pytest.raises(InputError, match="at least one"):
        known_estimators([])


def test_an_estimator_is_one_file_and_its_place_in_the_registry(tmp_path):
    copy = shutil.copytree(PACKAGE, tmp_path / "policy_sim", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "estimators" / "all_uniques.py").write_text(NEW)
    registry = copy / "estimators" / "registry.py"
    text = registry.read_text().replace(
        "from policy_sim.estimators.argus",
        "from policy_sim.estimators.all_uniques import AllUniques\nfrom policy_sim.estimators.argus",
        1,
    )
    registry.write_text(text.replace("    DecisionRule,\n", "    AllUniques,\n    DecisionRule,\n", 1))
    (tmp_path / "visits.csv").write_text("age,sex\n30,F\n30,F\n41,M\n")
    command = ["dataset", "estimate", "visits.csv", "--fields", "age,sex", "--population-size", "30", "--format", "csv"]
    done = subprocess.run(
        [sys.executable, "-c", "from policy_sim.cli.main import main; main()", *command],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.splitlines()[2].startswith("all_uniques,10.0,")
