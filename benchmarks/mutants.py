"""One-line changes drawn at random in what a reader sees, and whether the tests notice each.

``python -m benchmarks.mutants --number 100 --seed 22`` copies the checkout, changes one place at a time in analyses,
binning, attackers, deidentify, results, the numbers' words and the page's scripts, and runs the module's own
test file, a few of those that import it and its doctest, until one fails. A change that no test notices survived.
Those that change no figure and no word are named in ``EQUIVALENT``, each with why.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("analyses", "binning", "attackers", "deidentify", "results", "render/numbers.py", "render/explorer")
_MOST_FILES, _SECONDS = 4, 900

# (module, line as it stands, line as changed) -> why no figure and no word depends on it
EQUIVALENT: dict[tuple[str, str, str], str] = {}

_COMPARE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
_BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
_SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_SIGNS |= {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
_JAVASCRIPT = (
    (r" (<=|>=|<|>|===|!==) ", {"<=": "<", ">=": ">", "<": "<=", ">": ">=", "===": "!==", "!==": "==="}),
    (r" ([-+*/]) ", {"-": "+", "+": "-", "*": "/", "/": "*"}),
    (r"\bMath\.(min|max)\b", {"min": "max", "max": "min"}),
    (r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    (r"(?<![\w.#\"'-])(\d+(?:\.\d+)?)(?![\w.%\"'])", {}),
)


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the line's number, the line before and after."""

    file: str
    number: int
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str]:
        """By what the change is known when lines move."""
        return self.file.removeprefix("policy_sim/"), self.before.strip(), self.after.strip()


def mutants() -> list[Mutant]:
    """Every change that can be drawn, in the order of the files."""
    found: list[Mutant] = []
    for place in PLACES:
        path = ROOT / "policy_sim" / place
        files = [path] if path.is_file() else sorted([*path.rglob("*.py"), *path.rglob("*.js")])
        for file in files:
            text = file.read_text(encoding="utf-8")
            changes = _of_javascript(text) if file.suffix == ".js" else _of_python(text)
            name = file.relative_to(ROOT).as_posix()
            lines = text.splitlines()
            found += [Mutant(name, row + 1, lines[row], after) for row, after in changes if after != lines[row]]
    return found


def _of_javascript(text: str) -> Iterator[tuple[int, str]]:
    for row, line in enumerate(text.splitlines()):
        if line.strip().startswith(("//", "*", "/*")):
            continue
        for pattern, instead in _JAVASCRIPT:
            for match in re.finditer(pattern, line):
                other = instead.get(match[1]) or str(float(match[1]) + 1).removesuffix(".0")
                yield row, line[: match.start(1)] + other + line[match.end(1) :]


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    lines = text.encode().splitlines()
    for node in ast.walk(ast.parse(text)):
        for row, start, end, other in _changes(node, lines):
            raw = lines[row]
            yield row, (raw[:start] + other.encode() + raw[end:]).decode()


def _changes(node: ast.AST, lines: list[bytes]) -> Iterator[tuple[int, int, int, str]]:
    """Row, columns and the words that take their place, all in bytes of the line."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        yield from _between(node.left, node.comparators[0], node.ops[0], _COMPARE, lines)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY and not _is_text(node):
        yield from _between(node.left, node.right, node.op, _BINARY, lines)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in _CALLS and node.func.end_lineno == node.func.lineno:
            end = node.func.end_col_offset or 0
            yield node.func.lineno - 1, end - len(name), end, _CALLS[name]
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.end_lineno == node.lineno:
        yield node.lineno - 1, node.col_offset, node.end_col_offset or 0, repr(node.value + 1)
    elif isinstance(node, ast.BoolOp) and node.values[0].end_lineno == node.values[1].lineno:
        row, start, end = node.values[1].lineno - 1, node.values[0].end_col_offset or 0, node.values[1].col_offset
        word, other = (b"and", "or") if isinstance(node.op, ast.And) else (b"or", "and")
        at = lines[row].find(word, start, end)
        if at >= 0:
            yield row, at, at + len(word), other


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.Constant | ast.JoinedStr) and not _is_number(side) for side in (node.left, node.right)
    )


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _between(
    left: ast.expr, right: ast.expr, sign: ast.AST, instead: dict[type, str], lines: list[bytes]
) -> Iterator[tuple[int, int, int, str]]:
    if left.end_lineno != right.lineno:
        return
    row, start, end = right.lineno - 1, left.end_col_offset or 0, right.col_offset
    word = _SIGNS[type(sign)].encode()
    at = lines[row].find(word, start, end)
    if at >= 0:
        yield row, at, at + len(word), instead[type(sign)]


def fitting_tests(file: str, tree: Path) -> list[str]:
    """The doctest of a module, its own tests and those of the files that import it."""
    if file.endswith(".js"):
        return ["tests/render/explorer/test_explorer_use.py", "tests/render/explorer/test_explorer_page.py"]
    module = file.removesuffix(".py").replace("/", ".")
    own = Path("tests") / Path(file).relative_to("policy_sim").with_name(f"test_{Path(file).name}")
    name = Path(file).stem
    users = []
    for test in sorted((tree / "tests").rglob("test_*.py")):
        text = test.read_text(encoding="utf-8")
        if module in text or re.search(rf"\b{re.escape(module.rpartition('.')[0])} import\b", text):
            users.append((module not in text, len(text), test.relative_to(tree).as_posix()))
    beside = [f"tests/{Path(file).relative_to('policy_sim').parent.as_posix()}"] if not users else []
    chosen = [own.as_posix()] if (tree / own).exists() else []
    chosen += [test for _, _, test in sorted(users) if test not in chosen]
    package = [test for test in beside if (tree / test).is_dir()]
    doctest = [file] if name != "__init__" else []
    return [*chosen[:_MOST_FILES], *package, *doctest]  # its own first: most changes end there


def copied(folder: Path) -> Path:
    """A copy of what tests read, in which a file may be changed."""
    tree = folder / "tree"
    tree.mkdir()
    for path in ROOT.iterdir():
        if path.name in (".git", ".venv", "reports") or path.name.startswith(".pytest"):
            continue
        if path.name in ("policy_sim", "tests"):
            shutil.copytree(path, tree / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tree / path.name).symlink_to(path)
    return tree


def outcome_of(mutant: Mutant, tree: Path) -> str:
    """Which test notices a change, if any does; a test that fails without the change too notices nothing."""
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    assert lines[mutant.number - 1].rstrip("\n") == mutant.before
    lines[mutant.number - 1] = mutant.after + "\n"
    tests = fitting_tests(mutant.file, tree)
    try:
        path.write_text("".join(lines), encoding="utf-8")
        status, failed = _run(tests, tree)
    except subprocess.TimeoutExpired:
        return "killed: it never ends"
    finally:
        path.write_text(text, encoding="utf-8")
    if status in (0, 5):
        return "**survived**"
    if not failed or _run([failed], tree)[0] != 0:
        return f"**unknown**: {failed or 'the tests'} fails without the change"
    return f"killed: {failed.removeprefix('tests/')}"


def _run(tests: list[str], tree: Path) -> tuple[int, str]:
    """The exit status of pytest and the first test that failed."""
    how = ["--doctest-modules", "-m", "not slow"] if tests[-1].endswith(".py") and browser not in tests[0] else []
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *how, *tests],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=_SECONDS,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode, failed[0] if failed else ""


def main() -> None:
    """Draw, run and print one row a change."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--number", type=int, default=100)
    reader.add_argument("--seed", type=int, default=22)
    reader.add_argument("--from", dest="first", type=int, default=0, help="leave out the first of those drawn")
    reader.add_argument("--every", type=int, default=1, help="take only each n-th, to share the work")
    reader.add_argument("--only", default="", metavar="ENDING", help="only files of this ending, .py or .js")
    reader.add_argument("--list", action="store_true", help="print what is drawn and run nothing")
    given = reader.parse_args()
    drawn = random.Random(given.seed).sample(mutants(), given.number)[given.first :: given.every]
    print("| module, line | before | after | outcome |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder))
        for mutant in (each for each in drawn if each.file.endswith(given.only)):
            why = EQUIVALENT.get(mutant.key)
            if given.list:
                outcome = "drawn"
            elif why is not None:
                outcome = f"equivalent: {why}"
            else:
                outcome = outcome_of(mutant, tree)
            cells = (f"{mutant.key[0]} {mutant.number}", f"`{mutant.before.strip()}`", f"`{mutant.after.strip()}`")
            print(f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} | {outcome} |", flush=True)


if __name__ == "__main__":
    main()
