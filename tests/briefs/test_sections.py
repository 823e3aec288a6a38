"""What a list holds, costs and allows: dates and sources beside each, an unknown price never 0."""

from __future__ import annotations

import re
from dataclasses import replace

from policy_sim.briefs.evidence import Numbers
from policy_sim.briefs.sentences import list_doubts, list_section, list_sentences
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


def test_what_a_list_leaves_out_how_old_it_is_and_what_no_source_says(evidence):
    listed, held = evidence.listed, evidence.listed.fields
    withheld, unknown = (replace(held["gender"], availability=word, granularity="") for word in ("withheld", "unknown"))
    leaves = replace(listed, fields={**held, "gender": withheld, "race": withheld})
    lines = list_doubts(leaves)
    assert lines[0] == "It leaves out sex and race."
    assert re.fullmatch(r"The oldest fact that decides is from .*\d{4}\.", lines[1])
    asks = replace(listed, fields={**held, "gender": unknown})
    assert list_doubts(asks)[-1] == "No source says whether it gives sex, so some answers are ranges."
    assert list_doubts(replace(listed, status="county_only")) == []


def test_a_list_of_counties_only_has_no_facts(evidence):
    closed = replace(evidence.listed, status="county_only", status_reason="Each county sells its own.")
    seen = replace(evidence)
    seen.__dict__["listed"] = closed
    assert list_section(seen) == []
    assert list_sentences(seen, Numbers()).endswith("Each county sells its own.")
