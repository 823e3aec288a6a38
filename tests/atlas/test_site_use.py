"""The atlas in a real browser, from the disk: it asks nobody, fits every screen, and its tables and search work."""

from __future__ import annotations

import pytest
from barriers import OF_COLOR, serious_barriers

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = (
    *("index.html", "policies.html", "register.html", "method.html", "policies/safe-harbor.html"),
    *("states/oh.html", "states/de.html", "states/hi.html"),
)
WIDTHS = (1400, 800, 390)


@pytest.fixture
def opened(browser, site):
    """Open a page of the atlas; its requests and errors are in ``page.requests`` and ``page.errors``."""
    contexts = []

    def at(path, **options):
        context = browser.new_context(viewport={"width": 1400, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.requests, page.errors = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.goto((site / path).as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    yield at
    for context in contexts:
        context.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_nobody_fits_every_screen_and_has_no_barrier(opened, path):
    page = opened(path, color_scheme="light")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.errors == []
    assert all(address.startswith("file:") for address in page.requests)
    assert serious_barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert serious_barriers(page, OF_COLOR) == []


@pytest.mark.parametrize(
    ("words", "title", "heading"),
    [
        ("Ohio", "Ohio", "Ohio"),
        ("delaw", "Delaware", "Delaware"),
        ("Safe Harbor", "Safe Harbor", "Safe Harbor"),
        ("party", "Party", "Party"),
    ],
)
def test_the_search_leads_to_a_state_a_policy_and_a_field(opened, words, title, heading):
    page = opened("states/hi.html")
    page.get_by_label("Search", exact=True).fill(words)
    first = page.locator("#results a").first
    assert first.inner_text().startswith(title)
    first.click()
    page.wait_for_selector("html[data-ready]")
    assert page.get_by_role("heading", name=heading, exact=True).is_visible()
    page.get_by_label("Search", exact=True).fill("no such thing")
    assert page.get_by_role("status").first.inner_text() == "No match"


def test_a_table_is_filtered_and_sorted_by_key(opened):
    page = opened("register.html")
    table = page.locator(".sortable table")
    page.get_by_label("Filter the lists").fill("by county")
    assert table.locator("tbody tr:visible").count() == 0
    page.get_by_label("Filter the lists").fill("county only")
    assert table.locator("tbody tr:visible td:first-child").all_inner_texts() == ["Hawaii"]
    page.get_by_label("Filter the lists").fill("")
    head = table.get_by_role("button", name="price")
    head.focus()
    page.keyboard.press("Enter")
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("price")
    names = table.locator("tbody td:first-child").all_inner_texts()
    assert names[0] == "Maryland"
    assert names[-1] == "Hawaii"  # without a price, and so last whichever way
    page.keyboard.press("Enter")
    assert table.locator("tbody td:first-child").all_inner_texts()[-1] == "Hawaii"


def test_a_page_without_scripts_has_every_figure(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "states/de.html").as_uri())
    assert "Of the people in this file" in page.inner_text("main")
    assert not page.locator("form").is_visible()
    context.close()
