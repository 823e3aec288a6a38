"""Dossiers: every part that a reader must find, in both forms."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from barriers import OF_COLOR, serious_barriers
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from policy_sim.release.attack.report import AttackReport, Verdict
from policy_sim.release.dossier import (
    agreement_parts,
    answer_part,
    attacks_part,
    dossier_document,
    linkage_part,
    project_in_dossier,
    reproduction_part,
    risks_part,
    sensitive_part,
    threshold_part,
    transformation_part,
    use_part,
    write_dossier,
)
from policy_sim.show.document.blocks import (
    Document,
    DocumentTable,
    Heading,
    Paragraph,
    Picture,
    Verbatim,
)
from policy_sim.show.document.docx_document import docx_document
from policy_sim.show.document.markup import html_document

MET = Verdict(AttackReport(("age",), {"age": "age"}, ("values by every detector",)))


def titles(document: Document) -> list[str]:
    return [block.text for block in document.blocks if isinstance(block, Heading)]


def test_every_part_is_there(figures):
    document = dossier_document(figures, MET)
    subjects = (
        *("verdict", "What the file has", "key field", "answer", "tried", "responsibility", "Threshold", "Attacks"),
        *("before and after", "Transformation", "Usefulness", "analyses", "Sensitive", "census", "evidence", "Clauses"),
        *("limited data set", "expert", "recheck", "Project file"),
    )
    heads = zip(titles(document), subjects, strict=True)
    assert [title for title, subject in heads if subject not in title] == []
    page = html_document(document).decode()
    for text in ("ab" * 32, "cd" * 32, "ef" * 32, "2027-11-30", "minutes 7", "164.514(e)(4)(ii)", "164.514(b)(1)"):
        assert text in page
    assert "<2025>" not in page
    assert 'aria-label="Risk before and after"' in page
    assert '<th scope="col">measure</th>' in page
    assert 'aria-label="table"' not in page
    assert document.blocks[-1] == Verbatim(figures["project"], "project")
    assert document.blocks[0] == Heading("The verdict")
    assert document.blocks[1].text == "MET: 1 of 1 columns attacked."
    assert figures["aim"] in document.blocks[2].text


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(project=st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))))
@example('title = "Visits <2025>"  # & more\n')
@example("a = 1\n\tb = '''\n **x** [[n|y]] '''\n")
@example("é = '\\u00e9'\n")
def test_the_project_comes_back_letter_by_letter(figures, project):
    page = html_document(dossier_document(figures | {"project": project}, MET)).decode()
    assert project_in_dossier(page) == project
    assert project_in_dossier("<p>none</p>") is None


def test_what_people_wrote_is_no_markup(figures):
    """A link to nowhere in an answer must not stop the release, and stars must not make anything bold."""
    odd = "[[nowhere|a]] and **b**"
    answers = [figures["answers"][0] | {"evidence": odd}]
    document = dossier_document(figures | {"answers": answers, "notes": [odd], "aim": odd}, MET)
    page = html_document(document).decode()
    assert page.count("[[nowhere|a]] and **b**") == 3
    assert "<strong>" not in page


@pytest.mark.slow
def test_word_documents_are_the_same_every_time(figures):
    one, two = (docx_document(dossier_document(figures, MET)) for _ in range(2))
    assert one == two
    with zipfile.ZipFile(io.BytesIO(one)) as packed:
        text = packed.read("word/document.xml").decode()
    for shown in ("Determination by an expert", "cd" * 32, "minutes 7"):
        assert shown in text


def test_control_characters_do_not_break_a_word_document(figures):
    assert docx_document(dossier_document(figures | {"project": "a = 1\x00\x07"}, MET))


@pytest.mark.usefixtures("word_copy")
def test_both_files_are_written(figures, tmp_path):
    write_dossier(figures, tmp_path, MET)
    assert (tmp_path / "dossier.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "dossier.docx").read_bytes()[:2] == b"PK"


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_has_no_serious_barrier_wide_and_narrow_light_and_dark(figures, tmp_path, browser):
    (tmp_path / "d.html").write_bytes(html_document(dossier_document(figures, MET)))
    page = browser.new_page(color_scheme="light")
    page.goto((tmp_path / "d.html").as_uri())
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="light")
        assert serious_barriers(page) == []
        page.emulate_media(color_scheme="dark")
        assert serious_barriers(page, OF_COLOR) == []
    page.close()


# What people decided: verdict, threshold, agreements by release model, and how to make it again.


def text_of(blocks) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Paragraph))


def test_the_answer_says_before_and_after(figures):
    text = text_of(answer_part(figures, MET))
    assert "Before: that does not meet it." in text
    assert "After: that meets it." in text
    assert re.search(r"5 of 100 rows are suppressed \(5\.0%; .* 5\.0% of", text)
    failed = figures["assessment"] | {"after": figures["assessment"]["before"]}
    assert "may not be released" in text_of(answer_part(figures | {"assessment": failed}, MET))


def test_without_answers_there_is_no_verdict(figures):
    little = figures | {"assessment": None, "search": None, "key": None}
    answer = answer_part(little, MET)
    (stated,) = [block.text for block in answer if isinstance(block, Paragraph) and "overall risk" in block.text]
    assert stated.startswith(f"Aim: {little['aim']}.")  # with the verdict, and nowhere else
    document = dossier_document(little, MET)
    assert figures["edition"]["title"] not in document.subtitle  # guidelines that nobody followed
    assert figures["edition"]["title"] in dossier_document(figures, MET).subtitle
    page = text_of(document.blocks)
    assert page.count("overall risk") == stated.count("overall risk")
    assert "Not set" in text_of(threshold_part(little))
    assert text_of(attacks_part(little)) == "Not assessed."
    assert "No secret key is needed." in text_of(reproduction_part(little))


def test_agreements_follow_the_release_model(figures):
    first = {"public": "Determination by an expert", "semi-public": "Terms of use of a semi-public release"}
    for model in ("public", "semi-public", "non-public"):
        blocks = agreement_parts(figures | {"assessment": figures["assessment"] | {"model": model}})
        names = [block.text for block in blocks if isinstance(block, Heading)]
        assert names[0] == first.get(model, "Clauses of the agreement")
        assert names[-1] == "Determination by an expert"
    under = agreement_parts(figures | {"aim": "conform to safe-harbor"})
    names = " ".join(block.text for block in under if isinstance(block, Heading))
    assert "Determination" not in names  # the rule asks for none
    assert "limited data set" not in names


def test_each_file_that_went_in_or_out_has_its_checksum(figures):
    (sums,) = [block.text for block in reproduction_part(figures) if isinstance(block, Verbatim)]
    assert sums.splitlines() == [
        f"{'ab' * 32}  visits.csv",
        f"{'cd' * 32}  release.csv",
        f"{'ef' * 32}  population us-2020",
    ]


# What was measured: figures before and after, and what is left out where nothing was.


def table_of(blocks) -> DocumentTable:
    (table,) = [block for block in blocks if isinstance(block, DocumentTable)]
    return table


def test_every_risk_stands_before_and_after(figures):
    rows = table_of(risks_part(figures)).rows
    assert ("smallest class", "1", "11") in rows
    assert ("largest risk of a record", "1", "0.09091") in rows
    assert rows[-1] == ("overall risk (data times context)", "0.05", "0.05")
    assert len(table_of(risks_part(figures | {"assessment": None})).rows) == len(rows) - 1


def test_missing_values_are_counted_before_and_after(figures):
    text = text_of(use_part(figures))
    assert "3.0% before, 5.0% after, 2.0% more" in text
    assert "1.5% before, 3.0% after, 1.5% more" in text
    assert table_of(use_part(figures | {"analyses": []})).rows == (("age", "-"),)


def test_who_declares_no_analysis_sees_fields_and_pairs_and_how_to_declare_one(figures):
    pairs = [
        {"one": "age", "other": "age", "distance": 0.125},
        {"one": "age", "other": "sex", "distance": 0.75},
        {"one": "sex", "other": "sex", "distance": 0.001},
    ]
    moved = figures | {"analyses": [], "utility": figures["utility"] | {"pairs": pairs}}
    blocks = use_part(moved)
    (picture,) = [block for block in blocks if isinstance(block, Picture)]
    assert picture.alternative.startswith("Distances of fields and pairs")
    assert "age and sex move most: 75.0%." in text_of(blocks)
    assert "No analysis is declared" in text_of(blocks)
    model = {"analysis": "ill", "statistic": "model", "group": "ill=y", "before": 0.8, "after": 0.7, "reason": ""}
    blocks = use_part(moved | {"analyses": [model]})
    (picture,) = [block for block in blocks if isinstance(block, Picture)]
    assert picture.alternative.startswith("Distances of fields and pairs")
    assert "No analysis is declared" not in text_of(blocks)


def test_how_the_levels_were_found(figures):
    assert "no other choice" in text_of(transformation_part(figures))
    heuristic = figures | {"search": figures["search"] | {"optimal": False}}
    assert "another choice may lose less" in text_of(transformation_part(heuristic))
    assert "the only level that the aim allows" in text_of(transformation_part(figures | {"search": None}))


def test_an_unknown_price_is_a_dash_and_not_0(figures):
    (row,) = table_of(linkage_part(figures)).rows
    assert row == ("voter", "OH", "geography=county", "0.01", "0.0001", "-", "ok")
    assert "Without dx" in text_of(linkage_part(figures))


def test_what_was_not_measured_is_left_out_or_named(figures):
    assert linkage_part(figures | {"linkage": None}) == []
    assert text_of(sensitive_part(figures | {"sensitive": []})) == "No sensitive column is released."


def test_the_spread_of_the_risk_is_shown_where_a_run_has_it(figures):
    row = {"by": "sex", "value": "F", "records": 45, "mean_before": 0.5, "mean_after": 0.05}
    spread = [row | {"percentile_before": 1.0, "percentile_after": 0.09}]
    (_, _, plain), (*_, table) = risks_part(figures), risks_part(figures | {"spread": spread})
    assert isinstance(plain, DocumentTable)  # a run of an earlier version has none
    assert table.rows == (("sex", "F", "45", "0.5", "1", "0.05", "0.09"),)
