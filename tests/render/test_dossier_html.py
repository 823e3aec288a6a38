"""The page: safe, plain, and readable by a program for the blind."""

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
