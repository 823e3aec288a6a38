"""Dossiers: every part that a reader must find, in both forms."""

from __future__ import annotations

import io
import sys
import zipfile

import pytest

from policy_sim.render.document.blocks import Document, Heading, Paragraph, Verbatim
from policy_sim.render.document.docx_document import docx_document
from policy_sim.render.document.html_document import html_document
from policy_sim.render.dossier import dossier_document, project_in_dossier, write_dossier


def titles(document: Document) -> list[str]:
    return [block.text for block in document.blocks if isinstance(block, Heading)]


def test_every_part_is_there(figures):
    document = dossier_document(figures)
    assert titles(document) == [
        "What leaves, and why",
        "Released as a key field, so coarse that the target is met",
        "The answer",
        "Release model and responsibility",
        "Threshold and why",
        "Attacks and the risk in the context",
        "Risk before and after",
        "Transformation",
        "Usefulness of the released file",
        "Sensitive values",
        "Linked with the census and voter lists",
        "The analyses of the project, before and after",
        "Answers and evidence",
        "Clauses of the agreement",
        "Checklist of a data use agreement for a limited data set",
        "Determination by an expert",
        "How to reproduce and recheck this release",
        "Project file",
    ]
    page = html_document(document).decode()
    for text in ("ab" * 32, "cd" * 32, "ef" * 32, "2027-11-30", "minutes 7", "164.514(e)(4)(ii)", "164.514(b)(1)"):
        assert text in page
    assert "<2025>" not in page


def test_each_table_is_named_by_its_heading(figures):
    page = html_document(dossier_document(figures)).decode()
    assert 'aria-label="Risk before and after"' in page
    assert '<th scope="col">measure</th>' in page
    assert 'aria-label="table"' not in page


@pytest.mark.parametrize(
    "project", ['title = "Visits <2025>"  # & more\n', "a = 1\n\tb = '''\n **x** [[n|y]] '''\n", "é = '\\u00e9'\n"]
)
def test_the_project_comes_back_letter_by_letter(figures, project):
    page = html_document(dossier_document(figures | {"project": project})).decode()
    assert project_in_dossier(page) == project


def test_a_page_that_is_no_dossier_carries_no_project():
    assert project_in_dossier("<p>none</p>") is None


def test_what_people_wrote_is_no_markup(figures):
    """A link to nowhere in an answer must not stop the release, and stars must not make anything bold."""
    odd = "[[nowhere|a]] and **b**"
    answers = [figures["answers"][0] | {"evidence": odd}]
    document = dossier_document(figures | {"answers": answers, "notes": [odd], "aim": odd})
    page = html_document(document).decode()
    assert page.count("[[nowhere|a]] and **b**") == 3
    assert "<strong>" not in page


def test_word_documents_are_the_same_every_time(figures):
    one, two = (docx_document(dossier_document(figures)) for _ in range(2))
    assert one == two
    with zipfile.ZipFile(io.BytesIO(one)) as packed:
        text = packed.read("word/document.xml").decode()
    for part in ("Determination by an expert", "cd" * 32, "minutes 7"):
        assert part in text


def test_control_characters_do_not_break_a_word_document(figures):
    assert docx_document(dossier_document(figures | {"project": "a = 1\x00\x07"}))


def test_both_files_are_written(figures, tmp_path):
    write_dossier(figures, tmp_path)
    assert (tmp_path / "dossier.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "dossier.docx").read_bytes()[:2] == b"PK"


def test_without_the_extra_for_documents_there_is_a_page_alone(figures, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    write_dossier(figures, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["dossier.html"]


def test_the_answer_comes_first_and_the_project_last(figures):
    document = dossier_document(figures)
    assert document.blocks[-1] == Verbatim(figures["project"], "project")
    (answer,) = [at for at, block in enumerate(document.blocks) if block == Heading("The answer")]
    assert answer == 3  # after the columns
    assert isinstance(document.blocks[answer + 1], Paragraph)
    assert figures["aim"] in document.blocks[answer + 1].text


@pytest.mark.browser
@pytest.mark.parametrize("colors", ["light", "dark"])
def test_the_page_has_no_serious_barrier(figures, tmp_path, colors, browser):
    """Axe-core's rules for people who use a keyboard or a screen reader, on a wide and a narrow window."""
    from axe_playwright_python.sync_playwright import Axe

    (tmp_path / "d.html").write_bytes(html_document(dossier_document(figures)))
    page = browser.new_page(color_scheme=colors)
    page.goto((tmp_path / "d.html").as_uri())
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 800})
        found = Axe().run(page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    page.close()
