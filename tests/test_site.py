"""The documentation site is built with warnings as errors, and every link in it leads somewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from barriers import OF_COLOR, serious_barriers
from pinned import pinned

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


class _Page(HTMLParser):
    """The links and the names of one page."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [given[key] for key in ("href", "src") if given.get(key)]
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    folder = tmp_path_factory.mktemp("site")
    environment = os.environ | {"PAGES": str(folder / "pages"), "NO_MKDOCS_2_WARNING": "1"}
    steps = (
        [sys.executable, "docs/site/assemble.py", str(folder / "pages")],
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", "docs/site/mkdocs.yml", "-d", str(folder / "html")],
    )
    for step in steps:
        done = subprocess.run(step, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    return {
        path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if "assets" not in path.parts
    }


def test_every_link_of_the_site_leads_somewhere(site, pages):
    broken = []
    ours = {path for path in pages if path.relative_to(site).parts[0] not in ("reports", "404.html")}
    for path in ours:
        for link in pages[path].links:
            target = urlsplit(link)
            if target.scheme or link.startswith("//"):
                continue
            other = (path.parent / unquote(target.path)).resolve() if target.path else path
            name = unquote(target.fragment)
            if other.is_dir():
                other = other / "index.html"
            if not other.exists() or (other in pages and name and name not in pages[other].names | {"__skip"}):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert len(ours) > 20
    assert not broken


def test_the_site_asks_no_other_server_for_anything(pages):
    """Scripts, styles and pictures come with the site: a page read offline is whole."""
    outside = {
        link
        for page in pages.values()
        for link in page.links
        if urlsplit(link).scheme in ("http", "https")
        and urlsplit(link).path.endswith((".js", ".css", ".png", ".woff2"))
    }
    assert not outside


def test_the_references_name_every_command_and_every_public_name(site):
    import policy_sim

    commands = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    names = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for command in ("compare", "dataset profile", "lists what-if"):
        assert f"policy-sim {command}" in commands
    for name in policy_sim.__all__:
        assert f".{name}" in names


def test_wide_tables_are_regions_that_a_keyboard_reaches(pages, site):
    text = (site / "docs" / "voter-lists.html").read_text(encoding="utf-8")
    assert '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>' in text


def test_the_citation_names_the_version_that_is_built():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.browser
def test_no_page_is_wider_than_a_phone(pages, site, browser):
    """Wide tables and examples scroll by themselves; no page does."""
    view = browser.new_page(viewport={"width": 390, "height": 844})
    wide = []
    ours = sorted(path for path in pages if path.relative_to(site).parts[0] in ("docs", "reference", "index.html"))
    for path in pinned(ours[::5], ours):
        view.goto(path.as_uri())
        if view.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1"):
            wide.append(path.relative_to(site))
    view.close()
    assert not wide


SHORT = ["index.html", "docs/model.html"]


@pytest.mark.browser
@pytest.mark.parametrize("page", pinned(SHORT, [*SHORT, "docs/how-to.html", "reference/python.html"]))
def test_no_page_has_a_serious_barrier_in_light_and_dark(site, page, browser):
    view = browser.new_page(color_scheme="light")
    view.goto((site / page).as_uri())
    faults = serious_barriers(view)
    view.emulate_media(color_scheme="dark")
    view.reload()  # the colors are chosen as the page opens
    faults += serious_barriers(view, OF_COLOR)
    view.close()
    assert not faults
