"""One-line changes drawn at random in what a reader sees, and which test notices each.

``python -m benchmarks.mutants --number 100 --seed 22`` copies the checkout, changes one place at a time in analyses,
binning, attackers, deidentify, results, the numbers' words and the page's scripts, and runs the module's own
test file, a few of those that name the changed function or import the module, and its doctest, until one fails.
Changes of the page's scripts are run in one browser session. A test that fails without the change too does not count.
A change that no test notices survived. Those that change no figure and no word are named in ``EQUIVALENT``, with why.
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
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from benchmarks.forked_mutants import Forked
from policy_sim.explorer.page import MODEL_SCRIPTS

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("model", "formulas", "attackers", "release", "show/numbers.py", "explorer")
# parts of the code that have fast tests: files, and the tests, which are imported once for all changes of the part
PARTS = {
    "release-attack": (
        ("release/attack", "formulas/known_rows.py"),
        (
            "tests/release/test_attack_limits.py",
            "tests/release/test_attack_naming.py",
            "tests/release/test_attack_together.py",
            "tests/formulas/test_known_rows.py",
            "tests/release/test_attack.py",
            "tests/release/test_attack_texts.py",
        ),
    ),
    "table-stocks": (
        ("formulas/stocks.py",),
        ("tests/formulas/test_stocks.py", "tests/tables/test_attack_relations.py"),
    ),
    "table-attack": (
        (
            "tables/attack.py",
            "formulas/equations.py",
            "formulas/shown_ratios.py",
            "formulas/whole_ranges.py",
            "records/published.py",
        ),
        (
            "tests/formulas/test_equations.py",
            "tests/formulas/test_shown_ratios.py",
            "tests/formulas/test_whole_ranges.py",
            "tests/tables/test_attack_relations.py",
            "tests/tables/test_attack.py",
        ),
    ),
}
_MOST_FILES, _SECONDS = 4, 900
_OPTIONS = ("-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", "--doctest-modules")

# (module, what the changed line has and the line did not) -> why no figure and no word depends on it
EQUIVALENT: dict[tuple[str, str], str] = {
    ("model/simulation/people.py", "max(initial=1)"): "one birthday more than there are ages",
    ("model/cases.py", "self._coverages[-2]"): "the last but one is the least itself, or lies inside the range",
    ("model/money/budget.py", "if not counties or whole"): "adds only rows that other rows imply",
    ("model/explore/age_classes.py", "np.zeros(choices.ages + 2)"): "a zero past the last age, never read",
    ("people/compared.py", "merged_by[1:5]"): "of these groups only the places are read, which are the same on a list",
    ("formulas/equations.py", "ways >= 2"): "no family of equations has between 1 and 2 ways",
    ("formulas/equations.py", "signs >= 0"): "no coefficient is 0",
    ("formulas/equations.py", "if any(part is not None"): "without a part the equation does not hold, and is tested",
    ("formulas/equations.py", "some[at + 2 :]"): "vectors next to each other, or with zeros between, are taken before",
    ("formulas/equations.py", "or ways <= 1"): "no family has one way where there are two parts or more",
    ("formulas/equations.py", "((gap > 1) & ~holes)"): "what passes is tested again",
    ("formulas/equations.py", "math.log10(ways * limit)"): "what passes is tested again",
    ("formulas/equations.py", "range(3) if own == at"): "what passes is tested again",
    ("formulas/equations.py", "hidden * 2"): "it is asked only whether there are any",
    ("formulas/equations.py", "if chance <= limit"): "no logarithm of counts equals the limit",
    ("formulas/equations.py", "chance <= RARE"): "no logarithm of counts equals the limit",
    (
        "formulas/equations.py",
        "np.flatnonzero(row)[1]",
    ): "any number but 0 can be the pivot, and no vector of numbers is 0",
    ("formulas/equations.py", "above >= _PRIME // 2"): "neither half of the prime is a small number",
    ("formulas/shown_ratios.py", "some = part >= 0"): "a count of 0 divided by anything is not the largest",
    ("formulas/shown_ratios.py", "expected >= high + edge"): "no ratio lies on an edge that is widened by a billionth",
    ("formulas/stocks.py", "size + 1) + 1"): "no more flows can be chosen than there are",
    ("formulas/stocks.py", "if sign >= 0"): "no sign is 0",
    ("formulas/stocks.py", "reshape(size, -2)"): "any number below 0 is what remains",
    ("formulas/stocks.py", "chance <= (best.chance"): "of two equations that are equally rare either will do",
    ("formulas/whole_ranges.py", "for sign in (1, -2)"): "twice a price is cheapest where the price is",
    (
        "formulas/whole_ranges.py",
        "self.seen_low[own] < self.seen_high[own] for own in unknowns",
    ): "solves more than is needed",
    ("formulas/whole_ranges.py", "len(left) <= 4"): "random prices find sooner what the programs find",
    ("formulas/whole_ranges.py", "4000000000000001"): "no count comes near either number",
    ("formulas/whole_ranges.py", "if c >= 0"): "no coefficient is 0",
    ("formulas/whole_ranges.py", "len(left) < 5"): "random prices find sooner what the programs find",
    ("formulas/whole_ranges.py", "len(left) != before"): "random prices find sooner what the programs find",
    ("formulas/whole_ranges.py", "default_rng(1), -2"): "no number of unknowns is negative",
    ("formulas/whole_ranges.py", "time.monotonic() <= end"): "a reading of the clock to the nanosecond",
    ("tables/attack.py", "(sign >= 0) == up"): "no coefficient is 0",
    ("tables/attack.py", "late or (stops or not"): "where the search need not stop, both ends are those of tables",
    ("tables/attack.py", "relations: int = 1"): "it is always given",
    ("release/attack/closed_lists.py", "set(phrase.split()) < of_phrases"): "no phrase has every word of all phrases",
    ("release/attack/closed_lists.py", "folded < listed"): "no column has every word for a sex",
    ("formulas/known_rows.py", "max(initial=-1)) + 3"): "pairs are apart in wider rows too",
    ("formulas/known_rows.py", "* width - classes"): "numbers below a multiple are apart as those above it",
    ("formulas/known_rows.py", "2**63"): "numbers below 2**63 fit too",
    ("release/attack/closed_lists.py", "tokens < own"): "no name has every word that a name may have",
    ("release/attack/columns.py", "(1, 2, 4)"): "three words that are a date are one with hyphens between them too",
    ("release/attack/closed_lists.py", "part[2:].isdigit"): "the second character of a code is a digit",
    ("release/attack/columns.py", "if not seen.texts and kind"): "no blank and no mark is an identifier",
    ("release/attack/columns.py", "default=100"): "both are above the limit",
    ("release/attack/together.py", "[-2, *(span[0]"): "any number below 0 is no age",
    ("release/attack/together.py", "else -2 for span"): "any number below 0 is no age",
    ("release/attack/together.py", "len(person.texts) + 2"): "numbers that nobody has, from one more on",
    ("release/attack/together.py", "people[people >= 0]"): "groups are numbered without gaps, so that none has nobody",
    ("formulas/variance.py", "np.where(sure, 3.0, b)"): "a placeholder: its result is thrown away",
    ("model/compare.py", "risk is None and self.price_usd"): "an undefined cost has both; for the type checker",
    ("explorer/charts.js", "width - 25"): "a pixel of where a tick's words stand",
    ("explorer/charts.js", "box.right + 7"): "a pixel between a line's end and its name",
    ("explorer/controls.js", "now - step, now - step"): "which answers are made before they are asked for",
    ("explorer/controls.js", "steps + i - 1, steps"): "which answers are made before they are asked for",
    ("explorer/drawing.js", "+ py * cos - apex"): "moves a map as a whole; its box moves with it",
    ("explorer/drawing.js", "[1, 3, 6]"): "of the fourteen colors none is so near that its blue decides the ink",
    ("explorer/drawing.js", "width: 27"): "a pixel between two stripes of a hatch",
    ("explorer/places.js", "[mean, total] = [1, 0]"): "leaves out chances of about 1e-20 a person sooner",
    ("explorer/places.js", "listed < 2"): "with everyone listed both terms are 0",
    ("explorer/words.js", "ratio >= 101"): "from 100 to 101 both ways write the same words",
    ("explorer/zip_groups.js", "i <= sums.length"): "a typed array keeps nothing past its end",
}

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
    def module(self) -> str:
        """The file, from the package on."""
        return self.file.removeprefix("policy_sim/")

    @property
    def equivalent(self) -> str | None:
        """Why no figure and no word depends on the change, where that is known."""
        fitting = (why for (module, piece), why in EQUIVALENT.items() if self._has(module, piece))
        return next(fitting, None)

    def _has(self, module: str, piece: str) -> bool:
        return module == self.module and piece in self.after and piece not in self.before


def mutants(places: Sequence[str] = PLACES) -> list[Mutant]:
    """Every change that can be drawn, in the order of the files."""
    found: list[Mutant] = []
    for place in places:
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


def fitting_tests(mutant: Mutant, tree: Path) -> list[str]:
    """A module's own tests, those of the files that name the changed function or import the module, and its doctest."""
    file = Path(mutant.file)
    module = mutant.file.removesuffix(".py").replace("/", ".")
    function = rf"\b{_function(mutant)}\b"
    own = Path("tests") / file.relative_to("policy_sim").with_name(f"test_{file.name}")
    users = []
    for test in sorted((tree / "tests").rglob("test_*.py")):
        text = test.read_text(encoding="utf-8")
        if module in text or re.search(rf"\b{re.escape(module.rpartition('.')[0])} import\b", text):
            users.append(
                (not re.search(function, text), module not in text, len(text), test.relative_to(tree).as_posix())
            )
    beside = tree / "tests" / file.relative_to("policy_sim").parent
    chosen = [own.as_posix()] if (tree / own).exists() else []
    chosen += [test for *_, test in sorted(users) if test not in chosen]
    package = [beside.relative_to(tree).as_posix()] if not users and beside.is_dir() else []
    doctest = [mutant.file] if file.stem != "__init__" else []
    return [*chosen[:_MOST_FILES], *package, *doctest]  # its own first: most changes end there


def _function(mutant: Mutant) -> str:
    """The name of the function in which the change is."""
    around = [
        node
        for node in ast.walk(ast.parse((ROOT / mutant.file).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.lineno <= mutant.number <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else "(?!)"


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
    tests = fitting_tests(mutant, tree)
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
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *_OPTIONS, *tests],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=_SECONDS,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode, failed[0] if failed else ""


class Browser:
    """A plugin of pytest: every change of a script in one session, for people are packed and compared once.

    The page is made once, and a change is made in its text. What noticed most is asked first, then what is fastest.
    """

    def __init__(self, drawn: Sequence[Mutant]) -> None:
        self.drawn = drawn
        self.outcomes: dict[Mutant, str] = {}
        self._page = Path()
        self._failed = False
        self._seconds: dict[str, float] = {}
        self._noticed: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Remember where the page lies."""
        value = yield
        if fixturedef.argname == "page_file":
            self._page = Path(str(value))
        return value

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember whether a test failed."""
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests of one file with each change until one fails that passes without it."""
        items = session.items
        self._passes(items[0], items[1])  # makes the page
        page = self._page.read_text(encoding="utf-8")
        for mutant in self.drawn:
            before = (ROOT / mutant.file).read_text(encoding="utf-8")
            lines = before.splitlines(keepends=True)
            lines[mutant.number - 1] = mutant.after + "\n"
            assert page.count(before) == 1, mutant.file
            outcome = "**survived**"
            for item in sorted(
                items, key=lambda item: (-self._noticed[item.nodeid], self._seconds.get(item.nodeid, 0))
            ):
                other = items[0] if item is not items[0] else items[1]
                self._page.write_text(page.replace(before, "".join(lines)), encoding="utf-8")
                if self._passes(item, other):
                    continue
                self._page.write_text(page, encoding="utf-8")
                if item.nodeid in self._seconds or self._passes(item, other):
                    self._noticed[item.nodeid] += 1
                    outcome = f"killed: {item.nodeid.removeprefix('tests/')}"
                    break
            self.outcomes[mutant] = outcome
            print(time.strftime("%T"), row(mutant, outcome), flush=True)
        return True

    def _passes(self, item: pytest.Item, other: pytest.Item) -> bool:
        """Run one test; what its file holds is kept for the other."""
        self._failed, begun = False, time.perf_counter()
        item._initrequest()  # type: ignore[attr-defined]
        runtestprotocol(item, nextitem=other, log=True)
        if not self._failed:
            self._seconds[item.nodeid] = time.perf_counter() - begun
        return not self._failed


def in_the_browser(drawn: Sequence[Mutant]) -> dict[Mutant, str]:
    """The outcome of each change of a script: figures against Python's where it computes, then the page in use."""
    outcomes: dict[Mutant, str] = {}
    for test in ("page", "use"):
        left = [mutant for mutant in drawn if not outcomes.get(mutant, "").startswith("killed")]
        if test == "page":
            left = [mutant for mutant in left if Path(mutant.file).stem in MODEL_SCRIPTS]
        if left:
            browser = Browser(left)
            pytest.main(
                [
                    "-s",
                    "-p",
                    "no:terminal",
                    "-o",
                    "addopts=--import-mode=importlib",
                    f"tests/explorer/test_explorer_{test}.py",
                ],
                [browser],
            )
            outcomes |= browser.outcomes
    return outcomes


def in_copies(drawn: Sequence[Mutant], tests: Sequence[str], kept: Path) -> dict[Mutant, str]:
    """The outcome of each change of a part that has fast tests, by those tests."""
    plugin = Forked(drawn, kept, lambda mutant, outcome: print(time.strftime("%T"), row(mutant, outcome), flush=True))
    options = ["-s", "-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    status = pytest.main([*options, *tests], [plugin])
    assert status == pytest.ExitCode.OK, f"the tests did not run: {status!r}"
    return {mutant: outcome for mutant, outcome in plugin.outcomes.items() if outcome != "elsewhere"}


def row(mutant: Mutant, outcome: str) -> str:
    """One row of the table."""
    cells = (f"{mutant.module} {mutant.number}", f"`{mutant.before.strip()}`", f"`{mutant.after.strip()}`")
    return f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} | {outcome} |"


def main() -> None:
    """Draw, run and print one row a change."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--number", type=int, default=100)
    reader.add_argument("--seed", type=int, default=22)
    reader.add_argument("--from", dest="first", type=int, default=0, help="leave out the first of those drawn")
    reader.add_argument("--every", type=int, default=1, help="take only each n-th, to share the work")
    reader.add_argument("--only", default="", metavar="ENDING", help="only files of this ending, .py or .js")
    reader.add_argument("--list", action="store_true", help="print what is drawn and run nothing")
    reader.add_argument("--part", choices=PARTS, help="only a part of the code that has fast tests, by these")
    reader.add_argument(
        "--kept", type=Path, default=Path(tempfile.gettempdir()) / "mutants", help="a folder of results"
    )
    given = reader.parse_args()
    places, tests = PARTS[given.part] if given.part else (PLACES, ())
    drawn = random.Random(given.seed).sample(mutants(places), given.number)[given.first :: given.every]
    print("| module, line | before | after | outcome |\n|---|---|---|---|")
    wanted = [each for each in drawn if each.file.endswith(given.only)]
    outcomes = {each: f"equivalent: {each.equivalent}" for each in wanted if each.equivalent}
    if given.list:
        outcomes = dict.fromkeys(wanted, "drawn")
    outcomes |= in_the_browser([each for each in wanted if each.file.endswith(".js") and each not in outcomes])
    if given.part and not given.list:
        outcomes |= in_copies([each for each in wanted if each not in outcomes], tests, given.kept)
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder))
        for mutant in wanted:
            print(row(mutant, outcomes.get(mutant) or outcome_of(mutant, tree)), flush=True)


if __name__ == "__main__":
    main()
