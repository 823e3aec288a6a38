"""The floors of docs/architecture.md: a module imports from its own floor and those before it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "policy_sim"

# Floor by floor; a name is a module or a package of policy_sim.
FLOORS = (
    ("words", {"errors", "fields", "states"}),
    ("maths", {"binning", "groups", "sizes", "estimators"}),
    ("nouns", {"population", "policies", "attackers", "microdata", "profile", "frames"}),
    (
        "model",
        {
            "study",
            "cases",
            "breakdown",
            "uncertainty",
            "birth_years",
            "sensitivity",
            "reproduce",
            "explore",
            "simulation",
            "change",
            "what_if",
            "county_lists",
        },
    ),
    ("sources", {"sources"}),
    ("render", {"render"}),
    ("front", {"setting", "api", "cli"}),
)
HEIGHT = {name: height for height, (_, names) in enumerate(FLOORS) for name in names}
MAY_IMPORT_CLICK = {"cli"}
MATHS_MAY_IMPORT = {"numpy", "scipy", "sklearn", "policy_sim"}


def _modules():
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def _place(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def _imports(path: Path, *, typing_too: bool = True):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set()
    if not typing_too:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                skipped |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_stands_on_a_floor_and_imports_downstairs_only(path):
    assert _place(path) in HEIGHT, f"{path.name} stands on no floor: name it in FLOORS and in docs/architecture.md"
    height = HEIGHT[_place(path)]
    for name in _imports(path):
        parts = name.split(".")
        if parts[0] == "policy_sim" and len(parts) > 1:
            assert HEIGHT[parts[1]] <= height, f"imports {name} from a floor above"


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_click_is_for_the_commands(path):
    if _place(path) not in MAY_IMPORT_CLICK:
        assert "click" not in {name.split(".")[0] for name in _imports(path)}


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_maths_knows_numbers_only(path):
    if FLOORS[HEIGHT[_place(path)]][0] == "maths":
        import sys

        known = MATHS_MAY_IMPORT | set(sys.stdlib_module_names)
        assert {name.split(".")[0] for name in _imports(path, typing_too=False)} <= known


@pytest.mark.parametrize("path", [p for p in _modules() if _place(p) == "render"], ids=lambda path: path.name)
def test_rendering_draws_what_it_is_given(path):
    for name in _imports(path):
        parts = name.split(".")
        if parts[0] == "policy_sim" and len(parts) > 1:
            assert FLOORS[HEIGHT[parts[1]]][0] not in ("maths", "model"), f"rendering imports {name}"


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_paths_knows_where_folders_are(path):
    if path.name not in ("paths.py",):
        assert "__file__" not in path.read_text(encoding="utf-8")


def test_the_page_names_every_floor_as_it_is_built():
    """Each row of the table names what stands on its floor, and nothing else that there is."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    built = {_place(path) for path in _modules()}
    assert built == set(HEIGHT)
    for floor, names in FLOORS:
        (row,) = re.findall(rf"^\| {floor} \| (.*) \| .* \|$", page, re.MULTILINE)
        assert set(re.findall(r"`(\w+)/?`", row)) & built == names
