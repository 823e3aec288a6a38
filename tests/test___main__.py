"""The package runs as a module, as the script does."""

from __future__ import annotations

import subprocess
import sys


def test_the_package_runs_as_the_script_does():
    done = subprocess.run(
        [sys.executable, "-m", "policy_sim", "compare", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: policy-sim compare ")


def test_a_mistake_has_the_status_of_the_script():
    done = subprocess.run([sys.executable, "-m", "policy_sim", "compar"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
