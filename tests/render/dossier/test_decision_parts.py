"""What people decided: verdict, threshold, agreements by release model, and how to make it again."""

import pytest

from policy_sim.render.document.blocks import Heading, Paragraph, Verbatim
from policy_sim.render.dossier.decision_parts import (
    agreement_parts,
    answer_part,
    attacks_part,
    reproduction_part,
    threshold_part,
)


def text_of(blocks) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Paragraph))


def test_the_answer_says_before_and_after(figures):
    text = text_of(answer_part(figures))
    assert "Before: that does not meet it." in text
    assert "After: that meets it." in text
    assert "5 of 100 rows are suppressed (5.0%; the limit is 5.0% of the records)." in text


def test_a_release_that_fails_may_not_be_made(figures):
    failed = figures["assessment"] | {"after": figures["assessment"]["before"]}
    assert "may not be released" in text_of(answer_part(figures | {"assessment": failed}))


def test_without_answers_there_is_no_verdict(figures):
    little = figures | {"assessment": None, "search": None, "key": None}
    assert "there is no verdict on the overall risk" in text_of(answer_part(little))
    assert "Not set" in text_of(threshold_part(little))
    assert text_of(attacks_part(little)) == "Not assessed."
    assert "No secret key is needed." in text_of(reproduction_part(little))


@pytest.mark.parametrize(
    ("model", "first"),
    [
        ("public", "Determination by an expert"),
        ("semi-public", "Terms of use of a semi-public release"),
        ("non-public", "Clauses of the agreement"),
    ],
)
def test_agreements_follow_the_release_model(figures, model, first):
    blocks = agreement_parts(figures | {"assessment": figures["assessment"] | {"model": model}})
    titles = [block.text for block in blocks if isinstance(block, Heading)]
    assert titles[0] == first
    assert titles[-1] == "Determination by an expert"


def test_each_file_that_went_in_or_out_has_its_checksum(figures):
    (sums,) = [block.text for block in reproduction_part(figures) if isinstance(block, Verbatim)]
    assert sums.splitlines() == [
        f"{'ab' * 32}  visits.csv",
        f"{'cd' * 32}  release.csv",
        f"{'ef' * 32}  population us-2020",
    ]
