from __future__ import annotations

import pandas as pd

from policy_sim.render.numbers import percent
from policy_sim.render.titles import attacker_words, span_words


def test_a_span_has_the_least_and_the_largest_in_any_order():
    assert span_words([0.345, 0.0213, 0.1], percent) == "2.13% to 34.5%"


def test_what_is_missing_is_not_the_least():
    assert span_words([pd.NA, 0.2, float("nan"), 0.1], percent) == "10% to 20%"
    assert span_words([pd.NA, None], percent) == ""


def test_ends_that_read_alike_are_written_once():
    assert span_words([0.12341, 0.12342], percent) == "12.3%"


def test_an_attacker_of_the_users_own_is_named():
    assert attacker_words("neighbor") == "the attacker NEIGHBOR"
    assert "NEIGHBOR" not in attacker_words("general")
