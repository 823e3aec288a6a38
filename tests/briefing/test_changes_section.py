"""What would change the answer: each figure is a comparison of its own, and small changes are left out."""

from policy_sim.briefing.changes_section import changes_section
from policy_sim.briefing.numbered import Numbers
from policy_sim.render.document.blocks import Bullets, Paragraph
from policy_sim.render.numbers import percent
from policy_sim.results import TOTAL_RISK


def test_everyone_released_and_safe_harbor(evidence):
    blocks = changes_section(evidence, Numbers())
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    items = next(block.items for block in blocks if isinstance(block, Bullets))
    own = evidence.file.profile("DE", evidence.policies[-1], "general").share(TOTAL_RISK).low
    assert percent(own) in text
    other = evidence.file.profile("DE", evidence.policies[0], "general").share(TOTAL_RISK).low
    assert any(percent(other) in item and "under Safe Harbor" in item for item in items)
    assert items[-1].endswith(".")
    assert all(item.endswith(";") for item in items[:-1])
