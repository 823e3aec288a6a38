"""No test fails because the machine is slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import settings


@pytest.mark.slow
def test_no_deadline_by_default_or_by_hand(root):
    assert settings.default.deadline is None
    with_one = [
        path.name
        for path in (root / "tests").rglob("test_*.py")
        if re.search(r"deadline=(?!None)", path.read_text(encoding="utf-8")) and path.name != "test_no_deadlines.py"
    ]
    assert with_one == []
