"""README leads to every page, and no link is broken."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest
from small_people import commands

import policy_sim
from policy_sim.attackers import LINKAGE_STATUSES
from policy_sim.attackers.files import list_adversaries, load_adversary
from policy_sim.voter_lists.price import PRICE_KINDS
from policy_sim.voter_lists.sql.database import METADATA

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("docs", "reports", "voter_policies", "benchmarks")
COMMANDS = dict(commands())
PAGES = sorted([*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))])


def links(page: Path) -> list[tuple[str, str]]:
    """Targets of a page's links within the project: path and heading."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [
        (path, heading)
        for path, _, heading in (target.partition("#") for target in targets)
        if not re.match(r"[a-z]+:", path)
    ]


def headings(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them, and of its anchors."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return set(re.findall(r'<a (?:id|name)="([^"]+)"', text)) | {
        re.sub(r"[^\w\- ]", "", line.casefold()).replace(" ", "-") for line in lines
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_leads_nowhere(page):
    for path, heading in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{path} is not there"
        assert target == ROOT or ROOT in target.parents, f"{path} leads out of the project"
        if heading:
            assert heading in headings(target), f"{path}#{heading}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_named_on_a_page_are_there(page):
    named = re.findall(r"`((?:policy_sim|tests|benchmarks|data)/[\w./-]+\.\w+)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_page_of_docs_is_reached_from_readme():
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        waiting += [(page.parent / path).resolve() for path, _ in links(page) if path]
    assert set((ROOT / "docs").rglob("*.md")) <= reached


def test_the_index_lists_every_page_once():
    index = ROOT / "docs" / "README.md"
    listed = [path for path, _ in links(index) if "/" not in path]
    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md") if page != index)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_on_the_pages_are_commands_that_there_are(page):
    """Also that their options exist: what a page tells a reader to type must be understood."""
    text = page.read_text(encoding="utf-8")
    for line in re.findall(r"^(?:\$ )?policy-sim ([a-z].*)$(?!\nError)", text, re.MULTILINE):
        words = line.split(" #")[0].split(" > ")[0].split()
        name = next((tuple(words[:many]) for many in (3, 2, 1) if tuple(words[:many]) in COMMANDS), None)
        assert name is not None, line
        known = {word for option in COMMANDS[name].params for word in [*option.opts, *option.secondary_opts]}
        given = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert given <= {*known, "--help"}, line


def test_commands_in_the_tables_on_the_papers_are_commands_that_there_are(root):
    """Every text of the page in the font of code that begins with a command has only options of it."""
    page = (root / "docs" / "seeds.md").read_text(encoding="utf-8")
    found = 0
    for text in re.findall(r"`([^`\n]+)`", page):
        words = text.split()
        name = next((tuple(words[:many]) for many in (3, 2, 1) if tuple(words[:many]) in COMMANDS), None)
        if name is not None:
            known = {word for option in COMMANDS[name].params for word in [*option.opts, *option.secondary_opts]}
            assert {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)} <= known, text
            found += 1
    assert found > 80


# What the guides on lists and attackers say is what the program has.


LIST_PAGES = ("add-a-state.md", "voter-lists-database.md", "attackers.md")


@pytest.fixture
def guides(root):
    return {name: (root / "docs" / name).read_text(encoding="utf-8") for name in LIST_PAGES}


def test_every_table_and_column_of_the_database_is_described(guides):
    described = {}
    for line in re.findall(
        r"^\| (`[^|]+) \|[^|]*\| (`[^|]+) \|$", guides["voter-lists-database.md"], flags=re.MULTILINE
    ):
        for table in re.findall(r"`(\w+)`", line[0]):
            described[table] = set(re.findall(r"`(\w+)`", line[1]))
    tables = {name: set(table.columns.keys()) for name, table in METADATA.tables.items()}
    assert described.keys() == tables.keys()
    for name, columns in tables.items():
        assert columns <= described[name], name
        assert described[name] - columns <= {"use", "buyer"}, name


def test_every_list_command_that_is_named_exists(guides):
    for text in guides.values():
        named = set(re.findall(r"(?:policy-sim |`)((?:dev )?lists) ([a-z-]+)", text))
        assert named
        assert {(*group.split(), name) for group, name in named} <= {path for path, _ in commands()}


def test_the_adversaries_in_the_table_are_those_that_ship(guides):
    row = re.compile(r"^\| `(\w+)` \| ([\w, ]+) \| (\w+) \| ([\w,]+)(?: USD)? \| ([\w ]+) \|$", re.MULTILINE)
    rows = row.findall(guides["attackers.md"])
    assert {each[0] for each in rows} == set(list_adversaries())
    for name, buyer, purpose, money, scruples in rows:
        who = load_adversary(name)
        assert tuple(buyer.split(", ")) == who.buyer
        assert purpose == who.purpose
        assert money == ("any" if who.money_usd is None else f"{who.money_usd:,.0f}")
        assert scruples == ("none" if who.breaks_law else "keeps to the rules")


def test_every_status_and_kind_of_price_is_explained(guides):
    assert set(re.findall(r"^\| `(\w+)` \|", guides["attackers.md"], flags=re.MULTILINE)) >= set(LINKAGE_STATUSES)
    assert set(re.findall(r'kind = "(\w+)"', guides["add-a-state.md"])) == set(PRICE_KINDS)


def test_the_examples_of_the_guide_are_toml(guides):
    examples = re.findall(r"```toml\n(.*?)```", guides["add-a-state.md"], flags=re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        tomllib.loads(example)


# Every example in a docstring is run, in a module found by itself: no list of modules to forget one in.


PACKAGE = ROOT / "policy_sim"
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
