"""What each criterion of a protected table means, in the words of commands and screens."""

from __future__ import annotations

CRITERIA = {
    "R": "every value that the rule hides stays possible, such as 1 to 10",
    "T": "one more and one less stay possible",
    "E": "two values stay possible",
    "D": "two values stay possible, and each line hides 11 people or more (CalHHS DDG 2.0)",
}


def criteria_named(words: str) -> tuple[str, ...]:
    """Return a sentence on each criterion that a text names by its letter.

    >>> criteria_named("READY: none follows (criterion E, reader zeros)")
    ('Criterion E: two values stay possible.',)
    """
    return tuple(f"Criterion {name}: {meaning}." for name, meaning in CRITERIA.items() if f"criterion {name}" in words)
