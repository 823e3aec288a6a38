"""The rooms of docs/architecture.md, held by reading every import."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

PACKAGE = Path(__file__).resolve().parents[1] / "policy_sim"

# In order: a room imports from those before it.
ROOMS = (
    "words",
    "files",
    "formulas",
    "estimators",
    "voter_lists",
    "policies",
    "people",
    "attackers",
    "model",
    "rules",
    "records",
    "papers",
    "show",
    "areas",
    "explorer",
    "study",
    "briefs",
    "atlas",
    "release",
    "tables",
    "app",
    "building",
    "cli",
)
HEIGHT = {room: height for height, room in enumerate(ROOMS)} | {"__main__": len(ROOMS)}
MOST_LINES = 600
MATHS_MAY_IMPORT = {"numpy", "scipy", "sklearn", "policy_sim"} | set(sys.stdlib_module_names)


def _modules():
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def _name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def _place(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(_tree(path)))


def _runtime_nodes(path: Path) -> list[ast.AST]:
    """What is not for types alone."""
    types = [node for node in _nodes(path) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    skipped = {id(inner) for node in types for inner in ast.walk(node)}
    return [node for node in _nodes(path) if id(node) not in skipped]


def _imports(path: Path, *, typing_too: bool = True):
    for node in _nodes(path) if typing_too else _runtime_nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _ours(path: Path):
    """Modules of the package that a module imports, as the part after ``policy_sim.``."""
    for name in _imports(path):
        parts = name.split(".")
        if parts[0] == "policy_sim" and len(parts) > 1:
            yield parts[1:]


def test_a_room_imports_from_those_before_it():
    """Imports inside functions and for types count too, so rooms never go round in a circle."""
    wrong = [
        f"{_name(path)} imports {'.'.join(parts)}"
        for path in _modules()
        for parts in _ours(path)
        if HEIGHT[parts[0]] > HEIGHT[_place(path)]
    ]
    assert not wrong


# A front door and its helper, which may import each other inside functions.
DOORS = {"study.study", "study.money"}


def test_modules_do_not_import_each_other_in_a_circle():
    """Within a room too, imports inside functions included; an import for types alone is none."""
    edges = {_dotted(path): set(_modules_imported(path)) for path in _modules()}
    edges = {name: others & set(edges) - {name} for name, others in edges.items()}
    while leaves := {name for name in edges if not (edges[name] & set(edges))}:
        for name in leaves:
            del edges[name]
    while roots := set(edges) - {other for others in edges.values() for other in others}:
        for name in roots:
            del edges[name]
    assert not set(edges) - DOORS, f"these import each other: {sorted(edges)}"


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def _modules_imported(path: Path):
    """Modules that this one imports, inside functions too, but not for types alone."""
    for node in _runtime_nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("policy_sim."):
            module = node.module.removeprefix("policy_sim.")
            for alias in node.names:
                inner = PACKAGE.joinpath(*module.split("."), f"{alias.name}.py")
                yield f"{module}.{alias.name}" if inner.exists() else module


def test_a_module_is_what_a_reader_takes_in_at_once():
    long = [f"{_name(path)}: {n}" for path in _modules() if (n := len(path.read_text().splitlines())) > MOST_LINES]
    assert not long


# Files that format fractions themselves, and why.
OWN_FORMATS = {
    "show/document/markup.py": "the width of a picture in a style",
    "show/maps/fills.py": "a limit of classes, rounded as a number",
    "atlas/state_page.py": "the width of a bar in a style",
    "release/schemes.py": "a label in released data, which no longer rounds",
    "cli/output.py": "seconds before a line of progress, in a column",
    "building": "files of data",
}
_FORMAT_OF_FRACTIONS = re.compile(r"[eEfFgGn%]$")
_FORMAT_IN_TEXT = re.compile(r"\{\w*:[^{}]*[eEfFgGn%]\}")


def test_documents_tables_and_messages_format_numbers_in_one_place():
    """Where ``show/numbers.py`` can be imported, nothing else rounds; whole numbers, and errors, are as they are."""
    able = [path for path in _modules() if HEIGHT[_place(path)] >= HEIGHT["show"]]
    found = {_name(path): [node.lineno for node in _formats_of_fractions(path)] for path in able}
    assert found.pop("show/numbers.py")
    wrong = {
        name: lines for name, lines in found.items() if lines and not {name, name.split("/")[0]} & set(OWN_FORMATS)
    }
    assert not wrong, "format these with a function of policy_sim/show/numbers.py"
    used = {name for name, lines in found.items() if lines}
    assert not [name for name in OWN_FORMATS if not any(path.startswith(name) for path in used)]


def _formats_of_fractions(path: Path) -> list[ast.expr]:
    """Return what writes a number that may have a fraction by a format of its own, outside errors."""
    errors = {id(inner) for node in _nodes(path) if isinstance(node, ast.Raise) for inner in ast.walk(node)}
    return [node for node in _nodes(path) if id(node) not in errors and _formats_a_fraction(node)]


def _formats_a_fraction(node: ast.AST) -> bool:
    if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
        last = node.format_spec.values[-1]
        return isinstance(last, ast.Constant) and bool(_FORMAT_OF_FRACTIONS.search(last.value))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(_FORMAT_IN_TEXT.search(node.value))


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ('f"{share:.1%}"', True),
        ('f"{usd:,.{places}f}"', True),
        ('"{:.2f}".format', True),
        ('f"{count:,}"', False),
        ('f"{name:>8}"', False),
        ('"width: 3g"', False),
    ],
)
def test_a_format_of_fractions_is_found(text, formats):
    assert any(map(_formats_a_fraction, ast.walk(ast.parse(text)))) == formats


def test_click_is_for_the_commands():
    users = {_place(path) for path in _modules() if "click" in {name.split(".")[0] for name in _imports(path)}}
    assert users == {"cli"}


def test_maths_knows_numbers_only():
    wrong = [
        f"{_name(path)} imports {name}"
        for path in _modules()
        if _place(path) in ("formulas", "estimators")
        for name in _imports(path, typing_too=False)
        if name.split(".")[0] not in MATHS_MAY_IMPORT
        or (name.startswith("policy_sim.") and name.split(".")[1] not in ("words", "formulas", "estimators"))
    ]
    assert not wrong


def test_rendering_draws_what_it_is_given():
    wrong = [
        f"{_name(path)} imports {'.'.join(parts)}"
        for path in _modules()
        if _place(path) in ("show", "briefs", "explorer")
        for parts in _ours(path)
        if parts[0] in ("formulas", "estimators")
    ]
    assert not wrong


def test_nothing_imports_what_builds_the_shipped_data_but_its_command():
    users = {
        _name(path)
        for path in _modules()
        if _place(path) != "building"
        for parts in _ours(path)
        if parts[0] == "building"
    }
    assert users <= {"cli/people.py"}


def test_only_paths_knows_where_folders_are():
    users = {path.name for path in _modules() if "__file__" in path.read_text(encoding="utf-8")}
    assert users <= {"paths.py"}


def test_kinds_of_arrays_have_one_home():
    wrong = [
        f"{_name(path)}:{node.lineno} names a kind of array: import it from policy_sim.words.arrays"
        for path in _modules()
        if _name(path) != "words/arrays.py"
        for node in _tree(path).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and re.search(r"= (np\.typing\.|npt\.)?NDArray\[", ast.unparse(node))
        if "|" not in ast.unparse(node)  # a choice of kinds is another thing
    ]
    assert not wrong


_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def _texts(path: Path):
    """Every text of a module but its docstrings, those of an f-string put together."""
    skipped = set()
    for node in _nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ask":  # it names options to a shell alone
            skipped |= {id(keyword.value) for keyword in node.keywords}
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            whole = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(whole)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def test_no_message_below_the_commands_names_an_option_of_the_command_line():
    """From Python there is no option: a message names the argument by ``ask``, or says what to do."""
    wrong = [
        f"{_name(path)}:{line} {flag}"
        for path in _modules()
        if _place(path) != "cli"
        for line, text in _texts(path)
        for flag in _FLAG.findall(text)
    ]
    assert not wrong


# Classes of buyers, of whom the voters of a state are one; an attacker has the same word for its name.
_BUYERS = ("voter_lists/list_field.py", "voter_lists/coding.py")


def test_attackers_are_named_by_attackers_alone():
    """Elsewhere a name is ``GENERAL.name`` or ``VOTER``, and what one can do is asked of what it holds."""
    wrong = [
        f"{_name(path)}:{line} spells {text!r}"
        for path in _modules()
        if _place(path) != "attackers" and _name(path) not in _BUYERS
        for line, text in _texts(path)
        if text in ("general", "voter") or re.search(r"'(general|voter)'", text)
    ]
    assert not wrong


def test_the_page_has_a_row_for_every_room_in_order():
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE) == list(ROOMS)
    assert {_place(path) for path in _modules()} == set(HEIGHT)


def test_the_page_names_every_room_and_no_file_that_is_not_there():
    """Someone who wants to change one thing finds its room on the page, and the room where the page says."""
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.parent.relative_to(PACKAGE).as_posix() for path in _modules()} - {"."}
    assert not [room for room in sorted(rooms) if f"`{room}/" not in page]
    wrong = []
    for line in page.splitlines():
        (room,) = re.findall(r"^\| `(\w+)/` \|", line) or [""]
        places = (PACKAGE / room, PACKAGE, PACKAGE.parent)
        named = re.findall(r"`((?:\w+/)*\w+(?:/|\.py|\.js|\.toml))`", line)
        wrong += [name for name in named if not any((place / name).exists() for place in places)]
    assert not wrong


def _functions(tree: ast.Module):
    """Public functions of a module and public methods of its public classes, with the name that a reader sees."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (
                (f"{node.name}.{inner.name}", inner)
                for inner in node.body
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_")
            )


def test_every_public_name_says_what_it_is():
    """Public classes, functions and methods have a docstring, whichever module they stand in."""
    wrong = [
        f"{_name(path)}: {name}"
        for path in _modules()
        for name, node in [
            *_functions(_tree(path)),
            *((n.name, n) for n in _tree(path).body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")),
        ]
        if not ast.get_docstring(node) and not any("overload" in ast.dump(each) for each in node.decorator_list)
    ]
    assert not wrong


def test_checksums_have_one_home():
    users = {_name(path) for path in _modules() if "hashlib" in {name.split(".")[0] for name in _imports(path)}}
    assert users == {"files/writing.py"}


# No test fails because the machine is slow.


@pytest.mark.slow
def test_no_deadline_by_default_or_by_hand(root):
    assert settings.default.deadline is None
    with_one = [
        path.name
        for path in (root / "tests").rglob("test_*.py")
        if re.search(r"deadline=(?!None)", path.read_text(encoding="utf-8")) and path.name != "test_architecture.py"
    ]
    assert with_one == []


def test_the_pages_of_the_app_compute_nothing():
    """Each screen is one call of what the commands call too: there is nothing to compute with."""
    heavy = {"numpy", "pandas", "scipy", "duckdb", "shapely", "pyarrow", "geopandas"}
    wrong = [
        f"{_name(path)} imports {name}"
        for path in _modules()
        if _place(path) == "app"
        for name in _imports(path)
        if name.split(".")[0] in heavy
        or name.startswith(("policy_sim.formulas", "policy_sim.estimators", "policy_sim.model"))
    ]
    assert not wrong
