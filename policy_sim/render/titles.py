"""Titles of figures: sentences with the least and the largest value drawn."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from policy_sim.attackers import words_of
from policy_sim.render.numbers import Formatter
from policy_sim.render.theme import attacker_title

__all__ = ["attacker_words", "span_words"]


def attacker_words(attacker: str) -> str:
    """Return the attacker in words, for the middle of a sentence.

    >>> attacker_words("voter"), attacker_words("voter-adults")
    ('an attacker with the voter list', 'the attacker VOTER-ADULTS')
    """
    return words_of(attacker) or f"the attacker {attacker_title(attacker)}"


def span_words(values: Iterable[float], write: Formatter) -> str:
    """Write the least and the largest value as words, one if they read alike; nothing where none is known.

    >>> span_words([0.2, 0.1, 0.5], str), span_words([1.0], str), span_words([], str)
    ('0.1 to 0.5', '1.0', '')
    """
    numbers = [float(value) for value in values if not pd.isna(value)]
    ends = [write(min(numbers)), write(max(numbers))] if numbers else []
    return " to ".join(dict.fromkeys(ends))
