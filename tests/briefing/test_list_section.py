"""What a list holds, costs and allows: dates and sources beside each, an unknown price never 0."""

from dataclasses import replace

from policy_sim.briefing.list_section import list_section
from policy_sim.briefing.numbered import Numbers
from policy_sim.render.document.blocks import DocumentTable, Paragraph, pieces


def texts(blocks):
    return ["".join(p.text for p in pieces(block.text)) for block in blocks if isinstance(block, Paragraph)]


def test_price_and_buyers_have_their_dates_and_sources_stand_below(evidence):
    blocks = list_section(evidence, Numbers())
    lead, sources = texts(blocks)
    assert lead.startswith("Delaware's voter list gives")
    assert "may have it" in lead
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
    blocks = list_section(seen, Numbers())
    assert not [block for block in blocks if isinstance(block, DocumentTable)]
    assert texts(blocks)[0].endswith("Each county sells its own.")
