"""Cohen's kappa by hand and against another program; what is compared, and what was decided."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.voter_lists.agreement import (
    agreement_frame,
    changed_since,
    cohen_kappa,
    disagreements_frame,
    first_codes,
)
from policy_sim.voter_lists.coding import CodedFact
from policy_sim.voter_lists.voter_list import VoterList


def test_kappa_by_hand():
    """Agreed 6 of 10; chance: 0.5 x 0.7 + 0.5 x 0.3 = 0.5; (0.6 - 0.5) / 0.5."""
    pairs = [("a", "a")] * 4 + [("a", "b")] + [("b", "a")] * 3 + [("b", "b")] * 2
    assert cohen_kappa(pairs) == pytest.approx(0.2)


def test_kappa_at_its_ends():
    assert cohen_kappa([("a", "a"), ("b", "b")]) == 1
    assert cohen_kappa([("a", "b"), ("b", "a")]) == -1
    assert cohen_kappa([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]) == 0


def test_kappa_is_not_defined_without_facts_or_without_a_choice():
    assert cohen_kappa([]) is None
    assert cohen_kappa([("a", "a")] * 3) is None


def test_kappa_is_that_of_another_program():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    for _ in range(50):
        first = rng.choice(["a", "b", "c"], 40)
        second = np.where(rng.random(40) < 0.7, first, rng.choice(["a", "b", "c", "d"], 40))
        ours = cohen_kappa([*zip(first.tolist(), second.tolist(), strict=True)])
        assert ours == pytest.approx(metrics.cohen_kappa_score(first, second))


def coded(*codes, item="zip"):
    return [CodedFact(state, "2026", item, code) for state, code in zip(("AK", "AL", "AR", "AZ"), codes, strict=False)]


FIRST = {fact.key: fact.code for fact in coded("included", "included", "unknown", "withheld")}


def test_the_rows_add_up_within_items():
    second = [*coded("included", "withheld", "unknown", "withheld"), *coded("unknown", "unknown", item="race")]
    first = FIRST | {fact.key: "unknown" for fact in second if fact.item == "race"}
    frame = agreement_frame(first, second).set_index("item")
    assert frame.loc["zip", ["facts", "agree"]].tolist() == [4, 3]
    # chance: included 2 x 1, withheld 1 x 2, unknown 1 x 1, of 16
    assert frame.loc["zip", "by_chance"] == pytest.approx(5 / 16)
    assert frame.loc["zip", "kappa"] == pytest.approx((3 / 4 - 5 / 16) / (11 / 16))
    assert frame.loc["race", "kappa"] is not None
    assert frame["kappa"].isna().to_dict()["race"]  # one code throughout: not defined
    # 5 of 6 agree; by chance 4 x 5/16 + 2 x 1
    assert frame.loc["all", "kappa"] == pytest.approx((5 - 3.25) / (6 - 3.25))
    assert frame.loc["all but unknown", ["facts", "agree"]].tolist() == [3, 2]


def test_a_difference_carries_what_was_decided():
    second = coded("included", "withheld", "included", "withheld")
    decided = {("AL", "2026", "zip"): ("mended", "a reason")}
    frame = disagreements_frame(FIRST, second, decided)
    assert frame[["state", "first", "second", "decision"]].to_numpy().tolist() == [
        ["AL", "included", "withheld", "mended"],
        ["AR", "unknown", "included", "open"],
    ]


def test_what_has_changed_since_is_named():
    assert changed_since(FIRST, {**FIRST, ("AK", "2026", "zip"): "unknown"}) == [("AK", "2026", "zip")]


def test_a_coded_list_that_there_is_not_is_an_error():
    with pytest.raises(InputError, match="AK 2026"):
        first_codes([VoterList("AL", "2026", "available")], coded("included"))
