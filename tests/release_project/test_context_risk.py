"""Attacks, against the tables and examples of the sources."""

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.release_project.context_risk import acquaintance_chance, attacks_on

# IPC 2016, step 5, attack 1: controls, motives and capacity, probability.
TABLE = [
    ("high", "low", 0.05), ("high", "medium", 0.1), ("high", "high", 0.2),
    ("medium", "low", 0.2), ("medium", "medium", 0.3), ("medium", "high", 0.4),
    ("low", "low", 0.4), ("low", "medium", 0.5), ("low", "high", 0.6),
]  # fmt: skip


@pytest.mark.parametrize(("controls", "motives", "probability"), TABLE)
def test_the_nine_cells(controls, motives, probability):
    assert attacks_on("non-public", controls=controls, motives=motives)[0].probability == probability


def test_semi_public_has_low_controls_and_high_motives_whatever_is_said():
    assert attacks_on("semi-public", controls="high", motives="low")[0].probability == 0.6


def test_public_is_tried_for_certain():
    assert [(attack.name, attack.probability) for attack in attacks_on("public")] == [("T4", 1.0)]


def test_acquaintances():
    """150 friends and one person in a thousand: 1 - 0.999^150; half of them for one sex."""
    assert acquaintance_chance(0.001, 150) == pytest.approx(1 - 0.999**150)
    assert acquaintance_chance(0.001, 150, one_sex=True) == pytest.approx(1 - 0.999**75)
    assert acquaintance_chance(0, 150) == 0
    assert acquaintance_chance(1, 150) == 1
    assert acquaintance_chance(0.01, 190) > acquaintance_chance(0.01, 150)


def test_the_largest_of_three_counts():
    attacks = attacks_on("non-public", controls="high", motives="low", prevalence=0.001, breach=0.27)
    assert [attack.name for attack in attacks] == ["T1", "T2", "T3"]
    assert max(attack.probability for attack in attacks) == 0.27


def test_what_is_no_attack():
    with pytest.raises(UnknownNameError, match="release model"):
        attacks_on("secret")
    with pytest.raises(UnknownNameError, match="level of controls"):
        attacks_on("non-public", controls="", motives="low")
    for wrong in ({"breach": 1.5}, {"prevalence": -0.1}, {"acquaintances": 0}):
        with pytest.raises(InputError):
            attacks_on("semi-public", **wrong)
