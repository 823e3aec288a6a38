"""Every example in a docstring is run, in a module found by itself: no list of modules to forget one in.

Every class of ``policy_sim`` shows itself in one.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import policy_sim

PACKAGE = Path(__file__).resolve().parents[1] / "policy_sim"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _modules() -> list[str]:
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        if any(">>> " in line and "+SKIP" not in line for line in lines):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


@pytest.mark.slow
@pytest.mark.parametrize("name", _modules())
def test_examples_in_docstrings_hold(name):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert outcome.failed == 0
    assert outcome.attempted > 0


def test_each_class_shows_itself_but_errors_whose_messages_do():
    doors = [getattr(policy_sim, name) for name in policy_sim.__all__]
    classes = [door for door in doors if inspect.isclass(door) and not issubclass(door, Exception)]
    assert not [door for door in classes if ">>>" not in door.__doc__]
