"""Changes of Python run in copies of one process: tests are imported once, and those that come to a change are run.

A first run notes which tests come to which line. Then each change is made in the code of a copy of the process, and the
tests that come to its line are run there, those that noticed most first, until one fails. A change outside of functions
is made in the constants that it alters; where it alters a class, it runs in its own process.
"""

from __future__ import annotations

import ast
import builtins
import gc
import json
import os
import re
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from benchmarks.mutants import Mutant

ROOT = Path(__file__).resolve().parents[1]
_CPU_SECONDS, _MEMORY = 20, 12 << 30  # beyond what the tests take without a change
_SLOW_TEST = 1.0  # seconds, from which a test is not run for each change
_SURVIVED = "**survived**"


@dataclass
class _Base:
    """What the tests do without a change: the seconds of each that passes, and which tests come to a line of a file."""

    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)


class Forked:
    """A plugin of pytest that runs every change; ``kept`` is a folder for what the tests do without a change."""

    def __init__(self, drawn: Sequence[Mutant], kept: Path, said: Callable[[Mutant, str], None]) -> None:
        self.drawn, self.kept, self.said = drawn, kept, said
        self.outcomes: dict[Mutant, str] = {}
        self._items: dict[str, pytest.Item] = {}
        self._noticed: Counter[str] = Counter()
        self._failed, self._why = False, ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember whether a test failed."""
        self._failed |= report.failed
        self._why = report.longreprtext[-600:] if report.failed else self._why

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests once without a change, then those that come to each change."""
        if session.testsfailed:
            raise session.Interrupted("a test file cannot be imported")
        gc.unfreeze()  # functions that the tests' own setup froze could not be found
        self._items = {item.nodeid: item for item in session.items}
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        base = self._without_change()
        for name in base.failed:
            print(f"fails without a change, and notices nothing: {name}", flush=True)
        for mutant in self.drawn:
            tests = self._tests(mutant, base)
            seconds = sum(base.seconds[name] for name in tests)
            answer = _in_copy(lambda m=mutant, t=tests: self._first_failure(m, t), seconds)
            outcome = answer if isinstance(answer, str) else "killed: it never ends"
            if outcome.startswith("tests") or "::" in outcome:
                self._noticed[outcome] += 1
                outcome = f"killed: {outcome.removeprefix('tests/')}"
            self.outcomes[mutant] = outcome
            self.said(mutant, outcome)
        return True

    def _without_change(self) -> _Base:
        files = sorted({mutant.file for mutant in self.drawn})
        texts = [(ROOT / file).read_bytes() for file in files]
        texts += [path.read_bytes() for path in sorted({item.path for item in self._items.values()})]
        known = self.kept / f"{sha256(b''.join(texts) + json.dumps([*self._items]).encode()).hexdigest()[:16]}.json"
        if not known.exists():
            self.kept.mkdir(parents=True, exist_ok=True)
            found = _in_copy(lambda: self._marked(files), 3600)
            assert isinstance(found, dict), found
            known.write_text(json.dumps(found))
        read = json.loads(known.read_text())
        lines = {file: {int(at): names for at, names in of.items()} for file, of in read["lines"].items()}
        return _Base(read["seconds"], read["failed"], lines)

    def _marked(self, files: list[str]) -> dict[str, object]:
        """Run every test and note the statements of the files that each comes to."""
        base = _Base(lines={file: {} for file in files})
        met: set[tuple[str, int]] = set()
        vars(builtins)["_met"] = lambda file, line: met.add((file, line))
        for file in files:
            tree = _Marks(file).visit(ast.parse((ROOT / file).read_text(encoding="utf-8")))
            code = compile(ast.fix_missing_locations(tree), str(ROOT / file), "exec", dont_inherit=True)
            _functions_changed(code, str(ROOT / file))
        for name, item in self._items.items():
            met.clear()
            begun = time.process_time()
            if not self._passes(item):
                base.failed.append(f"{name}: {self._why}")
                continue
            base.seconds[name] = time.process_time() - begun
            for file, at in met:
                base.lines[file].setdefault(at, []).append(name)
        return vars(base)

    def _tests(self, mutant: Mutant, base: _Base) -> list[str]:
        """Return the tests that come to a change: what noticed most first, then what is fastest."""
        rows = statement_rows((ROOT / mutant.file).read_text(encoding="utf-8"), mutant.number)
        met = {name for row in rows for name in base.lines[mutant.file].get(row, [])}
        names = met if _in_a_function(mutant) else set(base.seconds)
        names = {name for name in names if base.seconds[name] < _SLOW_TEST}
        return sorted(names, key=lambda name: (-self._noticed[name], base.seconds[name]))

    def _first_failure(self, mutant: Mutant, tests: list[str]) -> str:
        if not changed_in_memory(mutant):
            return "elsewhere"
        return next((name for name in tests if not self._passes(self._items[name])), _SURVIVED)

    def _passes(self, item: pytest.Item) -> bool:
        """Run one test; what its file holds is kept for others of it."""
        others = [own for own in self._items.values() if own is not item]
        other = next((own for own in others if own.parent is item.parent), others[0] if others else None)
        self._failed = False
        item.session._setupstate.teardown_exact(item)
        item._initrequest()  # type: ignore[attr-defined]
        runtestprotocol(item, nextitem=other, log=True)
        return not self._failed


class _Marks(ast.NodeTransformer):
    """Puts a call of ``_met`` before every statement of the functions of a file."""

    def __init__(self, file: str) -> None:
        self._file, self._inside = file, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Go into a function."""
        before, self._inside = self._inside, True
        self.generic_visit(node)
        self._inside = before
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Put the calls into each list of statements."""
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if self._inside and isinstance(statements, list):
                setattr(node, name, [each for own in statements for each in (self._mark(own), own)])
        return node

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        arguments: list[ast.expr] = [ast.Constant(self._file), ast.Constant(statement.lineno)]
        call = ast.Expr(ast.Call(ast.Name("_met", ast.Load()), arguments, []))
        return ast.copy_location(call, statement)


def _in_copy(work: Callable[[], object], seconds: float) -> object:
    """Return what some work gives that is done in a copy of the process; None where the copy did not end well."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        limit = int(4 * seconds + _CPU_SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        try:
            answer = json.dumps(work())
        except BaseException:
            answer = json.dumps({"error": traceback.format_exc()[-2000:]})
        with os.fdopen(writing, "w") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def statement_rows(text: str, number: int) -> range:
    """Return the lines of the innermost statement at a line; of a compound one those of its head."""
    found = range(number, number + 1)
    smallest = 10**9
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if isinstance(body, list) else node.end_lineno or node.lineno
        end = max(end, node.lineno)
        if node.lineno <= number <= end and end - node.lineno < smallest:
            found, smallest = range(node.lineno, end + 1), end - node.lineno
    return found


def _in_a_function(mutant: Mutant) -> bool:
    """Whether a line lies in the body of a function."""
    tree = ast.parse((ROOT / mutant.file).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return any(node.body[0].lineno <= mutant.number <= (node.end_lineno or 0) for node in functions)


def changed_in_memory(mutant: Mutant) -> bool:
    """Make a change in the code of this process; False where it alters more than functions and constants."""
    path = ROOT / mutant.file
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert lines[mutant.number - 1].rstrip("\n") == mutant.before, "the file is not as it was when changes were drawn"
    lines[mutant.number - 1] = mutant.after + "\n"
    module = sys.modules[mutant.file.removesuffix(".py").replace("/", ".")]
    code = compile("".join(lines), str(path), "exec", dont_inherit=True)
    if _in_a_function(mutant):
        return _functions_changed(code, str(path)) > 0
    return _constants_changed(code, module)


def _functions_changed(code: CodeType, file: str) -> int:
    fresh = {(own.co_qualname, own.co_firstlineno): own for own in _codes(code)}
    changed = 0
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == file:
            new = fresh.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if new is not None and new != function.__code__:
                function.__code__ = new
                changed += 1
    return changed


def _codes(code: CodeType) -> list[CodeType]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [code, *(deep for own in inner for deep in _codes(own))]


def _constants_changed(code: CodeType, module: ModuleType) -> bool:
    """Put the constants that a change alters into each module that has them under the same name."""
    fresh = ModuleType(module.__name__)
    fresh.__dict__.update({name: vars(module)[name] for name in ("__file__", "__package__", "__spec__", "__loader__")})
    exec(code, fresh.__dict__)
    changed = False
    users = [user for name, user in sys.modules.items() if name.startswith(("policy_sim", "tests", "test_"))]
    for name, new in vars(fresh).items():
        old = vars(module).get(name)
        if name.startswith("__") or isinstance(new, FunctionType | type | ModuleType) or _text(old) == _text(new):
            continue
        changed = True
        for user in users:
            if vars(user).get(name) is old:
                setattr(user, name, new)
    return changed


def _text(value: object) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", getattr(value, "pattern", None) or repr(value))
