"""The Word document opens again, with its headings and tables."""

import io

from policy_sim.render.dossier import Section
from policy_sim.render.dossier_docx import dossier_docx


def test_it_opens_again():
    import docx

    content = dossier_docx("Title", [Section("One", ("First.",), ("a", "b"), (("1", "2"),), ("item",), "x = 1")])
    document = docx.Document(io.BytesIO(content))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert {"Title", "One", "First.", "item", "x = 1"} <= set(texts)
    assert [[cell.text for cell in row.cells] for row in document.tables[0].rows] == [["a", "b"], ["1", "2"]]
    assert document.core_properties.author == "policy-sim"
