"""Names say what they hold: a noun, not a bare participle, pronoun or adverb."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "policy_sim"

# Each of these could hold anything; a noun such as ``matches``, ``requested_states`` or ``codes`` says what is held.
_WORDS = """
asked done each given gone here it kept made meant one said shown some that there these thing this those
told wanted
"""
VAGUE = frozenset(_WORDS.split())


def _names(tree: ast.Module):
    """Variables and parameters, and what is read of an object: fields of a class, properties, attributes it sets."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr.lstrip("_"), node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef) and any("property" in ast.unparse(each) for each in node.decorator_list):
            yield node.name.lstrip("_"), node.lineno


def test_a_name_says_what_it_holds():
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, line in _names(ast.parse(path.read_text(encoding="utf-8")))
        if name in VAGUE
    ]
    assert not wrong, f"give each a noun that says what it holds: {wrong}"


def test_the_check_sees_variables_parameters_and_loops():
    code = (
        "def f(known):\n    found = [each for each in known]\n    "
        "for one in found:\n        pass\n    return lambda it: it\n"
    )
    assert {"known", "found", "each", "one", "it"} <= {name for name, _ in _names(ast.parse(code))}


def test_the_check_sees_fields_attributes_and_properties_but_no_methods():
    code = (
        "class A:\n    shown: str\n    told = 1\n    def __init__(self):\n        self.found, self._kept = 1, 2\n"
        "        self._given: int = 3\n    @cached_property\n    def _known(self):\n        pass\n"
        "    def done(self):\n        pass\n"
    )
    names = {name for name, _ in _names(ast.parse(code))}
    assert {"shown", "told", "found", "kept", "given", "known"} <= names
    assert "done" not in names
