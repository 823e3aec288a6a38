"""What a list holds, costs and allows: dates and sources beside each, an unknown price never 0."""

from __future__ import annotations

from dataclasses import replace

from policy_sim.briefs.evidence import Numbers
from policy_sim.briefs.sections import list_section, list_sentences
from policy_sim.show.document.blocks import DocumentTable, Paragraph, pieces


def texts(blocks):
    return [plain(block.text) for block in blocks if isinstance(block, Paragraph)]


def plain(text):
    return "".join(piece.text for piece in pieces(text))


def test_price_and_buyers_have_their_dates_and_sources_stand_below(evidence):
    blocks, lead = list_section(evidence), plain(list_sentences(evidence, Numbers()))
    (sources,) = texts(blocks)
    assert lead.startswith("Delaware's voter list gives")
    assert "may get it" in lead
    assert lead.count("(") >= 2
    assert sources.startswith("Sources. ")
    for name in {name for field in evidence.listed.fields.values() for name in field.evidence.sources}:
        assert evidence.listed.sources[name].title in sources
    (table,) = (block for block in blocks if isinstance(block, DocumentTable))
    assert "_" not in "".join(cell for row in table.rows for cell in row)


def test_a_list_of_counties_only_has_no_facts(evidence):
    closed = replace(evidence.listed, status="county_only", status_reason="Each county sells its own.")
    seen = replace(evidence)
    seen.__dict__["listed"] = closed
    assert list_section(seen) == []
    assert list_sentences(seen, Numbers()).endswith("Each county sells its own.")
