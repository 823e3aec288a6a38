"""Every public name says what it is and what it refuses; every class shows itself in an example that runs.

``tests/test_examples.py`` runs the examples.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_doors import ARGUMENTS_OF_OUR_OWN, FILE_DOORS, STATE_DOORS, front_doors, public_members

import policy_sim

_SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Examples", "References", "Notes")
_PACKAGE = Path(__file__).resolve().parents[1] / "policy_sim"


def sections(function: Any) -> dict[str, str]:
    """The sections of a docstring by name; the summary has none."""
    parts, name = {"": ""}, ""
    lines = inspect.cleandoc(function.__doc__ or "").splitlines()
    for at, line in enumerate(lines):
        if line in _SECTIONS and at + 1 < len(lines) and re.fullmatch("-+", lines[at + 1]):
            name = line
            parts[name] = ""
        elif not re.fullmatch("-+", line):
            parts[name] += line + "\n"
    return parts


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function and method, by the name of the class that defines it, each once."""
    seen = {}
    for name, door in front_doors().items():
        if not inspect.isclass(door):
            seen[name] = door
            continue
        for _, kind, function in public_members(door):
            if kind == "method" and function.__qualname__ not in ARGUMENTS_OF_OUR_OWN:
                seen[function.__qualname__] = function
    yield from seen.items()


CALLABLES = dict(callables())
CLASSES = {name: door for name, door in front_doors().items() if inspect.isclass(door)}
SHOWN = [name for name in CLASSES if name in policy_sim.__all__]  # an answer is shown where it is asked for
_TRIED = {name.rpartition(".")[2] for name in (*STATE_DOORS, *FILE_DOORS) if "." in name and " " not in name}


def parameters(function: Callable[..., Any]) -> list[str]:
    taken = inspect.signature(function).parameters.values()
    return [each.name for each in taken if each.name not in ("self", "cls") and each.kind != each.VAR_KEYWORD]


def test_each_callable_says_what_it_does():
    assert not [name for name, each in CALLABLES.items() if not sections(each)[""].strip()]


@pytest.mark.parametrize("name", [name for name, each in CALLABLES.items() if parameters(each)])
def test_what_is_refused_is_described(name):
    """Whatever is tried with wrong arguments (``tests/hostile_doors.py``) says which errors those end in."""
    if name.rpartition(".")[2] in _TRIED:
        assert "Error :" in sections(CALLABLES[name]).get("Raises", "")


@pytest.mark.parametrize("name", SHOWN)
def test_each_class_says_what_it_is_and_shows_itself(name):
    parts = sections(CLASSES[name])
    assert parts[""].strip()
    assert ">>>" in parts.get("Examples", "")


def test_every_property_says_what_it_is():
    bare = [
        f"{name}.{member}"
        for name, cls in CLASSES.items()
        for member, kind, function in public_members(cls)
        if kind == "property" and not (function.__doc__ or "").strip()
    ]
    assert not bare
