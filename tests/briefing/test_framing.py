"""Every brief says how it was computed, whose people it counts, and how to cite it."""

from policy_sim.briefing.framing import footer, framing
from policy_sim.briefing.numbered import Numbers
from policy_sim.render.document.blocks import DocumentTable, Heading, Paragraph


def test_methods_use_citation_and_appendix(evidence):
    numbers = Numbers()
    numbers.put("1", "w", "f", "s")
    blocks = framing(evidence, numbers, "A title")
    assert [block.text for block in blocks if isinstance(block, Heading)] == [
        "How this was computed",
        "Use it responsibly",
        "How to cite",
        "Every number",
    ]
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "as 45 CFR 164.514 states them" in text
    assert "A title. November 22, 2026." in text
    assert isinstance(blocks[-1], DocumentTable)
    assert "us-2020" in footer(evidence)
