"""README leads to every page, and no link is broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_people import invoke

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("docs", "reports", "voter_policies", "benchmarks")
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
        path = [word for word in words[:2] if re.fullmatch(r"[a-z-]+", word) and not word.startswith("-")]
        found = invoke(*path, "--help")
        if found.exit_code == 2 and len(path) == 2:  # the second word is an argument
            found = invoke(path[0], "--help")
        assert found.exit_code == 0, line
        for option in (word.split("=")[0] for word in words if re.match(r"--[a-z]", word)):
            assert option in found.output, f"{option} in: {line}"
