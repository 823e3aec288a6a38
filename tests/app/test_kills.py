"""What kill -9 leaves of two works; all twenty, and of a server alone or its workers, are ``benchmarks.app_kills``."""

from __future__ import annotations

import sys

import pytest

from benchmarks.app_kills import tried

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
]


@pytest.mark.parametrize(
    ("point", "whom"),
    [("upload, half of it sent", "server"), ("writing: the hidden folder is there", "all")],
)
def test_nothing_is_left_after_the_next_start(point, whom, tmp_path):
    gone = tried(point, whom, 400, tmp_path)
    assert gone.wrong == (), gone
    assert not gone.at.startswith("done"), gone  # the kill came in time
