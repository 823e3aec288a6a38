"""What would change the answer: each figure is a comparison of its own, and small changes are left out."""

import pytest

from policy_sim.briefing.changes_section import _laws, changes_section
from policy_sim.briefing.numbered import Numbers
from policy_sim.render.document.blocks import Bullets, Paragraph
from policy_sim.render.numbers import percent
from policy_sim.results import TOTAL_RISK
from policy_sim.voter_lists.list_field import ListField


def test_everyone_released_and_the_list_alone(evidence):
    blocks = changes_section(evidence, Numbers())
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    items = next(block.items for block in blocks if isinstance(block, Bullets))
    own = evidence.file.profile("DE", evidence.policies[-1], "general").share(TOTAL_RISK).low
    assert percent(own) in text
    alone = evidence.file.profile("DE", evidence.policies[-1], "voter").share(TOTAL_RISK).low
    assert any(percent(alone) in item and "has the voter list alone" in item for item in items)
    assert items[-1].endswith(".")
    assert all(item.endswith(";") for item in items[:-1])


@pytest.mark.parametrize(
    ("birth", "words"),
    [
        (ListField("included", "date"), ["gave the year of birth and not the date", "gave no birth date or year"]),
        (ListField("included", "year"), ["gave no birth date or year"]),
        (ListField("withheld"), ["gave the year of birth too"]),
    ],
)
def test_a_change_of_law_is_told_from_what_the_list_gives_now(birth, words):
    assert [text for _, text in _laws(birth)] == words
