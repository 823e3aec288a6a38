"""The page: safe, plain, and readable by a program for the blind."""

import pytest

from policy_sim.render.dossier import Section
from policy_sim.render.dossier_html import dossier_html


def test_nothing_of_the_data_is_markup_and_nothing_is_fetched():
    page = dossier_html("<b>", [Section("<script>", ("<i>",), ("<u>",), (("<s>",),), ("<li>",), "</pre><script>")])
    assert "<script>" not in page
    for text in ("<b>", "<i>", "<u>", "<s>"):
        assert text not in page
    assert "http" not in page


def test_tables_have_heads_and_a_name():
    page = dossier_html("T", [Section("Risks", head=("", "after"), rows=(("largest", "0.1"),))])
    assert '<th scope="col">figure</th><th scope="col">after</th>' in page
    assert 'aria-label="Risks"' in page
    assert '<html lang="en">' in page


@pytest.mark.browser
@pytest.mark.parametrize("colors", ["light", "dark"])
def test_the_page_has_no_serious_barrier(tmp_path, colors, browser):
    """Axe-core's rules for people who use a keyboard or a screen reader, on a wide and a narrow window."""
    from axe_playwright_python.sync_playwright import Axe

    sections = [Section("Risks", ("A sentence.",), ("", "after"), (("largest", "0.1"),), ("item",), "a = 1")]
    (tmp_path / "d.html").write_text(dossier_html("Title", sections), encoding="utf-8")
    page = browser.new_page(color_scheme=colors)
    page.goto((tmp_path / "d.html").as_uri())
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 800})
        found = Axe().run(page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    page.close()
