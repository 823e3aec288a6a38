"""Names say what they hold: a noun, not a bare participle, pronoun or adverb."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "policy_sim"

# Each of these could hold anything; a noun such as ``matches``, ``requested_states`` or ``codes`` says what is held.
_WORDS = """
asked done each found given gone here it kept known made meant one said shown some that there these thing this those
told wanted
"""
VAGUE = frozenset(_WORDS.split())


def _vague_names(tree: ast.Module):
    """Variables that a function or module assigns, and parameters; fields of a class are outside."""
    fields = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def test_a_variable_says_what_it_holds():
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, line in _vague_names(ast.parse(path.read_text(encoding="utf-8")))
        if name in VAGUE
    ]
    assert not wrong, f"give each a noun that says what it holds: {wrong}"


def test_the_check_sees_variables_parameters_and_loops():
    code = (
        "class A:\n    shown: str\ndef f(known):\n    found = [each for each in known]\n    "
        "for one in found:\n        pass\n    return lambda it: it\n"
    )
    names = {name for name, _ in _vague_names(ast.parse(code))}
    assert {"known", "found", "each", "one", "it"} <= names
    assert "shown" not in names
