"""What kill -9 leaves of two works; all twenty, and of a server alone or its workers, are ``benchmarks.app_kills``."""

from __future__ import annotations

import sys

import pytest

from benchmarks.app_kills import tried

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


def test_nothing_is_left_after_the_next_start(tmp_path):
    gone = tried("an upload and a release at once", "all", 400, tmp_path)
    assert gone.wrong == (), gone
    assert gone.at.startswith("running"), gone  # the kill came in time
